"""Designs read from files: TOML, JSON, and text tables with a word per row or a set per column."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crossroads.core.errors import FormatError, in_short, join_words, nearest, one_of
from crossroads.core.stimuli.design import ROLES, Design
from crossroads.core.stimuli.files.building import FOREIGN, ONCE, Duplicates, design_from
from crossroads.core.stimuli.files.text import (
    Place,
    from_cell,
    load_json,
    parsed,
    read_text,
    table_errors,
    table_rows,
)
from crossroads.core.stimuli.sets import StimulusSet, word_fault

_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


def read_designs(path: str | os.PathLike[str], *, duplicates: Duplicates = "raise") -> list[Design]:
    r"""Read the designs of a file.

    Parameters
    ----------
    path
        The file. Its extension determines the format:

        * ``.toml``: ``name``, ``x``, ``y``, ``a``, ``b``, each set a list of words or a table with ``name``
          and ``items``; several designs each under ``[[design]]``.
        * ``.json``: the same, or a list of such objects. ``.jsonl``: one object per line.
        * All of these also in the forms of XWEAT, WEATHub and the sentence tests of May et al.: ``targ1``,
          ``targ2``, ``attr1`` and ``attr2``, each a list of words or a table with ``category`` and
          ``examples``, with ``language`` and ``weat``; in a table a design per row, its words as lists.
        * ``.csv``, ``.tsv``, ``.txt``: a table with the columns ``set`` and ``word``, optionally ``design``
          and ``name``; or with the columns ``x``, ``y``, ``a`` and ``b``, the words of each set below,
          and its name in the head of the column if it has one (``x: male names``).
    duplicates
        ``"raise"``, or ``"drop"`` to keep the first of equal words and note it in the departures.

    Raises
    ------
    FormatError
        With the file and the key at fault; in tables and JSON Lines also the line.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import crossroads as cr
    >>> file = Path(mkdtemp(), "mine.csv")
    >>> _ = file.write_text("design,set,word\none,x,rose\none,a,joy\none,b,pain\n")
    >>> [design.name for design in cr.read_designs(file)]
    ['one']
    """
    one_of("way to treat duplicates", duplicates, Duplicates)
    file = Path(path)
    reader = _READERS.get(file.suffix.casefold())
    if reader is None:
        raise _unknown_ending(file)
    text = read_text(file, "a TOML, JSON or CSV file")
    if not text.strip():
        raise FormatError("the file is empty.", path=file)
    designs = reader(text, file, duplicates)
    for name, number in Counter(design.name for design in designs).items():
        if number > 1:
            raise FormatError(f"two designs are called {in_short(name)}.", path=file, key="name")
    return designs


def _unknown_ending(file: Path) -> FormatError:
    hint = f"use one of the file extensions {', '.join(_READERS)}."
    what = "the file name has no extension."
    if not file.exists():
        what = "there is no such file."
    elif file.suffix.casefold() in _SPREADSHEETS:
        what, hint = "spreadsheets are not read.", "save the table as CSV UTF-8, and give that file."
    elif file.suffix:
        what = f"{file.suffix!r} is not an extension of a file of designs."
    return FormatError(what, path=file, hint=hint)


def _read_document(text: str, file: Path, duplicates: Duplicates) -> list[Design]:
    return _each(parsed(text, Place(file)), Place(file), file.stem, duplicates)


def _read_json_lines(text: str, file: Path, duplicates: Duplicates) -> list[Design]:
    """Read one object per line, or a single object over many lines, as in the files of May et al."""
    try:
        load_json(text, file)
        several = False
    except json.JSONDecodeError as error:
        several = error.msg.startswith("Extra data")
    if not several:
        return _read_document(text, file, duplicates)
    designs: list[Design] = []
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            place, stem = Place(file, line), f"{file.stem}-{len(designs) + 1}"
            designs += _each(parsed(row, place), place, stem, duplicates)
    return designs


def _each(document: Any, place: Place, stem: str, duplicates: Duplicates) -> list[Design]:
    """Find the designs of a document, which is a design, a list of designs, or has them under ``design``."""
    items, where = document, place
    if isinstance(document, dict) and (keys := [key for key in ("design", "designs") if key in document]):
        items, where = document[keys[0]], place.at(keys[0])
        if others := [key for key in document if key != keys[0]]:
            message = f"{in_short(others[0])} is outside the designs."
            raise place.at(others[0]).error(message, "put it into each design.")
    items = [items] if isinstance(items, dict) else items
    if not isinstance(items, list) or not items:
        raise where.error("there is no design in this file.", "give name, x, y, a and b.")
    if len(items) == 1:
        return [design_from(items[0], where, default=stem, duplicates=duplicates)]
    return [
        design_from(item, place.at(f"design {n}"), default=f"{stem}-{n}", duplicates=duplicates)
        for n, item in enumerate(items, start=1)
    ]


_DELIMITERS = (",", ";", "\t", "|")
_SPACES = " \t\u00a0"
_COLUMNS = ("set", "word", "design", "name")
_HINT = (
    "the first row names the columns: set and word, and optionally design and name; or x, y, a and b, each "
    "with the name of the set if it has one, as in 'x: male names', and the words of the set below."
)
_LONGEST = 60
"""A heading of more characters is not repeated in a hint."""
_NAMED = re.compile(r"([xyab])\s*(?:[:=]\s*(?P<after>.*\S)|\(\s*(?P<inside>.*\S)\s*\))", re.IGNORECASE)
"""Header of a column with the name of its set: ``x: names``, ``x = names`` or ``x (names)``."""


@dataclass
class _Sets:
    words: dict[str, dict[str, None]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    spaced: dict[str, None] = field(default_factory=dict)


def _read_table(text: str, path: Path, duplicates: Duplicates) -> list[Design]:
    """Read a table; spaces around words, which spreadsheets hide, are removed and noted in the departures."""
    with table_errors(path):
        listed = _lists(text, path, duplicates)
    if listed:
        return listed
    designs: dict[str, _Sets] = {}
    for place, row in _rows(text, path):
        _add(designs.setdefault(row.get("design") or path.stem, _Sets()), row, place, duplicates)
    if not designs:
        raise FormatError("the table has no rows.", path=path, hint=_HINT)
    return [_design(name, sets, path) for name, sets in designs.items()]


_LISTED = frozenset({"name", "title", "language", "weat"})


def _lists(text: str, path: Path, duplicates: Duplicates) -> list[Design]:
    """The designs of a table with one in every row, its words in lists; none of any other table."""
    first = text.partition("\n")[0]
    for delimiter in _DELIMITERS:
        heads = [cell.strip().casefold() for cell in _cells(first, delimiter)]
        plain = [head.removesuffix(".examples").removesuffix(".category") for head in heads]
        if {"targ1", "attr1", "attr2"} <= set(plain) <= {*FOREIGN, *_LISTED}:
            break
    else:
        return []
    rows = csv.DictReader(io.StringIO(text, newline=""), fieldnames=heads, delimiter=delimiter)
    found: list[Design] = []
    for number, row in enumerate(rows):
        cells = {key: value.strip() for key, value in row.items() if key and value and value.strip()}
        if number == 0 or not cells:
            continue
        lists = [key for key in cells if key.removesuffix(".examples") in FOREIGN]
        if not any("[" in cells[key] for key in lists) and not {"weat", "language"} & set(heads):
            return []  # one word in every cell: a set in each column
        data: dict[str, Any] = {**cells, **{key: _words_of(cells[key]) for key in lists}}
        place, default = Place(path, rows.line_num), f"{path.stem}-{len(found) + 1}"
        found.append(design_from(data, place, default=default, duplicates=duplicates))
    return found


def _words_of(cell: str) -> list[str]:
    """The words of a cell: a list as JSON or Python writes it, or words with commas or semicolons between."""
    if re.search(r"""['"]\s+['"]""", cell):  # without commas between the words, as numpy writes it
        return [one or other for one, other in re.findall(r"'([^']*)'|\"([^\"]*)\"", cell)]
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if isinstance(value, list | tuple):
        return list(value)
    return [word.strip() for word in re.split(r"[;,،、，]", cell) if word.strip()]


