from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads.errors import FormatError, UnsafeFileError
from crossroads.sources.load import load

Vectors = dict[str, NDArray[np.float32]]


@pytest.fixture
def gensim_classes(monkeypatch: pytest.MonkeyPatch) -> dict[str, type]:
    """Classes that pickle under gensim's names, without gensim."""
    classes: dict[str, type] = {}
    for module, names in {
        "gensim": (),
        "gensim.models": (),
        "gensim.models.keyedvectors": (
            "KeyedVectors",
            "Word2VecKeyedVectors",
            "Vocab",
            "FastTextKeyedVectors",
        ),
        "gensim.models.word2vec": ("Word2Vec",),
    }.items():
        fake = ModuleType(module)
        for name in names:
            classes[name] = type(name, (), {"__module__": module})
            setattr(fake, name, classes[name])
        monkeypatch.setitem(sys.modules, module, fake)
    return classes


def made(kind: type, **attributes: Any) -> Any:
    instance = kind()
    instance.__dict__.update(attributes)
    return instance


def dump(folder: Path, value: Any, protocol: int = 4, name: str = "model.kv") -> Path:
    path = folder / name
    path.write_bytes(pickle.dumps(value, protocol))
    return path


def assert_same(emb: Any, vectors: Vectors) -> None:
    assert emb.labels == tuple(vectors)
    np.testing.assert_array_equal(emb.vectors, np.stack(list(vectors.values())))


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_gensim_4_comes_back(
    tmp_path: Path, tiny: Vectors, gensim_classes: dict[str, type], protocol: int
) -> None:
    matrix = np.stack(list(tiny.values()))
    value = made(gensim_classes["KeyedVectors"], vectors=matrix, index_to_key=list(tiny), expandos={})
    emb = load(dump(tmp_path, value, protocol))
    assert_same(emb, tiny)
    assert emb.provenance.format == "gensim"
    assert emb.provenance.details["saved_by"] == "gensim.models.keyedvectors.KeyedVectors"


@pytest.mark.parametrize("listed", [True, False])
def test_gensim_3_comes_back_with_and_without_its_list_of_words(
    tmp_path: Path, tiny: Vectors, gensim_classes: dict[str, type], listed: bool
) -> None:
    vocab = {
        word: made(gensim_classes["Vocab"], index=np.int64(i) if i % 2 else i, count=9)
        for i, word in reversed(list(enumerate(tiny)))
    }
    extra = {"index2word": list(tiny)} if listed else {}
    matrix = np.stack(list(tiny.values()))
    value = made(gensim_classes["Word2VecKeyedVectors"], syn0=matrix, vocab=vocab, **extra)
    assert_same(load(dump(tmp_path, value)), tiny)
    assert load(dump(tmp_path, value), words=["wasp"]).labels == ("wasp",)


def test_vectors_in_a_file_beside_it_are_found(
    tmp_path: Path, tiny: Vectors, gensim_classes: dict[str, type]
) -> None:
    value = made(gensim_classes["KeyedVectors"], index_to_key=list(tiny), __numpys=["vectors"])
    path = dump(tmp_path, value)
    with pytest.raises(FormatError, match=r"model\.kv\.vectors\.npy, which is not beside it"):
        load(path)
    np.save(tmp_path / "model.kv.vectors.npy", np.stack(list(tiny.values())))
    assert_same(load(path), tiny)
    assert load(path, words=["rose"]).labels == ("rose",)


def test_a_whole_word2vec_model_gives_its_vectors(
    tmp_path: Path, tiny: Vectors, gensim_classes: dict[str, type]
) -> None:
    inner = made(
        gensim_classes["KeyedVectors"], vectors=np.stack(list(tiny.values())), index_to_key=list(tiny)
    )
    assert_same(load(dump(tmp_path, made(gensim_classes["Word2Vec"], wv=inner), name="x.model")), tiny)


