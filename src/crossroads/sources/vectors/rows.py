"""Rows gathered from a file: growth, duplicates, values that are not finite."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crossroads.errors import FormatError, in_short
from crossroads.sources.vectors.pool import Pool
from crossroads.sources.vectors.reader import Reading, Request, Vocabulary

_FIRST_ROWS = 1024


class Rows:
    """Labels and vectors gathered one after the other, and those of a pool of other words.

    Memory grows with what is kept, by half again each time, in place if the system allows.
    """

    def __init__(
        self,
        dim: int,
        *,
        request: Request,
        path: Path,
        vocabulary: Vocabulary,
        dtype: DTypeLike = np.float32,
        expected: int | None = None,
    ) -> None:
        self._request, self._path, self._vocabulary = request, path, vocabulary
        self._wanted_bytes = request.wanted_bytes()
        self._vectors: NDArray[Any] = np.empty((expected or _FIRST_ROWS, dim), dtype)
        self._rows: dict[str, int] = {}
        self._lines, self._ranks = array("q"), array("q")
        self._pool = Pool(request, vocabulary, dim, dtype) if request.reads_others else None
        self.identical = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._rows)

    def hits(self, tokens: Sequence[str] | Sequence[bytes], first: int) -> list[int]:
        """Which of some consecutive words to read: those asked for, and those that may come into the pool."""
        return self._merged(tokens, [] if self._pool is None else self._pool.choose(tokens, first))

    def all_hits(self, labels: Sequence[str], ranks: NDArray[np.int64] | None = None) -> list[int]:
        """Which rows to read, where all words are known, and the place of each if that is not its row."""
        return self._merged(labels, [] if self._pool is None else self._pool.settle(labels, ranks))

    def _merged(self, tokens: Sequence[str] | Sequence[bytes], others: list[int]) -> list[int]:
        if self._request.wanted is None:
            return list(range(len(tokens)))
        raw = len(tokens) > 0 and isinstance(tokens[0], bytes)
        wanted: Any = self._wanted_bytes if raw else self._request.wanted
        hits = [i for i, token in enumerate(tokens) if token in wanted]
        return sorted(hits + others) if others else hits

    def add(
        self,
        labels: Sequence[str],
        vectors: NDArray[Any],
        lines: Sequence[int],
        ranks: Sequence[int] | None = None,
    ) -> None:
        """Add some rows."""
        ranks = lines if ranks is None else ranks
        if self._pool is not None:
            wanted = self._request.wanted or frozenset()
            other = [i for i, label in enumerate(labels) if label not in wanted]
            if other:
                self._pool.add([labels[i] for i in other], vectors[other], [ranks[i] for i in other])
                rest = [i for i, label in enumerate(labels) if label in wanted]
                labels, vectors = [labels[i] for i in rest], vectors[rest]
                lines, ranks = [lines[i] for i in rest], [ranks[i] for i in rest]
        self._check_finite(labels, vectors, lines)
        start = len(self._rows)
        fresh: list[int] = []
        for i, (label, line) in enumerate(zip(labels, lines, strict=True)):
            if label in self._rows:
                self._check_duplicate(label, i, vectors, line, start, fresh)
            else:
                self._rows[label] = start + len(fresh)
                self._lines.append(line)
                self._ranks.append(ranks[i])
                fresh.append(i)
        self._reserve(start + len(fresh))
        block = vectors if len(fresh) == len(labels) else vectors[fresh]
        self._vectors[start : start + len(fresh)] = block

    def reading(self, **details: Any) -> Reading:
        """Everything that was gathered; no rows can be added afterwards."""
        self._vectors.resize((len(self._rows), self._vectors.shape[1]), refcheck=False)
        if self.identical:
            details["identical_duplicates"] = self.identical
        if self.dropped:
            details["different_duplicates_dropped"] = self.dropped
        return Reading(
            labels=list(self._rows),
            vectors=self._vectors,
            vocabulary=self._vocabulary,
            ranks=np.array(self._ranks, dtype=np.int64),
            pool=None if self._pool is None else self._pool.sample(),
            details=details,
        )

    def _reserve(self, rows: int) -> None:
        capacity, dim = self._vectors.shape
        if rows > capacity:
            self._vectors.resize((max(rows, capacity + capacity // 2), dim), refcheck=False)

    def _check_duplicate(
        self, label: str, i: int, vectors: NDArray[Any], line: int, start: int, fresh: list[int]
    ) -> None:
        row = self._rows[label]
        kept = self._vectors[row] if row < start else vectors[fresh[row - start]]
        if np.array_equal(kept, vectors[i].astype(self._vectors.dtype, copy=False)):
            self.identical += 1
        elif self._request.duplicates == "first":
            self.dropped += 1
        else:
            raise FormatError(
                f"{in_short(label)} has two different vectors, the first at line {self._lines[row]}.",
                path=self._path,
                line=line,
                hint='remove one of the rows, or load it in Python with duplicates="first".',
            )

    def _check_finite(self, labels: Sequence[str], vectors: NDArray[Any], lines: Sequence[int]) -> None:
        if vectors.dtype.kind != "f":
            return
        bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if bad.size:
            i = int(bad[0])
            value = vectors[i][~np.isfinite(vectors[i])][0]
            raise FormatError(
                f"the vector of {in_short(labels[i])} holds {value}.",
                path=self._path,
                line=lines[i],
                hint="every number must be finite; remove the row, or repair it at its source.",
            )


def select(
    labels: Sequence[str],
    matrix: NDArray[Any],
    *,
    request: Request,
    path: Path,
    decode: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
    ranks: NDArray[np.int64] | None = None,
    **details: Any,
) -> Reading:
    """Take the rows asked for out of a matrix, which may be memory-mapped.

    A memory-mapped matrix of which everything is wanted stays on disk.
    """
    _check_matrix(labels, matrix, path)
    vocabulary = Vocabulary(labels, request=request)
    mapped = isinstance(matrix, np.memmap) and decode is None
    if request.wanted is None and mapped and len(set(labels)) == len(labels):
        ranks = np.arange(1, len(labels) + 1) if ranks is None else ranks
        return Reading(
            labels=list(labels), vectors=matrix, vocabulary=vocabulary, ranks=ranks, details=details
        )
    first = matrix[:1] if decode is None else decode(matrix[:1])
    dim, dtype = first.shape[1], first.dtype.newbyteorder("=")
    expected = len(labels) if request.wanted is None else None
    rows = Rows(dim, request=request, path=path, vocabulary=vocabulary, dtype=dtype, expected=expected)
    keep = rows.all_hits(labels, ranks)
    for start in range(0, len(keep), _FIRST_ROWS):
        part = keep[start : start + _FIRST_ROWS]
        vectors = np.asarray(matrix[part]) if decode is None else decode(matrix[part])
        places = [row + 1 for row in part] if ranks is None else ranks[part].tolist()
        rows.add([labels[row] for row in part], vectors, [row + 1 for row in part], places)
    return rows.reading(**details)


def _check_matrix(labels: Sequence[str], matrix: NDArray[Any], path: Path) -> None:
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise FormatError(
            f"the vectors have shape {matrix.shape}.",
            path=path,
            hint="expected one row per word, at least one.",
        )
    if matrix.dtype.kind not in "fiu":
        raise FormatError(
            f"the vectors are of type {matrix.dtype}.", path=path, hint="expected real numbers."
        )
    if len(labels) != len(matrix):
        raise FormatError(
            f"there are {len(labels):,} labels for {len(matrix):,} vectors.",
            path=path,
            hint="expected one label per row; check that both files belong together.",
        )
