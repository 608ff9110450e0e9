"""Lists of the traits of groups, in files of one's own: what people attribute to each pair of identities."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

from crossroads.errors import FormatError, in_short
from crossroads.stimuli.spreadsheets import from_cell
from crossroads.stimuli.text_files import load_toml, read_text

_HINT = "the first row of a CSV file names the columns pair and trait; a TOML file has pair = [traits]."


def read_trait_lists(path: str | Path) -> dict[str | tuple[str, str], tuple[str, ...]]:
    """Read the traits that hold for each pair from a CSV or TOML file.

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
