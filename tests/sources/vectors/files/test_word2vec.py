from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError
from crossroads.sources.load import load
from crossroads.sources.vectors.files import word2vec as word2vec_binary

Vectors = dict[str, NDArray[np.float32]]


def binary(vectors: Vectors, *, newline: bytes = b"\n", count: int | None = None) -> bytes:
    dim = len(next(iter(vectors.values())))
    header = f"{len(vectors) if count is None else count} {dim}\n".encode()
    rows = [word.encode() + b" " + row.astype("<f4").tobytes() + newline for word, row in vectors.items()]
    return header + b"".join(rows)


def write(folder: Path, data: bytes) -> Path:
    path = folder / "vectors.bin"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("newline", [b"\n", b""])
def test_binary_comes_back_as_it_was_written(tmp_path: Path, tiny: Vectors, newline: bytes) -> None:
    emb = load(write(tmp_path, binary(tiny, newline=newline)))
    assert emb.provenance.format == "word2vec-binary"
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, np.stack(list(tiny.values())))


def test_only_the_words_asked_for_are_kept(tmp_path: Path, tiny: Vectors) -> None:
    emb = load(write(tmp_path, binary(tiny)), words=["1994", "café", "nowhere"])
    assert emb.labels == ("café", "1994")
    assert emb.provenance.details["vocabulary"] == len(tiny)
    assert emb.provenance.details["cased"] is True


def test_vectors_that_look_like_spaces_and_line_breaks_do_no_harm(tmp_path: Path) -> None:
    odd = np.frombuffer(b"    \n\n\n\n \n \n", "<f4")
    vectors = {"a": odd, "b": odd[::-1].copy(), "c": odd}
    emb = load(write(tmp_path, binary(vectors)), format="word2vec-binary")
    np.testing.assert_array_equal(emb["b"], vectors["b"])


def test_small_blocks_give_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    vectors = {f"w{i}": rng.normal(size=9).astype(np.float32) for i in range(2000)}
    path = write(tmp_path, binary(vectors))
    monkeypatch.setattr(word2vec_binary, "_BLOCK", 50)
    monkeypatch.setattr(word2vec_binary, "_LONGEST_WORD", 60)
    emb = load(path, words=["w3", "w1999"])
    np.testing.assert_array_equal(emb.vectors, [vectors["w3"], vectors["w1999"]])


def test_a_file_that_breaks_off_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    with pytest.raises(FormatError, match=r"promises 6 vectors of 3 numbers, at least 78 bytes"):
        load(write(tmp_path, binary(tiny)[:60]), format="word2vec-binary")


def test_a_compressed_file_that_breaks_off_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    path = write(tmp_path, gzip.compress(binary(tiny)[:60]))
    with pytest.raises(FormatError, match="promises 6 words, 3 are complete") as caught:
        load(path, format="word2vec-binary")
    assert caught.value.line == 4


def test_a_header_that_promises_too_much_allocates_nothing(tmp_path: Path, tiny: Vectors) -> None:
    data = binary(tiny).replace(b"6 3", b"99999999999 1000000", 1)
    with pytest.raises(FormatError, match="99,999,999,999 vectors"):
        load(write(tmp_path, data), format="word2vec-binary")


def test_data_after_the_last_word_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    with pytest.raises(FormatError, match="promises 5 words, but data follows"):
        load(write(tmp_path, binary(tiny, count=5)))


@pytest.mark.parametrize("header", [b"rose 1", b"6", b"0 3", b"3 0", b"1 2000000"])
def test_a_header_that_is_none_is_refused(tmp_path: Path, tiny: Vectors, header: bytes) -> None:
    data = header + b"\n" + binary(tiny).partition(b"\n")[2]
    with pytest.raises(FormatError, match="the header"):
        load(write(tmp_path, data), format="word2vec-binary")


def test_a_word_that_does_not_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no word ends") as caught:
        load(write(tmp_path, b"2 1\n" + b"x" * 100_000), format="word2vec-binary")
    assert caught.value.line == 1


def test_words_that_are_not_utf8_are_named(tmp_path: Path, tiny: Vectors) -> None:
    path = write(tmp_path, binary(tiny).replace("é".encode(), b"\xe9!"))
    with pytest.raises(FormatError, match="is not UTF-8") as caught:
        load(path)
    assert caught.value.line == 3
    assert len(load(path, encoding_errors="replace")) == 6
    assert load(path, words=["rose"]).labels == ("rose",)


def test_a_vector_that_is_not_finite_is_refused(tmp_path: Path, tiny: Vectors) -> None:
    tiny["wasp"] = np.array([1, np.nan, 2], np.float32)
    with pytest.raises(FormatError, match="the vector of 'wasp' holds nan") as caught:
        load(write(tmp_path, binary(tiny)))
    assert caught.value.line == 2


@pytest.mark.reference
def test_gensim_writes_what_is_read(tmp_path: Path, tiny: Vectors, gensim: Any) -> None:
    vectors = gensim.models.KeyedVectors(3)
    vectors.add_vectors(list(tiny), np.stack(list(tiny.values())))
    path = tmp_path / "gensim.bin"
    vectors.save_word2vec_format(str(path), binary=True)
    emb = load(path)
    assert emb.labels == tuple(tiny)
    np.testing.assert_array_equal(emb.vectors, np.stack(list(tiny.values())))
