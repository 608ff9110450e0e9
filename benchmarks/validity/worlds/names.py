"""Worlds of names in crossed groups and of a vocabulary that has nothing to do with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np

from crossroads.errors import one_of
from crossroads.evidence import Embeddings
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import number, whole

NameKind = Literal["exchangeable", "topics", "shift"]
NAME_SAYS: Mapping[str, str] = MappingProxyType(
    {
        "exchangeable": "names of all groups come from one population",
        "topics": "names of a group share a topic that the vocabulary knows nothing of",
        "shift": "names of one group are closer to every word, as frequent names are",
    }
)
_KEYS = (("one", "first"), ("one", "second"), ("two", "first"), ("two", "second"))


class NameWorld(NamedTuple):
    """One world: vectors, names by group, the words that are asked about, and which of them are planted."""

    emb: Embeddings
    """Vectors of names and words."""
    groups: dict[tuple[str, str], list[str]]
    """Names by subcategories."""
    words: list[str]
    """The vocabulary."""
    target: tuple[str, str]
    """The group whose words are looked for."""
    planted: tuple[str, ...]
    """Words that lie close to its names."""
    says: str
    """The world in a sentence."""


def name_worlds(
    kind: NameKind = "exchangeable",
    *,
    worlds: int = 1,
    names: int = 8,
    words: int = 500,
    planted: int = 0,
    dim: int = 50,
    strength: float = 1.0,
    seed: int = 0,
) -> Iterator[NameWorld]:
    """Draw names of four groups, two categories crossed, and a vocabulary.

    Parameters
    ----------
    kind
        ``"exchangeable"``; ``"topics"``: names of a group share a vector of length ``strength``, which no
        word was made to be close to or far from; ``"shift"``: the vocabulary shares a direction, and names of
        the first group have ``strength`` of it.
    worlds
        How many.
    names
        Number of names of a group.
    words
        Size of the vocabulary.
    planted
        How many words are put near the names of the first group.
    dim
        Number of dimensions.
    strength
        How pronounced what makes the kind is.
    seed
        Of the draws.

    Yields
    ------
    NameWorld
        One world after the other.

    Examples
    --------
    >>> import crossroads as cr
    >>> world = next(cr.worlds.name_worlds(words=50, seed=1))
    >>> len(world.emb), world.target, len(world.groups)
    (82, ('one', 'first'), 4)
    """
    one_of("kind", kind, NameKind)
    for name, value, least in (
        ("worlds", worlds, 1), ("names", names, 2), ("words", words, 1), ("planted", planted, 0),
        ("dim", dim, len(_KEYS) + 1),
    ):  # fmt: skip
        whole(name, value, least=least)
    number("strength", strength, least=0.0, hint="give a number that is not negative.")
    rng = generator(seed)
    groups = {key: [f"{' '.join(key)} {i}" for i in range(1, names + 1)] for key in _KEYS}
    vocabulary = [f"word {i}" for i in range(1, words + 1)]
    labels = [*(name for some in groups.values() for name in some), *vocabulary]
    chosen = min(planted, words)
    for _ in range(worlds):
        rows = rng.normal(0, 1 / np.sqrt(dim), (len(labels), dim))
        people, rest = rows[: 4 * names], rows[4 * names :]
        if kind == "topics":
            people[np.arange(4 * names), np.arange(4).repeat(names)] += strength
        elif kind == "shift":
            rest[:, 4] += 1.0
            people[:names, 4] += strength
        if chosen:
            centre = people[:names].mean(axis=0)
            rest[:chosen] += 2 * centre / np.linalg.norm(centre)
        emb = Embeddings(labels, rows, provenance=f"a world of names: {kind}")
        yield NameWorld(emb, groups, vocabulary, _KEYS[0], tuple(vocabulary[:chosen]), NAME_SAYS[kind])
