"""Arrays in numpy's own files, ``.npy`` and ``.npz``, from any origin, and folders of them with a manifest.

Nothing is unpickled, no more is allocated than the file holds, and an archive that expands beyond reason
is refused: vectors hardly compress, so that more than 200 to 1, past 64 MiB, cannot be data.

``manifest.json`` of a folder has checksums of its files. It is written last and the folder is moved into
place in one step, so it exists as a whole or not at all. Nothing in it depends on when or where it was
written. Everything is checked on reading.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import math
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, UnsafeFileError, in_short
from crossroads.core.storage.files import checksum
from crossroads.core.storage.staging import already_there, staged

MAX_RATIO = 200
"""Most bytes of vectors per compressed byte, past :data:`FREE_BYTES`."""
FREE_BYTES = 64 << 20
"""Bytes that any file may expand to."""
FAULTS = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""Exceptions of the decompressors on broken data."""
ARCHIVE_FAULTS = (*FAULTS, RuntimeError, NotImplementedError, ValueError, LookupError)
"""Exceptions of :mod:`zipfile` on members that are encrypted or of unknown methods."""
MANIFEST = "manifest.json"
_HEADER_FAULTS = (
    *(ValueError, TypeError, SyntaxError, RecursionError, MemoryError, EOFError),
    tokenize.TokenError,
)
_MOST = 1 << 48
_LONGEST = 255
"""Most bytes of the name of a file."""
_INCOMPLETE = "the file is incomplete or damaged; fetch it again."
_DAMAGED = "the folder is damaged or was changed; make it again."
_Header = tuple[tuple[int, ...], bool, np.dtype[Any], int]


def map_array(path: Path, *, hint: str = _INCOMPLETE) -> NDArray[Any]:
    """Memory-map the array in an ``.npy`` file."""
    with path.open("rb") as file:
        shape, fortran, dtype, _ = _header(file, path.stat().st_size, path, "the array", hint)
        offset = file.tell()
    if not math.prod(shape):
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C")


