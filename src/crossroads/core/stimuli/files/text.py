"""Small text files that users write: errors that say what is wrong, lists, and CSV for spreadsheets.

Spreadsheet programs read some words as formulas. A word or name that begins with ``=``, ``+``, ``-`` or
``@``, also in full width or after blanks, or with a control character, is written with an apostrophe before
it. So is one that has such an apostrophe already, so that removing the first restores every word. Numbers are
never changed, nor is a lone ``=``, which is not a formula and marks exact p-values in tables.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from crossroads.core.errors import FormatError, UnknownNameError, in_short, require

_SAVE = "save the file as UTF-8."
_SAVE_TABLE = f"{_SAVE[:-1]}; spreadsheet programs call it CSV UTF-8."
_TABLES = (".csv", ".tsv", ".txt")
_JSON = (".json", ".jsonl", ".ndjson")
_DEEPEST = 100
"""Largest depth of nested tables; files that users write have about five levels."""
_BITS = 1023
"""Largest size of a whole number: a larger one has no floating-point number near it."""
_LARGE = 4300 * 10 // 3
"""Largest size in TOML, which may write more digits than Python itself writes."""


class Place(NamedTuple):
    """A file, a line of it and a key, for errors that name them."""

    path: str | Path | None
    line: int | None = None
    key: str | None = None

    def at(self, key: str) -> Place:
        """The place of a key within this place."""
        return self._replace(key=f"{self.key}.{key}" if self.key else key)

    def error(self, message: str, hint: str | None = None, *, key: str | None = None) -> FormatError:
        """The error for a fault at this place."""
        return FormatError(message, path=self.path, line=self.line, key=key or self.key, hint=hint)


def read_text(path: str | Path, expected: str) -> str:
    """Read the text of a file, which should be, for errors, ``"a TOML file"``; without a byte order mark."""
    file, hint = Path(path), f"name {expected}."
    try:
        if file.is_dir():
            raise FormatError("this is a folder, not a file.", path=file, hint=hint)
        data = file.read_bytes()
    except FileNotFoundError as error:
        raise FormatError("there is no such file.", path=file, hint=hint) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FormatError(f"the file cannot be read ({reason}).", path=file, hint=hint) from error
    save = _SAVE_TABLE if file.suffix.casefold() in _TABLES else _SAVE
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError("the text is UTF-16.", path=file, hint=save)
    if b"\0" in data:
        raise FormatError("this is not a text file.", path=file, hint=hint)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        wrong = f"the byte 0x{data[error.start]:02x} is not UTF-8."
        raise FormatError(wrong, path=file, line=line, hint=save) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def load_json(text: str, path: str | Path, **options: Any) -> Any:
    """Parse JSON from an untrusted file, with the options of :func:`json.loads`.

    Raises JSONDecodeError if it is not JSON, and FormatError if it is nested too deeply, or has numbers that
    are infinite or larger than 1e307.
    """
    return guarded(lambda: json.loads(text, **options), path)


def load_toml(text: str, path: str | Path) -> dict[str, Any]:
    """Parse TOML from an untrusted file; errors are those of :func:`load_json`, and TOMLDecodeError."""
    document: dict[str, Any] = guarded(lambda: tomllib.loads(text), path, large=True)
    return document


def guarded(parse: Callable[[], Any], path: str | Path, *, large: bool = False) -> Any:
    """Run a parser, and raise an error for unreasonable values; see :func:`load_json`.

    If ``large``, numbers may be infinite, as TOML writes them, or have up to 4,300 digits.
    """
    deep = FormatError("it is nested too deeply.", path=path, hint="write lists and tables of a few levels.")
    try:
        document = parse()
    except (json.JSONDecodeError, tomllib.TOMLDecodeError, FormatError):
        raise
    except RecursionError as error:
        raise deep from error
    except ValueError as error:
        raise FormatError(f"a value in it cannot be read: {error!s:.200}.", path=path) from error
    level: list[Any] = [[document]]
    for _ in range(_DEEPEST):
        level = [part for one in level for part in _within(one, path, large)]
        if not level:
            return document
    raise deep


def _within(value: Any, path: str | Path, large: bool) -> Iterator[Any]:
    """The lists and tables in a list or table; an error for a number that is too long."""
    for part in value.values() if isinstance(value, dict) else value:
        kind = type(part)
        if kind is dict or kind is list:
            yield part
        elif kind is int and part.bit_length() > (_LARGE if large else _BITS):
            digits = "4,300" if large else "307"
            raise FormatError(f"a number in it has more than {digits} digits.", path=path)
        elif kind is float and math.isinf(part) and not large:
            raise FormatError("a number in it is infinite, or larger than 1e307.", path=path)


def check_known(
    kind: str, names: Iterable[Any], known: Sequence[str], *, path: str | Path, key: str | None = None
) -> None:
    """Refuse names in a file that are not known; the error suggests the nearest."""
    for name in names:
        if name not in known:
            error = UnknownNameError(kind, name, known)
            raise FormatError(error.message, path=path, key=key, hint=error.hint)


def read_data(file: Path, expected: str) -> Any:
    """Read a TOML file, or a JSON file if its extension says so."""
    return parsed(read_text(file, expected), Place(file))


def parsed(text: str, place: Place) -> Any:
    """Parse TOML, or JSON if the extension of the file says so; neither may have a key twice in a table."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:  # JSON would keep the last
                raise place.at(key).error(f"the key {in_short(key)} occurs twice.")
            found[key] = value
        return found

    path = Path(place.path or "")
    try:
        if path.suffix.casefold() in _JSON:
            return load_json(text, path, object_pairs_hook=unique)
        return load_toml(text, path)
    except json.JSONDecodeError as error:
        line = place.line or error.lineno
        raise place._replace(line=line).error(f"the JSON cannot be read: {error.msg}.") from error
    except tomllib.TOMLDecodeError as error:
        raise place.error(f"the TOML cannot be read: {error}.") from error


