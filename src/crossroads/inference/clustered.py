"""Means of values that hang together in clusters, such as items made from one template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, gcd, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.errors import InputError
from crossroads.inference.crossed import LEVEL, half_width, tail_probability
from crossroads.inference.options import number, seed_of, share, whole
from crossroads.inference.permutation.flips import flipped_signs
from crossroads.inference.permutation.scores import WRITING_ERROR, Floats, as_numbers

DRAWS = 9_999
"""Number of random sign flips where they cannot all be counted."""
COUNTED_CLUSTERS = 20
"""Clusters up to which all sign flips are counted, whatever their sums."""
COUNTED_SUMS = 2**20
"""Sums up to which they are counted where the sums of clusters are multiples of one number."""
COUNTED_WORK = 2_000_000_000
"""Clusters times sums up to which they are."""

_DENOMINATORS = 360
_FLIPS_AT_A_TIME = 4_000_000


@dataclass(frozen=True, kw_only=True)
class ClusterMean:
    """A mean, and how sure it is for other clusters than those at hand."""

    mean: float
    """Mean of all values; each counts alike."""
    low: float | None
    """Lower end of the interval of the mean; None where there is none, for the ``reason`` given."""
    high: float | None
    """Upper end."""
    level: float
    """Level of the interval."""
    null: float
    """Mean that the p-value is about."""
    pvalue: float | None
    """How often clusters drawn again would have a mean so far from ``null``, were it the true one;
    two-sided."""
    se: float | None
    """Standard error of the mean (CR2)."""
    df: float | None
    """Its degrees of freedom: the number of clusters less one, and fewer where their sizes differ."""
    items: int
    """Number of values."""
    clusters: int
    """Number of clusters."""
    design_effect: float | None
    """Variance of the mean over what it would be if values shared nothing; None where the latter is 0."""
    reason: str | None = None
    """Why there is no interval."""


def cluster_mean(
    values: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    *,
    null: float = 0.0,
    level: float = LEVEL,
) -> ClusterMean:
    r"""Mean of values that are independent between clusters, and may depend on each other within.

    With :math:`w_g` the share of cluster g among all values and :math:`r_g` the sum of its deviations from
    the mean of all N, the variance of the mean is

    .. math:: V = \frac{1}{N^2} \sum_g \frac{r_g^2}{1 - w_g}

    which is the estimator CR2 of Bell and McCaffrey (2002) for a mean: unbiased where values do not depend on
    each other, and where clusters are of equal size whatever the dependence. The degrees of freedom are
    theirs too (Satterthwaite),
    :math:`1 / (\sum_g w_g^2 + \sum_{g \ne h} w_g^2 w_h^2 / ((1 - w_g)(1 - w_h)))`: with clusters of equal
    size their number less one. Without clusters this is Student's t.

    Parameters
    ----------
    values
        One number per item, such as the difference of two models' scores.
    clusters
        What each item belongs to, in the same order; every item by itself if left out.
    null
        Mean that the p-value is about.
    level
        Level of the interval.

    Examples
    --------
    >>> found = cluster_mean([1, 1, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"], null=0.5)
    >>> round(found.mean, 2), round(found.se, 3), round(found.df, 2), round(found.pvalue, 2)
    (0.5, 0.289, 2.0, 1.0)
    """
    given, codes, sizes = _grouped(values, clusters)
    null, level = number("null", null), share("level", level)
    n, mean = given.size, float(given.mean())
    left = given - mean
    sums, weights = _summed(codes, left), sizes / n
    plain = float(left @ left) / (n * (n - 1)) if n > 1 else 0.0
    noise = WRITING_ERROR * float(np.abs(given).max())
    none: dict[str, Any] = dict.fromkeys(("low", "high", "pvalue", "se", "df", "design_effect"))
    about: dict[str, Any] = {"level": level, "null": null, "items": n, "clusters": sizes.size}
    if sizes.size == 1:
        return ClusterMean(mean=mean, **none, **about, reason="all items belong to one cluster")
    variance = float((sums**2 / (1 - weights)).sum()) / n**2
    if variance <= (4 * noise) ** 2:
        alike = "items" if plain <= (4 * noise) ** 2 else "clusters"
        return ClusterMean(mean=mean, **none, **about, reason=f"all {alike} have the same mean")
    se, df = sqrt(variance), _degrees(weights)
    half = float(half_width(se, df, level))
    return ClusterMean(
        mean=mean,
        low=mean - half,
        high=mean + half,
        pvalue=float(tail_probability((mean - null) / se, df, "two-sided")),
        se=se,
        df=df,
        design_effect=variance / plain,
        **about,
    )


def _degrees(weights: Floats) -> float:
    """Degrees of freedom of CR2, for values that do not depend on each other."""
    ratio = weights**2 / (1 - weights)
    return float(1 / ((weights**2).sum() + ratio.sum() ** 2 - (ratio**2).sum()))


@dataclass(frozen=True, kw_only=True)
class SignFlip:
    """A p-value from flipping the signs of whole clusters."""

    pvalue: float
    """Share of flips with a mean at least as far from the null, two-sided."""
    method: str
    """``exact`` where all flips were counted, ``monte-carlo`` where they were drawn."""
    min_pvalue: float
    """The smallest p-value that so many clusters can give."""
    flipped: int
    """Number of clusters whose sum is not zero: the others say nothing."""


def cluster_sign_flip(
    values: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    *,
    null: float = 0.0,
    draws: int = DRAWS,
    seed: int = 0,
) -> SignFlip:
    """How often the mean would be so far from the null, had each cluster leant to either side by chance.

    Under the null the values of a cluster less the null are as likely as their negatives, all at once: two
    models are exchanged in whole clusters. Nothing else is assumed of the values or of their dependence
    within clusters. With values of 1, 0 and -1 and without clusters this is the exact McNemar (sign) test.

    Flips are counted, not drawn, up to 20 clusters, and for any number of clusters whose sums are multiples
    of one number (differences of 0/1 scores, averages over a few repetitions). Flipping keeps the sum of
    squares, so that sums order flips as t statistics of clusters would.

    Parameters
    ----------
    values, clusters, null
        As in :func:`cluster_mean`.
    draws
        Number of random flips where they are drawn; the observed signs are added to them.
    seed
        Seed of the draws.

    Examples
    --------
    >>> cluster_sign_flip([1, 1, 1, 0, -1, 1])  # 4 of 5 lean to one side: 2 (1 + 5) / 32
    SignFlip(pvalue=0.375, method='exact', min_pvalue=0.0625, flipped=5)
    """
    given, codes, _ = _grouped(values, clusters)
    null = number("null", null)
    draws, seed = whole("draws", draws, least=1), seed_of(seed)
    sums = _summed(codes, given - null)
    noise = WRITING_ERROR * 2 * (float(np.abs(given).max()) + abs(null)) * given.size
    sums = sums[np.abs(sums) > noise]
    least = min(1.0, 2.0 ** (1 - sums.size))
    if sums.size == 0:
        return SignFlip(pvalue=1.0, method="exact", min_pvalue=1.0, flipped=0)
    whole_sums = _as_multiples(sums, noise)
    total = 0 if whole_sums is None else int(np.abs(whole_sums).sum())
    if whole_sums is not None and bool((np.abs(whole_sums) == 1).all()):
        found, method = _by_sides(int((sums > 0).sum()), sums.size), "exact"
    elif whole_sums is not None and total <= min(COUNTED_SUMS, COUNTED_WORK // sums.size):
        found, method = flipped_signs(whole_sums).pvalue, "exact"
    elif sums.size <= COUNTED_CLUSTERS:
        found, method = _by_flips(sums, noise), "exact"
    else:
        found, method, least = _by_draws(sums, noise, draws, seed), "monte-carlo", 1 / (draws + 1)
    # of many clusters all on one side the share is too small for a float, but never 0
    found, least = (max(one, float(np.finfo(np.float64).tiny)) for one in (found, least))
    return SignFlip(pvalue=found, method=method, min_pvalue=least, flipped=int(sums.size))


def _as_multiples(sums: Floats, noise: float) -> NDArray[np.int64] | None:
    """Sums as whole multiples of the largest common part, if that is one over a small number."""
    if float(np.abs(sums).max()) > COUNTED_SUMS:
        return None
    for denominator in range(1, _DENOMINATORS + 1):
        scaled = sums * denominator
        near = np.rint(scaled)
        if near.all() and (np.abs(scaled - near) <= 4 * noise * denominator).all():
            found: NDArray[np.int64] = near.astype(np.int64)
            return found // gcd(*map(int, np.abs(found)))
    return None


def _by_sides(above: int, n: int) -> float:
    """Share of flips that are as extreme where all clusters weigh alike: the sign test."""
    from scipy.special import bdtr  # slow to import, and needed here only

    return min(1.0, 2 * float(bdtr(min(above, n - above), n, 0.5)))


def _by_flips(sums: Floats, noise: float) -> float:
    """The same by counting all flips; the first sign can stay, since both sides count."""
    totals = np.array([abs(float(sums[0]))])
    for one in np.abs(sums[1:]):
        totals = np.concatenate([totals + one, totals - one])
    return float((np.abs(totals) >= abs(float(sums.sum())) - noise).mean())


def _by_draws(sums: Floats, noise: float, draws: int, seed: int) -> float:
    """The same from random flips and the observed one."""
    rng, count = np.random.default_rng(seed), 1
    bar, step = abs(float(sums.sum())) - noise, max(1, _FLIPS_AT_A_TIME // sums.size)
    for start in range(0, draws, step):
        signs = 2.0 * rng.integers(0, 2, size=(min(step, draws - start), sums.size)) - 1
        count += int((np.abs(signs @ sums) >= bar).sum())
    return count / (draws + 1)


def ratio_values(numerators: ArrayLike, denominators: ArrayLike) -> Floats | None:
    r"""Values whose mean is a ratio of sums, and whose spread is that of the ratio.

    The ratio :math:`r = \sum a / \sum b` plus each item's influence on it, :math:`(a_i - r b_i) / \bar b`
    (linearisation, delta method); where all denominators are 1, the numerators.

    Parameters
    ----------
    numerators, denominators
        One number per item; denominators are not negative.

    Returns
    -------
    array or None
        None where all denominators are 0.

    Examples
    --------
    >>> ratio_values([1, 0, 1], [1, 0, 2]).round(3).tolist()  # the ratio is 2 / 3
    [1.0, 0.667, 0.333]
    """
    top, bottom = as_numbers("numerators", numerators), as_numbers("denominators", denominators)
    total = float(bottom.sum())
    if total <= 0:
        return None
    if (bottom == 1).all():
        return top
    ratio = float(top.sum()) / total
    return np.asarray(ratio + (top - ratio * bottom) * (bottom.size / total))


def cluster_exchange(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    clusters: Sequence[Any] | NDArray[Any] | None = None,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> SignFlip:
    """How often two ratios of sums would differ so, had whole clusters been exchanged between them by chance.

    The difference of ratios is computed anew for every exchange. With denominators of 1 this is
    :func:`cluster_sign_flip` of the differences.

    Parameters
    ----------
    first, second
        Numerators and denominators of each, one number per item.
    clusters, draws, seed
        As in :func:`cluster_sign_flip`.

    Examples
    --------
    >>> cluster_exchange(([1, 1, 1], [1, 1, 1]), ([0, 0, 0], [1, 1, 1])).pvalue
    0.25
    """
    parts = []
    for one in (*first, *second):
        given, codes, _ = _grouped(one, clusters)
        parts.append(_summed(codes, given))
    a, b, c, d = parts
    keep = (np.abs(a - c) > 0) | (np.abs(b - d) > 0)
    tops, bottoms = (a - c)[keep], (b - d)[keep]
    top, bottom = float((a + c).sum()), float((b + d).sum())
    if not keep.any():
        return SignFlip(pvalue=1.0, method="exact", min_pvalue=1.0, flipped=0)
    few = tops.size <= COUNTED_CLUSTERS - 4
    signs = _all_signs(tops.size) if few else _drawn_signs(tops.size, draws, seed)
    n, m = signs @ tops, signs @ bottoms
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.abs((top + n) / (bottom + m) - (top - n) / (bottom - m))
    # an exchange that leaves no denominator says nothing, and counts as extreme
    found = np.where(np.isfinite(found), found, np.inf)
    count = int((found >= found[0] * (1 - 1e-12) - 1e-15).sum())
    method, least = ("exact", 2 / len(signs)) if few else ("monte-carlo", 1 / len(signs))
    return SignFlip(
        pvalue=count / len(signs), method=method, min_pvalue=min(1.0, least), flipped=int(tops.size)
    )


def _all_signs(n: int) -> Floats:
    """Every choice of signs, one per row; the first has none exchanged."""
    signs: Floats = np.where((np.arange(2**n)[:, None] >> np.arange(n)) & 1, -1.0, 1.0)
    return signs


def _drawn_signs(n: int, draws: int, seed: int) -> Floats:
    """Random signs below a row without exchanges."""
    drawn = 2.0 * np.random.default_rng(seed).integers(0, 2, size=(whole("draws", draws, least=1), n)) - 1
    return np.concatenate([np.ones((1, n)), drawn])


def detectable_mean(se: float, df: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Smallest true distance from the null that a mean with this standard error shows with a given power.

    Parameters
    ----------
    se, df
        Standard error of the mean and its degrees of freedom.
    alpha
        Level of the two-sided t test.
    power
        Requested probability of rejection.

    Examples
    --------
    >>> round(detectable_mean(0.02, 99), 4), round(detectable_mean(0.02, 4), 4)
    (0.0566, 0.0752)
    """
    return number("se", se, above=0.0) * _shift(
        number("df", df, above=0.0), share("alpha", alpha), share("power", power)
    )


def items_needed(
    found: ClusterMean, difference: float, *, alpha: float = 0.05, power: float = 0.8
) -> tuple[int, int] | None:
    """Items, and clusters, with which a t test would show a true difference; None without a standard error.

    New items are taken to come in clusters like those at hand.

    Parameters
    ----------
    found
        A mean of items such as those that would be collected.
    difference
        The true distance from the null that should be shown.
    alpha, power
        As in :func:`detectable_mean`.

    Examples
    --------
    >>> items_needed(cluster_mean([1, 0, 0, 1, -1, 0, 1, 0]), 0.1)
    (395, 395)
    """
    difference = abs(number("difference", difference, hint="give a number other than 0."))
    if difference == 0:
        raise InputError("difference is 0.", hint="give the smallest difference that would matter.")
    alpha, power = share("alpha", alpha), share("power", power)
    if found.se is None or found.df is None:
        return None
    per_cluster = found.se**2 * found.clusters
    kept = (found.df + 1) / found.clusters  # what unequal sizes leave of the degrees of freedom

    def enough(clusters: int) -> bool:
        df = max(kept * clusters - 1, 1e-3)
        return sqrt(per_cluster / clusters) * _shift(df, alpha, power) <= difference

    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return ceil(high * found.items / found.clusters - 1e-9), high


def _shift(df: float, alpha: float, power: float) -> float:
    """Distance from the null in standard errors at which a two-sided t test has a given power."""
    from scipy.optimize import brentq  # slow to import, and needed here only
    from scipy.special import nctdtr, stdtrit

    bar = float(stdtrit(df, 1 - alpha / 2))

    def missed(shift: float) -> float:
        return float(nctdtr(df, shift, bar)) - float(np.nan_to_num(nctdtr(df, shift, -bar))) - (1 - power)

    if missed(0.0) <= 0:
        return 0.0
    top = 1.0
    while missed(top) > 0:
        top *= 2
    return float(brentq(missed, 0.0, top, xtol=1e-10))


def _summed(codes: NDArray[np.int64], values: Floats) -> Floats:
    """The sum of each cluster."""
    return np.bincount(codes, values).astype(np.float64, copy=False)


def _grouped(
    values: ArrayLike, clusters: Sequence[Any] | NDArray[Any] | None
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Values, the number of the cluster of each, and the sizes of clusters."""
    given = as_numbers("values", values)
    if given.ndim != 1 or given.size == 0:
        raise InputError(f"values have shape {given.shape}.", hint="give a list with at least one number.")
    if not np.isfinite(given).all():
        raise InputError("values contain nan or infinite numbers.", hint="leave them out, or mend them.")
    if clusters is None:
        codes = np.arange(given.size)
    else:
        numbered: dict[Any, int] = {}
        codes = np.array([numbered.setdefault(one, len(numbered)) for one in clusters], dtype=np.int64)
    if codes.size != given.size:
        raise InputError(
            f"{given.size} values and {codes.size} clusters.", hint="give the cluster of each value."
        )
    return given, codes, np.bincount(codes)
