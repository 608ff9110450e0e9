"""Change of a difference along a series: slopes and largest changes, with words and perhaps points drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from crossroads.core.evidence import Embeddings
from crossroads.core.inference.copies import Copies, facet
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
_RAISED, _RAISED_BEST = 0.4, 0.8
"""What is added to the autocorrelation of deviations, over √n: from a line, and from the best of all splits,
of which that with the least autocorrelation seems best."""
_MOST_ALIKE = 0.99
AUTOCORRELATION = f"AR(1) by moments, raised by {_RAISED}/√n (trend) and {_RAISED_BEST}/√n (change)"
"""The convention by which deviations of points that are drawn depend on each other."""


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
    autocorrelation: float | None = None
    """Correlation of the deviations of the closest points that the variance over points allows for: higher
    than what they show, since that varies."""
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
    found = [gather(models[at], shared, missing="raise", least=least) for at in points]
    counted = next(iter(points.values())).level1.conventions.get("words", "effective")
    near = [one for gathered in found if (one := gathered.near(counted)) is not None]
    # near copies at most points
    copies = [
        np.mean(some, axis=0).round() for some in zip(*(one.copies for one in near), strict=True)
    ] or None
    error = max(rounding_error(models[at].dim) for at in points)
    stacked, n_x, n_a = np.stack([one.cosines() for one in found]), len(shared["x"]), len(shared["a"])
    # labels have no distances: their places are numbers
    times = [time if isinstance(time, int) else at for at, time in enumerate(points)]
    options: dict[str, Any] = {"drawn": drawn, "score_error": error, "copies": copies}
    slope = trend(stacked, times, n_x, n_a, **options)
    if len(points) < _LEAST_POINTS:
        return slope, Change(splits=splits, reason=f"it needs four {ALONG[over][1]}", drawn=drawn)
    return slope, change(stacked, n_x, n_a, **options)


def trend(
    tables: Floats,
    times: Sequence[float],
    n_x: int,
    n_a: int,
    *,
    drawn: bool = True,
    score_error: float = 0.0,
    level: float = LEVEL,
    copies: Sequence[Copies] | None = None,
) -> Trend:
    r"""Slope of a difference along a series, in tables of the same words at several points.

    ``tables`` are cosines: points in the first axis, then targets, then attributes, of which ``n_x`` and
    ``n_a`` belong to the first set. :func:`spread` gives the variance :math:`V_w` of the slope over words;
    where points are ``drawn`` too, as decades are and layers are not, deviations from the line give
    :math:`V_t` over points, with what lasts from one point to the next (:func:`lasting`). The noise of words
    at single points is in both and is subtracted once: :math:`V = V_w + V_t - N`, never below either.
    ``score_error`` is the largest rounding error of a mean.
    """
    _, rows, columns = tables.shape
    words = dict(zip("xyab", (n_x, rows - n_x, n_a, columns - n_a), strict=True))
    at = np.asarray(times, dtype=np.float64)
    found = _contrast(tables, at, at, n_x, n_a, score_error, _RAISED if drawn else None, copies)
    same: dict[str, Any] = {"level": level, "points": len(tables), "words": words, "drawn": drawn}
    if found is None:
        return Trend(**same, reason=_FLAT)
    return Trend(**same, slope=found.slope, pvalue=found.pvalue, **_numbers(found, level))


class _Contrast(NamedTuple):
    """The slope of a difference on a regressor."""

    pvalue: float
    slope: float
    se: float
    df: float
    alike: float | None


def _numbers(found: _Contrast, level: float) -> dict[str, Any]:
    _, value, se, df, alike = found
    half, numbers = float(half_width(se, df, level)), {"statistic": value / se, "se": se, "df": df}
    return {"low": value - half, "high": value + half, "autocorrelation": alike, **numbers}


def _contrast(
    tables: Floats,
    at: Floats,
    times: Floats,
    n_x: int,
    n_a: int,
    score_error: float,
    raised: float | None,
    copies: Sequence[Copies] | None,
) -> _Contrast | None:
    """None where nothing but rounding errors differs; without ``raised`` points are not drawn."""
    at, alike = at - at.mean(), None
    weights, n = at / (at @ at), len(at)
    slopes = np.einsum("t,tij->ij", weights, tables)
    over_words = spread(slopes, n_x, n_a, copies)
    slope, total = float(over_words.difference), float(over_words.total)
    sizes = [n_x, tables.shape[1] - n_x, n_a, tables.shape[2] - n_a]
    parts: list[float] = over_words.parts.tolist()
    free = [size - 1.0 for size in sizes] if copies is None else [facet(one).free for one in copies]
    if raised is not None:
        differences = spread(tables, n_x, n_a).difference
        off = differences - differences.mean() - slope * at
        alike, wider, free_times = lasting(off, at, times, raised)
        wider /= (n - 2) * float(at @ at)
        over_time = float(off @ off) * wider
        left = tables - tables.mean(axis=0) - at[:, None, None] * slopes
        noise = float(at**2 @ spread(left, n_x, n_a, copies).total) / float(at @ at) * n * wider
        total = max(total + over_time - noise, total, over_time)
        parts.append(over_time)
        free.append(free_times)
    if total <= (4 * score_error * float(np.abs(weights).sum())) ** 2:
        return None
    se, df = float(np.sqrt(total)), float(degrees_of_freedom(parts, free, total))
    return _Contrast(float(tail_probability(slope / se, df, "two-sided")), slope, se, df, alike)


def lasting(off: Floats, at: Floats, times: Floats, raised: float) -> tuple[float, float, float]:
    r"""Autocorrelation of deviations from a line, what it does to the variance of the slope, and its freedom.

    Deviations at times :math:`u` apart correlate by :math:`R = \rho^u`, with the smallest distance as
    unit. What is left of that after fitting the line, :math:`r_1 = \sum e_t e_{t+1} / \sum e_t^2`, is less
    the fewer points there are; :math:`\rho` is what leaves :math:`r_1 + c/\sqrt n` on average:

    .. math::
        \frac{\operatorname{tr}(M L M R)}{\operatorname{tr}(M R)} = r_1 + \frac{c}{\sqrt n}, \qquad
        V_t = \frac{\sum e_t^2}{\operatorname{tr}(M R)}\, w^\top R\, w, \qquad
        \nu = \frac{\operatorname{tr}(M R)^2}{\operatorname{tr}(M R M R)}

    with :math:`M` the projection that leaves deviations, :math:`L` one where points are neighbours, and
    :math:`w` the weights of the slope. :math:`c`, ``raised``, makes up for :math:`r_1` varying: of series of
    6 to 20 points without a trend and :math:`\rho = .6`, 11 to 13 % are below .05 without it, and 7 to 9 %
    with .4. ``off`` are deviations, ``at`` what the line is over, minus its mean, ``times`` when the points
    are. The second number is :math:`V_t` over that of independent points.
    """
    n, squares = len(at), float(off @ off)
    left = np.eye(n) - 1 / n - np.outer(at, at) / (at @ at)
    neighbours = left @ np.eye(n, k=1) @ left
    apart = np.abs(np.subtract.outer(times, times)) / np.abs(np.diff(times)).min()
    goal = float(off[1:] @ off[:-1]) / squares + raised / n**0.5 if squares > 0 else -1.0
    low, high = 0.0, _MOST_ALIKE
    for _ in range(30):
        middle = (low + high) / 2
        alike = middle**apart
        too_small = float((neighbours * alike).sum()) < goal * float((left * alike).sum())
        low, high = (middle, high) if too_small else (low, middle)
    alike = low**apart
    both = left @ alike
    within = float(np.trace(both))
    wider = float(at @ alike @ at) / float(at @ at) * (n - 2) / within
    return low, wider, within**2 / float((both * both.T).sum())


def change(
    tables: Floats,
    n_x: int,
    n_a: int,
    *,
    drawn: bool = True,
    score_error: float = 0.0,
    level: float = LEVEL,
    copies: Sequence[Copies] | None = None,
) -> Change:
    r"""Where a difference changes: the largest difference before and after, in standard errors.

    A split is a regression on a step, as in :func:`trend`. That with the smallest p-value is reported, and
    its p-value is adjusted for having looked at all: were points independent, the differences in standard
    errors would be a Brownian bridge divided by its standard deviation, whose chance of staying within a
    bound is found by recursion. Deviations that last make the adjustment too large rather than too small;
    that they make a split look like a change is in its variance, as in :func:`lasting`.

    References
    ----------
    Hawkins, D. M. (1977). doi:10.1080/01621459.1977.10479935
    """
    n = len(tables)
    order = np.arange(n, dtype=np.float64)
    steps = {k: (order >= k).astype(np.float64) for k in range(1, n)}
    options = order, n_x, n_a, score_error, _RAISED_BEST if drawn else None, copies
    splits = ((k, _contrast(tables, at, *options)) for k, at in steps.items())
    found = [(split.pvalue, k, split) for k, split in splits if split is not None]
    if not found:
        return Change(splits=n - 1, reason=_FLAT, drawn=drawn, level=level)
    p, k, best = min(found)
    return Change(
        position=k,
        difference=best.slope,
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
