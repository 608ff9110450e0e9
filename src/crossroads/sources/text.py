"""Vectors as text: GloVe (no header), word2vec text and fastText ``.vec`` (a header ``count dim``).

One pass over the bytes, a block at a time. In every block the line breaks and separators are found with
numpy; words are compared as bytes; numbers are parsed on the lines that are kept only. The count of
numbers is still checked on every line, and one line a block is parsed as a sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError
from crossroads.sources.lines import (
    HEADER,
    Layout,
    decode_word,
    learn_layout,
    parse_numbers,
    shown,
    split_line,
)
from crossroads.sources.reading import Reading, Request, Vocabulary
from crossroads.sources.rows import Rows
from crossroads.sources.streams import Stream

_BLOCK = 1 << 20
_LONGEST_LINE = 64 << 20
_SAMPLE_LINES = 64
_NEWLINE = 10


def read_glove(path: Path, request: Request) -> Reading:
    """Read text without a header: on every line a word and its numbers."""
    return _read(path, request, header=False)


def read_word2vec(path: Path, request: Request) -> Reading:
    """Read text whose first line says how many words and dimensions follow; fastText ``.vec`` as well."""
    return _read(path, request, header=True)


def _read(path: Path, request: Request, *, header: bool) -> Reading:
    with Stream(path, request) as stream:
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
        scanner = _Scanner(layout, path=path, request=request, first_line=start)
        for block, last in chain([(first, unfinished)], blocks):
            if block:
                scanner.scan(block, unfinished=last)
        if count is not None and scanner.vocabulary.size != count:
            raise _wrong_header(path, count, scanner.vocabulary.size)
        return scanner.rows.reading(scanner.vocabulary)


def _whole_lines(stream: Stream) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks that end at a line break, and whether the file breaks off without one."""
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


class _Scanner:
    """Goes through blocks of whole lines and keeps the rows that are asked for."""

    def __init__(self, layout: Layout, *, path: Path, request: Request, first_line: int) -> None:
        self._layout, self._path = layout, path
        self._errors = request.encoding_errors
        self._wanted = request.wanted_bytes()
        self._line = first_line
        self.vocabulary = Vocabulary(request=request)
        self.rows = Rows(layout.dim, request=request, path=path)

    def scan(self, block: bytes, *, unfinished: bool) -> None:
        """Take what is asked for out of a block of whole lines."""
        data = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(data == _NEWLINE)
        starts = np.concatenate(([0], ends[:-1] + 1))
        # Counted modulo 256, which is all that eight bits hold: enough to notice a line that differs.
        separators = np.add.reduceat(self._layout.separator_mask(data).view(np.uint8), starts, dtype=np.uint8)
        irregular = set(np.flatnonzero(separators != self._layout.separators % 256).tolist())
        starts_, ends_ = starts.tolist(), ends.tolist()
        tokens = self._tokens(block, starts_)
        blank = [
            i
            for i in sorted(irregular)
            if not self._fix(i, block[starts_[i] : ends_[i]], tokens, unfinished and i == len(tokens) - 1)
        ]
        self._keep(block, starts_, ends_, tokens, blank)
        self._line += len(starts_)
        if blank:
            tokens = [token for i, token in enumerate(tokens) if i not in set(blank)]
        self.vocabulary.see_bytes(tokens)

    def _tokens(self, block: bytes, starts: list[int]) -> list[bytes]:
        """First field of every line; right for ordinary lines, corrected later for the others."""
        find = block.find
        if not self._layout.tabs:
            return [block[start : find(b" ", start)] for start in starts]
        tokens = []
        for start in starts:
            space, tab = find(b" ", start), find(b"\t", start)
            stop = min(space, tab) if min(space, tab) >= 0 else max(space, tab)
            tokens.append(block[start:stop])
        return tokens

    def _fix(self, i: int, line: bytes, tokens: list[bytes], unfinished: bool) -> bool:
        """Find the word of a line that is not like the others; say whether there is one."""
        if not line.strip():
            return False
        number = self._line + i
        tokens[i], _ = split_line(
            line, self._layout.dim, path=self._path, number=number, unfinished=unfinished
        )
        return True

    def _keep(
        self, block: bytes, starts: list[int], ends: list[int], tokens: list[bytes], blank: list[int]
    ) -> None:
        skip = set(blank)
        if self._wanted is None:
            hits = [i for i in range(len(tokens)) if i not in skip]
        else:
            wanted = self._wanted
            hits = [i for i, token in enumerate(tokens) if token in wanted and i not in skip]
        sample = next((i for i in range(len(tokens)) if i not in skip), None)
        if sample is not None and self._wanted is not None:
            self._numbers(block[starts[sample] : ends[sample]], sample)
        if not hits:
            return
        labels = [decode_word(tokens[i], self._errors, path=self._path, number=self._line + i) for i in hits]
        vectors: NDArray[Any] = np.empty((len(hits), self._layout.dim), np.float32)
        for row, i in enumerate(hits):
            vectors[row] = self._numbers(block[starts[i] : ends[i]], i)
        self.rows.add(labels, vectors, [self._line + i for i in hits])

    def _numbers(self, line: bytes, i: int) -> NDArray[np.float32]:
        number = self._line + i
        _, fields = split_line(line, self._layout.dim, path=self._path, number=number, unfinished=False)
        return parse_numbers(fields, path=self._path, number=number)


def _wrong_header(path: Path, promised: int, found: int) -> FormatError:
    few = found < promised
    return FormatError(
        f"the header promises {promised:,} words, the file holds {found:,}.",
        path=path,
        line=1,
        hint="the file is incomplete; fetch it again." if few else "correct the count in the first line.",
    )
