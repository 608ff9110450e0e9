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
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from crossroads.errors import InputError
from crossroads.storage.disks import disk_errors
from crossroads.storage.files import settle, umask

try:
    import fcntl
except ImportError:  # Windows: leftovers of a killed writer stay there
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def staged(path: Path, *, needed: Callable[[], int] | None = None) -> Iterator[Path]:
    """Yield a new folder beside ``path``, which takes that name at the end; it is removed on an error.

    Parameters
    ----------
    path
        The name it will have; it must not exist, also at the end.
    needed
        Returns how many bytes it takes, for the error of a full disk.
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

    Leftovers of a killed writer beside it are restored or removed first. A ``path`` that is a link stays one:
    the folder to which it points is replaced. Python cannot exchange two folders in one step, so there is a
    moment without either. If a writer is killed in it, nothing is lost: the next one, or a call of
    :func:`recover`, restores the old folder.

    Parameters
    ----------
    path
        The name it will have; a folder of that name is replaced, so the caller checks it first.
    needed
        Returns how many bytes it takes, for the error of a full disk.
    """
    path = path.resolve()
    with _filled(path, needed) as folder:
        yield folder
        _settle(folder)
        _move(folder, path)


@contextlib.contextmanager
def _filled(path: Path, needed: Callable[[], int] | None) -> Iterator[Path]:
    """Yield a folder beside a path, locked while it is filled and moved."""
    with disk_errors(path, needed=needed):
        path.parent.mkdir(parents=True, exist_ok=True)
        recover(path)
        _remove_abandoned(path)
        folder, lock = _held(path, _WRITING)
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            if lock is not None:
                os.close(lock)


def already_there(path: Path) -> InputError:
    """The error for a name that is taken."""
    return InputError(f"{path} exists already.", hint="name another folder, or remove this one.")


_WRITING = ".writing-"
"""Part of the names of folders that are being filled."""
_OLD = "-old-"
"""Part of the names of folders that hold an old folder."""
_WHOLE, _GOING = "whole", "going"
"""An old folder that was moved aside, and one that is being removed: only the first is ever restored."""
_LONG = 200
"""Bytes of a name that leave room for a prefix and a suffix; systems allow 255."""


def _held(path: Path, sign: str) -> tuple[Path, int | None]:
    """A new folder beside a path, and the lock on it.

    Parameters
    ----------
    path
        The path, whose name begins that of the folder.
    sign
        The next part of the name, by which abandoned folders of the same kind are recognised.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_beginning(path, sign), dir=path.parent))
        try:
            lock = _lock_folder(folder)
        except (BlockingIOError, FileNotFoundError):
            continue  # taken for abandoned in the moment before it was locked
        if lock is None or folder.is_dir():
            return folder, lock
        os.close(lock)


def _remove_abandoned(path: Path) -> None:
    """Remove what dead writers of the same name have left."""
    for folder in _left_beside(path, _WRITING):
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            lock = _lock_folder(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _left_beside(path: Path, sign: str) -> list[Path]:
    """Folders that :func:`_held` made beside a path with this sign, locked or not."""
    name = re.compile(rf"{re.escape(_beginning(path, sign))}[a-z0-9_]{{8}}")
    return [
        folder
        for folder in path.parent.iterdir()
        if name.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink()
    ]


def _beginning(path: Path, sign: str) -> str:
    """Prefix of the names of folders beside a path, unique to the path and never too long."""
    written = os.fsencode(path.name)
    long = f"{path.name[:40]}-{hashlib.sha256(written).hexdigest()[:16]}"
    return f".{path.name if len(written) <= _LONG else long}{sign}"


def _lock_folder(folder: Path) -> int | None:
    """Lock a folder; ``None`` if the system has no such locks, an error if another process holds it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        raise
    except OSError:  # a system without handles for folders
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def recover(path: Path) -> None:
    """Clean up after writers that were killed while they replaced a folder.

    If the old folder was moved aside and the new one had not taken its place, the old one is restored;
    otherwise it is removed. Active writers are not disturbed.
    """
    path = path.resolve()
    with contextlib.suppress(OSError):  # a path that cannot be read or written is refused elsewhere
        for aside in sorted(_left_beside(path, _OLD)):
            with contextlib.suppress(BlockingIOError, FileNotFoundError):
                _recover(aside, path)


