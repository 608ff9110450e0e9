"""Uncertainty of a difference between two models over the choice of words, one left out at a time.

The words of all four sets are treated as samples, which the two models share. Targets and attributes are
crossed: every target is paired with every attribute. A variance over targets and one over attributes both
include the variance of single cells, which is subtracted once (Cameron, Gelbach & Miller 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np

from crossroads.comparison.words import SharedWords
from crossroads.core.inference.copies import Copies
from crossroads.core.inference.crossed import Spread, agreement, with_copies
from crossroads.core.inference.geometry import Floats

_TINY = 1e-12  # a spread within both targets below this share of the associations is rounding error
_LEAST_TAIL = 1e-200
_AT_A_TIME = 1 << 22  # number of weights: limits the memory for thousands of words
INTERVAL = "jackknife, over the words of all four sets with Fisher's z and t"
"""How intervals are recorded."""
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
    """Number of words left out, one at a time."""
    undefined: int
    """Resamples without an effect size in one of the models."""


class Variance(NamedTuple):
    """A variance over the choice of words."""

    total: float
    """Variance over targets and attributes together."""
    df: float
    """Its degrees of freedom (Satterthwaite)."""
    effective: Sequence[float]
    """Effective number of words of each set."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Jackknife:
    """A statistic in two models, and how it depends on each word."""

    values: tuple[float, float]
    """The statistic in each model."""
    variances: tuple[Variance, Variance]
    """Its variance in each model."""
    variance: Variance
    """The variance of the difference of the two statistics, which share their words."""
    influence: tuple[Floats, Floats]
    """Contribution of each target of x, and of y, to the difference, relative to the mean of its set."""
    undefined: int
    """Words without which the statistic is undefined in a model; leaving them out counts as no change."""
    within: tuple[float, float]
    """Standard deviation of the associations within targets in each model, but not below 1e-12 of the largest
    association. Of all associations where ``linear``."""
    linear: bool = False
    """Whether the statistic is the effect size itself, with its standard deviation taken as known."""

    @property
    def defined(self) -> bool:
        """Whether the statistic is defined in both models, whose associations must not be nearly equal."""
        return isfinite(self.difference)

    @property
    def difference(self) -> float:
        """The statistic in the first model minus that in the second."""
        return self.values[0] - self.values[1]

    @property
    def agreement(self) -> float | None:
        """Chance that other words would give a difference of the same sign; None where nothing varies."""
        found = self.variance
        if found.total <= 0:
            return None
        return agreement(self.difference / sqrt(found.total), found.df, found.effective)


def jackknife(shared: SharedWords, scale: str) -> Jackknife:
    r"""Leave out one word at a time, in both models alike.

    Every set has two words or more. The statistic of the scale ``"cosine"`` is the difference :math:`\Delta`
    between the mean associations of x and y. That of ``"sd"`` is Fisher's z of the correlation between
    association and target, :math:`\operatorname{arsinh}(\sqrt{pq}\,\Delta / \sigma)`, with :math:`\sigma` the
    standard deviation within targets and p, q the shares of x and y. It rises with the effect size d, which
    is :math:`\tanh(z) / \sqrt{pq}`, and unlike d its standard error hardly depends on its size.

    With :math:`\theta_{(i)}` the statistic without word i of a set of n, the set adds :math:`\frac{n - 1}{n}
    \sum_i (\theta_{(i)} - \bar\theta_{(\cdot)})^2` to the variance. The part of single cells is estimated
    from the residuals of the cosines of each block, such as x and a, without the means of its rows and
    columns. The total is never below the share of the targets alone or of the attributes alone.
    """
    sides = [_Side.of(table, shared.sizes, scale) for table in shared.tables]
    left = {name: np.stack([side.left_out[name] for side in sides]) for name in shared.sizes}
    lost = {name: np.isnan(rows).any(axis=0) for name, rows in left.items()}
    whole = np.array([[side.value] for side in sides])
    left = {name: np.where(lost[name], whole, rows) for name, rows in left.items()}  # one row per model
    change = {name: rows[0] - rows[1] for name, rows in left.items()}
    copies = shared.copies
    one, two = (
        _variance({name: rows[k] for name, rows in left.items()}, sides[k].cells, copies) for k in (0, 1)
    )
    return Jackknife(
        values=(sides[0].value, sides[1].value),
        variances=(one, two),
        variance=_variance(
            change, [a - b for a, b in zip(sides[0].cells, sides[1].cells, strict=True)], copies
        ),
        influence=(
            (change["x"].size - 1) * (change["x"].mean() - change["x"]),
            (change["y"].size - 1) * (change["y"] - change["y"].mean()),
        ),
        undefined=sum(int(some.sum()) for some in lost.values()),
        within=(sides[0].within, sides[1].within),
    )


