"""Records with a text in one of their fields: JSON lines, tables, Parquet."""

from __future__ import annotations

import contextlib
import csv
import functools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.files import Part, Progress, Source
from crossroads.corpus.lines import BATCH, LONGEST, Batch, decoded, line_blocks
from crossroads.corpus.text import where
from crossroads.errors import FormatError, MissingExtraError, join_words, require

RUN_ON = 100
"""Lines of a row of a CSV file beyond which a quotation mark seems to be missing."""
_decode = json.JSONDecoder().raw_decode
_DEEP, _LONG = 700, 1400
"""Brackets that a line opens beyond which it may be nested more deeply than the parser of Python allows, and
the length of a line below which it cannot be."""
_NUMBER = re.compile(rb"[0-9]{%d}" % sys.int_info.default_max_str_digits)
"""A number that is too long for the parser of Python."""


class Quoted:
    """Texts as JSON writes them, in UTF-8, with quotation marks and escapes.

    Parameters
    ----------
    data
        The texts with a zero byte before and after each of them.
    breaks
        Where the zero bytes are.
    decode
        Makes a string of a text.
    """

    def __init__(self, data: bytearray, breaks: NDArray[np.int64], decode: Callable[[bytes], str]) -> None:
        self.data, self.breaks, self.decode = data, breaks, decode

    def __iter__(self) -> Iterator[str]:
        return (self.decode(bytes(text)) for text in self.data.split(b"\0")[1:-1])


def json_lines(source: Source, pieces: Iterable[bytes]) -> Iterator[Batch]:
    """Yield the texts of JSON lines. Every line is parsed; one that is not an object is broken.

    If msgspec is installed, it parses the lines, and the parser of Python only those that it does not accept
    or may understand differently; so what is found is the same with and without it.
    """
    quick = _quick_parser(source.field)
    for block in line_blocks(pieces, source.path):
        counts: Counter[str] = Counter()
        found: list[str] | Quoted | None
        if quick is None or not _is_utf8(block):
            lines, invalid = decoded(block)
            counts["invalid"] += invalid
            texts = (_json_text(line, source.field, counts) for line in lines)
            found = [text for text in texts if text is not None]
        else:
            found = _parsed_at_once(quick, block, counts)
            if found is None:
                found = _texts_one_by_one(quick, block.removesuffix(b"\n").split(b"\n"), source.field, counts)
        yield found, counts


def _parsed_at_once(quick: _Parser, block: bytes, counts: Counter[str]) -> Quoted | None:
    """The texts of the lines of a block, or ``None`` if some line is not just an object or is odd.

    If all lines begin and end with a brace, none of them is part of an object: between the closing brace of a
    part and the opening one of the next there would have to be more than white space. So as many objects as
    lines are one in each line.
    """
    codes = np.frombuffer(block, np.uint8)
    ends = where(codes == ord("\n"))
    if not block.endswith(b"\n"):
        ends = np.append(ends, codes.size)
    starts = np.append(0, ends[:-1] + 1)
    if (codes[starts % codes.size] != ord("{")).any() or (codes[ends - 1] != ord("}")).any():
        return None
    for at in np.flatnonzero(ends - starts > _LONG).tolist():
        if _is_odd(block[starts[at] : ends[at]]):
            return None
    try:
        found = [record.text for record in quick.decode_lines(block)]
    except (ValueError, RecursionError):
        return None
    if len(found) != ends.size:
        return None
    quoted = _quoted(found, quick)
    is_text = np.frombuffer(quoted.data, np.uint8)[quoted.breaks[:-1] + 1] == ord('"')
    if not is_text.all():
        quoted = _quoted([found[at] for at in np.flatnonzero(is_text).tolist()], quick)
    counts["without_text"] += int(is_text.size - is_text.sum())
    return quoted


def _quoted(values: Sequence[Any], quick: _Parser) -> Quoted:
    data = bytearray(b"\0").join([b"", *values, b""])
    return Quoted(data, where(np.frombuffer(data, np.uint8) == 0), quick.text)


