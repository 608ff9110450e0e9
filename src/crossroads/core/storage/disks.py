"""Errors of full disks: which file did not fit, how much it needs, and what to do."""

from __future__ import annotations

import contextlib
import errno
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from crossroads.core.errors import DiskFullError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_OF_NUMPY = re.compile(r"\d+ requested and \d+ written")
_UNFINISHED = ("lock", "plan.json")
_WRITING = ".writing-"
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


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
        raise DiskFullError(
            error.message, place=error.place, needed=error.needed, hint=_hint(parts)
        ) from error
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
        return DiskFullError(f"the output cannot be written ({reason}).", place=place, hint=_hint(parts))
    folder = next((one for one in place.absolute().parents if one.is_dir()), Path.cwd())
    try:
        free = f"{_bytes(shutil.disk_usage(folder).free)} are free"
    except OSError:
        free = "the free space is not known"
    need = "cannot be written" if needed is None else f"takes {_bytes(needed)}"
    return DiskFullError(
        f"the disk of {folder} is full ({reason}): {place} {need}, {free}.",
        place=place,
        needed=needed,
        hint=_hint(parts),
    )


def _hint(parts: Path | None) -> str:
    if parts is not None and is_anything_finished(parts):
        return f"free some space and run the same command again: finished work is kept in {parts.name}."
    return "free some space, or use another disk; nothing of this run is kept, and older files stay."


def is_anything_finished(parts: Path) -> bool:
    """Whether a folder of parts holds finished work; a lock, a plan and partly written files do not count."""
    with contextlib.suppress(OSError):
        for path in parts.rglob("*"):
            half = _WRITING in str(path.relative_to(parts))
            if path.is_file() and path.name not in _UNFINISHED and not half and path.stat().st_size:
                return True
    return False


def _bytes(count: int) -> str:
    """Format a number of bytes with a unit."""
    step = min(max(len(str(count)) - 1, 0) // 3, len(_UNITS) - 1)
    size = count / 1000**step
    return f"{size:,.{int(step > 0 and size < 10)}f} {_UNITS[step]}"
