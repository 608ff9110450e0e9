"""Files of a corpus, and their documents in batches of a few megabytes.

A document is a line or a paragraph of a text, or one field of a record (JSON lines, tables, Parquet).
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import functools
import glob
import itertools
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from crossroads.core.errors import (
    FormatError,
    InputError,
    MissingExtraError,
    UnknownNameError,
    join_words,
    nearest,
    one_of,
    require,
)
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
    begin: int  # first byte or row group
    stop: int | None  # the byte or row group after the last; None for the end of the file
    bytes: int  # bytes of the file, as it is stored, that belong to the part

    @classmethod
    def whole(cls, source: Source) -> Part:
        """All of a file."""
        return cls(source=source, begin=0, stop=None, bytes=source.size)


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
        raise InputError(
            f"{str(path)!r} has {what}.",
            hint=f"known: {', '.join(SUFFIXES)}, each also with .gz, .bz2, .xz, .zst or .zip; or pass "
            "format='jsonl' etc.",
            option="format",
        )
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
        raise FormatError(
            "the file seems to be UTF-16.",
            path=path,
            hint="convert it to UTF-8, as with iconv, and try again.",
        )


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


FIELDS = ("body", "text", "content", "sentence", "comment", "selftext")
"""Fields that hold the text, in the order in which they are tried."""
_PROBED = 1000  # number of records at the beginning of a file that are searched for fields
RUN_ON = 100  # lines of a row of a CSV file beyond which a quotation mark seems to be missing
_decode = json.JSONDecoder().raw_decode
_DEEP, _LONG = 700, 1400
"""Brackets that a line opens beyond which it may be nested more deeply than the parser of Python allows, and
the length of a line below which it cannot be."""
_NUMBER = re.compile(rb"[0-9]{%d}" % sys.int_info.default_max_str_digits)
"""A number that is too long for the parser of Python."""


def batches(part: Part, progress: Progress | None = None) -> Iterator[Batch]:
    """Read the documents of a part of a file, and count what could not be read."""
    source = part.source
    if source.format == "parquet":
        yield from parquet_texts(part, progress)
        return
    with part_bytes(part, progress) as pieces:
        if source.format == "jsonl":
            yield from json_lines(source, pieces)
        elif source.format in ("csv", "tsv"):
            yield from table_texts(source, pieces)
        elif source.unit == "paragraph":
            yield from paragraphs(source.path, pieces)
        else:
            yield from text_lines(source.path, pieces)


def known_fields(source: Source) -> list[str]:
    """The fields of the first records of a file, in order of appearance; none if it has no records."""
    if source.format == "parquet":
        with parquet_file(source.path) as file:
            return text_columns(file, source.path)
    with part_bytes(Part.whole(source)) as pieces:
        if source.format != "jsonl":
            return next(table_rows(source, pieces, Counter()), [])
        lines = (line for block in line_blocks(pieces, source.path) for line in decoded(block)[0])
        records = itertools.islice(filter(None, map(json_object, lines)), _PROBED)
        return list(dict.fromkeys(itertools.chain.from_iterable(records)))


def choose_field(source: Source, field: str | None) -> str | None:
    """The field that holds the text: the one named, or the first of :data:`FIELDS` that exists."""
    known = known_fields(source)
    if not known or field in known:
        return field
    if field is None and (usual := [name for name in FIELDS if name in known]):
        return usual[0]
    there = f"there are {join_words(known, most=20)}" if len(known) > 1 else f"there is only {known[0]}"
    if field is not None:
        near = [repr(name) for name in nearest(field, known)]
        hint = f"did you mean {join_words(near, last='or')}? {there}." if near else f"{there}."
        raise UnknownNameError(f"field of {source.path.name}", field, known, hint=hint)
    likely = next((name for usual in FIELDS for name in nearest(usual, known)), known[-1])
    raise InputError(
        f"{str(source.path)!r} has no field called {join_words(FIELDS, last='or')}.",
        hint=f"name the field that holds the text, as in field={likely!r}; {there}.",
        option="field",
    )


def json_lines(source: Source, pieces: Iterable[bytes]) -> Iterator[Batch]:
    """Yield the texts of JSON lines. Every line is parsed; one that is not an object is broken.

    If msgspec is installed, it parses the lines, and the parser of Python only those that it does not accept
    or may understand differently; so what is found is the same with and without it.
    """
    quick = _quick_parser(source.field)
    for block in line_blocks(pieces, source.path):
        counts: Counter[str] = Counter()
        if quick is not None and is_utf8(block):
            yield _texts_by_msgspec(quick, block, source.field, counts), counts
            continue
        lines, counts["invalid"] = decoded(block)
        texts = (_json_text(line, source.field, counts) for line in lines)
        yield [text for text in texts if text is not None], counts


def _texts_by_msgspec(
    quick: Callable[[bytes], Any], block: bytes, field: str | None, counts: Counter[str]
) -> list[str]:
    """The texts of the lines of a block in UTF-8."""
    found: list[str] = []
    for line in block.removesuffix(b"\n").split(b"\n"):
        try:
            record = None if len(line) > _LONG and _is_odd(line) else quick(line)
        except (ValueError, RecursionError):
            record = None
        text = _json_text(line.decode("utf-8"), field, counts) if record is None else record.text
        if type(text) is str:
            found.append(text)
        elif record is not None:
            counts["without_text"] += 1
    return found


def _is_odd(line: bytes) -> bool:
    """Whether a line may hold what only the parser of Python refuses: deep nesting, or very long numbers."""
    if line.count(b"[") + line.count(b"{") > _DEEP:
        return True
    return len(line) > sys.int_info.default_max_str_digits and _NUMBER.search(line) is not None


@functools.cache
def _quick_parser(field: str | None) -> Callable[[bytes], Any] | None:
    """A parser of records by msgspec, with one field as ``text``; ``None`` if there is none."""
    if field is None:
        return None
    try:
        msgspec = require("msgspec", extra="corpora", purpose="reading records in less time")
        record = msgspec.defstruct("Record", [("text", Any, msgspec.field(default=None, name=field))])
        parser: Callable[[bytes], Any] = msgspec.json.Decoder(record).decode
    except (MissingExtraError, ValueError):  # or a name that would have to be escaped
        return None
    return parser


def _json_text(line: str, field: str | None, counts: Counter[str]) -> str | None:
    """The text of a line by the parser of Python, or ``None``; the reason is counted."""
    record = json_object(line)
    if record is None:
        counts["broken"] += bool(line.strip())
        return None
    text = record.get(field or "")
    if not isinstance(text, str):
        counts["without_text"] += 1
        return None
    return text if text.isascii() else _without_surrogates(text, counts)


def json_object(line: str) -> dict[str, Any] | None:
    """The object that a line holds, or ``None`` if it holds none."""
    try:
        record, end = _decode(line)
        if end < len(line) and not line[end:].isspace():
            return None
    except (ValueError, RecursionError):
        bare = line.lstrip()
        return json_object(bare) if bare and len(bare) < len(line) else None
    return record if isinstance(record, dict) else None


def _without_surrogates(text: str, counts: Counter[str]) -> str:
    """Replace unpaired surrogates, which JSON can express and UTF-8 cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        counts["invalid"] += 1
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def table_rows(source: Source, pieces: Iterable[bytes], counts: Counter[str]) -> Iterator[list[str]]:
    """Yield the rows of a table, the first with the names of its columns.

    Fields of CSV files may be quoted and hold line breaks. In TSV files a line is a row, and a quotation mark
    is an ordinary character.
    """

    def lines() -> Iterator[str]:
        for block in line_blocks(pieces, source.path):
            found, invalid = decoded(block)
            counts["invalid"] += invalid
            yield from (f"{line}\n" for line in found)

    if source.format == "tsv":
        yield from (line.rstrip("\r\n").split("\t") for line in lines() if line.strip("\r\n"))
        return
    reader = csv.reader(lines())
    row: list[str] | None = []
    while row is not None:
        before, limit = reader.line_num, csv.field_size_limit(LONGEST)  # 128 KiB, for the whole process
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise FormatError(
                f"the table cannot be read ({error}).",
                path=source.path,
                line=reader.line_num,
                hint="check for a missing quotation mark, or another format.",
            ) from error
        finally:
            csv.field_size_limit(limit)
        counts["run_on"] += reader.line_num - before > RUN_ON
        if row:
            yield row


