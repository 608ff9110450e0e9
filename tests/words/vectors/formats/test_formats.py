"""Every format of vectors: what is written comes back, whole and in part."""

from __future__ import annotations

import gzip
import json
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossroads import load
from crossroads.core.errors import CrossroadsWarning, FormatError, MissingExtraError
from crossroads.words.vectors.formats.fasttext import subword_buckets
from tests.words.vectors import written
from tests.words.vectors.written import Vectors, matrix

KEYED = "keyedvectors.KeyedVectors"


def keyed(vectors: Vectors, **more: Any) -> Any:
    return written.of_gensim(KEYED, vectors=matrix(vectors), index_to_key=list(vectors), **more)


def gensim_3(vectors: Vectors, **more: Any) -> bytes:
    """Without a list of words: each has its number, some of them of numpy."""
    vocab = {
        word: written.of_gensim("keyedvectors.Vocab", index=np.int64(i) if i % 2 else i, count=9)
        for i, word in reversed(list(enumerate(vectors)))
    }
    kind = type(next(iter(vocab.values())))
    for one in vocab.values():
        one.__class__ = kind
    whole = written.of_gensim("keyedvectors.Word2VecKeyedVectors", syn0=matrix(vectors), vocab=vocab, **more)
    return written.gensim_pickle(whole, next(iter(vocab.values())))


def whole_model(vectors: Vectors) -> bytes:
    inner = keyed(vectors)
    return written.gensim_pickle(written.of_gensim("word2vec.Word2Vec", wv=inner), inner)


def columns(vectors: Vectors) -> dict[str, Any]:
    """Whole numbers beside floats are not part of the vector."""
    numbers = {f"d{i}": matrix(vectors)[:, i] for i in range(3)}
    return {"rank": range(len(vectors)), "word": list(vectors), **numbers}


def category(vectors: Vectors) -> dict[str, Any]:
    """As pandas writes a category."""
    import pyarrow as pa

    return {"word": pa.array(list(vectors)).dictionary_encode(), "vector": written.lists(vectors)}


Write = Callable[[Vectors], bytes]
FORMATS: dict[str, tuple[str, Write]] = {
    "GloVe": ("glove-text", written.glove),
    "GloVe of Windows": ("glove-text", lambda v: written.glove(v).replace(b"\n", b"\r\n")),
    "GloVe with tabs": ("glove-text", lambda v: written.glove(v).replace(b" ", b"\t")),
    "GloVe with two spaces": ("glove-text", lambda v: written.glove(v).replace(b" ", b"  ")),
    "a byte order mark": ("glove-text", lambda v: b"\xef\xbb\xbf" + written.glove(v).rstrip(b"\n")),
    "blank lines": ("glove-text", lambda v: written.glove(v).replace(b"\nwasp", b"\n\nwasp") + b"\n\n"),
    "fastText as text": ("word2vec-text", written.fasttext_text),
    "word2vec": ("word2vec-binary", written.word2vec),
    "word2vec without line breaks": ("word2vec-binary", lambda v: written.word2vec(v, newline=b"")),
    "fastText": ("fasttext-binary", lambda v: written.fasttext(list(v), matrix(v))),
    "fastText with labels": (
        "fasttext-binary",
        lambda v: written.fasttext(list(v), matrix(v), labels=("__label__x",)),
    ),
    "npz": ("npz", lambda v: written.npz(labels=np.array(list(v)), vectors=matrix(v))),
    "npz, other names": ("npz", lambda v: written.npz(Vocab=np.array(list(v)), embeddings=matrix(v))),
    "npz, a word an array": ("npz", lambda v: written.npz(**v)),
    "safetensors": ("safetensors", written.labelled),
    "safetensors, lines": (
        "safetensors",
        lambda v: written.tensors({"vectors": matrix(v)}, {"labels": "\n".join(v)}),
    ),
    "Parquet": (
        "parquet",
        lambda v: written.parquet(
            {"word": list(v), "count": [1] * len(v), "vector": written.lists(v)}, row_group_size=2
        ),
    ),
    "Parquet, fixed lists": (
        "parquet",
        lambda v: written.parquet({"word": list(v), "vector": written.lists(v, 3)}),
    ),
    "Parquet, columns": ("parquet", lambda v: written.parquet(columns(v))),
    "Parquet, a category": ("parquet", lambda v: written.parquet(category(v), row_group_size=2)),
    "Parquet, several texts": (
        "parquet",
        lambda v: written.parquet(
            {"tag": ["n"] * 6, "token": list(v), "embedding": written.lists(v), "other": written.lists(v)}
        ),
    ),
    "gensim 4": ("gensim", lambda v: written.gensim_pickle(keyed(v, expandos={}))),
    "gensim 4, protocol 2": ("gensim", lambda v: written.gensim_pickle(keyed(v), protocol=2)),
    "gensim 3": ("gensim", gensim_3),
    "gensim 3, a list": ("gensim", lambda v: gensim_3(v, index2word=list(v))),
    "a whole model of gensim": ("gensim", whole_model),
    "a pickled dictionary": ("gensim", pickle.dumps),
    "a pickled dictionary of lists": (
        "gensim",
        lambda v: pickle.dumps({word: vector.tolist() for word, vector in v.items()}),
    ),
}


