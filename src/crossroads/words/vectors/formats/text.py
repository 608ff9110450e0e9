"""Vectors as text: GloVe (no header), word2vec text and fastText ``.vec`` (a header ``count dim``).

One pass over the bytes, a block at a time. In every block the line breaks and separators are found with
numpy; words are compared as bytes; numbers are parsed only on the lines that are kept. The count of
numbers is still checked on every line, and one line per block is parsed as a sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError
from crossroads.core.storage.streams import Stream
from crossroads.words.vectors.reader import Reading, Request, shown
from crossroads.words.vectors.rows import Block, gather

_BLOCK = 1 << 20
_LONGEST_LINE = 64 << 20
_SAMPLE_LINES = 64
_NEWLINE = 10


def read_glove(path: Path, request: Request) -> Reading:
    """Read text without a header: on every line a word and its numbers."""
    return _read(path, request, header=False)


def read_word2vec(path: Path, request: Request) -> Reading:
    """Read text whose first line gives the number of words and dimensions; fastText ``.vec`` as well."""
    return _read(path, request, header=True)


def _read(path: Path, request: Request, *, header: bool) -> Reading:
    with request.open(path) as stream:
        blocks = _whole_lines(stream)
        first, unfinished = next(blocks, (b"", False))
        first = first.removeprefix(b"\xef\xbb\xbf")
        count = dim = None
        if header:
            count, dim, first = _take_header(first, path)
            if not first:
                first, unfinished = next(blocks, (b"", False))
        sample = [line for line in first.split(b"\n", _SAMPLE_LINES)[:_SAMPLE_LINES] if line.strip()]
        if not sample:
            raise FormatError(
                "there is not a single vector.", path=path, hint="the file is empty or cut off."
            )
        start = 2 if header else 1
        layout = learn_layout(sample, dim=dim, path=path, first_line=start)
        pieces = chain([(first, unfinished)], blocks)
        scanned = _scanned(pieces, layout, path, start, sample=request.wanted is not None)
        reading = gather(scanned, request=request, path=path)
        if count is not None and reading.vocabulary.size != count:
            raise _wrong_header(path, count, reading.vocabulary.size)
        return reading


def _whole_lines(stream: Stream) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks that end at a line break, and whether the file ends without one."""
    tail = b""
    while piece := stream.read(_BLOCK):
        data = tail + piece
        cut = data.rfind(b"\n") + 1
        tail = data[cut:]
        if len(tail) > _LONGEST_LINE:
            raise FormatError(
                f"there is no line break in {len(tail):,} bytes.", path=stream.path, hint="this is not text."
            )
        if cut:
            yield data[:cut], False
    if tail:
        yield tail + b"\n", True


def _take_header(block: bytes, path: Path) -> tuple[int, int, bytes]:
    line, _, rest = block.partition(b"\n")
    match = HEADER.fullmatch(line)
    if match is None:
        raise FormatError(
            f"the header is {shown(line)}.",
            path=path,
            line=1,
            hint='expected "count dim", two whole numbers; text without a header is format="glove-text".',
            option="format",
        )
    count, dim = int(match[1]), int(match[2])
    if count < 1 or dim < 1:
        raise FormatError(
            f"the header promises {count} words of {dim} dimensions.",
            path=path,
            line=1,
            hint="expected both > 0.",
        )
    return count, dim, rest


def _scanned(
    pieces: Iterable[tuple[bytes, bool]], layout: Layout, path: Path, line: int, *, sample: bool
) -> Iterator[Block]:
    """Yield the words of blocks of whole lines; of each block a line is parsed as a sample."""
    for piece, unfinished in pieces:
        if piece:
            block, lines = _scan(piece, layout, path, line, unfinished)
            if sample and block.tokens:
                block.vectors([0])
            yield block
            line += lines


