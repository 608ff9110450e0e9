"""Signs of whole clusters flipped: the sign test, and intervals of means, of values that are dependent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.permutation.scores import Floats

DRAWS = 9_999
"""How many flips are drawn where there are more."""
_LEAST = float(np.finfo(np.float64).tiny)
_MANY = 5_000
_AT_ONCE = 1 << 22
Integers = NDArray[np.int64]


class Flips(NamedTuple):
    """A two-sided p-value of flipped signs, and the smallest that these clusters can give."""

    pvalue: float
    min_pvalue: float


class FlippedMean(NamedTuple):
    """A mean with what flips of its clusters say of it: interval and p-value.

    Where so few clusters cannot give an interval, its ends are None.
    """

    mean: float
    low: float | None
    high: float | None
    pvalue: float


def flipped_signs(signs: Integers, clusters: Integers | None = None, *, widened: float = 1.0) -> Flips:
    r"""Test whether signs balance, where those of a cluster depend on each other.

    Under the null hypothesis the signs of a cluster may all be flipped. The sum over clusters
    :math:`\sum_g \pm |s_g|`, with :math:`s_g` the sum of the signs in a cluster, is counted over all
    :math:`2^G` flips: it takes whole numbers only, so that its distribution is found by adding one cluster
    after the other. With every sign its own cluster this is the exact sign test.

    ``signs`` are 1, -1, or 0 for a tie, which counts for nothing; ``clusters`` say what signs share, as
    numbers from 0; ``widened`` is a factor of the sums of flips, where clusters of another kind cross these
    (:func:`widening`).
    """
    sums = signs if clusters is None else np.bincount(clusters, signs).astype(np.int64)
    sizes = np.sort(np.abs(sums[sums != 0]))
    if not sizes.size:
        return Flips(1.0, 1.0)
    total = int(sizes.sum())
    shares = _distribution(sizes)  # of the sums -total, -total + 2, …, total
    least = abs(int(sums.sum())) / widened
    place = int(np.ceil((total + least) / 2 - 1e-9))
    return Flips(_two_sided(shares[place:]) if least else 1.0, _two_sided(shares[-1:]))


def _two_sided(tail: Floats) -> float:
    """Twice a tail; never 0, which thousands of equal signs would be rounded to."""
    return min(1.0, max(_LEAST, 2 * float(tail.sum())))


def _distribution(sizes: Integers) -> Floats:
    """Share of flips in which sizes of some sum are positive, by that sum from 0 up."""
    from scipy.special import gammaln  # scipy is slow to import

    ones = int((sizes == 1).sum())
    ones = ones if ones > _MANY else 0
    # many clusters of one sign at once: the binomial distribution with probability one half
    k = np.arange(ones + 1)
    shares: Floats = np.exp(gammaln(ones + 1) - gammaln(k + 1) - gammaln(ones - k + 1) - ones * np.log(2))
    for size in sizes[ones:].tolist():
        longer = np.zeros(len(shares) + size)
        longer[: len(shares)] = shares
        longer[size:] += shares
        shares = longer / 2
    return shares


def flipped_mean(
    values: Floats,
    clusters: Integers,
    *,
    null: float = 0.0,
    level: float = 0.95,
    widened: float = 1.0,
    draws: int = DRAWS,
    seed: int = 0,
) -> FlippedMean:
    r"""Mean of values that depend on each other in clusters, with an interval and a p-value.

    The interval has every :math:`\theta` that flips do not reject: the sums over clusters of values minus
    :math:`\theta` are flipped. For each flip these :math:`\theta` form an interval around the mean, found
    from a quadratic equation, and the ends of the result are quantiles of theirs.

    ``values`` are one per row, ``clusters`` what rows share; ``null`` is the mean that the p-value is about,
    and ``draws`` how many flips are drawn if there are more.
    """
    sums = np.bincount(clusters, values - null)
    sizes = np.bincount(clusters).astype(np.float64)
    total, n = float(sums.sum()), float(len(values))
    alpha, nu = widened * _flipped(np.stack([sums, sizes]), draws, seed)
    room = 1e-9 * max(1.0, float(np.abs(sums).sum()))
    pvalue = float((np.abs(alpha) >= abs(total) - room).mean())
    low, high = _interval(alpha, nu, total, n, level)
    ends = (None if low is None else null + low), (None if high is None else null + high)
    return FlippedMean(null + total / n, *ends, pvalue)


def widening(values: Floats, groupings: Sequence[Integers]) -> list[float]:
    """How much wider sums of flips by one of two crossed groupings have to be, for each of them.

    The variance over two groupings is that over both, with what they have in common subtracted once (Cameron,
    Gelbach & Miller 2011); flips by one of them have the variance of that one. 1 where there is one grouping,
    or where the other adds nothing.
    """
    if len(groupings) < 2:
        return [1.0] * len(groupings)
    rest = values - values.mean()
    first, second = groupings
    both = np.unique(first * (int(second.max()) + 1) + second, return_inverse=True)[1].reshape(-1)
    parts = [float((np.bincount(one, rest) ** 2).sum()) for one in (first, second, both)]
    whole = parts[0] + parts[1] - parts[2]
    return [float(np.sqrt(max(1.0, whole / part))) if part > 0 else 1.0 for part in parts[:2]]


def _flipped(sums: Floats, draws: int, seed: int) -> Floats:
    """Sums of flipped clusters, one column per flip: all flips, or drawn ones, of which the first is none."""
    rng, count = np.random.default_rng(seed), sums.shape[1]
    if 2 ** (count - 1) <= draws:  # the first cluster stays: opposite flips have opposite sums
        flips = 1 - 2 * (np.arange(2 ** (count - 1))[:, None] >> np.arange(count - 1) & 1)
        return np.asarray(sums @ np.insert(flips, 0, 1, axis=1).T)
    rows = max(1, _AT_ONCE // count)
    found = [sums.sum(axis=1, keepdims=True)]
    for first in range(0, draws, rows):
        signs = 2.0 * rng.integers(0, 2, size=(min(rows, draws - first), count), dtype=np.int8) - 1
        found.append(sums @ signs.T)
    return np.concatenate(found, axis=1)


def _interval(
    alpha: Floats, nu: Floats, total: float, n: float, level: float
) -> tuple[float, float] | tuple[None, None]:
    """Ends of the means that are not rejected, minus the null."""
    # (alpha - theta nu)² ≥ (total - theta n)², around the mean
    a, b, c = nu**2 - n**2, total * n - alpha * nu, alpha**2 - total**2  # a theta² + 2 b theta + c ≥ 0
    root = np.sqrt(np.maximum(0.0, b**2 - a * c))
    inside = a < -1e-12 * n**2
    scale = np.where(inside, a, -1.0)
    ends = np.where(inside, (-b + root) / scale, -np.inf), np.where(inside, (-b - root) / scale, np.inf)
    rejected = int((1 - level) * len(alpha) + 1e-9)  # most flips that may be left when a mean is rejected
    low, high = float(np.sort(ends[0])[rejected]), float(np.sort(ends[1])[-1 - rejected])
    return (low, high) if np.isfinite(low) and np.isfinite(high) else (None, None)
