"""Certain bounds on the permutation p-value, by dynamic programming on a grid.

Scores are divided into cells, ``score = cell × width + rest``. The number of k-subsets with a given sum of
cells is found by adding one score at a time (Streitberg & Röhmel 1986; Pagano & Tritchler 1983), and the
rests of k scores are between the sums of the k smallest and the k largest rests. So each comparison ``sum(V)
> sum(U)`` is decided by the cells up to a known slack, and counting at both ends of the slack brackets the
exact count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crossroads.core.inference.permutation.scores import Floats, Integers, Scores


@dataclass(frozen=True)
class Bracket:
    """Shares of divisions, each as a pair of a certain lower and upper bound."""

    above: tuple[float, float]
    """Divisions whose statistic is larger than the observed one."""
    not_below: tuple[float, float]
    """Divisions whose statistic is at least the observed one."""
    below: tuple[float, float]
    """Divisions whose statistic is smaller than the observed one."""
    not_above: tuple[float, float]
    """Divisions whose statistic is at most the observed one."""


@dataclass(frozen=True)
class _Grid:
    """One group on the grid."""

    counts: list[Floats]
    """For each subset size, the number of subsets with each sum of cells."""
    least: Integers
    """For each subset size, the smallest sum of cells: the offset of ``counts``."""
    rests: Integers
    """Remainder of each score after its cells, sorted."""


def bracket(scores: Scores, *, cells: int) -> Bracket:
    """Bracket the shares of divisions on either side of the observed one; more cells make it narrower."""
    width = max(1, int(max(scores.x.max(), scores.y.max())) // cells)
    largest = min(scores.x.size, scores.y.size)
    x, y = _grid(scores.x, width, largest), _grid(scores.y, width, largest)
    up, down = np.zeros(4), np.zeros(4)
    for size in range(largest + 1):
        up += _pairs(x, y, size, width, scores.tie)
        down += _pairs(y, x, size, width, scores.tie)
    total = float(scores.total)
    longest = max(counts.size for grid in (x, y) for counts in grid.counts)
    slack = 4 * float(np.finfo(np.float64).eps) * (longest + scores.x.size + scores.y.size)
    return Bracket(*_outwards(up / total, slack), *_outwards(down / total, slack))


def _outwards(shares: Floats, slack: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Round the bounds outwards by the largest rounding error of such sums in float64."""
    low, high = shares * (1 - slack), np.minimum(shares * (1 + slack), 1.0)
    return (float(low[0]), float(high[1])), (float(low[2]), float(high[3]))


def table_cells(n_x: int, n_y: int, cells: int) -> float:
    """Number of additions for the two tables, from which the planner chooses a method."""
    largest = min(n_x, n_y)
    return float(sum(n * largest * largest * cells for n in (n_x, n_y))) / 4


def _grid(scores: Integers, width: int, largest: int) -> _Grid:
    cells = (scores + width // 2) // width
    rests = np.sort(scores - cells * width)
    ordered = np.sort(cells)
    least = np.concatenate([[0], np.cumsum(ordered)])
    most = np.concatenate([[0], np.cumsum(ordered[::-1])])
    built = min(largest, scores.size // 2)
    counts = [np.zeros(int(most[k] - least[k]) + 1) for k in range(built + 1)]
    counts[0][0] = 1.0
    for item, cell in enumerate(ordered):
        for size in range(min(item + 1, built), 0, -1):
            # subsets of the items before this one: size - 1 of them, sums from low to high
            low, high = least[size - 1], least[item] - least[item - size + 1]
            start = int(low + cell - least[size])
            counts[size][start : start + int(high - low) + 1] += counts[size - 1][: int(high - low) + 1]
    # the sums of a subset and its complement add up to the total: larger sizes mirror smaller ones
    counts += [counts[scores.size - size][::-1] for size in range(built + 1, largest + 1)]
    return _Grid(counts=counts, least=least, rests=rests)


def _ends(rests: Integers, size: int) -> tuple[int, int]:
    """Smallest and largest sum of ``size`` of the rests."""
    return int(rests[:size].sum()), int(rests[rests.size - size :].sum())


def _pairs(x: _Grid, y: _Grid, size: int, width: int, tie: int) -> Floats:
    """Pairs of one size with sum(V) above sum(U): least, most; then not below: least, most.

    ``sum(V) - sum(U) = width × (difference of cells) + rest`` must exceed the tie, or minus the tie less one;
    the rest is between its smallest and its largest value.
    """
    rest_least = _ends(y.rests, size)[0] - _ends(x.rests, size)[1]
    rest_most = _ends(y.rests, size)[1] - _ends(x.rests, size)[0]
    limits = [(must - rest) // width + 1 for must in (tie, -tie - 1) for rest in (rest_least, rest_most)]
    shift = int(y.least[size] - x.least[size]) + 1
    cumulated = np.concatenate([[0.0], np.cumsum(x.counts[size])])
    return np.array([_pairs_from(y.counts[size], cumulated, shift - limit) for limit in limits])


def _pairs_from(counts: Floats, cumulated: Floats, shift: int) -> float:
    """Sum of ``counts[i] * cumulated[i + shift]``, where ``cumulated`` is constant beyond its ends."""
    last = cumulated.size - 1
    start = min(max(-shift, 0), counts.size)  # before it, cumulated is 0
    stop = max(start, min(counts.size, last - shift))  # from it on, cumulated is the total
    # not np.dot: for vectors this short its threads cost more than they save, and keep spinning afterwards
    inner = np.einsum("i,i->", counts[start:stop], cumulated[start + shift : stop + shift])
    return float(inner + counts[stop:].sum() * cumulated[last])
