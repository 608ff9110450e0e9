"""What a reader is told is true: sentences for every outcome, roundings that keep to it; focus; paper."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Embeddings, Provenance
from crossroads.measures.association.patterns import PATTERNS
from crossroads.report.documents.records import Record, results_document
from crossroads.report.page.page import write_page
from crossroads.stimuli import Design

Open = Callable[..., Any]
WORDS = {key: [f"{key}{i}" for i in range(6)] for key in "xyab"}
TITLES = {"x": "rivers", "y": "lakes", "a": "calm", "b": "storm"}


def _vectors(words: list[str], seed: int = 1, dim: int = 8, source: str = "made up") -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(len(words), dim))
    return Embeddings(words, vectors, provenance=Provenance(source=source))


def _design(name: str = "water", sets: dict[str, list[str]] | None = None) -> Design:
    x, y, a, b = (cr.StimulusSet(TITLES[key], tuple((sets or WORDS)[key])) for key in "xyab")
    return Design(name=name, x=x, y=y, a=a, b=b)


@pytest.fixture(scope="module")
def measured() -> str:
    """A test with three levels, as plain data."""
    emb = _vectors([word for words in WORDS.values() for word in words])
    return json.dumps(results_document([cr.mleat(emb, _design(), resamples=20)]))


@pytest.fixture
def told(made: Callable[..., Any], measured: str) -> Callable[..., list[Any]]:
    """``told(changes)``: the parts of one page that has that test once for each change, all of them open.

    A change gives new values by their place in the test, such as ``level1/pvalue``.
    """

    def tell(changes: Iterable[Mapping[str, Any]]) -> list[Any]:
        results = []
        for change in changes:
            (test,) = json.loads(measured)["results"]
            for place, value in change.items():
                *parents, last = place.split("/")
                functools.reduce(dict.__getitem__, parents, test)[last] = value
            results.append(test)
        names = [f"{i}" for i in range(len(results))]
        page = made(changed={**json.loads(measured), "results": results, "names": names})
        page.evaluate("unfolded()")
        found: list[Any] = page.locator("#tests > details").all()
        assert len(found) == len(results)
        return found

    return tell


def _words(part: Any) -> str:
    return str(part.locator(".plain-words").inner_text())


def test_a_difference_is_claimed_only_where_level_1_shows_it(told: Callable[..., list[Any]]) -> None:
    cases = [(pattern, holds) for pattern in PATTERNS for holds in (True, False)]
    changes = [
        {
            "crossed_pattern": pattern,
            "level1/crossed/pvalue": 0.01 if holds else 0.3,
            "level1/pvalue": 0.3 if holds else 0.4,
        }
        for pattern, holds in cases
    ]
    claims = (
        "has two sides",
        "only shows that one of them does so more",
        "should not be read as an opposite leaning",
        "So there is a difference",
    )
    for (pattern, holds), part in zip(cases, told(changes), strict=True):
        said, (x, y) = _words(part), PATTERNS[pattern]
        assert any(claim in said for claim in claims) is holds
        if not holds:
            assert "does not show that" in said or "neither the difference nor a leaning" in said
        if (x is None) != (y is None):
            still = TITLES["y" if x else "x"]
            assert f"That no leaning of {still} was found does not show that there is none." in said


def test_a_difference_of_just_these_words_is_not_said_to_be_more(told: Callable[..., list[Any]]) -> None:
    changes = [
        {"crossed_pattern": pattern, "level1/pvalue": 0.001, "level1/crossed/pvalue": 0.2}
        for pattern in PATTERNS
    ]
    for pattern, part in zip(PATTERNS, told(changes), strict=True):
        said = _words(part)
        undirected = "with just these words, which other words might not show"
        assert (undirected if pattern == "Non-Directional" else " beyond these words.") in said
        assert "Other words for the same things might not show it (p = 0.20;" in said
        assert "significant" not in said


OLD = {"level1/crossed": None, "level2/x/crossed": None, "level2/y/crossed": None, "crossed_pattern": None}
UNKNOWN = dict.fromkeys(("low", "high", "pvalue", "statistic", "se", "df"))
ALONE = {"difference": 0.1, "shares": {}, "reason": "A has a single word, and one word has no spread"}
SENTENCES: tuple[tuple[dict[str, Any], list[str], list[str]], ...] = (
    # what is changed, what is said then, and what is not
    (
        {**OLD, "pattern": "Non-Directional", "level1/pvalue": 0.01},
        ["So there is a difference between the two targets"],
        ["neither the difference nor a leaning", "Other words for the same things", "hold for other words"],
    ),
    (
        {**OLD, "pattern": "Non-Directional", "level1/pvalue": 0.3},
        ["neither the difference nor a leaning"],
        ["So there is a difference", "Other words for the same things", "hold for other words"],
    ),
    (
        {"pattern": "AX-Singular", "crossed_pattern": "Non-Directional", "level2/x/crossed/pvalue": 0.4},
        [
            "rivers, taken alone, is not found to lean to either attribute",
            "p = 0.40)",
            "By the rule of the paper, which takes the attribute words as given, it would be AX-Singular.",
        ],
        [],
    ),
    (
        {"level1/pvalue": 0.001, "level1/crossed": {**UNKNOWN, **ALONE}},
        [
            "Whether other words for the same things would show it cannot be told: "
            "calm has a single word, and one word has no spread."
        ],
        [],
    ),
    # both targets may be closer to the same attribute, so nothing may be said of one of them alone
    (
        {"level1/effect_size": 1.1},
        ["The words for rivers are closer to calm, relative to storm, than the words for lakes are (d = "],
        [],
    ),
    (
        {"level1/effect_size": -1.1},
        ["The words for rivers are closer to storm, relative to calm, than the words for lakes are (d = "],
        [],
    ),
    (
        {"conventions/ties": "weak", "level1/alternative": "two-sided"},
        ["a difference at least as extreme in either direction would"],
        ["could not have been found", "the correct number is twice that"],
    ),
    (
        {"conventions/ties": "strict", "level1/alternative": "two-sided"},
        ["a difference more extreme in either direction would"],
        ["could not have been found"],
    ),
    (
        {"conventions/ties": "weak", "level1/alternative": "greater"},
        ["a difference as far or further towards calm would", "a leaning to storm could"],
        ["the correct number is twice that"],
    ),
    (
        {"conventions/ties": "strict", "level1/alternative": "less"},
        ["a difference further towards storm would", "a leaning to calm could", "could not have been found"],
        [],
    ),
    (
        {"conventions/ties": "weak", "level1/alternative": "observed"},
        ["at least as large in the direction observed would", "the correct number is twice that"],
        ["could not have been found"],
    ),
)


def test_every_outcome_has_its_sentences(told: Callable[..., list[Any]]) -> None:
    older = [one for one in SENTENCES if OLD.keys() <= one[0].keys()]
    for some in (older, [one for one in SENTENCES if one not in older]):  # a page is of one version
        parts = told(change for change, *_ in some)
        for part, (change, wanted, unwanted) in zip(parts, some, strict=True):
            said = _words(part)
            assert [one for one in wanted if one not in said] == [], change
            assert [one for one in unwanted if one in said] == [], change


ROUNDED = (
    (0.0496, "exact", "p = 0.0496"),
    (0.04996, "exact", "p = 0.04996"),
    (0.05, "exact", "p = 0.050"),
    (0.00996, "exact", "p = 0.00996"),
    (0.0454, "exact", "p = 0.045"),
    (0.0124, "bracket", "p ≤ 0.013"),
    (0.013, "bracket", "p ≤ 0.013"),
    (0.9999, "bracket", "p ≤ 1.00"),
    (5.94e-5, "bracket", "p ≤ 6.0e−5"),
    (9.91e-5, "bracket", "p ≤ 1.0e−4"),
    (0.0124, "monte-carlo", "p ≈ 0.012"),
)
CROSSED = ((0.0496, "0.0496"), (0.05, "0.050"), (0.00996, "0.00996"), (5.94e-5, "5.9e−5"))


def test_rounding_a_p_value_crosses_no_level_and_breaks_no_bound(told: Callable[..., list[Any]]) -> None:
    exact = [
        {"level1/pvalue": p, "level1/method": method, "level1/crossed": None} for p, method, _ in ROUNDED
    ]
    bound = {"level1/pvalue": 0.0124, "level1/method": "bracket"}
    others = [{**bound, "level1/crossed/pvalue": p} for p, _ in CROSSED]
    ends = {**bound, "level1/pvalue_low": 0.01238, "level1/pvalue_high": 0.01242, "level1/pvalue": 0.01242}
    parts = told([*exact, *others, ends])
    lines = [part.locator("> summary .numbers").inner_text().split(", ") for part in parts]
    for line, (*_, shown) in zip(lines, ROUNDED, strict=False):
        assert shown in line
    tables = [
        dict(row.split("\t")[:2] for row in part.locator(".levels tbody tr").all_inner_texts())
        for part in parts[len(ROUNDED) :]
    ]
    for line, rows, (_, shown) in zip(lines[len(ROUNDED) :], tables, CROSSED, strict=False):
        assert f"p = {shown}" in line  # that for other words is no bound
        assert (rows["p"], rows["exact p"]) == (shown, "≤ 0.013")
    # bounds are rounded away from each other
    assert "between 0.012 and 0.013" in parts[-1].locator("ul.methods li").first.inner_text()
    assert (tables[-1]["exact p, lower bound"], tables[-1]["exact p, upper bound"]) == ("0.012", "0.013")


@pytest.mark.parametrize("column", ["\u0394 low", "CI low"], ids=["this version", "older"])
def test_what_is_missing_is_sorted_last_up_and_down(
    opened: Open, record: Record, older: Callable[..., dict[str, Any]], tmp_path: Path, column: str
) -> None:
    document = json.loads(json.dumps(dict(record.document)))
    battery = next(one for one in document["results"] if one["type"] == "BatteryResult")
    battery["intervals"] = {"weat6": battery["intervals"]["weat6"]}
    for test in battery["tests"]:
        if test["design"] != "weat6":
            test["level1"]["crossed"].update(low=None, high=None)
    if column == "CI low":
        document = older(document)
    path = tmp_path / "missing.html"
    write_page(path, [Record(document=document)])
    page = opened(path).page
    head = page.locator("#overview thead th", has_text=column)
    for direction in ("ascending", "descending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == direction
        names = page.locator("#overview tbody th").all_inner_texts()
        assert names[0] == "weat6" and len(names) == 4


def test_who_chooses_a_model_by_keyboard_can_go_on_choosing(
    opened: Open, record: Record, tmp_path: Path
) -> None:
    path = tmp_path / "three.html"
    others = [Record(document={**record.document, "model": name}) for name in ("second", "third")]
    write_page(path, [record, *others])
    page = opened(path).page
    page.locator("#model").focus()
    for expected in ("1", "2"):
        page.keyboard.press("ArrowDown")
        assert page.evaluate("[document.activeElement.id, document.activeElement.value]") == [
            "model",
            expected,
        ]


def test_who_edits_a_test_by_keyboard_stays_there(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.evaluate("location.hash = 'weat6'")
    page.locator("#tests .strip-word[tabindex='0']").focus()
    page.keyboard.press("Enter")  # choose a word, go on past the menu of the figure to its panel, drop it
    for _ in range(3):
        if page.evaluate("document.activeElement.className") != "drop":
            page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#tests .bench[data-edited=yes]")
    assert page.evaluate("document.activeElement.className") == "drop"
    assert page.evaluate("document.activeElement.textContent") == "Put back John"
    page.keyboard.press("Enter")
    page.wait_for_selector("#tests .bench[data-edited=no]")


def test_what_cannot_be_copied_is_shown_and_then_gone(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    button = page.locator("#overview .table .menu-button").first
    close = page.get_by_role("button", name="Close")
    for leave in (lambda: page.keyboard.press("Escape"), close.click):
        button.press("Enter")
        page.get_by_role("menuitem", name="Copy CSV").press("Enter")
        page.wait_for_selector("dialog.copying")
        leave()
        page.wait_for_selector("dialog.copying", state="detached")
        assert button.evaluate("(one) => one === document.activeElement")


def test_two_tests_of_one_name_are_two_in_the_explorer(made: Callable[..., Any]) -> None:
    emb = _vectors([word for words in WORDS.values() for word in words])
    turned = _design(sets={**WORDS, "x": WORDS["y"], "y": WORDS["x"]})
    tests = [cr.mleat(emb, design, resamples=0) for design in (_design(), turned)]
    page = made(*tests, vectors=emb)
    page.evaluate("location.hash = 'explorer'")
    page.wait_for_selector(".explorer-results[data-shown=yes]")
    page.select_option("select.start", "1")
    saved, now = page.locator(".explorer-glance data").all()[:2]
    assert float(saved.get_attribute("value")) == tests[1].level1.effect_size
    assert float(now.get_attribute("value")) == pytest.approx(tests[1].level1.effect_size, rel=1e-12)


def test_paper_keeps_its_headings_and_says_what_it_leaves_out(made: Callable[..., Any]) -> None:
    words = {key: [f"{key}{i}" for i in range(110)] for key in "xyab"}
    emb = _vectors([word for some in words.values() for word in some])
    page = made(cr.weat(emb, _design(sets=words)), methods="We measured.", citations="@misc{a}")
    page.locator("#tests > details:nth-of-type(1) > summary").click()
    note = page.locator("#tests > details:nth-of-type(1) .table", has_text="Target words").locator(".cut")
    note.wait_for(state="attached")
    assert not note.is_visible()
    page.emulate_media(media="print")
    assert note.is_visible()
    assert note.inner_text() == "The first 200 of 220 rows."
    assert page.get_by_role("heading", name="Methods paragraph").is_visible()
    assert not page.locator("button.copy").first.is_visible()


def test_maps_are_visible_in_the_colours_of_the_reader(opened: Open, report: Path) -> None:
    page = opened(report, dark=True, forced_colors="active").page
    seen = page.locator("#overview svg.eat-map .cell rect").first.evaluate(
        "(one) => [getComputedStyle(one).stroke, getComputedStyle(document.body).backgroundColor]"
    )
    assert seen[0] not in ("none", seen[1])


def test_without_scripts_a_page_that_has_no_battery_points_to_its_numbers(
    opened: Open, measured: str, tmp_path: Path
) -> None:
    path = tmp_path / "silent.html"
    write_page(path, [Record(document=json.loads(measured))])
    page = opened(path, ready=False, java_script_enabled=False).page
    said = page.locator(".plain").inner_text()
    assert "Its numbers are in results.json." in said
    assert "main numbers" not in said


def test_a_comparison_is_no_model_in_the_title(opened: Open, tmp_path: Path) -> None:
    words = [word for some in WORDS.values() for word in some]
    first, second = _vectors(words, 1, source="one"), _vectors(words, 2, source="two")
    records = [Record(document=results_document([cr.weat(emb, _design())])) for emb in (first, second)]
    both = results_document([cr.compare(first, second, _design())], model="comparison")
    path = tmp_path / "compared.html"
    write_page(path, [*records, Record(document=both)])
    assert opened(path).page.title() == "Associations in one, two"
