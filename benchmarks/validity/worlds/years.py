"""Worlds of cosines over years without a trend, in which deviations of years last into the next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crossroads.core.inference.geometry import Floats

WORDS = 8
"""Words of each of the four sets."""


def year_worlds(
    rho: float, *, points: int = 10, words: float = 0.0, worlds: int = 1, seed: int = 0
) -> Iterator[Floats]:
    """Draw tables of years × targets × attributes, for ``trend`` and ``change`` of ``words.measures.trends``.

    Δ of a year deviates by an autoregression with standard deviation 1 and autocorrelation ``rho``, in all
    words at once; with ``rho`` 1 it is a random walk. Deviations of single words in a year, with standard
    deviation ``words``, do not last.
    """
    rng, sides = np.random.default_rng(seed), np.repeat([1.0, -1.0], WORDS)
    for _ in range(worlds):
        years = rng.normal(size=points)
        for t in range(1, points):
            years[t] = rho * years[t - 1] + (np.sqrt(1 - rho**2) if rho < 1 else 1.0) * years[t]
        targets, attributes = rng.normal(0, words / 2, (2, points, 2 * WORDS))
        cells = rng.normal(0, 0.1, (points, 2 * WORDS, 2 * WORDS))
        shared = (years / 4)[:, None, None] * np.outer(sides, sides)
        yield shared + targets[:, :, None] * sides + attributes[:, None, :] * sides[:, None] + cells
