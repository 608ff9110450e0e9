"""Tables of groups, traits and numbers in CSV and JSON files, as people publish them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from crossroads.errors import FormatError, in_short
from crossroads.stimuli.spreadsheets import from_cell
from crossroads.stimuli.text_files import load_json, read_text

_LONG = ("group", "trait", "score")
_SHAPES = (
    "group,trait,score[,annotator] with one line a cell, or group,<trait>,<trait>… with one line a group"
)


class Rating(NamedTuple):
    """One number of a file and where it stands."""

    annotator: str | None
    group: str
    trait: str
    score: float | None
    line: int | None


def table_text(path: str | Path) -> str:
    """The text of a file, or a sentence about why there is none."""
    text = read_text(path, "a CSV or JSON file")
    if not text.strip():
        raise FormatError("the file is empty.", path=path, hint=f"give {_SHAPES}.")
    return text


def read_json(path: str | Path, text: str) -> Any:
    """Parse the text of a JSON file."""
    try:
        return load_json(text, path)
    except json.JSONDecodeError as error:
        raise FormatError(f"not a JSON document: {error.msg}.", path=path, line=error.lineno) from error


def looks_like_json(text: str) -> bool:
    """Whether a text begins as a JSON document does."""
    return text.lstrip()[:1] in ("{", "[")


def ratings_of(path: str | Path) -> list[Rating]:
    """Every number of a file of judgements or scores, in order, with the names as they are written.

    JSON is group → trait → score, or annotator → group → trait → score; CSV is long or wide.
    """
    text = table_text(path)
    found = list(_json_ratings(path, read_json(path, text)) if looks_like_json(text) else _csv(path, text))
    if not any(rating.score is not None for rating in found):
        raise FormatError("the file holds no score.", path=path, hint=f"give {_SHAPES}.")
    return found


def _json_ratings(path: str | Path, data: Any) -> Iterator[Rating]:
    hint = "give group → trait → score, or annotator → group → trait → score."
    if not isinstance(data, dict) or not data:
        raise FormatError("expected an object of groups or annotators.", path=path, hint=hint)
    for first, inner in data.items():
        if not isinstance(inner, dict):
            raise FormatError("expected an object of traits or groups.", path=path, key=first, hint=hint)
        for second, value in inner.items():
            if isinstance(value, dict):
                for third, score in value.items():
                    key = f"{first}.{second}.{third}"
                    yield Rating(first, second, third, number(score, path=path, key=key), None)
            else:
                key = f"{first}.{second}"
                yield Rating(None, first, second, number(value, path=path, key=key), None)


def _csv(path: str | Path, text: str) -> Iterator[Rating]:
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    try:
        rows = [(lines.line_num, [from_cell(cell.strip()) for cell in row]) for row in lines]
    except csv.Error as error:
        raise FormatError(f"not a CSV file: {error}.", path=path, line=lines.line_num) from error
    head = [name.casefold() for name in rows[0][1]]
    if "group" not in head:
        raise FormatError(
            f"the first line has no column 'group': {', '.join(rows[0][1][:6])}.",
            path=path,
            line=1,
            hint=f"give {_SHAPES}.",
        )
    filled = [(line, row) for line, row in rows[1:] if any(row)]
    for line, row in filled:
        if len(row) != len(head):
            raise FormatError(f"{len(row)} cells where the head has {len(head)}.", path=path, line=line)
    if set(_LONG) <= set(head):
        yield from _long(path, head, filled)
    else:
        yield from _wide(path, rows[0][1], head, filled)


def _long(path: str | Path, head: list[str], rows: list[tuple[int, list[str]]]) -> Iterator[Rating]:
    at = {name: head.index(name) for name in (*_LONG, "annotator") if name in head}
    for line, row in rows:
        annotator = row[at["annotator"]] if "annotator" in at else None
        score = number(row[at["score"]], path=path, line=line, key="score")
        if not row[at["group"]] or not row[at["trait"]] or annotator == "":
            raise FormatError("a name is missing.", path=path, line=line)
        yield Rating(annotator, row[at["group"]], row[at["trait"]], score, line)


def _wide(
    path: str | Path, names: list[str], head: list[str], rows: list[tuple[int, list[str]]]
) -> Iterator[Rating]:
    group, annotator = head.index("group"), head.index("annotator") if "annotator" in head else None
    columns = [i for i in range(len(head)) if i not in (group, annotator)]
    if not columns:
        raise FormatError("there is no trait beside the groups.", path=path, line=1, hint=f"give {_SHAPES}.")
    for line, row in rows:
        if not row[group]:
            raise FormatError("a name is missing.", path=path, line=line)
        for i in columns:
            score = number(row[i], path=path, line=line, key=names[i])
            yield Rating(None if annotator is None else row[annotator], row[group], names[i], score, line)


def number(
    value: object, *, path: str | Path, line: int | None = None, key: str | None = None
) -> float | None:
    """A finite number out of a cell; None where the cell is empty."""
    if value is None or (isinstance(value, str) and value.strip().casefold() in ("", "na", "nan", "none")):
        return None
    try:
        found = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
    except ValueError:
        found = None
    if found is None or not math.isfinite(found):
        raise FormatError(f"{in_short(value)} is not a number.", path=path, line=line, key=key)
    return found


def nested(scores: Mapping[str, Mapping[str, float]]) -> list[Rating]:
    """The numbers of a mapping group → trait → score."""
    for group, row in scores.items():
        if not isinstance(row, Mapping):
            raise FormatError(
                f"{in_short(row)} is no mapping of traits to scores.",
                path="the mapping",
                key=str(group),
                hint="give {group: {trait: score, ...}, ...}.",
            )
    return [
        Rating(None, group, trait, number(score, path="the mapping", key=f"{group}.{trait}"), None)
        for group, row in scores.items()
        for trait, score in row.items()
    ]