def put(folder: Path, data: bytes, name: str = "vectors") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def assert_same(emb: Any, vectors: Vectors) -> None:
    assert emb.labels == tuple(vectors)
    np.testing.assert_array_equal(emb.vectors, matrix(vectors))


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_written_comes_back_whole_and_in_part(tmp_path: Path, tiny: Vectors, kind: str) -> None:
    if "Parquet" in kind:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [parquet])")
    name, write = FORMATS[kind]
    path = put(tmp_path, write(tiny))
    calls: list[tuple[int, int | None]] = []
    emb = load(path, progress=lambda done, total: calls.append((done, total)))
    assert_same(emb, tiny)
    assert emb.provenance.format == name
    assert emb.provenance.details["vocabulary"] == len(tiny)
    assert calls[-1] == (path.stat().st_size, path.stat().st_size)
    some = load(path, words=["1994", "café", "nowhere"])
    assert_same(some, {word: tiny[word] for word in ("café", "1994")})
    assert (some.provenance.details["vocabulary"], some.provenance.details["cased"]) == (len(tiny), True)


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        # as in the 840B vectors of GloVe
        (b"the 1 2 3\n. . . 4 5 6\nat name@domain.com 7 8 9\nat 0.5 0.5 0.5\n",
         ("the", ". . .", "at name@domain.com", "at")),
        (b"the 1 2 3\n 4 5 6\nof 7 8 9\n", ("the", "", "of")),
    ],
)  # fmt: skip
def test_words_may_hold_spaces(tmp_path: Path, data: bytes, labels: tuple[str, ...]) -> None:
    path = put(tmp_path, data)
    whole = load(path)
    assert whole.labels == labels
    for word in labels:
        np.testing.assert_array_equal(load(path, words=[word])[word], whole[word])


@pytest.mark.parametrize("write", [written.fasttext_text, written.word2vec])
def test_a_file_of_several_blocks_is_read_like_one(tmp_path: Path, write: Write) -> None:
    # text is read by the megabyte and word2vec by four
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1300, 1000)).astype(np.float32)
    vectors = {f"w{i}": row for i, row in enumerate(rows)}
    path = put(tmp_path, write(vectors))
    assert path.stat().st_size > 9 << 19
    assert_same(load(path), vectors)
    assert_same(load(path, words=["w1299", "w1298"]), {word: vectors[word] for word in ("w1298", "w1299")})


TOKENS = st.text(st.characters(categories=("L", "M", "N", "P", "S")), min_size=1, max_size=12)
NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.data(), st.integers(1, 5))
def test_odd_words_survive_the_round_trip(data: st.DataObject, dim: int) -> None:
    words = data.draw(st.lists(TOKENS, min_size=1, max_size=8, unique=True))
    rows = [data.draw(st.lists(NUMBERS, min_size=dim, max_size=dim)) for _ in words]
    vectors = {word: np.array(row, np.float32) for word, row in zip(words, rows, strict=True)}
    with tempfile.TemporaryDirectory() as folder:
        path = put(Path(folder), written.glove(vectors))
        assert_same(load(path, format="glove-text"), vectors)
        wanted = data.draw(st.sampled_from(words))
        one = load(path, format="glove-text", words=[wanted], fallback="none")
        np.testing.assert_array_equal(one[wanted], vectors[wanted])