def table_rows(
    text: str, path: Path, delimiter: str = ",", *, skipped: int = 0, strict: bool = True
) -> Iterator[tuple[Place, list[str]]]:
    """The rows of a table that are not empty, and where each begins, after some skipped lines."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    begin = skipped + 1
    while True:
        with table_errors(path, begin):
            if (cells := next(reader, None)) is None:
                return
        if any(map(str.strip, cells)):
            yield Place(path, begin), cells
        begin = skipped + reader.line_num + 1


@contextlib.contextmanager
def table_errors(path: str | Path, line: int | None = None) -> Iterator[None]:
    """Turn an error of the module csv, such as a cell of 131,073 characters, into one that names the file."""
    try:
        yield
    except csv.Error as error:
        hint = "check for a missing quotation mark."
        raise FormatError(f"the table cannot be read: {error}.", path=path, line=line, hint=hint) from error


_FORMULA = re.compile(r"'*(?:[\x00-\x1f\x7f-\x9f]|[\s\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠])")


def in_cell(value: Any) -> Any:
    """Write a value as a cell of a CSV file; words that would be formulas get an apostrophe."""
    formula = isinstance(value, str) and value != "=" and _FORMULA.match(value)
    return f"'{value}" if formula else value


def from_cell(text: str) -> str:
    """Restore the word that :func:`in_cell` wrote."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def write_rows(
    file: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], *, end: str = "\r\n"
) -> None:
    """Write a table as CSV, with headers and words passed to :func:`in_cell`; missing values are empty."""
    rows = list(rows)
    writer = csv.writer(file, lineterminator=end)
    writer.writerow(_in_cells(columns))
    writer.writerows(zip(*(_in_cells([row.get(name) for row in rows]) for name in columns), strict=True))


def _in_cells(column: Sequence[Any]) -> Sequence[Any]:
    """A column, each of its words guarded once: most of them are in many rows."""
    words = {word: in_cell(word) for word in {cell for cell in column if isinstance(cell, str)}}
    return [words[cell] if isinstance(cell, str) else cell for cell in column] if words else column


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Contents of a file of groups."""

    name: str
    """Name of the sheet: that of the file if it has none."""
    groups: Mapping[str, Any]
    """Nested tables of groups down to lists of names."""
    words: tuple[str, ...] = ()
    """Candidate words."""
    truth: tuple[str, ...] = ()
    """Candidate words that are known to be associated with the target."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Concepts by name."""


def read_sheet(path: str | Path) -> Sheet:
    """Read groups, words and concepts from a TOML or JSON file.

    Keys: ``groups`` (tables within tables, down to lists of names), ``words``, ``truth`` (lists) and
    ``concepts`` (a table of lists); all but ``groups`` may be left out.
    """
    file = Path(path)
    data = read_data(file, "a TOML or JSON file")
    if not isinstance(data, dict):
        raise FormatError(f"expected a table, found {type(data).__name__}.", path=file)
    check_known("key", data, [*Sheet.__dataclass_fields__], path=file)
    if not isinstance(data.get("groups"), dict) or not data["groups"]:
        hint = "give [groups.Black] with female = [...]."
        raise FormatError("there are no groups.", path=file, key="groups", hint=hint)
    concepts = data.get("concepts", {})
    if not isinstance(concepts, dict):
        raise FormatError("concepts must be a table of lists.", path=file, key="concepts")
    return Sheet(
        name=str(data.get("name", file.stem)),
        groups=data["groups"],
        words=_words(data.get("words", []), file, "words"),
        truth=_words(data.get("truth", []), file, "truth"),
        concepts={name: _words(value, file, f"concepts.{name}") for name, value in concepts.items()},
    )


