"""Files that appear as a whole or not at all, their checksums, and errors of full disks."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from crossroads.core.errors import CrossroadsError, DiskFullError, FormatError, InputError
from crossroads.core.subjects import subjects

_EVIDENCE = tuple(f"core/{name}" for name in ("evidence", "models", "stimuli", "storage"))
"""The code of the core that decides what models are asked, and what is read of their answers."""
T = TypeVar("T")
WRITING = ".writing-"
"""Part of the names of files and folders that are being written."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OF_NUMPY = re.compile(r"\d+ requested and \d+ written")
_UNFINISHED = ("lock", "plan.json")
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def check_file(path: Path) -> None:
    """Refuse a file that :func:`write_file` cannot write, before any work is done."""
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent}.", hint="make it first, or name another.")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        message = f"{path.parent} cannot be written to, so {path} cannot be created."
        raise InputError(message, hint="name a file elsewhere.")


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
        message = f"the {what} are damaged: their checksum is not the one that was written with them."
        hint = f"{again}, or copy the file again from where it is intact."
        raise FormatError(message, path=path, hint=hint)
    try:
        return build(document)
    except (KeyError, TypeError, AttributeError, ValueError, CrossroadsError) as error:
        raise FormatError(f"the {what} cannot be read.", path=path, hint=f"{again}.") from error


@cache
def code(*names: str) -> str:
    """Checksum of the code of packages and modules; a change invalidates what they made before."""
    home, digest = Path(__file__).parents[2], hashlib.sha256()
    for place in (home / name for name in names):
        files = [path for path in place.rglob("*") if path.suffix in (".py", ".toml")]
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


@contextlib.contextmanager
def disk_errors(
    place: Path, *, parts: Path | None = None, needed: Callable[[], int] | None = None
) -> Iterator[None]:
    """Turn the exceptions of a full disk into an error that says what to do.

    It names what is written, how many bytes that needs, and ``parts``, a folder from which another run
    continues, if it holds finished work.
    """
    try:
        yield
    except DiskFullError as error:  # reported already, without what is kept
        if parts is None or not is_anything_finished(parts):
            raise
        hint = _hint(parts)
        raise DiskFullError(error.message, place=error.place, needed=error.needed, hint=hint) from error
    except OSError as error:
        if not is_full(error):
            raise
        raise full_disk(error, place, parts=parts, needed=None if needed is None else needed()) from error


def is_full(error: OSError) -> bool:
    """Whether an error is that of a full disk, a quota or a limit of the size of files."""
    return error.errno in _FULL or (error.errno is None and _OF_NUMPY.search(str(error)) is not None)


def full_disk(
    error: OSError, place: Path | None, *, parts: Path | None = None, needed: int | None = None
) -> DiskFullError:
    """The error for something that did not fit; ``None`` if it is not known what."""
    reason = (error.strerror or "No space left on device").lower()
    if place is None:
        message = f"the output cannot be written ({reason})."
    else:
        folder = next((parent for parent in place.absolute().parents if parent.is_dir()), Path.cwd())
        try:
            free = f"{_bytes(shutil.disk_usage(folder).free)} are free"
        except OSError:
            free = "the free space is not known"
        need = "cannot be written" if needed is None else f"takes {_bytes(needed)}"
        message = f"the disk of {folder} is full ({reason}): {place} {need}, {free}."
    return DiskFullError(message, place=place, needed=needed, hint=_hint(parts))


def _hint(parts: Path | None) -> str:
    if parts is not None and is_anything_finished(parts):
        return f"free some space and run the same command again: finished work is kept in {parts.name}."
    return "free some space, or use another disk; nothing of this run is kept, and older files stay."


def is_anything_finished(parts: Path) -> bool:
    """Whether a folder of parts holds finished work; a lock, a plan and partly written files do not count."""
    with contextlib.suppress(OSError):
        for path in parts.rglob("*"):
            whole = WRITING not in str(path.relative_to(parts)) and path.name not in _UNFINISHED
            if whole and path.is_file() and path.stat().st_size:
                return True
    return False


def _bytes(count: int) -> str:
    step = min(max(len(str(count)) - 1, 0) // 3, len(_UNITS) - 1)
    size = count / 1000**step
    return f"{size:,.{int(step > 0 and size < 10)}f} {_UNITS[step]}"
