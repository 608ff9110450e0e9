"""The folder of the finished parts of an audit, beside its output and locked by one run at a time.

Files are written atomically with a checksum; damaged ones are measured again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.audit.parts import Outcome, Part, fingerprint, measure_code, packed, unpacked
from crossroads.evidence import Embeddings, Provenance
from crossroads.evidence.spelling import Unread
from crossroads.results import encode, versions
from crossroads.storage.arrays import ARCHIVE_FAULTS, ArrayArchive
from crossroads.storage.disks import disk_errors
from crossroads.storage.files import WRITING, code, write_file
from crossroads.storage.parts import LOCK, HeldFolder, discard

_OURS = re.compile(r"[a-z0-9-]+-[0-9a-f]{20}(\.json|\.npz|\.jsonl|\.part|\.zip)?")
_DAMAGE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, RecursionError)


def parts_folder(output: Path) -> Path:
    """Path of the parts of an audit: beside its folder, which is replaced as a whole."""
    output = output.resolve()
    return output.with_name(f".{output.name}.parts")


class PartsFolder:
    """The finished parts of one or several audits.

    Parameters
    ----------
    folder
        The folder; created if it does not exist.
    fresh
        Whether to discard existing parts.
    """

    def __init__(self, folder: str | Path, *, fresh: bool = False) -> None:
        self.folder = Path(folder).expanduser().resolve()
        self._made = [one for one in (self.folder, *self.folder.parents) if not one.exists()]
        self._used: set[str] = set()
        with disk_errors(self.folder, parts=self.folder):
            output = self.folder.name.removesuffix(".parts").lstrip(".")
            self._held = HeldFolder(self.folder, self.folder.with_name(output))
            for path in list(self.folder.iterdir()):
                if path.name.startswith(WRITING) or (fresh and _OURS.fullmatch(path.name)):
                    discard(path)

    def __enter__(self) -> PartsFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, part: Part) -> Outcome | None:
        """The outcome of a part from an earlier run, if there is one and its file is intact."""
        data = self._read(self._place("part", part.name, part.fingerprint, ".json"))
        known = isinstance(data, dict) and data.get("fingerprint") == part.fingerprint
        return unpacked(data, part) if known else None

    def write(self, part: Part, outcome: Outcome) -> Outcome:
        """Save the outcome of a part; returns the one that was saved."""
        data = packed(outcome, part.provenance)
        head = {"fingerprint": part.fingerprint, "part": part.name}
        self._write(self._place("part", part.name, part.fingerprint, ".json"), {**head, **data})
        return outcome if "result" in data else Outcome(reason=data["reason"])

    def plain(self, name: str, decided: Mapping[str, Any], make: Callable[[], Any]) -> Any:
        """Plain data that other plain data decide, of an earlier run or made now."""
        by = {"code": measure_code(), "versions": versions(), **decided}
        path = self._place("data", name, fingerprint(by), ".json")
        found = self._read(path)
        if found is None:
            found = encode(make())
            self._write(path, found)
        return found

    def _read(self, path: Path) -> Any:
        """What was written to a file; None if there is none or it is damaged."""
        try:
            said, _, text = path.read_text(encoding="utf-8").partition("\n")
            return json.loads(text) if hashlib.sha256(text.encode()).hexdigest() == said else None
        except _DAMAGE:
            return None

    def _write(self, path: Path, data: Any) -> None:
        text = json.dumps(data, ensure_ascii=True, allow_nan=False)
        write_file(path, f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}", parts=self.folder)

    def read_vectors(self, name: str, key: str) -> Embeddings | None:
        """Vectors from an earlier run, if there are any and their file is intact."""
        try:
            with ArrayArchive(self._place("vectors", name, key, ".npz")) as arrays:
                about = json.loads(arrays.read("about").tobytes())
                found = _vectors(about, arrays.read("vectors"))
                return (
                    found.with_pool(_vectors(about["pool"], arrays.read("pool"))) if about["pool"] else found
                )
        except _DAMAGE:
            return None

    def write_vectors(self, name: str, key: str, emb: Embeddings) -> Embeddings:
        """Save vectors; returns them as :meth:`read_vectors` would."""
        pool = emb.pool if emb.pool is not emb else None
        about = {**_about(emb), "pool": None if pool is None else _about(pool)}
        text, buffer = json.dumps(about, ensure_ascii=True), io.BytesIO()
        arrays = {"about": np.frombuffer(text.encode(), np.uint8), "vectors": np.asarray(emb.vectors)}
        if pool is not None:
            arrays["pool"] = np.asarray(pool.vectors)
        np.savez(buffer, allow_pickle=False, **arrays)
        write_file(self._place("vectors", name, key, ".npz"), buffer.getvalue(), parts=self.folder)
        return _vectors(json.loads(text), emb.vectors).with_pool(pool)

    def draw(self, folder: Path, shown: Any, drawing: Callable[[Path], None]) -> None:
        """Make a folder of figures, from those of an earlier run where they show the same.

        Parameters
        ----------
        folder
            The folder to make.
        shown
            Plain data that the figures show.
        drawing
            Draws them into a new folder.
        """
        by = {
            "code": measure_code(),
            "drawing": code("plots", "report"),
            "versions": [versions(), _matplotlib()],
        }
        path = self._place("figures", "", fingerprint({**by, "shown": shown}), ".zip")
        try:
            with zipfile.ZipFile(path) as archive:  # which checks what it reads
                found = {name: archive.read(name) for name in archive.namelist()}
        except ARCHIVE_FAULTS:
            found = {}
        if found:
            folder.mkdir()
            for name, content in found.items():
                (folder / Path(name).name).write_bytes(content)
            return
        drawing(folder)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)
        write_file(path, buffer.getvalue(), parts=self.folder)

    def place(self, what: str, name: str, key: str, suffix: str = "") -> Path:
        """Path of larger data that can be resumed on its own: a store, answers of a model or service."""
        self._used.add(f"{self._place(what, name, key).name}.part")
        return self._place(what, name, key, suffix)

    def sweep(self) -> None:
        """Remove parts that this run did not use."""
        for path in list(self.folder.iterdir()):
            if _OURS.fullmatch(path.name) and path.name not in self._used:
                discard(path)

    def close(self) -> None:
        """Release the folder; it is removed if it is empty."""
        empty = {path.name for path in self.folder.iterdir()} <= {LOCK} if self.folder.is_dir() else False
        self._held.release(remove=empty)
        if empty:
            for folder in self._made[1:]:
                with contextlib.suppress(OSError):
                    folder.rmdir()

    def _place(self, what: str, name: str, key: str, suffix: str = "") -> Path:
        plain = re.sub(r"[^a-z0-9]+", "-", f"{what} {name}".lower()).strip("-")[:60].rstrip("-")
        path = self.folder / f"{plain}-{key[:20]}{suffix}"
        self._used.add(path.name)
        return path


def _matplotlib() -> str | None:
    """The version that draws; nothing where it is not installed."""
    try:
        return metadata.version("matplotlib")
    except metadata.PackageNotFoundError:
        return None


def _about(emb: Embeddings) -> dict[str, Any]:
    """Everything about vectors but their numbers and their pool, as plain data."""
    return {
        "labels": list(emb.labels),
        "fallback": list(emb.fallback),
        "unread": None if emb.unread is None else sorted(emb.unread.forms),
        "ranks": None if emb.ranks is None else list(emb.ranks.values()),
        "provenance": encode(emb.provenance.to_dict()),
    }


def _vectors(about: dict[str, Any], vectors: NDArray[Any]) -> Embeddings:
    """Vectors out of what :func:`_about` says of them."""
    return Embeddings(
        about["labels"],
        vectors,
        provenance=Provenance.from_dict(about["provenance"]),
        fallback=about["fallback"],
        unread=_unread(about["unread"]),
        ranks=about["ranks"],
    )


def _unread(forms: list[str] | None) -> Unread | None:
    """Other spellings in a source; its vocabulary, used for suggestions, is not kept."""
    return None if forms is None else Unread(forms=frozenset(forms))