def _settle(folder: Path) -> None:
    """Flush everything in a folder to the disk, and give it the permissions of any new one."""
    for inner in folder.rglob("*"):
        settle(inner)
    folder.chmod(0o777 & ~umask())
    settle(folder)


def _move(folder: Path, path: Path) -> None:
    """Put the new folder in place of an old one."""
    if not path.exists():
        folder.rename(path)
        settle(path.parent)
        return
    aside, lock = _held(path, _OLD)
    try:
        path.rename(aside / _WHOLE)
        folder.rename(path)
        settle(path.parent)
    finally:
        _put_back(aside, path)
        if lock is not None:
            os.close(lock)


def _recover(aside: Path, path: Path) -> None:
    lock = _lock_folder(aside)
    try:
        if {one.name for one in aside.iterdir()} <= {_WHOLE, _GOING}:  # otherwise it is a user's own
            _put_back(aside, path)
    finally:
        if lock is not None:
            os.close(lock)


def _put_back(aside: Path, path: Path) -> None:
    """Restore an old folder if nothing is in its place; otherwise remove it.

    It is renamed before it is removed: half a folder is never taken for a whole one.
    """
    old = aside / _WHOLE
    if old.is_dir() and not path.exists():
        old.rename(path)
        settle(path.parent)
    elif old.is_dir():
        old.rename(aside / _GOING)
    shutil.rmtree(aside, ignore_errors=True)


def usable_place(store: str | Path) -> Path:
    """The folder to create, links followed; or an error that says why it cannot be created.

    A finished store is always usable: there is nothing to write.

    Parameters
    ----------
    store
        The path given; it may be an empty folder, or a link to one.
    """
    path = Path(store)
    named = path.name not in ("", "..")
    with contextlib.suppress(OSError):
        if named and (path / "manifest.json").is_file():
            return path
    check_place(path)
    return path if named and not path.is_symlink() else path.resolve()


def check_place(folder: Path) -> None:
    """Refuse a path at which no folder can be written or replaced, before any work is done.

    Leftovers of a killed writer are restored first.
    """
    try:
        recover(folder)
        whole = folder.resolve()
        _check_kind(folder, "name a folder that is new or empty.")
        if whole in (Path.cwd().resolve(), *Path.cwd().resolve().parents):
            raise InputError(
                f"{folder} is the current folder or above it.", hint="name a new folder inside it."
            )
        if os.path.ismount(whole):
            raise InputError(
                f"{folder} is a mount point, which cannot be replaced.", hint="name a new folder inside it."
            )
        _check_parent(folder, whole)
    except (OSError, RuntimeError) as error:  # too long a name; a link to itself
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{folder} cannot be used: {reason}.", hint=_ELSEWHERE) from error


def check_folder(folder: Path) -> None:
    """Refuse a path in which no files can be written, before any work is done; other files may be there."""
    try:
        _check_kind(folder, "name a folder.")
        if not folder.exists():
            _check_parent(folder, folder.resolve())
        elif not os.access(folder, os.W_OK | os.X_OK):
            raise InputError(f"{folder} cannot be written to.", hint=_ELSEWHERE)
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{folder} cannot be used: {reason}.", hint=_ELSEWHERE) from error


def _check_kind(folder: Path, hint: str) -> None:
    if folder.is_symlink() and not folder.exists():
        raise InputError(f"{folder} is a link to nothing.", hint=_ELSEWHERE)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file.", hint=hint)


def _check_parent(folder: Path, whole: Path) -> None:
    parent = next(path for path in whole.parents if os.path.lexists(path))
    if not parent.is_dir():
        raise InputError(f"{parent} is not a folder, so {folder} cannot be created.", hint=_ELSEWHERE)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise InputError(f"{parent} cannot be written to, so {folder} cannot be created.", hint=_ELSEWHERE)


_ELSEWHERE = "name a new folder elsewhere."
