"""Native fastText models (``.bin``): the vector of a word is the mean of its own row and its n-grams' rows.

The file holds a magic number and version, the arguments, the dictionary, the input matrix (one row per word,
then one per bucket), and the output matrix, which is not needed. Only words of the dictionary are read:
fastText can compose a vector for any string, but such a vector reflects the spelling, not the
corpus.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError
from crossroads.core.evidence.embeddings import COMMON
from crossroads.core.storage.arrays import check_expansion
from crossroads.core.storage.streams import Stream
from crossroads.words.vectors.reader import INCOMPLETE, Reading, Request, Vocabulary, decode_word
from crossroads.words.vectors.rows import Pool, Rows

MAGIC = struct.pack("<i", 793712314)
"""First four bytes of every model."""

_VERSIONS = (11, 12)
_SUPERVISED = 3
_MOST_WORDS = 1 << 28
_WORD = 0
_BLOCK = 1 << 22
_BATCH = 256
_LONGEST_NGRAM = 32
"""Published models have n-grams of up to 6 characters; the work grows with their number."""


class _Model(NamedTuple):
    """The arguments of a model that are needed."""

    dim: int
    bucket: int
    minn: int
    maxn: int


class _Dictionary(NamedTuple):
    """The words of a model that are read, by row, and facts about all."""

    kept: dict[int, bytes]
    vocabulary: Vocabulary
    pruned: dict[int, int] | None
    """Bucket to row, in a model from which some buckets were removed."""


class _Cursor:
    """Read a stream forward through a buffer, and report where the file breaks off."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._data, self._position = stream, b"", 0

    def take(self, size: int) -> bytes:
        if len(self._data) - self._position < size:
            self._fill(size)
        piece = self._data[self._position : self._position + size]
        if len(piece) < size:
            raise self.broken("the data ends early")
        self._position += size
        return piece

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def word(self) -> bytes:
        end = self._data.find(b"\0", self._position)
        if end < 0:
            self._fill(0)
            end = self._data.find(b"\0", self._position)
            if end < 0:
                raise self.broken("a word of the dictionary does not end")
        token, self._position = self._data[self._position : end], end + 1
        return token

    def offset(self) -> int:
        return self._stream.position - len(self._data) + self._position

    def broken(self, reason: str) -> FormatError:
        return FormatError(f"{reason}, at byte {self.offset():,}.", hint=INCOMPLETE)

    def _fill(self, size: int) -> None:
        self._data = self._data[self._position :] + self._stream.read(max(_BLOCK, size))
        self._position = 0


def read(path: Path, request: Request) -> Reading:
    """Read a native fastText model."""
    with request.open(path) as stream:
        cursor = _Cursor(stream)
        model = _arguments(cursor)
        dictionary = _dictionary(cursor, request)
        rows = _matrix_shape(cursor, model, dictionary)
        fetch = _fetcher(cursor, stream, rows, model, dictionary)
        gathered = Rows(model.dim, request, dictionary.vocabulary)
        kept = list(dictionary.kept.items())
        for start in range(0, len(kept), _BATCH):
            batch = kept[start : start + _BATCH]
            vectors = np.stack([fetch(_parts(i, token, model, dictionary)) for i, token in batch])
            labels = [decode_word(token, request.encoding_errors, i + 1) for i, token in batch]
            gathered.add(labels, vectors, [i + 1 for i, _ in batch])
        return gathered.reading(minn=model.minn, maxn=model.maxn, bucket=model.bucket)


def _arguments(cursor: _Cursor) -> _Model:
    if cursor.take(4) != MAGIC:
        raise FormatError(
            "the first bytes are not those of a fastText model.",
            hint="word2vec binaries are also called .bin: leave format out, or give word2vec-binary.",
        )
    (version,) = cursor.unpack("<i")
    if version not in _VERSIONS:
        raise FormatError(f"fastText version {version} is not known.", hint="known: 11 and 12.")
    dim, _, _, _, _, _, _, kind, bucket, minn, maxn, _ = cursor.unpack("<12i")
    cursor.take(8)
    if dim < 1 or bucket < 0:
        raise cursor.broken(f"the model declares {dim} dimensions and {bucket} buckets")
    if version == _VERSIONS[0] and kind == _SUPERVISED:
        maxn = 0
    if maxn > _LONGEST_NGRAM:
        raise cursor.broken(f"the model declares n-grams of up to {maxn:,} characters")
    return _Model(dim, bucket, minn, maxn)


