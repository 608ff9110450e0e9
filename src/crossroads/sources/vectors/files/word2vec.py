"""word2vec binary: a header ``count dim``, then each word, a space, and ``dim`` little-endian float32.

The original program writes a line break after each vector, others do not; both are read. Vectors that are
not asked for are skipped without being parsed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError
from crossroads.sources.vectors.files.text import HEADER, decode_word, shown
from crossroads.sources.vectors.reader import Reading, Request, Vocabulary
from crossroads.sources.vectors.rows import Rows
from crossroads.storage.streams import Stream

_BLOCK = 1 << 22
_LONGEST_WORD = 1 << 14
_LARGEST_DIM = 1 << 20


def read(path: Path, request: Request) -> Reading:
    """Read word2vec binary, as Google News is published."""
    with request.open(path) as stream:
        head = stream.read(_LONGEST_WORD)
        count, dim, start = _header(head, path)
        if stream.plain:
            _check_size(path, stream.size - start, count, dim)
        return _Scanner(stream, head[start:], count, dim, request).scan()


def _header(head: bytes, path: Path) -> tuple[int, int, int]:
    line, newline, _ = head.partition(b"\n")
    match = HEADER.fullmatch(line)
    if match is None or not newline:
        raise FormatError(
            f"the header is {shown(line)}.",
            path=path,
            line=1,
            hint='expected "count dim", two whole numbers; this is not word2vec binary.',
        )
    count, dim = int(match[1]), int(match[2])
    if count < 1 or not 1 <= dim <= _LARGEST_DIM:
        raise FormatError(f"the header promises {count} words of {dim} dimensions.", path=path, line=1)
    return count, dim, len(line) + 1


def _check_size(path: Path, size: int, count: int, dim: int) -> None:
    least = count * (4 * dim + 1)
    if size < least:
        raise FormatError(
            f"the header promises {count:,} vectors of {dim} numbers, at least {least:,} bytes; "
            f"there are {size:,}.",
            path=path,
            hint="the file is incomplete; fetch it again.",
        )


class _Scanner:
    """Scan word by word through a buffer that is refilled as it empties."""

    def __init__(self, stream: Stream, data: bytes, count: int, dim: int, request: Request) -> None:
        self._stream, self._data = stream, data
        self._count, self._dim = count, dim
        self._request = request
        self._vocabulary = Vocabulary(request=request)
        expected = count if request.wanted is None and stream.plain else None
        self._rows = Rows(
            dim, request=request, path=stream.path, vocabulary=self._vocabulary, expected=expected
        )

    def scan(self) -> Reading:
        done = 0
        while done < self._count:
            done += self._scan_block(done)
        left = (self._data + self._stream.read(_BLOCK)).strip(b"\r\n\x00 ")
        if left:
            raise FormatError(
                f"the header promises {self._count:,} words, but data follows the last one: {shown(left)}.",
                path=self._stream.path,
                line=self._count,
                hint="correct the count in the header, or fetch the file again.",
            )
        return self._rows.reading()

    def _scan_block(self, done: int) -> int:
        """Take every whole record out of the buffer; return their number."""
        piece = self._stream.read(max(_BLOCK, 8 * self._dim))
        data, width = self._data + piece, 4 * self._dim
        size, position, find, most = len(data), 0, data.find, self._count - done
        tokens: list[bytes] = []
        starts: list[int] = []
        while len(tokens) < most:
            space = find(b" ", position, position + _LONGEST_WORD)
            after = space + 1 + width
            if space < 0 or after > size:
                break
            token = data[position:space].lstrip(b"\n")
            starts.append(space + 1)
            tokens.append(token)
            position = after
        if not tokens:
            self._raise_incomplete(data, piece, done)
        self._vocabulary.see_bytes(tokens)
        self._keep(data, tokens, starts, done)
        self._data = data[position:]
        return len(tokens)

    def _keep(self, data: bytes, tokens: list[bytes], starts: list[int], done: int) -> None:
        hits = self._rows.hits(tokens, done + 1)
        if not hits:
            return
        path, errors = self._stream.path, self._request.encoding_errors
        labels = [decode_word(tokens[i], errors, path=path, number=done + i + 1) for i in hits]
        vectors: NDArray[np.float32] = np.empty((len(hits), self._dim), np.float32)
        for row, i in enumerate(hits):
            vectors[row] = np.frombuffer(data, "<f4", self._dim, starts[i])
        self._rows.add(labels, vectors, [done + i + 1 for i in hits])

    def _raise_incomplete(self, data: bytes, piece: bytes, done: int) -> None:
        if not piece:
            raise FormatError(
                f"the file breaks off: the header promises {self._count:,} words, {done:,} are complete.",
                path=self._stream.path,
                line=done + 1,
                hint="the file is incomplete; fetch it again.",
            )
        raise FormatError(
            f"no word ends within {_LONGEST_WORD:,} bytes: {shown(data, 24)}.",
            path=self._stream.path,
            line=done + 1,
            hint="the numbers may not be float32 or the dimensions not those of the header.",
        )
