"""Double saddlepoint approximation of the permutation p-value, for groups too large to count.

The statistic of a random division is a sum of scores given the size of the group: a conditional tail
probability, for which the double saddlepoint formula (Skovgaard 1987; Booth & Butler 1990) has a small
relative error far into the tail. It is unreliable below about 13 scores per group.
"""

from __future__ import annotations

from math import lgamma

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.permutation.scores import Floats

SMALLEST = 13
"""Smallest group for which the approximation is offered."""
RELATIVE_ERROR = 0.02
"""Observed relative error for 25 or more bell-shaped scores per group: a generous estimate, not a bound."""
TAME = 6.0
"""Scores further out than this many standard deviations make the approximation unreliable."""

DISTINCT = 0.9
"""Share of scores that have to be distinct: sums of repeated scores are on a lattice, and the approximation,
which treats them as continuous, misses the probability of a tie."""
GAP = 0.9
"""A gap of more standard deviations than this between two clusters of scores also makes a lattice."""
FEWEST = 1e3
"""Smallest number of divisions as high as the observed one: with fewer, the tail is a few steps rather than
smooth, and the approximation is wrong by a factor of up to 2."""
TINIEST = 5e-324
"""The smallest float: a share below it is not 0."""

_STEPS = 60


def saddlepoint_rows(scores: Floats, n_x: int) -> Floats:
    """Approximate the share of divisions at least as high as the observed one, for each row of scores.

    Parameters
    ----------
    scores
        One row per test: the scores of the first group, then those of the second.
    n_x
        Size of the first group.

    Notes
    -----
    Rows whose groups are separated have no saddlepoint; they return the exact share, also where the lowest
    scores of the first equal the highest of the second. Where the approximation cannot be trusted, because a
    score is an outlier, scores repeat or form two clusters, or only a few divisions are as high, and where no
    saddlepoint is found, the share is NaN.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    largest = np.abs(centred).max(axis=1, keepdims=True)
    centred = centred / np.where(largest > 0, largest, 1.0)  # squares neither overflow nor underflow
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True))
    out = np.full(len(scores), np.nan)
    flat = spread[:, 0] == 0
    out[flat] = 1.0
    top = ~flat & (scores[:, :n_x].min(axis=1) >= scores[:, n_x:].max(axis=1))
    bottom = ~flat & (scores[:, :n_x].max(axis=1) <= scores[:, n_x:].min(axis=1))
    out[top] = [_touching(row, n_x) for row in scores[top]]
    out[bottom & ~top] = 1.0
    rest = np.isnan(out)
    if rest.any():
        z = centred[rest] / spread[rest]
        out[rest] = np.where((np.abs(z).max(axis=1) <= TAME) & _smooth(z), _tail(z, n_x), np.nan)
    return out


def _smooth(z: Floats) -> NDArray[np.bool_]:
    """Whether standardised scores hardly repeat, and the middle three fifths of them leave no gap."""
    n = z.shape[1]
    steps = np.diff(np.sort(z, axis=1), axis=1)
    distinct = 1 + (steps > 0).sum(axis=1)
    edge = n // 5
    return np.asarray((distinct >= DISTINCT * n) & (steps[:, edge - 1 : n - edge].max(axis=1) <= GAP))


def _touching(row: Floats, n_x: int) -> float:
    """Share of divisions with the highest possible score: those that exchange equal scores at the border."""
    border = row[:n_x].min()
    here, there = int((row[:n_x] == border).sum()), int((row[n_x:] == border).sum())
    return max(float(np.exp(_log_choose(here + there, here) - _log_choose(row.size, n_x))), TINIEST)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _tail(z: Floats, n_x: int) -> Floats:
    """The approximation for standardised, unseparated rows."""
    from scipy.special import ndtr  # scipy is slow to import

    n = z.shape[1]
    observed = z[:, :n_x].sum(axis=1)
    null = np.log(n_x / (n - n_x))
    theta = np.zeros((len(z), 2))
    theta[:, 0] = null
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(z, theta, n_x, observed)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        length = np.abs(step).max(axis=1, keepdims=True)
        theta -= step * np.minimum(1.0, 2.0 / np.maximum(length, 1e-300))
        if float(length.max()) < 1e-10:
            break
    gradient, hessian = _derivatives(z, theta, n_x, observed)
    failed = np.abs(gradient).max(axis=1) > 1e-6 * n
    exponent = _cumulant(z, np.array([[null, 0.0]]), n_x, observed) - _cumulant(z, theta, n_x, observed)
    w = np.sign(theta[:, 1]) * np.sqrt(np.maximum(2 * exponent, 0.0))
    u = theta[:, 1] * np.sqrt(np.linalg.det(hessian) / (n_x * (n - n_x) / n))
    near = np.abs(w) < 1e-3  # removable singularity at the centre of the distribution
    safe_w, safe_u = np.where(near, 1.0, w), np.where(near, 1.0, u)
    density = np.exp(-0.5 * w**2) / np.sqrt(2 * np.pi)
    tail = ndtr(-w) - np.where(near, 0.0, density * (1 / safe_w - 1 / safe_u))
    tail = np.clip(tail, max(float(np.exp(-_log_choose(n, n_x))), TINIEST), 1.0)
    few = np.log(tail) + _log_choose(n, n_x) < np.log(FEWEST)
    return np.where(failed | few, np.nan, tail)


def _derivatives(z: Floats, theta: Floats, n_x: int, observed: Floats) -> tuple[Floats, Floats]:
    from scipy.special import expit

    p = expit(theta[:, :1] + theta[:, 1:] * z)
    v = p * (1 - p)
    gradient = np.stack([p.sum(axis=1) - n_x, (p * z).sum(axis=1) - observed], axis=1)
    cross = (v * z).sum(axis=1)
    hessian = np.empty((len(z), 2, 2))
    hessian[:, 0, 0] = v.sum(axis=1)
    hessian[:, 0, 1] = hessian[:, 1, 0] = cross
    hessian[:, 1, 1] = (v * z * z).sum(axis=1)
    return gradient, hessian


def _cumulant(z: Floats, theta: Floats, n_x: int, observed: Floats) -> Floats:
    linear = theta[:, :1] + theta[:, 1:] * z
    return np.asarray(np.logaddexp(0.0, linear).sum(axis=1) - theta[:, 0] * n_x - theta[:, 1] * observed)
