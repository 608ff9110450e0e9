"""numpy's own files: ``.npy`` with its words beside it, and ``.npz``. Nothing in them is ever unpickled.

An ``.npz`` holds either two arrays, words (``labels``, ``words``, ``vocab`` …) and vectors (``vectors``,
``embeddings``, ``matrix`` …), or one array per word, named by the word.
"""

from __future__ import annotations

from pathlib import Path

from crossroads.errors import FormatError
from crossroads.sources.vectors.labels import (
    NAMES,
    VECTOR_NAMES,
    labels_from,
    pick,
    read_labels,
    require_labels_beside,
)
from crossroads.sources.vectors.reader import Reading, Request, Vocabulary
from crossroads.sources.vectors.rows import Rows, select
from crossroads.storage.arrays import ArrayArchive, map_array


def read_npy(path: Path, request: Request) -> Reading:
    """Read a matrix from ``.npy`` and its words from the file beside it."""
    matrix = map_array(path)
    labels = require_labels_beside(path)
    return select(read_labels(labels), matrix, request=request, path=path, labels_file=labels.name)


def read_npz(path: Path, request: Request) -> Reading:
    """Read words and vectors from ``.npz``."""
    with ArrayArchive(path) as archive:
        names = archive.names
        words, vectors = pick(names, NAMES, "words", path), pick(names, VECTOR_NAMES, "vectors", path)
        if words is not None and vectors is not None:
            labels = labels_from(archive.read(words).tolist(), path)
            return select(labels, archive.read(vectors), request=request, path=path)
        return _read_named(archive, request, path)


def _read_named(archive: ArrayArchive, request: Request, path: Path) -> Reading:
    """One array per word, named by the word."""
    if not archive.names:
        raise FormatError("the archive is empty.", path=path)
    rows: Rows | None = None
    dim = 0
    names = list(archive.names)
    vocabulary = Vocabulary(names, request=request)
    hits: set[int] = set()
    for row, word in enumerate(names):
        if rows is not None and row not in hits:
            continue
        vector = archive.read(word)
        if vector.ndim != 1 or vector.dtype.kind not in "fiu" or not vector.size:
            raise FormatError(
                f"the array has shape {vector.shape} and type {vector.dtype}.",
                path=path,
                key=word,
                hint=f"expected one vector per word; or two arrays, {NAMES[0]!r} and {VECTOR_NAMES[0]!r}.",
            )
        if rows is None:
            dim = len(vector)
            dtype = vector.dtype.newbyteorder("=")
            rows = Rows(dim, request=request, path=path, vocabulary=vocabulary, dtype=dtype)
            hits = set(rows.all_hits(names))
        if len(vector) != dim:
            raise FormatError(
                f"it has {len(vector)} number(s), the first word has {dim}.", path=path, key=word
            )
        if row in hits:
            rows.add([word], vector[None, :], [row + 1])
    if rows is None:
        raise FormatError("the archive is empty.", path=path)
    return rows.reading()