def effect_jackknife(shared: SharedWords) -> Jackknife:
    """Leave out one word at a time, on the scale of effect sizes.

    Fisher's z is used where both models have an association that other words would show too: its difference
    of means is beyond the 97.5 % quantile of t. Elsewhere z varies far more than leaving out a word shows:
    there the difference of means is what varies, and its standard deviation is taken as known.
    """
    plain = jackknife(shared, "cosine")
    reaches = [_quantile(one.df, 0.975) * sqrt(one.total) for one in plain.variances]
    first, second = (float(s.std(ddof=1)) for s in shared.scores)
    least = [_TINY * float(np.abs(s).max()) for s in shared.scores]
    flat = first <= least[0] or second <= least[1]
    if flat or all(abs(value) > reach for value, reach in zip(plain.values, reaches, strict=True)):
        return jackknife(shared, "sd")
    scaled = replace(shared, tables=(shared.tables[0] / first, shared.tables[1] / second))
    return replace(jackknife(scaled, "cosine"), within=(first, second), linear=True)


def _quantile(df: float, share: float) -> float:
    from scipy.special import stdtrit  # scipy is slow to import

    return float(stdtrit(df, share))


def tempered_changes(found: Jackknife, scale: str) -> tuple[Floats, Floats]:
    """Compute changes of the targets of x and of y whose exchange gives the p-value of a difference.

    They vary as the influence of each target does. Their difference is set so that a t test of them, over
    targets only, has the p-value of the difference over targets and attributes together. It is never enlarged
    with the scale ``"cosine"``, where influences are changes themselves, nor where it is linear.
    """
    from scipy.special import stdtr  # scipy is slow to import

    x, y = found.influence
    n_x, n_y = x.size, y.size
    df = n_x + n_y - 2
    known = sqrt(float((x**2).sum() + (y**2).sum()) / df * (1 / n_x + 1 / n_y))
    size = abs(found.difference)
    allowed = size
    if found.variance.total > 0:
        tail = float(stdtr(found.variance.df, -size / sqrt(found.variance.total)))
        # where the tail underflows there is no quantile, and no such share of exchanges either
        allowed = -_quantile(df, max(tail, _LEAST_TAIL)) * known
    if scale == "cosine" or found.linear:
        allowed = min(allowed, size)
    moved = allowed if found.difference > 0 else -allowed
    return x + moved * n_y / (n_x + n_y), y - moved * n_x / (n_x + n_y)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Side:
    """One model: the statistic, its values without each word, and contributions of single cells."""

    value: float
    within: float
    left_out: Mapping[str, Floats]
    cells: list[Floats]

    @classmethod
    def of(cls, table: Floats, sizes: Mapping[str, int], scale: str) -> _Side:
        n_x, n_a = sizes["x"], sizes["a"]
        near_a, near_b = table[:, :n_a], table[:, n_a:]
        mean_a, mean_b = near_a.mean(axis=1), near_b.mean(axis=1)
        s = mean_a - mean_b
        x, y = s[:n_x], s[n_x:]
        even_x, even_y = (np.full((1, sizes[name]), 1 / sizes[name]) for name in "xy")

        def value(scores: Floats, x_weights: Floats = even_x, y_weights: Floats = even_y) -> Floats:
            return _numbers(scores[:, :n_x], scores[:, n_x:], x_weights, y_weights, scale)

        without: dict[str, Callable[[Floats], Floats]] = {
            "x": lambda weights: value(s[None], x_weights=weights),
            "y": lambda weights: value(s[None], y_weights=weights),
            "a": lambda weights: value(np.einsum("ia,ta->it", weights, near_a) - mean_b),
            "b": lambda weights: value(mean_a - np.einsum("ib,tb->it", weights, near_b)),
        }
        slopes = _slopes(x, y, scale)
        halves = {"x": slice(n_x), "y": slice(n_x, None)}
        blocks = [(t, near[rows]) for t, rows in halves.items() for near in (near_a, near_b)]
        return cls(
            value=float(value(s[None])[0]),
            within=_spread(x, y),
            left_out={name: _one_by_one(n, s.size, without[name]) for name, n in sizes.items()},
            cells=[slopes[t][:, None] * _interaction(block) for t, block in blocks],
        )


