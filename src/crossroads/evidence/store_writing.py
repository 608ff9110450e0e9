"""Writing context vectors to disk, word by word.

``manifest.json`` is written last and the folder is moved into place in one step, so a store is there as a
whole or not at all. Nothing in it depends on when, where or by how many workers it was written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, one_of
from crossroads.evidence.provenance import Provenance
from crossroads.evidence.staging import already_there, staged
from crossroads.evidence.stores import DTYPES, FORMAT, MANIFEST, check_table

SHARD_BYTES = 256 << 20
"""A shard holds whole words and ends once it is at least this large."""


def write_store(
    path: str | Path,
    words: Sequence[str],
    counts: Sequence[int],
    rows: Iterable[NDArray[Any]],
    *,
    dim: int,
    dtype: str = "float32",
    provenance: Provenance,
    shard_bytes: int = SHARD_BYTES,
) -> None:
    """Write context vectors as a store, as a whole or not at all.

    Parameters
    ----------
    path
        The folder to make; it must not exist.
    words, counts
        The words and how many contexts each has.
    rows
        The context vectors of each word, in the order of the words; read one word at a time.
    dim
        Number of dimensions.
    dtype
        ``"float16"``, ``"float32"`` or ``"float64"``.
    provenance
        Where the vectors came from; part of the manifest.
    shard_bytes
        A shard ends with the word that takes it past this size.
    """
    path = Path(path)
    one_of("dtype", dtype, DTYPES)
    if path.exists():
        raise already_there(path)
    check_table(words, counts)
    size = int(sum(counts)) * dim * np.dtype(dtype).itemsize
    with staged(path, needed=lambda: size) as folder:
        shards = list(_write_shards(folder, words, counts, iter(rows), dim, np.dtype(dtype), shard_bytes))
        manifest = {
            "format": FORMAT,
            "dim": dim,
            "dtype": dtype,
            "words": list(words),
            "counts": [int(count) for count in counts],
            "shards": shards,
            "provenance": provenance.to_dict(),
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        with (folder / MANIFEST).open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


def _write_shards(
    folder: Path,
    words: Sequence[str],
    counts: Sequence[int],
    rows: Iterator[NDArray[Any]],
    dim: int,
    dtype: np.dtype[Any],
    shard_bytes: int,
) -> Iterator[dict[str, Any]]:
    first = 0
    for number, last in enumerate(_cuts(counts, dim * dtype.itemsize, shard_bytes)):
        file = folder / f"vectors-{number:05d}.npy"
        size = int(sum(counts[first:last]))
        parts = islice(rows, last - first)
        digest = _write_shard(
            file, zip(words[first:last], counts[first:last], parts, strict=True), size, dim, dtype
        )
        yield {"file": file.name, "words": last - first, "rows": size, "sha256": digest}
        first = last


def _cuts(counts: Sequence[int], row_bytes: int, shard_bytes: int) -> Iterator[int]:
    """After how many words each shard ends."""
    filled = 0
    for position, count in enumerate(counts, start=1):
        filled += int(count) * row_bytes
        if filled >= shard_bytes or position == len(counts):
            yield position
            filled = 0


def _write_shard(
    path: Path, parts: Iterable[tuple[str, int, NDArray[Any]]], size: int, dim: int, dtype: np.dtype[Any]
) -> str:
    """Write one ``.npy`` file word by word; returns its checksum."""
    little = dtype.newbyteorder("<")
    with path.open("wb") as file:
        npy.write_array_header_1_0(
            file, {"descr": npy.dtype_to_descr(little), "fortran_order": False, "shape": (size, dim)}
        )
        for word, count, rows in parts:
            if rows.shape != (count, dim):
                raise EvidenceError(
                    f"the contexts of {word!r} have shape {rows.shape}, expected {(count, dim)}.",
                    hint="give each word an array with one row a context, all of the same length.",
                )
            with np.errstate(over="ignore"):
                stored = np.ascontiguousarray(rows, dtype=little)
            if not np.isfinite(stored).all():
                raise _not_finite(word, dtype, finite=bool(np.isfinite(rows).all()))
            file.write(stored.data)
        file.flush()
        os.fsync(file.fileno())
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _not_finite(word: str, dtype: np.dtype[Any], *, finite: bool) -> EvidenceError:
    if finite:
        wider = "float32 or float64" if dtype == np.float16 else "float64"
        return EvidenceError(
            f"a context of {word!r} is not finite as {dtype}: its numbers are too large.",
            hint=f"store it as {wider}.",
        )
    return EvidenceError(
        f"a context of {word!r} is not finite as {dtype}: it holds nan or infinity.",
        hint="leave out that context, or compute it again.",
    )
