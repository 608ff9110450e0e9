"""Where the finished parts of an audit are kept: a folder beside its output, held by one run at a time.

Everything is written under a temporary name, forced to the disk and renamed, and carries a checksum: whatever
moment a run is killed at, a part is there as a whole or it is not counted. What is damaged is done again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import shutil
import zipfile
from pathlib import Path

import numpy as np

from crossroads.auditing.parts import Outcome, Part, packed, unpacked
from crossroads.errors import CrossroadsError, InputError
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.array_files import ArrayArchive
from crossroads.evidence.full_disks import disk_errors
from crossroads.evidence.staging import settle_folder
from crossroads.evidence.suggesting import Unread
from crossroads.results import encode

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two audits apart there
    fcntl = None  # type: ignore[assignment]

_LOCK, _TEMPORARY = "lock", ".writing-"
_OURS = re.compile(r"[a-z0-9-]+-[0-9a-f]{20}(\.json|\.npz|\.jsonl|\.part)?")
_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, RecursionError)


def parts_folder(output: Path) -> Path:
    """Where the parts of an audit lie: beside its folder, which is replaced as a whole."""
    output = output.resolve()
    return output.with_name(f".{output.name}.parts")


class Workplace:
    """The finished parts of one or several audits.

    Parameters
    ----------
    folder
        Where they are kept; made if it is not there.
    fresh
        Whether to throw away what is there.
    """

    def __init__(self, folder: str | Path, *, fresh: bool = False) -> None:
        self.folder = Path(folder).expanduser().resolve()
        self._made = [one for one in (self.folder, *self.folder.parents) if not one.exists()]
        self._used: set[str] = set()
        with disk_errors(self.folder, parts=self.folder):
            self._lock = self._locked()
            for path in list(self.folder.iterdir()):
                if path.name.startswith(_TEMPORARY) or (fresh and _OURS.fullmatch(path.name)):
                    _discard(path)

    def __enter__(self) -> Workplace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, part: Part) -> Outcome | None:
        """What an earlier run made of a part, if it did and the file is whole."""
        path = self._place("part", part.name, part.fingerprint, ".json")
        try:
            said, _, text = path.read_text(encoding="utf-8").partition("\n")
            if hashlib.sha256(text.encode()).hexdigest() != said:
                return None
            data = json.loads(text)
            return unpacked(data, part) if data.get("fingerprint") == part.fingerprint else None
        except (*_DAMAGE, AttributeError):
            return None

    def write(self, part: Part, outcome: Outcome) -> Outcome:
        """Keep what came of a part; returns it as :meth:`read` would."""
        data = {"fingerprint": part.fingerprint, "part": part.name, **packed(outcome, part.provenance)}
        text = json.dumps(data, ensure_ascii=True, allow_nan=False)
        path = self._place("part", part.name, part.fingerprint, ".json")
        self._write(path, f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}".encode())
        found = unpacked(data, part)
        if found is None:
            raise CrossroadsError(
                f"the result of {part.name} cannot be read back.", hint="please report this."
            )
        return found

    def read_vectors(self, name: str, key: str) -> Embeddings | None:
        """Vectors that an earlier run has read, if it did and the file is whole."""
        try:
            with ArrayArchive(self._place("vectors", name, key, ".npz")) as arrays:
                about = json.loads(arrays.read("about").tobytes())
                vectors = arrays.read("vectors")
            return Embeddings(
                about["labels"],
                vectors,
                provenance=Provenance.from_dict(about["provenance"]),
                fallback=about["fallback"],
                unread=_unread(about["unread"]),
            )
        except _DAMAGE:
            return None

    def write_vectors(self, name: str, key: str, emb: Embeddings) -> Embeddings:
        """Keep vectors; returns them as :meth:`read_vectors` would."""
        about = {
            "labels": list(emb.labels),
            "fallback": list(emb.fallback),
            "unread": None if emb.unread is None else sorted(emb.unread.forms),
            "provenance": encode(emb.provenance.to_dict()),
        }
        text, buffer = json.dumps(about, ensure_ascii=True), io.BytesIO()
        np.savez(buffer, about=np.frombuffer(text.encode(), np.uint8), vectors=np.asarray(emb.vectors))
        self._write(self._place("vectors", name, key, ".npz"), buffer.getvalue())
        return Embeddings(
            about["labels"],
            emb.vectors,
            provenance=Provenance.from_dict(json.loads(text)["provenance"]),
            fallback=emb.fallback,
            unread=_unread(about["unread"]),
        )

    def place(self, what: str, name: str, key: str, suffix: str = "") -> Path:
        """The path of something larger that resumes by itself: a store, answers of a model or service."""
        self._used.add(f"{self._place(what, name, key).name}.part")
        return self._place(what, name, key, suffix)

    def sweep(self) -> None:
        """Remove what the audits of this run did not need."""
        for path in list(self.folder.iterdir()):
            if _OURS.fullmatch(path.name) and path.name not in self._used:
                _discard(path)

    def close(self) -> None:
        """Let others work here; a folder in which nothing is kept goes."""
        empty = {path.name for path in self.folder.iterdir()} <= {_LOCK} if self.folder.is_dir() else False
        if empty and self._is_held(self._lock):
            shutil.rmtree(self.folder, ignore_errors=True)
            for folder in self._made[1:]:
                with contextlib.suppress(OSError):
                    folder.rmdir()
        os.close(self._lock)

    def _place(self, what: str, name: str, key: str, suffix: str = "") -> Path:
        plain = re.sub(r"[^a-z0-9]+", "-", f"{what} {name}".lower()).strip("-")[:60].rstrip("-")
        path = self.folder / f"{plain}-{key[:20]}{suffix}"
        self._used.add(path.name)
        return path

    def _write(self, path: Path, data: bytes) -> None:
        temporary = self.folder / f"{_TEMPORARY}{path.name}"
        with disk_errors(path, parts=self.folder, needed=lambda: len(data)):
            try:
                with temporary.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                temporary.replace(path)
                settle_folder(self.folder)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise

    def _locked(self) -> int:
        """Hold the folder; the system lets go of it when the process ends, however it ends."""
        while True:
            self._make()
            try:
                lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            except FileNotFoundError:  # removed by the run that has just finished
                continue
            except (PermissionError, IsADirectoryError) as error:
                raise self._unusable("written to", error) from error
            try:
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(lock)
                raise InputError(
                    f"another audit is at work on {self.folder.name.removesuffix('.parts').lstrip('.')} in "
                    f"{self.folder.parent}.",
                    hint="wait for it, or name another folder.",
                ) from error
            if self._is_held(lock):
                return lock
            os.close(lock)

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, FileNotFoundError, NotADirectoryError, PermissionError) as error:
            raise self._unusable("made", error) from error

    def _unusable(self, what: str, error: OSError) -> InputError:
        return InputError(
            f"the folder {self.folder} for finished parts cannot be {what}: {error.strerror}.",
            hint="name an output elsewhere.",
        )

    def _is_held(self, lock: int) -> bool:
        """Whether a lock is that of the folder, and not of one that was removed meanwhile."""
        try:
            return os.path.samestat(os.fstat(lock), (self.folder / _LOCK).stat())
        except FileNotFoundError:
            return False


def _unread(forms: list[str] | None) -> Unread | None:
    """The other spellings that a source holds; its vocabulary, for suggestions, is not kept."""
    return None if forms is None else Unread(forms=frozenset(forms))


def _discard(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
