from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError, InputError, UnsafeFileError
from crossroads.sources.load import load

Vectors = dict[str, NDArray[np.float32]]


def matrix(vectors: Vectors) -> NDArray[np.float32]:
    return np.stack(list(vectors.values()))


@pytest.mark.parametrize(
    ("words", "vectors"), [("labels", "vectors"), ("vocab", "embeddings"), ("Words", "matrix")]
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_two_arrays_come_back(tmp_path: Path, tiny: Vectors, words: str, vectors: str, save: Any) -> None:
    path = tmp_path / "x.npz"
    save(path, **{words: np.array(list(tiny)), vectors: matrix(tiny)})
    emb = load(path)
    assert emb.provenance.format == "npz"
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, matrix(tiny))
    assert load(path, words=["wasp", "nowhere"]).labels == ("wasp",)


def test_one_array_a_word_comes_back(tmp_path: Path, tiny: Vectors) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **tiny)  # type: ignore[arg-type]
    emb = load(path)
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, matrix(tiny))
    some = load(path, words=["wasp"])
    assert some.labels == ("wasp",)
    assert some.provenance.details["vocabulary"] == len(tiny)


def test_double_precision_and_byte_order_are_respected(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", labels=np.array([b"a", b"b"]), vectors=np.array([[1.1], [2.2]], ">f8"))
    emb = load(tmp_path / "x.npz")
    assert emb.labels == ("a", "b")
    assert emb.vectors.dtype == np.float64
    np.testing.assert_array_equal(emb.vectors, [[1.1], [2.2]])


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", labels=np.array(["a", "b"], dtype=object), vectors=np.ones((2, 2)))
    with pytest.raises(UnsafeFileError, match="holds Python objects"):
        load(tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.ones(2), "b": np.ones(3)}, r"it has 3 number\(s\), the first word has 2"),
        ({"a": np.ones((2, 2))}, r"the array has shape \(2, 2\)"),
        ({"labels": np.array(["a"]), "vectors": np.ones((2, 2))}, "1 labels for 2 vectors"),
        ({"labels": np.array(["a", "b"]), "vectors": np.ones(2)}, r"the vectors have shape \(2,\)"),
        ({"labels": np.array(["a"]), "vectors": np.array([["x"]])}, "the vectors are of type <U1"),
        ({"labels": np.array([1]), "vectors": np.ones((1, 1))}, "the word is 1, of type int"),
        (
            {"labels": np.array(["a"]), "words": np.array(["a"]), "vectors": np.ones((1, 1))},
            "could all be the words",
        ),
        ({"labels": np.array(["a"]), "vectors": np.array([[np.nan]])}, "the vector of 'a' holds nan"),
        ({"labels": np.array([b"\xe9"]), "vectors": np.ones((1, 1))}, "is not UTF-8"),
    ],
)
def test_archives_that_cannot_be_used_are_refused(
    tmp_path: Path, arrays: dict[str, Any], message: str
) -> None:
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "x.npz")


def test_an_array_that_claims_more_than_it_holds_reserves_no_memory(tmp_path: Path) -> None:
    out = io.BytesIO()
    np.save(out, np.ones((2, 2)))
    lying = out.getvalue().replace(b"(2, 2)", b"(999999999, 999999999)".ljust(6))
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.npy", lying)
    with pytest.raises(FormatError):
        load(tmp_path / "x.npz")


def test_a_damaged_archive_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **tiny)  # type: ignore[arg-type]
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(FormatError, match="cannot be read"):
        load(path)


@pytest.mark.parametrize("name", ["x.txt", "x.json", "x.pkl", "x-vocab.txt", "x.labels.json", "x_words.txt"])
def test_a_matrix_finds_its_words_beside_it(tmp_path: Path, tiny: Vectors, name: str) -> None:
    np.save(tmp_path / "x.npy", matrix(tiny))
    writers = {
        ".txt": lambda: "\n".join(tiny).encode() + b"\n",
        ".json": lambda: json.dumps(list(tiny)).encode(),
        ".pkl": lambda: pickle.dumps({word: i for i, word in enumerate(tiny)}),
    }
    (tmp_path / name).write_bytes(writers[Path(name).suffix]())
    emb = load(tmp_path / "x.npy")
    assert emb.provenance.format == "npy"
    assert emb.labels == tuple(tiny)
    assert isinstance(emb.vectors, np.memmap), "a whole matrix stays on disk"
    some = load(tmp_path / "x.npy", words=["wasp"])
    np.testing.assert_array_equal(some["wasp"], tiny["wasp"])
    assert not isinstance(some.vectors, np.memmap)


def test_a_matrix_without_words_says_what_to_call_them(tmp_path: Path, tiny: Vectors) -> None:
    np.save(tmp_path / "x.npy", matrix(tiny))
    with pytest.raises(FormatError, match=r"a file called x\.txt"):
        load(tmp_path / "x.npy")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("x.json", b"{", "not JSON"),
        ("x.json", b"3", "expected words, not int"),
        ("x.json", b'{"a": 0, "b": 7}', "'b' is assigned to row 7"),
        ("x.json", b'["a", null]', "the word is None"),
        ("x.txt", b"a\ncaf\xe9\n", "not UTF-8"),
        ("x.txt", b"a\n", "1 labels for 2 vectors"),
    ],
)
def test_words_that_cannot_be_used_are_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "x.npy")


def test_a_matrix_that_breaks_off_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    (tmp_path / "x.txt").write_text("a\nb\n")
    data = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(data[:-8])
    with pytest.raises(FormatError, match="takes 32 bytes, there are 24"):
        load(tmp_path / "x.npy")
    (tmp_path / "x.npy").write_bytes(data[:20])
    with pytest.raises(FormatError, match="is not a numpy array"):
        load(tmp_path / "x.npy")


def test_duplicates_in_a_matrix_follow_the_same_rule(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "x.txt").write_text("a\nb\na\n")
    with pytest.raises(FormatError, match="'a' has two different vectors, the first at line 1"):
        load(tmp_path / "x.npy")
    assert load(tmp_path / "x.npy", duplicates="first").labels == ("a", "b")
    with pytest.raises(InputError, match="duplicates"):
        load(tmp_path / "x.npy", duplicates="last")  # type: ignore[arg-type]
