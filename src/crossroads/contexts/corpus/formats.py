"""Documents of records: JSON lines, tables and Parquet files."""

from __future__ import annotations

import contextlib
import csv
import functools
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from crossroads.contexts.corpus.documents import (
    BATCH,
    LONGEST,
    Batch,
    Part,
    Progress,
    Source,
    decoded,
    is_utf8,
    line_blocks,
    paragraphs,
    part_bytes,
    text_lines,
)
from crossroads.core.errors import (
    FormatError,
    InputError,
    MissingExtraError,
    UnknownNameError,
    join_words,
    nearest,
    require,
)

FIELDS = ("body", "text", "content", "sentence", "comment", "selftext")
"""Fields that hold the text, in the order in which they are tried."""
_PROBED = 1000  # number of records at the beginning of a file that are searched for fields
RUN_ON = 100  # lines of a row of a CSV file beyond which a quotation mark seems to be missing
DEEP, LONG = 700, 1400
"""Brackets that a line opens beyond which it may be nested more deeply than the parser of Python allows, and
the length of a line below which it cannot be."""
_decode = json.JSONDecoder().raw_decode
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
    with part_bytes(Part(source=source, bytes=source.size)) as pieces:
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
    found: list[str] = []
    for line in block.removesuffix(b"\n").split(b"\n"):
        try:
            record = None if len(line) > LONG and _is_odd(line) else quick(line)
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
    if line.count(b"[") + line.count(b"{") > DEEP:
        return True
    return len(line) > sys.int_info.default_max_str_digits and _NUMBER.search(line) is not None


@functools.cache
def _quick_parser(field: str | None) -> Callable[[bytes], Any] | None:
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
            fault, line = f"the table cannot be read ({error}).", reader.line_num
            hint = "check for a missing quotation mark, or another format."
            raise FormatError(fault, path=source.path, line=line, hint=hint) from error
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
        fault = f"the file cannot be read as Parquet ({reason})."
        hint = "the file is damaged or of another format; fetch it again."
        raise FormatError(fault, path=path, hint=hint) from error


def text_columns(file: Any, path: Path) -> list[str]:
    """The names of the columns of a Parquet file that hold text."""
    kinds = {field.name: str(field.type) for field in file.schema_arrow}
    text = ("string", "large_string", "string_view", "dictionary<values=string")
    found = [name for name, kind in kinds.items() if kind in text or kind.startswith(text[-1])]
    if not found:
        shown = join_words([f"{name} ({kind})" for name, kind in kinds.items()], most=8)
        fault = f"no column holds text; there are {shown}." if kinds else "there are no columns."
        raise FormatError(fault, path=path, hint="write the text as a column of strings.")
    return found
