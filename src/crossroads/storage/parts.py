"""Finished work on disk, from which the next run with the same settings continues.

A folder of work is held by one run at a time, by a lock that the system releases however the run ends. Each
finished part is written whole and identified by a checksum: whenever a run is killed, a part is complete or
it is not counted.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import CrossroadsWarning, InputError, join_words
from crossroads.storage import files
from crossroads.storage.disks import disk_errors, is_full
from crossroads.storage.files import WRITING, checksum, fingerprint, read_record, write_file

try:
    import fcntl
except ImportError:  # Windows: two runs are not kept apart there
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"
"""The lock file in a folder of work."""
FORMAT = "crossroads-parts/1"
TOLD = ("sample",)
"""Entries of a record that are implied by others, and explain why those differ."""
_PART = re.compile(r"part-(\d{6,})-([0-9a-f]{16})\.npy")
_PLAN = "plan.json"
STAGED = "store"
"""Folder among the parts in which the store is assembled."""


class HeldFolder:
    """A folder that one run holds at a time.

    Parameters
    ----------
    folder
        The folder; created if it does not exist.
    work
        Its purpose, for the error if another run holds it.
    """

    def __init__(self, folder: Path, work: Path) -> None:
        self.folder = folder
        while True:
            self._make()
            try:
                self._lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:  # removed by the run that has just finished
                continue
            except (PermissionError, IsADirectoryError) as error:
                raise self._unusable("written to", error) from error
            try:
                if fcntl is not None:
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._lock)
                raise InputError(
                    f"another run is working on {work}.", hint="wait for it, or name another folder."
                ) from error
            if self._is_ours():
                return
            os.close(self._lock)

    def release(self, *, remove: bool = False) -> None:
        """Release the folder for other runs.

        Parameters
        ----------
        remove
            Whether to remove the folder first.
        """
        if remove and self._is_ours():
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

    def _is_ours(self) -> bool:
        """Whether the lock belongs to the folder, and not to one that was removed meanwhile."""
        try:
            return os.path.samestat(os.fstat(self._lock), (self.folder / LOCK).stat())
        except FileNotFoundError:
            return False

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if is_full(error):
                raise
            raise self._unusable("made", error) from error

    def _unusable(self, what: str, error: OSError) -> InputError:
        return InputError(
            f"the folder {self.folder} for finished parts cannot be {what}: {error.strerror}.",
            hint="name another folder for the output.",
        )


def parts_folder(store: Path) -> Path:
    """The folder of the parts of a store until it is finished."""
    return store.parent / f"{store.name}.part"  # also for a path without a name, which is refused later


def check_settings(
    store: Path, record: dict[str, Any], details: Mapping[str, Any], *, found: str, place: str
) -> None:
    """Refuse a finished store that was made with other settings than a run has.

    Parameters
    ----------
    store
        The store.
    record
        What determines the run.
    details
        Details of the provenance of the store, with the record that it was made with and its fingerprint.
    found
        What the store is, such as ``"is a finished probe"``.
    place
        What another store may be written to: ``folder``, ``file``.
    """
    if details.get("fingerprint") == record_fingerprint(record):
        return
    there = details.get("record")
    shown = join_words(differences(record, there), most=4) if isinstance(there, dict) else "it was imported"
    raise InputError(
        f"{store} {found} with other settings: {shown}.", hint=f"name another {place}, or remove this one."
    )


def remove_leftovers(store: Path) -> None:
    """Remove the parts of a finished store, if a run was killed before it could."""
    folder = parts_folder(store)
    if read_record(folder / _PLAN).get("format") == FORMAT:
        shutil.rmtree(folder, ignore_errors=True)


class Parts:
    """The parts of one store; held by one run at a time.

    Parameters
    ----------
    store
        The store they will become.
    record
        Plain data that determine its bytes. Parts that were made by other code are discarded with a warning:
        those of two versions are never joined.
    restart
        Whether to discard parts that were made with other settings.
    """

    def __init__(self, store: Path, record: dict[str, Any], *, restart: bool = False) -> None:
        self.folder = parts_folder(store)
        self._store = store
        with disk_errors(self.folder, parts=self.folder):
            self._held = HeldFolder(self.folder, store)
            try:
                self._agree(record, restart)
                self.finished = self._verified()
            except BaseException:
                self._held.release()
                raise

    def save(self, number: int, vectors: NDArray[Any]) -> None:
        """Keep the vectors of a unit."""
        buffer = io.BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        data = buffer.getbuffer()
        name = f"part-{number:06d}-{hashlib.sha256(data).hexdigest()[:16]}.npy"
        write_file(self.folder / name, data, parts=self.folder)
        self.finished[number] = self.folder / name

    def remove(self) -> None:
        """Remove everything, once the store is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Release this store for other runs; a folder in which nothing is finished is removed."""
        self._held.release(remove=not self.finished)

    def _agree(self, record: dict[str, Any], restart: bool) -> None:
        """Compare with the existing plan, or write ours."""
        plan = self.folder / _PLAN
        others = [path.name for path in self.folder.iterdir() if path.name != LOCK]
        ours = {"format": FORMAT, "fingerprint": record_fingerprint(record), "record": record}
        ours["code"] = files.code(*files.EVIDENCE)
        if not plan.is_file() and [name for name in others if not name.startswith(WRITING)]:
            raise InputError(
                f"{self.folder} is not a folder of unfinished work.",
                hint="name another folder for the store.",
            )
        theirs = read_record(plan)
        same = all(theirs.get(name) == ours[name] for name in ("format", "fingerprint"))
        # The settings of a run that has finished nothing do not matter.
        binding = theirs.get("format") != FORMAT or any(map(_PART.fullmatch, others))
        if plan.is_file() and not same and binding and not restart:
            there = theirs.get("record") if isinstance(theirs.get("record"), dict) else {}
            shown = join_words(differences(record, there or {}), most=4) or "its plan"
            raise InputError(
                f"{self._store} was begun with other settings: {shown}.",
                hint="use the same settings to continue, another folder, or restart=True to start again.",
                option="restart",
            )
        outdated = same and theirs.get("code") != ours["code"]
        if outdated and binding:
            warnings.warn(
                f"the finished parts of {self._store} were made by another version of crossroads: they are "
                "discarded, and the work starts again.",
                CrossroadsWarning,
                stacklevel=2,
            )
        if outdated or not same:
            for name in others:
                discard(self.folder / name)
            write_file(plan, json.dumps(ours, indent=1, sort_keys=True))

    def _verified(self) -> dict[int, Path]:
        """Parts that are whole; anything else is removed."""
        found: dict[int, Path] = {}
        for path in sorted(self.folder.iterdir()):
            match = _PART.fullmatch(path.name)
            new = match is not None and int(match[1]) not in found
            if match is not None and new and checksum(path).startswith(match[2]):
                found[int(match[1])] = path
            elif path.name not in (_PLAN, LOCK):
                discard(path)
        return found


def record_fingerprint(record: dict[str, Any]) -> str:
    """Checksum of the entries of a record that determine the bytes."""
    deciding = {name: value for name, value in record.items() if name not in TOLD}
    return fingerprint(deciding)


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Describe the differences between two records."""
    return [
        f"{name} ({_short(theirs.get(name))} there, {_short(ours.get(name))} now)"
        for name in dict.fromkeys([*ours, *theirs])
        if ours.get(name) != theirs.get(name) and (name not in TOLD or name in theirs)
    ]


def _short(value: Any) -> str:
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text


def discard(path: Path) -> None:
    """Remove a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
