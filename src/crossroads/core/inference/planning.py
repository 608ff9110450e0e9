"""How many words a test needs, from the variances that a pilot shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from crossroads.core.inference.copies import Copies
from crossroads.core.inference.crossed import (
    POWER,
    Crossed,
    cell_variances,
    degrees_of_freedom,
    reach,
    spread,
)
from crossroads.core.inference.geometry import Floats

MOST = 1_000_000
"""Words per set beyond which nothing is planned."""


class Pilot(NamedTuple):
    r"""Variances in a pilot: between words of the sets without those of single cells, and of the cells.

    .. math::
        V(N_t, N_a) = \frac{\sum_i \tau_i}{N_t} + \frac{\sum_j \alpha_j}{N_a}
                    + \frac{\sum_{ij} c_{ij}}{N_t N_a}
    """

    targets: Floats
    attributes: Floats
    cells: Floats
    """By target set and attribute set."""
    words: tuple[float, float]
    """Words per independent word, where near copies count less, among targets and among attributes."""

    def variance(self, targets: float, attributes: float) -> tuple[float, float]:
        """V with so many words in each target set and attribute set, and its degrees of freedom."""
        n_t, n_a = max(2.0, targets / self.words[0]), max(2.0, attributes / self.words[1])
        parts = [
            *((self.targets + self.cells.sum(axis=1) / n_a) / n_t),
            *((self.attributes + self.cells.sum(axis=0) / n_t) / n_a),
        ]
        total = float(sum(parts) - self.cells.sum() / (n_t * n_a))
        free = [n_t - 1] * len(self.targets) + [n_a - 1] * len(self.attributes)
        return total, float(degrees_of_freedom(parts, free, total))

    def reach(self, targets: float, attributes: float, power: float = POWER) -> float:
        """The smallest difference that so many words find."""
        return reach(*self.variance(targets, attributes), power)

    def needed(self, difference: float, power: float = POWER) -> int | None:
        """Words per set that find a difference with that power; None beyond ``MOST``."""
        return _least(lambda n: self.reach(n, n, power), difference)

    def cheapest(self, difference: float, power: float = POWER) -> tuple[int, int] | None:
        """The same where targets and attributes may differ: the fewest words in all."""
        both = self.needed(difference, power)
        if both is None:
            return None
        sets = len(self.targets), len(self.attributes)
        pairs = [(both, both)]
        for n in {max(2, round(both * 2 ** (step / 8))) for step in range(-32, 33)}:
            if (m := _least(partial(self.reach, attributes=n, power=power), difference)) is not None:
                pairs.append((m, n))
            if (m := _least(partial(self.reach, n, power=power), difference)) is not None:
                pairs.append((n, m))
        return min(pairs, key=lambda pair: (pair[0] * sets[0] + pair[1] * sets[1], pair))


def pilot(table: Floats, n_x: int, n_a: int, copies: Sequence[Copies] | None = None) -> Pilot:
    """The variances of a table of cosines; see :func:`~crossroads.core.inference.crossed.spread`.

    A set whose words are all copies of one shows no variance between independent words: its words count as
    independent.
    """
    if copies is not None:
        copies = [np.eye(len(one)) if one.all() else one for one in copies]
    found, blocks = spread(table, n_x, n_a, copies), cell_variances(table, n_x, n_a)
    t_sizes = [n for n in (n_x, len(table) - n_x) if n]
    a_sizes = [n_a, table.shape[1] - n_a]
    cells = np.array([[float(blocks[i, j]) for j in (0, 1)] for i in range(len(t_sizes))])
    between = np.asarray(found.parts) * found.effective
    split = len(t_sizes)
    sizes = np.array([*t_sizes, *a_sizes]) / found.effective
    return Pilot(
        targets=np.maximum(between[:split] - (cells / a_sizes).sum(axis=1), 0.0),
        attributes=np.maximum(between[split:] - (cells.T / t_sizes).sum(axis=1), 0.0),
        cells=cells,
        words=(float(sizes[:split].mean()), float(sizes[split:].mean())),
    )


def pilot_of(found: Crossed) -> Pilot:
    """The same from a difference that was measured, as if sets of a facet had one size and variance."""
    total = 0.0 if found.se is None else found.se**2
    facets = [[n for key, n in found.effective.items() if key in keys] for keys in ("xy", "ab")]
    sizes = [len(some) / sum(1 / n for n in some) for some in facets]
    of_targets, of_attributes, of_cells = (
        total * found.shares.get(part, 0.0) for part in ("targets", "attributes", "cells")
    )
    blocks = len(facets[0]), len(facets[1])
    return Pilot(
        targets=np.full(blocks[0], of_targets * sizes[0] / blocks[0]),
        attributes=np.full(blocks[1], of_attributes * sizes[1] / blocks[1]),
        cells=np.full(blocks, of_cells * sizes[0] * sizes[1] / (blocks[0] * blocks[1])),
        words=(1.0, 1.0),
    )


def _least(reached: Callable[[int], float], difference: float) -> int | None:
    """The smallest number of words from 2 on that reaches a difference; None beyond ``MOST``."""
    low, high = 1, 2
    while reached(high) > difference:
        if high >= MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) <= difference else (middle, high)
    return high
