"""The tests one by one: all numbers, every word and its cosines, results of other commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.evidence import Embeddings
from crossroads.core.report.documents.records import Record
from crossroads.core.report.page.page import write_page
from crossroads.core.stimuli import Design
from crossroads.papers.cells import Reproduction
from crossroads.papers.findings import findings
from tests.browser.conftest import copied_rows, design_of, lists, opened_test, random_vectors
from tests.results import every_result


def _table(part: Any, caption: str) -> Any:
    return part.locator(".table").filter(has=part.page.locator("caption", has_text=caption)).first


def test_the_tables_of_a_test_hold_every_number_of_its_result(
    opened: Callable[..., Any], report: Path, record: Record
) -> None:
    part = opened_test(opened(report).page, 0)
    found = {row["quantity"]: row for row in copied_rows(_table(part, "Levels 1 and 2"))}
    battery = record.results[0]
    test = battery["tests"][0]
    both = "Level 1: both targets"
    levels = {
        both: test["level1"],
        "Level 2: flowers": test["level2"]["x"],
        "Level 2: insects": test["level2"]["y"],
    }
    own = {
        "effect size d": "effect_size",
        "exact p": "pvalue",
        "exact p, lower bound": "pvalue_low",
        "exact p, upper bound": "pvalue_high",
        "smallest possible exact p": "min_pvalue",
    }
    crossed = {
        "agree": "agreement",
        "detectable \u0394": "detectable",
        "p": "pvalue",
        "difference \u0394": "difference",
        "degrees of freedom": "df",
        "\u0394, lower end": "low",
        "\u0394, upper end": "high",
        "exact p, attributes exchanged": "attribute_pvalue",
    }
    for column, level in levels.items():
        for quantity, key in own.items():
            assert float(found[quantity][column]) == level[key]
        for key in ("statistic", "divisions"):
            assert float(found[key][column]) == level["exchange"][key]
        for quantity, key in crossed.items():
            assert float(found[quantity][column]) == level["crossed"][key]
        for tail in ("greater", "less"):
            assert float(found[f"exact p, one-sided, {tail}"][column]) == level["exchange"]["tails"][tail][0]
    # the interval that agrees with the adjusted p-value
    ends = [float(found[f"\u0394, {end} end, adjusted"][both]) for end in ("lower", "upper")]
    assert ends == battery["adjusted_intervals"][0]
    assert found["\u0394, lower end, adjusted"]["Level 2: flowers"] == ""
    # what each word changes
    rows_of = {row["word"]: row for row in copied_rows(_table(part, "Target words"))}
    influence = next(one for one in record.results if one["type"] == "InfluenceResult")
    for word, without in influence["without"]["y"].items():
        assert float(rows_of[word]["d without"]) == without
        assert float(rows_of[word]["change"]) == without - influence["effect_size"]
    # and which was left out
    assert part.get_by_text("1 of 100 words was left out: gladiola.").count() == 1
    part.get_by_text("Every word of the lists").click()
    table = _table(part, "used, respelled, left out")
    table.get_by_label("Status").select_option("left out")
    assert table.locator("tbody").inner_text().split("\t")[::3] == ["gladiola", "not in the vocabulary"]


def test_more_divisions_than_a_number_of_the_page_can_hold_are_rounded_and_say_so(
    made: Callable[..., Any],
) -> None:
    # two sets of 40 can be divided in C(80, 40), about 1.08e23, ways: more than 2**53
    words = lists(40)
    emb = random_vectors(word for some in words.values() for word in some)
    page = made(cr.weat(emb, design_of("large", words)))
    row = opened_test(page, 0).locator("tr", has=page.locator("th", has_text="divisions")).first
    assert "about 1.08 × 1023" in row.inner_text()  # the exponent is raised
    assert row.locator("data").count() == 0


def test_sets_too_small_for_the_level_are_said_to_prove_nothing(made: Callable[..., Any]) -> None:
    words = lists(2)  # C(4, 2) = 6 divisions: p is a sixth at best, of both sides a third
    emb = random_vectors(word for some in words.values() for word in some)
    part = opened_test(made(cr.weat(emb, design_of("few", words))))
    said = part.locator(".plain-words").inner_text()
    assert "cannot reach an exact p < .05 whatever the model does (at best 0.33)" in said
    assert part.locator("button.word").count() == 0
    assert part.get_by_text("This page was made without the vectors").count() == 1


def _vector(vectors: Embeddings, word: str) -> Any:
    match = vectors.find(word)
    assert match is not None
    row = np.asarray(vectors.vectors[match.row], dtype=float)
    return row / np.linalg.norm(row)


def test_the_cosines_of_a_word_are_those_of_numpy(
    opened: Callable[..., Any],
    report: Path,
    record: Record,
    vectors: Embeddings,
) -> None:
    page = opened(report).page
    part = opened_test(page, 1)
    test = record.results[0]["tests"][1]
    used = test["coverage"]["used"]
    # Amy is found in lower case
    for table, word, others in (("Target words", "Amy", "ab"), ("Attribute words", "home", "xy")):
        button = _table(part, table).get_by_role("button", name=word, exact=True)
        button.press("Enter")
        panel = page.get_by_role("dialog")
        rows = panel.locator("tbody tr").evaluate_all(
            "(e) => e.map((row) => [row.querySelector('th').textContent, row.querySelector('data').value])"
        )
        shown = {name: float(value) for name, value in rows}
        here = _vector(vectors, word)
        expected = {one: float(here @ _vector(vectors, one)) for key in others for one in used[key]}
        assert shown.keys() == expected.keys()
        assert shown == pytest.approx(expected, rel=0, abs=1e-12)
        assert list(shown.values()) == sorted(shown.values(), reverse=True)
        if word == "Amy":  # the difference of the means is its association
            difference = float(panel.locator("p data.computed").last.get_attribute("value"))
            assert difference == pytest.approx(test["level1"]["associations"]["Amy"], rel=0, abs=1e-12)
        page.keyboard.press("Escape")
        panel.wait_for(state="detached")
        assert button.evaluate("(one) => one === document.activeElement")


def test_published_numbers_stand_beside_ours_with_their_source(
    opened: Callable[..., Any],
    record: Record,
    tmp_path: Path,
) -> None:
    path = tmp_path / "published.html"
    write_page(path, [record])
    part = opened_test(opened(path).page, 0)
    table = _table(part, "Published numbers")
    rows = copied_rows(table)
    assert [float(row["published"]) for row in rows] == [one.value for one in findings(["weat1"])["weat1"]]
    first = next(row for row in rows if row["statistic"] == "effect size d (Level 1)")
    assert float(first["ours"]) == record.results[0]["tests"][0]["level1"]["effect_size"]
    link = table.locator("a[href^='https://doi.org/10.']").first
    assert link.get_attribute("rel") == "noreferrer"


def test_published_numbers_stand_as_printed_and_stars_as_stars(made: Callable[..., Any]) -> None:
    cells = [
        ("d", 1.5, "1.50", 1.08, ["1.50", "1.080", "\u22120.420"]),
        ("star", 1.0, "*", 1.0, ["*", "*", "\u2013"]),
        ("d", -0.2, "-.20", 0.1234, ["\u2212.20", "0.123", "0.323"]),
        ("star", 0.0, "", 1.0, ["no mark", "*", "\u2013"]),
        ("share", 1.0, "", 1.0, ["1.000", "1.000", "0.000"]),
    ]
    found = every_result()["reproduction"]
    assert isinstance(found, Reproduction)
    (cell,) = found.cells
    changed = [
        replace(cell, column=column, published=value, printed=printed, ours=ours, verdict="other model")
        for column, value, printed, ours, _ in cells
    ]
    page = made(replace(found, cells=tuple(changed)))
    page.locator("#published summary").first.click()
    page.locator("#published .tall tbody tr").first.wait_for()
    rows = page.locator("#published .tall tbody tr").all()
    shown = [[one.inner_text() for one in row.locator("td").all()[1:4]] for row in rows]
    assert shown == [expected for *_, expected in cells]


def test_a_single_target_test_shows_its_attribute_words(
    made: Callable[..., Any], vectors: Embeddings
) -> None:
    weat6 = cr.catalog("weat6")
    result = cr.weat(vectors, Design(name="alone", x=weat6.x, a=weat6.a, b=weat6.b))
    rows = copied_rows(_table(opened_test(made(result, vectors=vectors), 0), "Attribute words"))
    shown = {row["word"]: float(next(v for k, v in row.items() if k.startswith("with "))) for row in rows}
    assert shown == dict(result.associations)


def test_a_series_has_every_point(
    made: Callable[..., Any], vectors: Embeddings, designs: list[Design]
) -> None:
    rng = np.random.default_rng(0)
    words = {word: vectors[word] for word in designs[1].words}
    models = {
        year: Embeddings.from_dict({word: row + rng.normal(size=row.shape) for word, row in words.items()})
        for year in (1990, 1900, 1950)
    }
    result = cr.series(models, designs[1])
    page = made(result)
    page.locator("#series-0 > summary").click()
    rows = copied_rows(_table(page.locator("#series-0"), "over time"))
    assert [int(row["year"]) for row in rows] == [1900, 1950, 1990]
    tests = [result.points[year].level1 for year in (1900, 1950, 1990)]
    assert [float(row["agree"]) for row in rows] == [one.crossed.agreement for one in tests]
    assert [float(row["d"]) for row in rows] == [one.effect_size for one in tests]
    assert [float(row["exact p"]) for row in rows] == [one.pvalue for one in tests]
    assert [float(row["p"]) for row in rows] == [one.crossed.pvalue for one in tests]
    assert [float(row["p (BH)"]) for row in rows] == list(result.adjusted["bh"])


def test_single_words_have_a_table(made: Callable[..., Any], vectors: Embeddings) -> None:
    weat1 = cr.catalog("weat1")
    result = cr.sc_weat(vectors, ["rose", "lily", "wasp"], weat1.a, weat1.b)
    page = made(result)
    page.locator("#single-0 > summary").click()
    rows = copied_rows(_table(page.locator("#single-0"), "Association of single words"))
    assert [row["word"] for row in rows] == ["rose", "lily", "wasp"]
    assert [float(row["d"]) for row in rows] == result.effect_size.tolist()
    assert [float(row["exact p"]) for row in rows] == result.pvalue.tolist()
    # for other attribute words, beside it and under its own name
    for head, expected in zip(("lower end", "upper end", "p"), result.crossed, strict=True):
        assert [float(row[head]) for row in rows] == pytest.approx(expected.tolist(), rel=1e-11)
