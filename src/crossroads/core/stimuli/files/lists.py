"""User-defined groups and concepts, from TOML or JSON files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossroads.core.errors import FormatError, UnknownNameError, in_short, require
from crossroads.core.stimuli.files.spreadsheets import from_cell
from crossroads.core.stimuli.files.text import Place, check_known, read_data, read_text, table_rows


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
    data = read_data(file, "a TOML or JSON file")
    if not isinstance(data, dict):
        raise FormatError(f"expected a table, found {type(data).__name__}.", path=file)
    check_known("key", data, _KEYS, path=file)
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
