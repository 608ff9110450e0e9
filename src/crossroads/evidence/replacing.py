"""Folders that take the place of older ones: the old one goes only when the new one stands.

Python cannot exchange two folders in one step, so there is a moment without either. A writer that is killed
in it has lost nothing: the next one, or whoever calls :func:`recover`, puts the old folder back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crossroads.evidence.full_disks import disk_errors
from crossroads.evidence.staging import (
    held,
    left_beside,
    lock_folder,
    remove_abandoned,
    settle_file,
    settle_folder,
    umask,
)

_OLD = "-old-"
"""By this, folders that hold an old folder are known."""
_WHOLE, _GOING = "whole", "going"
"""An old folder that was moved aside, and one that is being removed: only the first is ever put back."""


@contextmanager
def replaced(path: Path, *, needed: Callable[[], int] | None = None) -> Iterator[Path]:
    """A folder to write to, which takes the place of ``path`` at the end, or vanishes on an error.

    What a killed writer has left beside it is put back or removed first. A ``path`` that is a link stays one:
    the folder to which it leads is replaced.

    Parameters
    ----------
    path
        The name it will have; whatever folder stands there goes, so the caller looks at it first.
    needed
        Tells how many bytes it takes, should there be no room for them.
    """
    path = path.resolve()
    with disk_errors(path, needed=needed):
        path.parent.mkdir(parents=True, exist_ok=True)
        recover(path)
        remove_abandoned(path)
        folder, lock = held(path)
        try:
            yield folder
            _settle(folder)
            folder.chmod(0o777 & ~umask())
            _move(folder, path)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            if lock is not None:
                os.close(lock)


def recover(path: Path) -> None:
    """Clear up after writers that were killed while they replaced a folder.

    Where the old folder was moved aside and the new one had not taken its place, the old one is put back;
    else it is removed. Writers that are at work are left alone.
    """
    path = path.resolve()
    with suppress(OSError):  # a place that cannot be read or written is refused in words elsewhere
        for aside in sorted(left_beside(path, _OLD)):
            with suppress(BlockingIOError, FileNotFoundError):
                _recover(aside, path)


def _settle(folder: Path) -> None:
    """Wait until everything in a folder is on the disk."""
    for inner in folder.rglob("*"):
        if inner.is_file():
            settle_file(inner)
        else:
            settle_folder(inner)
    settle_folder(folder)


def _move(folder: Path, path: Path) -> None:
    """Put the new folder in place of an old one."""
    if not path.exists():
        folder.rename(path)
        settle_folder(path.parent)
        return
    aside, lock = held(path, _OLD)
    try:
        path.rename(aside / _WHOLE)
        folder.rename(path)
        settle_folder(path.parent)
    finally:
        _put_back(aside, path)
        if lock is not None:
            os.close(lock)


def _recover(aside: Path, path: Path) -> None:
    lock = lock_folder(aside)
    try:
        if {one.name for one in aside.iterdir()} <= {_WHOLE, _GOING}:  # else it is somebody's own
            _put_back(aside, path)
    finally:
        if lock is not None:
            os.close(lock)


def _put_back(aside: Path, path: Path) -> None:
    """Put an old folder back if nothing stands in its place, and remove it else.

    It is renamed before it is removed: half of a folder is never taken for a whole one.
    """
    old = aside / _WHOLE
    if old.is_dir() and not path.exists():
        old.rename(path)
        settle_folder(path.parent)
    elif old.is_dir():
        old.rename(aside / _GOING)
    shutil.rmtree(aside, ignore_errors=True)
