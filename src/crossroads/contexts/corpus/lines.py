"""Lines and paragraphs of a file, in blocks of a few megabytes."""

from __future__ import annotations

import codecs
import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from crossroads.contexts.corpus.files import Part, Progress
from crossroads.core.errors import FormatError
from crossroads.core.storage.streams import TEXT_RATIO, Stream

BATCH = 1 << 18
"""About how many bytes or characters are searched at once: few enough for the cache of a processor."""
LONGEST = 64 << 20
"""Longest line that is read."""

Batch = tuple[Iterable[str], Counter[str]]
"""Documents, and how many records were broken, invalid or without text."""


@contextlib.contextmanager
def part_bytes(part: Part, progress: Progress | None = None) -> Iterator[Iterator[bytes]]:
    """Open the bytes of a file, or the lines that begin in a part of it; without a byte order mark."""
    if part.stop is None:
        reported = 0

        def tell(done: int, _: int) -> None:
            nonlocal reported
            if progress is not None:
                progress(done - reported)
            reported = done

        with Stream(part.source.path, progress=tell, ratio=TEXT_RATIO) as stream:
            yield _unmarked(stream.pieces())
        return
    with part.source.path.open("rb") as file:
        if part.begin:
            file.seek(part.begin - 1)
            while (skipped := file.readline(BATCH)) and not skipped.endswith(b"\n"):
                pass
        pieces = _up_to(file, part, part.stop, progress)
        yield pieces if part.begin else _unmarked(pieces)


def _unmarked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    head = b""
    while len(head) < len(codecs.BOM_UTF8) and (piece := next(pieces, b"")):
        head += piece
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from pieces


def _up_to(file: IO[bytes], part: Part, stop: int, progress: Progress | None) -> Iterator[bytes]:
    """The remaining bytes up to ``stop``, and the rest of the line at that byte."""
    open_line, reported = False, part.begin
    while (at := file.tell()) < stop or open_line:
        piece = file.read(min(BATCH, stop - at)) if at < stop else file.readline(BATCH)
        if not piece:
            break
        open_line = not piece.endswith(b"\n")
        yield piece
        if progress is not None:
            now = min(file.tell(), stop)
            progress(now - reported)
            reported = now
    if progress is not None:
        progress(stop - reported)


def line_blocks(pieces: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Cut bytes at the ends of lines, about :data:`BATCH` at a time."""
    held: list[bytes | memoryview] = []
    size = 0
    for piece in pieces:
        size += len(piece)
        cut = piece.rfind(b"\n") + 1 if size >= BATCH else 0
        if cut:
            whole = memoryview(piece)
            yield b"".join([*held, whole[:cut]])
            held, size = [whole[cut:]], len(piece) - cut
            continue
        held.append(piece)
        if size > LONGEST:
            raise FormatError(
                f"a line is longer than {LONGEST >> 20} MiB.",
                path=path,
                hint="a document is a line; if this is a text or a table, divide it into lines.",
            )
    if size:
        yield b"".join(held)


def decoded(block: bytes) -> tuple[list[str], int]:
    """The lines of a block, and how many of them were not UTF-8; their wrong bytes become U+FFFD."""
    block = block.removesuffix(b"\n")
    try:
        return block.decode("utf-8").split("\n"), 0
    except UnicodeDecodeError:
        lines = block.split(b"\n")
        invalid = len(lines) - sum(map(is_utf8, lines))
        return [line.decode("utf-8", "replace") for line in lines], invalid


def is_utf8(data: bytes) -> bool:
    """Whether bytes are text in UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def text_lines(path: Path, pieces: Iterable[bytes]) -> Iterator[Batch]:
    """Yield one document per line."""
    for block in line_blocks(pieces, path):
        lines, invalid = decoded(block)
        yield lines, Counter(invalid=invalid)


def paragraphs(path: Path, pieces: Iterable[bytes]) -> Iterator[Batch]:
    """Yield one document for the lines between two empty ones; it may continue in the next block."""
    held: list[str] = []
    length = 0
    for lines, counts in text_lines(path, pieces):
        found: list[str] = []
        for line in lines:
            if line.strip():
                held.append(line)
                length += len(line)
            elif held:
                found.append("\n".join(held))
                held, length = [], 0
        if length > LONGEST:
            raise FormatError(
                f"a paragraph is longer than {LONGEST >> 20} million characters.",
                path=path,
                hint="paragraphs end at empty lines; if there are none, use unit='line'.",
                option="unit",
            )
        yield found, counts
    yield (["\n".join(held)] if held else []), Counter()
