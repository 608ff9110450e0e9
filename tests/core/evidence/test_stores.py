"""Stores of context vectors: whole or not at all, checked, the same bytes for the same vectors."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Contexts
from crossroads.core.errors import DiskFullError, EvidenceError, FormatError, InputError, UnknownNameError
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.contexts import write_store

RNG = np.random.default_rng(0)
GIVEN = {
    word: RNG.normal(size=(n, 6)) for word, n in (("rose", 3), ("José", 1), ("New York", 4), ("wasp", 2))
}
SHARD = "vectors-00000"
FROM = Provenance(source="a model", format="test", revision="r1", details={"layer": -1})


def write(path: Path, **options: Any) -> Path:
    counts = [len(rows) for rows in GIVEN.values()]
    write_store(
        path,
        list(GIVEN),
        counts,
        iter(GIVEN.values()),
        dim=6,
        provenance=FROM,
        **{"dtype": "float64", **options},
    )
    return path


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


@pytest.mark.parametrize(("dtype", "error"), [("float64", 0.0), ("float32", 1e-6), ("float16", 2e-3)])
def test_what_is_written_is_read(tmp_path: Path, dtype: str, error: float) -> None:
    contexts = Contexts.open(write(tmp_path / "store", dtype=dtype))
    assert contexts.words == tuple(GIVEN)
    assert contexts.dtype == np.dtype(dtype)
    for word, rows in GIVEN.items():
        assert np.abs(contexts[word] - rows).max() <= error
    assert contexts.provenance == FROM
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_the_same_vectors_give_the_same_bytes(tmp_path: Path) -> None:
    one, two = write(tmp_path / "one"), write(tmp_path / "two")
    assert files(one) == files(two)
    Contexts.open(one).save(tmp_path / "three")
    assert files(tmp_path / "three") == files(one)


def test_shards_hold_whole_words(tmp_path: Path) -> None:
    contexts = Contexts.open(write(tmp_path / "store", shard_bytes=4 * 6 * 8), fallback="lower")
    # rows 3 | 1 fill the first shard of 4 rows, 4 the second, 2 remain
    assert [len(block) for block in contexts.blocks] == [4, 4, 2]
    assert all(np.array_equal(contexts[word], rows) for word, rows in GIVEN.items())
    assert np.array_equal(contexts.vectors, np.concatenate(list(GIVEN.values())))
    assert contexts.count("ROSE") == 3
    with pytest.raises(ValueError, match="read-only"):
        contexts.blocks[0][0, 0] = 1


def test_nothing_is_left_of_a_store_that_failed(tmp_path: Path) -> None:
    def broken() -> Iterator[NDArray[Any]]:
        yield np.ones((3, 6))
        raise OSError(28, "No space left on device")

    with pytest.raises(DiskFullError, match="no space left"):
        write_store(tmp_path / "s", ["a", "b"], [3, 1], broken(), dim=6, provenance=FROM)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([np.ones((2, 6)), np.ones((1, 6))], r"'a' have shape \(2, 6\), expected \(3, 6\)"),
        ([np.ones((3, 5)), np.ones((1, 5))], "'a' have shape"),
        ([np.ones((3, 6)), np.full((1, 6), 1e9)], r"'b' is not finite as float16(.|\n)*float32 or float64"),
        ([np.ones((3, 6)), np.full((1, 6), np.nan)], "'b' is not finite"),
    ],
)
def test_vectors_must_fit(tmp_path: Path, rows: list[NDArray[Any]], words: str) -> None:
    with pytest.raises(EvidenceError, match=words):
        write_store(tmp_path / "s", ["a", "b"], [3, 1], rows, dim=6, dtype="float16", provenance=FROM)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_kept(tmp_path: Path) -> None:
    store = write(tmp_path / "store")
    before = files(store)
    with pytest.raises(InputError, match="exists already"):
        write(tmp_path / "store", dtype="float16")
    assert files(store) == before
    with pytest.raises(UnknownNameError, match="'float16'"):
        write(tmp_path / "other", dtype="float-16")
    with pytest.raises(EvidenceError, match="'b' has 0 contexts"):
        write_store(tmp_path / "s", ["a", "b"], [3, 0], [], dim=6, provenance=FROM)


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    store = write(tmp_path / "store")
    shard = store / "vectors-00000.npy"
    data = bytearray(shard.read_bytes())
    data[-1] ^= 1
    shard.write_bytes(data)
    with pytest.raises(FormatError, match="checksum"):
        Contexts.open(store)
    assert Contexts.open(store, verify=False).count("wasp") == 2


def merged(manifest: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The manifest with changes at any depth."""
    deep = {
        key: merged(manifest[key], new) for key, new in changes.items() if isinstance(manifest.get(key), dict)
    }
    return {**manifest, **changes, **deep}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "crossroads-contexts/1"}, "not yet embedded"),
        ({"format": "other"}, "'other'"),
        ({"about": {"words": ["a"]}}, "1 words and 4 counts"),
        ({"about": {"words": 3}}, "not iterable"),
        ({"about": {"counts": [3, 1, 4, 3]}}, "11 contexts for vectors"),
        ({"about": {"counts": [3, 1, 4, 10**30]}}, "too large|too big"),
        ({"about": {"provenance": {"source": "a model", "colour": "red"}}}, "'colour'"),
        ({"about": {"words": ["rose", "rose", "New York", "wasp"]}}, "more than once: 'rose'"),
        ({"arrays": {SHARD: {"shape": [10, 7]}}}, "expected"),
        ({"arrays": {SHARD: {"shape": 3}}}, "not described"),
        ({"arrays": {"../x": {"shape": [], "dtype": "", "sha256": ""}}}, "outside"),
        ({"arrays": {"x": {"shape": [], "dtype": "", "sha256": ""}}}, "missing"),
        ({"arrays": {"x\0": {"shape": [], "dtype": "", "sha256": ""}}}, "outside"),
    ],
)
def test_a_manifest_that_lies_is_found_out(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    store = write(tmp_path / "store")
    manifest = json.loads((store / "manifest.json").read_text(encoding="utf-8"))
    (store / "manifest.json").write_text(json.dumps(merged(manifest, changes)), encoding="utf-8")
    with pytest.raises(FormatError, match=words):
        Contexts.open(store)


def test_what_is_no_store_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="does not exist"):
        Contexts.open(tmp_path / "nowhere")
    with pytest.raises(FormatError, match=r"no manifest\.json"):
        Contexts.open(tmp_path)
    store = write(tmp_path / "store")
    (store / "manifest.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(FormatError, match="not JSON"):
        Contexts.open(store)


@pytest.mark.parametrize("word", ["rose", "", " wasp", "wasp\n", "a\ud800"])
def test_words_that_could_not_be_asked_for_are_refused(tmp_path: Path, word: str) -> None:
    rows = [np.ones((1, 6)), np.ones((1, 6))]
    with pytest.raises(EvidenceError, match=r"more than once: 'rose'|is empty|has spaces|half of a"):
        write_store(tmp_path / "s", ["rose", word], [1, 1], rows, dim=6, provenance=FROM)
    assert list(tmp_path.iterdir()) == []


def test_two_writers_of_one_name_do_not_touch_each_other(tmp_path: Path) -> None:
    def slowly() -> Iterator[NDArray[Any]]:
        yield np.ones((3, 6))
        write(tmp_path / "store")  # another writer comes and goes in between
        yield np.ones((1, 6))

    with pytest.raises(InputError, match="exists already"):
        write_store(tmp_path / "store", ["a", "b"], [3, 1], slowly(), dim=6, provenance=FROM)
    assert Contexts.open(tmp_path / "store").words == tuple(GIVEN)  # the one that was first to finish
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_a_store_has_the_permissions_of_any_new_folder(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert write(tmp_path / "store").stat().st_mode == (tmp_path / "plain").stat().st_mode