def _texts_one_by_one(
    quick: _Parser, lines: Iterable[bytes], field: str | None, counts: Counter[str]
) -> list[str]:
    """The same for lines of which some have to be parsed by Python."""
    found: list[str] = []
    for line in lines:
        try:
            record = None if len(line) > _LONG and _is_odd(line) else quick.decode(line)
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


class _Parser(NamedTuple):
    """Parsers by msgspec."""

    decode: Callable[[bytes], Any]
    """Of a record, with one field as ``text``."""
    decode_lines: Callable[[bytes], list[Any]]
    """Of records, with or without a line break between them, with the field as it is written."""
    text: Callable[[bytes], str]
    """Of a text."""


@functools.cache
def _quick_parser(field: str | None) -> _Parser | None:
    """Parsers of records by msgspec, or ``None`` if there are none."""
    try:
        msgspec = require("msgspec", extra="corpora", purpose="reading records in less time")
        value, raw = (
            msgspec.json.Decoder(
                msgspec.defstruct("Record", [("text", kind, msgspec.field(default=default, name=field))])
            )
            for kind, default in ((Any, None), (msgspec.Raw, msgspec.Raw(b"null")))
        )
    except (MissingExtraError, ValueError):  # or a name that would have to be escaped
        return None
    return (
        None if field is None else _Parser(value.decode, raw.decode_lines, msgspec.json.Decoder(str).decode)
    )


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _json_text(line: str, field: str | None, counts: Counter[str]) -> str | None:
    """The text of a line by the parser of Python, or ``None``; the reason is counted."""
    try:
        record, end = _decode(line)
        text = record[field] if end == len(line) else None
    except (ValueError, RecursionError, KeyError, TypeError, IndexError):
        text = None
    if type(text) is not str:
        text = _second_look(line, field, counts)
    return text if text is None or text.isascii() else _without_surrogates(text, counts)


def json_object(line: str) -> dict[str, Any] | None:
    """The object that a line holds, or ``None`` if it holds none.

    Examples
    --------
    >>> json_object('{"body": "text"}'), json_object('{"body": "te'), json_object("7")
    ({'body': 'text'}, None, None)
    """
    try:
        record, end = _decode(line)
        if end < len(line) and not line[end:].isspace():
            return None
    except (ValueError, RecursionError):
        bare = line.lstrip()
        return json_object(bare) if bare and len(bare) < len(line) else None
    return record if isinstance(record, dict) else None


def _second_look(line: str, field: str | None, counts: Counter[str]) -> str | None:
    """The text of a line that the fast parse did not find, or ``None``; the reason is counted."""
    record = json_object(line)
    if record is not None:
        text = record.get(field or "")
        if isinstance(text, str):
            return text
        counts["without_text"] += 1
    elif line and not line.isspace():
        counts["broken"] += 1
    return None


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
    while True:
        before = reader.line_num
        try:
            with _long_fields():
                row = next(reader, None)
        except csv.Error as error:
            raise FormatError(
                f"the table cannot be read ({error}).",
                path=source.path,
                line=reader.line_num,
                hint="check for a missing quotation mark, or another format.",
            ) from error
        if row is None:
            return
        counts["run_on"] += reader.line_num - before > RUN_ON
        if row:
            yield row


@contextlib.contextmanager
def _long_fields() -> Iterator[None]:
    """Let the csv module read fields longer than 128 KiB, and restore its limit afterwards."""
    before = csv.field_size_limit(LONGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)


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
    found = [
        name
        for name, kind in kinds.items()
        if kind in ("string", "large_string", "string_view") or kind.startswith("dictionary<values=string")
    ]
    if not found:
        shown = join_words([f"{name} ({kind})" for name, kind in kinds.items()], most=8)
        raise FormatError(
            f"no column holds text; there are {shown}." if kinds else "there are no columns.",
            path=path,
            hint="write the text as a column of strings.",
        )
    return found
