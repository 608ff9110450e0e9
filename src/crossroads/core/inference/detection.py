"""Accuracy, thresholds and error rates of detectors where the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.bootstrap import generator, percentile_interval, resampled_weights
from crossroads.core.inference.options import share
from crossroads.core.inference.permutation.scores import Floats

Flags = NDArray[np.bool_]

_AT_A_TIME = 1 << 22


def exact_interval(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Exact binomial confidence interval of a share (Clopper & Pearson 1934).

    Examples
    --------
    >>> low, high = exact_interval(5, 14, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.1276, 0.6486)
    """
    from scipy.special import betaincinv  # scipy is slow to import

    outside = (1 - share("level", level)) / 2
    low = float(betaincinv(hits, trials - hits + 1, outside)) if hits else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1 - outside)) if hits < trials else 1.0
    return low, high


def area_under_curve(positive: Floats, negative: Floats) -> float:
    """Probability that a true case scores above a false one, ties counted half."""
    order = np.sort(negative)
    below = [np.searchsorted(order, positive, side=side).sum() for side in ("left", "right")]
    return float(0.5 * (below[0] + below[1]) / (len(positive) * len(negative)))


def area_interval(
    positive: Floats, negative: Floats, *, resamples: int, level: float, seed: int
) -> tuple[float, float]:
    """Bootstrap interval of the area under the curve, true and false cases resampled separately."""
    order = np.argsort(negative, kind="stable")
    ends = [np.searchsorted(negative[order], positive, side=side) for side in ("left", "right")]
    rng = generator(seed)
    first = resampled_weights(len(positive), resamples, rng)
    chunk = max(1, _AT_A_TIME // len(negative))
    areas = []
    for start in range(0, resamples, chunk):
        part = first[start : start + chunk]
        below = np.zeros((len(part), len(negative) + 1))  # weight of the false cases up to each
        np.cumsum(resampled_weights(len(negative), len(part), rng)[:, order], axis=1, out=below[:, 1:])
        areas.append(0.5 * np.einsum("rp,rp->r", part, below[:, ends[0]] + below[:, ends[1]]))
    return percentile_interval(np.concatenate(areas), level)


def best_threshold(flags: Flags, truth: Flags, thresholds: Floats, *, balanced: bool) -> tuple[float, float]:
    """Find the threshold with the highest accuracy, the highest of several, and its honest accuracy.

    Parameters
    ----------
    flags
        Cases detected at each threshold, one row per threshold.
    truth
        Cases that should be detected.
    thresholds
        The thresholds of the rows, ascending.
    balanced
        Whether true cases and others have the same total weight, so that tpr − fpr is maximised.

    Returns
    -------
    tuple
        The threshold, and the share of cases classified correctly when the threshold of each is chosen
        without it: an estimate of the accuracy on new cases.
    """
    right = flags == truth[None, :]
    sides = [np.flatnonzero(truth), np.flatnonzero(~truth)]
    hits = [right[:, side].sum(axis=1) for side in sides]
    chosen = _highest(_merit(hits, [side.size for side in sides], balanced))
    honest = 0
    for k, side in enumerate(sides):
        sizes = [other.size - (j == k) for j, other in enumerate(sides)]
        # Without a case there is one case fewer, and one hit fewer where it was classified correctly.
        merits = [_merit([h - (j == k) * r for j, h in enumerate(hits)], sizes, balanced) for r in (0, 1)]
        each = _highest(np.where(right[:, side], merits[1][:, None], merits[0][:, None]))
        honest += int(right[each, side].sum())
    return float(thresholds[chosen]), honest / truth.size


def _merit(hits: list[NDArray[Any]], sizes: list[int], balanced: bool) -> NDArray[Any]:
    """The quantity that a rule maximises, as integers, so that ties are exact."""
    weights = [max(1, sizes[1]), max(1, sizes[0])] if balanced else [1, 1]  # rates times both sizes
    return np.asarray(weights[0] * hits[0] + weights[1] * hits[1])


def _highest(merit: NDArray[Any]) -> NDArray[np.intp]:
    """Row of the largest value, the last of several."""
    return np.asarray(len(merit) - 1 - np.argmax(merit[::-1], axis=0))


def plug_in_qvalues(observed: Floats, exceeding: Floats) -> Floats:
    """Estimate the share of false discoveries if everything at least as high is called a discovery.

    ``observed`` are descending scores, ``exceeding`` how many are as high under the null hypothesis, on
    average.
    """
    rate = exceeding / np.arange(1, observed.size + 1)
    return np.minimum(1.0, np.minimum.accumulate(rate[::-1])[::-1])
