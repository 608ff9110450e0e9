"""Worlds of words that differ in frequency, which moves their vectors, with ranks and lists of frequency."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crossroads.core.evidence import Embeddings
from crossroads.core.stimuli import Design

from .vectors import DIM, Sizes, numbered

_POOL, _RANK, _SLOPE = 2_000, 8.0, 0.2
"""Other words of a world, their mean log rank, and how far a unit of log frequency moves vectors, whose own
length is 1: .17 in GloVe."""


def frequency_worlds(
    listed: str, *, worlds: int, sizes: Sizes, effect: float = 0.0, seed: int = 0
) -> Iterator[tuple[Embeddings, Design, dict[str, float] | None]]:
    """Draw words whose log frequency goes along a direction.

    X and A are a standard deviation more frequent than words are on average, Y and B one less, so that Δ is
    frequency and nothing else unless there is an ``effect``. Frequencies are the ranks of the words
    (``own ranks``), or a list with errors whose ``reliability`` within a set is that number.
    """
    rng = np.random.default_rng(seed)
    sides = np.repeat([1.0, -1.0, 1.0, -1.0], sizes)
    design = numbered(listed, sizes)
    labels = [*design.words, *("other" + "".join(chr(97 + int(d)) for d in f"{i:04}") for i in range(_POOL))]
    for _ in range(worlds):
        frequency = np.concatenate([sides + rng.normal(size=len(sides)), rng.normal(0, 1.5, _POOL)])
        rows = rng.normal(0, 1 / np.sqrt(DIM), (len(labels), DIM))
        rows[:, 5] += _SLOPE * frequency
        rows[: len(sides), 0] += effect * sides
        ranks = np.round(np.exp(_RANK - frequency)).astype(np.int64)
        emb = Embeddings(labels, rows, provenance=f"a world: {listed}", ranks=ranks)
        if listed == "own ranks":
            yield emb, design, None
            continue
        error = np.sqrt(1 / float(listed.rpartition(" ")[2]) - 1)
        values = np.exp(frequency + error * rng.normal(size=len(labels)))
        yield emb, design, dict(zip(labels, values.tolist(), strict=True))
