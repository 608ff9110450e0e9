"""Files that appear as a whole or not at all, and their checksums."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from crossroads.core.errors import CrossroadsError, FormatError, InputError
from crossroads.core.storage.disks import disk_errors
from crossroads.subjects import subjects

_EVIDENCE = tuple(f"core/{name}" for name in ("evidence", "models", "stimuli", "storage"))
"""The code of the core that decides what models are asked, and what is read of their answers."""
T = TypeVar("T")
WRITING = ".writing-"
"""Prefix of the names of files that are being written."""


def check_file(path: Path) -> None:
    """Refuse a file that :func:`write_file` cannot write, before any work is done."""
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}.", hint="make it first, or name another.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"{path.parent} cannot be written to, so {path} cannot be created.",
            hint="name a file elsewhere.",
        )


def write_file(path: Path, content: bytes | memoryview | str, *, parts: Path | None = None) -> None:
    """Write or replace a file in one step: under another name, flushed to the disk, then renamed."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with disk_errors(path, parts=parts, needed=lambda: len(data)):
        try:
            descriptor, name = tempfile.mkstemp(prefix=WRITING, dir=path.parent)
        except OSError as error:
            error.filename = str(path)  # not the temporary name
            raise
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o666 & ~umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        settle(path.parent)


def settle(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk if the system allows."""
    if path.is_file():
        with path.open("rb+") as file:
            os.fsync(file.fileno())
        return
    with contextlib.suppress(OSError):  # Windows has no handle for folders
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def fingerprint(data: Any) -> str:
    """SHA-256 of plain data; equal data have equal fingerprints."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def with_checksum(document: dict[str, Any]) -> dict[str, Any]:
    """Plain data with their checksum, to be written to a file."""
    return {**document, "sha256": fingerprint(document)}


def rebuilt(
    document: dict[str, Any], build: Callable[[dict[str, Any]], T], path: str | Path, *, what: str, again: str
) -> T:
    """What was written with :func:`with_checksum`; data that were changed since are an error.

    ``what`` it is and how to get it ``again`` are for errors.
    """
    content = {key: value for key, value in document.items() if key != "sha256"}
    if document.get("sha256") != fingerprint(content):
        raise FormatError(
            f"the {what} are damaged: their checksum is not the one that was written with them.",
            path=path,
            hint=f"{again}, or copy the file again from where it is intact.",
        )
    try:
        return build(document)
    except (KeyError, TypeError, AttributeError, ValueError, CrossroadsError) as error:
        raise FormatError(f"the {what} cannot be read.", path=path, hint=f"{again}.") from error


@cache
def code(*names: str) -> str:
    """Checksum of the code of packages and modules; a change invalidates what they made before."""
    home, digest = Path(__file__).parents[2], hashlib.sha256()
    for place in (home / name for name in names):
        files = [one for one in place.rglob("*") if one.suffix in (".py", ".toml")]
        for file in sorted(files) if place.is_dir() else [place]:  # a name that is not there is an error
            digest.update(f"{file.relative_to(home).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()


def evidence_code() -> str:
    """Checksum of the code that decides evidence: that of the core, and of every subject."""
    return code(*_EVIDENCE, *subjects())


def read_record(path: Path) -> dict[str, Any]:
    """Read the object in a JSON file; empty if there is no such file, or it holds something else."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def umask() -> int:
    """The umask of this process: permissions that new files do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