def test_vectors_that_look_like_spaces_and_line_breaks_do_no_harm(tmp_path: Path) -> None:
    odd = np.frombuffer(b"    \n\n\n\n \n \n", "<f4")
    vectors = {"a": odd, "b": odd[::-1].copy(), "c": odd}
    emb = load(put(tmp_path, written.word2vec(vectors)), format="word2vec-binary")
    np.testing.assert_array_equal(emb["b"], vectors["b"])


@pytest.mark.parametrize(
    ("data", "numbers", "dtype"),
    [
        (written.npz(labels=np.array([b"a", b"b"]), vectors=np.array([[1.1], [2.2]], ">f8")),
         [[1.1], [2.2]], "float64"),
        (written.tensors({"vectors": np.array([[1.1], [2.2]])}, {"vocab": "a\nb"}),
         [[1.1], [2.2]], "float64"),
        (written.tensors({"vectors": np.array([[0.5], [2.0]], np.float16)}, {"labels": "a\nb"}),
         [[0.5], [2.0]], "float16"),
        # the upper half of a float32: 1.0 is 0x3f80, -2.5 is 0xc020, 0.15625 is 0x3e20
        (written.tensors({"vectors": np.array([[0x3F80, 0xC020], [0x3E20, 0x3F80]], np.uint16)},
                         {"labels": "a\nb"}), [[1, -2.5], [0.15625, 1]], "float32"),
    ],
)  # fmt: skip
def test_numbers_are_as_exact_as_in_the_file(tmp_path: Path, data: bytes, numbers: Any, dtype: str) -> None:
    emb = load(path := put(tmp_path, data))
    assert emb.labels == ("a", "b")
    assert str(emb.vectors.dtype) == dtype
    np.testing.assert_array_equal(emb.vectors, numbers)
    np.testing.assert_array_equal(load(path, words=["b"]).vectors, numbers[1:])


# words beside the vectors


@pytest.mark.parametrize("name", ["x.txt", "x.json", "x.pkl", "x-vocab.txt", "x.labels.json", "x_words.txt"])
def test_a_matrix_finds_its_words_beside_it(tmp_path: Path, tiny: Vectors, name: str) -> None:
    path = put(tmp_path, written.npy(matrix(tiny)), "x.npy")
    beside = {
        ".txt": "\n".join(tiny).encode() + b"\n",
        ".json": json.dumps(list(tiny)).encode(),
        ".pkl": pickle.dumps({word: i for i, word in enumerate(tiny)}),
    }
    put(tmp_path, beside[Path(name).suffix], name)
    emb = load(path)
    assert emb.provenance.format == "npy"
    assert_same(emb, tiny)
    assert isinstance(emb.vectors, np.memmap), "a whole matrix stays on disk"
    some = load(path, words=["wasp"])
    assert_same(some, {"wasp": tiny["wasp"]})
    assert not isinstance(some.vectors, np.memmap)


def test_tensors_and_pickles_find_what_they_lack_beside_them(tmp_path: Path, tiny: Vectors) -> None:
    put(tmp_path, "\n".join(tiny).encode(), "x.txt")
    data = written.tensors({"odd_name": matrix(tiny), "bias": np.ones(3)})
    emb = load(put(tmp_path, data, "x.safetensors"))
    assert_same(emb, tiny)
    assert emb.provenance.details["tensor"] == "odd_name"
    kept = written.of_gensim(KEYED, index_to_key=list(tiny), __numpys=["vectors"])
    path = put(tmp_path, written.gensim_pickle(kept), "model.kv")
    put(tmp_path, written.npy(matrix(tiny)), "model.kv.vectors.npy")
    emb = load(path)
    assert_same(emb, tiny)
    assert emb.provenance.details["saved_by"] == "gensim.models.keyedvectors.KeyedVectors"
    path = put(tmp_path, written.tensors({"vectors": np.eye(2)}, {"vocab": "[PAD]\n[UNK]"}))  # no JSON
    assert load(path).labels == ("[PAD]", "[UNK]")


