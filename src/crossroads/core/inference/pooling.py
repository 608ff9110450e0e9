"""Mean of a difference over models or word lists, whose errors come from words that they may share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from crossroads.core.inference.crossed import LEVEL, Crossed, agreement, half_width, tail_probability
from crossroads.core.inference.geometry import Floats


class Measured(NamedTuple):
    """A difference in one model, or of one list of words: its words by set, and its cosines if known."""

    words: Mapping[str, tuple[str, ...]]
    crossed: Crossed
    table: Floats | None


@dataclass(frozen=True, kw_only=True)
class Pooled:
    """Mean of a difference over members of a kind, such as models, and how sure it is for further ones."""

    mean: float
    """Mean Δ, weighted by the inverse of the variance of each: over words, and between members."""
    se: float
    """Its standard error over the choice of members and of words."""
    df: float
    """Degrees of freedom: k − 1 of k members; for words that members share, the fewest of a member."""
    low: float
    """Lower end of the 95 % interval of the mean."""
    high: float
    """Upper end."""
    pvalue: float
    """How often means would be at least as far from 0, two-sided, had members and words been resampled."""
    prediction_interval: tuple[float, float]
    """95 % interval of Δ of a further member, over all words for the same things."""
    agreement: float
    """Chance that a further member with other words points the same way as the mean."""
    tau2: float
    """Variance between members, beyond that over words (Paule and Mandel)."""
    i2: float
    """Share of the dispersion of the members that the choice of words does not explain."""
    cochran_q: float
    """Cochran's Q."""
    shared: float
    """Share of the variance of the mean through shared words: more members do not reduce it."""
    weights: tuple[float, ...]
    """Weight of each member in the mean; they sum to 1."""


def covariances(members: Sequence[Measured]) -> Floats:
    """Covariances of differences through targets, attributes and cells, which members may have in common.

    Without the tables of all members, those that share a word are taken to have the same error.
    """
    if all(one.table is not None for one in members):
        errors = zip(*map(_errors, members), strict=True)
        return np.stack([_products(facet) for facet in errors])
    words = [{word for some in one.words.values() for word in some} for one in members]
    shared = np.array([[not some.isdisjoint(others) for others in words] for some in words])
    sizes = np.array([one.crossed.se for one in members], dtype=np.float64)
    return np.stack([np.outer(sizes, sizes) * shared, *np.zeros((2, *shared.shape))])


def _errors(one: Measured) -> list[tuple[Sequence[Any], Floats]]:
    """What each target, attribute and pair of these adds to the difference, beyond the mean of its set."""
    table = np.asarray(one.table)
    (rows, x, p, far), (columns, a, q, wide) = _side(one, "xy"), _side(one, "ab")
    by_target, by_attribute = far * (p @ table @ a), wide * (x @ table @ q.T)
    pairs = list(product(rows, columns)), (p @ table @ q.T).ravel()
    return [(rows, by_target), (columns, by_attribute), pairs]


def _side(one: Measured, keys: str) -> tuple[Sequence[str], Floats, Floats, Floats]:
    """Words of two sets, their weights, what turns scores into errors, and how near copies widen these."""
    sizes = [len(one.words[key]) for key in keys]
    n, sign = np.repeat(sizes, sizes), np.repeat([1.0, -1.0], sizes)
    centring = (np.eye(len(n)) - np.equal.outer(sign, sign) / n) * (sign / np.sqrt(n * (n - 1)))[:, None]
    free = np.repeat([one.crossed.effective[key] - 1 for key in keys], sizes)
    wider = np.sqrt((n - 1) / np.where(free > 0, np.minimum(free, n - 1), n - 1))  # as in copies.facet
    return [word for key in keys for word in one.words[key]], sign / n, centring, wider


def _products(members: Sequence[tuple[Sequence[Any], Floats]]) -> Floats:
    """Sums of products of what the same words add to each two differences."""
    places = {key: i for i, key in enumerate(dict.fromkeys(key for keys, _ in members for key in keys))}
    table = np.zeros((len(members), len(places)))
    for row, (keys, values) in zip(table, members, strict=True):
        np.add.at(row, [places[key] for key in keys], values)
    return np.asarray(table @ table.T)


def variance(weights: Floats, over_words: Floats) -> Any:
    """Variance of weighted sums of differences, never below that through targets or attributes alone."""
    t, a, cells = np.einsum("...i,sij,...j->s...", weights, over_words, weights)
    return np.maximum(t + a - cells, np.maximum(t, a))


def pool(members: Sequence[Measured], units: Floats) -> Pooled:
    """Mean of the differences of members, each in its unit; formulas are at :func:`~crossroads.meta`."""
    from scipy.optimize import brentq  # slow to import

    values = np.array([one.crossed.difference for one in members]) / units
    over_words = covariances(members) / np.multiply.outer(units, units)
    k, each = len(values), np.eye(len(values))
    own = variance(each, over_words)

    def weights(tau2: float) -> Floats:
        return np.asarray(1 / (own + tau2) / (1 / (own + tau2)).sum())

    def beyond(tau2: float) -> float:
        """Dispersion of the members beyond what is expected."""
        w = weights(tau2)
        expected = variance(each - w, over_words) + tau2 * (1 - 2 * w + w @ w)
        return float(w @ ((values - w @ values) ** 2 - expected))

    tau2, most = 0.0, float(np.ptp(values)) ** 2
    if beyond(0.0) > 0:
        while beyond(most) > 0:
            most *= 2
        tau2 = float(brentq(beyond, 0.0, most, xtol=1e-14 * most))
    w, first = weights(tau2), weights(0.0)
    dispersion = float(first @ (values - first @ values) ** 2)
    mean, words, usual = float(w @ values), float(variance(w, over_words)), float(w @ own)
    total, common = words + tau2 * float(w @ w), max(0.0, words - float(w**2 @ own))
    free = min(one.crossed.df or 1.0 for one in members)
    df, se = total**2 / (common**2 / free + (total - common) ** 2 / (k - 1)), total**0.5
    half, reach = half_width(se, df, LEVEL), half_width((total + tau2) ** 0.5, k - 1, LEVEL)
    sizes = [size for one in members for size in one.crossed.effective.values()]
    return Pooled(
        mean=mean,
        se=se,
        df=df,
        low=float(mean - half),
        high=float(mean + half),
        pvalue=float(tail_probability(mean / se, df, "two-sided")),
        prediction_interval=(float(mean - reach), float(mean + reach)),
        agreement=agreement(mean / se, df, sizes, usual / total, (usual + tau2) / total),
        tau2=tau2,
        i2=max(0.0, beyond(0.0) / dispersion) if dispersion > 0 else 0.0,
        cochran_q=dispersion * float((1 / own).sum()),
        shared=common / total,
        weights=tuple(w.tolist()),
    )
