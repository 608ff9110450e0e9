from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError, UnsafeFileError
from crossroads.sources.load import load
from crossroads.sources.vectors.files import fasttext as fasttext_binary
from crossroads.sources.vectors.files.fasttext import subword_buckets, subword_hash

WORDS = ["</s>", "rose", "wasp", "café", "日本"]
DIM, BUCKET, MINN, MAXN = 4, 50, 2, 3


def matrix(words: int = len(WORDS)) -> NDArray[np.float32]:
    return np.random.default_rng(3).normal(size=(words + BUCKET, DIM)).astype(np.float32)


def model(
    *,
    version: int = 12,
    words: list[str] = WORDS,
    labels: tuple[str, ...] = (),
    quantised: bool = False,
    pruned: dict[int, int] | None = None,
    rows: NDArray[np.float32] | None = None,
    kind: int = 2,
) -> bytes:
    """Bytes as FastText::saveModel writes them."""
    rows = matrix() if rows is None else rows
    out = struct.pack("<2i", 793712314, version)
    out += struct.pack("<12id", DIM, 5, 5, 1, 5, 1, 2, kind, BUCKET, MINN, MAXN, 100, 1e-4)
    out += struct.pack(
        "<3i2q", len(words) + len(labels), len(words), len(labels), 99, -1 if pruned is None else len(pruned)
    )
    for entry, entry_kind in [*((word, 0) for word in words), *((label, 1) for label in labels)]:
        out += entry.encode() + b"\0" + struct.pack("<qb", 7, entry_kind)
    for pair in (pruned or {}).items():
        out += struct.pack("<2i", *pair)
    return out + struct.pack("<?2q", quantised, *rows.shape) + rows.tobytes() + b"output matrix"


def write(folder: Path, data: bytes, name: str = "model.bin") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def naive_vector(word: str) -> NDArray[np.float64]:
    """By definition: every n-gram as a string of characters, hashed on its own."""
    rows = [WORDS.index(word)]
    marked = f"<{word}>"
    if word != "</s>":
        for n in range(MINN, MAXN + 1):
            ngrams = [marked[start : start + n].encode() for start in range(len(marked) - n + 1)]
            rows += [len(WORDS) + subword_hash(ngram) % BUCKET for ngram in ngrams]
    mean: NDArray[np.float64] = matrix()[rows].astype(np.float64).mean(axis=0)
    return mean


def test_the_hash_is_fnv_1a_with_signed_bytes() -> None:
    # 32-bit FNV-1a of "a" is 0xe40c292c (Fowler, Noll, Vo: test vectors). Above 127, bytes count as negative:
    # 0xe9 is 0xffffffe9, so the value is (0x811c9dc5 ^ 0xffffffe9) * 0x01000193 mod 2^32.
    assert subword_hash(b"a") == 0xE40C292C
    assert subword_hash(b"\xe9") == ((0x811C9DC5 ^ 0xFFFFFFE9) * 0x01000193) % 2**32


def test_single_characters_at_the_edges_are_no_subwords() -> None:
    assert len(subword_buckets(b"ab", 1, 1, 10)) == 2, "'a' and 'b', not '<' and '>'"
    assert subword_buckets(b"ab", 0, 0, 10) == []
    assert subword_buckets(b"</s>", 2, 3, 10) == []


def test_a_vector_is_the_mean_of_the_word_and_its_subwords(tmp_path: Path) -> None:
    emb = load(write(tmp_path, model()))
    assert emb.provenance.format == "fasttext-binary"
    assert emb.labels == tuple(WORDS)
    np.testing.assert_allclose(emb.vectors, [naive_vector(word) for word in WORDS], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_only_the_rows_of_the_words_asked_for_are_read(tmp_path: Path, squeeze: Any) -> None:
    path = write(tmp_path, squeeze(model()))
    emb = load(path, words=["café", "日本", "nowhere"])
    assert emb.labels == ("café", "日本")
    np.testing.assert_array_equal(emb.vectors, load(path).select(["café", "日本"]).vectors)
    assert emb.provenance.details["vocabulary"] == len(WORDS)


def test_small_blocks_give_the_same_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, gzip.compress(model()))
    whole = load(path)
    monkeypatch.setattr(fasttext_binary, "_BLOCK", 64)
    np.testing.assert_array_equal(load(path).vectors, whole.vectors)


