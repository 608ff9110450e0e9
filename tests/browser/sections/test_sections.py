"""The sections beyond the association tests: every type of result is shown, and can be worked with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.contexts.measures.ceat import CeatResult
from crossroads.core.evidence import Embeddings
from crossroads.core.report.documents.records import Record, results_document
from crossroads.core.report.page.page import write_page
from crossroads.core.results import Result, result_kinds
from tests.browser.conftest import agreeing
from tests.conftest import Once

Open = Callable[..., Any]
GATE = {
    "passed": False,
    "verdicts": [
        {"rule": f"<r>{i}", "test": "t", "statistic": "d", "outcome": outcome, "sentence": f"sentence {i}."}
        for i, outcome in enumerate(("passed", "broken", "excused"))
    ],
    "unmatched": ["<none>"],
}


@pytest.fixture(scope="module")
def document(every_result: dict[str, Result]) -> dict[str, Any]:
    """A result of every type in one document."""
    found = results_document(every_result.values(), model="everything <b>at once</b>")
    return {**json.loads(json.dumps(found)), "skipped": {"<w>": "no <i>words</i>"}}


@pytest.fixture(scope="module")
def page(document: dict[str, Any], once: Once) -> Path:
    """A page of all of them."""
    record = Record(
        document=document,
        gate=GATE,
        methods="# Methods\n\nWe used <b>one</b> \\[model\\].\n\nTwice.",
        citations="@misc{crossroads,\n  title = {<script>}\n}",
    )
    folder = once("browser-every", lambda folder: write_page(folder / "every.html", [record]))
    return folder / "every.html"


def _named(record: Record, name: str) -> Mapping[str, Any]:
    return record.results[list(record.document["names"]).index(name)]


def shown(page: Any, path: str) -> list[float]:
    """Every number on the page that stands for a place."""
    cells = page.evaluate(
        "[...document.querySelectorAll('data[data-at]')].map((e) => [e.dataset.at, e.value])"
    )
    return [float(value) for found, value in cells if found == path]


def rows_of(page: Any, caption: str) -> list[list[str]]:
    """The cells of a table, by the beginning of its caption."""
    table = page.locator(f'table:has(caption:has-text("{caption}"))').first
    found: list[list[str]] = table.evaluate(
        "(t) => [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent))"
    )
    return found


def filtered(scope: Any, title: str) -> Any:
    """The filter of a table, by its title."""
    return scope.locator("label", has_text=title).locator("select").first


def test_no_result_is_missing_and_every_number_is_its_own(
    opened: Open,
    page: Path,
    document: dict[str, Any],
) -> None:
    """All types of results on one page, with every part of it open."""
    assert {one["type"] for one in document["results"]} == {one.__name__ for one in result_kinds()}
    seen = opened(page).page
    seen.evaluate("unfolded()")
    places = agreeing(seen, document)
    for pairs in seen.locator("#comparison").get_by_label("Models", exact=True).all():
        for index in range(pairs.locator("option").count()):  # two models at a time
            pairs.select_option(str(index))
            places += agreeing(seen, document)
    for number, result in enumerate(document["results"]):
        if result["type"] != "ScreenResult":  # of one person, whose agreement with others is no number
            assert any(path.startswith(f"/results/{number}/") for path in places), result["type"]
    assert seen.evaluate("window.broken") is None
    assert seen.locator("main script, main img, main b, main i").count() == 0
    text = seen.locator("#methods").text_content()
    for result in document["results"]:  # the conventions of all types are gathered
        for name, value in result["conventions"].items():
            assert name in text
            if isinstance(value, (dict, list)):
                assert json.dumps(value, ensure_ascii=False, separators=(",", ":")) in text, name


@pytest.fixture(scope="module")
def crossed(vectors: Embeddings, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A page of WEFAT scores with a detection in them, from the published lists."""
    groups, lists = cr.catalog("ceat-groups"), cr.catalog("ceat-validation")
    scores = cr.stats.wefat(vectors, groups, lists.all_words, "AF", missing="drop")
    found = cr.ibd(scores.pairs, threshold="youden", truth=lists["AF"]["intersectional"])
    document = {**results_document([scores, found]), "names": ["AF WEFAT", "AF IBD"]}
    path = tmp_path_factory.mktemp("crossed") / "report.html"
    write_page(path, [Record(document=document, vectors=vectors)])
    return path, document


def test_the_curve_of_emergent_words_follows_the_threshold_where_it_turns_back(
    opened: Open, report: Path, record: Record
) -> None:
    curve = _named(record, "AF EIBD")["curve"]
    assert list(curve["fpr"]) != sorted(curve["fpr"])  # it does
    seen = opened(report).page
    seen.locator("#detection-1 > summary").click()
    line = seen.locator("#detection-1 svg path.line").get_attribute("d")
    points = np.array([point.split(",") for point in line[1:].split("L")], dtype=float)
    rates = np.column_stack([curve["fpr"], curve["tpr"]])
    assert points.shape == rates.shape
    for drawn, rate in zip(points.T, rates.T, strict=True):
        slope, start = np.polyfit(rate, drawn, 1)
        assert np.allclose(slope * rate + start, drawn, atol=0.1)


def test_a_detection_at_chance_says_so_first_and_what_was_left_out(
    opened: Open, crossed: tuple[Path, dict[str, Any]]
) -> None:
    path, document = crossed
    result = document["results"][1]
    low, high = result["auc_interval"]
    assert low < 0.5 < high
    seen = opened(path).page
    seen.locator("#detection-0 > summary").click()
    first = seen.locator("#detection-0 .opened > p").first
    assert first.inner_text().startswith("This detection is possibly at chance: ")
    assert shown(seen, "/results/1/auc_interval/0")[0] == low
    label = seen.locator("#detection-0 svg[role=img]").get_attribute("aria-label")
    assert f"the area is {result['auc']:.2f}" in label
    seen.locator("#detection-0 summary", has_text="Coverage").click()
    table = rows_of(seen.locator("#detection-0"), "Words that were not measured as written")
    left_out = {(row[0], row[1]) for row in table if row[2].startswith("left out")}
    dropped = result["coverage"]["dropped"]
    assert left_out == {(word, name) for name, words in dropped.items() for word in words}
    assert left_out


def test_a_published_p_value_too_small_for_a_number_is_a_bound(
    made: Callable[..., Any], every_result: dict[str, Result]
) -> None:
    found = every_result["ceat"]
    assert isinstance(found, CeatResult)
    page = made(replace(found, pvalue=0.0, log10_pvalue=-4321.4))
    shown = " ".join(rows_of(page, "Associations over contexts")[0])
    assert "<\N{NO-BREAK SPACE}1e−300" in shown
    assert "4321" not in shown


def test_methods_are_text_citations_can_be_copied_and_the_gate_is_told_by_rule(
    opened: Open, page: Path
) -> None:
    seen = opened(page).page
    text = seen.locator("#methods")
    assert text.locator("p", has_text="We used <b>one</b> [model].").count() == 1
    seen.evaluate("unfolded()")
    seen.evaluate("emptied()")
    seen.get_by_role("button", name="Copy BibTeX").first.click()
    assert seen.evaluate("copied()") == "@misc{crossroads,\n  title = {<script>}\n}"
    assert rows_of(text, "What could not be measured") == [["<w>", "no <i>words</i>"]]
    rows = rows_of(text, "Verdicts of the rules")
    assert [row[3] for row in rows] == ["✓ passed", "✗ broken", "○ excused"]
    filtered(text, "Outcome").select_option(label="✗ broken")
    assert [row[0] for row in rows_of(text, "Verdicts of the rules")] == ["<r>1"]
