"""Matrices of numbers with their words in the same file or another. Nothing is ever unpickled by numpy.

* ``.npy``: a matrix, with its words in a file of a similar name.
* A HistWords folder: for every decade ``1900-w.npy`` and ``1900-vocab.pkl`` (Hamilton, Leskovec and Jurafsky
  2016, doi:10.18653/v1/P16-1141). A word that does not occur in a decade has a row of zeros there. Such rows
  are kept: measures treat a zero vector as absent.
* ``.npz``: two arrays, words (``labels``, ``words``, ``vocab`` …) and vectors (``vectors``, ``embeddings``,
  ``matrix`` …), or one array per word, named by the word.
* ``.safetensors``: one tensor called ``vectors`` or the like, or the only two-dimensional one, of type F16,
  BF16, F32 or F64. Its words are in the metadata under ``labels`` or the like, as a JSON list or one per
  line, or in another file. It is a length, a JSON header and plain bytes, so no package is needed.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, in_short, join_words
from crossroads.core.storage.arrays import ArrayArchive, map_array
from crossroads.core.storage.pickles import as_array, load_pickle
from crossroads.core.storage.streams import Stream
from crossroads.words.vectors.reader import INCOMPLETE, Reading, Request, damage_reported
from crossroads.words.vectors.rows import select, select_rows

NAMES = ("labels", "words", "vocab", "vocabulary", "tokens", "index_to_key")
"""Names of labels inside ``.npz``, ``.safetensors`` and Parquet files."""
VECTOR_NAMES = ("vectors", "embeddings", "matrix", "embedding", "weights", "emb")
"""Names of the vectors there."""

_MOST_BYTES = 1 << 30
_DECADE = re.compile(r"(\d{3,4})-w\.npy")


def _file_of_labels(path: Path) -> Path:
    """The file with the words of a matrix: the same name with another ending.

    For ``x.npy`` these are tried: ``x.txt``, ``x.json``, ``x.pkl``, then the same with ``-labels``,
    ``.labels``, ``-words`` and so on before the ending; for ``1900-w.npy`` also ``1900-vocab.pkl``.
    """
    stem = path.name.removesuffix(path.suffix)
    stems = [stem, *(f"{stem}{dash}{name}" for name in NAMES for dash in "-._")]
    if stem.endswith("-w"):
        stems.insert(0, stem[:-2] + "-vocab")
    for candidate in (path.with_name(s + suffix) for s in stems for suffix in (".txt", ".json", ".pkl")):
        if candidate.is_file():
            return candidate
    raise FormatError(
        "there are vectors but no words for them.",
        hint=f"put the words next to it, one per line, in a file called {stem}.txt (or .json, .pkl).",
    )


def _read_labels(path: Path) -> list[str]:
    """Read words from ``.txt`` (one per line), ``.json`` or ``.pkl`` (a list, or word to row)."""
    with damage_reported(path), Stream(path) as stream:
        if stream.name.endswith((".pkl", ".pickle")):
            return labels_from(load_pickle(stream, path=path))
        data = stream.read(_MOST_BYTES)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise FormatError("the words are not UTF-8.", line=line, hint="convert the file.") from error
        if stream.name.endswith(".json"):
            return labels_from(_parse_json(text))
        return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON: {error}.") from error


def labels_from(value: Any) -> list[str]:
    """Words out of a list, an array, or a mapping of word to row (or row to word)."""
    array = as_array(value)
    if array is not None:
        value = array.tolist()
    if isinstance(value, dict):
        return _by_row(value)
    if not isinstance(value, list | tuple):
        raise FormatError(f"expected words, not {type(value).__name__}.", hint="give a list, or word to row.")
    return [_as_word(item, row) for row, item in enumerate(value, start=1)]


def _by_row(table: dict[Any, Any]) -> list[str]:
    pairs: Iterable[tuple[Any, Any]] = table.items()
    if all(isinstance(key, int) for key in table):
        pairs = ((word, row) for row, word in table.items())
    words: dict[int, str] = {}
    for word, row in pairs:
        if not isinstance(row, int) or not 0 <= row < len(table) or row in words:
            raise FormatError(
                f"{in_short(word)} is assigned to row {in_short(row)}.",
                hint=f"expected each row from 0 to {len(table) - 1} once.",
            )
        words[row] = _as_word(word, row + 1)
    return [words[row] for row in range(len(table))]


def _as_word(item: Any, row: int) -> str:
    if isinstance(item, bytes):
        try:
            return item.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(f"the word {in_short(item)} is not UTF-8.", line=row) from error
    if not isinstance(item, str):
        what = f"the word is {in_short(item)}, of type {type(item).__name__}."
        raise FormatError(what, line=row, hint="use strings.")
    return str(item)


def pick(names: Iterable[str], known: tuple[str, ...], what: str) -> str | None:
    """The one of some names that is known, ignoring case; an error if there are two."""
    found = [name for name in names if name.lower() in known]
    if len(found) > 1:
        listed = join_words(map(in_short, found), most=3)
        raise FormatError(f"{listed} could all be the {what}.", hint="keep only one.")
    return found[0] if found else None


def read_npy(path: Path, request: Request) -> Reading:
    """Read a matrix from ``.npy`` and its words from the file with them."""
    matrix, labels = map_array(path), _file_of_labels(path)
    return select(_read_labels(labels), matrix, request, labels_file=labels.name)


def decades(folder: Path) -> list[int]:
    """The decades of a folder, in order; empty if it is not a HistWords folder."""
    named = (_DECADE.fullmatch(entry.name) for entry in folder.iterdir())
    return sorted(int(match[1]) for match in named if match)


def read_decade(folder: Path, decade: int, request: Request) -> Reading:
    """Read one decade of a HistWords folder."""
    vectors, words = folder / f"{decade}-w.npy", folder / f"{decade}-vocab.pkl"
    if not words.is_file():
        raise FormatError(
            f"the words of the decade {decade} are missing: {words.name}.",
            hint="every decade needs two files, such as 1900-w.npy and 1900-vocab.pkl.",
        )
    with damage_reported(vectors):
        return select(_read_labels(words), map_array(vectors), request, decade=decade)


def held_decades(folder: Path) -> list[int]:
    """The decades of a HistWords folder, in order; an error if there is none."""
    held = decades(folder)
    if not held:
        raise FormatError(
            "the folder holds no HistWords decades.",
            hint="expected files such as 1900-w.npy and 1900-vocab.pkl.",
        )
    return held


def read_histwords(path: Path, request: Request) -> Reading:
    """Read a HistWords folder that holds a single decade."""
    held = held_decades(path)
    if len(held) > 1:
        raise FormatError(
            f"the folder holds {len(held)} decades: {join_words(map(str, held), most=6)}.",
            hint="name one of its files, such as folder/1900-w.npy; load_series, and in the shell mleat and "
            "audit, read every decade.",
        )
    return read_decade(path, held[0], request)


def read_npz(path: Path, request: Request) -> Reading:
    """Read words and vectors from ``.npz``: two arrays, or one per word, named by the word."""
    with ArrayArchive(path) as archive:
        names = list(archive.names)
        words, vectors = pick(names, NAMES, "words"), pick(names, VECTOR_NAMES, "vectors")
        if words is not None and vectors is not None:
            return select(labels_from(archive.read(words).tolist()), archive.read(vectors), request)
        if not names:
            raise FormatError("the archive is empty.")
        dim = len(_named_vector(archive, names[0]))

        def fetch(rows: list[int]) -> NDArray[Any]:
            return np.stack([_named_vector(archive, names[row], dim) for row in rows])

        return select_rows(names, fetch, request)


def _named_vector(archive: ArrayArchive, word: str, dim: int | None = None) -> NDArray[Any]:
    vector = archive.read(word)
    if vector.ndim != 1 or vector.dtype.kind not in "fiu" or not vector.size:
        raise FormatError(
            f"the array has shape {vector.shape} and type {vector.dtype}.",
            key=word,
            hint=f"expected one vector per word; or two arrays, {NAMES[0]!r} and {VECTOR_NAMES[0]!r}.",
        )
    if dim is not None and len(vector) != dim:
        raise FormatError(f"it has {len(vector)} number(s), the first word has {dim}.", key=word)
    return vector


_LARGEST_HEADER = 512 << 20
_TYPES = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}


def read_safetensors(path: Path, request: Request) -> Reading:
    """Read a matrix and its words."""
    header, start = _header(path)
    metadata = header.pop("__metadata__", {})
    name = pick(header, VECTOR_NAMES, "vectors")
    if name is None:
        shapes = {key: entry.get("shape", ()) for key, entry in header.items() if isinstance(entry, dict)}
        matrices = [key for key, shape in shapes.items() if len(shape) == 2]
        if len(matrices) != 1:
            raise FormatError(
                f"there are {len(matrices)} two-dimensional tensors, none of them called 'vectors'.",
                hint=f"call the one that holds the vectors {VECTOR_NAMES[0]!r}.",
            )
        name = matrices[0]
    matrix = _tensor(path, name, header[name], start)
    key = pick(metadata, NAMES, "words") if isinstance(metadata, dict) else None
    text = "" if key is None else str(metadata[key])
    try:
        labels = labels_from(json.loads(text))
    except (ValueError, RecursionError):
        labels = text.removesuffix("\n").split("\n")
    if key is None:
        labels = _read_labels(_file_of_labels(path))

    def widened(rows: NDArray[Any]) -> NDArray[np.float32]:  # of bfloat16, which numpy lacks
        return (np.asarray(rows).astype(np.uint32) << 16).view(np.float32)

    decode = widened if header[name]["dtype"] == "BF16" else np.asarray
    return select(labels, matrix, request, decode=decode, tensor=name)


def _header(path: Path) -> tuple[dict[str, Any], int]:
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(8)
        length = struct.unpack("<Q", first)[0] if len(first) == 8 else 0
        if not 2 <= length <= min(size - 8, _LARGEST_HEADER):
            raise FormatError(
                f"the header should take {length:,} bytes, of {size:,} in the file.",
                hint="the file is incomplete, or not safetensors.",
            )
        header = _parse_json(file.read(length).decode("utf-8", "replace"))
    if not isinstance(header, dict):
        raise FormatError("the header is not a JSON object.")
    return header, 8 + length


def _tensor(path: Path, name: str, entry: Any, start: int) -> NDArray[Any]:
    try:
        kind, shape, (first, last) = str(entry["dtype"]), tuple(entry["shape"]), entry["data_offsets"]
        sound = all(type(n) is int and n >= 0 for n in (*shape, first, last))
    except (KeyError, TypeError, ValueError):
        sound, kind, shape, first, last = False, "?", (), 0, 0
    if kind not in _TYPES or not sound:
        hint = f"supported types are {', '.join(_TYPES)}."
        raise FormatError(f"its type is {kind}, its shape {shape}.", key=name, hint=hint)
    dtype = np.dtype(_TYPES[kind])
    need = math.prod(shape) * dtype.itemsize
    if not need or last - first != need or start + last > path.stat().st_size:
        raise FormatError(
            f"shape {shape} of {kind} takes {need:,} bytes; bytes {first:,} to {last:,} are given.",
            key=name,
            hint=INCOMPLETE,
        )
    return np.memmap(path, dtype, "r", start + first, shape)
