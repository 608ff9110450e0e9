"""Worlds of context vectors: a cloud of contexts around every word of a world of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from crossroads.core.evidence import Contexts
from crossroads.core.inference.geometry import Floats
from crossroads.core.stimuli import Design

from .vectors import DIM, EIGHT, SETS, Kind, Population, Sizes, Truth, VectorWorlds, numbered, unit_length

CONTEXTS = 10
"""Contexts of each word."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ContextWorlds:
    """Many worlds of contexts at once, as arrays; iteration gives each as contexts and a design."""

    kind: str
    """What kind of world it is."""
    vectors: Mapping[str, Floats]
    """Unit context vectors by set: worlds × words × contexts × dimensions."""
    truth: Truth
    """What is true of the populations: Δ is that of means over words and contexts."""

    def means(self) -> VectorWorlds:
        """Means of the contexts of each word, which are shorter than 1."""
        means = {name: rows.mean(axis=2) for name, rows in self.vectors.items()}
        return VectorWorlds(kind=self.kind, vectors=means, truth=self.truth)

    def __iter__(self) -> Iterator[tuple[Contexts, Design]]:
        design = numbered(self.kind, self.means().sizes)
        for parts in zip(*(self.vectors[name] for name in SETS), strict=True):
            rows = dict(zip(design.words, np.concatenate(parts), strict=True))
            yield Contexts.from_dict(rows, provenance=f"a world of contexts: {self.kind}"), design


def context_worlds(
    kind: Kind, *, worlds: int = 1, sizes: Sizes = EIGHT, effect: float = 0.0, seed: int = 0
) -> ContextWorlds:
    """Draw words as ``vector_worlds`` does, and contexts that lie as far from them as a word's own vector."""
    population = Population(kind, effect)
    vectors = {}
    for name, n, rng in zip(SETS, sizes, np.random.default_rng(seed).spawn(4), strict=True):
        words = population.draw(name, (worlds, n), rng, normal=False)
        noise = rng.normal(0, 1 / np.sqrt(DIM), (worlds, n, CONTEXTS, DIM))
        vectors[name] = unit_length(noise + words[:, :, None])
    return ContextWorlds(kind=kind, vectors=vectors, truth=population.truth(contexts=True))
