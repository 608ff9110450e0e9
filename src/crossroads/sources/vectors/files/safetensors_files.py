"""``.safetensors``: a two-dimensional tensor, and its words.

The layout that is read:

* one tensor called ``vectors``, ``embeddings``, ``matrix`` … (or the only two-dimensional tensor), one row
  per word, of type F16, BF16, F32 or F64;
* the words in the metadata of the file under ``labels``, ``words``, ``vocab`` …, as a JSON list or one per
  line; or in a file beside it (``x.txt``, ``x.json``), as for ``.npy``.

The format is a length, a JSON header and plain bytes, so it is memory-mapped here without any package.
"""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError
from crossroads.sources.vectors.labels import (
    NAMES,
    VECTOR_NAMES,
    labels_from,
    parse_json,
    pick,
    read_labels,
    require_labels_beside,
)
from crossroads.sources.vectors.reader import Reading, Request
from crossroads.sources.vectors.rows import select

_LARGEST_HEADER = 512 << 20
_TYPES = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}


def read(path: Path, request: Request) -> Reading:
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
