"""Worlds of groups × traits: scores of paired identities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np

from crossroads.core.inference.geometry import Floats
from crossroads.core.stimuli.sets import FrozenDict
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.material import PairedGroup

PairKind = Literal["ordinary", "pulling groups", "heavy tails"]
PAIR_SAYS: Mapping[str, str] = {
    "ordinary": "a pair is the mean of its components, and noise",
    "pulling groups": "some groups pull their pairs more than others do, in both domains alike",
    "heavy tails": "a pair is the mean of its components, and noise with heavy tails (t with 3 df)",
}
_TRAITS, _PER_DOMAIN = 16, 6
Table = dict[str, dict[str, float]]


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
    traits = [f"trait {i}" for i in range(1, _TRAITS + 1)]
    labels, shape = [*names, *(pair.name for pair in pairs)], (len(pairs), _TRAITS)
    for _ in range(worlds):
        single = rng.normal(size=(len(names), _TRAITS))
        pull = rng.normal(size=len(names)) if kind == "pulling groups" else np.zeros(len(names))
        weight = 1 / (1 + np.exp(pull[second] - pull[first]))[:, None]
        own = rng.standard_t(3, shape) if kind == "heavy tails" else rng.normal(size=shape)
        both = weight * single[first] + (1 - weight) * single[second] + 0.5 * own
        yield TraitScores.from_table(nested(labels, traits, np.concatenate([single, both]))), pairs


def nested(groups: Sequence[str], traits: Sequence[str], table: Floats) -> Table:
    """Group to trait to number."""
    return {
        group: dict(zip(traits, row, strict=True)) for group, row in zip(groups, table.tolist(), strict=True)
    }