def test_labels_of_a_classifier_are_not_words(tmp_path: Path) -> None:
    emb = load(write(tmp_path, model(labels=("__label__x",))))
    assert emb.labels == tuple(WORDS)


def test_version_11_classifiers_have_no_subwords(tmp_path: Path) -> None:
    emb = load(write(tmp_path, model(version=11, kind=3)))
    np.testing.assert_array_equal(emb["rose"], matrix()[1])


def test_a_pruned_model_keeps_the_subwords_that_are_left(tmp_path: Path) -> None:
    kept = subword_buckets(b"rose", MINN, MAXN, BUCKET)[:2]
    pruned = {bucket: i for i, bucket in enumerate(dict.fromkeys(kept))}
    rows = matrix()[: len(WORDS) + len(pruned)]
    emb = load(write(tmp_path, model(pruned=pruned, rows=rows)))
    parts = [
        1,
        *(len(WORDS) + pruned[b] for b in subword_buckets(b"rose", MINN, MAXN, BUCKET) if b in pruned),
    ]
    np.testing.assert_allclose(emb["rose"], rows[parts].mean(axis=0), rtol=1e-5)


def test_longer_n_grams_than_any_model_has_are_refused(tmp_path: Path) -> None:
    data = bytearray(model())
    struct.pack_into(
        "<i", data, 8 + 4 * 10, 33
    )  # maxn; the work grows with it, and with the square of a word
    with pytest.raises(FormatError, match="n-grams of up to 33 characters"):
        load(write(tmp_path, bytes(data)))


def test_a_compressed_model_reserves_no_memory_for_a_matrix_that_is_not_there(tmp_path: Path) -> None:
    rows, wide = len(WORDS) + BUCKET, 1 << 30
    data = bytearray(model().replace(struct.pack("<2q", rows, DIM), struct.pack("<2q", rows, wide)))
    struct.pack_into("<i", data, 8, wide)
    path = write(tmp_path, gzip.compress(bytes(data)))
    with pytest.raises(UnsafeFileError, match="expand to"):
        load(path, format="fasttext-binary")


def test_a_quantised_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="quantised"):
        load(write(tmp_path, model(quantised=True)))


def test_an_unknown_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="version 13"):
        load(write(tmp_path, model(version=13)))


def test_another_kind_of_bin_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not those of a fastText model"):
        load(write(tmp_path, b"2 1\na 1234b 1234"), format="fasttext-binary")


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
@pytest.mark.parametrize("size", [6, 30, 70, 100, 130, 160, 400])
def test_a_model_that_breaks_off_anywhere_is_refused(tmp_path: Path, size: int, squeeze: Any) -> None:
    path = write(tmp_path, squeeze(model()[:size]))
    with pytest.raises(FormatError, match="incomplete or damaged"):
        load(path, words=WORDS)


def test_a_matrix_of_the_wrong_shape_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the matrix is 10 × 4, expected 55 × 4"):
        load(write(tmp_path, model(rows=matrix()[:10])))


def test_a_dictionary_that_counts_wrongly_is_refused(tmp_path: Path) -> None:
    data = bytearray(model())
    struct.pack_into("<3i", data, 64, 5, 4, 0)
    with pytest.raises(FormatError, match="5 entries, 4 of them words"):
        load(write(tmp_path, bytes(data)))


@pytest.mark.reference
def test_gensim_composes_the_same_vectors(tmp_path: Path, gensim: Any) -> None:
    corpus = [["the", "rose", "and", "the", "wasp"], ["Köln", "naïve", "日本語", "the", "rose"]] * 20
    trained = gensim.models.FastText(
        corpus, vector_size=8, min_count=1, epochs=2, min_n=3, max_n=6, bucket=500, seed=1, workers=1
    )
    path = tmp_path / "gensim.bin"
    gensim.models.fasttext.save_facebook_model(trained, str(path))
    expected = gensim.models.fasttext.load_facebook_vectors(str(path))
    emb = load(path)
    assert set(emb.labels) == set(expected.index_to_key)
    for word in emb.labels:
        np.testing.assert_allclose(emb[word], expected[word], rtol=1e-5, atol=1e-7, err_msg=word)
    some = load(path, words=["rose", "Köln"], fallback="none")
    np.testing.assert_array_equal(some["Köln"], emb["Köln"])