def _scan(piece: bytes, layout: Layout, path: Path, line: int, unfinished: bool) -> tuple[Block, int]:
    """The words of a block of whole lines, the first of which is line ``line``, and how many lines it has."""
    data = np.frombuffer(piece, np.uint8)
    ends = np.flatnonzero(data == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    # Counted modulo 256, which is all that eight bits hold: enough to notice a line that differs.
    separators = np.add.reduceat(layout.separator_mask(data).view(np.uint8), starts, dtype=np.uint8)
    irregular = np.flatnonzero(separators != layout.separators % 256).tolist()
    tokens = _tokens(piece, starts.tolist(), layout.tabs)
    lines: Sequence[int] = range(line, line + len(tokens))
    spans = list(zip(lines, starts.tolist(), ends.tolist(), strict=True))
    blank: set[int] = set()
    for i in irregular:
        number, start, end = spans[i]
        if not piece[start:end].strip():
            blank.add(i)
            continue
        ends_file = unfinished and i == len(tokens) - 1
        tokens[i], _ = split_line(
            piece[start:end], layout.dim, path=path, number=number, unfinished=ends_file
        )
    if blank:
        spans = [span for i, span in enumerate(spans) if i not in blank]
        tokens = [token for i, token in enumerate(tokens) if i not in blank]
        lines = [number for number, _, _ in spans]

    def vectors(places: list[int]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = np.empty((len(places), layout.dim), np.float32)
        for row, i in enumerate(places):
            number, start, end = spans[i]
            _, fields = split_line(piece[start:end], layout.dim, path=path, number=number, unfinished=False)
            found[row] = parse_numbers(fields, path=path, number=number)
        return found

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


def _wrong_header(path: Path, promised: int, found: int) -> FormatError:
    few = found < promised
    return FormatError(
        f"the header promises {promised:,} words, the file holds {found:,}.",
        path=path,
        line=1,
        hint="the file is incomplete; fetch it again." if few else "correct the count in the first line.",
    )


HEADER = re.compile(rb"[ \t]*(\d{1,12})[ \t]+(\d{1,9})[ \t\r]*")
"""The first line of word2vec text and binary: number of words, number of dimensions."""

_LOOKS_MEASURED = re.compile(rb"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")
_SPACE, _TAB = 32, 9


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How the lines of one file are laid out."""

    dim: int
    """Numbers per line."""
    tabs: bool
    """Whether tabs separate, as well as spaces."""
    separators: int
    """Separators on an ordinary line, whose word holds none; fastText writes one more at the end."""

    def separator_mask(self, data: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Where the separators are."""
        mask: NDArray[np.bool_] = data == _SPACE
        if self.tabs:
            mask |= data == _TAB
        return mask


def learn_layout(lines: list[bytes], *, dim: int | None, path: Path, first_line: int) -> Layout:
    """Learn the layout from the first lines, by majority."""
    if dim is None:
        dim = _usual_count(lines, path=path, first_line=first_line)
    tabs = any(b"\t" in line for line in lines)
    trailing = sum(line.rstrip(b"\r").endswith((b" ", b"\t")) for line in lines)
    return Layout(dim=dim, tabs=tabs, separators=dim + (2 * trailing > len(lines)))


def split_line(
    line: bytes, dim: int, *, path: Path, number: int, unfinished: bool
) -> tuple[bytes, list[bytes]]:
    """Split a line into its word and its ``dim`` numbers."""
    fields = line.rsplit(None, dim)
    if len(fields) == dim + 1:
        word = fields[0]
        extra = re.split(rb"[ \t]", word)
        if len(extra) == 1 or not _LOOKS_MEASURED.fullmatch(extra[-1]) or _is_number_only(extra):
            return word, fields[1:]
        found = dim + sum(1 for field in extra[1:] if _LOOKS_MEASURED.fullmatch(field))
        raise _wrong_count(extra[0], found, dim, path, number)
    if len(fields) == dim and line[:1].isspace():
        return line[: len(line) - len(line.lstrip()) - 1], fields
    if unfinished:
        raise FormatError(
            f"the file breaks off: the last line holds {max(len(fields) - 1, 0)} of {dim} numbers.",
            path=path,
            line=number,
            hint="the file is incomplete; fetch it again.",
        )
    raise _wrong_count(fields[0] if fields else b"", len(fields) - 1, dim, path, number)


def parse_numbers(fields: list[bytes], *, path: Path, number: int) -> NDArray[np.float32]:
    """Convert fields to numbers; the error names the field that is not one."""
    try:
        with np.errstate(over="ignore"):
            return np.array(list(map(float, fields)), dtype=np.float32)
    except ValueError as error:
        for column, item in enumerate(fields, start=1):
            try:
                float(item)
            except ValueError:
                raise FormatError(
                    f"number {column} of {len(fields)} is {shown(item)}.",
                    path=path,
                    line=number,
                    hint="expected a word and then numbers only.",
                ) from error
        raise


def _usual_count(lines: list[bytes], *, path: Path, first_line: int) -> int:
    """How many numbers most lines end in; of equally frequent counts, the smallest that is not 0."""
    found = [_trailing_numbers(line) for line in lines]
    counts = Counter(found)
    most = max(counts.values())
    usual = min((count for count in counts if count and counts[count] == most), default=0)
    if usual:
        return usual
    bare = found.index(0)
    raise FormatError(
        f"expected a word followed by numbers, found {shown(lines[bare])}.",
        path=path,
        line=first_line + bare,
        hint="name its format= if it is another one.",
        option="format",
    )


def _trailing_numbers(line: bytes) -> int:
    fields = line.split()
    count = 0
    for item in reversed(fields[1:]):
        try:
            float(item)
        except ValueError:
            break
        count += 1
    return count


def _is_number_only(fields: list[bytes]) -> bool:
    return all(_LOOKS_MEASURED.fullmatch(field) and b"." not in field for field in fields)


def _wrong_count(word: bytes, found: int, dim: int, path: Path, number: int) -> FormatError:
    return FormatError(
        f"{shown(word)} has {found} number(s), the other lines have {dim}.",
        path=path,
        line=number,
        hint="expected a word and then the same count of numbers on every line; remove or repair the line.",
    )