def _rows(text: str, path: Path) -> Iterator[tuple[Place, dict[str, str]]]:
    skipped = 0
    if text[:4].casefold() == "sep=":
        text, skipped = text.partition("\n")[2], 1
    delimiter, columns, names = _header(text, Place(path, skipped + 1))
    rows = table_rows(text, path, delimiter, skipped=skipped)
    next(rows)  # the header
    for place, raw in rows:
        cells = [from_cell(cell) for cell in _without_margin(raw, len(columns))]
        if len(cells) != len(columns):
            raise place.error(f"the row has {len(cells)} cells under {len(columns)} columns.")
        row = dict(zip(columns, cells, strict=True))
        if "word" in row:
            yield place, row
            continue
        for role, word in row.items():
            if word.strip():
                yield place, {"set": role, "word": word, "name": names.get(role, "")}


def _header(text: str, place: Place) -> tuple[str, list[str], dict[str, str]]:
    """Find the delimiter with which the first row names the columns, and the names of sets in it."""
    first = text.partition("\n")[0]
    best: list[str] = [first]
    titled: tuple[str, list[str]] | None = None
    for delimiter in _DELIMITERS:
        given = _without_margin([cell.strip() for cell in _cells(first, delimiter)], 0)
        found = {cell: _NAMED.fullmatch(cell) for cell in given}
        cells = [m[1].casefold() if (m := found[cell]) else cell.casefold() for cell in given]
        cells = [FOREIGN.get(cell, cell) for cell in cells]
        if {"x", "a", "b"} <= set(cells) <= set(ROLES) and len(set(cells)) == len(cells):
            names = {m[1].casefold(): m["after"] or m["inside"] for m in found.values() if m}
            return delimiter, cells, names
        if {"set", "word"} <= set(cells):
            for position, cell in enumerate(cells):
                if cell not in _COLUMNS:
                    near = nearest(cell, _COLUMNS, n=1)
                    hint = f"did you mean {near[0]!r}?" if near else _HINT
                    raise place.error(f"unknown column {in_short(cell)}.", hint, key=cell)
                if cell in cells[:position]:
                    raise place.error(f"the column {in_short(cell)} occurs twice.", key=cell)
            return delimiter, cells, {}
        best = max(best, cells, key=len)
        plain = all(cell.isprintable() and len(cell) <= _LONGEST for cell in given)
        if plain and len(given) == len(set(cells) - {"", *ROLES, *_COLUMNS}) == len(ROLES):
            titled = delimiter, given
    if titled is not None:
        shown = join_words(map(in_short, titled[1]))
        raise place.error(f"the columns {shown} do not say which set they are.", _line_to_write(*titled))
    lacking = "word" if "set" in best else "set"
    raise place.error(f"there is no column {in_short(lacking)} in {in_short(first)}.", _HINT)


