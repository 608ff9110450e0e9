"""The vectors that an audit saves: of its stimuli and of common words, in numpy format without pickles."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, FormatError
from crossroads.evidence import Embeddings, Provenance
from crossroads.report.audit import Audit
from crossroads.stimuli import Design
from crossroads.storage.arrays import ArrayArchive

VECTORS = "vectors.npz"
"""The file of the vectors, in the folder of an audit."""
MOST_OTHERS = 4_000
"""Words beyond the stimuli that are saved and shown, so that readers can try words of their own."""
OTHERS = ("other_labels", "other_vectors")
"""Arrays of the vectors of these words."""
_AGAIN = "run the audit again."
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time of an archive: equal vectors give equal bytes


def stimulus_vectors(emb: Embeddings, audit: Audit, designs: Iterable[Design]) -> Embeddings | None:
    """The vectors of all words of designs and results; None if the model has none of them."""
    words = [word for word in dict.fromkeys(_words(audit, designs)) if word in emb]
    return emb.select(words) if words else None


def other_words(emb: Embeddings, most: int = MOST_OTHERS) -> Embeddings | None:
    """The first words of the pool that are not among the vectors themselves; None if there is no pool.

    A pool is in the order of its file, so that these are the most frequent words where that is the order.

    Parameters
    ----------
    emb
        Vectors, whose pool was read along.
    most
        How many words at most.
    """
    pool = emb.pool
    if pool is None or pool is emb:
        return None
    known = set(emb.labels)
    labels, measurable = pool.labels, np.asarray(pool.vectors.any(axis=1))
    rows = [row for row, label in enumerate(labels) if label not in known and measurable[row]][:most]
    if not rows:
        return None
    return Embeddings([labels[row] for row in rows], pool.vectors[rows], provenance=emb.provenance)


def _words(audit: Audit, designs: Iterable[Design]) -> Iterator[str]:
    for design in designs:
        yield from design.words
    for _, result in audit.named():
        if result.coverage is not None:
            for used in result.coverage.used.values():
                yield from used


def write_vectors(path: Path, emb: Embeddings) -> None:
    """Write labels, vectors and rules of spelling as ``.npz``; the vectors keep their type.

    Common words of the pool are written beside them, where there is one.
    """
    arrays = {
        "labels": np.array(emb.labels, dtype=np.str_),
        "vectors": np.ascontiguousarray(emb.vectors),
        "fallback": np.array(emb.fallback, dtype=np.str_),
    }
    others = other_words(emb)
    if others is not None:
        words, vectors = np.array(others.labels, dtype=np.str_), np.ascontiguousarray(others.vectors)
        arrays |= dict(zip(OTHERS, (words, vectors), strict=True))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH)
            info.external_attr = 0o600 << 16
            archive.writestr(info, _bytes(array))


def _bytes(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    npy.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def read_vectors(path: Path, model: str) -> Embeddings:
    """The vectors and rules of spelling that an audit saved; the pool are the other words in the file."""
    with ArrayArchive(path, hint=_AGAIN) as archive:
        missing = {"labels", "vectors", "fallback"}.difference(archive.names)
        if missing:
            raise FormatError(
                f"these are not the vectors of an audit: there are no {min(missing)}.", path=path, hint=_AGAIN
            )
        labels, vectors = _labels(archive, "labels"), archive.read("vectors")
        fallback = _labels(archive, "fallback")
        others = (
            (_labels(archive, OTHERS[0]), archive.read(OTHERS[1]))
            if set(OTHERS).issubset(archive.names)
            else None
        )
    provenance = Provenance(source=model, format="npz")
    try:
        found = Embeddings(labels, vectors, provenance=provenance, fallback=fallback)
        return found if others is None else found.with_pool(Embeddings(*others, provenance=provenance))
    except CrossroadsError as error:
        raise FormatError(
            f"these are not the vectors of an audit: {error.message}", path=path, hint=_AGAIN
        ) from error


def _labels(archive: ArrayArchive, name: str) -> list[str]:
    """A list of words from an archive."""
    array = archive.read(name)
    if array.ndim != 1 or array.dtype.kind != "U":
        raise FormatError(f"{name} are of type {array.dtype!s:.60}.", path=archive.path, hint=_AGAIN)
    return [str(one) for one in array]
