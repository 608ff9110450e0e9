"""Worlds out of real vectors: real targets, and attributes dealt from words of like frequency."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import DesignError, InputError, in_short, join_words
from crossroads.evidence import Embeddings
from crossroads.geometry import unit
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import number, whole
from crossroads.measures.coverage.words import check_vectors, gather
from crossroads.sources.load import load
from crossroads.stimuli import Design, catalog
from crossroads.worlds.vectors import Truth, VectorWorlds

_FEWEST = 20
_SAYS = "real targets; attributes are words of like frequency, dealt into A and B at random"


def dealt_worlds(
    design: Design | str,
    *,
    emb: Embeddings | None = None,
    worlds: int = 1,
    within: float = 0.1,
    seed: int = 0,
) -> VectorWorlds:
    """Keep the targets of a design, and deal its attributes from words of like frequency.

    For every attribute word a word of like rank is drawn, and the words are dealt into A and B at random: A
    and B come from one population, so that Δ is 0, however different X and Y are.

    Parameters
    ----------
    design
        A design with two targets, or the name of one of the catalogue.
    emb
        Vectors in the order of their words' frequency, the most frequent first, as the files of GloVe,
        word2vec and fastText are; the embedded default vectors if left out.
    worlds
        How many.
    within
        How far the rank of a word may lie from that of the attribute it stands for, as a share of that rank.
    seed
        Of the draws.

    Examples
    --------
    >>> import crossroads as cr
    >>> worlds = cr.worlds.dealt_worlds("weat1", worlds=100)
    >>> worlds.sizes, worlds.truth.difference
    ((24, 25, 25, 25), 0.0)
    >>> worlds[0].design.x[:2]
    ('aster', 'clover')
    """
    whole("worlds", worlds, least=1)
    number("within", within, above=0.0, below=1.0, hint="give a share between 0 and 1, such as 0.1.")
    given = catalog(design) if isinstance(design, str) else design
    if not isinstance(given, Design) or given.y is None:
        raise DesignError(f"{in_short(design)} is not a design with two targets.", hint="give x, y, a and b.")
    if emb is None:
        emb, eligible = _default()
    else:
        check_vectors(emb)
        eligible = _eligible(emb)
    found = gather(emb, given.sets, missing="drop", least=dict.fromkeys("xyab", 2), design=given.name)
    taken = [emb.find(word) for words in found.words.values() for word in words]
    eligible = np.setdiff1d(eligible, [match.row for match in taken if match is not None])
    n_a, n_b = len(found.words["a"]), len(found.words["b"])
    ranks = np.array([match.row for match in taken[-(n_a + n_b) :] if match is not None])
    drawn = _drawn(eligible, ranks, worlds, within, generator(seed))
    rows, place = np.unique(drawn, return_inverse=True)
    dealt = unit(emb.vectors[rows])[place.reshape(drawn.shape)]
    still = {
        name: np.broadcast_to(found.vectors[name], (worlds, *found.vectors[name].shape)) for name in "xy"
    }
    return VectorWorlds(
        kind=f"{given.name} dealt",
        vectors=MappingProxyType({**still, "a": dealt[:, :n_a], "b": dealt[:, n_a:]}),
        truth=Truth(difference=0.0, lean=0.0, null=True, says=_SAYS),
        words={name: found.words[name] for name in "xy"},
    )


@cache
def _default() -> tuple[Embeddings, NDArray[np.intp]]:
    """The embedded vectors, whose order is one of frequency, and their plain words."""
    emb = load("default")
    return emb, _eligible(emb)


def _eligible(emb: Embeddings) -> NDArray[np.intp]:
    """Rows of plain words: nothing but letters, and a direction."""
    plain = np.fromiter((label.isalpha() for label in emb.labels), dtype=bool, count=len(emb))
    rows = np.flatnonzero(plain)
    if len(rows) < _FEWEST:
        raise InputError(
            f"{len(rows)} of {len(emb):,} labels are plain words.",
            hint="give vectors of a whole vocabulary, such as cr.load('default').",
        )
    return rows


def _drawn(
    eligible: NDArray[np.intp],
    ranks: NDArray[np.intp],
    worlds: int,
    within: float,
    rng: np.random.Generator,
) -> NDArray[np.intp]:
    """A row for every attribute in every world, no row twice in a world, in random order."""
    low = np.searchsorted(eligible, ranks * (1 - within))
    high = np.searchsorted(eligible, ranks * (1 + within), side="right")
    few = (high - low) < _FEWEST
    # the most frequent words have few of like rank: as many on either side as it takes
    low = np.where(few, np.maximum(0, (low + high) // 2 - _FEWEST), low)
    high = np.where(few, np.minimum(len(eligible), (low + high) // 2 + _FEWEST), high)
    if (high - low).min() < min(_FEWEST, len(ranks)):
        scarce = join_words(map(str, ranks[(high - low) < _FEWEST].tolist()), most=3)
        raise InputError(f"there are too few words of about the rank {scarce}.", hint="give more vectors.")
    picked = rng.integers(low, high, (worlds, len(ranks)))
    for _ in range(1000):
        ordered = np.sort(picked, axis=1)
        twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not twice.size:
            return np.asarray(eligible[rng.permuted(picked, axis=1)])
        picked[twice] = rng.integers(low, high, (len(twice), len(ranks)))
    raise InputError(
        f"{len(ranks)} different words of like frequency were not found.",
        hint="give more vectors, or a larger share within.",
    )
