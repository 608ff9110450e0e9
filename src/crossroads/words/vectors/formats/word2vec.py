"""word2vec binary: a header ``count dim``, then each word, a space, and ``dim`` little-endian float32.

The original program writes a line break after each vector, others do not; both are read. Vectors that are
not asked for are skipped without being parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError
from crossroads.core.storage.streams import Stream
from crossroads.words.vectors.formats.text import HEADER
from crossroads.words.vectors.reader import Reading, Request, shown
from crossroads.words.vectors.rows import Block, gather

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
        expected = count if request.wanted is None and stream.plain else None
        return gather(
            _blocks(stream, head[start:], count, dim), request=request, path=path, expected=expected
        )


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


def _blocks(stream: Stream, data: bytes, count: int, dim: int) -> Iterator[Block]:
    """Yield the whole records of each block; ``data`` is what was read behind the header."""
    done = 0
    while done < count:
        piece = stream.read(max(_BLOCK, 8 * dim))
        data += piece
        tokens, starts, position = _records(data, dim, count - done)
        if not tokens:
            raise _incomplete(stream.path, data, piece, count, done)
        yield Block(tokens, partial(_vectors, data, starts, dim))
        done += len(tokens)
        data = data[position:]
    left = (data + stream.read(_BLOCK)).strip(b"\r\n\x00 ")
    if left:
        raise FormatError(
            f"the header promises {count:,} words, but data follows the last one: {shown(left)}.",
            path=stream.path,
            line=count,
            hint="correct the count in the header, or fetch the file again.",
        )


def _records(data: bytes, dim: int, most: int) -> tuple[list[bytes], list[int], int]:
    """The words in some data, the place of each vector, and the end of the last whole record."""
    size, position, find, width = len(data), 0, data.find, 4 * dim
    tokens: list[bytes] = []
    starts: list[int] = []
    while len(tokens) < most:
        space = find(b" ", position, position + _LONGEST_WORD)
        after = space + 1 + width
        if space < 0 or after > size:
            break
        tokens.append(data[position:space].lstrip(b"\n"))
        starts.append(space + 1)
        position = after
    return tokens, starts, position


def _vectors(data: bytes, starts: list[int], dim: int, places: list[int]) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = np.empty((len(places), dim), np.float32)
    for row, i in enumerate(places):
        vectors[row] = np.frombuffer(data, "<f4", dim, starts[i])
    return vectors


def _incomplete(path: Path, data: bytes, piece: bytes, count: int, done: int) -> FormatError:
    if not piece:
        return FormatError(
            f"the file breaks off: the header promises {count:,} words, {done:,} are complete.",
            path=path,
            line=done + 1,
            hint="the file is incomplete; fetch it again.",
        )
    return FormatError(
        f"no word ends within {_LONGEST_WORD:,} bytes: {shown(data, 24)}.",
        path=path,
        line=done + 1,
        hint="the numbers may not be float32 or the dimensions not those of the header.",
    )
