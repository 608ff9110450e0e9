"""Worlds of word vectors: populations of words in four sets, of which the association is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from crossroads.errors import InputError, in_short, one_of
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import number, whole
from crossroads.stimuli import Design

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
SETS = ("x", "y", "a", "b")
SAYS: Mapping[str, str] = MappingProxyType(
    {
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
)
"""What each kind of world is."""

_CLUSTER = 4
_LEAST_DIM = 6  # the planted direction, two topics of targets, two of attributes, one that words share
_POPULATION = 200_000
_AT_A_TIME = 20_000


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What is true of the populations that the words of a world are drawn from.

    Examples
    --------
    >>> import crossroads as cr
    >>> truth = cr.worlds.vector_worlds("topical targets").truth
    >>> truth.difference, truth.null
    (0.0, True)
    """

    difference: float | None
    """Δ of the populations: (mean of X less that of Y) · (mean of A less that of B), of unit vectors; None
    where it is not known beyond its sign."""
    lean: float | None
    """The same of X alone: its mean · (mean of A less that of B)."""
    null: bool
    """Whether there is no association: Δ is 0."""
    says: str
    """The world in a sentence."""


class World(NamedTuple):
    """One world: vectors, a design, and what is true of it.

    Examples
    --------
    >>> import crossroads as cr
    >>> emb, design, truth = cr.worlds.vector_worlds("exchangeable", sizes=5)[0]
    >>> len(emb), design, truth.null
    (20, <Design exchangeable: x (5) and y (5), a (5) and b (5)>, True)
    """

    emb: Embeddings
    """The vectors of its words."""
    design: Design
    """The four sets."""
    truth: Truth
    """What is true of the populations."""


@dataclass(frozen=True, kw_only=True, eq=False)
class VectorWorlds:
    """Many worlds at once, as arrays.

    ``len(worlds)`` is their number, and ``worlds[i]`` is one of them as a :class:`World`.

    Examples
    --------
    >>> import crossroads as cr
    >>> worlds = cr.worlds.vector_worlds("both topical", worlds=100, sizes=(8, 8, 6, 6))
    >>> len(worlds), worlds.vectors["a"].shape, worlds.cosines().shape
    (100, (100, 6, 50), (100, 16, 12))
    """

    kind: str
    """What kind of world it is."""
    vectors: Mapping[str, Floats]
    """Unit vectors by set: worlds × words × dimensions."""
    truth: Truth
    """What is true of the populations, which all of these worlds share."""
    log_frequencies: Mapping[str, Floats] = field(default_factory=dict)
    """Log frequency of each word by set, worlds × words, in standard deviations; empty where frequency has
    nothing to do with the vectors."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words of the sets that are the same in all worlds; others are numbered."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of words of each set, in the order x, y, a, b."""
        return tuple(self.vectors[name].shape[1] for name in SETS)

    def cosines(self) -> Floats:
        """Cosines of all targets with all attributes: worlds × (x, then y) × (a, then b)."""
        targets = np.concatenate([self.vectors["x"], self.vectors["y"]], axis=1)
        attributes = np.concatenate([self.vectors["a"], self.vectors["b"]], axis=1)
        return np.asarray(targets @ attributes.transpose(0, 2, 1))

    def labels(self) -> dict[str, list[str]]:
        """What the words of a single world are called, by set."""
        return {
            name: list(self.words.get(name) or (f"{name}{i}" for i in range(1, n + 1)))
            for name, n in zip(SETS, self.sizes, strict=True)
        }

    def frequencies(self, index: int) -> dict[str, float]:
        """Frequency of each word of one world; empty where frequency has nothing to do with the vectors."""
        labels = self.labels()
        return {
            word: float(np.exp(log))
            for name, logs in self.log_frequencies.items()
            for word, log in zip(labels[name], logs[index].tolist(), strict=True)
        }

    def __len__(self) -> int:
        return len(self.vectors["x"])

    def __getitem__(self, index: int) -> World:
        labels = self.labels()
        rows = np.concatenate([self.vectors[name][index] for name in SETS])
        x, y, a, b = labels.values()
        emb = Embeddings([*x, *y, *a, *b], rows, provenance=f"a world: {self.kind}")
        return World(emb, Design(name=self.kind, x=x, y=y, a=a, b=b), self.truth)

    def __iter__(self) -> Iterator[World]:
        return (self[i] for i in range(len(self)))


