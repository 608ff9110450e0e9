"""What a page carries, and what it leaves out."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from crossroads.evidence import Embeddings
from crossroads.measures import battery
from crossroads.report import Audit
from crossroads.report.documents.records import Record, audit_document
from crossroads.report.page import data as module
from crossroads.report.page.data import histogram, page_data
from crossroads.report.page.page import in_script, page_html
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


@pytest.mark.slow
def test_a_page_of_a_hundred_tests_in_five_models_stays_below_twenty_megabytes() -> None:
    import crossroads as cr

    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(2000)]
    designs = []
    for i in range(100):
        picked = rng.permutation(2000)[:82]
        sets = [[words[j] for j in picked[a:b]] for a, b in ((0, 16), (16, 32), (32, 57), (57, 82))]
        designs.append(Design(name=f"test {i}", x=sets[0], y=sets[1], a=sets[2], b=sets[3]))
    records = []
    for name in "abcde":
        emb = Embeddings(words, rng.normal(size=(2000, 300)).astype("f4"), provenance=name)
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


def test_long_lists_are_passed_on_and_not_copied(audit: Audit) -> None:
    document = audit_document(audit)
    slim = page_data([Record(document=document)], title="t")["audits"][0]["document"]
    before, after = (one["results"][0]["tests"][0]["level1"]["associations"] for one in (document, slim))
    assert after is before
