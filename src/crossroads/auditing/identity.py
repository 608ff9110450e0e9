"""What tells one piece of evidence from another without reading all of it.

Of files that may be large it is path, size and the two times of last change, the second of which nobody can
set back; of stores and saved answers the manifest, which holds checksums; of models the checksum that
:func:`crossroads.sources.model_files.find_model` makes.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crossroads.sources import embedded
from crossroads.sources.formats import NAMES


def vectors_identity(model: str) -> dict[str, Any]:
    """Identity of what :func:`crossroads.sources.load` reads: a name, a file, a folder.

    The model as it was given is part of it, because results call it that.
    """
    path = Path(model)
    if model in NAMES:
        vectors, words, version = embedded.locate()
        return {"package": version, "files": _states((vectors, words))}
    if not path.exists():
        return {"package": model, "files": [_folder(folder) for folder in _package(model)]}
    if path.is_dir():
        return {"given": model, "path": str(path.resolve()), "files": _folder(path)}
    # words and metadata may lie beside the numbers, under the same stem
    stem = path.name.partition(".")[0]
    beside = [one for one in path.parent.iterdir() if one.is_file() and one.name.startswith(stem)]
    return {"given": model, "path": str(path.resolve()), "files": _states(beside)}


def manifest_identity(folder: str | Path) -> dict[str, Any]:
    """Identity of a store or of saved answers: what its manifest says, checksums among it."""
    return {"path": str(Path(folder).resolve()), "manifest": file_digest(Path(folder) / "manifest.json")}


def file_digest(path: str | Path) -> str:
    """SHA-256 of a file that is not large."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def files_identity(files: Mapping[str, Path]) -> list[list[Any]]:
    """Label, place, size and times of last change of some files."""
    return [[label, str(file.resolve()), *_states([file])[0][1:]] for label, file in sorted(files.items())]


def _package(name: str) -> list[Path]:
    """The folders of an installed package; none where there is no such package."""
    if not name.isidentifier():
        return []
    spec = importlib.util.find_spec(name)
    return [] if spec is None else [Path(folder) for folder in spec.submodule_search_locations or ()]


def _folder(folder: Path) -> list[list[Any]]:
    return _states((one for one in folder.rglob("*") if one.is_file()), folder)


def _states(files: Iterable[Path], root: Path | None = None) -> list[list[Any]]:
    """Name, size and times of last change of files."""
    found = []
    for file in files:
        state = file.stat()
        name = file.name if root is None else file.relative_to(root).as_posix()
        found.append([name, state.st_size, state.st_mtime_ns, state.st_ctime_ns])
    return sorted(found)
