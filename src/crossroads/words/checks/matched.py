"""Tests on words that are about as frequent as those of a design, drawn from a pool many times."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.geometry import Floats, effect_sizes, unit

Rows = NDArray[np.intp]
_NEAREST, _FEWEST = 100, 10
"""How many words are alike to one at most, and at least."""
_AT_ONCE = 4_000_000


class Windows(NamedTuple):
    """The words of a pool that are alike to each of some words: ranges of the sorted pool."""

    low: Rows
    high: Rows

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """Which words have too few others like them."""
        return self.high - self.low < _FEWEST


class Drawn(NamedTuple):
    """The effect size d of each test on drawn words, and its difference of mean cosines."""

    effect_sizes: Floats
    differences: Floats


def windows(pool: Floats, values: Floats, *, within: float) -> Windows:
    """Which words are alike to each: the hundred nearest or a twentieth of the pool, ``within`` a limit."""
    size = len(pool)
    count = min(_NEAREST, max(2 * _FEWEST, size // 20), size)
    centre = (np.searchsorted(pool, values, "left") + np.searchsorted(pool, values, "right")) // 2
    low = np.clip(centre - count // 2, 0, size - count)
    return Windows(
        np.maximum(low, np.searchsorted(pool, values - within, "left")),
        np.minimum(low + count, np.searchsorted(pool, values + within, "right")),
    )


def drawn_targets(
    pool: NDArray[Any], rows: Rows, alike: Windows, n_x: int, direction: Floats, *, draws: int, seed: int
) -> Drawn:
    """Tests with drawn targets: of the ``rows`` of the ``pool``, those ``alike`` to each word."""
    places, units = _needed(pool, rows, alike)
    scores = (units @ direction)[_chosen(places, alike, generator(seed).random((draws, len(alike.low))))]
    return _tests(scores, n_x)


def drawn_tests(
    pool: NDArray[Any], rows: Rows, alike: Windows, n_x: int, n_y: int, n_a: int, *, draws: int, seed: int
) -> Drawn:
    """Tests whose targets and attributes are all drawn; ``alike`` has targets first, then attributes."""
    places, units = _needed(pool, rows, alike)
    units = units.astype(np.float32)  # half the memory to move, and precise enough to draw from
    rng, found, targets = generator(seed), [], n_x + n_y
    step = max(1, _AT_ONCE // (len(alike.low) * units.shape[1]))
    for start in range(0, draws, step):
        numbers = rng.random((min(step, draws - start), len(alike.low)))
        vectors = units[_chosen(places, alike, numbers)]
        attributes = vectors[:, targets:]
        direction = attributes[:, :n_a].mean(axis=1) - attributes[:, n_a:].mean(axis=1)
        found.append(np.matmul(vectors[:, :targets], direction[:, :, None])[:, :, 0])
    return _tests(np.concatenate(found).astype(np.float64), n_x)


def _needed(pool: NDArray[Any], rows: Rows, alike: Windows) -> tuple[Rows, Floats]:
    """Unit vectors of the words that are in some range, and where each row stands among them."""
    edges = np.zeros(len(rows) + 1, dtype=np.intp)
    np.add.at(edges, alike.low, 1)
    np.add.at(edges, alike.high, -1)
    needed = np.cumsum(edges[:-1]) > 0
    return np.cumsum(needed) - 1, unit(pool[rows[needed]])


def _chosen(places: Rows, alike: Windows, numbers: Floats) -> Rows:
    """The word of each range that a number between 0 and 1 chooses."""
    return places[alike.low + (numbers * (alike.high - alike.low)).astype(np.intp)]


def _tests(scores: Floats, n_x: int) -> Drawn:
    difference = scores[:, :n_x].mean(axis=1) - scores[:, n_x:].mean(axis=1)
    return Drawn(effect_sizes(scores, n_x, ddof=1)[0], difference)
