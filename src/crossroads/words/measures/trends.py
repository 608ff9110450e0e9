"""Change of a difference along a series: slopes and largest changes, with words and perhaps points drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from crossroads.core.evidence import Embeddings
from crossroads.core.inference.crossed import LEVEL, degrees_of_freedom, half_width, spread, tail_probability
from crossroads.core.inference.geometry import Floats, rounding_error
from crossroads.core.results.gathered import gather
from crossroads.words.measures.mleat import MleatResult

Points = Literal["year", "layer", "step", "point"]
"""What the points of a series are: years, layers of a model, steps of its training, or anything else."""
ALONG: Mapping[Points, tuple[str, str, int, str]] = {
    "year": ("over time", "points in time", 10, "10 years"),
    "layer": ("over layers", "layers", 1, "layer"),
    "step": ("over steps of training", "checkpoints", 1000, "1,000 steps"),
    "point": ("over the series", "points", 1, "point"),
}
"""A series of such points and the points, in words; and what a slope is given per."""
_LEAST_POINTS = 4
"""Points that a change is looked for in: with three, each of the two splits has one of them alone."""
_FLAT = "the words do not differ, or do not change"
_NODES, _FAR = 96, 7.0


@dataclass(frozen=True, kw_only=True)
class Along:
    """How a difference of mean cosines changes along a series, with words and perhaps points drawn."""

    low: float | None = None
    """Lower end of the interval; None, as all numbers, where there is none, for the ``reason`` given."""
    high: float | None = None
    """Upper end."""
    level: float = LEVEL
    """Level of the interval."""
    pvalue: float | None = None
    """How often differences that do not change would change as much, two-sided, had the words and, where
    points are drawn, the deviations of the points been resampled."""
    statistic: float | None = None
    """The slope or the change in standard errors, t."""
    se: float | None = None
    """Its standard error."""
    df: float | None = None
    """Degrees of freedom (Satterthwaite)."""
    drawn: bool = True
    """Whether points count as drawn, as words do; layers and steps of one model do not."""
    reason: str | None = None
    """Why there is none."""


@dataclass(frozen=True, kw_only=True)
class Trend(Along):
    """The slope of a difference of mean cosines along a series."""

    slope: float | None = None
    """Change of the difference per unit of time, layer or step."""
    points: int
    """Number of points."""
    words: Mapping[str, int]
    """Number of words by set that were measured at all of them."""


@dataclass(frozen=True, kw_only=True)
class Change(Along):
    """Where a difference of mean cosines changes most; interval and p-value hold for all splits at once."""

    position: int | None = None
    """Number of points before the change."""
    difference: float | None = None
    """Mean difference of the points after it minus that of those before."""
    split_pvalue: float | None = None
    """The p-value of this split alone, had it been chosen beforehand."""
    splits: int
    """Number of splits."""


def along(
    models: Mapping[int | str, Embeddings], points: Mapping[int | str, MleatResult], over: Points
) -> tuple[Trend, Change]:
    """The trend of the difference, and its largest change, over the words measured at every point."""
    sets = [point.level1.sets for point in points.values()]
    shared = {
        key: tuple(word for word in words if all(word in other[key] for other in sets))
        for key, words in (sets[0] if sets else {}).items()
    }
    few = [key.upper() for key, words in shared.items() if len(words) < 2]
    drawn, reason = over in ("year", "point"), None
    if len(points) < 3:
        reason = f"a trend needs three {ALONG[over][1]}"
    elif few:
        has = "has" if len(few) == 1 else "have"
        reason = f"{' and '.join(few)} {has} fewer than two words at all points"
    splits = max(len(points) - 1, 0)
    if reason is not None:
        sizes = {key: len(words) for key, words in shared.items()}
        slope = Trend(points=len(points), words=sizes, reason=reason, drawn=drawn)
        return slope, Change(splits=splits, reason=reason, drawn=drawn)
    least = dict.fromkeys(shared, 2)
    found = [gather(models[at], shared, missing="raise", least=least).cosines() for at in points]
    error = max(rounding_error(models[at].dim) for at in points)
    stacked, n_x, n_a = np.stack(found), len(shared["x"]), len(shared["a"])
    # labels have no distances: their places are numbers
    times = [time if isinstance(time, int) else at for at, time in enumerate(points)]
    slope = trend(stacked, times, n_x, n_a, drawn=drawn, score_error=error)
    if len(points) < _LEAST_POINTS:
        return slope, Change(splits=splits, reason=f"it needs four {ALONG[over][1]}", drawn=drawn)
    return slope, change(stacked, n_x, n_a, drawn=drawn, score_error=error)


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

    ``tables`` are cosines: points in the first axis, then targets, then attributes, of which ``n_x`` and
    ``n_a`` belong to the first set. :func:`spread` gives the variance :math:`V_w` of the slope over words;
    where points are ``drawn`` too, as decades are and layers are not, deviations from the line give
    :math:`V_t` over points. The noise of words at single points is in both and is subtracted once:
    :math:`V = V_w + V_t - N`, never below either. ``score_error`` is the largest rounding error of a mean.
    """
    _, rows, columns = tables.shape
    words = dict(zip("xyab", (n_x, rows - n_x, n_a, columns - n_a), strict=True))
    found = _contrast(tables, np.asarray(times, dtype=np.float64), n_x, n_a, score_error, drawn=drawn)
    same: dict[str, Any] = {"level": level, "points": len(tables), "words": words, "drawn": drawn}
    if found is None:
        return Trend(**same, reason=_FLAT)
    return Trend(**same, slope=found[0], pvalue=found[-1], **_numbers(found, level))


