"""Worlds of real vectors: real targets, and attributes dealt from words of similar frequency."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from packages.default import whole

import crossroads as cr
from crossroads.core.inference.geometry import unit
from crossroads.core.results.gathered import gather

from .vectors import Truth, VectorWorlds

_FEWEST = 20
_WITHIN = 0.1  # how far the rank of a word may lie from that of the attribute, as a share of that rank


def dealt_worlds(name: str, *, worlds: int = 1, seed: int = 0) -> VectorWorlds:
    """Keep the targets of a design of the catalogue, and deal its attributes from words of similar frequency.

    For every attribute word a word of similar rank in the default vectors is drawn, and the words are dealt
    into A and B at random: A and B come from one population, so that Δ is 0, however different X and Y are.
    """
    emb, eligible = _default()
    found = gather(emb, cr.catalog(name).sets, missing="drop", least=dict.fromkeys("xyab", 2), design=name)
    taken = [emb.find(word) for words in found.words.values() for word in words]
    eligible = np.setdiff1d(eligible, [match.row for match in taken if match is not None])
    n_a, n_b = len(found.words["a"]), len(found.words["b"])
    ranks = np.array([match.row for match in taken[-(n_a + n_b) :] if match is not None])
    drawn = _drawn(eligible, ranks, worlds, np.random.default_rng(seed))
    rows, place = np.unique(drawn, return_inverse=True)
    dealt = unit(emb.vectors[rows])[place.reshape(drawn.shape)]
    x, y = (np.broadcast_to(found.vectors[key], (worlds, *found.vectors[key].shape)) for key in "xy")
    return VectorWorlds(
        kind=f"{name} dealt",
        vectors={"x": x, "y": y, "a": dealt[:, :n_a], "b": dealt[:, n_a:]},
        truth=Truth(difference=0.0, lean=0.0, null=True),
        common=emb.common,
    )


@cache
def _default() -> tuple[cr.Embeddings, NDArray[np.intp]]:
    """All words of GloVe 6B, by frequency, and rows of words of letters only."""
    emb = whole()
    plain = np.fromiter((label.isalpha() for label in emb.labels), dtype=bool, count=len(emb))
    return emb, np.flatnonzero(plain)


def _drawn(
    eligible: NDArray[np.intp], ranks: NDArray[np.intp], worlds: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """A row for every attribute in every world, no row twice in a world, in random order."""
    low = np.searchsorted(eligible, ranks * (1 - _WITHIN))
    high = np.searchsorted(eligible, ranks * (1 + _WITHIN), side="right")
    few = (high - low) < _FEWEST
    # the most frequent words have few of similar rank: as many on either side as it takes
    low = np.where(few, np.maximum(0, (low + high) // 2 - _FEWEST), low)
    high = np.where(few, np.minimum(len(eligible), (low + high) // 2 + _FEWEST), high)
    picked = rng.integers(low, high, (worlds, len(ranks)))
    while True:
        ordered = np.sort(picked, axis=1)
        twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not twice.size:
            return np.asarray(eligible[rng.permuted(picked, axis=1)])
        picked[twice] = rng.integers(low, high, (len(twice), len(ranks)))