def table_texts(source: Source, pieces: Iterable[bytes]) -> Iterator[Batch]:
    """The texts of one column of a table."""
    counts: Counter[str] = Counter()
    rows = table_rows(source, pieces, counts)
    names = next(rows, [])
    at = names.index(source.field) if source.field in names else len(names)
    found: list[str] = []
    size = 0
    for row in rows:
        if at < len(row):
            found.append(row[at])
            size += len(row[at])
        else:
            counts["without_text"] += 1
        if size >= BATCH:
            yield found, counts.copy()
            found, size = [], 0
            counts.clear()
    yield found, counts


def parquet_texts(part: Part, progress: Progress | None) -> Iterator[Batch]:
    """The texts of one column of some row groups."""
    source = part.source
    with parquet_file(source.path) as file:
        stop = file.num_row_groups if part.stop is None else part.stop
        groups = list(range(part.begin, stop))
        columns = [] if source.field is None else [source.field]
        for batch in file.iter_batches(1000, row_groups=groups, columns=columns):
            texts = batch.column(0).to_pylist()
            found = [text for text in texts if isinstance(text, str)]
            yield found, Counter(without_text=len(texts) - len(found))
        if progress is not None:
            progress(part.bytes)


@contextlib.contextmanager
def parquet_file(path: Path) -> Iterator[Any]:
    """Open a Parquet file; the error names one that cannot be read."""
    arrow = require("pyarrow", extra="parquet", purpose="reading Parquet files")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="reading Parquet files")
    try:
        with path.open("rb") as raw, parquet.ParquetFile(raw) as file:  # pyarrow only takes paths in UTF-8
            yield file
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        reason = (str(error).splitlines() or ["no reason given"])[0].rstrip(".")
        raise FormatError(
            f"the file cannot be read as Parquet ({reason}).",
            path=path,
            hint="the file is damaged or of another format; fetch it again.",
        ) from error


def text_columns(file: Any, path: Path) -> list[str]:
    """The names of the columns of a Parquet file that hold text."""
    kinds = {field.name: str(field.type) for field in file.schema_arrow}
    text = ("string", "large_string", "string_view", "dictionary<values=string")
    found = [name for name, kind in kinds.items() if kind in text or kind.startswith(text[-1])]
    if not found:
        shown = join_words([f"{name} ({kind})" for name, kind in kinds.items()], most=8)
        raise FormatError(
            f"no column holds text; there are {shown}." if kinds else "there are no columns.",
            path=path,
            hint="write the text as a column of strings.",
        )
    return found
