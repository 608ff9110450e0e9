"""The overview: true counts, copies, maps, several models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.evidence import Embeddings
from crossroads.core.report.audit import Audit
from crossroads.core.report.documents.reading import read_records
from crossroads.core.report.documents.records import Record, audit_document
from crossroads.core.report.page.page import write_page
from crossroads.core.stimuli import Design
from crossroads.words.measures.mleat import map_cells
from tests.browser.conftest import agreeing, copied_rows, design_of, lists, random_vectors
from tests.conftest import Once

HOSTILE = ("<script>alert(1)</script>", "שלום עולם", "👩🏽‍🔬", "x" * 200)


def _design(name: str, stem: str) -> Design:
    return design_of(name, lists(8, stem), {key: f"{stem} {key}" for key in "xyab"})


@pytest.fixture(scope="module")
def mixed() -> Record:
    """Six tests, of which two hold by construction and four are noise; names that could be markup."""
    designs = [_design(name, f"w{i}-") for i, name in enumerate(("plain", "other", *HOSTILE))]
    emb = random_vectors((word for one in designs for word in one.words), seed=5, dim=12)
    rows = np.array(emb.vectors)
    for one in designs[:2]:  # move the first target to the first attribute, and the second to the second
        for target, attribute, side in ((one.x, one.a, 5.0), (one.y, one.b, -5.0)):
            for word in (*(target or ()), *attribute):
                rows[emb.labels.index(word), 0] += side
    emb = Embeddings(emb.labels, rows)
    battery = cr.battery(emb, designs, alternative="two-sided")
    audit = Audit([battery])
    return Record(document=audit_document(audit, designs), vectors=emb)


@pytest.fixture(scope="module")
def mixed_page(mixed: Record, once: Once) -> Path:
    return once("browser-mixed", lambda folder: write_page(folder / "mixed.html", [mixed])) / "mixed.html"


def _battery(record: Record) -> dict[str, Any]:
    return dict(record.results[0])


def test_the_lead_counts_the_answers(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record, report: Path, record: Record
) -> None:
    battery = _battery(mixed)
    holding = [
        t["design"] for t, p in zip(battery["tests"], battery["adjusted"]["bh"], strict=True) if p < 0.05
    ]
    assert holding == ["plain", "other"]  # so that the page must tell the two kinds apart
    said = opened(mixed_page).page.locator("#overview .outcome").inner_text()
    assert said.startswith("Do the groups differ beyond just these words? 2 yes, 4 cannot tell yet. ")
    # and beside it those that hold with just these words
    tests = _battery(record)["tests"]
    below = sum(one["level1"]["pvalue"] < 0.05 for one in tests)
    assert below > sum(p < 0.05 for p in _battery(record)["adjusted"]["bh"])  # so that the two differ
    said = opened(report).page.locator("#overview .settled").inner_text()
    assert f"With just these words, the exact p-value is below .05 in {below} of {len(tests)}." in said


def test_the_copied_csv_holds_the_whole_numbers_of_the_rows_that_are_shown(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    page = opened(mixed_page).page
    page.get_by_role("search", name="Tests").get_by_label("Answer").select_option("cannot tell yet")
    rows = copied_rows(page.locator("#overview .table").first)
    battery = _battery(mixed)
    assert [row["test"] for row in rows] == list(HOSTILE)
    for row, place in zip(rows, range(2, 6), strict=True):
        test = battery["tests"][place]
        assert float(row["d"]) == test["level1"]["effect_size"]
        assert float(row["exact p"]) == test["level1"]["pvalue"]
        for head, key in (("agree", "agreement"), ("\u0394", "difference")):
            assert float(row[head]) == test["level1"]["crossed"][key]
        ends = [float(row["\u0394 low"]), float(row["\u0394 high"])]  # agree with the adjusted p-value
        assert ends == battery["adjusted_intervals"][place]
        assert row["answer"] == "cannot tell yet"
        assert float(row["p (BH)"]) == battery["adjusted"]["bh"][place]
        assert row["pattern"] == test["crossed_pattern"]


def test_maps_are_drawn_by_the_rules_of_the_figures_and_say_so_in_words(
    opened: Callable[..., Any], mixed_page: Path, mixed: Record
) -> None:
    page = opened(mixed_page).page
    cards = page.locator("#overview a.card.map").all()
    for test, card in zip(_battery(mixed)["tests"], cards, strict=True):
        effects = {key: one["effect_size"] for key, one in test["level2"].items()}
        for key, cell in map_cells(test["crossed_pattern"], effects).items():
            drawn = card.locator(f"[data-cell={key}]")
            found = ["found"] if cell.found else []
            assert drawn.get_attribute("class").split() == ["cell", f"{key[0]}{cell.step}", *found]
            if cell.size is not None:
                number = f"{cell.size:.2f}" + (" *" if cell.found else "")
                assert drawn.locator("tspan").all_text_contents()[-1] == number
    first = _battery(mixed)["tests"][0]
    assert first["crossed_pattern"] == "AB-Divergent"  # by construction
    x, y = (f"{abs(first['level2'][key]['effect_size']):.2f}" for key in "xy")
    assert (
        cards[0]
        .locator("svg")
        .get_attribute("aria-label")
        .startswith(
            "EAT-Map: w0- x towards w0- a, w0- y towards w0- b (AB-Divergent). "
            f"w0- x: association beyond these words ({x} towards w0- a); "
            f"w0- y: association beyond these words ({y} towards w0- b)."
        )
    )


def test_several_models_stand_beside_one_another_each_with_its_own_numbers(
    opened: Callable[..., Any],
    mixed: Record,
    record: Record,
    tmp_path: Path,
) -> None:
    path = tmp_path / "both.html"
    write_page(path, [mixed, record])
    page = opened(path).page
    page.get_by_text("All models side by side").click()
    page.wait_for_selector("#models data")
    agreeing(page, mixed.document, record.document)
    shown = page.locator("#models data").evaluate_all("(all) => all.map((one) => one.dataset.audit)")
    assert sorted(shown) == ["0"] * 12 + ["1"] * 8  # a chance and a d of each test
    assert page.locator("#models tbody tr").count() == 10


def test_a_page_of_checks_alone_has_every_answer_with_its_number_and_reason(
    opened: Callable[..., Any], tmp_path: Path
) -> None:
    designs = [_design(HOSTILE[0], "w-"), _design("same", "s-")]
    emb = random_vectors((word for each in designs for word in each.words), seed=5)
    rows = np.array(emb.vectors)
    for place, word in enumerate(emb.labels):  # words that do not differ say nothing of others
        if word.startswith("s-"):
            rows[place] = rows[emb.labels.index(f"{word[:-1]}0")]
    emb = Embeddings(emb.labels, rows)
    sure = cr.checks(cr.battery(emb, designs)).to_dict()
    (tmp_path / "sure.json").write_text(json.dumps(sure), encoding="utf-8")
    write_page(tmp_path / "sure.html", read_records(tmp_path / "sure.json"))
    page = opened(tmp_path / "sure.html").page
    cells = copied_rows(page.locator("#overview .table").first)
    note = page.locator("#overview .table").first.inner_text()
    for row, checks in zip(cells, sure["tests"].values(), strict=True):
        these, other, frequency, _ = checks
        assert (row["these words"], row["other words"]) == (these["answer"], other["answer"])
        assert row["beyond frequency"] == frequency["answer"] == "not asked"
        assert (row["agree"] == "–") == (row["p (BH)"] == "–") == (other["value"] is None)
        assert f"all tests: beyond frequency was not asked: {frequency['reason']}." in note
    assert [row["test"] for row in cells] == [HOSTILE[0], "same"]
    assert cells[1]["other words"] == "cannot tell"
    assert "same: other words: the words of each set do not differ." in note
