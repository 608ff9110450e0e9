"""User-defined groups and concepts, from TOML or JSON files."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, in_short
from crossroads.stimuli.files.spreadsheets import from_cell
from crossroads.stimuli.files.text import check_known, load_json, load_toml, read_text, table_errors


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Contents of a file of groups."""

    name: str
    """Name of the sheet: that of the file if it has none."""
    groups: Mapping[str, Any] = field(default_factory=dict)
    """Nested tables of groups down to lists of names."""
    words: tuple[str, ...] = ()
    """Candidate words."""
    truth: tuple[str, ...] = ()
    """Candidate words that are known to be associated with the target."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Concepts by name."""


_KEYS = ("name", "groups", "words", "truth", "concepts")


def read_sheet(path: str | Path) -> Sheet:
    """Read groups, words and concepts from a TOML or JSON file.

    Keys: ``groups`` (tables within tables, down to lists of names), ``words``, ``truth`` (lists) and
    ``concepts`` (a table of lists); all but ``groups`` may be left out.
    """
    file = Path(path)
    text = read_text(file, "a TOML or JSON file")
    try:
        data = load_json(text, file) if file.suffix.lower() == ".json" else load_toml(text, file)
    except json.JSONDecodeError as error:
        raise FormatError(f"{error.msg}.", path=file, line=error.lineno) from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{error}.", path=file) from error
    if not isinstance(data, dict):
        raise FormatError(f"expected a table, found {type(data).__name__}.", path=file)
    check_known("key", data, _KEYS, path=file)
    if not isinstance(data.get("groups"), dict) or not data["groups"]:
        raise FormatError(
            "there are no groups.",
            path=file,
            key="groups",
            hint="give [groups.Black] with female = [...].",
        )
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

    Parameters
    ----------
    path
        The file.
    """
    file = Path(path)
    text = read_text(file, "a CSV or TOML file")
    with table_errors(file):
        rows = _from_toml(text, file) if file.suffix.lower() == ".toml" else _from_csv(text, file)
    lists: dict[str | tuple[str, str], dict[str, None]] = {}
    for place, pair, trait in rows:
        lists.setdefault(_key(pair, file, place), {})[trait] = None
    if not lists:
        raise FormatError("the file lists no traits.", path=file, hint=_HINT)
    return {key: tuple(traits) for key, traits in lists.items()}


def _key(pair: str, file: Path, line: int | None) -> str | tuple[str, str]:
    parts = [part.strip() for part in pair.split("|")]
    if len(parts) > 2 or not all(parts):
        raise FormatError(
            f"{in_short(pair)} is not a pair.", path=file, line=line, hint="such as 'Black | woman'."
        )
    return parts[0] if len(parts) == 1 else (parts[0], parts[1])


def _from_csv(text: str, file: Path) -> list[tuple[int | None, str, str]]:
    reader = csv.DictReader(text.splitlines())
    if not {"pair", "trait"} <= set(reader.fieldnames or ()):
        raise FormatError(f"the columns are {reader.fieldnames or 'none'}.", path=file, line=1, hint=_HINT)
    rows: list[tuple[int | None, str, str]] = []
    for row in reader:
        pair, trait = (from_cell((row[key] or "").strip()) for key in ("pair", "trait"))
        if not pair or not trait:
            raise FormatError("a cell is empty.", path=file, line=reader.line_num, hint=_HINT)
        rows.append((reader.line_num, pair, trait))
    return rows


def _from_toml(text: str, file: Path) -> list[tuple[int | None, str, str]]:
    try:
        data = load_toml(text, file)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{error}.", path=file) from error
    rows: list[tuple[int | None, str, str]] = []
    for pair, traits in data.items():
        if not isinstance(traits, list) or not all(isinstance(trait, str) and trait for trait in traits):
            raise FormatError("expected a list of traits.", path=file, key=pair, hint=_HINT)
        rows += [(None, pair, trait) for trait in traits]
    return rows


_TWO_COLUMNS = "give a word and its count or frequency on every line, with a comma or a tab between them."


def read_frequencies(path: str | Path) -> dict[str, float]:
    """Read words and their counts or frequencies from a file of two columns, CSV or TSV.

    The first line may be a heading. Words that come twice are refused, since it is not known which is meant.
    """
    file = Path(path)
    lines = read_text(file, "a CSV or TSV file").split("\n")
    delimiter = "\t" if "\t" in lines[0] else ","
    found: dict[str, float] = {}
    with table_errors(file):
        rows = list(csv.reader(lines, delimiter=delimiter))
    for line, cells in enumerate(rows, start=1):
        if not "".join(cells).strip():
            continue
        if len(cells) != 2:
            raise FormatError(f"there are {len(cells)} columns.", path=file, line=line, hint=_TWO_COLUMNS)
        word, value = from_cell(cells[0].strip()), _positive(cells[1])
        if value is None and line == 1:
            continue
        if value is None or not word:
            raise FormatError(
                f"{in_short(cells[1])} is no frequency of {in_short(word)}.",
                path=file,
                line=line,
                hint=f"{_TWO_COLUMNS[:-1]}; it must be above 0.",
            )
        if word in found:
            raise FormatError(
                f"{in_short(word)} is there twice.", path=file, line=line, hint="give each word once."
            )
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
