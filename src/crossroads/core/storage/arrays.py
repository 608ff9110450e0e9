"""Arrays in numpy's own files, ``.npy`` and ``.npz``, from any origin.

Nothing is unpickled, no more is allocated than the file holds, and an archive that expands beyond reason
is refused: vectors hardly compress, so that more than 200 to 1, past 64 MiB, cannot be data.
"""

from __future__ import annotations

import contextlib
import lzma
import math
import sys
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, UnsafeFileError, in_short

MAX_RATIO = 200
"""Most bytes of vectors per compressed byte, past :data:`FREE_BYTES`."""
FREE_BYTES = 64 << 20
"""Bytes that any file may expand to."""
FAULTS = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""Exceptions of the decompressors on broken data."""
ARCHIVE_FAULTS = (*FAULTS, RuntimeError, NotImplementedError, ValueError, LookupError)
"""Exceptions of :mod:`zipfile` on members that are encrypted or of unknown methods."""
_HEADER_FAULTS = (
    ValueError,
    TypeError,
    SyntaxError,
    RecursionError,
    MemoryError,
    EOFError,
    tokenize.TokenError,
)
_MOST = 1 << 48
_DAMAGED = "the file is incomplete or damaged; fetch it again."
_Header = tuple[tuple[int, ...], bool, np.dtype[Any]]


def map_array(path: Path, *, hint: str = _DAMAGED) -> NDArray[Any]:
    """Memory-map the array in an ``.npy`` file."""
    with path.open("rb") as file:
        shape, fortran, dtype = _header(file, path, "the array", hint)
        offset = file.tell()
    _check_size(path, "the array", shape, dtype, path.stat().st_size - offset, hint)
    if not math.prod(shape):
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C")


class ArrayArchive:
    """The arrays of an ``.npz`` file, by their ``names``; ``hint`` is for the errors of damaged ones."""

    def __init__(self, path: Path, *, hint: str = _DAMAGED) -> None:
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
                raise FormatError(
                    f"the archive holds {in_short(name)} twice.", path=self.path, hint=self._hint
                )
            check_expansion(self.path, info.file_size, info.compress_size)
            members[name] = info
        # members may claim to share the same bytes, so compare with the size of the file
        check_expansion(self.path, sum(info.file_size for info in infos), self.path.stat().st_size)
        return members

    def read(self, name: str) -> NDArray[Any]:
        """Read one of the arrays."""
        info = self._members[name]
        with self._plain_errors(), self._archive.open(info) as file:
            shape, fortran, dtype = _header(file, self.path, in_short(info.filename), self._hint)
            need = _check_size(
                self.path, in_short(info.filename), shape, dtype, info.file_size - file.tell(), self._hint
            )
            data = file.read(need)
            if len(data) < need:
                raise EOFError("it breaks off")
            flat: NDArray[Any] = np.frombuffer(data, dtype)
            if dtype.kind == "U" and int(flat.view(f"{dtype.str[0]}u4").max(initial=0)) > sys.maxunicode:
                raise ValueError(f"{in_short(info.filename)} holds invalid characters")
        return flat.reshape(shape, order="F" if fortran else "C")

    def is_array(self, name: str) -> bool:
        """Whether a member has the name of an array."""
        return self._members[name].filename.endswith(".npy")

    @contextlib.contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """Turn exceptions about the archive into one error."""
        try:
            yield
        except FormatError:
            raise
        except ARCHIVE_FAULTS as error:
            raise FormatError(
                f"the archive cannot be read: {error!s:.200}.", path=self.path, hint=self._hint
            ) from error

    def __enter__(self) -> ArrayArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()


def check_expansion(path: Path, out: int, taken: int, *, ratio: int = MAX_RATIO) -> None:
    """Refuse a file of which ``taken`` compressed bytes expand to ``out``, beyond reason."""
    if out > FREE_BYTES and out > ratio * max(taken, 1):
        raise UnsafeFileError(
            f"{taken:,} compressed bytes expand to {out:,} or more, over {ratio:,} to 1.",
            path=path,
            hint="this looks like a decompression bomb; if you trust the file, decompress it yourself.",
        )


def _header(file: IO[bytes], path: Path, name: str, hint: str) -> _Header:
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
        raise UnsafeFileError(
            f"{name} holds Python objects, which would have to be unpickled.",
            path=path,
            hint="save the words as strings: np.array(words, dtype=str).",
        )
    if any(isinstance(n, bool) or not 0 <= n < _MOST for n in shape) or dtype.itemsize == 0:
        raise FormatError(f"{name} has shape {in_short(shape)} and type {dtype}.", path=path, hint=hint)
    return shape, fortran, dtype


def _check_size(
    path: Path, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], have: int, hint: str
) -> int:
    """Check that the file holds all bytes of an array, and return their number."""
    need = math.prod(shape) * dtype.itemsize
    if need != have:
        raise FormatError(
            f"{name} of shape {in_short(shape)} and type {dtype!s:.60} takes {need:,} bytes, "
            f"there are {have:,}.",
            path=path,
            hint=hint,
        )
    return need
