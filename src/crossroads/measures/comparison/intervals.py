"""Interval of the difference of two effect sizes over the choice of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator, percentile_interval, resampled_weights, weighted_effects
from crossroads.measures.comparison.jackknife import Jackknife, effect_jackknife
from crossroads.measures.comparison.words import SharedWords

IntervalKind = Literal["jackknife", "percentile"]
INTERVALS: dict[IntervalKind, str] = {
    "jackknife": "jackknife, over the words of all four sets with Fisher's z and t",
    "percentile": "percentile, the same words resampled in both models",
}
"""Kinds of intervals, and how each is recorded."""
_AT_A_TIME = 500
_ANGLES = 129
_CLOSER = 4  # refining 129 angles four times gives an end to the last digits


@dataclass(frozen=True, kw_only=True)
class DifferenceInterval:
    """Interval of the difference of two effect sizes over the choice of words."""

    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    level: float
    """Nominal coverage of the interval."""
    resamples: int
    """Number of resamples: words left out one at a time, or resampled sets of words."""
    undefined: int
    """Resamples without an effect size in one of the models."""


def difference_interval(
    shared: SharedWords, *, interval: str, ddof: int, resamples: int, level: float, seed: int
) -> DifferenceInterval | None:
    """Compute an interval of the difference of two effect sizes over the choice of words.

    Parameters
    ----------
    shared
        Words and cosines of two models; there is no interval where a set has a single word, or where
        associations are nearly equal.
    interval
        ``"jackknife"``: leaving out one word at a time gives the variance of Fisher's z in each model and
        their covariance; the interval contains the differences of effect sizes within a quantile of t. Where
        a model has no association that other words would show, it is that of the effect sizes themselves;
        see :func:`~crossroads.measures.comparison.jackknife.effect_jackknife`.
        ``"percentile"``: quantiles of the differences in resampled words, the same in both models.
    ddof
        As in the effect size.
    resamples, seed
        Number of resamples and seed of ``"percentile"``.
    level
        Nominal coverage.
    """
    sizes = shared.sizes
    if min(sizes.values()) < 2:
        return None
    if interval == "percentile":
        return _percentile(shared, ddof, resamples, level, seed)
    found = effect_jackknife(shared)
    if not found.defined:
        return None
    ends = _linear_ends if found.linear else _ends
    low, high = ends(found, _largest(sizes, ddof), level)
    words = sum(sizes.values())
    return DifferenceInterval(low=low, high=high, level=level, resamples=words, undefined=found.undefined)


def _largest(sizes: Mapping[str, int], ddof: int) -> float:
    """The largest effect size that sets of these sizes can have."""
    n_x, n_y = sizes["x"], sizes["y"]
    return sqrt((n_x + n_y - ddof) * (n_x + n_y) / (n_x * n_y))


def _linear_ends(found: Jackknife, largest: float, level: float) -> tuple[float, float]:
    """The difference of effect sizes within a quantile of t, no further than effect sizes can be apart."""
    from scipy.special import stdtrit  # scipy is slow to import

    half = float(stdtrit(found.variance.df, (1 + level) / 2)) * sqrt(found.variance.total)
    n = sum(len(some) for some in found.influence)
    scale = largest / _largest({"x": len(found.influence[0]), "y": n - len(found.influence[0])}, 1)
    low, high = (scale * (found.difference + sign * half) for sign in (-1, 1))
    return max(low, -2 * largest), min(high, 2 * largest)


def _ends(found: Jackknife, largest: float, level: float) -> tuple[float, float]:
    """The smallest and the largest difference of effect sizes that the numbers of both models allow.

    An ellipse contains the pairs of numbers whose distance from the observed pair is no larger than the
    quantile of t. The extremes of the difference of effect sizes, which grows with the first number and falls
    with the second, are on it. It contains a pair of equal numbers just where their difference is no larger
    than the quantile of t times its standard error.
    """
    from scipy.special import stdtrit  # scipy is slow to import

    reach = float(stdtrit(found.variance.df, (1 + level) / 2))
    one, two = (variance.total for variance in found.variances)
    across, middle = found.variance.total, sum(found.values) / 2
    varying = max((one + two) / 2 - across / 4, 0.0)  # variance of the middle of both numbers
    along = (one - two) / 2 / sqrt(across) if across > 0 else 0.0  # its covariance with their difference
    along = min(max(along, -sqrt(varying)), sqrt(varying))
    beside = sqrt(max(varying - along**2, 0.0))

    def differences(angles: Floats) -> Floats:
        apart = found.difference + reach * sqrt(across) * np.cos(angles)
        centre = middle + reach * (along * np.cos(angles) + beside * np.sin(angles))
        return np.asarray(largest * (np.tanh(centre + apart / 2) - np.tanh(centre - apart / 2)))

    return -_highest(lambda angles: -differences(angles)), _highest(differences)


def _highest(curve: Callable[[Floats], Floats]) -> float:
    """The highest point of a smooth closed curve, by successive refinement."""
    angles = np.linspace(-np.pi, np.pi, _ANGLES)
    step = 2 * np.pi / (_ANGLES - 1)
    for _ in range(_CLOSER):
        best = angles[int(np.argmax(curve(angles)))]
        angles = np.linspace(best - step, best + step, _ANGLES)
        step = 2 * step / (_ANGLES - 1)
    return float(curve(angles).max())


def _percentile(
    shared: SharedWords, ddof: int, resamples: int, level: float, seed: int
) -> DifferenceInterval | None:
    """The same words drawn with replacement in both models."""
    sizes = shared.sizes
    rng = generator(seed)
    drawn = []
    for start in range(0, resamples, _AT_A_TIME):
        some = min(_AT_A_TIME, resamples - start)
        weights = {name: resampled_weights(n, some, rng) for name, n in sizes.items()}
        one, two = (_effects(table, weights, sizes, ddof) for table in shared.tables)
        drawn.append(one - two)
    differences = np.concatenate(drawn)
    defined = differences[np.isfinite(differences)]
    if not defined.size:
        return None
    low, high = percentile_interval(defined, level)
    lost = int(differences.size - defined.size)
    return DifferenceInterval(low=low, high=high, level=level, resamples=resamples, undefined=lost)


def _effects(table: Floats, weights: Mapping[str, Floats], sizes: Mapping[str, int], ddof: int) -> Floats:
    """Effect size of each resample; NaN where it is undefined."""
    n_x, n_a = sizes["x"], sizes["a"]
    s = weights["a"] @ table[:, :n_a].T - weights["b"] @ table[:, n_a:].T
    return weighted_effects(s[:, :n_x], s[:, n_x:], weights["x"], weights["y"], ddof=ddof)