# fastText: words and their n-grams

WORDS = ["</s>", "rose", "wasp", "café", "日本"]
BUCKET, MINN, MAXN = 50, 2, 3
ROWS = np.random.default_rng(3).normal(size=(len(WORDS) + BUCKET, 4)).astype(np.float32)


def model(**options: Any) -> bytes:
    given: dict[str, Any] = {"rows": ROWS, "bucket": BUCKET, "ngrams": (MINN, MAXN)}
    return written.fasttext(WORDS, **given | options)


def fnv_1a(ngram: bytes) -> int:
    """FNV-1a in 32 bits, where bytes above 127 count as negative: 0xe9 is 0xffffffe9."""
    value = 0x811C9DC5
    for byte in ngram:
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 0x01000193) % 2**32
    return value


def naive_vector(word: str) -> NDArray[np.float64]:
    """By definition: every n-gram as a string of characters, hashed on its own."""
    rows = [WORDS.index(word)]
    marked = f"<{word}>"
    if word != "</s>":
        for n in range(MINN, MAXN + 1):
            ngrams = [marked[start : start + n].encode() for start in range(len(marked) - n + 1)]
            rows += [len(WORDS) + fnv_1a(ngram) % BUCKET for ngram in ngrams]
    mean: NDArray[np.float64] = ROWS[rows].astype(np.float64).mean(axis=0)
    return mean


def test_the_hash_is_fnv_1a_with_signed_bytes_and_edges_are_no_subwords() -> None:
    # 32-bit FNV-1a of "a" is 0xe40c292c (Fowler, Noll, Vo: test vectors).
    assert subword_buckets(b"a", 1, 1, 2**32) == [0xE40C292C]
    assert subword_buckets(b"\xe9", 1, 1, 2**32) == [((0x811C9DC5 ^ 0xFFFFFFE9) * 0x01000193) % 2**32]
    assert len(subword_buckets(b"ab", 1, 1, 10)) == 2, "'a' and 'b', not '<' and '>'"


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_vector_is_the_mean_of_the_word_and_its_subwords(tmp_path: Path, squeeze: Any) -> None:
    path = put(tmp_path, squeeze(model()))
    emb = load(path)
    assert emb.labels == tuple(WORDS)
    np.testing.assert_allclose(emb.vectors, [naive_vector(word) for word in WORDS], rtol=1e-5, atol=1e-6)
    some = load(path, words=["café", "日本", "nowhere"])
    np.testing.assert_array_equal(some.vectors, emb.select(["café", "日本"]).vectors)


def test_version_11_classifiers_have_no_subwords(tmp_path: Path) -> None:
    emb = load(put(tmp_path, model(version=11, kind=3)))
    np.testing.assert_array_equal(emb["rose"], ROWS[1])


def test_a_pruned_model_keeps_the_subwords_that_are_left(tmp_path: Path) -> None:
    buckets = subword_buckets(b"rose", MINN, MAXN, BUCKET)
    pruned = {bucket: i for i, bucket in enumerate(dict.fromkeys(buckets[:2]))}
    rows = ROWS[: len(WORDS) + len(pruned)]
    emb = load(put(tmp_path, model(pruned=pruned, rows=rows)))
    parts = [1, *(len(WORDS) + pruned[one] for one in buckets if one in pruned)]
    np.testing.assert_allclose(emb["rose"], rows[parts].mean(axis=0), rtol=1e-5)


# what the programs themselves write and read


