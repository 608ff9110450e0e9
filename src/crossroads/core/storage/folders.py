"""Folders of named arrays: ``.npy`` files and a manifest with their checksums.

``manifest.json`` is written last and the folder is moved into place in one step, so it exists as a whole
or not at all. Nothing in it depends on when or where it was written. Everything is checked on reading.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.core.errors import FormatError, in_short
from crossroads.core.storage.arrays import map_array
from crossroads.core.storage.files import checksum
from crossroads.core.storage.staging import already_there, staged

MANIFEST = "manifest.json"
_LONGEST = 255
"""Most bytes of the name of a file."""
_DAMAGED = "the folder is damaged or was changed; make it again."


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
        return int(np.prod(self.shape)) * self.dtype.itemsize


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
    """Read a folder of :func:`write_folder`; the arrays are memory-mapped.

    Parameters
    ----------
    path
        The folder.
    kind
        The kind it has to be.
    made_by
        The command that makes such a folder, for hints: ``"`crossroads probe MODEL -o DIR`"``.
    verify
        Whether to compare every file with its checksum, which takes about a second per gigabyte.
    others
        Names in messages for other kinds, for which the folder may be mistaken.
    """
    path = Path(path)
    manifest = _read_manifest(path, kind, f"make one with {made_by}.", others or {})
    arrays = {name: _map_array(path, name, said, verify) for name, said in manifest["arrays"].items()}
    about: dict[str, Any] = manifest["about"]
    return arrays, about


def _read_manifest(path: Path, kind: str, hint: str, others: Mapping[str, str]) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        what = "is a file" if path.is_file() else f"has no {MANIFEST}" if path.exists() else "does not exist"
        raise FormatError(
            f"this {what}, so it is not a {kind.partition('/')[0]} folder.", path=path, hint=hint
        )
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(f"the manifest is not JSON: {error}.", file) from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != kind:
        shown = others.get(str(found), in_short(found))
        raise FormatError(f"the manifest describes {shown}, not {kind!r}.", path=file, hint=hint)
    for key in ("about", "arrays"):
        if not isinstance(manifest.get(key), dict):
            raise FormatError("this is missing or of the wrong type.", path=file, key=key, hint=_DAMAGED)
    wanted = {"shape": list, "dtype": str, "sha256": str}
    for name, said in manifest["arrays"].items():
        described = isinstance(said, dict) and all(isinstance(said.get(k), t) for k, t in wanted.items())
        if not described or not _is_plain_name(name):
            what = f"the array {in_short(name)} is not described, or outside the folder."
            raise FormatError(what, path=file, key="arrays", hint=_DAMAGED)
    checked: dict[str, Any] = manifest
    return checked


def _damaged(message: str, path: Path, key: str | None = None) -> FormatError:
    return FormatError(message, path=path, key=key, hint=_DAMAGED)


def _map_array(folder: Path, name: str, said: Mapping[str, Any], verify: bool) -> NDArray[Any]:
    file = folder / f"{name}.npy"
    if not file.is_file():
        raise _damaged("this array is missing.", file)
    if verify and (found := checksum(file)) != said["sha256"]:
        raise _damaged(f"the checksum is {found[:12]}…, the manifest says {said['sha256'][:12]}….", file)
    array = map_array(file, hint=_DAMAGED)
    if list(array.shape) != said["shape"] or array.dtype.name != said["dtype"]:
        expected = f"{in_short(tuple(said['shape']))} of {in_short(said['dtype'])}"
        found = f"{in_short(array.shape)} of {array.dtype!s:.60}"
        raise _damaged(f"the array is {found}, expected {expected}.", file)
    return array


def _is_plain_name(name: str) -> bool:
    """Whether a name is that of a file in the folder, and can be one."""
    short = len(f"{name}.npy".encode("utf-8", "replace")) <= _LONGEST
    return Path(name).name == name and short and name.isprintable()
