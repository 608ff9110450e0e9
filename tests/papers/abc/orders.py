"""Traits of the ABC study, and orders of them that agree as much as one wants."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossroads.core.stimuli import catalog
from crossroads.traits.measures.scores import TraitScores

Floats = NDArray[np.float64]
TRAITS = tuple(catalog().traits("abc-traits"))
ENDS = tuple((one.left, one.right) for one in TRAITS)
ADJECTIVES = tuple(word for two in ENDS for word in two)
PAPER = "That {singular} is {trait}."


def inverted(k: int, n: int = len(TRAITS)) -> Floats:
    """An order of n places that has k inversions: τ with 0, 1, 2 … is 1 − 4k / (n (n − 1))."""
    left, order = list(range(n)), []
    for place in range(n):
        step = min(k, n - 1 - place)
        order.append(left.pop(step))
        k -= step
    return np.array(order, dtype=np.float64)


def by_adjectives(groups: tuple[str, ...], values: Floats, measure: str = "set") -> TraitScores:
    """Scores of groups out of those of every adjective."""
    return TraitScores(
        measure=measure, groups=groups, traits=tuple(one.name for one in TRAITS), pairs=ENDS, conventions={},
        scores=values[:, 1::2] - values[:, ::2], adjectives=ADJECTIVES, adjective_scores=values,
    )  # fmt: skip
