"""Context vectors on disk: a folder of ``.npy`` shards and a manifest with their checksums.

Everything is checked before it is used; :mod:`crossroads.evidence.store_writing` writes such folders.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, FormatError, in_short, join_words, one_of
from crossroads.evidence.array_files import map_array
from crossroads.evidence.folders import is_plain_name
from crossroads.evidence.provenance import Provenance

FORMAT = "crossroads-store/1"
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
    """The manifest as it stands."""


def read_store(path: str | Path, *, verify: bool = True) -> Store:
    """Open a store; its shards are memory-mapped.

    Parameters
    ----------
    path
        The folder.
    verify
        Whether to compare every shard with its checksum; costs about a second a gigabyte.
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
    wanted = {"source": str, "format": str, "details": dict}
    if any(name in data and not isinstance(data[name], kind) for name, kind in wanted.items()):
        raise FormatError("a part is of the wrong type.", path=file, key="provenance", hint=_HINT)
    try:
        return Provenance.from_dict(data)
    except TypeError as error:
        there = join_words(map(in_short, data), most=6) or "nothing"
        raise FormatError(
            f"this does not say where the vectors came from: {there}.",
            path=file,
            key="provenance",
            hint=_HINT,
        ) from error


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        what = (
            "has no manifest.json" if path.is_dir() else "is not there" if not path.exists() else "is a file"
        )
        raise FormatError(
            f"this {what}, so it is no store of context vectors.",
            path=path,
            hint="make one with `crossroads embed DIR --model M -o STORE`.",
        )
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"the manifest is not JSON: {error}.", path=file, hint=_HINT) from error
    kind = manifest.get("format") if isinstance(manifest, dict) else None
    if kind != FORMAT:
        said = (
            "a contexts folder, not yet embedded"
            if str(kind).startswith("crossroads-contexts")
            else in_short(kind)
        )
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
    for shard in manifest["shards"]:
        wanted = {"file": str, "rows": int, "sha256": str}
        if not isinstance(shard, dict) or not all(isinstance(shard.get(k), t) for k, t in wanted.items()):
            raise FormatError("a shard is not described.", path=file, key="shards", hint=_HINT)
        if not is_plain_name(shard["file"]):
            raise FormatError(
                f"the shard {in_short(shard['file'])} lies outside the store.",
                path=file,
                key="shards",
                hint=_HINT,
            )
    try:
        check_table(manifest["words"], manifest["counts"])
    except EvidenceError as error:
        raise FormatError(error.message, path=file, hint=_HINT) from error


def check_table(words: Sequence[Any], counts: Sequence[Any]) -> None:
    """Refuse words that cannot be asked for, that are there twice, or that have no contexts."""
    if len(words) != len(counts) or not words:
        raise EvidenceError(
            f"there are {len(words)} words and {len(counts)} counts.",
            hint="give one count a word, at least one.",
        )
    for word, count in zip(words, counts, strict=True):
        if not isinstance(word, str) or not isinstance(count, int | np.integer) or count < 1:
            raise EvidenceError(
                f"the word {in_short(word)} has {in_short(count)} contexts.",
                hint="leave out words without contexts.",
            )
        if not word or word != word.strip() or not _is_text(word):
            raise EvidenceError(
                f"{in_short(word)} is no word: it is empty, begins or ends with a space, or is no text.",
                hint="name words as they are asked for.",
            )
    if len(set(words)) < len(words):
        twice = [word for word, times in Counter(words).items() if times > 1]
        raise EvidenceError(
            f"there more than once: {join_words(map(in_short, twice), most=4)}.",
            hint="put all contexts of a word into one array.",
        )


def _is_text(word: str) -> bool:
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:  # half of a pair
        return False
    return True


def _map_shard(folder: Path, shard: Mapping[str, Any], dim: int, dtype: str, verify: bool) -> NDArray[Any]:
    file = folder / shard["file"]
    if not file.is_file():
        raise FormatError("this shard is missing.", path=file, hint=_HINT)
    if verify:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != shard["sha256"]:
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
