"""Import of context vectors that were computed elsewhere.

Two layouts are read: an ``.npz`` archive with one array per word, and a pickled dictionary of word to array
or to a list of vectors, as in the released code of the published tests. Pickles are read by
the reader of :mod:`crossroads.core.storage.pickles`, which builds arrays and runs nothing.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, FormatError, in_short, one_of
from crossroads.core.evidence import Contexts, Provenance
from crossroads.core.evidence.contexts import DTYPES, write_store
from crossroads.core.storage.arrays import ArrayArchive, check_expansion
from crossroads.core.storage.files import checksum
from crossroads.core.storage.pickles import as_array, load_pickle
from crossroads.core.storage.staging import already_there, usable_place
from crossroads.core.storage.streams import Stream

_Read = Callable[[str], NDArray[Any]]
_AGAIN = "fetch it again."
_LAYOUT = "expected one array per word, with one row per context: .npz, or a pickled dictionary."


def import_store(file: str | Path, folder: str | Path, *, dtype: str | None = None) -> Contexts:
    """Make a store from existing context vectors.

    Parameters
    ----------
    file
        An ``.npz`` archive with one array per word, or a pickled dictionary; the latter may be compressed.
    folder
        The store to create; it must not exist.
    dtype
        ``"float16"``, ``"float32"`` or ``"float64"``; by default the type of the vectors in the file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(f"{folder}/mine.npz", rose=np.eye(3), wasp=np.ones((2, 3)))
    ...     import_store(f"{folder}/mine.npz", f"{folder}/store").words
    ('rose', 'wasp')
    """
    if dtype is not None:
        one_of("dtype", dtype, DTYPES)
    path, place = Path(file), usable_place(folder)
    if place.exists():
        raise already_there(place)
    if not path.is_file():
        raise FormatError("there is no such file.", path=path, hint=_LAYOUT)
    digest = checksum(path)
    kind = "npz" if zipfile.is_zipfile(path) else "pickle"
    words, read = _npz(path) if kind == "npz" else _pickle(path)
    counts, types, dim = [], set(), read(words[0]).shape[1]
    for word in words:
        rows = read(word)
        if rows.shape[1] != dim:
            found = f"the vectors of {word!r} have {rows.shape[1]} dimensions, those of {words[0]!r} {dim}"
            hint = "a store holds vectors of one model and one layer."
            raise EvidenceError(f"{path}: {found}.", hint=hint)
        counts.append(len(rows))
        types.add(rows.dtype.name)
    about = {"imported": True, "contexts": sum(counts)}
    write_store(
        place,
        words,
        counts,
        map(read, words),
        dim=dim,
        dtype=dtype or max(types, key=DTYPES.index),
        provenance=Provenance(source=path.name, format=kind, sha256=digest, details=about),
    )
    return Contexts.open(place)


def _npz(path: Path) -> tuple[list[str], _Read]:
    with ArrayArchive(path, hint=_AGAIN) as archive:
        words = list(archive.names)
        if not words or not all(archive.is_array(word) for word in words):
            raise FormatError("the archive holds no arrays, or other members too.", path=path, hint=_LAYOUT)

    def read(word: str) -> NDArray[Any]:
        with ArrayArchive(path, hint=_AGAIN) as archive:
            return _as_matrix(archive.read(word), word, path)

    return words, read


def _pickle(path: Path) -> tuple[list[str], _Read]:
    with Stream(path) as stream:
        table = load_pickle(stream, path=path)
    if not isinstance(table, dict) or not table:
        raise FormatError(f"the pickle holds {type(table).__name__}, or nothing.", path=path, hint=_LAYOUT)
    strange = next((key for key in table if not isinstance(key, str)), None)
    if strange is not None:
        raise FormatError(f"the key {in_short(strange)} is not a word.", path=path, hint=_LAYOUT)

    def read(word: str) -> NDArray[Any]:
        value = table[word]
        array = as_array(value)
        if array is None:
            if not isinstance(value, Iterable) or isinstance(value, str | bytes | dict):
                raise FormatError(f"this is a {type(value).__name__}.", path=path, key=word, hint=_LAYOUT)
            array = _stacked(list(value), word, path)
        return _as_matrix(array, word, path)

    return [str(word) for word in table], read


def _stacked(values: list[Any], word: str, path: Path) -> NDArray[Any]:
    """A list of vectors as one array; each may be an array, also of one row, or a list of numbers."""
    rows, size, written = [], 0, path.stat().st_size
    for value in values:
        array = as_array(value)
        try:
            row = _numbers(value) if array is None else array
        except (TypeError, ValueError, OverflowError) as error:
            raise FormatError(f"a context is a {type(value).__name__}.", path=path, key=word) from error
        size += row.nbytes
        check_expansion(path, size, written)  # a pickle can name the same vector any number of times
        rows.append(row[0] if row.ndim == 2 and len(row) == 1 else row)
    shapes = {row.shape for row in rows}
    if len(shapes) > 1 or any(row.ndim != 1 for row in rows):
        fault = f"its contexts have the shapes {', '.join(map(in_short, sorted(shapes)[:3]))}."
        hint = "give one vector per context; if there is one per layer, add them up or choose one."
        raise FormatError(fault, path=path, key=word, hint=hint)
    return np.stack(rows) if rows else np.empty((0, 0))


def _numbers(value: Any) -> NDArray[Any]:
    """A list of numbers as an array, also one in another list; numpy would descend to any depth."""
    flat = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
    if isinstance(flat, list | tuple) and not all(isinstance(number, int | float) for number in flat):
        raise TypeError("not numbers")
    return np.asarray(value, np.float64)


def _as_matrix(array: NDArray[Any], word: str, path: Path) -> NDArray[Any]:
    """An array with one row per context; of integers and long floats, as float64."""
    if array.ndim != 2 or not array.size or array.dtype.kind not in "fiu":
        raise FormatError(
            f"the array has shape {array.shape} and type {array.dtype}.", path=path, key=word, hint=_LAYOUT
        )
    native: NDArray[Any] = array.astype(array.dtype.newbyteorder("="), copy=False)
    with np.errstate(over="ignore"):  # infinite values are refused on writing
        return native if native.dtype.name in DTYPES else native.astype(np.float64)
