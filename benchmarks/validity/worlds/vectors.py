"""Worlds of word vectors: populations of words in four sets, of which the association is known.

A word is the direction of a sum: what its set and its world give it, and a vector of its own of length 1 on
average. Which sum it is depends on the kind of world:

* ``exchangeable``: only vectors of their own.
* ``topical targets``: X and Y each have a topic, a vector of length 1.
* ``topical attributes``: A and B have.
* ``both topical``: all four have, at right angles to each other.
* ``sub-clusters``: four words at a time share a vector of length 2.
* ``unequal spreads``: X and A are three times as wide in half of the dimensions, Y and B in the other half;
  the means are equal.
* ``anisotropy``: all words share a direction, of length 1.5 ± 20 %.
* ``frequency``: half the log frequency of the word, in standard deviations, goes along one direction; X is
  two standard deviations more frequent than Y.
* ``frequency in both``: the same, and A is two standard deviations more frequent than B. Δ is not 0, and
  there is nothing in it but frequency.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np

from crossroads.core.evidence import Embeddings
from crossroads.core.inference.geometry import Floats
from crossroads.core.stimuli import Design

Kind = Literal[
    "exchangeable",
    "topical targets",
    "topical attributes",
    "both topical",
    "sub-clusters",
    "unequal spreads",
    "anisotropy",
    "frequency",
    "frequency in both",
]
SAYS: Mapping[str, str] = {
    "exchangeable": "words of all sets come from one population",
    "topical targets": "X and Y each have a topic of their own; A and B come from one population",
    "topical attributes": "A and B each have a topic of their own; X and Y come from one population",
    "both topical": "all four sets have topics, which have nothing to do with each other",
    "sub-clusters": "words of a set come in fours that lie close together, as nicknames of one name do",
    "unequal spreads": "the sets have one mean and vary in other directions, X where A does",
    "anisotropy": "all words share a direction, some more and some less",
    "frequency": "a direction grows with log frequency, in which X and Y differ and A and B do not",
    "frequency in both": "a direction grows with log frequency, in which X and Y differ, and A and B too",
}
"""What each kind of world is."""
SETS = ("x", "y", "a", "b")
Sizes = tuple[int, int, int, int]
"""Number of words of x, y, a and b."""
EIGHT: Sizes = (8, 8, 8, 8)
DIM = 50
_CLUSTER = 4
_POPULATION = 200_000
_AT_A_TIME = 20_000


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is true of the populations that the words of a world are drawn from."""

    difference: float | None
    """Δ of the populations: (mean of X minus that of Y) · (mean of A minus that of B), of unit vectors; None
    where only its sign is known."""
    lean: float | None
    """The same of X alone: its mean · (mean of A minus that of B)."""
    null: bool
    """Whether there is no association: Δ is 0."""


@dataclass(frozen=True, kw_only=True, eq=False)
class VectorWorlds:
    """Many worlds at once, as arrays; ``worlds[i]`` is one of them as embeddings and a design."""

    kind: str
    """What kind of world it is."""
    vectors: Mapping[str, Floats]
    """Unit vectors by set: worlds × words × dimensions."""
    truth: Truth
    """What is true of the populations, which all of these worlds share."""
    common: Floats | None = None
    """Common words of their space, by which near copies are found."""

    @property
    def sizes(self) -> Sizes:
        """Number of words of each set."""
        x, y, a, b = (self.vectors[name].shape[1] for name in SETS)
        return x, y, a, b

    def cosines(self) -> Floats:
        """Cosines of all targets with all attributes: worlds × (x, then y) × (a, then b)."""
        targets = np.concatenate([self.vectors["x"], self.vectors["y"]], axis=1)
        attributes = np.concatenate([self.vectors["a"], self.vectors["b"]], axis=1)
        return np.asarray(targets @ attributes.transpose(0, 2, 1))

    def __len__(self) -> int:
        return len(self.vectors["x"])

    def __getitem__(self, index: int) -> tuple[Embeddings, Design]:
        design = numbered(self.kind, self.sizes)
        rows = np.concatenate([self.vectors[name][index] for name in SETS])
        about = f"a world: {self.kind}"
        return Embeddings(design.words, rows, provenance=about, common=self.common), design

    def __iter__(self) -> Iterator[tuple[Embeddings, Design]]:
        return (self[i] for i in range(len(self)))


