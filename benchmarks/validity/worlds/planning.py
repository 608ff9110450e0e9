"""Pilots from populations that are known: what they foresee of longer sets, and what longer sets show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.copies import Copies, Near
from crossroads.core.inference.crossed import POWER, crossed, spread
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.planning import pilot

from .vectors import SETS, Kind, Population, unit_length, vector_worlds

AT = 24
"""Words per set of which pilots foresee the standard error."""
_LONG = 2000


@dataclass(frozen=True, kw_only=True)
class Foreseen:
    """What pilots foresaw, and what came of it."""

    ratios: NDArray[np.float64]
    """Standard error that each pilot foresees for sets of ``AT`` words over that of such sets."""
    planned: tuple[int | None, ...]
    """Words per set that each pilot plans for the true difference; None beyond a million."""
    found: tuple[bool, ...]
    """Whether a test with as many new words finds that difference, for each plan below ``most`` words."""


def planned_worlds(
    kind: Kind,
    *,
    effect: float,
    worlds: int = 200,
    words: int = 8,
    twice: bool = False,
    power: float = POWER,
    most: int = 400,
    seed: int = 0,
) -> Foreseen:
    """Draw pilots with ``words`` per set, and for each as many new words as it plans.

    With ``twice`` every word comes with a near copy, so that sets of ``words`` have half as many independent
    ones; then plans count copies as the pilot has them.
    """
    population, rng = Population(kind, effect), np.random.default_rng(seed)

    def drawn(count: int) -> tuple[Floats, Sequence[Copies] | None]:
        rows = [_words(population, name, count, twice, rng) for name in SETS]
        table = np.concatenate(rows[:2]) @ np.concatenate(rows[2:]).T
        pairs = np.kron(np.eye(-(-count // 2)), np.ones((2, 2))).astype(np.float64)[:count, :count]
        return table, [pairs] * 4 if twice else None

    n = AT // 2 if twice else AT  # a copy adds nothing
    long = vector_worlds(kind, worlds=_LONG, sizes=(n, n, n, n), effect=effect, seed=seed)
    standard_error = np.std(spread(long.cosines(), n, n).difference, ddof=1)
    foreseen, planned, found = [], [], []
    for _ in range(worlds):
        table, copies = drawn(words)
        variances = pilot(table, words, words, copies)
        foreseen.append(variances.variance(AT, AT)[0] ** 0.5)
        planned.append(count := variances.needed(abs(long.truth.difference or 0.0), power))
        if count is not None and count <= most:
            table, copies = drawn(count)
            near = None if copies is None else Near(tuple(copies), {})
            p = crossed(table, count, count, alternative="two-sided", near=near, exchange=False).pvalue
            found.append(p is not None and p < 0.05)
    ratios = np.array(foreseen) / standard_error
    return Foreseen(ratios=ratios, planned=tuple(planned), found=tuple(found))


def _words(population: Population, name: str, count: int, twice: bool, rng: np.random.Generator) -> Floats:
    """Words of a set; with ``twice`` pairs of near copies."""
    if not twice:
        return np.asarray(population.draw(name, (1, count), rng)[0])
    rows = np.repeat(population.draw(name, (1, -(-count // 2)), rng)[0], 2, axis=0)[:count]
    return unit_length(rows + 0.1 / np.sqrt(rows.shape[1]) * rng.normal(size=rows.shape))