def vector_worlds(
    kind: Kind = "exchangeable",
    *,
    worlds: int = 1,
    sizes: int | Iterable[int] = 8,
    dim: int = 50,
    effect: float = 0.0,
    strength: float = 1.0,
    seed: int = 0,
) -> VectorWorlds:
    r"""Draw worlds of word vectors whose association is known.

    A word is the direction of a sum: what its set and its world give it, and a vector of its own of length 1
    on average. Which sum it is depends on the kind of world:

    * ``exchangeable``: nothing but vectors of their own.
    * ``topical targets``: X and Y each have a topic, a vector of length ``strength``.
    * ``topical attributes``: A and B have.
    * ``both topical``: all four have, at right angles to each other.
    * ``sub-clusters``: four words at a time share a vector of length 2 ``strength``.
    * ``unequal spreads``: X and A are 1 + 2 ``strength`` times as wide in half of the dimensions, Y and B in
      the other half; the means are equal.
    * ``anisotropy``: all words share a direction, of length 1.5 ``strength`` ± 20 %.
    * ``frequency``: ``strength`` / 2 times the log frequency of the word, in standard deviations, goes along
      one direction; X is two standard deviations more frequent than Y.
    * ``frequency in both``: the same, and A is two standard deviations more frequent than B. Δ is not 0, and
      there is nothing in it but frequency.

    Parameters
    ----------
    kind
        The kind of world.
    worlds
        How many.
    sizes
        Number of words of a set, or of x, y, a and b.
    dim
        Number of dimensions.
    effect
        How far X and A lie to one side, and Y and B to the other, of a direction that nothing else uses; 0
        plants no association. ``truth.difference`` is what that makes of Δ.
    strength
        How pronounced what makes the kind is; with 0 every kind is exchangeable.
    seed
        Of the draws. The first worlds are the same however many are drawn.

    Returns
    -------
    VectorWorlds
        The vectors of all worlds, and what is true of them. Where there is an association, Δ is computed from
        the means of 200,000 words per set.

    Examples
    --------
    >>> import crossroads as cr
    >>> emb, design, truth = cr.worlds.vector_worlds("topical targets")[0]
    >>> result = cr.weat(emb, design, alternative="two-sided")
    >>> round(result.pvalue, 3), round(result.crossed.pvalue, 2), truth.difference
    (0.002, 0.27, 0.0)
    >>> round(cr.worlds.vector_worlds("exchangeable", effect=0.5).truth.difference, 2)
    0.8
    """
    one_of("kind", kind, Kind)
    whole("worlds", worlds, least=1)
    four = sizes_of(sizes)
    population = Population(kind, dim, float(effect), float(strength))
    vectors: dict[str, Floats] = {}
    logs: dict[str, Floats] = {}
    for name, n, rng in zip(SETS, four, generator(seed).spawn(4), strict=True):
        vectors[name], log = population.draw(name, (worlds, n), rng)
        if log is not None:
            logs[name] = log
    return VectorWorlds(
        kind=kind,
        vectors=MappingProxyType(vectors),
        truth=population.truth(),
        log_frequencies=MappingProxyType(logs),
    )