def numbered(name: str, sizes: Sizes) -> Design:
    """A design whose words are numbered."""
    x, y, a, b = ([f"{key}{i}" for i in range(1, n + 1)] for key, n in zip(SETS, sizes, strict=True))
    return Design(name=name, x=x, y=y, a=a, b=b)


def vector_worlds(
    kind: Kind, *, worlds: int = 1, sizes: Sizes = EIGHT, effect: float = 0.0, seed: int = 0
) -> VectorWorlds:
    """Draw worlds of word vectors whose association is known.

    ``effect`` is how far X and A lie to one side, and Y and B to the other, of a direction that nothing else
    uses. Where there is an association, Δ is computed from the means of 200,000 words per set. The first
    worlds are the same however many are drawn.
    """
    population = Population(kind, effect)
    draws = zip(SETS, sizes, np.random.default_rng(seed).spawn(4), strict=True)
    vectors = {name: population.draw(name, (worlds, n), rng) for name, n, rng in draws}
    return VectorWorlds(kind=kind, vectors=vectors, truth=population.truth())


class Population(NamedTuple):
    """The populations of words of one kind of world."""

    kind: str
    effect: float

    def draw(
        self, name: str, shape: tuple[int, int], rng: np.random.Generator, *, normal: bool = True
    ) -> Floats:
        """Words of a set: worlds × words × dimensions.

        ``normal`` scales vectors to length 1; without, contexts can be put around them. Every array comes
        from a generator of its own, so that the first worlds are the same however many are drawn.
        """
        own, shared = rng.spawn(2)
        words = own.normal(0, 1 / np.sqrt(DIM), (*shape, DIM))
        side = 1.0 if name in "xa" else -1.0
        if self.kind == "sub-clusters":
            clusters = shared.normal(0, 1 / np.sqrt(DIM), (shape[0], -(-shape[1] // _CLUSTER), DIM))
            words += 2 * np.repeat(clusters, _CLUSTER, axis=1)[:, : shape[1]]
        elif self.kind == "unequal spreads":
            words *= np.where(np.arange(DIM) % 2 == (0 if side > 0 else 1), 3.0, 1.0)
        elif self.kind == "anisotropy":
            words[..., 5] += 1.5 * (1 + 0.2 * shared.normal(size=shape))
        elif self.kind.startswith("frequency"):
            frequency = shared.normal(size=shape)
            if name in "xy" or self.kind == "frequency in both":
                frequency += side
            words[..., 5] += 0.5 * frequency
        elif name in "xy" and self.kind in ("topical targets", "both topical"):
            words[..., 1 if name == "x" else 2] += 1.0
        elif name in "ab" and self.kind in ("topical attributes", "both topical"):
            words[..., 3 if name == "a" else 4] += 1.0
        words[..., 0] += side * self.effect
        return unit_length(words) if normal else words

    def truth(self, *, contexts: bool = False) -> Truth:
        """What is true of the populations of words, or of contexts around them."""
        null = self.effect == 0 and self.kind != "frequency in both"
        difference, lean = (0.0, 0.0) if null else _population_differences(self, contexts)
        return Truth(difference=difference, lean=lean, null=null)


def unit_length(rows: Floats) -> Floats:
    """Vectors scaled to length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


@cache
def _population_differences(population: Population, contexts: bool) -> tuple[float, float]:
    """Δ and the lean of X, from means of very many unit vectors."""
    rng, means = np.random.default_rng(0), {}
    for name in SETS:
        total = np.zeros(DIM)
        for _ in range(_POPULATION // _AT_A_TIME):
            words = population.draw(name, (_AT_A_TIME // _CLUSTER, _CLUSTER), rng, normal=not contexts)
            if contexts:
                words = unit_length(words + rng.normal(0, 1 / np.sqrt(DIM), words.shape))
            total += words.sum(axis=(0, 1))
        means[name] = total / _POPULATION
    across = means["a"] - means["b"]
    return float((means["x"] - means["y"]) @ across), float(means["x"] @ across)
