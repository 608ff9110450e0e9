"""Divisions compared by Welch's t, for groups that may differ in spread as well as in size.

Exchanging labels for a difference of means assumes equal spreads where groups differ in size. For a
difference in standard errors of its own division it does not, if groups are large (Janssen 1997; Chung &
Romano 2013), and the test stays exact where all scores are exchangeable.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.permutation.scores import Floats, Scores

ENUMERATED = 200_000
"""Divisions up to this number are all compared; of more, some are drawn."""
_AT_A_TIME = 1 << 20
_EQUAL = 1e-9
_FLAT = 1e-13


def compare_divisions(scores: Scores, *, seed: int, resamples: int | None) -> tuple[int, int, int]:
    """Numbers of divisions, all or some drawn, whose t is above, equal to and below the observed one."""
    row = np.concatenate([scores.x, scores.y]).astype(np.float64)
    row -= row.mean()
    row /= np.abs(row).max()
    n_x = scores.x.size
    observed = float(_statistics(row, np.arange(n_x)[None, :])[0])
    slack = _EQUAL * max(1.0, abs(observed)) if np.isfinite(observed) else 0.0
    above = below = total = 0
    drawn = _every(row.size, n_x) if resamples is None else _some(row.size, n_x, seed, resamples)
    for picked in drawn:
        t = _statistics(row, picked)
        above += int((t > observed + slack).sum())
        below += int((t < observed - slack).sum())
        total += t.size
    return above, total - above - below, below


def _statistics(row: Floats, picked: NDArray[np.intp]) -> Floats:
    """Welch's t of divisions, each with the places of its first group; infinite without any spread."""
    n, m = picked.shape[1], row.size - picked.shape[1]
    first = row[picked]
    total, squares = first.sum(axis=1), np.einsum("ij,ij->i", first, first)
    whole = float(row @ row)
    one = np.maximum(squares - total * total / n, 0.0)
    other = np.maximum(whole - squares - total * total / m, 0.0)  # all scores add up to 0
    one[one <= _FLAT * whole], other[other <= _FLAT * whole] = 0.0, 0.0
    variance = one / (n * (n - 1)) + other / (m * (m - 1))
    difference = total / n + total / m
    flat = variance == 0.0
    found = difference / np.sqrt(np.where(flat, 1.0, variance))
    found[flat] = np.where(difference[flat] == 0.0, 0.0, np.copysign(np.inf, difference[flat]))
    return np.asarray(found)


def _every(size: int, n_x: int) -> Iterator[NDArray[np.intp]]:
    places = chain.from_iterable(combinations(range(size), n_x))
    yield np.fromiter(places, dtype=np.intp).reshape(-1, n_x)


def _some(size: int, n_x: int, seed: int, resamples: int) -> Iterator[NDArray[np.intp]]:
    rng = generator(seed)
    chunk = max(1, _AT_A_TIME // size)
    for start in range(0, resamples, chunk):
        draws = rng.random((min(chunk, resamples - start), size))
        yield np.argpartition(draws, n_x - 1, axis=1)[:, :n_x]
