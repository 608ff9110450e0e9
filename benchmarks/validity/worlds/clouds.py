"""Worlds of context vectors: a cloud of contexts around every word of a world of vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from crossroads.errors import one_of
from crossroads.evidence import Contexts
from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import number, whole
from crossroads.stimuli import Design
from crossroads.worlds.vectors import SETS, Kind, Population, Truth, VectorWorlds, sizes_of


class ContextWorld(NamedTuple):
    """One world: contexts of every word, a design, and what is true of it."""

    contexts: Contexts
    """Context vectors of its words."""
    design: Design
    """The four sets."""
    truth: Truth
    """What is true of the populations of words and contexts."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ContextWorlds:
    """Many worlds of contexts at once, as arrays; ``worlds[i]`` is one as a :class:`ContextWorld`."""

    kind: str
    """What kind of world it is."""
    vectors: Mapping[str, Floats]
    """Unit context vectors by set: worlds × words × contexts × dimensions."""
    truth: Truth
    """What is true of the populations."""

    def cosines(self) -> Floats:
        """Expected cosines over contexts: worlds × (x, then y) × (a, then b)."""
        means = {name: rows.mean(axis=2) for name, rows in self.vectors.items()}
        return VectorWorlds(kind=self.kind, vectors=means, truth=self.truth).cosines()

    def __len__(self) -> int:
        return len(self.vectors["x"])

    def __getitem__(self, index: int) -> ContextWorld:
        rows = {name: self.vectors[name][index] for name in SETS}
        labels = {name: [f"{name}{i}" for i in range(1, len(some) + 1)] for name, some in rows.items()}
        found = {
            word: vectors for name in SETS for word, vectors in zip(labels[name], rows[name], strict=True)
        }
        contexts = Contexts.from_dict(found, provenance=f"a world of contexts: {self.kind}")
        x, y, a, b = labels.values()
        return ContextWorld(contexts, Design(name=self.kind, x=x, y=y, a=a, b=b), self.truth)

    def __iter__(self) -> Iterator[ContextWorld]:
        return (self[i] for i in range(len(self)))


def context_worlds(
    kind: Kind = "exchangeable",
    *,
    worlds: int = 1,
    sizes: int | Iterable[int] = 8,
    contexts: int = 10,
    noise: float = 1.0,
    dim: int = 50,
    effect: float = 0.0,
    strength: float = 1.0,
    seed: int = 0,
) -> ContextWorlds:
    """Draw worlds in which every word has a cloud of contexts.

    Parameters
    ----------
    kind, worlds, sizes, dim, effect, strength, seed
        As in :func:`~crossroads.worlds.vector_worlds`: words are drawn as there.
    contexts
        How many contexts each word has.
    noise
        How far contexts lie from their word, as a multiple of what is a word's own.

    Returns
    -------
    ContextWorlds
        Δ of ``truth`` is that of means over words and contexts.

    Examples
    --------
    >>> import crossroads as cr
    >>> contexts, design, truth = cr.worlds.context_worlds("topical targets", contexts=5, seed=2)[0]
    >>> result = cr.ceat(contexts, design, samples=200)
    >>> contexts.count("x1"), result.pvalue < 0.001, truth.null
    (5, True, True)
    """
    one_of("kind", kind, Kind)
    whole("worlds", worlds, least=1)
    whole("contexts", contexts, least=1)
    number("noise", noise, least=0.0, hint="give a number that is not negative.")
    population = Population(kind, dim, float(effect), float(strength))
    vectors = {}
    for name, n, rng in zip(SETS, sizes_of(sizes), generator(seed).spawn(4), strict=True):
        words, _ = population.draw(name, (worlds, n), rng, normal=False)
        rows = noise * rng.normal(0, 1 / np.sqrt(dim), (worlds, n, contexts, dim)) + words[:, :, None]
        rows /= np.linalg.norm(rows, axis=-1, keepdims=True)
        vectors[name] = rows
    return ContextWorlds(kind=kind, vectors=MappingProxyType(vectors), truth=population.truth(float(noise)))