def _dictionary(cursor: _Cursor, request: Request) -> _Dictionary:
    entries, words, labels = cursor.unpack("<3i")
    _, pruned_size = cursor.unpack("<2q")
    if not 0 < words <= entries <= _MOST_WORDS or words + labels != entries:
        raise cursor.broken(f"the dictionary declares {entries:,} entries, {words:,} of them words")
    wanted, vocabulary = request.wanted_bytes(), Vocabulary(request=request)
    others = Pool(request, vocabulary, 0, np.float32) if request.reads_others else None
    kept: dict[int, bytes] = {}
    for start in range(0, entries, _BLOCK // 64):
        block = (cursor.word() for _ in range(start, min(start + _BLOCK // 64, entries)))
        tokens = [token for token in block if cursor.take(9)[8] == _WORD]
        first = vocabulary.size
        vocabulary.see(tokens)
        places = set(COMMON.tolist() if first < COMMON[-1] else ())
        kept.update(
            (first + i, one)
            for i, one in enumerate(tokens)
            if wanted is None or one in wanted or first + i + 1 in places
        )
        if others is not None:
            some = others.choose(tokens, first + 1)
            without_vectors: NDArray[np.float32] = np.empty((len(some), 0), np.float32)
            others.add([tokens[i].decode() for i in some], without_vectors, [first + i + 1 for i in some])
    if vocabulary.size != words:
        raise cursor.broken(f"the dictionary declares {words:,} words and holds {vocabulary.size:,}")
    if others is not None:
        found = others.sample()
        kept.update(zip((found.ranks - 1).tolist(), map(str.encode, found.labels), strict=True))
        kept = dict(sorted(kept.items()))
    pruned = dict(struct.iter_unpack("<2i", cursor.take(8 * pruned_size))) if pruned_size >= 0 else None
    return _Dictionary(kept, vocabulary, pruned)


def _matrix_shape(cursor: _Cursor, model: _Model, dictionary: _Dictionary) -> int:
    (quantised,) = cursor.unpack("<?")
    if quantised:
        raise FormatError(
            "this is a quantised model (.ftz): its vectors are approximations, in another layout.",
            hint="use the full .bin model, or its .vec file.",
        )
    rows, columns = cursor.unpack("<2q")
    words = dictionary.vocabulary.size
    least = words + (len(dictionary.pruned) if dictionary.pruned is not None else model.bucket)
    if columns != model.dim or rows != least:
        raise cursor.broken(
            f"the matrix is {rows:,} × {columns}, expected {least:,} × {model.dim} for {words:,} words"
        )
    outside = [row for row in (dictionary.pruned or {}).values() if not 0 <= row < rows - words]
    if outside:
        raise cursor.broken(f"a word points at row {words + outside[0]:,} of {rows:,}")
    return rows


def _parts(i: int, token: bytes, model: _Model, dictionary: _Dictionary) -> list[int]:
    buckets = subword_buckets(token, model.minn, model.maxn, model.bucket)
    if dictionary.pruned is not None:
        buckets = [dictionary.pruned[bucket] for bucket in buckets if bucket in dictionary.pruned]
    first = dictionary.vocabulary.size
    return [i, *(first + bucket for bucket in buckets)]


def _fetcher(
    cursor: _Cursor, stream: Stream, rows: int, model: _Model, dictionary: _Dictionary
) -> Callable[[list[int]], NDArray[np.float32]]:
    """Return a function that gives the mean of some rows of the matrix, read in the cheapest way."""
    offset, width = cursor.offset(), 4 * model.dim
    if stream.plain and stream.size < offset + rows * width:
        raise cursor.broken(f"the matrix of {rows:,} × {model.dim} numbers is cut off")
    check_expansion(stream.path, rows * width, stream.size)
    needed: NDArray[np.int64] | None = None
    table: NDArray[np.float32]
    if stream.plain:
        table = np.memmap(stream.path, "<f4", "r", offset, (rows, model.dim))
    else:
        parts = (_parts(i, token, model, dictionary) for i, token in dictionary.kept.items())
        needed = np.unique(np.fromiter(chain.from_iterable(parts), dtype=np.int64))
        table = _gather(cursor, needed, model.dim)

    def mean(part: list[int]) -> NDArray[np.float32]:
        places = part if needed is None else np.searchsorted(needed, part)
        with np.errstate(invalid="ignore", over="ignore"):  # numbers that are not finite are refused later
            vector: NDArray[np.float32] = table[places].mean(axis=0, dtype=np.float64).astype(np.float32)
        return vector

    return mean


def _gather(cursor: _Cursor, needed: NDArray[np.int64], dim: int) -> NDArray[np.float32]:
    """The rows needed, in one forward pass over the matrix."""
    table: NDArray[np.float32] = np.empty((len(needed), dim), np.float32)
    width = 4 * dim
    step = max(1, _BLOCK // width)
    last = int(needed[-1]) + 1 if needed.size else 0
    for start in range(0, last, step):
        stop = min(start + step, last)
        low, high = np.searchsorted(needed, (start, stop))
        block = np.frombuffer(cursor.take((stop - start) * width), "<f4").reshape(-1, dim)
        table[low:high] = block[needed[low:high] - start]
    return table


_OFFSET, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF
_CONTINUATION, _TOP_BITS = 0x80, 0xC0
END_OF_SENTENCE = b"</s>"
"""The one word that has no n-grams."""


def subword_buckets(word: bytes, minn: int, maxn: int, bucket: int) -> list[int]:
    """The bucket of every n-gram of a word, in the order fastText lists them."""
    if bucket < 1 or maxn < 1 or word == END_OF_SENTENCE:
        return []
    marked = b"<" + word + b">"
    size = len(marked)
    buckets: list[int] = []
    for start in range(size):
        if marked[start] & _TOP_BITS == _CONTINUATION:
            continue
        value, stop, length = _OFFSET, start, 1
        while stop < size and length <= maxn:
            more = True
            while more:  # a character, of one byte or more
                byte = marked[stop]  # as a signed char
                value = ((value ^ (byte | (0 if byte < _CONTINUATION else 0xFFFFFF00))) * _PRIME) & _MASK
                stop += 1
                more = stop < size and marked[stop] & _TOP_BITS == _CONTINUATION
            if length >= minn and not (length == 1 and (start == 0 or stop == size)):
                buckets.append(value % bucket)
            length += 1
    return buckets
