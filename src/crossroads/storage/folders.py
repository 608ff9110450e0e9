"""Folders of named arrays: ``.npy`` files and a manifest with their checksums.

``manifest.json`` is written last and the folder is moved into place in one step, so it exists as a whole
or not at all. Nothing in it depends on when or where it was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import FormatError, in_short
from crossroads.storage.arrays import map_array
from crossroads.storage.files import checksum
from crossroads.storage.staging import already_there, staged

MANIFEST = "manifest.json"
_LONGEST = 255
"""Most bytes of the name of a file."""
_DAMAGED = "the folder is damaged or was changed; make it again."


def write_folder(
    path: str | Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, Any], *, kind: str
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


def _write_array(path: Path, array: NDArray[Any]) -> dict[str, Any]:
    """Write one file, little-endian; return its entry in the manifest."""
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    with path.open("wb") as file:
        np.save(file, little, allow_pickle=False)
    return {"shape": list(array.shape), "dtype": array.dtype.name, "sha256": checksum(path)}


def read_folder(
    path: str | Path, *, kind: str, made_by: str, verify: bool = True
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read a folder of :func:`write_folder`; the arrays are memory-mapped."""
    path = Path(path)
    manifest = _read_manifest(path, kind, f"make one with {made_by}.")
    arrays = {name: _map_array(path, name, said, verify) for name, said in manifest["arrays"].items()}
    about: dict[str, Any] = manifest["about"]
    return arrays, about


def _read_manifest(path: Path, kind: str, hint: str) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        what = "does not exist" if not path.exists() else "is a file" if path.is_file() else "has no manifest"
        raise FormatError(
            f"this {what}, so it is not a {kind.partition('/')[0]} folder.", path=path, hint=hint
        )
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(f"the manifest is not JSON: {error}.", file) from error
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != kind:
        raise FormatError(
            f"the manifest describes {in_short(found)}, not {in_short(kind)}.", path=file, hint=hint
        )
    for key in ("about", "arrays"):
        if not isinstance(manifest.get(key), dict):
            raise _damaged("this is missing or of the wrong type.", file, key)
    for name, said in manifest["arrays"].items():
        wanted = {"shape": list, "dtype": str, "sha256": str}
        if not isinstance(said, dict) or not all(isinstance(said.get(k), t) for k, t in wanted.items()):
            raise _damaged(f"the array {in_short(name)} is not described.", file, "arrays")
        if not is_plain_name(name):
            raise _damaged(f"the array {in_short(name)} is outside the folder.", file, "arrays")
    described: dict[str, Any] = manifest
    return described


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


def is_plain_name(name: str) -> bool:
    """Whether a name is that of a file in the folder, and can be one."""
    short = len(f"{name}.npy".encode("utf-8", "replace")) <= _LONGEST
    return Path(name).name == name and short and name.isprintable()