class ArrayArchive:
    """The arrays of an ``.npz`` file, by their ``names``; ``hint`` is for the errors of damaged ones."""

    def __init__(self, path: Path, *, hint: str = _INCOMPLETE) -> None:
        self.path, self._hint = path, hint
        with self._plain_errors():
            self._archive = zipfile.ZipFile(path)
        try:
            self._members = self._checked(self._archive.infolist())
        except BaseException:
            self._archive.close()
            raise
        self.names = tuple(self._members)

    def _checked(self, infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        members: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            name = info.filename.removesuffix(".npy")
            if name in members:
                twice = f"the archive holds {in_short(name)} twice."
                raise FormatError(twice, path=self.path, hint=self._hint)
            check_expansion(self.path, info.file_size, info.compress_size)
            members[name] = info
        # members may claim to share the same bytes, so compare with the size of the file
        check_expansion(self.path, sum(info.file_size for info in infos), self.path.stat().st_size)
        return members

    def read(self, name: str) -> NDArray[Any]:
        """Read one of the arrays."""
        info = self._members[name]
        label = in_short(info.filename)
        with self._plain_errors(), self._archive.open(info) as file:
            shape, fortran, dtype, size = _header(file, info.file_size, self.path, label, self._hint)
            data = file.read(size)
            if len(data) < size:
                raise EOFError("it breaks off")
            flat: NDArray[Any] = np.frombuffer(data, dtype)
            if dtype.kind == "U" and int(flat.view(f"{dtype.str[0]}u4").max(initial=0)) > sys.maxunicode:
                raise ValueError(f"{label} holds invalid characters")
        return flat.reshape(shape, order="F" if fortran else "C")

    def is_array(self, name: str) -> bool:
        """Whether a member has the name of an array."""
        return self._members[name].filename.endswith(".npy")

    @contextlib.contextmanager
    def _plain_errors(self) -> Iterator[None]:
        try:
            yield
        except FormatError:
            raise
        except ARCHIVE_FAULTS as error:
            message = f"the archive cannot be read: {error!s:.200}."
            raise FormatError(message, path=self.path, hint=self._hint) from error

    def __enter__(self) -> ArrayArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()


def check_expansion(path: Path, out: int, taken: int, *, ratio: int = MAX_RATIO) -> None:
    """Refuse a file of which ``taken`` compressed bytes expand to ``out``, beyond reason."""
    if out > FREE_BYTES and out > ratio * max(taken, 1):
        message = f"{taken:,} compressed bytes expand to {out:,} or more, over {ratio:,} to 1."
        hint = "this looks like a decompression bomb; if you trust the file, decompress it yourself."
        raise UnsafeFileError(message, path=path, hint=hint)


def _header(file: IO[bytes], size: int, path: Path, name: str, hint: str) -> _Header:
    """Shape, order, type and bytes of an array, all of which have to be in a file of that size."""
    try:
        with warnings.catch_warnings():  # about files of Python 2, which can be read
            warnings.simplefilter("ignore")
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran, dtype = read(file)
    except _HEADER_FAULTS as error:
        reason = (str(error).partition("\n")[0].rstrip(".") or "it breaks off")[:200]
        raise FormatError(f"{name} is not a numpy array: {reason}.", path=path, hint=hint) from error
    if dtype.hasobject:
        message = f"{name} holds Python objects, which would have to be unpickled."
        hint = "save the words as strings: np.array(words, dtype=str)."
        raise UnsafeFileError(message, path=path, hint=hint)
    if any(isinstance(n, bool) or not 0 <= n < _MOST for n in shape) or dtype.itemsize == 0:
        raise FormatError(f"{name} has shape {in_short(shape)} and type {dtype}.", path=path, hint=hint)
    need, have = math.prod(shape) * dtype.itemsize, size - file.tell()
    if need != have:
        described = f"{name} of shape {in_short(shape)} and type {dtype!s:.60}"
        message = f"{described} takes {need:,} bytes, there are {have:,}."
        raise FormatError(message, path=path, hint=hint)
    return shape, fortran, dtype, need


class Rows(NamedTuple):
    """An array that is written piece by piece, so that it never has to be in memory as a whole."""

    shape: tuple[int, ...]
    """The shape of the whole array."""
    dtype: np.dtype[Any]
    """The type of its numbers."""
    pieces: Iterable[NDArray[Any]]
    """Its rows, some at a time, in the order of the array."""

    @property
    def nbytes(self) -> int:
        """Bytes of the whole array."""
        return math.prod(self.shape) * self.dtype.itemsize


def write_folder(
    path: str | Path, arrays: Mapping[str, NDArray[Any] | Rows], about: Mapping[str, Any], *, kind: str
) -> None:
    """Write arrays with a manifest, as a whole or not at all."""
    path = Path(path)
    if path.exists():
        raise already_there(path)
    with staged(path, needed=lambda: sum(array.nbytes for array in arrays.values())) as staging:
        files = {name: _write_array(staging / f"{name}.npy", array) for name, array in arrays.items()}
        manifest = {"format": kind, "about": about, "arrays": files}
        text = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"
        (staging / MANIFEST).write_text(text, encoding="utf-8")


def _write_array(path: Path, array: NDArray[Any] | Rows) -> dict[str, Any]:
    """Write one file, little-endian; return its entry in the manifest."""
    little = array.dtype.newbyteorder("<")
    header = {"descr": npy.dtype_to_descr(little), "fortran_order": False, "shape": array.shape}
    with path.open("wb") as file:
        npy.write_array_header_1_0(file, header)
        for piece in array.pieces if isinstance(array, Rows) else (array,):
            file.write(np.ascontiguousarray(piece, dtype=little).data)
    return {"shape": list(array.shape), "dtype": array.dtype.name, "sha256": checksum(path)}


def read_folder(
    path: str | Path, *, kind: str, made_by: str, verify: bool = True, others: Mapping[str, str] | None = None
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read a folder of :func:`write_folder`, which has to be of a kind; the arrays are memory-mapped.

    With ``verify``, every file is compared with its checksum, which takes about a second per gigabyte. For
    messages there are ``made_by``, the command that makes such a folder
    (``"`crossroads probe MODEL -o DIR`"``), and ``others``, names of other kinds, for which the folder may be
    mistaken.
    """
    path = Path(path)
    manifest = _read_manifest(path, kind, f"make one with {made_by}.", others or {})
    arrays = {name: _map_entry(path, name, entry, verify) for name, entry in manifest["arrays"].items()}
    return arrays, manifest["about"]


def _read_manifest(path: Path, kind: str, hint: str, others: Mapping[str, str]) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        what = "is a file" if path.is_file() else f"has no {MANIFEST}" if path.exists() else "does not exist"
        what = f"this {what}, so it is not a {kind.partition('/')[0]} folder."
        raise FormatError(what, path=path, hint=hint)
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(f"the manifest is not JSON: {error}.", file) from error
    format_ = manifest.get("format") if isinstance(manifest, dict) else None
    if format_ != kind:
        shown = others.get(str(format_), in_short(format_))
        raise FormatError(f"the manifest describes {shown}, not {kind!r}.", path=file, hint=hint)
    for key in ("about", "arrays"):
        if not isinstance(manifest.get(key), dict):
            raise _damaged("this is missing or of the wrong type.", file, key)
    types = {"shape": list, "dtype": str, "sha256": str}
    for name, entry in manifest["arrays"].items():
        described = isinstance(entry, dict) and all(isinstance(entry.get(k), t) for k, t in types.items())
        short = len(f"{name}.npy".encode("utf-8", "replace")) <= _LONGEST
        if not (described and short and Path(name).name == name and name.isprintable()):
            what = f"the array {in_short(name)} is not described, or outside the folder."
            raise _damaged(what, file, "arrays")
    checked: dict[str, Any] = manifest
    return checked


def _damaged(message: str, path: Path, key: str | None = None) -> FormatError:
    return FormatError(message, path=path, key=key, hint=_DAMAGED)


def _map_entry(folder: Path, name: str, entry: Mapping[str, Any], verify: bool) -> NDArray[Any]:
    file = folder / f"{name}.npy"
    if not file.is_file():
        raise _damaged("this array is missing.", file)
    if verify and (found := checksum(file)) != entry["sha256"]:
        raise _damaged(f"the checksum is {found[:12]}…, the manifest says {entry['sha256'][:12]}….", file)
    array = map_array(file, hint=_DAMAGED)
    if list(array.shape) != entry["shape"] or array.dtype.name != entry["dtype"]:
        expected = f"{in_short(tuple(entry['shape']))} of {in_short(entry['dtype'])}"
        found = f"{in_short(array.shape)} of {array.dtype!s:.60}"
        raise _damaged(f"the array is {found}, expected {expected}.", file)
    return array
