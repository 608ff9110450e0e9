"""Vectors of GloVe and word2vec, as text and binary.

* Text: on every line a word and its numbers. GloVe has no header; word2vec and fastText's ``.vec`` begin with
  ``count dim``.
* Binary: that header, then each word, a space, and ``dim`` little-endian float32. The original program writes
  a line break after each vector, others do not; both are read.

One pass over the bytes, a block at a time. In every block of text the line breaks and separators are found
with numpy; words are compared as bytes; numbers are parsed only where they are kept. The count of numbers is
still checked on every line, and one line per block is parsed as a sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError
from crossroads.core.storage.streams import Stream
from crossroads.words.vectors.reader import INCOMPLETE, Reading, Request, is_number, shown
from crossroads.words.vectors.rows import Block, gather

HEADER = re.compile(rb"[ \t]*(\d{1,12})[ \t]+(\d{1,9})[ \t\r]*")
"""The first line of word2vec text and binary: number of words, number of dimensions."""
_LARGEST_DIM = 1 << 20
_TEXT_BLOCK, _BLOCK = 1 << 20, 1 << 22
_LONGEST_LINE, _LONGEST_WORD = 64 << 20, 1 << 14
_SAMPLE_LINES = 64
_NEWLINE, _SPACE, _TAB = b"\n \t"
_LOOKS_MEASURED = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")


def _header(line: bytes) -> tuple[int, int]:
    match = HEADER.fullmatch(line)
    if match is None:
        raise FormatError(
            f"the header is {shown(line)}.",
            line=1,
            hint='expected "count dim", two whole numbers; text without a header is format="glove-text".',
            option="format",
        )
    count, dim = int(match[1]), int(match[2])
    if count < 1 or not 1 <= dim <= _LARGEST_DIM:
        hint = f"expected both > 0, and at most {_LARGEST_DIM:,} dimensions."
        raise FormatError(f"the header promises {count} words of {dim} dimensions.", line=1, hint=hint)
    return count, dim


def read_text(path: Path, request: Request, *, header: bool) -> Reading:
    """Read text: on every line a word and its numbers, after a header or without."""
    with request.open(path) as stream:
        blocks = _whole_lines(stream)
        first, unfinished = next(blocks, (b"", False))
        first = first.removeprefix(b"\xef\xbb\xbf")
        count = dim = None
        if header:
            line, _, first = first.partition(b"\n")
            count, dim = _header(line)
            if not first:
                first, unfinished = next(blocks, (b"", False))
        sample = [line for line in first.split(b"\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
        if not sample:
            raise FormatError("there is not a single vector.", hint="the file is empty or cut off.")
        start = 2 if header else 1
        dim = _usual_count(sample, start) if dim is None else dim  # by majority, as all of the layout
        trailing = sum(line.rstrip(b"\r").endswith((b" ", b"\t")) for line in sample)
        tabs = any(b"\t" in line for line in sample)
        layout = _Layout(dim, tabs, dim + (2 * trailing > len(sample)))
        pieces = chain([(first, unfinished)], blocks)
        reading = gather(_scanned(pieces, layout, start, sample=request.wanted is not None), request)
        found = reading.vocabulary.size
        if count is not None and found != count:
            hint = INCOMPLETE if found < count else "correct the count in the first line."
            raise FormatError(
                f"the header promises {count:,} words, the file holds {found:,}.", line=1, hint=hint
            )
        return reading


def _whole_lines(stream: Stream) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks that end at a line break, and whether the file ends without one."""
    tail = b""
    while piece := stream.read(_TEXT_BLOCK):
        data = tail + piece
        cut = data.rfind(b"\n") + 1
        tail = data[cut:]
        if len(tail) > _LONGEST_LINE:
            raise FormatError(f"there is no line break in {len(tail):,} bytes.", hint="this is not text.")
        if cut:
            yield data[:cut], False
    if tail:
        yield tail + b"\n", True


class _Layout(NamedTuple):
    """Numbers on the lines of a file, and whether tabs separate them, as well as spaces."""

    dim: int
    tabs: bool
    separators: int
    """Separators on an ordinary line, whose word holds none; fastText writes one more at the end."""


def _usual_count(lines: list[bytes], first_line: int) -> int:
    """How many numbers most lines end in; of equally frequent counts, the smallest that is not 0."""
    ends = [sum(1 for _ in takewhile(is_number, reversed(line.split()[1:]))) for line in lines]
    counts = Counter(ends)
    most = max(counts.values())
    usual = min((count for count in counts if count and counts[count] == most), default=0)
    if usual:
        return usual
    bare = ends.index(0)
    raise FormatError(
        f"expected a word followed by numbers, found {shown(lines[bare])}.",
        line=first_line + bare,
        hint="name its format= if it is another one.",
        option="format",
    )


def _scanned(
    pieces: Iterable[tuple[bytes, bool]], layout: _Layout, line: int, *, sample: bool
) -> Iterator[Block]:
    """Yield the words of blocks of whole lines; of each block a line is parsed as a sample."""
    for piece, unfinished in pieces:
        if piece:
            block, lines = _scan(piece, layout, line, unfinished)
            if sample and block.tokens:
                block.vectors([0])
            yield block
            line += lines


