"""Finished work on disk, from which the next run continues: values by their keys, and units of a store.

A file is written under another name and renamed, and carries a checksum of its content: whenever a run is
killed, a file is whole or it does not count. A folder of work belongs to one run at a time, by a lock that
the system releases however the run ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import CrossroadsError, CrossroadsWarning, InputError, join_words
from crossroads.core.storage import files

try:
    import fcntl
except ImportError:  # Windows: two runs are not kept apart there
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")
LOCK, _PLAN = "lock", "plan.json"
STAGED = "store"
"""Folder among the units in which their store is assembled."""
UNITS = "crossroads-parts/1"
_IMPLIED = ("sample",)
"""Entries of a record that others imply, and that explain why those differ."""
_VALUE = re.compile(r"[a-z0-9-]+-[0-9a-f]{20}(\.[a-z]+)?")
_UNIT = re.compile(r"part-(\d{6,})-([0-9a-f]{16})\.npy")
_DAMAGE = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, OverflowError),
    *(RecursionError, zipfile.BadZipFile, CrossroadsError),
)


@dataclass(frozen=True)
class Key:
    """What decides a value."""

    what: str
    """What the value is, such as ``"part"`` or ``"vectors"``."""
    name: str
    """Its name for people, in the name of its file."""
    data: Mapping[str, Any]
    """Plain data that decide it, with the checksum of the code that makes it."""

    @cached_property
    def file(self) -> str:
        """Name of its file, without a suffix: equal data give equal names."""
        plain = re.sub(r"[^a-z0-9]+", "-", f"{self.what} {self.name}".lower()).strip("-")[:60].rstrip("-")
        return f"{plain}-{files.fingerprint(self.data)[:20]}"


class Form(NamedTuple, Generic[T]):
    """How a value becomes the content of a file; ``read`` raises where the content is not such a value."""

    suffix: str
    write: Callable[[T], bytes]
    read: Callable[[bytes], T]


JSON: Form[Any] = Form(".json", lambda data: json.dumps(data, allow_nan=False).encode(), json.loads)
"""Plain data."""


class Cache:
    """Values in a folder, one file each; without a folder, nothing is kept.

    A ``fresh`` cache discards what is there. One with an ``owner``, which its folder is for, is used by one
    run at a time; others are shared without a lock, since equal keys have equal values. Values that are
    ``paid`` for are reported if they are damaged.
    """

    def __init__(
        self, folder: Path | None, *, fresh: bool = False, owner: Path | None = None, paid: bool = False
    ) -> None:
        self.folder, self._paid, self._lock = folder, paid, None
        self.written = 0
        """Number of values that were written."""
        self._used: set[str] = set()
        if folder is None or owner is None:
            return
        self._made = [path for path in (folder, *folder.parents) if not path.exists()]
        with files.disk_errors(folder, parts=folder):
            self._lock = HeldFolder(folder, owner)
            for path in list(folder.iterdir()):
                if path.name.startswith(files.WRITING) or (fresh and _VALUE.fullmatch(path.name)):
                    discard(path)

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, key: Key, make: Callable[[], T], form: Form[T]) -> T:
        """A value from an earlier run, or one that is made now."""
        if (value := self.find(key, form)) is None:
            value = make()
            self.keep(key, value, form)
        return value

    def find(self, key: Key, form: Form[T]) -> T | None:
        """A value from an earlier run; None if there is none or its file is damaged."""
        if self.folder is None:
            return None
        path = self.place(key, form.suffix)
        return self._read(path, form) if path.is_file() else None

    def keep(self, key: Key, value: T, form: Form[T]) -> None:
        """Write a value."""
        if self.folder is None:
            return
        make_folder(self.folder)
        data = form.write(value)
        line = hashlib.sha256(data).hexdigest().encode() + b"\n"
        files.write_file(self.place(key, form.suffix), line + data, parts=self.folder)
        self.written += 1

    def all(self, form: Form[T]) -> Iterator[T]:
        """Every value of a form, in the order of the names of their files."""
        paths = [] if self.folder is None else sorted(self.folder.glob(f"*{form.suffix}"))
        yield from (value for path in paths if (value := self._read(path, form)) is not None)

    def place(self, key: Key, suffix: str = "") -> Path:
        """Path of a value, or of a store that is resumed on its own."""
        if self.folder is None:
            raise InputError("there is no folder to keep work in.", hint="name one.")
        self._used |= {f"{key.file}{suffix}", f"{key.file}.part"}
        return self.folder / f"{key.file}{suffix}"

    def sweep(self) -> None:
        """Remove values that this run did not use."""
        for path in list(self.folder.iterdir()) if self.folder is not None else ():
            if _VALUE.fullmatch(path.name) and path.name not in self._used:
                discard(path)

    def close(self) -> None:
        """Release the folder for other runs; it is removed if it is empty."""
        if self._lock is None or self.folder is None:
            return
        empty = self.folder.is_dir() and {path.name for path in self.folder.iterdir()} <= {LOCK}
        self._lock.release(remove=empty)
        for path in self._made[1:] if empty else ():
            with contextlib.suppress(OSError):
                path.rmdir()

    def _read(self, path: Path, form: Form[T]) -> T | None:
        try:
            line, _, data = path.read_bytes().partition(b"\n")
            if hashlib.sha256(data).hexdigest().encode() == line:
                return form.read(data)
        except _DAMAGE:
            pass
        if self._paid:
            message = f"the saved answer {path} is damaged: the question is asked again."
            warnings.warn(message, CrossroadsWarning, stacklevel=4)
        return None


class HeldFolder:
    """A folder that one run holds at a time: created if it does not exist, locked until it is released."""

    def __init__(self, folder: Path, work: Path) -> None:
        self.folder = folder
        while True:
            make_folder(folder)
            try:
                self._lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:  # removed by the run that has just finished
                continue
            except (PermissionError, IsADirectoryError) as error:
                raise _unusable(folder, "written to", error) from error
            try:
                if fcntl is not None:
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._lock)
                hint = "wait for it, or name another folder."
                raise InputError(f"another run is working on {work}.", hint=hint) from error
            if self._is_ours():
                return
            os.close(self._lock)

    def release(self, *, remove: bool = False) -> None:
        """Release the folder for other runs, or remove it."""
        if remove and self._is_ours():
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

    def _is_ours(self) -> bool:
        """Whether the lock belongs to the folder, and not to one that was removed meanwhile."""
        try:
            return os.path.samestat(os.fstat(self._lock), (self.folder / LOCK).stat())
        except FileNotFoundError:
            return False


def make_folder(folder: Path) -> None:
    """Make a folder of finished work, if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if files.is_full(error):
            raise
        raise _unusable(folder, "made", error) from error


