"""The words that label the rows of a matrix, in a separate file beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, in_short, join_words
from crossroads.sources.vectors.pickles.arrays import as_array
from crossroads.sources.vectors.pickles.reader import load_pickle
from crossroads.storage.streams import Stream

NAMES = ("labels", "words", "vocab", "vocabulary", "tokens", "index_to_key")
"""Names of labels inside ``.npz``, ``.safetensors`` and Parquet files."""
VECTOR_NAMES = ("vectors", "embeddings", "matrix", "embedding", "weights", "emb")
"""Names of the vectors there."""

_SUFFIXES = (".txt", ".json", ".pkl")
_MOST_BYTES = 1 << 30


def labels_beside(path: Path) -> Path | None:
    """The file with the words of a matrix: the same name with another ending.

    For ``x.npy`` these are tried: ``x.txt``, ``x.json``, ``x.pkl``, then the same with ``-labels``,
    ``.labels``, ``-words`` and so on before the ending; for ``1900-w.npy`` also ``1900-vocab.pkl``.
    """
    stem = path.name.removesuffix(path.suffix)
    stems = [stem, *(f"{stem}{dash}{name}" for name in NAMES for dash in "-._")]
    if stem.endswith("-w"):
        stems.insert(0, stem[:-2] + "-vocab")
    for candidate in (path.with_name(s + suffix) for s in stems for suffix in _SUFFIXES):
        if candidate.is_file():
            return candidate
    return None


def require_labels_beside(path: Path) -> Path:
    """The file with the words of a matrix, or an error that says how to name it."""
    found = labels_beside(path)
    if found is None:
        stem = path.name.removesuffix(path.suffix)
        raise FormatError(
            "there are vectors but no words for them.",
            path=path,
            hint=f"put the words beside it, one per line, in a file called {stem}.txt (or .json, .pkl).",
        )
    return found


def read_labels(path: Path) -> list[str]:
    """Read words from ``.txt`` (one per line), ``.json`` or ``.pkl`` (a list, or word to row)."""
    with Stream(path) as stream:
        if stream.name.endswith((".pkl", ".pickle")):
            return labels_from(load_pickle(stream, path=path), path)
        data = stream.read(_MOST_BYTES)
        name = stream.name
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            "the words are not UTF-8.", path=path, line=line, hint="convert the file."
        ) from error
    if not name.endswith(".json"):
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    return labels_from(parse_json(text, path), path)


def parse_json(text: str, path: Path) -> Any:
    """Parse JSON; the error names the place at which it fails."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {error}.", path=path) from error


def labels_from(value: Any, path: Path) -> list[str]:
    """Words out of a list, an array, or a mapping of word to row (or row to word)."""
    array = as_array(value)
    if array is not None:
        value = array.tolist()
    if isinstance(value, dict):
        return _by_row(value, path)
    if not isinstance(value, list | tuple):
        raise FormatError(
            f"expected words, not {type(value).__name__}.", path=path, hint="give a list, or word to row."
        )
    return [_as_word(item, row, path) for row, item in enumerate(value, start=1)]


def _by_row(table: dict[Any, Any], path: Path) -> list[str]:
    pairs: Iterable[tuple[Any, Any]] = table.items()
    if table and all(isinstance(key, int) for key in table):
        pairs = ((word, row) for row, word in table.items())
    words: list[str | None] = [None] * len(table)
    for word, row in pairs:
        if not isinstance(row, int) or not 0 <= row < len(words) or words[row] is not None:
            raise FormatError(
                f"{in_short(word)} is assigned to row {in_short(row)}.",
                path=path,
                hint=f"expected each row from 0 to {len(words) - 1} once.",
            )
        words[row] = _as_word(word, row + 1, path)
    return [word for word in words if word is not None]


def _as_word(item: Any, row: int, path: Path) -> str:
    if isinstance(item, bytes):
        try:
            return item.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"the word {in_short(item)} is not UTF-8.", path=path, line=row) from error
    if not isinstance(item, str):
        raise FormatError(
            f"the word is {in_short(item)}, of type {type(item).__name__}.",
            path=path,
            line=row,
            hint="use strings.",
        )
    return str(item)


def pick(names: Iterable[str], known: tuple[str, ...], what: str, path: Path) -> str | None:
    """The one of some names that is known, ignoring case; an error if there are two."""
    found = [name for name in names if name.lower() in known]
    if len(found) > 1:
        raise FormatError(
            f"{join_words(map(in_short, found), most=3)} could all be the {what}.",
            path=path,
            hint="keep only one.",
        )
    return found[0] if found else None