def _scan(piece: bytes, layout: _Layout, line: int, unfinished: bool) -> tuple[Block, int]:
    """The words of a block of whole lines, the first of which is line ``line``, and how many lines it has."""
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    mask = (data == _SPACE) | (data == _TAB) if layout.tabs else data == _SPACE
    # Counted modulo 256, which is all that eight bits hold: enough to notice a line that differs.
    separators = np.add.reduceat(mask.view(np.uint8), starts, dtype=np.uint8)
    irregular = np.flatnonzero(separators != layout.separators % 256).tolist()
    tokens = _tokens(piece, starts.tolist(), layout.tabs)
    lines: Sequence[int] = range(line, line + len(tokens))
    spans = list(zip(lines, starts.tolist(), ends.tolist(), strict=True))
    blank: set[int] = set()
    for i in irregular:
        number, start, end = spans[i]
        if piece[start:end].strip():
            ends_file = unfinished and i == len(tokens) - 1
            tokens[i], _ = _split_line(piece[start:end], layout.dim, number, ends_file)
        else:
            blank.add(i)
    if blank:
        spans = [span for i, span in enumerate(spans) if i not in blank]
        tokens = [token for i, token in enumerate(tokens) if i not in blank]
        lines = [number for number, _, _ in spans]

    def vectors(places: list[int]) -> NDArray[np.float32]:
        numbers: NDArray[np.float32] = np.empty((len(places), layout.dim), np.float32)
        for row, i in enumerate(places):
            number, start, end = spans[i]
            numbers[row] = _parse_numbers(_split_line(piece[start:end], layout.dim, number)[1], number)
        return numbers

    return Block(tokens, vectors, lines), len(ends)


def _tokens(block: bytes, starts: list[int], tabs: bool) -> list[bytes]:
    """First field of every line; right for ordinary lines, corrected later for the others."""
    find = block.find
    if not tabs:
        return [block[start : find(b" ", start)] for start in starts]
    tokens = []
    for start in starts:
        space, tab = find(b" ", start), find(b"\t", start)
        stop = min(space, tab) if min(space, tab) >= 0 else max(space, tab)
        tokens.append(block[start:stop])
    return tokens


def _split_line(line: bytes, dim: int, number: int, unfinished: bool = False) -> tuple[bytes, list[bytes]]:
    fields = line.rsplit(None, dim)
    word, count = fields[0] if fields else b"", len(fields) - 1
    if count == dim:
        extra = re.split(rb"[ \t]", word)
        measured = [_LOOKS_MEASURED.fullmatch(field) is not None for field in extra]
        whole_numbers = all(measured) and b"." not in word
        if len(extra) == 1 or not measured[-1] or whole_numbers:
            return word, fields[1:]
        word, count = extra[0], dim + sum(measured[1:])
    elif len(fields) == dim and line[:1].isspace():
        return line[: len(line) - len(line.lstrip()) - 1], fields
    elif unfinished:
        raise FormatError(
            f"the file breaks off: the last line holds {max(count, 0)} of {dim} numbers.",
            line=number,
            hint=INCOMPLETE,
        )
    raise FormatError(
        f"{shown(word)} has {count} number(s), the other lines have {dim}.",
        line=number,
        hint="expected a word and then the same count of numbers on every line; remove or repair the line.",
    )


def _parse_numbers(fields: list[bytes], number: int) -> NDArray[np.float32]:
    """Convert fields to numbers; the error names the field that is not one."""
    try:
        with np.errstate(over="ignore"):
            return np.array(list(map(float, fields)), dtype=np.float32)
    except ValueError as error:
        column = next(i for i, field in enumerate(fields) if not is_number(field))
        raise FormatError(
            f"number {column + 1} of {len(fields)} is {shown(fields[column])}.",
            line=number,
            hint="expected a word and then numbers only.",
        ) from error


def read_binary(path: Path, request: Request) -> Reading:
    """Read word2vec binary, as Google News is published."""
    with request.open(path) as stream:
        line, _, data = stream.read(_LONGEST_WORD).partition(b"\n")
        count, dim = _header(line)
        size, least = stream.size - len(line) - 1, count * (4 * dim + 1)
        if stream.plain and size < least:
            raise FormatError(
                f"the header promises {count:,} vectors of {dim} numbers, at least {least:,} bytes; "
                f"there are {size:,}.",
                hint=INCOMPLETE,
            )
        expected = count if request.wanted is None and stream.plain else None
        return gather(_blocks(stream, data, count, dim), request, expected=expected)


def _blocks(stream: Stream, data: bytes, count: int, dim: int) -> Iterator[Block]:
    """Yield the whole records of each block; ``data`` is what was read behind the header."""
    done = 0
    while done < count:
        piece = stream.read(max(_BLOCK, 8 * dim))
        data += piece
        tokens, starts, position = _records(data, dim, count - done)
        if not tokens and piece:
            raise FormatError(
                f"no word ends within {_LONGEST_WORD:,} bytes: {shown(data, 24)}.",
                line=done + 1,
                hint="the numbers may not be float32 or the dimensions not those of the header.",
            )
        if not tokens:
            raise FormatError(
                f"the file breaks off: the header promises {count:,} words, {done:,} are complete.",
                line=done + 1,
                hint=INCOMPLETE,
            )
        yield Block(tokens, partial(_vectors, data, starts, dim))
        done += len(tokens)
        data = data[position:]
    left = (data + stream.read(_BLOCK)).strip(b"\r\n\x00 ")
    if left:
        raise FormatError(
            f"the header promises {count:,} words, but data follows the last one: {shown(left)}.",
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
