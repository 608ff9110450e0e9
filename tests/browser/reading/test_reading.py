"""What a reader is told is true: sentences for every outcome, roundings that keep to it; focus; paper."""

from __future__ import annotations

import json
from collections.abc import Callable
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
def told(opened: Open, measured: str, tmp_path: Path) -> Callable[..., Any]:
    """``told(change)``: the page of that test after `change` was applied to it, the test open."""

    def tell(change: Callable[[dict[str, Any]], None]) -> Any:
        document = json.loads(measured)
        change(document["results"][0])
        path = tmp_path / "told.html"
        write_page(path, [Record(document=document)])
        page = opened(path).page
        page.locator("#tests > details:nth-of-type(1) > summary").click()
        page.wait_for_selector("#tests > details:nth-of-type(1) .plain-words")
        return page

    return tell


def _said(page: Any) -> str:
    found: str = page.locator("#tests > details:nth-of-type(1) .plain-words").inner_text()
    return found


@pytest.mark.parametrize("holds", [True, False], ids=["p below .05", "p not below .05"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_difference_is_claimed_only_where_level_1_shows_it(
    told: Callable[..., Any], pattern: str, *, holds: bool
) -> None:
    def change(test: dict[str, Any]) -> None:
        test["crossed_pattern"] = pattern
        test["level1"]["crossed"]["pvalue"] = 0.01 if holds else 0.3
        test["level1"]["pvalue"] = 0.3 if holds else 0.4

    said = _said(told(change))
    x, y = PATTERNS[pattern]
    claims = [
        "has two sides",
        "only shows that one of them does so more",
        "should not be read as an opposite leaning",
        "So there is a difference",
    ]
    assert any(claim in said for claim in claims) is holds
    if not holds:
        assert "does not show that" in said or "neither the difference nor a leaning" in said
    if (x is None) != (y is None):
        still = TITLES["y" if x else "x"]
        assert f"That no leaning of {still} was found does not show that there is none." in said


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_difference_of_just_these_words_is_not_said_to_be_more(
    told: Callable[..., Any], pattern: str
) -> None:
    def change(test: dict[str, Any]) -> None:
        test["crossed_pattern"] = pattern
        test["level1"]["pvalue"], test["level1"]["crossed"]["pvalue"] = 0.001, 0.2

    said = _said(told(change))
    limit = "with just these words, which other words might not show" if pattern == "Non-Directional" else ""
    assert (limit or " beyond these words.") in said
    assert "Other words for the same things might not show it (p = 0.20;" in said
    assert "significant" not in said


@pytest.mark.parametrize("p", [0.01, 0.3])
def test_a_file_of_an_older_version_claims_what_its_own_p_value_shows(
    told: Callable[..., Any], p: float
) -> None:
    def change(test: dict[str, Any]) -> None:
        for level in (test["level1"], *test["level2"].values()):
            level["crossed"] = None
        test.update(pattern="Non-Directional", crossed_pattern=None)
        test["level1"]["pvalue"] = p

    said = _said(told(change))
    assert ("So there is a difference between the two targets" in said) is (p < 0.05)
    assert ("neither the difference nor a leaning" in said) is (p > 0.05)
    assert "Other words for the same things" not in said and "hold for other words" not in said


def test_a_leaning_is_told_with_the_p_value_that_decides_it(told: Callable[..., Any]) -> None:
    def change(test: dict[str, Any]) -> None:
        test.update(pattern="AX-Singular", crossed_pattern="Non-Directional")
        test["level2"]["x"]["pvalue"], test["level2"]["x"]["crossed"]["pvalue"] = 0.02, 0.4

    said = _said(told(change))
    assert "rivers, taken alone, is not found to lean to either attribute" in said and "p = 0.40)" in said
    assert (
        "By the rule of the paper, which takes the attribute words as given, it would be AX-Singular." in said
    )


def test_one_word_in_a_list_leaves_open_what_other_words_would_show(told: Callable[..., Any]) -> None:
    none = dict.fromkeys(("low", "high", "pvalue", "statistic", "se", "df"))

    def change(test: dict[str, Any]) -> None:
        test["level1"]["pvalue"] = 0.001
        test["level1"]["crossed"].update(
            none, shares={}, reason="A has a single word, and one word has no spread"
        )

    page = told(change)
    assert (
        "Whether other words for the same things would show it cannot be told: "
        "calm has a single word, and one word has no spread." in _said(page)
    )
    assert page.locator("#overview .outcome").inner_text().endswith("in 0 of 1 (1 cannot be told).")
    assert page.locator("#overview .dot.hollow").count() == 1
    assert page.locator("#overview svg.chart .interval").count() == 0


@pytest.mark.parametrize(("d", "near", "far"), [(1.1, "calm", "storm"), (-1.1, "storm", "calm")])
def test_the_difference_is_said_to_be_one_of_two_targets(
    told: Callable[..., Any], d: float, near: str, far: str
) -> None:
    # both targets may be closer to the same attribute, so nothing may be said of one of them alone
    def change(test: dict[str, Any]) -> None:
        test["level1"]["effect_size"] = d

    said = _said(told(change))
    closer = (
        f"The words for rivers are closer to {near}, relative to {far}, than the words for lakes are (d = "
    )
    assert closer in said


@pytest.mark.parametrize(
    ("alternative", "ties", "extreme", "unseen"),
    [
        ("two-sided", "weak", "a difference at least as extreme in either direction would", None),
        ("two-sided", "strict", "a difference more extreme in either direction would", None),
        ("greater", "weak", "a difference as far or further towards calm would", "a leaning to storm could"),
        ("less", "strict", "a difference further towards storm would", "a leaning to calm could"),
        ("observed", "weak", "at least as large in the direction observed would", None),
    ],
)
def test_the_tail_and_the_ties_are_told_as_they_were_counted(
    told: Callable[..., Any], alternative: str, ties: str, extreme: str, unseen: str | None
) -> None:
    def change(test: dict[str, Any]) -> None:
        test["conventions"]["ties"] = ties
        test["level1"]["alternative"] = alternative

    said = _said(told(change))
    assert extreme in said
    assert ("could not have been found" in said) is (unseen is not None)
    assert unseen is None or unseen in said
    assert ("the correct number is twice that" in said) is (alternative == "observed")


@pytest.mark.parametrize(
    ("p", "method", "shown"),
    [
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
    ],
)
def test_rounding_a_p_value_crosses_no_level_and_breaks_no_bound(
    told: Callable[..., Any], p: float, method: str, shown: str
) -> None:
    def change(test: dict[str, Any]) -> None:
        test["level1"].update(pvalue=p, method=method, crossed=None)

    line = told(change).locator("#tests > details:nth-of-type(1) > summary .numbers").inner_text()
    assert shown in line.split(", ")


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0496, "0.0496"), (0.05, "0.050"), (0.00996, "0.00996"), (5.94e-5, "5.9e−5")]
)
def test_a_p_value_for_other_words_is_rounded_likewise_and_is_no_bound(
    told: Callable[..., Any], p: float, shown: str
) -> None:
    def change(test: dict[str, Any]) -> None:
        test["level1"]["crossed"]["pvalue"] = p
        test["level1"].update(pvalue=0.0124, method="bracket")

    page = told(change)
    assert f"p = {shown}" in page.locator(
        "#tests > details:nth-of-type(1) > summary .numbers"
    ).inner_text().split(", ")
    rows = dict(
        row.split("\t")[:2]
        for row in page.locator("#tests > details:nth-of-type(1) .levels tbody tr").all_inner_texts()
    )
    assert (rows["p"], rows["exact p"]) == (shown, "≤ 0.013")


