"""Rows gathered from a file of vectors, and a pool of its other words, read in the same pass.

Measures compare with frequency-matched words, or with words of any topic: a pool of some thousand words. The
row of a word decides whether it is in the pool, so that a file always gives the same one, however it is cut
into blocks.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crossroads.core.errors import FormatError, in_short
from crossroads.core.evidence.embeddings import COMMON, scattered
from crossroads.words.vectors.reader import Reading, Request, Sample, Vocabulary, decode_word

_FIRST_ROWS = 1024
_LEAST_WORDS = 2_000
"""Words of a file below which its first rows say nothing about its order."""
_COMMON = {
    "en": "the of and to in is for that",
    "de": "der die und in den von zu das",
    "fr": "de la le et les des en que",
    "es": "de la que el en y los del",
    "pt": "de a que o e do da em",
    "it": "di e il la che in un per",
    "nl": "de van het een en in is dat",
    "sv": "och i att en som det av för",
    "da": "og i at det er en af til",
    "no": "og i det er en på som til",
    "fi": "ja on ei se että hän oli mutta",
    "pl": "w i na z do się nie że",
    "cs": "a v se na je že s z",
    "ru": "и в на не что с по как",
    "uk": "і в на не що з до та",
    "tr": "ve bir bu da de için ile çok",
    "id": "yang dan di ini dengan untuk dari itu",
    "zh": "的 是 在 了 不 和 有 我",
    "ja": "の に は を が と で た",
    "ar": "في من على أن إلى ما لا هذا",
    "hi": "के में है की और से का को",
}
"""The eight most common words, or nearly, of some languages."""
_ENOUGH = 4
"""How many of them must be among the first."""


class Order(NamedTuple):
    """Whether words come in the order of their frequency, and how that was decided, in words."""

    by_frequency: bool
    decided: str


def order_of(request: Request, vocabulary: Vocabulary) -> Order:
    """Decide whether a source lists its words by frequency, the most frequent first.

    GloVe, word2vec and fastText write their vocabulary so. The first rows are looked at as well, since
    files are sorted, joined and cut: at least half of the eight most common words of one of some languages
    must be among them. Of other formats nothing is assumed.
    """
    if request.ranked is not None:
        return Order(request.ranked, f"{'by frequency' if request.ranked else 'unknown'}, as asked")
    if not request.usually_ranked:
        return Order(False, "unknown: this format has no order of its own")
    if vocabulary.size < _LEAST_WORDS:
        return Order(False, f"unknown: fewer than {_LEAST_WORDS:,} words")
    first = {word.lower() for word in vocabulary.head}
    found = max(([word for word in words.split() if word in first] for words in _COMMON.values()), key=len)
    if len(found) < _ENOUGH:
        return Order(False, f"unknown: few very common words are among the first {len(vocabulary.head)}")
    return Order(
        True,
        f"by frequency: the format is, and {', '.join(found)} are among the first {len(vocabulary.head)}",
    )


class Pool:
    """A sample of the words that were not asked for.

    Every row has a number between 0 and 1 that its place in the file decides, and the rows with the smallest
    products of that number and the row are kept. So the most frequent words are all there, and the others are
    spread evenly over the logarithm of the rank. Where the order of a file is unknown, the numbers alone
    decide, and every word has the same chance. Words with anything but letters are left out.
    """

    def __init__(self, request: Request, vocabulary: Vocabulary, dim: int, dtype: Any) -> None:
        self._request, self._vocabulary = request, vocabulary
        self._size = request.pool or 0
        self._wanted = request.wanted or frozenset()
        self._labels: list[str] = []
        self._ranks: list[int] = []
        self._blocks: list[NDArray[Any]] = [np.empty((0, dim), dtype)]
        self._largest = np.inf

    def choose(self, tokens: Sequence[str] | Sequence[bytes], first: int) -> list[int]:
        """Which of some consecutive words may come into the pool; ``first`` is the row of the first."""
        low = np.arange(len(tokens))
        if np.isfinite(self._largest):
            low = np.flatnonzero(self._keys(low + first) <= self._largest)
        return [i for i in low.tolist() if self._is_other_word(tokens[i])]

    def settle(self, tokens: Sequence[str] | Sequence[bytes], ranks: NDArray[np.int64]) -> list[int]:
        """Which words come into the pool, where all words of the source are known."""
        order = np.argsort(self._keys(ranks), kind="stable").tolist()
        return sorted(islice((row for row in order if self._is_other_word(tokens[row])), self._size))

    def add(self, labels: Sequence[str], vectors: NDArray[Any], ranks: Sequence[int]) -> None:
        """Add some words; those whose vectors cannot be measured are left out."""
        rows = list(range(len(labels)))
        if vectors.shape[1]:
            known = np.isfinite(vectors).all(axis=1)
            rows = np.flatnonzero(known & (vectors != 0).any(axis=1)).tolist()
        self._labels += [labels[row] for row in rows]
        self._ranks += [ranks[row] for row in rows]
        self._blocks.append(vectors[rows])
        if len(self._labels) > self._size + self._size // 4 + _LEAST_WORDS:
            self._prune()

    def sample(self) -> Sample:
        """The pool, in the order of the file."""
        self._prune()
        once = {label: row for row, label in reversed(list(enumerate(self._labels)))}
        rows = sorted(once.values())
        labels = [self._labels[row] for row in rows]
        return Sample(labels, self._blocks[0][rows], np.array(self._ranks, dtype=np.int64)[rows])

    def _prune(self) -> None:
        """Keep the smallest keys, and take no larger ones any more."""
        ranks = np.array(self._ranks, dtype=np.int64)
        keep = np.sort(np.argsort(self._keys(ranks), kind="stable")[: self._size])
        self._labels = [self._labels[row] for row in keep.tolist()]
        self._ranks = ranks[keep].tolist()
        self._blocks = [np.concatenate(self._blocks)[keep]]
        if len(keep) == self._size:
            self._largest = float(self._keys(ranks[keep]).max(initial=0.0))

    @cached_property
    def _by_frequency(self) -> bool:
        return order_of(self._request, self._vocabulary).by_frequency

    def _keys(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        numbers = scattered(ranks)
        return numbers * ranks if self._by_frequency else numbers

    def _is_other_word(self, token: str | bytes) -> bool:
        word = token if isinstance(token, str) else token.decode("utf-8", "replace")  # the mark is no letter
        return word.isalpha() and word not in self._wanted


class Rows:
    """Labels and vectors gathered one after the other, and those of a pool of other and of common words.

    Memory grows with what is kept, by half again each time, in place if the system allows.
    """

    def __init__(
        self,
        dim: int,
        request: Request,
        vocabulary: Vocabulary,
        *,
        dtype: DTypeLike = np.float32,
        expected: int | None = None,
    ) -> None:
        self._request, self._vocabulary, self.dim = request, vocabulary, dim
        self._wanted_bytes = request.wanted_bytes()
        self._vectors: NDArray[Any] = np.empty((expected or _FIRST_ROWS, dim), dtype)
        self._rows: dict[str, int] = {}
        self._lines, self._ranks = array("q"), array("q")
        self._pool = Pool(request, vocabulary, dim, dtype) if request.reads_others else None
        self._common = dict[int, NDArray[Any]]()
        self.identical = 0
        self.dropped = 0

    def hits(
        self, tokens: Sequence[str] | Sequence[bytes], first: int, ranks: NDArray[np.int64] | None = None
    ) -> list[int]:
        """Which of some consecutive words to read: those asked for, common ones, and perhaps others.

        With ``ranks``, the places of the words in the source, they are all that it has.
        """
        if self._request.wanted is None:
            return list(range(len(tokens)))
        raw = len(tokens) > 0 and isinstance(tokens[0], bytes)
        wanted: Any = self._wanted_bytes if raw else self._request.wanted
        hits = {i for i, token in enumerate(tokens) if token in wanted}
        places = np.arange(first, first + len(tokens)) if ranks is None else ranks
        hits.update(np.flatnonzero(np.isin(places, COMMON)).tolist() if first <= COMMON[-1] else ())
        if self._pool is not None:
            hits.update(
                self._pool.choose(tokens, first) if ranks is None else self._pool.settle(tokens, ranks)
            )
        return sorted(hits)

    def add(
        self,
        labels: Sequence[str],
        vectors: NDArray[Any],
        lines: Sequence[int],
        ranks: Sequence[int] | None = None,
    ) -> None:
        """Add some rows."""
        ranks = lines if ranks is None else ranks
        common = np.flatnonzero(np.isin(np.asarray(ranks), COMMON)).tolist()
        self._common.update((ranks[i], np.array(vectors[i])) for i in common)
        wanted = self._request.wanted
        if wanted is not None and any(label not in wanted for label in labels):
            if self._pool is not None:
                other = [i for i, label in enumerate(labels) if label not in wanted and label.isalpha()]
                self._pool.add([labels[i] for i in other], vectors[other], [ranks[i] for i in other])
            rest = [i for i, label in enumerate(labels) if label in wanted]
            labels, vectors = [labels[i] for i in rest], vectors[rest]
            lines, ranks = [lines[i] for i in rest], [ranks[i] for i in rest]
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1)) if vectors.dtype.kind == "f" else np.empty(0)
        if bad.size:
            i = int(bad[0])
            value = vectors[i][~np.isfinite(vectors[i])][0]
            raise FormatError(
                f"the vector of {in_short(labels[i])} holds {value}.",
                line=lines[i],
                hint="every number must be finite; remove the row, or repair it at its source.",
            )
        start = len(self._rows)
        fresh: list[int] = []
        for i, (label, line) in enumerate(zip(labels, lines, strict=True)):
            row = self._rows.get(label)
            if row is None:
                self._rows[label] = start + len(fresh)
                self._lines.append(line)
                self._ranks.append(ranks[i])
                fresh.append(i)
                continue
            first = self._vectors[row] if row < start else vectors[fresh[row - start]]
            if np.array_equal(first, vectors[i].astype(self._vectors.dtype, copy=False)):
                self.identical += 1
            elif self._request.duplicates == "first":
                self.dropped += 1
            else:
                raise FormatError(
                    f"{in_short(label)} has two different vectors, the first at line {self._lines[row]}.",
                    line=line,
                    hint='remove one of the rows, or load it in Python with duplicates="first".',
                )
        capacity, dim = self._vectors.shape
        if start + len(fresh) > capacity:
            rows = max(start + len(fresh), capacity + capacity // 2)
            self._vectors.resize((rows, dim), refcheck=False)
        block = vectors if len(fresh) == len(labels) else vectors[fresh]
        self._vectors[start : start + len(fresh)] = block

    def reading(self, **details: Any) -> Reading:
        """Everything that was gathered; no rows can be added afterwards."""
        self._vectors.resize((len(self._rows), self._vectors.shape[1]), refcheck=False)
        if self.identical:
            details["identical_duplicates"] = self.identical
        if self.dropped:
            details["different_duplicates_dropped"] = self.dropped
        return Reading(
            labels=list(self._rows),
            vectors=self._vectors,
            vocabulary=self._vocabulary,
            ranks=np.array(self._ranks, dtype=np.int64),
            common=np.array([self._common[place] for place in sorted(self._common)]).reshape(-1, self.dim),
            pool=None if self._pool is None else self._pool.sample(),
            details=details,
        )


class Block(NamedTuple):
    """Consecutive words of a file, decoded or not, and a function that reads the vectors of some of them."""

    tokens: Sequence[str] | Sequence[bytes]
    vectors: Callable[[list[int]], NDArray[Any]]
    lines: Sequence[int] | None = None
    """The line of each word; None where that is its place among all words."""


def gather(blocks: Iterable[Block], request: Request, *, expected: int | None = None) -> Reading:
    """Take the words asked for out of a file that is read block by block."""
    vocabulary = Vocabulary(request=request)
    rows: Rows | None = None
    for tokens, vectors, lines in blocks:
        if not tokens:
            continue
        if rows is None:
            sample = vectors([0])
            rows = Rows(sample.shape[1], request, vocabulary, dtype=sample.dtype, expected=expected)
        first = vocabulary.size + 1
        vocabulary.see(tokens)
        if hits := rows.hits(tokens, first):
            places = [first + i for i in hits]
            numbers = places if lines is None else [lines[i] for i in hits]
            labels = [
                decode_word(tokens[i], request.encoding_errors, line)
                for i, line in zip(hits, numbers, strict=True)
            ]
            block = vectors(hits)
            if block.shape[1] != rows.dim:
                raise FormatError(
                    f"a vector has {block.shape[1]} number(s), the others have {rows.dim}.", line=first
                )
            rows.add(labels, block, numbers, places)
    if rows is None:
        raise FormatError("the file holds no rows.")
    return rows.reading()


def select(
    labels: Sequence[str],
    matrix: NDArray[Any],
    request: Request,
    *,
    decode: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray,
    ranks: NDArray[np.int64] | None = None,
    **details: Any,
) -> Reading:
    """Take the rows asked for out of a matrix, some rows of which ``decode`` turns into numbers.

    A memory-mapped matrix of which everything is wanted stays on disk. ``ranks`` are the places of the words
    in the source that they were chosen from.
    """
    if matrix.ndim != 2 or 0 in matrix.shape:
        hint = "expected one row per word, at least one."
        raise FormatError(f"the vectors have shape {matrix.shape}.", hint=hint)
    if matrix.dtype.kind not in "fiu":
        raise FormatError(f"the vectors are of type {matrix.dtype}.", hint="expected real numbers.")
    if len(labels) != len(matrix):
        raise FormatError(
            f"there are {len(labels):,} labels for {len(matrix):,} vectors.",
            hint="expected one label per row; check that both files belong together.",
        )
    mapped = isinstance(matrix, np.memmap) and decode is np.asarray
    if request.wanted is None and mapped and len(set(labels)) == len(labels):
        places = np.arange(1, len(labels) + 1) if ranks is None else ranks
        return Reading(
            labels=list(labels),
            vectors=matrix,
            vocabulary=Vocabulary(labels, request=request),
            ranks=places,
            common=np.array(matrix[np.flatnonzero(np.isin(places, COMMON))]),
            details=details,
        )
    return select_rows(labels, lambda rows: decode(matrix[rows]), request, ranks=ranks, **details)


def select_rows(
    labels: Sequence[str],
    fetch: Callable[[list[int]], NDArray[Any]],
    request: Request,
    *,
    ranks: NDArray[np.int64] | None = None,
    **details: Any,
) -> Reading:
    """Take the rows asked for where all words are known; ``fetch`` reads some rows."""
    first = fetch([0])
    rows = Rows(
        first.shape[1],
        request,
        Vocabulary(labels, request=request),
        dtype=first.dtype.newbyteorder("="),
        expected=len(labels) if request.wanted is None else None,
    )
    places = np.arange(1, len(labels) + 1) if ranks is None else ranks
    keep = rows.hits(labels, 1, places)
    for start in range(0, len(keep), _FIRST_ROWS):
        part = keep[start : start + _FIRST_ROWS]
        lines = [row + 1 for row in part]
        rows.add([labels[row] for row in part], fetch(part), lines, places[part].tolist())
    return rows.reading(**details)
