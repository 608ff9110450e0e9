"""Many vectors a word, one for each context it was found in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crossroads.errors import EvidenceError, InputError
from crossroads.evidence.embeddings import Embeddings, Match
from crossroads.evidence.provenance import Provenance


class Contexts:
    """Context vectors by word, read-only.

    Parameters
    ----------
    words
        The words, each different.
    counts
        How many contexts each of them has.
    vectors
        All context vectors, one row a context, those of a word together and in the order of the words.
    provenance
        Where the vectors came from; :class:`Provenance` or a description.
    fallback
        Rules for words that are not found as they are written, as in :class:`Embeddings`.

    Examples
    --------
    >>> contexts = Contexts.from_dict({"rose": [[1.0, 0.0], [0.9, 0.1]], "wasp": [[0.0, 1.0]]})
    >>> contexts.words, contexts.count("rose"), contexts["rose"].shape
    (('rose', 'wasp'), 2, (2, 2))
    """

    def __init__(
        self,
        words: Iterable[str],
        counts: Iterable[int],
        vectors: NDArray[Any],
        *,
        provenance: Provenance | str | None = None,
        fallback: str | Iterable[str] = (),
    ) -> None:
        # one row a word is enough to look words up and to check them
        counts = np.asarray(list(counts), dtype=np.int64)
        self._index = Embeddings(
            list(words), np.ones((counts.size, 1)), provenance=provenance, fallback=fallback
        )
        if vectors.ndim != 2 or vectors.shape[0] != int(counts.sum()) or vectors.shape[1] == 0:
            raise EvidenceError(
                f"there are {int(counts.sum())} contexts for vectors of shape {vectors.shape}.",
                hint="give one row a context.",
            )
        if (counts < 1).any():
            word = self._index.labels[int(np.argmin(counts))]
            raise EvidenceError(f"{word!r} has no context.", hint="leave out words without contexts.")
        if vectors.dtype.kind != "f":
            raise EvidenceError(f"the vectors are of type {vectors.dtype}.", hint="give real numbers.")
        view = vectors.view()
        view.flags.writeable = False
        self._vectors: NDArray[Any] = view
        self._offsets = np.concatenate([[0], np.cumsum(counts)])

    @classmethod
    def from_dict(
        cls,
        contexts: Mapping[str, ArrayLike],
        *,
        provenance: Provenance | str | None = None,
        fallback: str | Iterable[str] = (),
    ) -> Contexts:
        """Build from a mapping of word to an array with one row a context."""
        if not contexts:
            raise EvidenceError(
                "there are no contexts: the mapping is empty.", hint="give at least one word."
            )
        arrays = {word: np.asarray(rows) for word, rows in contexts.items()}
        first_word, first = next(iter(arrays.items()))
        for word, rows in arrays.items():
            if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1:] != first.shape[1:]:
                raise EvidenceError(
                    f"the contexts of {word!r} have shape {rows.shape}, of {first_word!r} {first.shape}.",
                    hint="give each word an array with one row a context, all of the same length.",
                )
        stacked = np.concatenate(list(arrays.values()))
        if stacked.dtype.kind in "iu":
            stacked = stacked.astype(np.float64)
        if not np.isfinite(stacked).all():
            bad = next(word for word, rows in arrays.items() if not np.isfinite(rows).all())
            raise EvidenceError(
                f"a context of {bad!r} holds nan or infinite values.", hint="remove or repair it."
            )
        counts = [len(rows) for rows in arrays.values()]
        return cls(list(arrays), counts, stacked, provenance=provenance, fallback=fallback)

    @property
    def index(self) -> Embeddings:
        """The words as labels of one-dimensional stand-ins: what finds them by the spelling rules."""
        return self._index

    @property
    def words(self) -> tuple[str, ...]:
        """The words, in the order of their vectors."""
        return self._index.labels

    @property
    def vectors(self) -> NDArray[Any]:
        """All context vectors; read-only."""
        return self._vectors

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the contexts of each word begin, and where the last ones end."""
        return self._offsets

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return int(self._vectors.shape[1])

    @property
    def fallback(self) -> tuple[str, ...]:
        """The rules tried for words that are not found as written."""
        return self._index.fallback

    @property
    def provenance(self) -> Provenance:
        """Where the vectors came from."""
        return self._index.provenance

    def find(self, word: str) -> Match | None:
        """Find a word; the row of the match is its position among the words."""
        return self._index.find(word)

    def count(self, word: str) -> int:
        """How many contexts a word has."""
        return len(self[word])

    def __getitem__(self, word: str) -> NDArray[Any]:
        match = self.find(word)
        if match is None:
            raise InputError(f"{word!r} is not among the {len(self)} words.")
        rows: NDArray[Any] = self._vectors[self._offsets[match.row] : self._offsets[match.row + 1]]
        return rows

    def __contains__(self, word: object) -> bool:
        return word in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self._index)

    def __repr__(self) -> str:
        rows, dim = self._vectors.shape
        kind, source = self._vectors.dtype, self.provenance.source
        return f"<Contexts: {len(self):,} words, {rows:,} × {dim} {kind}, {source}>"
