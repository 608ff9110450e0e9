"""Trends and changes of a difference along a series: decades, layers of a model, steps of its training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from crossroads.core.inference.crossed import LEVEL, degrees_of_freedom, half_width, spread, tail_probability
from crossroads.core.inference.geometry import Floats


@dataclass(frozen=True, kw_only=True)
class Trend:
    """How a difference of mean cosines changes along a series, with words and perhaps points drawn."""

    slope: float | None
    """Change of the difference per unit of time, layer or step; None where there is none, for the ``reason``
    given."""
    low: float | None
    """Lower end of its interval."""
    high: float | None
    """Upper end."""
    level: float
    """Level of the interval."""
    pvalue: float | None
    """How often differences without a trend would have such a slope, two-sided, had the words and, where
    points are drawn, the deviations of the points been drawn again."""
    statistic: float | None
    """The slope in standard errors, t."""
    se: float | None
    """Standard error of the slope."""
    df: float | None
    """Degrees of freedom (Satterthwaite)."""
    points: int
    """Number of points."""
    words: Mapping[str, int]
    """Number of words by set that were measured at all of them."""
    reason: str | None = None
    """Why there is no slope."""
    drawn: bool = True
    """Whether points count as drawn, as words do; layers and steps of one model do not."""


def trend(
    tables: Floats,
    times: Sequence[float],
    n_x: int,
    n_a: int,
    *,
    drawn: bool = True,
    score_error: float = 0.0,
    level: float = LEVEL,
) -> Trend:
    r"""Slope of a difference along a series, in tables of the same words at several points.

    The slopes of the single cosines are a table of targets and attributes, whose difference is the slope of
    the difference; :func:`spread` gives its variance :math:`V_w` over words. The deviations of the
    differences from the line give the variance :math:`V_t` over points, as in a regression. The noise of
    words at single points is in both and is taken off once: :math:`V = V_w + V_t - N`, never below either.
    Points that are not drawn have :math:`V = V_w`.

    Parameters
    ----------
    tables
        Cosines: points in the first axis, then targets, then attributes.
    times
        The points as numbers, at least three.
    n_x, n_a
        Number of targets, and of attributes, of the first set.
    drawn
        Whether points are drawn too, as the decades of a corpus are from the years there might have been. The
        layers of a model are all there are: what they do is no accident, and only words are drawn.
    score_error
        Largest error that rounding can leave in a mean of cosines.
    level
        Level of the interval.
    """
    found = _contrast(tables, np.asarray(times, dtype=np.float64), n_x, n_a, score_error, drawn=drawn)
    none = dict.fromkeys(("slope", "low", "high", "pvalue", "statistic", "se", "df"))
    sizes = dict(zip("xyab", found.sizes, strict=True))
    given = Trend(
        **none,
        level=level,
        points=len(tables),
        words=sizes,
        drawn=drawn,
        reason="the words do not differ, or do not change",
    )
    if found.se <= 0:
        return given
    half = float(half_width(found.se, found.df, level))
    return replace(
        given,
        slope=found.value,
        low=found.value - half,
        high=found.value + half,
        pvalue=float(tail_probability(found.value / found.se, found.df, "two-sided")),
        statistic=found.value / found.se,
        se=found.se,
        df=found.df,
        reason=None,
    )


class _Contrast(NamedTuple):
    """The slope of a difference on a regressor, with its standard error."""

    value: float
    se: float
    df: float
    sizes: list[int]


def _contrast(
    tables: Floats, at: Floats, n_x: int, n_a: int, score_error: float, *, drawn: bool
) -> _Contrast:
    at = at - at.mean()
    weights, n = at / (at @ at), len(at)
    slopes = np.einsum("t,tij->ij", weights, tables)
    over_words = spread(slopes, n_x, n_a)
    slope, total = float(over_words.difference), float(over_words.total)
    sizes = [n_x, tables.shape[1] - n_x, n_a, tables.shape[2] - n_a]
    parts, free = over_words.parts.tolist(), [size - 1 for size in sizes]
    if drawn:
        differences = spread(tables, n_x, n_a).difference
        off = differences - differences.mean() - slope * at
        over_time = float(off @ off) / (n - 2) / float(at @ at)
        left = tables - tables.mean(axis=0) - at[:, None, None] * slopes
        noise = float(weights**2 @ spread(left, n_x, n_a).total) * n / (n - 2)
        total = max(total + over_time - noise, total, over_time)
        parts.append(over_time)
        free.append(n - 2)
    if total <= (4 * score_error * float(np.abs(weights).sum())) ** 2:  # nothing but rounding
        return _Contrast(slope, 0.0, np.inf, sizes)
    df = float(degrees_of_freedom(parts, free, total))
    return _Contrast(slope, float(np.sqrt(total)), df, sizes)


@dataclass(frozen=True, kw_only=True)
class Change:
    """Where along a series a difference of mean cosines changes most, and whether it changes at all."""

    position: int | None
    """Number of points before the change; None where there is none, for the ``reason`` given."""
    difference: float | None
    """Mean difference of the points after it less that of those before."""
    low: float | None
    """Lower end of its interval, which holds for all splits at once."""
    high: float | None
    """Upper end."""
    level: float
    """Level of the interval."""
    pvalue: float | None
    """How often a series without a change would have a split as extreme anywhere: adjusted for the number of
    splits, two-sided."""
    split_pvalue: float | None
    """The same for this split alone, had it been chosen beforehand."""
    statistic: float | None
    """The difference in standard errors, t."""
    se: float | None
    """Its standard error."""
    df: float | None
    """Degrees of freedom (Satterthwaite)."""
    splits: int
    """Number of splits."""
    drawn: bool
    """Whether points count as drawn, as words do."""
    reason: str | None = None
    """Why there is none."""


def no_change(points: int, reason: str, *, drawn: bool = True, level: float = LEVEL) -> Change:
    """A change that could not be looked for, and why."""
    names = (
        *("position", "difference", "low", "high", "pvalue"),
        *("split_pvalue", "statistic", "se", "df"),
    )
    none: dict[str, Any] = dict.fromkeys(names)
    return Change(**none, level=level, splits=max(points - 1, 0), drawn=drawn, reason=reason)


def change(
    tables: Floats,
    n_x: int,
    n_a: int,
    *,
    drawn: bool = True,
    score_error: float = 0.0,
    level: float = LEVEL,
) -> Change:
    r"""Where a difference changes: the largest difference before and after, in standard errors.

    A split is a regression on a step, so that :math:`t_k` of the split after point k is that of
    :func:`trend` with 0 before and 1 after. The split with the smallest p-value is reported, and that p-value
    is adjusted for having looked at all: were points independent, the standardised differences would be a
    Brownian bridge at k/T, divided by its standard deviation, a Markov chain whose chance of staying within
    a bound is found by recursion (Hawkins 1977). Deviations that last make splits more alike, and the
    adjustment too large rather than too small.

    Parameters
    ----------
    tables
        Cosines: points in their order in the first axis, at least four; then targets, then attributes.
    n_x, n_a
        Number of targets, and of attributes, of the first set.
    drawn, score_error
        As for :func:`trend`.
    level
        Level of the interval.

    References
    ----------
    Hawkins, D. M. (1977). doi:10.1080/01621459.1977.10479935
    """
    n = len(tables)
    best: tuple[float, int, _Contrast] | None = None
    for k in range(1, n):
        found = _contrast(tables, (np.arange(n) >= k).astype(np.float64), n_x, n_a, score_error, drawn=drawn)
        if found.se > 0:
            p = float(tail_probability(found.value / found.se, found.df, "two-sided"))
            best = min(best or (p, k, found), (p, k, found), key=lambda one: one[:2])
    if best is None:
        return no_change(n, "the words do not differ, or do not change", drawn=drawn, level=level)
    p, k, found = best
    half = float(half_width(found.se, found.df, 1 - level_of_each(1 - level, n)))
    return Change(
        position=k,
        difference=found.value,
        low=found.value - half,
        high=found.value + half,
        level=level,
        pvalue=over_splits(p, n),
        split_pvalue=p,
        statistic=found.value / found.se,
        se=found.se,
        df=found.df,
        splits=n - 1,
        drawn=drawn,
    )


_NODES = 96
_FAR = 7.0


def over_splits(pvalue: float, points: int) -> float:
    """The chance that any split of a series has so small a two-sided p-value by chance.

    Examples
    --------
    Of 20 points, with 19 splits, not 19 times as large:

    >>> round(over_splits(0.01, 20), 3)
    0.093
    """
    from scipy.special import ndtri  # loaded where it is used: most commands need none of scipy

    bound = min(1.0, (points - 1) * pvalue)
    limit = -float(ndtri(pvalue / 2)) if pvalue > 0 else np.inf
    if limit > _FAR or points < 3:
        return bound
    nodes, lengths = np.polynomial.legendre.leggauss(_NODES)
    at, lengths = limit * nodes, limit * lengths
    density = _normal(at)
    for k in range(1, points - 1):
        alike = np.sqrt(k * (points - k - 1) / ((k + 1) * (points - k)))
        rest = np.sqrt(1 - alike**2)
        density = _normal((at[:, None] - alike * at[None, :]) / rest) / rest @ (density * lengths)
    return min(bound, max(pvalue, 1 - float(density @ lengths)))


@cache
def level_of_each(level: float, points: int) -> float:
    """The p-value of a split that is adjusted to a level: :func:`over_splits` the other way round."""
    low, high = level / (points - 1), level
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if over_splits(middle, points) < level else (low, middle)
    return low


def _normal(z: Any) -> Any:
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