def _words(value: object, file: Path, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise FormatError("expected a list of words.", path=file, key=key)
    return tuple(value)


_HINT = "the first row of a CSV file names the columns pair and trait; a TOML file has pair = [traits]."


def read_trait_lists(path: str | Path) -> dict[str | tuple[str, str], tuple[str, ...]]:
    """Read the traits that are true of each pair from a CSV or TOML file.

    CSV: a row for each pair and trait, under the columns ``pair`` and ``trait``. TOML: a list of traits for
    each pair, ``"Black woman" = ["dominant", "threatening"]``. A pair is given by its name, or by its two
    groups with a bar between them (``Black | woman``), which means all orders.
    """
    file = Path(path)
    rows = _from_toml(file) if file.suffix.lower() == ".toml" else _from_csv(file)
    lists: dict[str | tuple[str, str], dict[str, None]] = {}
    for place, pair, trait in rows:
        parts = [part.strip() for part in pair.split("|")]
        if len(parts) > 2 or not all(parts):
            raise place.error(f"{in_short(pair)} is not a pair.", "such as 'Black | woman'.")
        lists.setdefault(parts[0] if len(parts) == 1 else (parts[0], parts[1]), {})[trait] = None
    if not lists:
        raise FormatError("the file lists no traits.", path=file, hint=_HINT)
    return {key: tuple(traits) for key, traits in lists.items()}


def _from_csv(file: Path) -> Iterator[tuple[Place, str, str]]:
    rows = table_rows(read_text(file, "a CSV or TOML file"), file, strict=False)
    _, heads = next(rows, (None, []))
    if not {"pair", "trait"} <= set(heads):
        raise FormatError(f"the columns are {heads or 'none'}.", path=file, line=1, hint=_HINT)
    for place, cells in rows:
        row = dict(zip(heads, cells, strict=False))
        pair, trait = (from_cell(row.get(key, "").strip()) for key in ("pair", "trait"))
        if not pair or not trait:
            raise place.error("a cell is empty.", _HINT)
        yield place, pair, trait


def _from_toml(file: Path) -> Iterator[tuple[Place, str, str]]:
    for pair, traits in read_data(file, "a CSV or TOML file").items():
        if not isinstance(traits, list) or not all(isinstance(trait, str) and trait for trait in traits):
            raise FormatError("expected a list of traits.", path=file, key=pair, hint=_HINT)
        yield from ((Place(file), pair, trait) for trait in traits)


_TWO_COLUMNS = "give a word and its count or frequency on every line, with a comma or a tab between them."


def read_frequencies(path: str | Path) -> dict[str, float]:
    """Read words and their counts or frequencies from a file of two columns, CSV or TSV.

    The first line may be a heading. Words that come twice are refused, since it is not known which is meant.
    """
    file = Path(path)
    text = read_text(file, "a CSV or TSV file")
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    found: dict[str, float] = {}
    for place, cells in table_rows(text, file, delimiter, strict=False):
        if len(cells) != 2:
            raise place.error(f"there are {len(cells)} columns.", _TWO_COLUMNS)
        word, value = from_cell(cells[0].strip()), _positive(cells[1])
        if value is None and place.line == 1:
            continue
        if value is None or not word:
            hint = f"{_TWO_COLUMNS[:-1]}; it must be above 0."
            raise place.error(f"{in_short(cells[1])} is no frequency of {in_short(word)}.", hint)
        if word in found:
            raise place.error(f"{in_short(word)} is there twice.", "give each word once.")
        found[word] = value
    if not found:
        raise FormatError("the file holds no frequencies.", path=file, hint=_TWO_COLUMNS)
    return found


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None


def wordfreq_language(name: str) -> str:
    """The language in a name such as ``wordfreq:de`` or ``de``, checked; empty where none is named."""
    language = name.removeprefix("wordfreq").removeprefix(":")
    wordfreq_package(language or "en")
    return language


def wordfreq_package(language: str) -> Any:
    """The package, once it is known to have a language."""
    package = require("wordfreq", extra="frequency", purpose="taking frequencies from wordfreq")
    known = package.available_languages()
    if language not in known:
        raise UnknownNameError("language of wordfreq", language, sorted(known))
    return package
