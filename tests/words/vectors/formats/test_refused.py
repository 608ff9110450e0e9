"""Vectors that cannot be used: refused in a sentence with their place, before memory is reserved for them."""

from __future__ import annotations

import gzip
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import load
from crossroads.core.errors import FormatError, UnsafeFileError
from tests.words.vectors import written
from tests.words.vectors.formats.test_formats import KEYED, ROWS, model, put
from tests.words.vectors.written import Vectors

TINY: Vectors = {word: np.arange(i, i + 3, dtype=np.float32) for i, word in enumerate("abcdef")}
BINARY = written.word2vec(TINY)
OBJECTS = np.array(["a", "b"], dtype=object)


def changed(data: bytes, place: int, kind: str, *values: int) -> bytes:
    out = bytearray(data)
    struct.pack_into(kind, out, place, *values)
    return bytes(out)


def of_gensim(kind: str = KEYED, **attributes: Any) -> bytes:
    return written.gensim_pickle(written.of_gensim(kind, **attributes))


EYE = written.tensors({"vectors": np.eye(2)})
REFUSED: list[tuple[str, bytes, str, int | None]] = [
    # text
    ("glove-text", b"a 1 2 3\nb 1 2\nc 1 2 3\n", r"'b' has 2 number\(s\), the other lines have 3", 2),
    ("glove-text", b"a 1 2 3\nb 1 two 3\nc 1 2 3\n", "number 2 of 3 is 'two'", 2),
    ("glove-text", b"once upon a time\nthere was\n", "expected a word followed by numbers", 1),
    ("glove-text", b"a 1 2\nb 3 x\n", "number 2 of 2 is 'x'", 2),  # the one at fault is the one without
    ("glove-text", b"a 1 2\ncaf\xe9 3 4\nb 5 6\n", r"the word 'caf\\\\xe9' is not UTF-8", 2),
    ("glove-text", b"a 1 2\nb 3 nan\n", "the vector of 'b' holds nan", 2),
    ("glove-text", b"a 1 2\nb 3 4\na 5 6\n", "'a' has two different vectors, the first at line 1", 3),
    ("word2vec-text", b"7 3\n" + written.glove(TINY), "promises 7 words, the file holds 6", None),
    ("word2vec-text", b"six 3\n" + written.glove(TINY), "the header", 1),
    ("word2vec-text", b"6 0\n" + written.glove(TINY), "the header promises 6 words of 0", 1),
    ("word2vec-text", b"6 3\n", "not a single vector", None),
    # word2vec
    ("word2vec-binary", BINARY[:60], "promises 6 vectors of 3 numbers, at least 78 bytes", None),
    ("word2vec-binary", gzip.compress(BINARY[:60]), "promises 6 words, 3 are complete", 4),
    ("word2vec-binary", BINARY.replace(b"6 3", b"99999999999 1000000", 1), "99,999,999,999 vectors", None),
    ("word2vec-binary", written.word2vec(TINY, count=5), "promises 5 words, but data follows", None),
    ("word2vec-binary", b"1 2000000" + BINARY[3:], "the header", None),
    ("word2vec-binary", b"2 1\n" + b"x" * 100_000, "no word ends", 1),
    # fastText
    ("fasttext-binary", changed(model(), 48, "<i", 33), "n-grams of up to 33 characters", None),
    ("fasttext-binary", model(quantised=True), "quantised", None),
    ("fasttext-binary", model(version=13), "version 13", None),
    ("fasttext-binary", b"2 1\na 1234b 1234", "not those of a fastText model", None),
    ("fasttext-binary", model(rows=ROWS[:10]), "the matrix is 10 × 4, expected 55 × 4", None),
    *(("fasttext-binary", squeeze(model()[:size]), "incomplete or damaged", None)
      for squeeze in (bytes, gzip.compress) for size in (6, 70, 130, 400)),
    # numpy
    ("npz", written.npz(a=np.ones(2), b=np.ones(3)), r"it has 3 number\(s\), the first word has 2", None),
    ("npz", written.npz(labels=np.array(["a"]), vectors=np.ones((2, 2))), "1 labels for 2 vectors", None),
    ("npz", written.npz(a=np.ones((2, 2))), r"the array has shape \(2, 2\)", None),
    ("npz", written.npz(labels=np.array(["a", "b"]), vectors=np.ones(2)), r"vectors have shape \(2,\)", None),
    ("npz", written.npz(labels=np.array(["a"]), vectors=np.array([["x"]])), "vectors are of type <U1", None),
    ("npz", written.npz(labels=np.array([1]), vectors=np.ones((1, 1))), "the word is 1, of type int", None),
    ("npz", written.npz(labels=np.array(["a"]), words=np.array(["a"]), vectors=np.ones((1, 1))),
     "could all be the words", None),
    # safetensors
    ("safetensors", struct.pack("<Q", 1 << 60) + b"{}", "the header should take", None),
    ("safetensors", struct.pack("<Q", 2) + b"{!", "not JSON", None),
    ("safetensors", written.tensors({"a": np.eye(2), "b": np.eye(2)}), "2 two-dimensional tensors", None),
    ("safetensors", EYE[:-4], "takes 32 bytes", None),
    ("safetensors", EYE, "no words for them", None),
    # pickles
    ("gensim", of_gensim("keyedvectors.FastTextKeyedVectors", vectors_ngrams=np.zeros((2, 2)),
                         index_to_key=["a"]), "fastText model of gensim", None),
    ("gensim", of_gensim(index_to_key=["a"]), "the pickle holds no", None),
    ("gensim", of_gensim(index_to_key=["a"], __numpys=["vectors"]),
     r"vectors\.vectors\.npy, which is not next to it", None),
    ("gensim", pickle.dumps(["a", "b"]), "the pickle holds an object of type list", None),
    ("gensim", pickle.dumps({"a": np.zeros((2, 2))}), r"an array of shape \(2, 2\)", None),
    ("gensim", pickle.dumps({"a": [1.0, 2.0], "b": [1.0]}), r"'b' has 1 number\(s\), the other words", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "said", "line"), REFUSED, ids=[f"{one[0]}-{one[2]}" for one in REFUSED]
)
def test_unusable_files_are_refused(
    tmp_path: Path, name: str, data: bytes, said: str, line: int | None
) -> None:
    path = put(tmp_path, data)
    with pytest.raises(FormatError, match=said) as caught:
        load(path, format=name)
    assert path.as_posix() in str(caught.value)
    if line is not None:
        assert (caught.value.path, caught.value.line) == (path, line)


