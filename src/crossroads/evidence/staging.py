"""Folders that appear as a whole or not at all: filled under another name beside, then moved.

Each writer has a folder of its own, which it holds by a lock that the system releases when the process ends,
however it ends. So two writers of one name do not touch each other's work, and what a killed one has left is
known by its lock and removed by the next.
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
from crossroads.evidence.full_disks import disk_errors

try:
    import fcntl
except ImportError:  # Windows: what a killed writer leaves stays there
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def staged(path: Path, *, needed: Callable[[], int] | None = None) -> Iterator[Path]:
    """A new folder beside ``path``, which takes that name at the end; removed if anything is raised.

    Parameters
    ----------
    path
        The name it will have; there must be nothing, also at the end.
    needed
        Tells how many bytes it takes, should there be no room for them.
    """
    with disk_errors(path, needed=needed):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path)
        folder, lock = held(path)
        try:
            yield folder
            folder.chmod(0o777 & ~umask())
            settle_folder(folder)
            try:
                folder.rename(path)
            except OSError as error:
                if not path.exists():
                    raise
                raise already_there(path) from error
            settle_folder(path.parent)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            if lock is not None:
                os.close(lock)


def already_there(path: Path) -> InputError:
    """The error for a name that is taken."""
    return InputError(f"{path} exists already.", hint="name another folder, or remove this one.")


def settle_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows has no handle for folders
        return
    try:
        os.fsync(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)


def settle_file(path: Path) -> None:
    """Wait until a file is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


_WRITING = ".writing-"
"""By this, folders that are being filled are known."""
_LONG = 200
"""Bytes of a name that leave room for what is put before and behind it; systems allow 255."""


def held(path: Path, sign: str = _WRITING) -> tuple[Path, int | None]:
    """A new folder beside a path, and the lock on it.

    Parameters
    ----------
    path
        The path, whose name begins that of the folder.
    sign
        What goes on in the name: by this, abandoned folders of the same kind are known.
    """
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_beginning(path, sign), dir=path.parent))
        try:
            lock = lock_folder(folder)
        except (BlockingIOError, FileNotFoundError):
            continue  # taken for abandoned in the moment before it was locked
        if lock is None or folder.is_dir():
            return folder, lock
        os.close(lock)


def remove_abandoned(path: Path) -> None:
    """Remove what writers of the same name have left that are no more."""
    for folder in left_beside(path, _WRITING):
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            lock = lock_folder(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def left_beside(path: Path, sign: str) -> list[Path]:
    """Folders that :func:`held` has made beside a path with this sign, whether somebody holds them or not."""
    name = re.compile(rf"{re.escape(_beginning(path, sign))}[a-z0-9_]{{8}}")
    return [
        folder
        for folder in path.parent.iterdir()
        if name.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink()
    ]


def _beginning(path: Path, sign: str) -> str:
    """How the names of folders beside a path begin: the same for no other path, and never too long."""
    written = os.fsencode(path.name)
    long = f"{path.name[:40]}-{hashlib.sha256(written).hexdigest()[:16]}"
    return f".{path.name if len(written) <= _LONG else long}{sign}"


def lock_folder(folder: Path) -> int | None:
    """A lock on a folder, or ``None`` where the system has none; raises where somebody else has it."""
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


def umask() -> int:
    """Rights that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
