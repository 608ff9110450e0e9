"""How well a detector finds what is known to be there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossroads.inference.bootstrap import percentile_interval, resampled_weights
from crossroads.inference.scores import Floats

Flags = NDArray[np.bool_]


def exact_interval(hits: int, trials: int, level: float) -> tuple[float, float]:
    """Exact binomial confidence interval of a share (Clopper & Pearson 1934).

    Examples
    --------
    >>> low, high = exact_interval(5, 14, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.1276, 0.6486)
    """
    from scipy.special import betaincinv  # scipy is slow to import

    outside = (1 - level) / 2
    low = float(betaincinv(hits, trials - hits + 1, outside)) if hits else 0.0
    high = float(betaincinv(hits + 1, trials - hits, 1 - outside)) if hits < trials else 1.0
    return low, high


def area_under_curve(positive: Floats, negative: Floats) -> float:
    """Chance that a true case scores above a false one, ties counted half."""
    return float(_wins(positive, negative).mean())


def area_interval(
    positive: Floats, negative: Floats, *, resamples: int, level: float, seed: int
) -> tuple[float, float]:
    """Bootstrap interval of the area under the curve, true and false cases drawn separately."""
    wins = _wins(positive, negative)
    rng = np.random.default_rng(seed)
    first = resampled_weights(len(positive), resamples, rng)
    second = resampled_weights(len(negative), resamples, rng)
    return percentile_interval(np.einsum("rp,pn,rn->r", first, wins, second, optimize=True), level)


def _wins(positive: Floats, negative: Floats) -> Floats:
    above = positive[:, None] > negative[None, :]
    return np.asarray(above + 0.5 * (positive[:, None] == negative[None, :]))


def best_threshold(flags: Flags, truth: Flags, thresholds: Floats, weights: Floats) -> tuple[float, float]:
    """The threshold with the most weight of right answers, the highest of several, and its honest accuracy.

    Parameters
    ----------
    flags
        What is detected at each threshold, one row a threshold.
    truth
        What should be.
    thresholds
        The thresholds of the rows, ascending.
    weights
        What a right answer counts for, case by case.

    Returns
    -------
    tuple
        The threshold, and the share of cases that are right when each one's threshold is chosen without
        it: what the first figure would be on cases that it was not chosen on.
    """
    right = flags == truth[None, :]
    gain = right * weights
    total = np.round(gain.sum(axis=1), 12)  # sums that differ by rounding are equal
    chosen = len(total) - 1 - int(np.argmax(total[::-1]))
    without = np.round(total[:, None] - gain, 12)
    each = len(total) - 1 - np.argmax(without[::-1], axis=0)
    honest = right[each, np.arange(truth.size)].mean()
    return float(thresholds[chosen]), float(honest)


def plug_in_qvalues(observed: Floats, exceeding: Floats) -> Floats:
    """Estimated share of false discoveries if everything at least as high is called a discovery.

    Parameters
    ----------
    observed
        Scores, descending.
    exceeding
        For each of them, how many scores at least as high a true null gives on average.
    """
    rate = exceeding / np.arange(1, observed.size + 1)
    return np.minimum(1.0, np.minimum.accumulate(rate[::-1])[::-1])