_Contrast = tuple[float, float, float, float]
"""The slope of a difference on a regressor, its standard error and degrees of freedom, and its p-value."""


def _numbers(found: _Contrast, level: float) -> dict[str, Any]:
    value, se, df, _ = found
    half = float(half_width(se, df, level))
    return {"low": value - half, "high": value + half, "statistic": value / se, "se": se, "df": df}


def _contrast(
    tables: Floats, at: Floats, n_x: int, n_a: int, score_error: float, *, drawn: bool
) -> _Contrast | None:
    """None where nothing but rounding errors differs."""
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
    if total <= (4 * score_error * float(np.abs(weights).sum())) ** 2:
        return None
    se, df = float(np.sqrt(total)), float(degrees_of_freedom(parts, free, total))
    return slope, se, df, float(tail_probability(slope / se, df, "two-sided"))


def change(
    tables: Floats, n_x: int, n_a: int, *, drawn: bool = True, score_error: float = 0.0, level: float = LEVEL
) -> Change:
    r"""Where a difference changes: the largest difference before and after, in standard errors.

    A split is a regression on a step, as in :func:`trend`. That with the smallest p-value is reported, and
    its p-value is adjusted for having looked at all: were points independent, the differences in standard
    errors would be a Brownian bridge divided by its standard deviation, whose chance of staying within a
    bound is found by recursion. Deviations that last make the adjustment too large rather than too small.

    References
    ----------
    Hawkins, D. M. (1977). doi:10.1080/01621459.1977.10479935
    """
    n = len(tables)
    steps = {k: (np.arange(n) >= k).astype(np.float64) for k in range(1, n)}
    splits = ((k, _contrast(tables, at, n_x, n_a, score_error, drawn=drawn)) for k, at in steps.items())
    found = [(split[-1], k, split) for k, split in splits if split is not None]
    if not found:
        return Change(splits=n - 1, reason=_FLAT, drawn=drawn, level=level)
    p, k, best = min(found)
    return Change(
        position=k,
        difference=best[0],
        pvalue=over_splits(p, n),
        split_pvalue=p,
        splits=n - 1,
        drawn=drawn,
        level=level,
        **_numbers(best, 1 - alpha_of_each(1 - level, n)),
    )


def over_splits(pvalue: float, points: int) -> float:
    """The chance that any split of a series has so small a two-sided p-value by chance."""
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
def alpha_of_each(alpha: float, points: int) -> float:
    """The p-value of a split that is adjusted to alpha: :func:`over_splits` the other way round."""
    low, high = alpha / (points - 1), alpha
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if over_splits(middle, points) < alpha else (low, middle)
    return low


def _normal(z: Any) -> Any:
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
