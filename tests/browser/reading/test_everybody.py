"""What is on the page is there for everybody: on a phone, by keyboard, by ear, on paper, without a mouse."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Embeddings, Provenance
from crossroads.report.documents.records import Record, results_document
from crossroads.report.page.page import write_page

Open = Callable[..., Any]
WORDS = {key: [f"{key}{i}" for i in range(6)] for key in "xyab"}
EMB = Embeddings(
    [word for some in WORDS.values() for word in some],
    np.random.default_rng(1).normal(size=(24, 8)),
    provenance=Provenance(source="made up"),
)


def _sets() -> dict[str, cr.StimulusSet]:
    return {key: cr.StimulusSet(key, tuple(words)) for key, words in WORDS.items()}


# Columns

UNEXPLAINED = """() => [...document.querySelectorAll(".table")].flatMap((table) => {
  const said = new Map([...table.querySelectorAll(":scope > .meaning dt")]
    .map((term) => [term.textContent, term.nextElementSibling.textContent]));
  return [...table.querySelectorAll("th .sort[title]")]
    .filter((one) => said.get(one.textContent) !== one.title)
    .map((one) => `${one.closest("section").id}: ${one.textContent}`);
})"""


def test_what_a_heading_tells_who_points_at_it_stands_below_the_table(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.evaluate("unfolded()")
    assert page.locator("th .sort[title]").count() > 40
    # the overview has its own legend above the table: see the next test
    assert {one.split(":")[0] for one in page.evaluate(UNEXPLAINED)} == {"overview"}


@pytest.mark.parametrize("old", [False, True], ids=["this version", "older"])
def test_the_legend_of_the_overview_explains_every_heading_of_its_table(
    opened: Open, record: Record, older: Callable[..., dict[str, Any]], tmp_path: Path, *, old: bool
) -> None:
    path = tmp_path / "explained.html"
    write_page(path, [Record(document=older(record.document)) if old else record])
    page = opened(path).page
    page.locator("#overview summary", has_text="How to read these numbers").click()
    page.locator("#overview dl.legend dt").first.wait_for()  # made when the part has opened
    terms = ", ".join(page.locator("#overview dl.legend dt").all_inner_texts()).split(", ")
    heads = page.locator("#overview th .sort[title]").all_inner_texts()
    numbers = ["CI low", "CI high"] if old else ["\u0394", "\u0394 low", "\u0394 high"]
    exact = [] if old else ["exact p"]
    assert heads == [*("question", "d", *numbers, "p", "p (BH)", "p (Holm)", *exact, "pattern", "left out")]
    for head in heads:
        assert head.removesuffix(" low").removesuffix(" high").removeprefix("p (").rstrip(")") in terms
    assert len(terms) == len(set(terms))
    said = page.locator("#overview dl.legend").inner_text()
    assert ("the middle 95 % of the effect sizes" in said) is old
    assert ("the ends of its 95 % interval" in said) is not old


@pytest.fixture
def better(record: Record, tmp_path: Path) -> Path:
    """The page of the audit with detections that are better than chance, whose words are listed."""
    document = copy.deepcopy(record.document)
    for one in document["results"]:
        if one["type"] == "DetectionResult":
            one["auc_interval"] = [0.6, 0.9]
    write_page(tmp_path / "better.html", [replace(record, document=document)])
    return tmp_path / "better.html"


def test_tables_fit_on_paper_and_keep_their_headings(opened: Open, report: Path) -> None:
    page = opened(report, width=680).page  # A4 with margins of 15 mm
    page.evaluate("unfolded()")
    page.emulate_media(media="print")
    page.evaluate("settled()")
    found = page.evaluate(
        """[...document.querySelectorAll("#main table")].map((one) => [one.caption.textContent,
          one.getBoundingClientRect().right > innerWidth + 1,
          [...one.querySelectorAll("th")].some((head) => getComputedStyle(head).position !== "static")])"""
    )
    assert len(found) > 20
    assert [caption for caption, wide, moved in found if wide or moved] == []


# Numbers


def test_who_taps_a_number_sees_all_its_digits(opened: Open, report: Path, record: Record) -> None:
    page = opened(report, width=360, has_touch=True).page
    d = record.document["results"][0]["tests"][0]["level1"]["effect_size"]
    cell = page.locator("#overview tbody data").first
    page.evaluate("listening()")
    cell.click()
    page.evaluate("settled()")
    assert page.evaluate("heard.seen") == []  # who points sees a title
    cell.tap()
    page.wait_for_function("() => heard.seen.length > 0")
    assert {float(one) for one in page.evaluate("heard.seen")} == {d}  # seen once or more while it is shown


def test_where_there_is_no_number_it_is_heard(made: Callable[..., Any]) -> None:
    sets = _sets()
    fit = cr.rsa(EMB, sets["x"], sets["y"], sets["b"], n=3, samples=3, permutations=0)
    page = made(fit)
    row = page.locator("#geometry tbody tr")
    assert row.get_by_role("img", name="none").first.inner_text() == "–"


# Sentences


@pytest.mark.parametrize(("p", "doubted"), [(0.049, False), (0.05, True), (0.6, True)])
def test_a_better_fit_that_may_be_chance_is_said_to_be_that(
    made: Callable[..., Any], p: float, *, doubted: bool
) -> None:
    sets = _sets()
    document = results_document(
        [cr.rsa(EMB, sets["x"], sets["y"], sets["b"], n=3, samples=3, permutations=99)]
    )
    document["results"][0]["crossed"]["pvalue"] = p
    page = made(changed=document)
    part = page.locator("#geometry details[id]").first
    part.locator("summary").first.click()
    said = part.locator("p").first.inner_text()
    assert "the fit is better for" in said
    assert ("which of the two fits better may be chance" in said) is doubted


# Figures and lists


@pytest.mark.parametrize("width", [1280, 360])
def test_names_on_the_plane_lie_on_no_mark_of_a_word_that_was_found(
    opened: Open, better: Path, width: int
) -> None:
    page = opened(better, width=width).page
    page.locator("svg.plane").wait_for()
    page.evaluate("settled()")
    hidden = page.evaluate(
        """() => {
          const boxes = (name) => [...document.querySelectorAll(`svg.plane ${name}`)]
            .map((one) => one.getBoundingClientRect());
          const names = boxes("text.word"), marks = boxes("[role=option] path.dot");
          const covers = (name, mark) => name.left + 2 < mark.right && mark.left < name.right - 2
            && name.top + 3 < mark.bottom && mark.top < name.bottom - 3;
          return [names.length, marks.length,
            names.flatMap((name) => marks.filter((mark) => covers(name, mark))).length];
        }"""
    )
    assert min(hidden[:2]) > 3
    assert hidden[2] == 0
