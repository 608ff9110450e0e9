"""Finished work units on disk, beside the store they will become.

A part is written under a temporary name, forced to the disk and then renamed, and its name carries its
checksum: whatever moment a run is killed at, a part is there as a whole, or it is not counted. The next run
with the same settings goes on from the parts it finds.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, join_words
from crossroads.evidence.full_disks import disk_errors, is_full
from crossroads.evidence.staging import settle_folder
from crossroads.extraction.settings import differences, fingerprint

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two runs apart there
    fcntl = None  # type: ignore[assignment]

FORMAT = "crossroads-parts/1"
_PART = re.compile(r"part-(\d{6,})-([0-9a-f]{16})\.npy")
_PLAN, _LOCK, _TEMPORARY = "plan.json", "lock", ".writing-"
STAGED = "store"
"""Folder among the parts in which the store is put together."""


def parts_folder(store: Path) -> Path:
    """Where the parts of a store lie until it is finished."""
    return store.parent / f"{store.name}.part"  # also of ".", which has no name


def remove_leftovers(store: Path) -> None:
    """Remove the parts of a finished store, where a run was killed before it could."""
    folder = parts_folder(store)
    if _read_json(folder / _PLAN).get("format") == FORMAT:
        shutil.rmtree(folder, ignore_errors=True)


class Parts:
    """The parts of one store; held by one run at a time.

    Parameters
    ----------
    store
        The store they will become.
    record
        What decides its bytes; see :meth:`crossroads.extraction.settings.Settings.record`.
    restart
        Whether to throw away parts that were made with other settings.
    """

    def __init__(self, store: Path, record: dict[str, Any], *, restart: bool = False) -> None:
        self.folder = parts_folder(store)
        self._store = store
        with disk_errors(self.folder, parts=self.folder):
            self._lock = self._locked()
            try:
                self._agree(record, restart)
                self.finished = self._verified()
            except BaseException:
                os.close(self._lock)
                raise

    def save(self, number: int, vectors: NDArray[Any]) -> None:
        """Keep the vectors of a unit."""
        buffer = io.BytesIO()
        np.save(buffer, vectors, allow_pickle=False)
        data = buffer.getbuffer()
        name = f"part-{number:06d}-{hashlib.sha256(data).hexdigest()[:16]}.npy"
        with disk_errors(self.folder / name, parts=self.folder, needed=lambda: data.nbytes):
            self._write(name, data)
        self.finished[number] = self.folder / name

    def remove(self) -> None:
        """Remove everything, once the store is there."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> None:
        """Let others work on this store; a folder in which nothing is finished goes."""
        if not self.finished and self._is_held(self._lock):
            self.remove()
        os.close(self._lock)

    def _locked(self) -> int:
        """Hold the folder for this process; the system lets go of it when the process ends, however."""
        while True:
            _make(self.folder)
            try:
                lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:  # removed by the run that has just finished
                continue
            try:
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(lock)
                raise InputError(
                    f"another run is working on {self._store}.", hint="wait for it, or name another folder."
                ) from error
            if self._is_held(lock):
                return lock
            os.close(lock)

    def _is_held(self, lock: int) -> bool:
        """Whether a lock is that of the folder, and not of one that was removed meanwhile."""
        try:
            return os.path.samestat(os.fstat(lock), (self.folder / _LOCK).stat())
        except FileNotFoundError:
            return False

    def _agree(self, record: dict[str, Any], restart: bool) -> None:
        """Compare with the plan that is there, or leave ours."""
        plan = self.folder / _PLAN
        others = [path.name for path in self.folder.iterdir() if path.name != _LOCK]
        ours = {"format": FORMAT, "fingerprint": fingerprint(record), "record": record}
        if not plan.is_file() and [name for name in others if not name.startswith(_TEMPORARY)]:
            raise InputError(
                f"{self.folder} is not a folder of unfinished work.",
                hint="name another folder for the store.",
            )
        theirs = _read_json(plan)
        # A run that has finished nothing binds nobody to its settings.
        binding = theirs.get("format") != FORMAT or any(map(_PART.fullmatch, others))
        if plan.is_file() and theirs != ours and binding and not restart:
            there = theirs.get("record") if isinstance(theirs.get("record"), dict) else {}
            shown = join_words(differences(record, there or {}), most=4) or "its plan"
            raise InputError(
                f"{self._store} was begun with other settings: {shown}.",
                hint="use the same settings to go on, another folder, or restart=True to begin anew.",
            )
        if theirs != ours:
            for name in others:
                _discard(self.folder / name)
            self._write(_PLAN, json.dumps(ours, indent=1, sort_keys=True).encode())

    def _verified(self) -> dict[int, Path]:
        """Parts that are whole; anything else is removed."""
        found: dict[int, Path] = {}
        for path in sorted(self.folder.iterdir()):
            match = _PART.fullmatch(path.name)
            if match is not None and int(match[1]) not in found:
                with path.open("rb") as file:
                    whole = hashlib.file_digest(file, "sha256").hexdigest().startswith(match[2])
                if whole:
                    found[int(match[1])] = path
                    continue
            if path.name not in (_PLAN, _LOCK):
                _discard(path)
        return found

    def _write(self, name: str, data: bytes | memoryview) -> None:
        temporary = self.folder / f"{_TEMPORARY}{name}"
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.folder / name)
            settle_folder(self.folder)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _make(folder: Path) -> None:
    """Make a folder, or say why not."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if is_full(error):
            raise
        raise InputError(
            f"the folder {folder} for unfinished work cannot be made: {error.strerror}.",
            hint="name a new folder elsewhere for the store.",
        ) from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