def _unusable(folder: Path, what: str, error: OSError) -> InputError:
    message = f"the folder {folder} for finished parts cannot be {what}: {error.strerror}."
    return InputError(message, hint="name another folder for the output.")


class Parts:
    """The finished units of a store that is not finished, one array each; one run at a time holds them.

    The record is plain data that determine the bytes of the store. Units that were made with other settings
    are refused or, with ``restart``, discarded. Those made by other code are discarded with a warning: units
    of two versions are never joined.
    """

    def __init__(self, store: Path, record: dict[str, Any], *, restart: bool = False) -> None:
        self.folder, self._store = parts_folder(store), store
        with files.disk_errors(self.folder, parts=self.folder):
            self._lock = HeldFolder(self.folder, store)
            try:
                self._agree(record, restart)
                self.finished = self._verified()
            except BaseException:
                self._lock.release()
                raise

    def save(self, number: int, vectors: NDArray[Any]) -> None:
        """Keep the vectors of a unit, in a file that can be memory-mapped."""
        buffer = io.BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        data = buffer.getbuffer()
        path = self.folder / f"part-{number:06d}-{hashlib.sha256(data).hexdigest()[:16]}.npy"
        files.write_file(path, data, parts=self.folder)
        self.finished[number] = path

    def remove(self) -> None:
        """Remove everything, once the store is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Release this store for other runs; a folder in which nothing is finished is removed."""
        self._lock.release(remove=not self.finished)

    def _agree(self, record: dict[str, Any], restart: bool) -> None:
        """Compare with the existing plan, or write ours."""
        plan = self.folder / _PLAN
        others = [path.name for path in self.folder.iterdir() if path.name != LOCK]
        prints = {"fingerprint": record_fingerprint(record), "code": files.evidence_code()}
        ours = {"format": UNITS, **prints, "record": record}
        if not plan.is_file() and [name for name in others if not name.startswith(files.WRITING)]:
            message = f"{self.folder} is not a folder of unfinished work."
            raise InputError(message, hint="name another folder for the store.")
        theirs = files.read_record(plan)
        same = all(theirs.get(name) == ours[name] for name in ("format", "fingerprint"))
        # The settings of a run that has finished nothing do not matter.
        binding = theirs.get("format") != UNITS or any(map(_UNIT.fullmatch, others))
        if plan.is_file() and not same and binding and not restart:
            there = theirs.get("record")
            shown = (isinstance(there, dict) and differences(record, there)) or "its plan"
            message = f"{self._store} was begun with other settings: {shown}."
            hint = "use the same settings to continue, another folder, or restart=True to start again."
            raise InputError(message, hint=hint, option="restart")
        outdated = same and theirs.get("code") != ours["code"]
        if outdated and binding:
            made = f"the finished parts of {self._store} were made by another version of crossroads"
            message = f"{made}: they are discarded, and the work starts again."
            warnings.warn(message, CrossroadsWarning, stacklevel=2)
        if outdated or not same:
            for name in others:
                discard(self.folder / name)
            files.write_file(plan, json.dumps(ours, indent=1, sort_keys=True))

    def _verified(self) -> dict[int, Path]:
        """Units that are whole; anything else is removed."""
        units: dict[int, Path] = {}
        for path in sorted(self.folder.iterdir()):
            match = _UNIT.fullmatch(path.name)
            if match and int(match[1]) not in units and files.checksum(path).startswith(match[2]):
                units[int(match[1])] = path
            elif path.name not in (_PLAN, LOCK):
                discard(path)
        return units


def parts_folder(store: Path) -> Path:
    """The folder of the units of a store until it is finished."""
    return store.parent / f"{store.name}.part"  # also for a path without a name, which is refused later


def remove_leftovers(store: Path) -> None:
    """Remove the units of a finished store, if a run was killed before it could."""
    if files.read_record(parts_folder(store) / _PLAN).get("format") == UNITS:
        shutil.rmtree(parts_folder(store), ignore_errors=True)


def record_fingerprint(record: dict[str, Any]) -> str:
    """Checksum of the entries of a record that determine the bytes."""
    return files.fingerprint({name: value for name, value in record.items() if name not in _IMPLIED})


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """The first differences between two records, in words."""
    changed = []
    for name in {**ours, **theirs}:
        there, now = theirs.get(name), ours.get(name)
        if there != now and (name not in _IMPLIED or name in theirs):
            there, now = (f"{one:.12}…" if len(one) == 64 else one for one in map(str, (there, now)))
            changed.append(f"{name} ({there} there, {now} now)")
    return join_words(changed, most=4)


def discard(path: Path) -> None:
    """Remove a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