TABLES: list[tuple[dict[str, Any], str]] = [
    ({"a": ["x"], "b": ["y"], "v": [1.0]}, "2 columns of text"),
    ({"word": ["x"]}, "no column of numbers"),
    ({"word": ["x", None], "v": [1.0, 2.0]}, r"line 2, key 'word': the word is missing \(null\)"),
    ({"word": ["x", "y"], "v": [1.0, None]}, "a number is missing"),
    ({"word": ["x", "y"], "v": [[1.0], [1.0, 2.0]]}, "the vectors have the lengths"),
    ({"word": np.array([], "U"), "v": np.array([], np.float32)}, "no rows"),
]


@pytest.mark.parametrize(("columns", "said"), TABLES)
def test_unusable_tables_are_refused(tmp_path: Path, columns: dict[str, Any], said: str) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [parquet])")
    with pytest.raises(FormatError, match=said):
        load(put(tmp_path, written.parquet(columns)), format="parquet")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (None, b"", r"a file called x\.txt"),
        ("x.npy", written.npy(np.eye(2))[:-8], "takes 32 bytes, there are 24"),
        ("x.json", b"{", "not JSON"),
        ("x.json", b'{"a": 0, "b": 7}', "'b' is assigned to row 7"),
        ("x.json", b'["a", null]', "the word is None"),
        ("x.txt", b"a\n", "1 labels for 2 vectors"),
        ("x.txt", b"a\na\n", "'a' has two different vectors, the first at line 1"),
    ],
)
def test_unusable_words_beside_a_matrix_are_refused(
    tmp_path: Path, name: str | None, data: bytes, said: str
) -> None:
    path = put(tmp_path, written.npy(np.eye(2)), "x.npy")
    if name is not None:
        put(tmp_path, data, name)
    with pytest.raises(FormatError, match=said):
        load(path)


