"""Worlds of groups × traits: scores of a model and of people, and scores of paired identities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import asin, pi
from typing import Literal, NamedTuple

import numpy as np

from crossroads.core.inference.geometry import Floats
from crossroads.core.stimuli.sets import FrozenDict
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.material import PairedGroup

TraitKind = Literal[
    "independent", "factors", "domains", "domains and factors", "trait levels", "group levels"
]
PairKind = Literal["ordinary", "pulling groups", "heavy tails"]
TRAIT_SAYS: Mapping[str, str] = {
    "independent": "every cell varies by itself",
    "factors": "traits measure three things, the same three in model and people",
    "domains": "groups of a domain resemble each other",
    "domains and factors": "groups of a domain have a level of their own for each of three things",
    "trait levels": "some traits are high for every group",
    "group levels": "some groups are high on every trait",
}
PAIR_SAYS: Mapping[str, str] = {
    "ordinary": "a pair is the mean of its components, and noise",
    "pulling groups": "some groups pull their pairs more than others do, in both domains alike",
    "heavy tails": "a pair is the mean of its components, and noise with heavy tails (t with 3 df)",
}
_GROUPS, _TRAITS, _DOMAINS, _FACTORS = 16, 16, 4, 3
_PER_DOMAIN = 6  # groups that are paired with those of another domain
Table = dict[str, dict[str, float]]


class TraitWorld(NamedTuple):
    """Scores of a model and judgements of people from 0 to 100, group to trait to number."""

    model: Table
    people: Table
    tau: float
    """Kendall's τ of the population of cells."""
    blocks: Mapping[str, str] | None
    """The domain of each group and the factor of each trait, where these matter."""


def trait_worlds(
    kind: TraitKind, *, worlds: int = 1, effect: float = 0.0, seed: int = 0
) -> Iterator[TraitWorld]:
    """Draw scores of a model and judgements of people whose correlation is ``effect``.

    Both are sums of normal variables: one per cell, and one per thing that cells have in common, which
    depends on the kind of world. Each variable of the model has the same correlation with that of people, so
    that Kendall's τ of the population is 2 / π · arcsin of it, whatever cells have in common.
    """
    rng = np.random.default_rng(seed)

    def both(*shape: int) -> Floats:
        """Variables of the model, and those of people."""
        model, other = rng.normal(size=(2, worlds, *shape))
        return np.stack([model, effect * model + np.sqrt(1 - effect**2) * other])

    of_groups, of_traits = np.arange(_GROUPS) * _DOMAINS // _GROUPS, np.arange(_TRAITS) % _FACTORS
    cells = both(_GROUPS, _TRAITS)
    if kind == "factors":
        cells += both(_GROUPS, _FACTORS)[..., of_traits]
    elif kind == "domains":
        cells += both(_DOMAINS, _TRAITS)[..., of_groups, :]
    elif kind == "domains and factors":
        cells += both(_DOMAINS, _FACTORS)[..., of_groups, :][..., of_traits]
    elif kind == "trait levels":
        cells += both(1, _TRAITS)
    elif kind == "group levels":
        cells += both(_GROUPS, 1)
    people = 100 / (1 + np.exp(-cells[1] / (1.0 if kind == "independent" else np.sqrt(2))))
    groups, tau = [f"group {i}" for i in range(1, _GROUPS + 1)], 2 / pi * asin(effect)
    blocks = {name: f"domain {at}" for name, at in zip(groups, of_groups, strict=True)}
    blocks |= {f"trait {i}": f"factor {at}" for i, at in enumerate(of_traits, 1)}
    known = blocks if kind.startswith(("domains", "factors")) else None
    for scores, judgements in zip(cells[0], people, strict=True):
        yield TraitWorld(_nested(groups, scores), _nested(groups, judgements), tau, known)


def pair_worlds(
    kind: PairKind, *, worlds: int = 1, seed: int = 0
) -> Iterator[tuple[TraitScores, tuple[PairedGroup, ...]]]:
    """Draw scores of paired identities in which neither domain dominates and nothing emerges.

    Groups have normal scores. A pair of groups of two domains scores the mean of its components, weighted by
    how much either pulls, and noise with half their standard deviation.
    """
    rng = np.random.default_rng(seed)
    names = [f"group {d}.{g}" for d in (1, 2) for g in range(1, _PER_DOMAIN + 1)]
    pairs = tuple(
        PairedGroup(
            first=first,
            second=second,
            domains=("domain 1", "domain 2"),
            forms=FrozenDict({"singular": f"{first} × {second}"}),
        )
        for first, second in product(names[:_PER_DOMAIN], names[_PER_DOMAIN:])
    )
    first, second = np.array([(names.index(pair.first), names.index(pair.second)) for pair in pairs]).T
    labels, shape = [*names, *(pair.name for pair in pairs)], (len(pairs), _TRAITS)
    for _ in range(worlds):
        single = rng.normal(size=(len(names), _TRAITS))
        pull = rng.normal(size=len(names)) if kind == "pulling groups" else np.zeros(len(names))
        weight = 1 / (1 + np.exp(pull[second] - pull[first]))[:, None]
        own = rng.standard_t(3, shape) if kind == "heavy tails" else rng.normal(size=shape)
        both = weight * single[first] + (1 - weight) * single[second] + 0.5 * own
        yield TraitScores.from_table(_nested(labels, np.concatenate([single, both]))), pairs


def _nested(groups: list[str], table: Floats) -> Table:
    return nested(groups, [f"trait {i}" for i in range(1, table.shape[1] + 1)], table)


def nested(groups: Sequence[str], traits: Sequence[str], table: Floats) -> Table:
    """Group to trait to number."""
    return {
        group: dict(zip(traits, row, strict=True)) for group, row in zip(groups, table.tolist(), strict=True)
    }