def _one_by_one(n: int, targets: int, numbers: Callable[[Floats], Floats]) -> Floats:
    """The statistic without each of n words, from weights of these words, in blocks."""
    step = max(1, _AT_A_TIME // max(n, targets))
    parts = []
    for start in range(0, n, step):
        weights = np.full((min(step, n - start), n), 1 / (n - 1))
        np.fill_diagonal(weights[:, start:], 0.0)
        parts.append(numbers(weights))
    return np.concatenate(parts)


def _numbers(x: Floats, y: Floats, x_weights: Floats, y_weights: Floats, scale: str) -> Floats:
    """The statistic of each row of associations under each row of weights; NaN where it is undefined."""
    mean_x, mean_y = (x_weights * x).sum(axis=1), (y_weights * y).sum(axis=1)
    delta = mean_x - mean_y
    if scale == "cosine":
        return np.asarray(delta)
    p = x.shape[1] / (x.shape[1] + y.shape[1])
    squares_x = (x_weights * (x - mean_x[:, None]) ** 2).sum(axis=1)
    squares_y = (y_weights * (y - mean_y[:, None]) ** 2).sum(axis=1)
    within = p * squares_x + (1 - p) * squares_y
    least = _TINY * float(max(np.abs(x).max(), np.abs(y).max()))
    flat = (np.sqrt(within) <= least) & (np.abs(delta) <= least)
    spread = np.maximum(np.sqrt(within), least if least > 0 else 1.0)
    return np.where(flat, np.nan, np.arcsinh(sqrt(p * (1 - p)) * delta / spread))


def _slopes(x: Floats, y: Floats, scale: str) -> dict[str, Floats]:
    """Derivative of the statistic with respect to the association of each target."""
    slopes = {"x": np.full(x.size, 1 / x.size), "y": np.full(y.size, -1 / y.size)}
    if scale == "cosine":
        return slopes
    p = x.size / (x.size + y.size)
    delta, spread = float(x.mean() - y.mean()), _spread(x, y)
    for name, s, share in (("x", x, p), ("y", y, 1 - p)):
        slopes[name] = slopes[name] / spread - delta / spread**3 * share * (s - s.mean()) / s.size
    ratio = sqrt(p * (1 - p)) * delta / spread
    return {name: sqrt(p * (1 - p)) / sqrt(1 + ratio**2) * some for name, some in slopes.items()}


def _spread(x: Floats, y: Floats) -> float:
    """Standard deviation within targets, or the smallest that exceeds rounding error."""
    p = x.size / (x.size + y.size)
    least = _TINY * float(max(np.abs(x).max(), np.abs(y).max()))
    return max(sqrt(p * float(x.var()) + (1 - p) * float(y.var())), least if least > 0 else 1.0)


def _interaction(block: Floats) -> Floats:
    """Contribution of single cells of a block to the mean of each row, beyond its row and its column."""
    n, m = block.shape
    rest = block - block.mean(axis=0) - block.mean(axis=1)[:, None] + block.mean()
    return np.asarray(rest / m * sqrt(n / (n - 1) * m / (m - 1)))


def _variance(
    left_out: Mapping[str, Floats], cells: list[Floats], copies: Sequence[Copies] | None
) -> Variance:
    rows = [left_out[name] for name in "xyab"]
    parts = np.array([float((one.size - 1) / one.size * ((one - one.mean()) ** 2).sum()) for one in rows])
    twice = sum(float((block**2).sum()) for block in cells)
    found = with_copies(Spread(0.0, parts, twice, None, None, [one.size for one in rows]), 2, copies)
    df = float(found.df) if found.total > 0 else 1.0
    return Variance(total=float(found.total), df=df, effective=found.effective)


def difference_interval(shared: SharedWords, *, ddof: int, level: float) -> DifferenceInterval | None:
    """Compute an interval of the difference of two effect sizes over the choice of words.

    There is none where a set has a single word, or where associations are nearly equal. It has the
    differences of effect sizes within a quantile of t, by :func:`effect_jackknife`.
    """
    sizes = shared.sizes
    if min(sizes.values()) < 2:
        return None
    found = effect_jackknife(shared)
    if not found.defined:
        return None
    n_x, n_y = sizes["x"], sizes["y"]
    largest = sqrt((n_x + n_y - ddof) * (n_x + n_y) / (n_x * n_y))  # that sets of these sizes can have
    if found.linear:  # in standard deviations with a ddof of 1; no further than effect sizes can be apart
        scale = largest / sqrt((n_x + n_y - 1) * (n_x + n_y) / (n_x * n_y))
        half = _quantile(found.variance.df, (1 + level) / 2) * sqrt(found.variance.total)
        low, high = (scale * (found.difference + sign * half) for sign in (-1, 1))
        low, high = max(low, -2 * largest), min(high, 2 * largest)
    else:
        low, high = _ends(found, largest, level)
    words = sum(sizes.values())
    return DifferenceInterval(low=low, high=high, level=level, resamples=words, undefined=found.undefined)


def _ends(found: Jackknife, largest: float, level: float) -> tuple[float, float]:
    """The smallest and the largest difference of effect sizes that the numbers of both models allow.

    An ellipse contains the pairs of numbers whose distance from the observed pair is no larger than the
    quantile of t. The extremes of the difference of effect sizes are on it.
    """
    reach = _quantile(found.variance.df, (1 + level) / 2)
    one, two = (variance.total for variance in found.variances)
    across, middle = found.variance.total, sum(found.values) / 2
    varying = max((one + two) / 2 - across / 4, 0.0)  # variance of the middle of both numbers
    along = (one - two) / 2 / sqrt(across) if across > 0 else 0.0  # its covariance with their difference
    along = min(max(along, -sqrt(varying)), sqrt(varying))
    rest = sqrt(max(varying - along**2, 0.0))

    def differences(angles: Floats) -> Floats:
        apart = found.difference + reach * sqrt(across) * np.cos(angles)
        centre = middle + reach * (along * np.cos(angles) + rest * np.sin(angles))
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