# what does no harm where it is not asked for, and what can be allowed


def test_a_fault_of_a_word_that_is_not_asked_for_does_no_harm(tmp_path: Path) -> None:
    for data in (b"a 1 2\ncaf\xe9 3 4\nb 5 6\n", b"a 1 2\nc 3 nan\nb 5 6\n", b"c 1 2\nb 5 6\nc 3 4\n"):
        assert load(put(tmp_path, data), words=["b"]).labels == ("b",)


def test_words_that_are_not_utf8_may_be_ignored_or_replaced(tmp_path: Path) -> None:
    path = put(tmp_path, b"a 1 2\ncaf\xe9 3 4\nb 5 6\n")
    assert load(path, encoding_errors="ignore").labels == ("a", "caf", "b")
    path = put(tmp_path, BINARY.replace(b"c ", b"\xe9 "))
    assert load(path, encoding_errors="replace").labels == ("a", "b", "\ufffd", "d", "e", "f")


def test_the_first_of_two_vectors_may_be_taken(tmp_path: Path) -> None:
    path = put(tmp_path, b"a 1 2\nb 3 4\na 5 6\n")
    emb = load(path, duplicates="first")
    np.testing.assert_array_equal(emb.vectors, [[1, 2], [3, 4]])
    assert emb.provenance.details["different_duplicates_dropped"] == 1
    emb = load(put(tmp_path, b"a 1 2\nb 3 4\na 1 2\n"))
    assert (emb.labels, emb.provenance.details["identical_duplicates"]) == (("a", "b"), 1)


# what is not data, or would fill the memory


def test_a_hostile_file_is_refused_by_name_and_not_run(tmp_path: Path) -> None:
    path = put(tmp_path, f"cos\nsystem\n(S'touch {tmp_path / 'marker'}'\ntR.".encode(), "vectors.pkl")
    with pytest.raises(UnsafeFileError, match=r"system, which is not data") as caught:
        load(path)
    assert caught.value.path == path
    assert not (tmp_path / "marker").exists()


def test_objects_of_numpy_are_never_unpickled(tmp_path: Path) -> None:
    with pytest.raises(UnsafeFileError, match="holds Python objects"):
        load(put(tmp_path, written.npz(labels=OBJECTS, vectors=np.ones((2, 2)))))


def test_a_compressed_model_reserves_no_memory_for_a_matrix_that_is_not_there(tmp_path: Path) -> None:
    wide = struct.pack("<2q", len(ROWS), 1 << 30)
    data = changed(model().replace(struct.pack("<2q", *ROWS.shape), wide), 8, "<i", 1 << 30)
    with pytest.raises(UnsafeFileError, match="expand to"):
        load(put(tmp_path, gzip.compress(data)), format="fasttext-binary")


def test_one_vector_of_many_words_is_refused_whichever_are_asked_for(tmp_path: Path) -> None:
    numbers = [0.5] * 20_000
    path = put(tmp_path, pickle.dumps({f"w{i}": numbers for i in range(1000)}))
    with pytest.raises(UnsafeFileError, match="expand to"):
        load(path, words=["w0"])


@pytest.mark.parametrize(
    ("word", "rows", "length", "said"),
    [
        ("rose", 300_000, 1, "expand to"),
        ("rose", 1, 10_000_000, "expand to"),
        ("r" * 20_000, 2000, 1, "a word takes 20,000 bytes"),
    ],
)
def test_endless_repetitions_are_refused(
    tmp_path: Path, word: str, rows: int, length: int, said: str
) -> None:
    pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [parquet])")
    words = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([word]))
    numbers = pa.array(np.zeros(rows * length, np.float32))
    vector = numbers if length == 1 else pa.ListArray.from_arrays([0, length], numbers)
    path = put(tmp_path, written.parquet({"word": words.cast(pa.string()), "v": vector}, compression="zstd"))
    assert path.stat().st_size < 10_000
    with pytest.raises(FormatError, match=said):
        load(path)
