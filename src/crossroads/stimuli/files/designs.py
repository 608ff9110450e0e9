"""Designs read from files."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, in_short, one_of
from crossroads.stimuli.design import Design
from crossroads.stimuli.files.documents import Duplicates, PlacedError, design_from
from crossroads.stimuli.files.places import JsonPlaces, Places, TomlPlaces
from crossroads.stimuli.files.tables import designs_from_table
from crossroads.stimuli.files.text import load_json, load_toml, read_text

_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
_DEEP = "the file is nested too deeply to be a design."


def read_design(path: str | os.PathLike[str], *, duplicates: Duplicates = "raise") -> Design:
    r"""Read the one design of a file.

    Parameters
    ----------
    path
        A TOML, JSON or CSV file; see :func:`read_designs`.
    duplicates
        ``"raise"``, or ``"drop"`` to keep the first of equal words and note it in the departures.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import crossroads as cr
    >>> file = Path(mkdtemp(), "mine.csv")
    >>> _ = file.write_text("x,y,a,b\nrose,wasp,joy,pain\ntulip,ant,love,filth\n")
    >>> design = cr.read_design(file)
    >>> design.name, tuple(design.x)
    ('mine', ('rose', 'tulip'))
    """
    designs = read_designs(path, duplicates=duplicates)
    if len(designs) > 1:
        names = ", ".join(design.name for design in designs[:6])
        raise FormatError(
            f"the file contains {len(designs)} designs, among them {names}.",
            path=os.fspath(path),
            hint="use read_designs, or write one design per file.",
        )
    return designs[0]


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
        With the file, the key and the line at fault.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> import crossroads as cr
    >>> file = Path(mkdtemp(), "mine.csv")
    >>> _ = file.write_text(
    ...     "design,set,word\none,x,rose\none,a,joy\none,b,pain\ntwo,x,wasp\ntwo,a,joy\ntwo,b,pain\n"
    ... )
    >>> [design.name for design in cr.read_designs(file)]
    ['one', 'two']
    """
    one_of("way to treat duplicates", duplicates, Duplicates)
    file = Path(path)
    reader = _READERS.get(file.suffix.casefold())
    if reader is None:
        raise _unknown_ending(file)
    text = read_text(file, "a TOML, JSON or CSV file")
    if not text.strip():
        raise FormatError("the file is empty.", path=file)
    try:
        designs = reader(text, file, duplicates)
    except RecursionError as error:
        raise FormatError(_DEEP, path=file) from error
    names = [design.name for design in designs]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise FormatError(f"two designs are called {in_short(name)}.", path=file, key="name")
    return designs


def _unknown_ending(file: Path) -> FormatError:
    hint = f"use one of the file extensions {', '.join(_READERS)}."
    if not file.exists():
        return FormatError("there is no such file.", path=file, hint=hint)
    if file.suffix.casefold() in _SPREADSHEETS:
        hint = "save the table as CSV UTF-8, and give that file."
        return FormatError("spreadsheets are not read.", path=file, hint=hint)
    if not file.suffix:
        return FormatError("the file name has no extension.", path=file, hint=hint)
    return FormatError(f"{file.suffix!r} is not an extension of a file of designs.", path=file, hint=hint)


def _read_toml(text: str, file: Path, duplicates: Duplicates) -> list[Design]:
    text = text.replace("\r\n", "\n")
    try:
        document = load_toml(text, file)
    except tomllib.TOMLDecodeError as error:
        message, line = _toml_fault(str(error), text)
        raise FormatError(f"the TOML cannot be read: {message}.", path=file, line=line) from error
    return _designs(document, TomlPlaces(text), file, duplicates)


def _toml_fault(message: str, text: str) -> tuple[str, int | None]:
    """Separate "(at line 3, column 1)" from the message."""
    what, _, place = message.rpartition(" (at ")
    if not what:
        return message.rstrip("."), None
    if place.startswith("end of document"):
        return what, text.rstrip().count("\n") + 1
    digits = place.removeprefix("line ").partition(",")[0]
    return what, int(digits) if digits.isdigit() else None


def _read_json(text: str, file: Path, duplicates: Duplicates) -> list[Design]:
    return _designs(_parsed(text, file), JsonPlaces(text), file, duplicates)


def _read_json_lines(text: str, file: Path, duplicates: Duplicates) -> list[Design]:
    """Read one object per line, or a single object over many lines, as in the files of May et al."""
    try:
        document = load_json(text, file)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            _parsed(text, file)
    else:
        return _designs(document, JsonPlaces(text), file, duplicates)
    designs: list[Design] = []
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            document = _parsed(line, file, offset=number)
            places = JsonPlaces(line, offset=number)
            default = f"{file.stem}-{len(designs) + 1}"
            designs += _designs(document, places, file, duplicates, default=default, line=number + 1)
    return designs


def _parsed(text: str, file: Path, *, offset: int = 0) -> Any:
    try:
        return load_json(text, file)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"the JSON cannot be read: {error.msg}.", path=file, line=error.lineno + offset
        ) from error


def _designs(
    document: Any,
    places: Places,
    file: Path,
    duplicates: Duplicates,
    *,
    default: str | None = None,
    line: int = 1,
) -> list[Design]:
    if isinstance(places, JsonPlaces) and places.repeated:
        twice = places.repeated[0]
        raise FormatError(
            f"the key {in_short(twice[-1])} occurs twice.",
            path=file,
            line=places.line(twice),
            key=str(twice[-1]),
        )
    try:
        return _each(document, default or file.stem, duplicates)
    except PlacedError as fault:
        raise FormatError(
            fault.message, path=file, line=places.line(fault.path) or line, key=fault.key, hint=fault.hint
        ) from fault


def _each(document: Any, stem: str, duplicates: Duplicates) -> list[Design]:
    """Find the designs of a document, which is a design, a list of designs, or has them under ``design``."""
    where: tuple[str | int, ...] = ()
    several = document
    if isinstance(document, dict):
        key = next((key for key in ("design", "designs") if key in document), None)
        if key is None:
            return [design_from(document, default=stem, duplicates=duplicates)]
        others = [other for other in document if other != key]
        if others:
            raise PlacedError(
                f"{in_short(others[0])} is outside the designs.",
                (others[0],),
                hint="put it into each design.",
            )
        several, where = document[key], (key,)
        if isinstance(several, dict):
            return [design_from(several, default=stem, duplicates=duplicates, path=where)]
    if not isinstance(several, list) or not several:
        raise PlacedError("there is no design in this file.", where, hint="give name, x, y, a and b.")
    return [
        design_from(
            item,
            default=stem if len(several) == 1 else f"{stem}-{position + 1}",
            duplicates=duplicates,
            path=(*where, position),
        )
        for position, item in enumerate(several)
    ]


_READERS: dict[str, Callable[[str, Path, Duplicates], list[Design]]] = {
    ".toml": _read_toml,
    ".json": _read_json,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".csv": lambda text, file, duplicates: designs_from_table(text, file, duplicates=duplicates),
    ".tsv": lambda text, file, duplicates: designs_from_table(text, file, duplicates=duplicates),
    ".txt": lambda text, file, duplicates: designs_from_table(text, file, duplicates=duplicates),
}
