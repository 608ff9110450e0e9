"""Stores made of vectors that somebody else has computed."""

from __future__ import annotations

import gzip
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.contexts.embed.foreign import import_store
from crossroads.core.errors import EvidenceError, FormatError, InputError, UnsafeFileError

RNG = np.random.default_rng(3)
ROSE, WASP = RNG.normal(size=(5, 4)), RNG.normal(size=(3, 4))


def save(path: Path, table: Any, protocol: int = 4) -> Path:
    path.write_bytes(pickle.dumps(table, protocol=protocol))
    return path


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_an_archive_of_arrays_comes_back_as_it_was(tmp_path: Path, dtype: str) -> None:
    arrays = {"rose": ROSE.astype(dtype), "wasp": WASP.astype(dtype)}
    np.savez(tmp_path / "mine.npz", **arrays)  # type: ignore[arg-type]
    store = import_store(tmp_path / "mine.npz", tmp_path / "store")
    assert store.words == ("rose", "wasp")
    for word, rows in arrays.items():
        assert store[word].dtype == dtype
        assert np.array_equal(store[word], rows)


@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("shape", ["list of vectors", "list of rows", "array", "numbers"])
def test_pickled_dictionaries_come_back_as_they_were(tmp_path: Path, shape: str, protocol: int) -> None:
    forms: dict[str, Callable[[Any], Any]] = {
        "list of vectors": list,
        "list of rows": lambda rows: [row[None, :] for row in rows],
        "array": lambda rows: rows,
        "numbers": lambda rows: rows.tolist(),
    }
    table = {"rose": forms[shape](ROSE), "wasp": forms[shape](WASP)}
    store = import_store(save(tmp_path / "mine.pkl", table, protocol), tmp_path / "store")
    assert np.array_equal(store["rose"], ROSE)
    assert np.array_equal(store["wasp"], WASP)
    assert store.provenance.source == "mine.pkl"


def test_a_compressed_pickle_is_read_and_rounded_on_request(tmp_path: Path) -> None:
    file = tmp_path / "mine.pkl.gz"
    file.write_bytes(gzip.compress(pickle.dumps({"rose": list(ROSE)})))
    store = import_store(file, tmp_path / "store", dtype="float16")
    assert np.array_equal(store["rose"], ROSE.astype(np.float16))


class Evil:
    """Runs a program when it is unpickled by anything that trusts it."""

    def __reduce__(self) -> Any:
        return (print, ("this must never run",))


def test_a_pickle_that_runs_something_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnsafeFileError, match="print"):
        import_store(save(tmp_path / "evil.pkl", {"rose": Evil()}), tmp_path / "store")
    objects = np.array([{"a": 1}], dtype=object)
    np.savez(tmp_path / "evil.npz", rose=objects)
    with pytest.raises(UnsafeFileError, match="Python objects"):
        import_store(tmp_path / "evil.npz", tmp_path / "store")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("table", "error", "said"),
    [
        ({}, FormatError, "the pickle holds dict, or nothing"),
        ({1: ROSE}, FormatError, "the key 1 is not a word"),
        ({"rose": "text"}, FormatError, "this is a str"),
        ({"rose": []}, FormatError, "the array has shape"),
        ({"rose": [["a"]]}, FormatError, "a context is a list"),
        ({"rose": [RNG.normal(size=(3, 4))] * 2}, FormatError, r"shapes \(3, 4\)(.|\n)*add them up"),
        ({"rose": ROSE, "wasp": WASP[:, :3]}, EvidenceError, "'wasp' have 3 dimensions, those of 'rose' 4"),
        ({"a\ud800": ROSE}, EvidenceError, "half of a character"),
    ],
)
def test_a_pickle_of_something_else_is_a_sentence(
    tmp_path: Path, table: Any, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        import_store(save(tmp_path / "mine.pkl", table), tmp_path / "store")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.pkl"]


def test_broken_archives_and_missing_files_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        import_store(tmp_path / "nowhere.npz", tmp_path / "store")
    np.savez(tmp_path / "mine.npz", rose=ROSE)
    import_store(tmp_path / "mine.npz", tmp_path / "there")
    with pytest.raises(InputError, match="exists already"):
        import_store(tmp_path / "mine.npz", tmp_path / "there")
    data = bytearray((tmp_path / "mine.npz").read_bytes())
    data[120] ^= 0xFF
    (tmp_path / "mine.npz").write_bytes(data)
    with pytest.raises(FormatError):
        import_store(tmp_path / "mine.npz", tmp_path / "store")