def test_bounds_are_rounded_away_from_each_other(told: Callable[..., Any]) -> None:
    def change(test: dict[str, Any]) -> None:
        test["level1"].update(pvalue=0.01242, pvalue_low=0.01238, pvalue_high=0.01242, method="bracket")

    page = told(change)
    assert (
        "between 0.012 and 0.013"
        in page.locator("#tests > details:nth-of-type(1) ul.methods li").first.inner_text()
    )
    rows = page.locator("#tests > details:nth-of-type(1) .levels tbody tr").all_inner_texts()
    assert next(row for row in rows if row.startswith("exact p, lower bound")).split("\t")[1] == "0.012"
    assert next(row for row in rows if row.startswith("exact p, upper bound")).split("\t")[1] == "0.013"


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


def test_an_address_that_is_no_address_of_the_page_does_no_harm(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.evaluate("location.hash = '#%E0%A4'")
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.locator("#explorer").count() == 1


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


@pytest.mark.parametrize("way", ["Escape", "Close"])
def test_what_cannot_be_copied_is_shown_and_then_gone(opened: Open, report: Path, way: str) -> None:
    page = opened(report).page
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject(new Error('no')))")
    button = page.locator("#overview .table .menu-button").first
    button.press("Enter")
    page.get_by_role("menuitem", name="Copy CSV").press("Enter")
    page.wait_for_selector("dialog.copying")
    if way == "Escape":
        page.keyboard.press("Escape")
    else:
        page.get_by_role("button", name="Close").click()
    page.wait_for_selector("dialog.copying", state="detached")
    assert button.evaluate("(one) => one === document.activeElement")