def test_a_fasttext_model_of_gensim_is_refused(tmp_path: Path, gensim_classes: dict[str, type]) -> None:
    value = made(gensim_classes["FastTextKeyedVectors"], vectors_ngrams=np.zeros((2, 2)), index_to_key=["a"])
    with pytest.raises(FormatError, match="fastText model of gensim"):
        load(dump(tmp_path, value))


@pytest.mark.parametrize("attributes", [{"index_to_key": ["a"]}, {"vectors": np.zeros((1, 2))}])
def test_a_record_without_words_or_vectors_is_refused(
    tmp_path: Path, gensim_classes: dict[str, type], attributes: dict[str, Any]
) -> None:
    with pytest.raises(FormatError, match="the pickle holds no"):
        load(dump(tmp_path, made(gensim_classes["KeyedVectors"], **attributes)))


def test_words_and_vectors_must_be_as_many(tmp_path: Path, gensim_classes: dict[str, type]) -> None:
    value = made(gensim_classes["KeyedVectors"], vectors=np.ones((2, 2)), index_to_key=["a"])
    with pytest.raises(FormatError, match="1 labels for 2 vectors"):
        load(dump(tmp_path, value))


def test_a_pickled_dictionary_of_vectors_comes_back(tmp_path: Path, tiny: Vectors) -> None:
    path = dump(tmp_path, tiny, name="vectors.pkl")
    assert_same(load(path), tiny)
    assert load(path, words=["rose", "nowhere"]).labels == ("rose",)
    lists = {word: vector.tolist() for word, vector in tiny.items()}
    assert load(dump(tmp_path, lists, name="lists.pkl")).labels == tuple(tiny)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (["a", "b"], "the pickle holds an object of type list"),
        ({}, "the pickle holds an object of type dict"),
        ({"a": "text"}, "the vector of 'a' is an object of type str"),
        ({"a": np.zeros((2, 2))}, r"an array of shape \(2, 2\)"),
        ({"a": [1.0, 2.0], "b": [1.0]}, r"'b' has 1 number\(s\), the other words have 2"),
        ({1: [1.0]}, "the word is 1, of type int"),
    ],
)
def test_other_pickles_are_described(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        load(dump(tmp_path, value))


def test_one_vector_of_many_words_is_refused_whichever_are_asked_for(tmp_path: Path) -> None:
    numbers = [0.5] * 20_000
    path = tmp_path / "x.pkl"
    path.write_bytes(pickle.dumps({f"w{i}": numbers for i in range(1000)}))
    with pytest.raises(UnsafeFileError, match="expand to"):
        load(path, words=["w0"])


def test_a_hostile_file_is_refused_by_name(tmp_path: Path) -> None:
    marker = tmp_path / "marker"

    class Hostile:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {marker}",)

    path = dump(tmp_path, Hostile())
    with pytest.raises(UnsafeFileError, match=r"system, which is not data") as caught:
        load(path)
    assert caught.value.path == path
    assert not marker.exists()


@pytest.mark.reference
@pytest.mark.parametrize("limit", [10 * 1024**2, 1])
def test_what_gensim_saves_is_read(tmp_path: Path, tiny: Vectors, gensim: Any, limit: int) -> None:
    vectors = gensim.models.KeyedVectors(3)
    vectors.add_vectors(list(tiny), np.stack(list(tiny.values())))
    path = tmp_path / "saved.kv"
    vectors.save(str(path), sep_limit=limit)
    assert (tmp_path / "saved.kv.vectors.npy").exists() == (limit == 1)
    assert_same(load(path), tiny)


@pytest.mark.reference
@pytest.mark.parametrize("limit", [10 * 1024**2, 1])
def test_a_whole_model_that_gensim_saves_is_read(tmp_path: Path, gensim: Any, limit: int) -> None:
    trained = gensim.models.Word2Vec([["the", "rose", "and", "wasp"]] * 9, vector_size=4, min_count=1, seed=1)
    path = tmp_path / "saved.model"
    trained.save(str(path), sep_limit=limit)
    emb = load(path)
    np.testing.assert_array_equal(emb["rose"], trained.wv["rose"])
