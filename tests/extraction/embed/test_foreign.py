"""Stores made of vectors that somebody else has computed."""

from __future__ import annotations

import gzip
import pickle
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.errors import EvidenceError, FormatError, InputError, UnsafeFileError
from crossroads.extraction.embed.foreign import import_store

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


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
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


def test_words_of_different_dimensions_are_refused(tmp_path: Path) -> None:
    file = save(tmp_path / "mine.pkl", {"rose": ROSE, "wasp": WASP[:, :3]})
    with pytest.raises(EvidenceError, match="'wasp' have 3 dimensions, those of 'rose' 4"):
        import_store(file, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_contexts_with_a_vector_a_layer_are_refused_with_advice(tmp_path: Path) -> None:
    file = save(tmp_path / "elmo.pkl", {"rose": [RNG.normal(size=(3, 4)) for _ in range(2)]})
    with pytest.raises(FormatError, match=r"shapes \(3, 4\)") as caught:
        import_store(file, tmp_path / "store")
    assert "add them up" in str(caught.value.hint)


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
    "table", [{}, [1, 2], {1: ROSE}, {"rose": "text"}, {"rose": []}, {"rose": 3.0}, {"rose": [["a"]]}]
)
def test_a_pickle_of_something_else_is_a_sentence(tmp_path: Path, table: Any) -> None:
    with pytest.raises(FormatError):
        import_store(save(tmp_path / "mine.pkl", table), tmp_path / "store")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.pkl"]


def test_broken_archives_and_missing_files_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such file"):
        import_store(tmp_path / "nowhere.npz", tmp_path / "store")
    np.savez(tmp_path / "mine.npz", rose=ROSE)
    data = bytearray((tmp_path / "mine.npz").read_bytes())
    data[120] ^= 0xFF
    (tmp_path / "mine.npz").write_bytes(data)
    with pytest.raises(FormatError):
        import_store(tmp_path / "mine.npz", tmp_path / "store")


def test_a_store_that_is_there_is_not_touched(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", rose=ROSE)
    import_store(tmp_path / "mine.npz", tmp_path / "store")
    with pytest.raises(InputError, match="exists already"):
        import_store(tmp_path / "mine.npz", tmp_path / "store")


def test_words_that_are_none_leave_no_store_behind(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "twice.npz", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile itself minds the second
        for _ in range(2):
            with archive.open("rose.npy", "w") as file:
                np.save(file, ROSE)
    with pytest.raises(FormatError, match="holds 'rose' twice"):
        import_store(tmp_path / "twice.npz", tmp_path / "store")
    for word in ("", " rose", "a\ud800"):
        file_of_one = tmp_path / "one.pkl"
        file_of_one.write_bytes(pickle.dumps({word: ROSE}))
        with pytest.raises(EvidenceError, match="is not a word"):
            import_store(file_of_one, tmp_path / "store")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.pkl", "twice.npz"]


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="no numbers longer than float64")
def test_a_long_number_too_large_for_float64_is_a_sentence(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", rose=np.full((2, 3), np.longdouble("1e400")))
    with pytest.raises(EvidenceError, match="'rose' is not finite as float64"):
        import_store(tmp_path / "mine.npz", tmp_path / "store")


def test_the_place_is_looked_at_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "low.txt").write_text("x", encoding="utf-8")
    (tmp_path / "broken.npz").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"low\.txt is not a folder") as caught:
        import_store(tmp_path / "broken.npz", tmp_path / "low.txt" / "store")
    assert caught.value.hint
    with pytest.raises(InputError, match="is a file"):
        import_store(tmp_path / "broken.npz", tmp_path / "low.txt")