def sizes_of(sizes: int | Iterable[int]) -> tuple[int, int, int, int]:
    """Number of words of x, y, a and b."""
    hint = "give a number of at least 2, or four of them: of x, y, a and b."
    if not isinstance(sizes, Iterable):
        n = whole("sizes", sizes, least=2, hint=hint)
        return n, n, n, n
    given = tuple(whole("sizes", n, least=2, hint=hint) for n in sizes)
    if len(given) != 4:
        raise InputError(f"sizes are {in_short(given)}.", hint=hint)
    return given


class Population(NamedTuple):
    """The populations of words of one kind of world."""

    kind: str
    dim: int
    effect: float
    strength: float

    def checked(self) -> Population:
        """The same, if its numbers can be used."""
        whole("dim", self.dim, least=_LEAST_DIM)
        number("effect", self.effect, hint="give a number; 0 plants no association.")
        number("strength", self.strength, least=0.0, hint="give a number that is not negative.")
        return self

    def draw(
        self, name: str, shape: tuple[int, int], rng: np.random.Generator, *, normal: bool = True
    ) -> tuple[Floats, Floats | None]:
        """Words of a set, worlds × words × dimensions, and their log frequencies where they matter.

        ``normal`` scales vectors to length 1; without, contexts can be put around them. Every array comes
        from a generator of its own, so that the first worlds are the same however many are drawn.
        """
        self.checked()
        own, shared = rng.spawn(2)
        words = own.normal(0, 1 / np.sqrt(self.dim), (*shape, self.dim))
        side = 1.0 if name in "xa" else -1.0
        frequency = None
        if self.kind == "sub-clusters":
            clusters = shared.normal(0, 1 / np.sqrt(self.dim), (shape[0], -(-shape[1] // _CLUSTER), self.dim))
            words += 2 * self.strength * np.repeat(clusters, _CLUSTER, axis=1)[:, : shape[1]]
        elif self.kind == "unequal spreads":
            wide = np.arange(self.dim) % 2 == (0 if side > 0 else 1)
            words *= np.where(wide, 1 + 2 * self.strength, 1.0)
        elif self.kind == "anisotropy":
            words[..., 5] += 1.5 * self.strength * (1 + 0.2 * shared.normal(size=shape))
        elif self.kind.startswith("frequency"):
            frequency = shared.normal(size=shape)
            if name in "xy" or self.kind == "frequency in both":
                frequency += side
            words[..., 5] += 0.5 * self.strength * frequency
        elif name in "xy" and self.kind in ("topical targets", "both topical"):
            words[..., 1 if name == "x" else 2] += self.strength
        elif name in "ab" and self.kind in ("topical attributes", "both topical"):
            words[..., 3 if name == "a" else 4] += self.strength
        words[..., 0] += side * self.effect
        if normal:
            words /= np.linalg.norm(words, axis=-1, keepdims=True)
        return words, frequency

    def truth(self, contexts: float | None = None) -> Truth:
        """What is true of the populations; ``contexts`` is how far contexts lie from their word."""
        null = self.effect == 0 and not (self.kind == "frequency in both" and self.strength > 0)
        difference, lean = (0.0, 0.0) if null else _population_differences(self, contexts)
        return Truth(difference=difference, lean=lean, null=null, says=SAYS[self.kind])


@cache
def _population_differences(population: Population, contexts: float | None) -> tuple[float, float]:
    """Δ and the lean of X, from means of very many unit vectors."""
    rng, means = np.random.default_rng(0), {}
    for name in SETS:
        total = np.zeros(population.dim)
        for _ in range(_POPULATION // _AT_A_TIME):
            words, _ = population.draw(name, (_AT_A_TIME // _CLUSTER, _CLUSTER), rng, normal=contexts is None)
            if contexts is not None:
                words += contexts * rng.normal(0, 1 / np.sqrt(population.dim), words.shape)
                words /= np.linalg.norm(words, axis=-1, keepdims=True)
            total += words.sum(axis=(0, 1))
        means[name] = total / _POPULATION
    across = means["a"] - means["b"]
    return float((means["x"] - means["y"]) @ across), float(means["x"] @ across)
