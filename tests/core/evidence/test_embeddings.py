"""Vectors with labels: what they refuse, what they keep, and how words are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads import Embeddings
from crossroads.core.errors import EvidenceError, InputError
from crossroads.sources import Provenance

LABELS = ["rose", "Wasp", "josé"]
VECTORS = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize(
    ("labels", "vectors", "message"),
    [
        (["a", "b", "a", "b"], [[1.0]] * 4, "'a' and 'b' label"),
        (["a"], [1.0, 2.0], r"1 dimension\(s\), shape \(2,\)"),
        (["a", "b"], [[1.0, 2.0]], "2 labels for 1 vectors"),
        ([], np.empty((0, 3)), r"nothing to measure: shape \(0, 3\)"),
        (["a"], np.empty((1, 0)), r"nothing to measure: shape \(1, 0\)"),
        (["a", "b"], [[1.0], [1.0, 2.0]], "do not make one array"),
        (["a"], [["1", "2"]], "of type <U1"),
        (["a"], [[1 + 2j]], "of type complex"),
        (["a"], [[True, False]], "of type bool"),
        (["a", "b"], [[np.inf, 2.0], [1.0, -np.inf]], "the vector of 'a' and 'b' holds nan"),
        (["a"], np.array([[np.nan]], dtype=np.float16), "the vector of 'a' holds nan"),
        ("ab", [[1.0], [2.0]], "the labels are 'ab'"),
        (["a", 2], [[1.0], [2.0]], "the label 2 is of type int"),
        (None, np.eye(2), "the labels are "),
    ],
)
def test_unusable_vectors_are_refused(labels: Any, vectors: Any, message: str) -> None:
    with pytest.raises(EvidenceError, match=message):
        Embeddings(labels, vectors)


def test_a_bad_row_is_found_wherever_it_stands() -> None:
    vectors = np.ones((40_000, 2), dtype=np.float32)
    vectors[39_999, 1] = np.nan
    with pytest.raises(EvidenceError, match="the vector of 'w39999' holds nan"):
        Embeddings([f"w{i}" for i in range(40_000)], vectors)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ({}, "there are no vectors"),
        ({"a": [1.0, 2.0], "b": [1.0]}, r"the vector of 'b' has shape \(1,\), that of 'a' has shape \(2,\)"),
        ({"a": [[1.0]]}, r"the vector of 'a' has shape \(1, 1\)"),
    ],
)
def test_unusable_mappings_are_refused(vectors: Any, message: str) -> None:
    with pytest.raises(EvidenceError, match=message):
        Embeddings.from_dict(vectors)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8])
def test_vectors_keep_their_type_and_are_not_copied(kind: Any) -> None:
    vectors = VECTORS.astype(kind)
    emb = Embeddings(LABELS, vectors)
    assert emb.vectors.dtype == kind
    assert np.shares_memory(emb.vectors, vectors)
    assert vectors.flags.writeable  # the array of the caller stays the caller's
    assert not emb.vectors.flags.writeable
    assert not emb["rose"].flags.writeable


def test_a_file_on_disk_is_neither_read_through_nor_copied(tmp_path: Path) -> None:
    vectors = VECTORS.copy()
    vectors[2] = np.nan
    np.save(tmp_path / "v.npy", vectors)
    emb = Embeddings(LABELS, np.load(tmp_path / "v.npy", mmap_mode="r"))
    assert isinstance(emb.vectors, np.memmap)
    assert emb["Wasp"].tolist() == [2.0, 3.0]


def test_words_are_found_as_written_and_not_otherwise() -> None:
    emb = Embeddings(LABELS, VECTORS)
    assert (len(emb), emb.dim, emb.labels, emb.fallback) == (3, 2, tuple(LABELS), ())
    assert repr(emb) == "<Embeddings: 3 × 2 float64, given as arrays>"
    assert emb["Wasp"].tolist() == [2.0, 3.0]
    assert ["Wasp" in emb, "wasp" in emb, 3 in emb] == [True, False, False]
    assert emb.find("wasp") is None
    assert emb.find("Wasp") == (1, "Wasp", "exact")
    with pytest.raises(InputError, match="'wasp' is not among the 3 labels"):
        emb["wasp"]


def test_a_fallback_finds_other_spellings_and_prefers_the_word_itself() -> None:
    emb = Embeddings([*LABELS, "ROSE"], np.arange(8.0).reshape(4, 2), fallback=("lower", "title", "accents"))
    assert emb.find("ROSE") == (3, "ROSE", "exact")
    assert emb.find("Rose") == (0, "rose", "lower")
    assert emb.find("WASP") == (1, "Wasp", "title")
    plain = Embeddings(["jose"], [[1.0]], fallback="lower, accents")
    assert plain.find("José") == (0, "jose", "lower+accents")


def test_other_fallback_rules_give_a_twin_that_shares_the_vectors() -> None:
    emb = Embeddings(LABELS, VECTORS, provenance="here")
    twin = emb.with_fallback("title")
    assert "wasp" in twin
    assert "wasp" not in emb
    assert (twin.fallback, emb.fallback) == (("title",), ())
    assert np.shares_memory(twin.vectors, emb.vectors)
    assert twin.provenance == emb.provenance
    assert twin.with_fallback("none").fallback == ()
    with pytest.raises(InputError, match=r"fallback is 0\.5"):
        emb.with_fallback(0.5)  # type: ignore[arg-type]


@given(st.lists(st.sampled_from([f"w{i}" for i in range(8)]), min_size=1, max_size=12))
def test_a_selection_holds_the_words_once_in_the_order_asked_for(asked: list[str]) -> None:
    emb = Embeddings([f"w{i}" for i in range(8)], np.arange(16.0).reshape(8, 2), provenance="here")
    chosen = emb.select(asked)
    assert chosen.labels == tuple(dict.fromkeys(asked))
    for word in asked:
        assert chosen[word].tolist() == emb[word].tolist()
    assert not np.shares_memory(chosen.vectors, emb.vectors)
    assert not chosen.vectors.flags.writeable
    assert chosen.provenance == emb.provenance


def test_a_selection_keeps_the_stored_spelling_and_the_rules() -> None:
    emb = Embeddings(LABELS, VECTORS, fallback="lower")
    chosen = emb.select(["ROSE", "rose"])
    assert (chosen.labels, chosen.fallback) == (("rose",), ("lower",))
    with pytest.raises(InputError, match="'tulip' is not among the 3 labels"):
        emb.select(["rose", "tulip"])
    with pytest.raises(EvidenceError, match="nothing to measure"):
        emb.select([])


def test_provenance_is_kept_or_made() -> None:
    full = Provenance(source="file.txt", format="glove-text", revision="2", sha256="ab", details={"words": 3})
    assert Embeddings(LABELS, VECTORS, provenance=full).provenance is full
    assert Embeddings(LABELS, VECTORS, provenance="my model").provenance.source == "my model"
    assert Embeddings(LABELS, VECTORS).provenance == Provenance(source="given as arrays")
    assert Embeddings.from_dict({"a": [1.0]}, provenance="mine").provenance.source == "mine"
    assert Provenance.from_dict(full.to_dict()) == full
    with pytest.raises(EvidenceError, match="the provenance is of type"):
        Embeddings(LABELS, VECTORS, provenance={"source": "web"})  # type: ignore[arg-type]
