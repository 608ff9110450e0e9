"""Context vectors on disk: a folder of ``.npy`` shards and a manifest with their checksums.

Everything is checked before it is used.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, FormatError, in_short, join_words, one_of
from crossroads.evidence.provenance import Provenance
from crossroads.stimuli.sets import word_fault
from crossroads.storage.arrays import map_array
from crossroads.storage.files import checksum
from crossroads.storage.folders import is_plain_name
from crossroads.storage.staging import already_there, staged

FORMAT = "crossroads-store/1"
SENTENCES = "crossroads-contexts/1"
"""The layout of folders of sentences, which are not read here."""
MANIFEST = "manifest.json"
DTYPES = ("float16", "float32", "float64")

_HINT = "the store is damaged or was changed; make it again with `crossroads embed`."


@dataclass(frozen=True, kw_only=True)
class Store:
    """An opened store."""

    words: tuple[str, ...]
    """The words, in the order of their rows."""
    counts: tuple[int, ...]
    """How many contexts each word has."""
    blocks: tuple[NDArray[Any], ...]
    """The shards, memory-mapped; each holds whole words."""
    provenance: Provenance
    """Where the vectors came from."""
    manifest: Mapping[str, Any]
    """The manifest as it was read."""


def read_store(path: str | Path, *, verify: bool = True) -> Store:
    """Open a store; its shards are memory-mapped.

    Parameters
    ----------
    path
        The folder.
    verify
        Whether to compare every shard with its checksum, which takes about a second per gigabyte.
    """
    path = Path(path)
    manifest = _read_manifest(path)
    blocks = tuple(
        _map_shard(path, shard, manifest["dim"], manifest["dtype"], verify) for shard in manifest["shards"]
    )
    if sum(shard["rows"] for shard in manifest["shards"]) != sum(manifest["counts"]):
        raise FormatError("the shards do not hold the counted contexts.", path=path / MANIFEST, hint=_HINT)
    return Store(
        words=tuple(manifest["words"]),
        counts=tuple(manifest["counts"]),
        blocks=blocks,
        provenance=_provenance(manifest["provenance"], path / MANIFEST),
        manifest=manifest,
    )


def _provenance(data: Mapping[str, Any], file: Path) -> Provenance:
    try:
        return Provenance.from_dict(data)
    except TypeError as error:
        raise FormatError(f"{error}.", path=file, key="provenance", hint=_HINT) from error


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        what = "has no manifest.json" if path.exists() else "does not exist"
        raise FormatError(
            f"this {what}, so it is not a store of context vectors.",
            path=path,
            hint="make one with `crossroads embed DIR --model M -o STORE`.",
        )
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the manifest is not JSON: {error}.", path=file, hint=_HINT) from error
    kind = manifest.get("format") if isinstance(manifest, dict) else None
    if kind != FORMAT:
        said = "a contexts folder, not yet embedded" if kind == SENTENCES else in_short(kind)
        raise FormatError(
            f"the manifest describes {said}, not {FORMAT!r}.",
            path=file,
            hint="make a store with `crossroads embed DIR --model M -o STORE`.",
        )
    _check_manifest(manifest, file)
    found: dict[str, Any] = manifest
    return found


_KINDS = {
    "dim": int,
    "dtype": str,
    "words": list,
    "counts": list,
    "shards": list,
    "provenance": dict,
}


def _check_manifest(manifest: Mapping[str, Any], file: Path) -> None:
    for key, kind in _KINDS.items():
        if not isinstance(manifest.get(key), kind):
            raise FormatError("this is missing or of the wrong type.", path=file, key=key, hint=_HINT)
    one_of("dtype", manifest["dtype"], DTYPES)
    wanted = {"file": str, "rows": int, "sha256": str}
    for shard in manifest["shards"]:
        described = isinstance(shard, dict) and all(isinstance(shard.get(k), t) for k, t in wanted.items())
        if not described or not is_plain_name(shard["file"]):
            what = f"the shard {in_short(shard)} is not described, or outside the store."
            raise FormatError(what, path=file, key="shards", hint=_HINT)
    try:
        check_table(manifest["words"], manifest["counts"])
    except EvidenceError as error:
        raise FormatError(error.message, path=file, hint=_HINT) from error


def check_table(words: Sequence[Any], counts: Sequence[Any]) -> None:
    """Refuse words that cannot be asked for, that occur twice, or that have no contexts."""
    if len(words) != len(counts) or not words:
        raise EvidenceError(
            f"there are {len(words)} words and {len(counts)} counts.",
            hint="give one count per word, at least one.",
        )
    for word, count in zip(words, counts, strict=True):
        if (fault := word_fault(word)) is not None:
            raise EvidenceError(f"{in_short(word)} {fault}.", hint="name words as they are asked for.")
        if not isinstance(count, int | np.integer) or count < 1:
            raise EvidenceError(
                f"the word {in_short(word)} has {in_short(count)} contexts.",
                hint="leave out words without contexts.",
            )
    if len(set(words)) < len(words):
        twice = [word for word, times in Counter(words).items() if times > 1]
        raise EvidenceError(
            f"these words occur more than once: {join_words(map(in_short, twice), most=4)}.",
            hint="put all contexts of a word into one array.",
        )


def _map_shard(folder: Path, shard: Mapping[str, Any], dim: int, dtype: str, verify: bool) -> NDArray[Any]:
    file = folder / shard["file"]
    if not file.is_file():
        raise FormatError("this shard is missing.", path=file, hint=_HINT)
    if verify and (found := checksum(file)) != shard["sha256"]:
        raise FormatError(
            f"the checksum is {found[:12]}…, the manifest says {shard['sha256'][:12]}….",
            path=file,
            hint=_HINT,
        )
    block = map_array(file, hint=_HINT)
    if block.shape != (shard["rows"], dim) or block.dtype != np.dtype(dtype):
        expected = in_short((shard["rows"], dim))
        raise FormatError(
            f"the shard is {in_short(block.shape)} of {block.dtype!s:.60}, expected {expected} of {dtype}.",
            path=file,
            hint=_HINT,
        )
    return block


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
        The folder to create; it must not exist.
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
        (folder / MANIFEST).write_text(text, encoding="utf-8")


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
    """Yield the number of words after which each shard ends."""
    filled = 0
    for position, count in enumerate(counts, start=1):
        filled += int(count) * row_bytes
        if filled >= shard_bytes or position == len(counts):
            yield position
            filled = 0


def _write_shard(
    path: Path, parts: Iterable[tuple[str, int, NDArray[Any]]], size: int, dim: int, dtype: np.dtype[Any]
) -> str:
    """Write one ``.npy`` file word by word; return its checksum."""
    little = dtype.newbyteorder("<")
    with path.open("wb") as file:
        npy.write_array_header_1_0(
            file, {"descr": npy.dtype_to_descr(little), "fortran_order": False, "shape": (size, dim)}
        )
        for word, count, rows in parts:
            if rows.shape != (count, dim):
                raise EvidenceError(
                    f"the contexts of {word!r} have shape {rows.shape}, expected {(count, dim)}.",
                    hint="give each word an array with one row per context, all of the same length.",
                )
            with np.errstate(over="ignore"):
                stored = np.ascontiguousarray(rows, dtype=little)
            if not np.isfinite(stored).all():
                raise _not_finite(word, dtype, finite=bool(np.isfinite(rows).all()))
            file.write(stored.data)
    return checksum(path)


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
