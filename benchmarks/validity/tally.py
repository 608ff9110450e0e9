"""Counts of rejections and of intervals that held, with exact binomial intervals."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv


def binomial_interval(count: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval of a share (Clopper & Pearson 1934)."""
    tail = (1 - level) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count == n else float(betaincinv(count + 1, n - count, 1 - tail))
    return low, high


@dataclass
class Tally:
    """What a procedure did in the worlds of a cell."""

    worlds: int = 0
    """Worlds in which it gave a p-value or an interval."""
    at_05: int | None = None
    """Worlds in which it rejected at .05; None where it has no p-value."""
    at_01: int | None = None
    """The same at .01; None where it is an interval that either holds zero or does not."""
    held: int | None = None
    """Worlds in which the interval held the truth, or other words agreed; None where there is none."""
    said: float | None = None
    """Sum of the chances that were said; None where there are none."""

    @classmethod
    def of(
        cls, pvalues: NDArray[Any] | list[float] | None = None, held: NDArray[Any] | list[bool] | None = None
    ) -> Tally:
        """Count what p-values and intervals did."""
        found = cls()
        if pvalues is not None:
            p = np.asarray(pvalues, dtype=np.float64)
            found.worlds, found.at_05, found.at_01 = p.size, int((p < 0.05).sum()), int((p < 0.01).sum())
        if held is not None:
            found.worlds, found.held = len(held), int(np.sum(held))
        return found

    @classmethod
    def flagged(cls, rejected: NDArray[Any] | list[bool], held: list[bool] | None = None) -> Tally:
        """Count decisions that come without a p-value."""
        return cls(len(rejected), int(np.sum(rejected)), None, None if held is None else int(np.sum(held)))

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(_sum(mine, asdict(other)[name]) for name, mine in asdict(self).items()))


def _sum(one: int | None, other: int | None) -> Any:
    return None if one is None or other is None else one + other
