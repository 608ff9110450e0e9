"""Scores as integers, so that sums of them are exact and do not depend on their order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, comb, floor, log2

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.core.errors import InputError, in_short
from crossroads.core.inference.options import number

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

_BITS = 60
_HUGE = 1e300

WRITING_ERROR = 1.5 * float(np.finfo(np.float64).eps)
"""Largest error relative to the largest score: half a unit in the last place from its representation as a
float, as for 0.1, and one from shifting scores to start at 0."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Two groups of scores on one integer grid."""

    x: Integers
    """Scores of the first group."""
    y: Integers
    """Scores of the second group."""
    exponent: int
    """The grid: score = integer × 2 to minus this, plus a constant."""
    tie: int
    """Two sums closer than this count as equal: no larger difference can come from rounding."""

    @cached_property
    def total(self) -> int:
        """Number of ways to divide all scores into groups of the given sizes."""
        return comb(self.x.size + self.y.size, self.x.size)

    @property
    def tied(self) -> bool:
        """Whether all scores are equal but for rounding, so that every division equals the observed one."""
        largest = max(int(self.x.max()), int(self.y.max()))
        return largest * min(self.x.size, self.y.size) <= self.tie

    @property
    def swapped(self) -> Scores:
        """The same scores with the groups exchanged."""
        return Scores(x=self.y, y=self.x, exponent=self.exponent, tie=self.tie)

    @property
    def leaning(self) -> float:
        """Mean of the first group minus that of the second, on the grid; 0 where rounding could make it."""
        found = float(self.x.mean() - self.y.mean())
        return found if abs(found) * min(self.x.size, self.y.size) > self.tie else 0.0


def as_scores(x: ArrayLike, y: ArrayLike, *, score_error: float = 0.0) -> Scores:
    """Put two groups of real scores on a common dyadic grid.

    A common shift cancels in every comparison of two divisions of equal sizes, so the smallest score
    becomes 0; the grid is the finest on which no sum of scores overflows 60 bits. ``score_error`` is the
    largest error of a score from its computation, beyond that of its representation as a float.
    """
    first, second = _as_floats("x", x), _as_floats("y", y)
    number("score_error", score_error, least=0.0, hint="give a finite number that is not negative.")
    pooled = np.concatenate([first, second])
    if float(np.abs(pooled).max()) > _HUGE:  # differences would overflow
        pooled, score_error = np.ldexp(pooled, -64), score_error * 2.0**-64
    score_error += WRITING_ERROR * float(np.abs(pooled).max())
    pooled = pooled - pooled.min()
    largest = float(pooled.max())
    if largest == 0.0:
        zeros = np.zeros(pooled.size, dtype=np.int64)
        return Scores(x=zeros[: first.size], y=zeros[first.size :], exponent=0, tie=0)
    exponent = floor(_BITS - log2(pooled.size) - log2(largest))
    grid = np.rint(np.ldexp(pooled, exponent)).astype(np.int64)
    swaps = min(first.size, second.size)
    error = 2.0 * swaps * (float(np.ldexp(score_error, exponent)) + 0.5)
    most = int(grid.max()) * swaps  # an integer: no two sums differ by more
    tie = most if error >= most else ceil(error)
    return Scores(x=grid[: first.size], y=grid[first.size :], exponent=exponent, tie=tie)


def as_numbers(name: str, values: ArrayLike) -> Floats:
    """An array of real numbers; an error for anything else."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "fiuO":  # fractions and decimals are objects
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    raise InputError(f"{name} is {in_short(values)}.", hint="give real numbers, in lists of equal length.")


def _as_floats(name: str, values: ArrayLike) -> Floats:
    array = as_numbers(name, values)
    if array.ndim != 1 or array.size == 0:
        raise InputError(
            f"{name} has shape {array.shape}.", hint="give a one-dimensional array with at least one score."
        )
    if not np.isfinite(array).all():
        raise InputError(f"{name} contains nan or infinite scores.", hint="remove or fix them.")
    return array
