"""Worlds of names in crossed groups and of a vocabulary that has nothing to do with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np

from crossroads.core.evidence import Embeddings

from .vectors import DIM

NameKind = Literal["exchangeable", "topics", "shift", "strong shift"]
NAME_SAYS: Mapping[str, str] = {
    "exchangeable": "names of all groups come from one population",
    "topics": "names of a group share a topic that the vocabulary knows nothing of",
    "shift": "names of one group are closer to every word, as frequent names are",
    "strong shift": "the same, three times as much",
}
TARGET = ("one", "first")
"""The group whose words are looked for."""
_KEYS = (TARGET, ("one", "second"), ("two", "first"), ("two", "second"))
_NAMES, _WORDS = 8, 300
NameWorld = tuple[Embeddings, dict[tuple[str, str], list[str]], list[str]]
"""Vectors of names and words, names by group, and the vocabulary."""


def name_worlds(kind: NameKind, *, worlds: int = 1, seed: int = 0) -> Iterator[NameWorld]:
    """Draw names of four groups, two categories crossed, and a vocabulary.

    ``topics``: names of a group share a vector of length 1, which no word was made to be close to or far
    from. ``shift``: the vocabulary shares a direction, and names of the first group do too; in ``strong
    shift`` three times as much.
    """
    rng = np.random.default_rng(seed)
    groups = {key: [f"{' '.join(key)} {i}" for i in range(1, _NAMES + 1)] for key in _KEYS}
    vocabulary = [f"word {i}" for i in range(1, _WORDS + 1)]
    labels = [*(name for some in groups.values() for name in some), *vocabulary]
    for _ in range(worlds):
        rows = rng.normal(0, 1 / np.sqrt(DIM), (len(labels), DIM))
        people, rest = rows[: 4 * _NAMES], rows[4 * _NAMES :]
        if kind == "topics":
            people[np.arange(4 * _NAMES), np.arange(4).repeat(_NAMES)] += 1.0
        elif kind != "exchangeable":
            rest[:, 4] += 1.0
            people[:_NAMES, 4] += 3.0 if kind == "strong shift" else 1.0
        yield Embeddings(labels, rows, provenance=f"a world of names: {kind}"), groups, vocabulary