def _line_to_write(delimiter: str, titles: list[str]) -> str:
    """Four columns with their sets, in the order in which most people write them."""
    heads = []
    for role, title in zip(ROLES, titles, strict=True):
        head = f"{role}: {title}"
        quoted = head.replace('"', '""')
        heads.append(f'"{quoted}"' if delimiter in head or '"' in head else head)
    return (
        "if these are two targets and two attributes, write this as the first line: "
        f"{delimiter.join(heads)}\n"
        f"if they are words, put the line {delimiter.join(ROLES)} above them."
    )


def _cells(first: str, delimiter: str) -> list[str]:
    """The cells of the first row; one with an unclosed quote is taken literally."""
    try:
        return next(csv.reader([first], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return [cell.strip().strip('"') for cell in first.split(delimiter)]


def _without_margin(cells: list[str], least: int) -> list[str]:
    """Cells without the empty ones at the end that spreadsheets write for columns used earlier."""
    filled = [number for number, cell in enumerate(cells, start=1) if cell.strip()]
    return cells[: max([least, *filled[-1:]])]


def _add(sets: _Sets, row: dict[str, str], place: Place, duplicates: Duplicates) -> None:
    role, word = row["set"].strip().casefold(), row["word"].strip(_SPACES)
    if role not in ROLES:
        raise place.error(f"the set is {in_short(row['set'])}.", "sets are x, y, a and b.", key="set")
    if (fault := word_fault(word)) is not None:
        hint = "give the word exactly as it is looked up."
        raise place.error(f"{in_short(word)} {fault}.", hint, key="word")
    if word != row["word"]:
        sets.spaced[word] = None
    name = row.get("name", "").strip()
    if name and sets.names.setdefault(role, name) != name:
        before = in_short(sets.names[role])
        hint = "give a set one name in all its rows."
        raise place.error(f"{role} is called {in_short(name)} here and {before} before.", hint, key="name")
    words = sets.words.setdefault(role, {})
    if word in words and duplicates == "raise":
        raise place.error(f"{in_short(word)} occurs twice in {role}.", ONCE, key="word")
    if word in words:
        sets.notes[f"{word!r}, given more than once in {role}, is kept once."] = None
    words[word] = None


def _design(name: str, sets: _Sets, path: Path) -> Design:
    if missing := [role for role in ("x", "a", "b") if role not in sets.words]:
        hint = "a design has x, a and b and, unless it has a single target, y."
        message = f"the design {in_short(name)} has no words in {missing[0]}."
        raise FormatError(message, path=path, key="set", hint=hint)
    roles: dict[str, Any] = {
        role: StimulusSet(sets.names.get(role, role), tuple(words)) for role, words in sets.words.items()
    }
    notes = [*sets.notes]
    if sets.spaced:
        notes.append(f"spaces around {join_words(map(repr, sets.spaced), most=20)} are removed.")
    return Design(name=name, **roles, departures=notes)


_READERS: dict[str, Callable[[str, Path, Duplicates], list[Design]]] = {
    **dict.fromkeys((".toml", ".json"), _read_document),
    **dict.fromkeys((".jsonl", ".ndjson"), _read_json_lines),
    **dict.fromkeys((".csv", ".tsv", ".txt"), _read_table),
}
