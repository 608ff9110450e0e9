"""The overview: true counts, one search for table, maps and forest, copies, links, several models."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Embeddings
from crossroads.measures.association.patterns import map_cells
from crossroads.report import Audit
from crossroads.report.documents.records import Record, audit_document, read_records
from crossroads.report.page.page import write_page
from crossroads.stimuli import Design
from tests.conftest import Once

HOSTILE = ("<script>alert(1)</script>", "שלום עולם", "👩🏽‍🔬", "x" * 200, "__proto__", "a\"b'c", "a/b~c")


def _random_vectors(words: Sequence[str], seed: int, dim: int = 12) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    return {word: rng.normal(size=dim).tolist() for word in words}


def _design(name: str, stem: str, n: int = 8) -> Design:
    x, y, a, b = (
        cr.StimulusSet(f"{stem} {key}", tuple(f"{stem}{key}{i}" for i in range(n))) for key in "xyab"
    )
    return Design(name=name, x=x, y=y, a=a, b=b)


@pytest.fixture(scope="module")
def mixed() -> Record:
    """Six tests, of which two hold by construction and four are noise; names that could be markup."""
    designs = [_design(name, f"w{i}-") for i, name in enumerate(("plain", "other", *HOSTILE[:4]))]
    vectors = _random_vectors([word for one in designs for word in one.words], seed=5)
    for one in designs[:2]:  # move the first target to the first attribute, and the second to the second
        for target, attribute, side in ((one.x, one.a, 5.0), (one.y, one.b, -5.0)):
            for word in (*(target or ()), *attribute):
                vectors[word][0] += side
    emb = Embeddings.from_dict(vectors)
    battery = cr.battery(emb, designs, alternative="two-sided", resamples=50)
    drawn = {one.name: cr.stats.bootstrap(emb, one, resamples=100) for one in designs}
    audit = Audit([replace(battery, intervals=drawn)])
    return Record(document=audit_document(audit, designs), vectors=emb)


@pytest.fixture(scope="module")
def mixed_page(mixed: Record, once: Once) -> Path:
    return once("browser-mixed", lambda folder: write_page(folder / "mixed.html", [mixed])) / "mixed.html"


def _battery(record: Record) -> dict[str, Any]:
    return dict(record.results[0])


def _names(page: Any) -> list[str]:
    """The tests in the table of the overview, in order."""
    return [str(one) for one in page.locator("#overview .table tbody th").all_inner_texts()]


def _clipboard(page: Any, item: str) -> str:
    page.evaluate("emptied()")
    page.locator("#overview .table").first.get_by_role("button", name="Copy or save this table").click()
    page.get_by_role("menuitem", name=item).click()
    return str(page.evaluate("copied()"))


def test_the_lead_counts_the_tests_whose_adjusted_p_is_below_the_level(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    battery = _battery(mixed)
    holding = [
        t["design"] for t, p in zip(battery["tests"], battery["adjusted"]["bh"], strict=True) if p < 0.05
    ]
    assert holding == ["plain", "other"]  # so that the page must tell the two kinds apart
    page = opened(mixed_page).page
    said = page.locator("#overview .outcome").inner_text()
    assert said.startswith("Other words for the same things would show the difference too")
    assert said.endswith("below .05) in 2 of 6.")


def test_an_older_file_is_told_by_its_own_p_values_and_drawn_with_its_effect_sizes(
    opened: Callable[..., Any], mixed: Record, older: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    document = older(mixed.document)
    write_page(tmp_path / "old.html", [Record(document=document)])
    page = opened(tmp_path / "old.html").page
    said = page.locator("#overview .outcome").inner_text()
    assert said.startswith("The p-value of the difference, adjusted")
    assert "is below .05 in 2 of 6." in said
    forest = page.locator("#overview svg.chart[aria-label^='Effect sizes of 6 tests']")
    assert forest.locator(".interval").count() == 6
    rows = list(csv.DictReader(io.StringIO(_clipboard(page, "Copy CSV"))))
    (battery,) = document["results"]
    assert [float(row["p"]) for row in rows] == [one["level1"]["pvalue"] for one in battery["tests"]]
    assert "exact p" not in rows[0]


def test_one_search_serves_the_table_the_maps_and_the_forest(
    opened: Callable[..., Any], mixed_page: Path
) -> None:
    page = opened(mixed_page).page
    assert len(_names(page)) == page.locator("#overview a.card.map").count() == 6
    page.get_by_role("search", name="Tests").get_by_label("Search").fill("PLAIN")
    assert _names(page) == ["plain"]
    assert page.locator("#overview a.card.map .named").all_inner_texts() == ["plain"]
    forest = page.locator("#overview svg.chart[aria-label^='Differences of 1 test:']")
    assert forest.count() == 1
    assert page.get_by_role("search", name="Tests").locator(".count").inner_text() == "1 of 6 tests"
    page.get_by_role("search", name="Tests").get_by_label("Search").fill("nothing like this")
    assert page.locator("#overview a.card.map").count() == 0
    assert page.locator("#overview .table tbody").inner_text() == "Nothing matches."


def test_tests_can_be_chosen_by_outcome_and_by_pattern(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    page = opened(mixed_page).page
    tools = page.get_by_role("search", name="Tests")
    tools.get_by_label("Adjusted p").select_option("below .05")
    assert _names(page) == ["plain", "other"]
    tools.get_by_label("Adjusted p").select_option("")
    wanted = _battery(mixed)["tests"][0]["crossed_pattern"]
    tools.get_by_label("Pattern").select_option(wanted)
    assert _names(page) == [t["design"] for t in _battery(mixed)["tests"] if t["crossed_pattern"] == wanted]


def test_the_copied_csv_holds_the_whole_numbers_of_the_rows_that_are_shown(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    page = opened(mixed_page).page
    page.get_by_role("search", name="Tests").get_by_label("Adjusted p").select_option("not below .05")
    rows = list(csv.DictReader(io.StringIO(_clipboard(page, "Copy CSV"))))
    battery = _battery(mixed)
    assert [row["test"] for row in rows] == list(HOSTILE[:4])
    for row, place in zip(rows, range(2, 6), strict=True):
        test = battery["tests"][place]
        assert float(row["d"]) == test["level1"]["effect_size"]
        assert float(row["p"]) == test["level1"]["crossed"]["pvalue"]
        assert float(row["exact p"]) == test["level1"]["pvalue"]
        for head, key in (("\u0394", "difference"), ("\u0394 low", "low"), ("\u0394 high", "high")):
            assert float(row[head]) == test["level1"]["crossed"][key]
        assert float(row["p (BH)"]) == battery["adjusted"]["bh"][place]
        assert float(row["p (Holm)"]) == battery["adjusted"]["holm"][place]
        assert row["pattern"] == test["crossed_pattern"]


def test_the_copied_latex_holds_what_is_shown(opened: Callable[..., Any], mixed_page: Path) -> None:
    page = opened(mixed_page).page
    page.get_by_role("search", name="Tests").get_by_label("Search").fill("plain")
    text = _clipboard(page, "Copy LaTeX")
    shown = page.locator("#overview .table tbody tr td.n").all_inner_texts()
    body = re.search(r"\\midrule\n(.*)\\bottomrule", text, re.S)
    assert body is not None
    cells = [one.strip().replace("$-$", "−") for one in body[1].strip().removesuffix("\\\\").split("&")]
    assert cells[0] == "plain"
    assert [one for one in shown if one not in cells] == []


def test_a_map_says_in_words_what_it_shows(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    page = opened(mixed_page).page
    test = _battery(mixed)["tests"][0]
    assert test["crossed_pattern"] == "AB-Divergent"  # by construction
    card = page.locator("#overview a.card.map").first
    label = card.locator("svg").get_attribute("aria-label")
    x, y = (f"{abs(test['level2'][key]['effect_size']):.2f}" for key in "xy")
    said = "w0- x towards w0- a, w0- y towards w0- b"
    assert label.startswith(
        f"EAT-Map: {said} (AB-Divergent). w0- x: leaning found ({x} towards w0- a); "
        f"w0- y: leaning found ({y} towards w0- b)."
    )
    assert card.locator(".pattern").inner_text() == f"{said} (AB-Divergent)"
    assert card.locator(".cell.found").count() == 2
    shown = [" ".join(one.all_text_contents()) for one in map(_lines, card.locator(".cell.found").all())]
    assert shown == [f"towards w0- a {x} *", f"towards w0- b {y} *"]


def _lines(cell: Any) -> Any:
    return cell.locator("tspan")


def test_maps_are_drawn_by_the_rules_of_the_figures(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    page = opened(mixed_page).page
    for test, card in zip(_battery(mixed)["tests"], page.locator("#overview a.card.map").all(), strict=True):
        effects = {key: one["effect_size"] for key, one in test["level2"].items()}
        for key, cell in map_cells(test["crossed_pattern"], effects).items():
            drawn = card.locator(f"[data-cell={key}]")
            found = ["found"] if cell.found else []
            assert drawn.get_attribute("class").split() == ["cell", f"{key[0]}{cell.step}", *found]
            number = [] if cell.size is None else [f"{cell.size:.2f}" + (" *" if cell.found else "")]
            assert drawn.locator("tspan").all_text_contents()[-1:] == number or cell.size is None


def test_a_map_marks_groups_that_differ_though_neither_leans(
    opened: Callable[..., Any], tmp_path: Path, mixed: Record
) -> None:
    document = json.loads(json.dumps(mixed.document))
    battery = next(one for one in document["results"] if one["type"] == "BatteryResult")
    for k, (exact, beyond) in enumerate([(0.001, 0.01), (0.001, 0.4), (0.4, 0.4)]):
        battery["tests"][k]["crossed_pattern"] = "Non-Directional"
        battery["tests"][k]["level1"]["pvalue"] = exact
        battery["adjusted"]["bh"][k] = beyond
    path = tmp_path / "differ.html"
    write_page(path, [Record(document=document)])
    cards = opened(path).page.locator("#overview a.card.map")
    said = [cards.nth(k).locator(".difference").inner_text() for k in range(3)]
    assert said == [
        "≠ the groups differ, though neither is found to lean, and other words would show it too",
        "≠ the groups differ with these words, though neither is found to lean; "
        "other words might not show it",
        "a difference of the groups is not shown",
    ]
    marks = [cards.nth(k).locator(".differ") for k in range(3)]
    assert [one.count() for one in marks] == [1, 1, 0]
    dashes = [
        one.locator("circle").evaluate("(c) => getComputedStyle(c).strokeDasharray") for one in marks[:2]
    ]
    assert dashes[0] == "none" != dashes[1]


def test_several_models_stand_beside_one_another_each_with_its_own_numbers(
    opened: Callable[..., Any],
    mixed: Record,
    record: Record,
    tmp_path: Path,
    agreeing: Callable[..., list[str]],
) -> None:
    path = tmp_path / "both.html"
    write_page(path, [mixed, record])
    page = opened(path).page
    page.get_by_text("All models side by side").click()
    page.wait_for_selector("#models data")
    agreeing(page, mixed.document, record.document)
    shown = page.locator("#models data").evaluate_all("(all) => all.map((one) => one.dataset.audit)")
    assert sorted(shown) == ["0"] * 6 + ["1"] * 4
    assert page.locator("#models tbody tr").count() == 10


def test_what_holds_with_just_these_words_is_said_beside_what_holds_for_others(
    opened: Callable[..., Any], report: Path, record: Record
) -> None:
    tests = _battery(record)["tests"]
    below = sum(one["level1"]["pvalue"] < 0.05 for one in tests)
    assert below > sum(p < 0.05 for p in _battery(record)["adjusted"]["bh"])  # so that the two differ
    said = opened(report).page.locator("#overview .settled").inner_text()
    assert f"With just these words, the exact p-value is below .05 in {below} of {len(tests)}." in said


def test_a_page_of_a_ladder_alone_has_every_answer_with_its_number_and_reason(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    designs = [_design(HOSTILE[0], "w-"), _design("same", "s-")]
    vectors = _random_vectors([word for each in designs for word in each.words], seed=5)
    for key in "xyab":  # words that do not differ say nothing of others
        vectors.update({f"s-{key}{i}": vectors[f"s-{key}0"] for i in range(8)})
    emb = Embeddings.from_dict(vectors)
    sure = cr.ladder(cr.battery(emb, designs, resamples=0)).to_dict()
    (tmp_path / "sure.json").write_text(json.dumps(sure), encoding="utf-8")
    write_page(tmp_path / "sure.html", read_records(tmp_path / "sure.json"))
    page = opened(tmp_path / "sure.html").page
    part = page.locator("#overview .table")
    assert "would be found with other words for the same things" in part.locator("caption").inner_text()
    rows = list(csv.DictReader(io.StringIO(_clipboard(page, "Copy CSV"))))
    for row, rungs in zip(rows, sure["tests"].values(), strict=True):
        these, other, frequency, topics = rungs
        assert (row["these words"], row["other words"]) == (these["answer"], other["answer"])
        assert row["beyond frequency"] == frequency["answer"] == "not asked"
        assert "topics" not in row
        assert float(row["exact p"]) == these["value"]
        assert (float(row["p (BH)"]) if row["p (BH)"] else None) == other["value"]
    assert [row["test"] for row in rows] == [HOSTILE[0], "same"]
    assert rows[1]["other words"] == "cannot tell"
    page.locator("#overview summary", has_text="Why: the answers test by test").click()
    page.locator("#overview .reasons li").first.wait_for()
    assert page.locator("#overview .reasons li").all_inner_texts() == [
        f"All tests, beyond frequency was not asked: {frequency['reason']}.",
        f"All tests, among arbitrary topics was not asked: {topics['reason']}.",
        "same, other words: the words of each set do not differ.",
    ]
    assert page.locator("#others").count() == 0
