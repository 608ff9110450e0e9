"""Vectors on disk, and what identifies the files that a model or its words are read from."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.evidence.spelling import Unread
from crossroads.core.stimuli import Sentence
from crossroads.core.storage.cache import Form
from crossroads.core.storage.files import checksum


def _line(data: Any) -> str:
    """Plain data as a line; numbers of numpy, tuples and mappings become plain."""
    return json.dumps(data, ensure_ascii=True, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else str(value)


def _described(emb: Embeddings) -> dict[str, Any]:
    """Everything about vectors except their numbers and their pool, as plain data."""
    return {
        "labels": list(emb.labels),
        "fallback": list(emb.fallback),
        "unread": None if emb.unread is None else sorted(emb.unread.forms),
        "ranks": None if emb.ranks is None else list(emb.ranks.values()),
        "provenance": emb.provenance.to_dict(),
    }


def _rebuilt(about: dict[str, Any], vectors: NDArray[Any], common: NDArray[Any] | None) -> Embeddings:
    """Vectors from their description; the vocabulary of a source, used for suggestions, is not saved."""
    forms = about["unread"]
    return Embeddings(
        about["labels"],
        vectors,
        common=common,
        provenance=Provenance.from_dict(about["provenance"]),
        fallback=about["fallback"],
        unread=None if forms is None else Unread(forms=frozenset(forms)),
        ranks=about["ranks"],
    )


def _write(emb: Embeddings) -> bytes:
    both = [emb, *([emb.pool] if emb.pool is not None and emb.pool is not emb else [])]
    buffer = io.BytesIO()
    buffer.write(_line([_described(one) for one in both]).encode() + b"\n")
    for one in both:
        np.save(buffer, one.vectors, allow_pickle=False)
    if emb.common is not None:
        np.save(buffer, emb.common, allow_pickle=False)
    return buffer.getvalue()


def _read(data: bytes) -> Embeddings:
    line, _, rest = data.partition(b"\n")
    buffer = io.BytesIO(rest)
    described = json.loads(line)
    arrays = [npy.read_array(buffer, allow_pickle=False) for _ in described]
    common = npy.read_array(buffer, allow_pickle=False) if buffer.tell() < len(rest) else None
    found = [_rebuilt(about, one, common) for about, one in zip(described, arrays, strict=True)]
    return found[0].with_pool(found[1]) if len(found) > 1 else found[0]


VECTORS = Form(".vectors", _write, _read)
"""One vector per word, with labels, ranks, provenance and pool."""


def as_saved(emb: Embeddings) -> Embeddings:
    """Vectors as they are read from a saved file, so that a first run does not differ from the next."""
    pool = emb.pool if emb.pool is not emb else None
    return _rebuilt(json.loads(_line(_described(emb))), emb.vectors, emb.common).with_pool(pool)


def plain_texts(words: Iterable[str] | Mapping[str, Any] | None) -> Any:
    """Words and their prompts as plain data."""
    if not isinstance(words, Mapping):
        return None if words is None else list(words)
    return {word: list(astuple(one)) if isinstance(one, Sentence) else one for word, one in words.items()}


def vectors_identity(model: str) -> dict[str, Any]:
    """Identity of the input of :func:`crossroads.load`: a file, a folder or a package.

    The model as given is part of it, because results are named after it.
    """
    path = Path(model)
    if not path.exists():
        spec = importlib.util.find_spec(model) if model.isidentifier() else None
        folders = () if spec is None else map(Path, spec.submodule_search_locations or ())
        return {"package": model, "files": [_states(_inside(one), one) for one in folders]}
    if path.is_dir():
        return {"given": model, "path": str(path.resolve()), "files": _states(_inside(path), path)}
    # words and metadata may be in files next to the numbers, with the same stem
    stem = path.name.partition(".")[0].removesuffix("-w")  # 1900-w.npy has its words in 1900-vocab.pkl
    siblings = [one for one in path.parent.iterdir() if one.is_file() and one.name.startswith(stem)]
    return {"given": model, "path": str(path.resolve()), "files": _states(siblings)}


def manifest_identity(folder: str | Path) -> dict[str, Any]:
    """Identity of a store or of saved answers: its path and the checksum of its manifest."""
    return {"path": str(Path(folder).resolve()), "manifest": checksum(Path(folder) / "manifest.json")}


def files_identity(files: Mapping[str, Path]) -> list[list[Any]]:
    """Label, place, size and times of last change of files."""
    return [[label, str(file.resolve()), *_states([file])[0][1:]] for label, file in sorted(files.items())]


def _inside(folder: Path) -> list[Path]:
    return [one for one in folder.rglob("*") if one.is_file()]


def _states(files: Iterable[Path], root: Path | None = None) -> list[list[Any]]:
    """Name, size and times of last change of files."""
    names = {file.name if root is None else file.relative_to(root).as_posix(): file.stat() for file in files}
    return sorted([name, at.st_size, at.st_mtime_ns, at.st_ctime_ns] for name, at in names.items())
