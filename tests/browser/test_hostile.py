"""Names and words that try to be more than text, and lists too long to draw at once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.records import Record, audit_document, results_document
from crossroads.core.report.page.page import page_html, write_page
from crossroads.core.results import Result
from tests.browser.conftest import agreeing

WORDS = (
    "<script>window.broken = 1</script>", "</script><script>window.broken = 2</script>", "<!--", "]]>",
    "<img src=x onerror='window.broken = 3'>", '"quoted"', "it's", "a&b", "&lt;b&gt;", "שלום",
    "مرحبا بالعالم", "\u202eesrever", "👩🏾\u200d🚀", "🏳️\u200d🌈", "Ünïcödé", "back\\slash", "{{DATA}}",
    "${window.broken=4}", "javascript:window.broken=5", "x" * 300, "__proto__", "constructor", "a\u2028line",
    "toString", "0", "a/b~c",
)  # fmt: skip
"""Words to be shown as they are, each of which would break a careless page."""


@pytest.fixture(scope="module")
def results() -> tuple[cr.Embeddings, list[Result]]:
    """Results of many kinds whose every name is one of these."""
    rng = np.random.default_rng(0)
    words = [*WORDS, *(f"w{i}" for i in range(40 - len(WORDS)))]
    emb, other = (
        cr.Embeddings(words, rng.normal(size=(40, 8)), provenance=name)
        for name in ("<b>model</b> & 'co' \u202e\"q\"", "other")
    )
    sets = [
        cr.sources.StimulusSet(f"</title>{WORDS[i]}", tuple(words[i * 10 : i * 10 + 10])) for i in range(4)
    ]
    design = cr.Design(name="<i>test</i>", x=sets[0], y=sets[1], a=sets[2], b=sets[3])
    tested = cr.battery(emb, [design], alternative="two-sided")
    groups = {("<i>", "s"): words[25:29], ("<i>", "t"): words[29:33], ("j", "s"): words[33:36]}
    scores = cr.stats.wefat(emb, groups, WORDS, "<i> / s")
    contexts = cr.Contexts.from_dict({word: rng.normal(size=(2, 6)) for word in words})
    return emb, [
        tested,
        cr.stats.influence(emb, design),
        scores,
        cr.ibd(scores.pairs, threshold=0.0, truth=WORDS[:3]),
        cr.mleat(contexts, design, samples=5),
        cr.compare(emb, other, design),
        cr.rsa(emb, WORDS[:5], WORDS[5:10], words[25:29], n=3, samples=4, draws=9),
    ]


@pytest.fixture(scope="module")
def hostile(results: tuple[cr.Embeddings, list[Result]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of them."""
    emb, found = results
    path = tmp_path_factory.mktemp("hostile") / "a '<b>' page.html"
    record = Record(document=results_document(found), vectors=emb, methods="<p>", citations="</script>")
    write_page(path, [record])
    return path


def test_hostile_names_are_shown_as_text_with_their_numbers_whatever_is_pressed(
    opened: Callable[..., Any],
    hostile: Path,
    results: tuple[cr.Embeddings, list[Result]],
) -> None:
    """Every button of a page with everything open is pressed."""
    page = opened(hostile, width=360).page
    page.evaluate("unfolded()")
    assert page.evaluate("window.broken") is None
    assert page.locator("main script, main img, main b, main i").count() == 0
    text = page.locator("main").text_content()
    for word in WORDS[:17]:
        assert word in text, word
    assert page.locator("h1").text_content() == "Associations in <b>model</b> & 'co' \"q\""
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    places = agreeing(page, json.loads(json.dumps(results_document(results[1]))))
    shown = {place.rpartition("/")[2] for place in places if "/changes/" in place}
    assert {word.replace("~", "~0").replace("/", "~1") for word in WORDS[:10]} <= shown
    page.evaluate("window.print = () => {}")
    for _ in range(2):  # every button can be pressed
        page.evaluate("unfolded()")
        page.evaluate(
            "[...document.querySelectorAll('main button')].slice(0, 400).forEach((one) => one.click())"
        )
        page.evaluate("settled()")
    assert page.evaluate("window.broken") is None


def test_ten_thousand_words_are_drawn_at_both_ends_and_listed_on_demand(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    """A page with as many words as a reader may give, opened whole."""
    rng = np.random.default_rng(1)
    words = [f"word-{i}" for i in range(10_000)]
    emb = cr.Embeddings(words, rng.normal(size=(10_000, 20)).astype(np.float32), provenance="large")
    design = cr.Design(name="large", x=words[:4990], y=words[4990:9980], a=words[9980:9990], b=words[9990:])
    tested = cr.battery(emb, [design], alternative="two-sided", method="normal")
    path = tmp_path / "large.html"
    write_page(path, [Record(document=audit_document(Audit([tested]), [design]), vectors=emb)])
    assert path.stat().st_size < 5_000_000
    page = opened(path).page
    page.evaluate("unfolded()")
    assert page.evaluate("document.querySelectorAll('*').length") < 60_000
    table = page.locator("#large .table").filter(has=page.locator("caption", has_text="Target words")).first
    table.get_by_role("button", name="Show all 9,980 rows").click()
    assert table.locator("tbody tr").count() == 9_980


def test_half_a_character_in_the_name_of_a_model_can_be_written() -> None:
    words = list("abcdefgh")
    emb = cr.Embeddings(words, np.random.default_rng(2).normal(size=(8, 4)), provenance="model-\ud800")
    design = cr.Design(name="half", x=["a", "b"], y=["c", "d"], a=["e", "f"], b=["g", "h"])
    audit = Audit([cr.battery(emb, [design])])
    text = page_html([Record(document=audit_document(audit, [design]), vectors=emb)])
    assert "model-\\ud800" in text
    text.encode("utf-8")


def test_no_copied_cell_is_a_formula(opened: Callable[..., Any], tmp_path: Path) -> None:
    words = ["=1+1", "+1", "-ness", "@SUM(1)", "\uff1dx", "'=z", *(f"w{i}" for i in range(10))]
    emb = cr.Embeddings(words, np.random.default_rng(3).normal(size=(16, 6)), provenance="=model")
    x, y, a, b = (words[i * 4 : i * 4 + 4] for i in range(4))
    design = cr.Design(name="@test", x=x, y=y, a=a, b=b)
    tested = cr.battery(emb, [design], alternative="two-sided")
    audit = Audit([tested, cr.stats.influence(emb, design)])
    path = tmp_path / "formulas.html"
    write_page(path, [Record(document=audit_document(audit, [design]), vectors=emb)])
    page = opened(path).page
    page.evaluate("unfolded()")
    buttons = page.locator("main .table > .tools .menu-button")
    cells = []
    for place in range(buttons.count()):
        if not buttons.nth(place).is_visible():
            continue
        page.evaluate("emptied()")
        buttons.nth(place).click()
        page.get_by_role("menuitem", name="Copy CSV").click()
        rows = csv.reader(io.StringIO(page.evaluate("copied()"), newline=""))
        cells += [cell for row in rows for cell in row]
    assert [one for one in cells if one.lstrip()[:1] in tuple("=+@\uff1d")] == []
    assert {"'=1+1", "'-ness", "'@SUM(1)", "'\uff1dx", "''=z", "'@test"} <= set(cells)
    signed = [one for one in cells if one.startswith("-")]
    assert signed
    assert [float(one) for one in signed]  # numbers, and nothing but numbers
