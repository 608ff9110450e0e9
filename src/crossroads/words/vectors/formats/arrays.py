"""Matrices of numbers with their words beside them or in the same file. Nothing is ever unpickled by numpy.

* ``.npy``: a matrix, with its words in a file beside it.
* ``.npz``: two arrays, words (``labels``, ``words``, ``vocab`` …) and vectors (``vectors``, ``embeddings``,
  ``matrix`` …), or one array per word, named by the word.
* ``.safetensors``: one tensor called ``vectors`` or the like, or the only two-dimensional one, of type F16,
  BF16, F32 or F64. Its words are in the metadata under ``labels`` or the like, as a JSON list or one per
  line, or in a file beside it. It is a length, a JSON header and plain bytes, so no package is needed.
"""

from __future__ import annotations

import json
import math
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
from crossroads.words.vectors.reader import Reading, Request
from crossroads.words.vectors.rows import select, select_rows

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


def read_npy(path: Path, request: Request) -> Reading:
    """Read a matrix from ``.npy`` and its words from the file beside it."""
    matrix = map_array(path)
    labels = require_labels_beside(path)
    return select(read_labels(labels), matrix, request=request, path=path, labels_file=labels.name)


def read_npz(path: Path, request: Request) -> Reading:
    """Read words and vectors from ``.npz``."""
    with ArrayArchive(path) as archive:
        names = archive.names
        words, vectors = pick(names, NAMES, "words", path), pick(names, VECTOR_NAMES, "vectors", path)
        if words is not None and vectors is not None:
            labels = labels_from(archive.read(words).tolist(), path)
            return select(labels, archive.read(vectors), request=request, path=path)
        return _read_named(archive, request, path)


def _read_named(archive: ArrayArchive, request: Request, path: Path) -> Reading:
    """One array per word, named by the word."""
    if not archive.names:
        raise FormatError("the archive is empty.", path=path)
    names = list(archive.names)
    dim = len(_named_vector(archive, names[0], path))

    def fetch(rows: list[int]) -> NDArray[Any]:
        vectors = [_named_vector(archive, names[row], path, dim) for row in rows]
        return np.stack(vectors)

    return select_rows(names, fetch, request=request, path=path)


def _named_vector(archive: ArrayArchive, word: str, path: Path, dim: int | None = None) -> NDArray[Any]:
    vector = archive.read(word)
    if vector.ndim != 1 or vector.dtype.kind not in "fiu" or not vector.size:
        raise FormatError(
            f"the array has shape {vector.shape} and type {vector.dtype}.",
            path=path,
            key=word,
            hint=f"expected one vector per word; or two arrays, {NAMES[0]!r} and {VECTOR_NAMES[0]!r}.",
        )
    if dim is not None and len(vector) != dim:
        raise FormatError(f"it has {len(vector)} number(s), the first word has {dim}.", path=path, key=word)
    return vector


_LARGEST_HEADER = 512 << 20
_TYPES = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}


def read_safetensors(path: Path, request: Request) -> Reading:
    """Read a matrix and its words."""
    header, start = _header(path)
    metadata = header.pop("__metadata__", {})
    name = pick(header, VECTOR_NAMES, "vectors", path) or _only_matrix(header, path)
    matrix = _tensor(path, name, header[name], start)
    key = pick(metadata, NAMES, "words", path) if isinstance(metadata, dict) else None
    beside = require_labels_beside(path) if key is None else None
    labels = _labels_in(str(metadata[key]), path) if beside is None else read_labels(beside)
    decode = _widen if header[name]["dtype"] == "BF16" else None
    return select(labels, matrix, request=request, path=path, decode=decode, tensor=name)


def _header(path: Path) -> tuple[dict[str, Any], int]:
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(8)
        length = struct.unpack("<Q", first)[0] if len(first) == 8 else 0
        if not 2 <= length <= min(size - 8, _LARGEST_HEADER):
            raise FormatError(
                f"the header should take {length:,} bytes, of {size:,} in the file.",
                path=path,
                hint="the file is incomplete, or not safetensors.",
            )
        text = file.read(length)
    header = parse_json(text.decode("utf-8", "replace"), path)
    if not isinstance(header, dict):
        raise FormatError("the header is not a JSON object.", path=path)
    return header, 8 + length


def _only_matrix(header: dict[str, Any], path: Path) -> str:
    matrices = [
        name for name, entry in header.items() if isinstance(entry, dict) and len(entry.get("shape", ())) == 2
    ]
    if len(matrices) != 1:
        raise FormatError(
            f"there are {len(matrices)} two-dimensional tensors, none of them called 'vectors'.",
            path=path,
            hint=f"call the one that holds the vectors {VECTOR_NAMES[0]!r}.",
        )
    return matrices[0]


def _tensor(path: Path, name: str, entry: Any, start: int) -> NDArray[Any]:
    try:
        kind, shape, (first, last) = str(entry["dtype"]), tuple(entry["shape"]), entry["data_offsets"]
        sound = all(type(n) is int and n >= 0 for n in (*shape, first, last))
    except (KeyError, TypeError, ValueError):
        sound, kind, shape, first, last = False, "?", (), 0, 0
    if kind not in _TYPES or not sound:
        raise FormatError(
            f"its type is {kind}, its shape {shape}.",
            path=path,
            key=name,
            hint=f"supported types are {', '.join(_TYPES)}.",
        )
    dtype = np.dtype(_TYPES[kind])
    need = math.prod(shape) * dtype.itemsize
    if not need or last - first != need or start + last > path.stat().st_size:
        raise FormatError(
            f"shape {shape} of {kind} takes {need:,} bytes; bytes {first:,} to {last:,} are given.",
            path=path,
            key=name,
            hint="the file is incomplete or damaged; fetch it again.",
        )
    return np.memmap(path, dtype, "r", start + first, shape)


def _labels_in(text: str, path: Path) -> list[str]:
    try:
        return labels_from(json.loads(text), path)
    except (ValueError, RecursionError):
        pass
    return text.removesuffix("\n").split("\n")


def _widen(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Convert bfloat16, which numpy lacks, to float32."""
    return (np.asarray(rows).astype(np.uint32) << 16).view(np.float32)
