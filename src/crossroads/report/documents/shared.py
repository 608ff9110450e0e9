"""``results.json``: what many results share stands once, in tables, and draws are in base64.

A result has the place of an entry in ``shared`` instead of the entry itself, under the same key. An entry
with a ``shape`` is an array of 64-bit floats, little-endian, in base64.
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crossroads.errors import FormatError, in_short
from crossroads.stimuli.files.text import load_json, read_text

Plain = Mapping[str, Any]
REPEATED = frozenset({"conventions", "coverage", "provenance", "sets", "titles", "versions"})
"""Fields that many results have in common."""
DRAWS = frozenset(
    {"effect_sizes", "sample_variances", "samples1", "samples2", "statistics", "topic_statistics"}
    | {f"sample_effect_sizes{target}" for target in ("", "_x", "_y")}
)
"""Names of lists of draws, whose single numbers are not of interest."""
MOST_DRAWS = 400
"""Longer lists of draws are in base64 in files, and a histogram on a page."""
ARRAYS = DRAWS | {"geometry"}
"""Fields that are in base64 where they have more numbers than that."""
_INNERMOST = re.compile(r"[\[{]\n[^][{}]*[\]}]")


def write_document(path: Path, document: Plain) -> None:
    """Write a document without rounding, innermost lists and objects on one line each."""
    text = json.dumps(packed(document), ensure_ascii=False, allow_nan=False, indent=1)
    # strings of JSON have no line breaks, so that a bracket before one opens a list or an object
    shown = _INNERMOST.sub(lambda found: re.sub(r"\n *", "", found[0]), text)
    path.write_text(shown + "\n", encoding="utf-8")


def read_document(path: str | Path) -> Any:
    """The content of a JSON file, with shared entries in their places."""
    path = Path(path)
    try:
        data = load_json(read_text(path, "a file as crossroads wrote it"), path, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise FormatError(f"not a JSON document: {error.msg}.", path=path, line=error.lineno) from error
    if not isinstance(data, dict) or "shared" not in data:
        return data
    try:
        return unpacked(data)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise FormatError(
            f"its shared entries are damaged: {in_short(str(error))}.", path=path, key="shared"
        ) from error


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def packed(document: Plain) -> dict[str, Any]:
    """A document as it is written: each shared entry once, in ``shared``."""
    tables: dict[str, dict[str, int]] = {}

    def pack(value: Any) -> Any:
        if isinstance(value, list):
            return [pack(one) for one in value]
        if not isinstance(value, Mapping):
            return value
        entries = _entries(value) if _is_result(value) else {}
        found = {}
        for key, one in value.items():
            if key in entries:
                table = tables.setdefault(key, {})
                text = json.dumps(entries[key], ensure_ascii=False, allow_nan=False)
                found[key] = table.setdefault(text, len(table))
            else:
                found[key] = pack(one)
        return found

    results = [pack(one) for one in document["results"]]
    shared = {key: [json.loads(text) for text in tables[key]] for key in sorted(tables)}
    return {**document, "results": results, "shared": shared}


def unpacked(data: Plain) -> dict[str, Any]:
    """A document with shared entries in their places."""
    tables = {key: [_array(one) for one in table] for key, table in data["shared"].items()}

    def unpack(value: Any) -> Any:
        if isinstance(value, list):
            return [unpack(one) for one in value]
        if not isinstance(value, Mapping):
            return value
        if not _is_result(value):
            return {key: unpack(one) for key, one in value.items()}
        return {
            key: tables[key][_place(one)] if key in tables and type(one) is int else unpack(one)
            for key, one in value.items()
        }

    return {key: unpack(value) for key, value in data.items() if key != "shared"}


def _is_result(value: Plain) -> bool:
    """Whether an object is a result, and not a mapping by words, which may be named like fields."""
    return isinstance(value.get("type"), str) and isinstance(value.get("schema"), int)


def _entries(result: Plain) -> dict[str, Any]:
    """The fields of a result that go to tables, as they are there."""
    found = {key: result[key] for key in REPEATED & result.keys() if result[key]}
    for key in ARRAYS & result.keys():
        if isinstance(result[key], list) and (entry := _in_base64(result[key])) is not None:
            found[key] = entry
    return found


def _in_base64(values: list[Any]) -> dict[str, Any] | None:
    """An array of many floats; None if it has few, or other values."""
    if len(values) * len(values) <= MOST_DRAWS:  # neither many rows, nor many numbers
        return None
    try:
        array = np.array(values)
    except ValueError:  # rows of different lengths
        return None
    if array.dtype != np.float64 or array.size <= MOST_DRAWS:
        return None
    return {"shape": list(array.shape), "float64": base64.b64encode(array.astype("<f8").tobytes()).decode()}


def _array(entry: Any) -> Any:
    """An entry of a table, an array as lists of numbers."""
    if not isinstance(entry, Mapping) or "shape" not in entry:
        return entry
    shape = entry["shape"]
    array = np.frombuffer(base64.b64decode(entry["float64"], validate=True), dtype="<f8")
    if math.prod(shape) != array.size or not np.isfinite(array).all():
        raise ValueError(f"{array.size} numbers of the shape {shape}")
    return array.reshape(shape).tolist()


def _place(place: int) -> int:
    if place < 0:
        raise IndexError(f"there is no entry {place}")
    return place
