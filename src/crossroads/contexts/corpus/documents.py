"""Files of a corpus, and their documents in batches of a few megabytes.

A document is a line or a paragraph of a text, or one field of a record (JSON lines, tables, Parquet).
"""

from __future__ import annotations

import codecs
import contextlib
import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from crossroads.core.errors import FormatError, InputError, one_of
from crossroads.core.storage.streams import MAGIC, TEXT_RATIO, Stream, compression

SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Format by suffix, without that of a compression."""
Format = Literal["text", "jsonl", "csv", "tsv", "parquet"]
Unit = Literal["line", "paragraph"]  # what a document of a text file is
Progress = Callable[[int], None]
"""Called with the number of further bytes of a file, as it is stored, that were read."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DUMP = re.compile(r"R[CS]_\d{4}-\d{2}")
"""Names of the monthly Reddit dumps, whose only suffix is that of the compression."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """A corpus file and how to read it."""

    path: Path  # its path
    format: str  # one of Format
    unit: str = "line"  # what a document is, in text files
    field: str | None = None  # which field of a record holds the text, in the other formats
    size: int = 0  # bytes of the file


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of work: the documents that begin between two bytes, or row groups, of a file."""

    source: Source  # the file
    begin: int = 0  # first byte or row group
    stop: int | None = None  # the byte or row group after the last; None for the end of the file
    bytes: int  # bytes of the file, as it is stored, that belong to the part


def corpus_paths(corpus: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files that match names and patterns (``*``, ``?``, ``[…]``, ``**``), each once, sorted."""
    names = [corpus] if isinstance(corpus, str | os.PathLike) else list(corpus)
    if not names:
        raise InputError("no corpus file was given.", hint="name at least one.")
    found: dict[Path, Path] = {}
    for name in names:
        for path in _matching(os.fspath(name)):
            if path.is_dir():
                raise InputError(
                    f"{str(path)!r} is a folder.", hint=f"name its files, as in '{path}/*.jsonl.gz'."
                )
            found.setdefault(path.resolve(), path)
    return sorted(found.values())


def _matching(name: str) -> list[Path]:
    if os.path.lexists(name):
        if not Path(name).exists():
            raise InputError(f"{name!r} is a link to nothing.", hint="check the name.")
        return [Path(name)]
    if not glob.has_magic(name):
        raise InputError(f"there is no file {name!r}.", hint="check the name and the folder.")
    paths = [Path(path) for path in glob.glob(name, recursive=True)]  # noqa: PTH207 - name may be absolute
    if not paths:
        raise InputError(f"no file matches {name!r}.", hint="check the pattern and the folder.")
    return [path for path in paths if not path.is_dir()] or paths


def format_of(path: Path, chosen: str | None = None) -> str:
    """The format of a file: the one named, or that of its suffix."""
    compressed = path.suffix.lower().removeprefix(".") in MAGIC
    bare = path.with_suffix("") if compressed else path
    suffix = bare.suffix.lower()
    usual = "jsonl" if _DUMP.fullmatch(bare.name) else SUFFIXES.get(suffix)
    kind = usual if chosen is None else one_of("corpus format", chosen, Format)
    if kind is None:
        what = f"the suffix {suffix!r}, which does not imply a format" if suffix else "no suffix"
        others = "each also with .gz, .bz2, .xz, .zst or .zip; or pass format='jsonl' etc."
        hint = f"known: {', '.join(SUFFIXES)}, {others}"
        raise InputError(f"{str(path)!r} has {what}.", hint=hint, option="format")
    if kind == "parquet" and compressed:
        raise InputError(
            f"{str(path)!r} is compressed, and Parquet is not read compressed.",
            hint="decompress it; Parquet files compress their columns themselves.",
        )
    return kind


def check_content(path: Path) -> None:
    """Refuse a file that is not compressed although its name says so, and one in UTF-16."""
    with path.open("rb") as file:
        head = file.read(2)
    promised = path.suffix.lower().removeprefix(".")
    if promised in MAGIC and compression(path) is None:
        what = "is empty" if not head else f"does not begin as .{promised} files do"
        raise FormatError(
            f"the file {what}.", path=path, hint="fetch it again, or give it the suffix of what it is."
        )
    if head in _UTF16:
        hint = "convert it to UTF-8, as with iconv, and try again."
        raise FormatError("the file seems to be UTF-16.", path=path, hint=hint)


BATCH = 1 << 18
"""About how many bytes or characters are searched at once: few enough for the cache of a processor."""
LONGEST = 64 << 20  # longest line that is read

Batch = tuple[Iterable[str], Counter[str]]
"""Documents, and how many records were broken, invalid or without text."""


@contextlib.contextmanager
def part_bytes(part: Part, progress: Progress | None = None) -> Iterator[Iterator[bytes]]:
    """Open the bytes of a file, or the lines that begin in a part of it; without a byte order mark."""
    advance = _advance(part.begin, progress)
    if part.stop is None:
        with Stream(part.source.path, progress=lambda done, _: advance(done), ratio=TEXT_RATIO) as stream:
            yield _unmarked(stream.pieces())
        return
    with part.source.path.open("rb") as file:
        if part.begin:
            file.seek(part.begin - 1)
            while (skipped := file.readline(BATCH)) and not skipped.endswith(b"\n"):
                pass
        pieces = _up_to(file, part.stop, advance)
        yield pieces if part.begin else _unmarked(pieces)


def _advance(reported: int, progress: Progress | None) -> Progress:
    """Reports how many bytes were read since it was last called, from how many were read in all."""

    def advance(done: int) -> None:
        nonlocal reported
        if progress is not None:
            progress(done - reported)
        reported = done

    return advance


def _unmarked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    head = b""
    while len(head) < len(codecs.BOM_UTF8) and (piece := next(pieces, b"")):
        head += piece
    yield head.removeprefix(codecs.BOM_UTF8)
    yield from pieces


def _up_to(file: IO[bytes], stop: int, advance: Progress) -> Iterator[bytes]:
    """The remaining bytes up to ``stop``, and the rest of the line at that byte."""
    open_line = False
    while (at := file.tell()) < stop or open_line:
        piece = file.read(min(BATCH, stop - at)) if at < stop else file.readline(BATCH)
        if not piece:
            break
        open_line = not piece.endswith(b"\n")
        yield piece
        advance(min(file.tell(), stop))
    advance(stop)


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
            hint = "a document is a line; if this is a text or a table, divide it into lines."
            raise FormatError(f"a line is longer than {LONGEST >> 20} MiB.", path=path, hint=hint)
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
            fault = f"a paragraph is longer than {LONGEST >> 20} million characters."
            hint = "paragraphs end at empty lines; if there are none, use unit='line'."
            raise FormatError(fault, path=path, hint=hint, option="unit")
        yield found, counts
    yield (["\n".join(held)] if held else []), Counter()
