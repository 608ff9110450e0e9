"""Folders that appear as a whole or not at all, new or in place of older ones: filled elsewhere, then moved.

Each writer has its own folder, which it holds by a lock that the system releases when the process ends,
however it ends. So two writers of one name do not touch each other's work, and the leftovers of a killed one
are recognised by their lock and removed by the next.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from crossroads.core.errors import InputError
from crossroads.core.storage.files import WRITING, disk_errors, settle, umask

if sys.platform != "win32":
    import fcntl

_OLD = "-old-"
"""Part of the names of folders that hold an old folder."""
_WHOLE, _GOING = "whole", "going"
"""An old folder that was moved aside, and one that is being removed: only the first is ever restored."""
_LONG = 200
"""Bytes of a name that leave room for a prefix and a suffix; systems allow 255."""
_ELSEWHERE = "name a new folder elsewhere."


@contextlib.contextmanager
def staged(path: Path, *, needed: Callable[[], int] | None = None) -> Iterator[Path]:
    """Yield a new folder next to ``path``, which takes that name at the end; it is removed on an error.

    The name must not exist, also at the end; ``needed`` returns the bytes, for the error of a full disk.
    """
    with _filled(path, needed) as folder:
        yield folder
        _settle(folder)
        try:
            folder.rename(path)
        except OSError as error:
            if not path.exists():
                raise
            raise already_there(path) from error
        settle(path.parent)


@contextlib.contextmanager
def replaced(path: Path, *, needed: Callable[[], int] | None = None) -> Iterator[Path]:
    """Yield a folder to write to, which replaces ``path`` at the end, or is removed on an error.

    If ``path`` is a link, the folder to which it points is replaced. Python cannot exchange two folders in
    one step: if a writer is killed in between, the next one, or :func:`recover`, restores the old folder.
    """
    path = path.resolve()
    with _filled(path, needed) as folder:
        yield folder
        _settle(folder)
        if not path.exists():
            folder.rename(path)
            settle(path.parent)
            return
        with _locked(*_new_folder(path, _OLD)) as aside:
            try:
                path.rename(aside / _WHOLE)
                folder.rename(path)
                settle(path.parent)
            finally:
                _put_back(aside, path)


def already_there(path: Path) -> InputError:
    """The error for a name that is taken."""
    return InputError(f"{path} exists already.", hint="name another folder, or remove this one.")


def recover(path: Path) -> None:
    """Restore or remove the old folder of a writer that was killed; active writers are not disturbed.

    It is restored if it was moved aside and the new one had not taken its place.
    """
    path = path.resolve()
    with contextlib.suppress(OSError):  # a path that cannot be read or written is refused elsewhere
        for aside in sorted(_left_by_writers(path, _OLD)):
            with contextlib.suppress(BlockingIOError, FileNotFoundError), _locked(aside, _lock(aside)):
                if {inner.name for inner in aside.iterdir()} <= {_WHOLE, _GOING}:  # else it is a user's own
                    _put_back(aside, path)


@contextlib.contextmanager
def _filled(path: Path, needed: Callable[[], int] | None) -> Iterator[Path]:
    """Yield a folder next to a path, locked while it is filled and moved."""
    with disk_errors(path, needed=needed):
        path.parent.mkdir(parents=True, exist_ok=True)
        recover(path)
        for left in _left_by_writers(path, WRITING):
            with contextlib.suppress(BlockingIOError, FileNotFoundError):
                if (lock := _lock(left)) is not None:
                    shutil.rmtree(left, ignore_errors=True)
                    os.close(lock)
        with _locked(*_new_folder(path, WRITING)) as folder:
            try:
                yield folder
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise


def _new_folder(path: Path, sign: str) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_beginning(path, sign), dir=path.parent))
        try:
            lock = _lock(folder)
        except (BlockingIOError, FileNotFoundError):
            continue  # taken for abandoned in the moment before it was locked
        if lock is None or folder.is_dir():
            return folder, lock
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """Lock a folder; ``None`` if the system has no such locks, an error if another process holds it."""
    if sys.platform == "win32":  # leftovers of a killed writer stay there
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return descriptor


@contextlib.contextmanager
def _locked(folder: Path, lock: int | None) -> Iterator[Path]:
    try:
        yield folder
    finally:
        if lock is not None:
            os.close(lock)


def _left_by_writers(path: Path, sign: str) -> list[Path]:
    """Folders that :func:`_new_folder` made next to a path with this sign, locked or not."""
    name = re.compile(rf"{re.escape(_beginning(path, sign))}[a-z0-9_]{{8}}")
    folders = (one for one in path.parent.iterdir() if name.fullmatch(one.name))
    return [folder for folder in folders if folder.is_dir() and not folder.is_symlink()]


def _beginning(path: Path, sign: str) -> str:
    """Prefix of the names of folders next to a path, unique to the path and never too long."""
    name, written = path.name, os.fsencode(path.name)
    if len(written) > _LONG:
        name = f"{name[:40]}-{hashlib.sha256(written).hexdigest()[:16]}"
    return f".{name}{sign}"


def _settle(folder: Path) -> None:
    """Flush everything in a folder to the disk, and give it the permissions of any new one."""
    for inner in folder.rglob("*"):
        settle(inner)
    folder.chmod(0o777 & ~umask())
    settle(folder)


def _put_back(aside: Path, path: Path) -> None:
    """Restore an old folder if nothing is in its place; otherwise remove it, renamed before it is half."""
    old = aside / _WHOLE
    if old.is_dir() and not path.exists():
        old.rename(path)
        settle(path.parent)
    elif old.is_dir():
        old.rename(aside / _GOING)
    shutil.rmtree(aside, ignore_errors=True)


def usable_place(store: str | Path) -> Path:
    """The folder to create, links followed; or an error that says why it cannot be created.

    A finished store is always usable: there is nothing to write. So is an empty folder, or a link to one.
    """
    path = Path(store)
    named = path.name not in ("", "..")
    with contextlib.suppress(OSError):
        if named and (path / "manifest.json").is_file():
            return path
    check_place(path)
    return path if named and not path.is_symlink() else path.resolve()


def check_place(folder: Path) -> None:
    """Refuse a path at which no folder can be written or replaced; an old folder left aside is restored."""
    with _plain_errors(folder):
        recover(folder)
        whole, here = folder.resolve(), Path.cwd().resolve()
        _check_kind(folder, "name a folder that is new or empty.")
        above = whole in (here, *here.parents)
        if above or os.path.ismount(whole):
            what = "the current folder or above it" if above else "a mount point, which cannot be replaced"
            raise InputError(f"{folder} is {what}.", hint="name a new folder inside it.")
        _check_parent(folder)


def check_folder(folder: Path) -> None:
    """Refuse a path in which no files can be written, before any work is done; other files may be there."""
    with _plain_errors(folder):
        _check_kind(folder, "name a folder.")
        if not folder.exists():
            _check_parent(folder)
        elif not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(f"{folder} cannot be written to.", hint=_ELSEWHERE)


@contextlib.contextmanager
def _plain_errors(folder: Path) -> Iterator[None]:
    """Turn exceptions about a path, such as a name that is too long, into an error."""
    try:
        yield
    except (OSError, RuntimeError) as error:  # the second: a link to itself
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{folder} cannot be used: {reason}.", hint=_ELSEWHERE) from error


def _check_kind(folder: Path, hint: str) -> None:
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"{folder} is a link to nothing.", hint=_ELSEWHERE)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file.", hint=hint)


def _check_parent(folder: Path) -> None:
    parent = next(path for path in folder.resolve().parents if os.path.lexists(path))
    if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
        fault = "cannot be written to" if parent.is_dir() else "is not a folder"
        raise InputError(f"{parent} {fault}, so {folder} cannot be created.", hint=_ELSEWHERE)
