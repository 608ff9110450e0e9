"""Worlds of groups × traits in blocks: groups of domains, and traits that measure the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import asin, pi, sqrt
from typing import Literal, NamedTuple

import numpy as np

from crossroads.core.inference.geometry import Floats
from crossroads.core.stimuli import catalog

from .tables import Table, nested

BlockKind = Literal[
    "nothing shared",
    "domains",
    "domain levels",
    "factors",
    "factor levels",
    "domain × factor",
    "trait levels",
    "group levels",
    "all of these",
]
BLOCK_SAYS: Mapping[BlockKind, str] = {
    "nothing shared": "every cell varies by itself",
    "domains": "groups of a domain resemble each other, trait by trait",
    "domain levels": "groups of a domain are high or low on all traits alike",
    "factors": "traits of a factor resemble each other, group by group",
    "factor levels": "traits of a factor are high or low for all groups alike",
    "domain × factor": "groups of a domain share a level on the traits of a factor",
    "trait levels": "some traits are high for every group",
    "group levels": "some groups are high on every trait",
    "all of these": "a sixth of what is shared of each kind",
}


class TraitWorld(NamedTuple):
    """Scores of a model and judgements of people from 0 to 100, group to trait to number."""

    model: Table
    people: Table
    tau: float
    """Kendall's τ of the population of cells."""


def block_worlds(
    kind: BlockKind, *, worlds: int = 1, strength: float = 1.0, effect: float = 0.0, seed: int = 0
) -> Iterator[TraitWorld]:
    """Draw tables of the 25 groups and 16 traits of the ABC study whose correlation is ``effect``.

    ``strength`` is the variance that cells share, in variances of a cell. Blocks are the domains and scales
    of the catalogue, so that ``align`` knows them by default, and does not with ``blocks=None``.
    """
    rng = np.random.default_rng(seed)
    groups = [group for group in catalog().groups("abc-groups").members if group.human_label]
    traits = list(catalog().traits("abc-traits"))
    rows = np.unique([group.categories["domain"] for group in groups], return_inverse=True)[1]
    columns = np.unique([pair.scale for pair in traits], return_inverse=True)[1]
    names = [group.name for group in groups], [pair.name for pair in traits]
    (n, m), (d, f) = (len(rows), len(columns)), (rows.max() + 1, columns.max() + 1)

    def both(*shape: int) -> Floats:
        """Variables of the model, and those of people."""
        model, other = rng.normal(size=(2, *shape))
        return np.stack([model, effect * model + sqrt(1 - effect**2) * other])

    shared = {
        "domains": lambda: both(d, m)[:, rows],
        "domain levels": lambda: both(d, 1)[:, rows],
        "factors": lambda: both(n, f)[:, :, columns],
        "factor levels": lambda: both(1, f)[:, :, columns],
        "domain × factor": lambda: both(d, f)[:, rows][:, :, columns],
        "trait levels": lambda: both(1, m),
        "group levels": lambda: both(n, 1),
    }
    used = {"nothing shared": [], "all of these": list(shared)}.get(kind, [kind])
    for _ in range(worlds):
        cells = both(n, m)
        for one in used:
            cells = cells + sqrt(strength / len(used)) * shared[one]()
        people = 100 / (1 + np.exp(-cells[1] / sqrt(1 + strength)))
        yield TraitWorld(nested(*names, cells[0]), nested(*names, people), 2 / pi * asin(effect))
