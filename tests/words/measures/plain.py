"""Plain transcriptions of what the measures compute, pair by pair, and made-up words to try them on."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from crossroads import Design, Embeddings

Words = dict[str, list[str]]
Sizes = tuple[int, int, int, int]


def space(sizes: Sizes, dim: int, seed: int, *, kind: Any = np.float64) -> tuple[Embeddings, Words]:
    """Random vectors with a common direction, as word vectors have, for sets of the given sizes."""
    rng = np.random.default_rng(seed)
    words = {name: [f"{name}{i}" for i in range(n)] for name, n in zip("xyab", sizes, strict=True)}
    labels = [word for group in words.values() for word in group]
    vectors = rng.normal(size=(len(labels), dim)) + 0.5 * rng.normal(size=dim)
    return Embeddings(labels, vectors.astype(kind)), words


def design_of(words: Words, name: str = "test") -> Design:
    return Design(name=name, **words)  # type: ignore[arg-type]


def designed(sizes: Sizes, dim: int, seed: int) -> tuple[Embeddings, Design]:
    """Such vectors, and a design of these sets."""
    emb, words = space(sizes, dim, seed)
    return emb, design_of(words)


def cosine(u: Any, v: Any) -> float:
    pairs = [(float(p), float(q)) for p, q in zip(u, v, strict=True)]
    dot = sum(p * q for p, q in pairs)
    return dot / sqrt(sum(p * p for p, _ in pairs)) / sqrt(sum(q * q for _, q in pairs))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def sd(values: list[float], ddof: int) -> float:
    centre = mean(values)
    return sqrt(sum((v - centre) ** 2 for v in values) / (len(values) - ddof))


def scores(emb: Embeddings, words: Words) -> tuple[list[float], list[float]]:
    """s(w, A, B) of the words of X and of Y, word by word and pair by pair."""

    def s(w: str) -> float:
        near, far = ([cosine(emb[w], emb[c]) for c in words[side]] for side in "ab")
        return mean(near) - mean(far)

    return [s(x) for x in words["x"]], [s(y) for y in words["y"]]


def effect(x: list[float], y: list[float], ddof: int) -> float:
    return (mean(x) - mean(y)) / sd(x + y, ddof)
