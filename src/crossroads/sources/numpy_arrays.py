"""numpy's own files: ``.npy`` with its words beside it, and ``.npz``. Nothing in them is ever unpickled.

An ``.npz`` holds either two arrays, words (``labels``, ``words``, ``vocab`` …) and vectors (``vectors``,
``embeddings``, ``matrix`` …), or one array a word, named by the word.
"""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.errors import FormatError, UnsafeFileError
from crossroads.sources.labels import (
    NAMES,
    VECTOR_NAMES,
    labels_from,
    pick,
    read_labels,
    require_labels_beside,
)
from crossroads.sources.reading import Reading, Request, Vocabulary
from crossroads.sources.rows import Rows, select
from crossroads.sources.streams import FAULTS, check_expansion


def map_array(path: Path) -> NDArray[Any]:
    """Memory-map the array in an ``.npy`` file."""
    with path.open("rb") as file:
        shape, fortran, dtype = _header(file, path, "the array")
        offset = file.tell()
    need, have = math.prod(shape) * dtype.itemsize, path.stat().st_size - offset
    if need != have:
        raise _wrong_size(path, "the array", shape, dtype, need, have)
    if not need:
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C")


def read_npy(path: Path, request: Request) -> Reading:
    """Read a matrix from ``.npy`` and its words from the file beside it."""
    matrix = map_array(path)
    labels = require_labels_beside(path)
    return select(read_labels(labels), matrix, request=request, path=path, labels_file=labels.name)


def read_npz(path: Path, request: Request) -> Reading:
    """Read words and vectors from ``.npz``."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            words, vectors = pick(members, NAMES, "words", path), pick(members, VECTOR_NAMES, "vectors", path)
            if words is not None and vectors is not None:
                labels = labels_from(_read_member(archive, members[words], path).tolist(), path)
                return select(
                    labels, _read_member(archive, members[vectors], path), request=request, path=path
                )
            return _read_named(archive, members, request, path)
    except (*FAULTS, RuntimeError) as error:
        raise FormatError(
            f"the archive cannot be read: {error}.", path=path, hint="the file is damaged; fetch it again."
        ) from error


def _read_named(
    archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], request: Request, path: Path
) -> Reading:
    """One array a word, named by the word."""
    if not members:
        raise FormatError("the archive is empty.", path=path)
    rows: Rows | None = None
    dim = 0
    for row, (word, info) in enumerate(members.items(), start=1):
        if rows is not None and not request.keeps(word):
            continue
        vector = _read_member(archive, info, path)
        if vector.ndim != 1 or vector.dtype.kind not in "fiu" or not vector.size:
            raise FormatError(
                f"the array has shape {vector.shape} and type {vector.dtype}.",
                path=path,
                key=word,
                hint=f"expected one vector a word; or two arrays, {NAMES[0]!r} and {VECTOR_NAMES[0]!r}.",
            )
        if rows is None:
            dim = len(vector)
            rows = Rows(dim, request=request, path=path, dtype=vector.dtype.newbyteorder("="))
        if len(vector) != dim:
            raise FormatError(
                f"it has {len(vector)} number(s), the first word has {dim}.", path=path, key=word
            )
        if request.keeps(word):
            rows.add([word], vector[None, :], [row])
    if rows is None:
        raise FormatError("the archive is empty.", path=path)
    return rows.reading(Vocabulary(list(members), request=request))


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> NDArray[Any]:
    check_expansion(path, info.file_size, info.compress_size)
    with archive.open(info) as file:
        shape, fortran, dtype = _header(file, path, info.filename)
        need, have = math.prod(shape) * dtype.itemsize, info.file_size - file.tell()
        if need != have:
            raise _wrong_size(path, info.filename, shape, dtype, need, have)
        flat: NDArray[Any] = np.frombuffer(file.read(need), dtype)
    return flat.reshape(shape, order="F" if fortran else "C")


def _header(file: IO[bytes], path: Path, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = npy.read_magic(file)
        if version == (1, 0):
            shape, fortran, dtype = npy.read_array_header_1_0(file)
        else:
            shape, fortran, dtype = npy.read_array_header_2_0(file)
    except ValueError as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise FormatError(f"{name} is not a numpy array: {reason}.", path=path) from error
    if dtype.hasobject:
        raise UnsafeFileError(
            f"{name} holds Python objects, which would have to be unpickled.",
            path=path,
            hint="save the words as strings: np.array(words, dtype=str).",
        )
    if any(n < 0 for n in shape) or dtype.itemsize == 0:
        raise FormatError(f"{name} has shape {shape} and type {dtype}.", path=path)
    return shape, fortran, dtype


def _wrong_size(
    path: Path, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], need: int, have: int
) -> FormatError:
    return FormatError(
        f"{name} of shape {shape} and type {dtype} takes {need:,} bytes, there are {have:,}.",
        path=path,
        hint="the file is incomplete or damaged; fetch it again.",
    )
