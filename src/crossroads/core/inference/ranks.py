"""Ranks with ties, and rank correlations of many samples at once."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.permutation.scores import Floats

Integers = NDArray[np.int64]
_TINY = 5e-324
_SMALL = 1000
_SPARSE = 16
"""Number of classes per value of a sample above which sorting is faster than counting."""


def doubled_midranks(values: Floats | Integers) -> Integers:
    """Compute twice the average ranks of each row, which are integers also with ties.

    Examples
    --------
    >>> doubled_midranks(np.array([[10.0, 20.0, 20.0, 5.0]])).tolist()
    [[4, 7, 7, 2]]
    """
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    n = values.shape[1]
    new = np.ones(values.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.arange(n)
    ranks = np.empty(values.shape, dtype=np.int64)
    if new.all():
        np.put_along_axis(ranks, order, 2 * (place + 1)[None, :], axis=1)
        return ranks
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ends = np.ones(values.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
    np.put_along_axis(ranks, order, first + last + 2, axis=1)
    return ranks


def dense_ranks(values: Floats, *, tolerance: float) -> Integers:
    """Position of each value among the distinct ones; values closer than the tolerance are the same."""
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order]) > tolerance
    ranks = np.empty(values.size, dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(steps)])
    return ranks


def rank_correlations(ids: Integers, classes: int, hypotheses: Floats) -> Floats:
    """Compute the Spearman correlation of each sample, as dense ranks, with each 0/1 hypothesis.

    Ranks of hypotheses are a linear function of them, so they need no ranking.
    """
    ranks = _centred_ranks(ids, classes).astype(np.float64)
    centred = hypotheses - hypotheses.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("ij,ij->i", ranks, ranks))
    scale = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    flat_rows = spread == 0
    fits = np.stack([np.einsum("ij,j->i", ranks, row) for row in centred], axis=1)
    return np.where(
        flat_rows[:, None], 0.0, fits / np.where(flat_rows, 1.0, spread)[:, None] / scale[None, :]
    )


def _centred_ranks(ids: Integers, classes: int) -> Integers:
    """Twice the average ranks in each sample, less their mean; sorted where most classes are empty."""
    n_samples, n = ids.shape
    if classes > _SPARSE * n:
        return np.asarray(doubled_midranks(ids) - (n + 1))
    flat = ids + (np.arange(n_samples) * classes)[:, None]
    counts = np.bincount(flat.ravel(), minlength=n_samples * classes).reshape(n_samples, classes)
    midranks = np.cumsum(counts, axis=1)
    midranks *= 2
    midranks -= counts
    midranks -= n  # doubled, for every class of equal values; their mean over a sample is n + 1
    return np.asarray(midranks.ravel().take(flat))


def sign_test(differences: Floats) -> float:
    """Two-sided sign test; differences of zero are dropped.

    Examples
    --------
    >>> sign_test(np.array([1.0, 2.0, 3.0, 0.0, 5.0]))
    0.125
    """
    above, below = int((differences > 0).sum()), int((differences < 0).sum())
    n = above + below
    if n <= _SMALL:
        tail = sum(comb(n, k) for k in range(min(above, below) + 1))
        return min(1.0, float(2 * tail / 2**n))
    from scipy.special import bdtr  # scipy is slow to import

    return min(1.0, max(2 * float(bdtr(min(above, below), n, 0.5)), _TINY))  # it can underflow, but is not 0


def signs_exchanged(sums: NDArray[np.int64]) -> float:
    """Share of all choices of signs of whole numbers whose sum is at least as far from 0, two-sided.

    Examples
    --------
    >>> signs_exchanged(np.array([1, 1, 1]))  # two of eight
    0.25
    """
    chances = np.ones(1)
    for size in np.abs(sums).tolist():
        wider = np.zeros(len(chances) + 2 * size)
        wider[: len(chances)] += chances / 2
        wider[2 * size :] += chances / 2
        chances = wider
    middle = len(chances) // 2
    far = abs(int(sums.sum()))
    return min(1.0, 2 * float(chances[middle + far :].sum())) if far else 1.0