@pytest.mark.reference
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # gensim leaves its file open
@pytest.mark.parametrize("limit", [10 * 1024**2, 1])
def test_gensim_reads_and_writes_the_same(tmp_path: Path, tiny: Vectors, gensim: Any, limit: int) -> None:
    vectors = gensim.models.KeyedVectors(3)
    vectors.add_vectors(list(tiny), matrix(tiny))
    for binary in (True, False):
        vectors.save_word2vec_format(str(tmp_path / "vectors"), binary=binary)
        assert_same(load(tmp_path / "vectors"), tiny)
    vectors.save(str(tmp_path / "saved.kv"), sep_limit=limit)
    assert (tmp_path / "saved.kv.vectors.npy").exists() == (limit == 1)
    assert_same(load(tmp_path / "saved.kv"), tiny)
    path = put(tmp_path, written.glove(tiny), "glove.txt")
    again = gensim.models.KeyedVectors.load_word2vec_format(str(path), binary=False, no_header=True)
    np.testing.assert_array_equal(again.vectors, load(path).vectors)
    trained = gensim.models.Word2Vec([["the", "rose", "and", "wasp"]] * 9, vector_size=4, min_count=1, seed=1)
    trained.save(str(tmp_path / "saved.model"), sep_limit=limit)
    np.testing.assert_array_equal(load(tmp_path / "saved.model")["rose"], trained.wv["rose"])


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


def test_what_safetensors_and_numpy_write_is_read(tmp_path: Path, tiny: Vectors) -> None:
    package: Any = pytest.importorskip("safetensors.numpy", reason="extra 'safetensors'")
    path = tmp_path / "x.safetensors"
    package.save_file({"vectors": matrix(tiny)}, path, metadata={"labels": json.dumps(list(tiny))})
    assert_same(load(path), tiny)
    np.savez_compressed(tmp_path / "x.npz", words=np.array(list(tiny)), matrix=matrix(tiny))
    assert_same(load(tmp_path / "x.npz"), tiny)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_pipelines_of_spacy_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As spaCy itself writes them; to import it takes most of the time."""
    spacy: Any = pytest.importorskip("spacy", reason="spaCy is not installed (extra [spacy])")
    pipeline = spacy.blank("en")
    pipeline.to_disk(tmp_path / "empty")
    pipeline.vocab.set_vector("rose", np.array([1, 2, 3], np.float32))
    pipeline.vocab.set_vector("Wasp", np.array([4, 5, 6], np.float32))
    pipeline.vocab.strings.add("tulip")
    pipeline.vocab.vectors.add("tulip", row=pipeline.vocab.vectors.find(key="rose"))  # as pruning does
    pipeline.to_disk(tmp_path / "tiny")
    emb = load(tmp_path / "tiny")
    assert set(emb.labels) == {"rose", "Wasp", "tulip"}
    np.testing.assert_array_equal(emb["Wasp"], [4, 5, 6])
    assert (emb.provenance.format, emb.provenance.details["pipeline"]) == ("spacy", "en_pipeline")
    with pytest.warns(CrossroadsWarning, match="rose = tulip|tulip = rose"):
        assert load(tmp_path / "tiny", words=["rose", "tulip"]).provenance.details["shared_vectors"] == 1
    package = tmp_path / "site" / "en_tiny_md"  # as one that is installed
    package.mkdir(parents=True)
    pipeline.to_disk(package / "en_tiny_md-1.0")
    shutil.copy(package / "en_tiny_md-1.0" / "meta.json", package)
    code = "from spacy.util import load_model_from_init_py\ndef load(**more):\n"
    (package / "__init__.py").write_text(f"{code}    return load_model_from_init_py(__file__, **more)\n")
    meta = {**json.loads((package / "meta.json").read_text()), "name": "tiny_md", "version": "1.0"}
    (package / "meta.json").write_text(json.dumps(meta))
    about = package.with_name("en_tiny_md-1.0.dist-info")
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: en_tiny_md\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(package.parent)
    np.testing.assert_array_equal(load("en_tiny_md")["Wasp"], [4, 5, 6])
    with pytest.raises(FormatError, match="no static vectors"):
        load(tmp_path / "empty")
    with pytest.raises(FormatError, match="spaCy cannot load this pipeline"):
        load("en_nothing_md", format="spacy")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtraError, match=r"crossroads-audit\[spacy\]"):
        load(tmp_path / "tiny")
