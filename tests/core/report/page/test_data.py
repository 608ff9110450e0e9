"""What a page carries, and what it leaves out."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.errors import FormatError
from crossroads.core.evidence import Embeddings
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.records import Record, audit_document
from crossroads.core.report.page import data as module
from crossroads.core.report.page.data import histogram, page_data, read_vectors, write_vectors
from crossroads.core.report.page.page import in_script, page_html
from crossroads.core.stimuli import Design


def at(tree: Any, path: str) -> Any:
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def numbers(tree: Any, path: str = "") -> list[tuple[str, float]]:
    if isinstance(tree, dict):
        parts = [(str(key).replace("~", "~0").replace("/", "~1"), value) for key, value in tree.items()]
        return [found for key, value in parts for found in numbers(value, f"{path}/{key}")]
    if isinstance(tree, list):
        return [found for i, value in enumerate(tree) for found in numbers(value, f"{path}/{i}")]
    return [(path, tree)] if isinstance(tree, (int, float)) and not isinstance(tree, bool) else []


@pytest.mark.parametrize("which", ["audit", "whole"])
def test_numbers_keep_their_place(which: str, request: pytest.FixtureRequest) -> None:
    document = audit_document(request.getfixturevalue(which))
    slim = page_data([Record(document=document)], title="t")["audits"][0]["document"]
    kept = numbers(slim)
    assert len(kept) > 300
    assert all(at(document, path) == value for path, value in kept)


def test_draws_become_histograms(whole: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DRAWS", 4)
    document = audit_document(whole)
    found = page_data([Record(document=document)], title="t")["audits"][0]
    assert any(path.endswith("/sample_effect_sizes") for path in found["histograms"])
    for path, said in found["histograms"].items():
        draws = at(document, path)
        assert at(found["document"], path) is None
        assert said == histogram(draws)
        assert sum(said["counts"]) == len(draws) > 4


@pytest.fixture
def packed(audit: Audit, audit_designs: list[Design]) -> Callable[[Embeddings], Any]:
    """Vectors as the page of the audit carries them."""
    document = audit_document(audit, audit_designs)
    return lambda emb: page_data([Record(document=document, vectors=emb)], title="t")["audits"][0]["vectors"]


def numbers_in(packed: Any, kind: str) -> Any:
    return np.frombuffer(base64.b64decode(packed["data"]), kind).reshape(len(packed["labels"]), -1)


def directions(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors_are_carried_exactly_where_they_fit(
    packed: Callable[[Embeddings], Any], audit_vectors: Embeddings
) -> None:
    single = Embeddings(audit_vectors.labels, audit_vectors.vectors.astype("f4"))
    for emb, kind, name in ((audit_vectors, "<f8", "float64"), (single, "<f4", "float32")):
        assert packed(emb)["type"] == name
        assert np.array_equal(numbers_in(packed(emb), kind), emb.vectors)
    # a word found under another spelling is found on the page
    assert packed(Embeddings(["X0", "y0"], np.eye(2), fallback="title"))["aliases"] == {"x0": 0}


def test_vectors_too_large_for_the_page_are_coarser_and_then_absent(
    packed: Callable[[Embeddings], Any], audit_vectors: Embeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUDGET", 300)  # 16 × 5 numbers: 213 bytes of text at 16 bits, 853 at 64
    coarse = packed(audit_vectors)
    assert coarse["type"] == "int16"
    steps = numbers_in(coarse, "<i2").astype(float)
    assert np.abs(directions(steps) - directions(audit_vectors.vectors)).max() < 5e-5
    monkeypatch.setattr(module, "BUDGET", 200)
    assert packed(audit_vectors) == {"absent": "the vectors of 16 words would take 0 MB"}


def test_common_words_are_carried_in_eight_bits_with_their_largest_error(
    packed: Callable[[Embeddings], Any], audit_vectors: Embeddings, tmp_path: Path
) -> None:
    labels = [audit_vectors.labels[0], *(f"common{i}" for i in range(49))]  # one is in the lists already
    pool = Embeddings(labels, np.random.default_rng(1).normal(size=(50, audit_vectors.dim)))
    emb = audit_vectors.with_fallback("title").with_pool(pool)
    others = packed(emb)["others"]
    assert others["labels"] == [f"common{i}" for i in range(49)]
    steps = numbers_in(others, "i1").astype(float)
    assert np.abs(steps).max(axis=1).tolist() == [127.0] * 49
    exact, coarse = directions(pool.vectors[1:]), directions(steps)
    # 20,000 random pairs of 49 words are, but for a rare miss, all pairs
    largest = np.abs(exact @ exact.T - coarse @ coarse.T).max()
    assert 0 < others["error"] <= largest
    assert others["error"] == pytest.approx(largest, rel=0.2)
    # they are saved with the vectors and read again; as vectors of any other file they are not there
    write_vectors(tmp_path / "vectors.npz", emb)
    again = read_vectors(tmp_path / "vectors.npz", "model")
    assert (packed(again), again.fallback) == (packed(emb), ("title",))
    assert cr.load(tmp_path / "vectors.npz").labels == audit_vectors.labels
    assert packed(audit_vectors)["others"] is None


def test_the_covariance_that_finds_near_copies_is_carried_and_saved(
    packed: Callable[[Embeddings], Any], audit_vectors: Embeddings, tmp_path: Path
) -> None:
    common = np.random.default_rng(2).normal(size=(60, audit_vectors.dim))
    emb = Embeddings(audit_vectors.labels, audit_vectors.vectors, common=common)
    lower = np.frombuffer(base64.b64decode(packed(emb)["vocabulary"]), "<f4")
    assert lower == pytest.approx(np.cov(directions(common).T)[np.tril_indices(emb.dim)], rel=1e-6)
    write_vectors(tmp_path / "vectors.npz", emb)
    assert packed(read_vectors(tmp_path / "vectors.npz", "model")) == packed(emb)
    assert packed(audit_vectors)["vocabulary"] is None
    write_vectors(tmp_path / "vectors.npz", Embeddings(emb.labels, emb.vectors, common=common[:, 1:]))
    with pytest.raises(FormatError, match="common vectors are of type float64, shape"):
        read_vectors(tmp_path / "vectors.npz", "model")


def test_nothing_in_the_data_can_end_the_script() -> None:
    text = in_script({"</script>": "<!-- & \u2028 \ud800"})
    assert not set("<>&\u2028") & set(text)
    text.encode("utf-8")


def test_the_page_asks_for_nothing_and_runs_one_script(audit: Audit) -> None:
    text = page_html([Record(document=audit_document(audit))])
    head = text[: text.index("</head>")]
    assert "default-src 'none'" in head
    assert "unsafe-inline" not in head
    body = text[text.index("<body>") :].split('<script type="application/json"')[0]
    assert "src=" not in body
    assert text.count("<script") == 2
