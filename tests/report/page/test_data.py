"""What a page carries, and what it leaves out."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Embeddings
from crossroads.measures import battery
from crossroads.report import Audit
from crossroads.report.documents.records import Record, audit_document, read_vectors
from crossroads.report.page import data as module
from crossroads.report.page.data import histogram, page_data
from crossroads.report.page.page import in_script, page_html
from crossroads.report.page.vectors import write_vectors
from crossroads.stimuli import Design


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


def test_levels_do_not_repeat_what_their_test_says(audit: Audit) -> None:
    slim = page_data([Record(document=audit_document(audit))], title="t")["audits"][0]["document"]
    test = slim["results"][0]["tests"][0]
    assert test["coverage"] is not None
    assert "coverage" not in test["level1"]
    assert "sets" in test["level1"]
    assert "sets" not in test["level2"]["x"]


def test_draws_become_histograms(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DRAWS", 15)
    document = audit_document(audit)
    found = page_data([Record(document=document)], title="t")["audits"][0]
    path = "/results/0/intervals/plain/effect_sizes"
    draws = at(document, path)
    assert at(found["document"], path) is None
    assert found["histograms"][path] == histogram(draws)
    assert sum(found["histograms"][path]["counts"]) == len(draws) == 20


def test_vectors_are_carried_exactly_where_they_fit(audit: Audit, audit_vectors: Embeddings) -> None:
    record = Record(document=audit_document(audit), vectors=audit_vectors)
    packed = page_data([record], title="t")["audits"][0]["vectors"]
    assert packed["type"] == "float64"
    numbers = np.frombuffer(base64.b64decode(packed["data"]), "<f8").reshape(-1, packed["dim"])
    assert np.array_equal(numbers, audit_vectors.vectors)
    single = Embeddings(audit_vectors.labels, audit_vectors.vectors.astype("f4"))
    packed = page_data([Record(document=audit_document(audit), vectors=single)], title="t")
    packed = packed["audits"][0]["vectors"]
    assert packed["type"] == "float32"
    assert np.array_equal(np.frombuffer(base64.b64decode(packed["data"]), "<f4"), single.vectors.ravel())


def test_vectors_too_large_for_the_page_are_coarser_and_then_absent(
    audit: Audit, audit_vectors: Embeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record(document=audit_document(audit), vectors=audit_vectors)
    monkeypatch.setattr(module, "BUDGET", 300)  # 16 × 5 numbers: 213 bytes of text at 16 bits, 853 at 64
    packed = page_data([record], title="t")["audits"][0]["vectors"]
    assert packed["type"] == "int16"
    steps = np.frombuffer(base64.b64decode(packed["data"]), "<i2").reshape(16, 5).astype(float)
    exact = audit_vectors.vectors / np.linalg.norm(audit_vectors.vectors, axis=1, keepdims=True)
    assert np.abs(steps / np.linalg.norm(steps, axis=1, keepdims=True) - exact).max() < 5e-5
    monkeypatch.setattr(module, "BUDGET", 200)
    packed = page_data([record], title="t")["audits"][0]["vectors"]
    assert packed == {"absent": "the vectors of 16 words would take 0 MB"}


def _with_pool(emb: Embeddings, n: int = 50) -> Embeddings:
    rng = np.random.default_rng(1)
    labels = [emb.labels[0], *(f"common{i}" for i in range(n - 1))]  # a word of the lists is there already
    return emb.with_pool(Embeddings(labels, rng.normal(size=(n, emb.dim))))


def test_common_words_are_carried_in_eight_bits_with_their_largest_error(
    audit: Audit, audit_vectors: Embeddings
) -> None:
    emb = _with_pool(audit_vectors)
    packed = page_data([Record(document=audit_document(audit), vectors=emb)], title="t")["audits"][0][
        "vectors"
    ]
    others, pool = packed["others"], emb.pool
    assert pool is not None
    assert others["labels"] == [f"common{i}" for i in range(49)]
    steps = np.frombuffer(base64.b64decode(others["data"]), "i1").reshape(49, emb.dim).astype(float)
    assert np.abs(steps).max(axis=1).tolist() == [127.0] * 49
    exact, coarse = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True)
        for rows in (np.stack([pool[word] for word in others["labels"]]), steps)
    )
    # 20,000 random pairs of 49 words are, but for a rare miss, all pairs
    largest = np.abs(exact @ exact.T - coarse @ coarse.T).max()
    assert 0 < others["error"] <= largest
    assert others["error"] == pytest.approx(largest, rel=0.2)
    assert np.array_equal(np.frombuffer(base64.b64decode(packed["data"]), "<f8"), emb.vectors.ravel())


def test_common_words_keep_to_their_room(
    audit: Audit, audit_vectors: Embeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record(document=audit_document(audit), vectors=_with_pool(audit_vectors))
    monkeypatch.setattr(module, "OTHERS_BUDGET", 200)  # 150 bytes before base 64: 30 words of 5 numbers
    others = page_data([record], title="t")["audits"][0]["vectors"]["others"]
    assert len(others["labels"]) == 30
    halves = [one["vectors"]["others"] for one in page_data([record, record], title="t")["audits"]]
    assert [len(one["labels"]) for one in halves] == [15, 15]
    monkeypatch.setattr(module, "OTHERS_BUDGET", 6)
    assert page_data([record], title="t")["audits"][0]["vectors"]["others"] is None
    without = Record(document=audit_document(audit), vectors=audit_vectors)
    assert page_data([without], title="t")["audits"][0]["vectors"]["others"] is None


def test_common_words_are_saved_with_the_vectors_and_read_again(
    audit: Audit, audit_vectors: Embeddings, tmp_path: Path
) -> None:
    emb = _with_pool(audit_vectors)
    write_vectors(tmp_path / "vectors.npz", emb)
    again = read_vectors(tmp_path / "vectors.npz", "model")
    pages = [
        page_data([Record(document=audit_document(audit), vectors=one)], title="t")["audits"][0]["vectors"]
        for one in (emb, again)
    ]
    assert pages[0] == pages[1]
    # as vectors of any other file: without the common words
    loaded = cr.load(tmp_path / "vectors.npz")
    assert loaded.labels == audit_vectors.labels
    # folders of older versions have no common words
    write_vectors(tmp_path / "older.npz", audit_vectors)
    older = read_vectors(tmp_path / "older.npz", "model")
    assert older.pool is older


def test_words_found_under_another_spelling_are_found_on_the_page(
    audit: Audit, audit_designs: list[Design]
) -> None:
    loud = [word.upper() for word in ("x0", "x1", "x2", "x3")]
    design = Design(name="loud", x=loud, y=["y0", "y1"], a=["a0", "a1"], b=["b0", "b1"])
    emb = Embeddings(["x0", "y0"], [[1.0, 0.0], [0.0, 1.0]], fallback="lower")
    document = audit_document(audit, [*audit_designs, design])
    packed = page_data([Record(document=document, vectors=emb)], title="t")["audits"][0]["vectors"]
    assert packed["aliases"] == {"X0": 0}


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


@pytest.mark.full
def test_a_page_of_a_hundred_tests_in_five_models_stays_below_twenty_megabytes() -> None:
    """Five hundred tests are measured; what keeps to its room is tested above with a small one."""
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(2000)]
    designs = []
    for i in range(100):
        picked = rng.permutation(2000)[:82]
        sets = [[words[j] for j in picked[a:b]] for a, b in ((0, 16), (16, 32), (32, 57), (57, 82))]
        designs.append(Design(name=f"test {i}", x=sets[0], y=sets[1], a=sets[2], b=sets[3]))
    records = []
    for name in "abcde":
        pool = Embeddings([f"common{i}" for i in range(5000)], rng.normal(size=(5000, 300)).astype("f4"))
        emb = Embeddings(words, rng.normal(size=(2000, 300)).astype("f4"), provenance=name).with_pool(pool)
        battery = cr.battery(emb, designs, method="normal", resamples=20, alternative="two-sided")
        audit = Audit([battery, *(cr.stats.influence(emb, one) for one in designs)])
        records.append(Record(document=audit_document(audit, designs), vectors=emb))
    size = len(page_html(records).encode("utf-8"))
    assert size < 20_000_000


def test_words_are_kept_whatever_they_are_called() -> None:
    # names of fields that are left out of inner results must not take words with them
    words = ["coverage", "versions", "provenance", "sets"]
    labels = [*words, *(f"w{i}" for i in range(12))]
    emb = Embeddings(labels, np.random.default_rng(0).normal(size=(16, 5)))
    design = Design(name="d", x=words, y=labels[4:8], a=labels[8:12], b=labels[12:])
    document = audit_document(Audit([battery(emb, [design], resamples=0)]), [design])
    slim = page_data([Record(document=document)], title="t")["audits"][0]["document"]
    test = slim["results"][0]["tests"][0]
    whole = document["results"][0]["tests"][0]
    assert set(words) <= set(test["level1"]["associations"])
    assert test["level1"]["associations"] == whole["level1"]["associations"]
