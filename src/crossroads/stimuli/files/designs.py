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
from crossroads.stimuli.files.tables import designs_from_table
from crossroads.stimuli.files.text import load_json, load_toml, read_text

_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


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
        With the file and the key at fault; in tables and JSON Lines also the line.

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
    designs = reader(text, file, duplicates)
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
    try:
        return _each(load_toml(text, file), file.stem, duplicates)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"the TOML cannot be read: {error}.", path=file) from error
    except PlacedError as fault:
        raise FormatError(fault.message, path=file, key=fault.key, hint=fault.hint) from fault


def _read_json(
    text: str, file: Path, duplicates: Duplicates, *, default: str = "", line: int | None = None
) -> list[Design]:
    """Read the designs of a JSON text, which may be one line of a file."""
    try:
        document = load_json(text, file, object_pairs_hook=_object)
        return _each(document, default or file.stem, duplicates)
    except json.JSONDecodeError as error:
        where = error.lineno if line is None else line
        raise FormatError(f"the JSON cannot be read: {error.msg}.", path=file, line=where) from error
    except PlacedError as fault:
        raise FormatError(fault.message, path=file, line=line, key=fault.key, hint=fault.hint) from fault


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a key that occurs twice, of which JSON keeps the last."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise PlacedError(f"the key {in_short(key)} occurs twice.", (key,))
        found[key] = value
    return found


def _read_json_lines(text: str, file: Path, duplicates: Duplicates) -> list[Design]:
    """Read one object per line, or a single object over many lines, as in the files of May et al."""
    try:
        load_json(text, file)
        several = False
    except json.JSONDecodeError as error:
        several = error.msg.startswith("Extra data")
    if not several:
        return _read_json(text, file, duplicates)
    designs: list[Design] = []
    for line, row in enumerate(text.split("\n"), start=1):
        if row.strip():
            default = f"{file.stem}-{len(designs) + 1}"
            designs += _read_json(row, file, duplicates, default=default, line=line)
    return designs


def _each(document: Any, stem: str, duplicates: Duplicates) -> list[Design]:
    """Find the designs of a document, which is a design, a list of designs, or has them under ``design``."""
    where: tuple[str, ...] = ()
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
            path=where if len(several) == 1 else (f"design {position + 1}",),
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
