"""Rows as they are gathered from a file: growth, duplicates, values that are not finite."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from crossroads.errors import FormatError, in_short
from crossroads.sources.reading import Reading, Request, Vocabulary

_FIRST_ROWS = 1024


class Rows:
    """Labels and vectors gathered one after the other.

    Memory grows with what is kept, by half again each time, in place where the system allows.

    Parameters
    ----------
    dim
        Length of every vector.
    request
        Says what to do with duplicates.
    path
        The file, for messages.
    dtype
        Type in which the vectors are kept.
    expected
        Number of rows to make room for at once, where it is known and can be trusted.
    """

    def __init__(
        self,
        dim: int,
        *,
        request: Request,
        path: Path,
        dtype: DTypeLike = np.float32,
        expected: int | None = None,
    ) -> None:
        self._request, self._path = request, path
        self._vectors: NDArray[Any] = np.empty((expected or _FIRST_ROWS, dim), dtype)
        self._rows: dict[str, int] = {}
        self._lines = array("q")
        self.identical = 0
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, labels: Sequence[str], vectors: NDArray[Any], lines: Sequence[int]) -> None:
        """Add some rows; ``lines`` says where in the file each was found, counted from 1."""
        self._check_finite(labels, vectors, lines)
        start = len(self._rows)
        fresh: list[int] = []
        for i, (label, line) in enumerate(zip(labels, lines, strict=True)):
            if label in self._rows:
                self._meet_again(label, i, vectors, line, start, fresh)
            else:
                self._rows[label] = start + len(fresh)
                self._lines.append(line)
                fresh.append(i)
        self._reserve(start + len(fresh))
        block = vectors if len(fresh) == len(labels) else vectors[fresh]
        self._vectors[start : start + len(fresh)] = block

    def reading(self, vocabulary: Vocabulary, **details: Any) -> Reading:
        """Everything that was gathered; the rows can grow no further."""
        self._vectors.resize((len(self._rows), self._vectors.shape[1]), refcheck=False)
        if self.identical:
            details["identical_duplicates"] = self.identical
        if self.dropped:
            details["different_duplicates_dropped"] = self.dropped
        return Reading(labels=list(self._rows), vectors=self._vectors, vocabulary=vocabulary, details=details)

    def _reserve(self, rows: int) -> None:
        capacity, dim = self._vectors.shape
        if rows > capacity:
            self._vectors.resize((max(rows, capacity + capacity // 2), dim), refcheck=False)

    def _meet_again(
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
                hint='give duplicates="first" to keep the first, or remove one of the rows.',
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
    labels: Sequence[str], matrix: NDArray[Any], *, request: Request, path: Path, **details: Any
) -> Reading:
    """Take the rows asked for out of a matrix, which may be memory-mapped.

    A memory-mapped matrix of which everything is wanted stays on disk.

    Parameters
    ----------
    labels
        One label a row.
    matrix
        Two-dimensional array of real numbers.
    request
        What to keep.
    path
        The file, for messages.
    **details
        Facts for the provenance.
    """
    _check_matrix(labels, matrix, path)
    vocabulary = Vocabulary(labels, request=request)
    if request.wanted is None and isinstance(matrix, np.memmap) and len(set(labels)) == len(labels):
        return Reading(labels=list(labels), vectors=matrix, vocabulary=vocabulary, details=details)
    keep = [row for row, label in enumerate(labels) if request.keeps(label)]
    rows = Rows(
        matrix.shape[1], request=request, path=path, dtype=matrix.dtype.newbyteorder("="), expected=len(keep)
    )
    for start in range(0, len(keep), _FIRST_ROWS):
        part = keep[start : start + _FIRST_ROWS]
        rows.add([labels[row] for row in part], np.asarray(matrix[part]), [row + 1 for row in part])
    return rows.reading(vocabulary, **details)


def _check_matrix(labels: Sequence[str], matrix: NDArray[Any], path: Path) -> None:
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise FormatError(
            f"the vectors have shape {matrix.shape}.", path=path, hint="expected one row a word, not empty."
        )
    if matrix.dtype.kind not in "fiu":
        raise FormatError(
            f"the vectors are of type {matrix.dtype}.", path=path, hint="expected real numbers."
        )
    if len(labels) != len(matrix):
        raise FormatError(
            f"there are {len(labels):,} labels for {len(matrix):,} vectors.",
            path=path,
            hint="expected one label a row; check that both files belong together.",
        )