def test_two_tests_of_one_name_are_two_in_the_explorer(opened: Open, tmp_path: Path) -> None:
    emb = _vectors([word for words in WORDS.values() for word in words])
    turned = _design(sets={**WORDS, "x": WORDS["y"], "y": WORDS["x"]})
    tests = [cr.mleat(emb, design, resamples=0) for design in (_design(), turned)]
    path = tmp_path / "twice.html"
    write_page(path, [Record(document=results_document(tests), vectors=emb)])
    page = opened(path).page
    page.evaluate("location.hash = 'explorer'")
    page.wait_for_selector(".explorer-results[data-shown=yes]")
    page.select_option("select.start", "1")
    assert page.locator("select.start").input_value() == "1"
    saved, now = page.locator(".explorer-glance data").all()[:2]
    assert float(saved.get_attribute("value")) == tests[1].level1.effect_size
    assert float(now.get_attribute("value")) == pytest.approx(tests[1].level1.effect_size, rel=1e-12)


def test_two_lists_that_are_the_same_are_counted_to_the_end(opened: Open, tmp_path: Path) -> None:
    # X and Y have the same Level 2 scores, whose divisions, C(40, 20), are too many to be counted at once
    sets = {key: [f"{key}{i}" for i in range(20 if key in "ab" else 3)] for key in "xyab"}
    emb = _vectors([word for words in sets.values() for word in words])
    same = {**sets, "y": sets["x"]}
    path = tmp_path / "same.html"
    write_page(
        path,
        [Record(document=results_document([cr.mleat(emb, _design(sets=sets), resamples=0)]), vectors=emb)],
    )
    page = opened(path).page
    page.evaluate("location.hash = 'explorer'")
    page.wait_for_selector(".explorer-results[data-shown=yes]")
    for word in sets["y"]:
        page.get_by_role("button", name=f"remove {word} from lakes").click()
    field = page.get_by_label("add words to lakes")
    field.fill(", ".join(same["y"]))
    field.press("Enter")
    counting = page.locator("select.tail").evaluate(
        "(one) => { one.value = 'greater'; one.dispatchEvent(new Event('change'));"
        " return document.querySelector('.explorer-results').dataset.counting; }"
    )
    assert counting == "yes"  # both at once
    page.wait_for_selector(".explorer-results[data-counting=no]")
    p = [page.locator(f".p-{role} data").get_attribute("value") for role in "xy"]
    alone = cr.mleat(emb, _design(sets=sets), alternative="greater", resamples=0).level2["x"]
    assert p[0] == p[1]
    assert float(p[0]) == pytest.approx(alone.pvalue, rel=1e-9)


def test_paper_keeps_its_headings_and_says_what_it_leaves_out(
    opened: Open, record: Record, tmp_path: Path
) -> None:
    words = {key: [f"{key}{i}" for i in range(110)] for key in "xyab"}
    emb = _vectors([word for some in words.values() for word in some])
    path = tmp_path / "paper.html"
    document = results_document([cr.weat(emb, _design(sets=words))])
    write_page(path, [Record(document=document, methods="We measured.", citations="@misc{a}")])
    page = opened(path).page
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
