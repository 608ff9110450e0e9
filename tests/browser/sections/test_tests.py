"""The tests one by one: all numbers, plain words, every word and its cosines, results of other commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Embeddings
from crossroads.papers.fidelity import fidelity
from crossroads.papers.findings import findings
from crossroads.report.documents.records import Record, read_records
from crossroads.report.page.page import write_page
from crossroads.stimuli import Design


def _table(part: Any, caption: str) -> Any:
    return part.locator(".table").filter(has=part.page.locator("caption", has_text=caption)).first


def _design(name: str, sets: Mapping[str, Iterable[str]], title: str = "") -> Design:
    x, y, a, b = (cr.StimulusSet(f"{title}{key}", tuple(sets[key])) for key in "xyab")
    return Design(name=name, x=x, y=y, a=a, b=b)


def test_the_line_of_a_test_names_question_effect_and_pattern(
    opened: Callable[..., Any], report: Path, record: Record
) -> None:
    page = opened(report).page
    for place, test in enumerate(record.results[0]["tests"]):
        line = page.locator(f"#tests > details:nth-of-type({place + 1}) > summary")
        t = test["titles"]
        assert line.locator("h3").inner_text() == f"{t['x']} / {t['y']}: {t['a']} / {t['b']}"
        assert float(line.locator("data").first.get_attribute("value")) == test["level1"]["effect_size"]
        assert line.locator(".numbers").inner_text().endswith(test["crossed_pattern"])


def test_the_table_of_levels_holds_every_tail_and_bound_of_all_three_tests(
    opened_test: Callable[..., Any],
    copied: Callable[..., Any],
    opened: Callable[..., Any],
    report: Path,
    record: Record,
) -> None:
    page = opened(report).page
    rows = copied(_table(opened_test(page, 0), "Levels 1 and 2"))
    found = {row["quantity"]: row for row in rows}
    test = record.results[0]["tests"][0]
    levels = {
        "Level 1: both targets": test["level1"],
        "Level 2: flowers": test["level2"]["x"],
        "Level 2: insects": test["level2"]["y"],
    }
    for column, level in levels.items():
        assert float(found["effect size d"][column]) == level["effect_size"]
        assert float(found["statistic"][column]) == level["statistic"]
        assert float(found["exact p, lower bound"][column]) == level["pvalue_low"]
        assert float(found["exact p, upper bound"][column]) == level["pvalue_high"]
        assert float(found["smallest possible exact p"][column]) == level["min_pvalue"]
        assert int(found["divisions"][column]) == level["divisions"]
        assert float(found["exact p"][column]) == level["pvalue"]
        crossed = {
            "p": "pvalue",
            "difference \u0394": "difference",
            "degrees of freedom": "df",
            "\u0394, lower end": "low",
            "\u0394, upper end": "high",
            "exact p, attributes exchanged": "attribute_pvalue",
        }
        for quantity, key in crossed.items():
            assert float(found[quantity][column]) == level["crossed"][key]
        for name, tail in (("greater", "greater"), ("less", "less")):
            assert float(found[f"exact p, one-sided, {name}"][column]) == level["tails"][tail][0]
    interval = next(iter(record.results[0]["intervals"].values()))
    assert float(found["interval, lower end"]["Level 1: both targets"]) == interval["low"]
    assert found["interval, lower end"]["Level 2: flowers"] == ""


def test_what_sets_of_these_sizes_could_have_shown_is_in_the_table_and_in_words(
    opened_test: Callable[..., Any],
    copied: Callable[..., Any],
    opened: Callable[..., Any],
    report: Path,
    record: Record,
) -> None:
    page = opened(report).page
    part = opened_test(page, 0)
    found = {row["quantity"]: row for row in copied(_table(part, "Levels 1 and 2"))}
    could = record.results[0]["detectable"][0]
    assert float(found["critical effect size"]["Level 1: both targets"]) == could["critical"]
    assert float(found["detectable effect size"]["Level 1: both targets"]) == could["detectable"]
    said = part.locator(".plain-words").inner_text()
    assert f"before any adjustment, they show a true d of {could['detectable']:.2f} in 80" in said


def test_a_battery_of_a_version_that_did_not_say_so_has_a_page(
    opened_test: Callable[..., Any], opened: Callable[..., Any], tmp_path: Path, vectors: Embeddings
) -> None:
    data = cr.battery(vectors, cr.catalog("weat6"), resamples=0).to_dict()
    del data["detectable"]
    (tmp_path / "old.json").write_text(json.dumps(data), encoding="utf-8")
    write_page(tmp_path / "old.html", read_records(tmp_path / "old.json"))
    part = opened_test(opened(tmp_path / "old.html").page, 0)
    assert "How sure." in part.locator(".plain-words").inner_text()
    assert part.get_by_text("detectable effect size").count() == 0


def test_more_divisions_than_a_number_of_the_page_can_hold_are_rounded_and_say_so(
    opened_test: Callable[..., Any], made: Callable[..., Any]
) -> None:
    # two sets of 40 can be divided in C(80, 40), about 1.08e23, ways: more than 2**53
    rng = np.random.default_rng(3)
    words = {key: [f"{key}{i}" for i in range(40)] for key in "xyab"}
    emb = Embeddings.from_dict({w: rng.normal(size=8) for some in words.values() for w in some})
    result = cr.weat(emb, _design("large", words))
    page = made(result)
    row = opened_test(page, 0).locator("tr", has=page.locator("th", has_text="divisions")).first
    assert "about 1.08 × 1023" in row.inner_text()  # the exponent is raised
    assert row.locator("data").count() == 0


def test_sets_too_small_for_the_level_are_said_to_prove_nothing(
    opened_test: Callable[..., Any], made: Callable[..., Any], vectors: Embeddings
) -> None:
    weat1 = cr.catalog("weat1")
    few = _design("few", {key: [*words][:2] for key, words in weat1.sets.items()})
    result = cr.weat(vectors, few)  # C(4, 2) = 6 divisions: p is a sixth at best, of both sides a third
    said = opened_test(made(result)).locator(".plain-words").inner_text()
    assert "cannot reach an exact p < .05 whatever the model does (at best 0.33)" in said


def _panel(page: Any, part: Any, table: str, word: str) -> Any:
    _table(part, table).get_by_role("button", name=word, exact=True).click()
    return page.get_by_role("dialog")


@pytest.mark.parametrize(
    ("table", "word", "others"), [("Target words", "rose", "ab"), ("Attribute words", "love", "xy")]
)
def test_the_cosines_of_a_word_are_those_of_numpy(
    opened_test: Callable[..., Any],
    opened: Callable[..., Any],
    report: Path,
    record: Record,
    vectors: Embeddings,
    table: str,
    word: str,
    others: str,
) -> None:
    page = opened(report).page
    panel = _panel(page, opened_test(page, 0), table, word)
    used = record.results[0]["tests"][0]["coverage"]["used"]
    unit = {
        w: v / np.linalg.norm(v)
        for w in (word, *used[others[0]], *used[others[1]])
        for v in [_vector(vectors, w)]
    }
    expected = {w: float(unit[word] @ unit[w]) for key in others for w in used[key]}
    rows = panel.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [row.querySelector('th').textContent, row.querySelector('data').value])"
    )
    shown = {name: float(value) for name, value in rows}
    assert shown.keys() == expected.keys()
    assert shown == pytest.approx(expected, rel=0, abs=1e-12)
    assert list(shown.values()) == sorted(shown.values(), reverse=True)


def _vector(vectors: Embeddings, word: str) -> Any:
    match = vectors.find(word)
    assert match is not None
    return np.asarray(vectors.vectors[match.row], dtype=float)


def test_the_difference_of_the_means_of_a_target_word_is_its_association(
    opened_test: Callable[..., Any], opened: Callable[..., Any], report: Path, record: Record
) -> None:
    page = opened(report).page
    panel = _panel(page, opened_test(page, 1), "Target words", "Amy")  # a name that is found in lower case
    difference = float(panel.locator("p data.computed").last.get_attribute("value"))
    saved = record.results[0]["tests"][1]["level1"]["associations"]["Amy"]
    assert difference == pytest.approx(saved, rel=0, abs=1e-12)


def test_a_word_opens_and_closes_with_the_keyboard_and_focus_comes_back(
    opened_test: Callable[..., Any], opened: Callable[..., Any], report: Path
) -> None:
    page = opened(report).page
    button = _table(opened_test(page, 0), "Target words").get_by_role("button", name="tulip", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Close"
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert page.evaluate("document.activeElement.textContent") == "tulip"


def test_influence_is_the_effect_size_without_the_word_and_the_change(
    opened_test: Callable[..., Any],
    copied: Callable[..., Any],
    opened: Callable[..., Any],
    report: Path,
    record: Record,
) -> None:
    page = opened(report).page
    rows = {row["word"]: row for row in copied(_table(opened_test(page, 0), "Target words"))}
    influence = next(one for one in record.results if one["type"] == "InfluenceResult")
    for word, without in influence["without"]["y"].items():
        assert float(rows[word]["d without"]) == without
        assert float(rows[word]["change"]) == without - influence["effect_size"]


def test_without_vectors_the_page_says_why_no_cosine_can_be_shown(
    opened_test: Callable[..., Any], opened: Callable[..., Any], record: Record, tmp_path: Path
) -> None:
    path = tmp_path / "bare.html"
    write_page(path, [replace(record, vectors=None)])
    part = opened_test(opened(path).page, 0)
    assert part.locator("button.word").count() == 0
    assert part.get_by_text("This page was made without the vectors").count() == 1


def test_a_word_without_a_vector_is_listed_with_the_reason(
    opened_test: Callable[..., Any], opened: Callable[..., Any], report: Path
) -> None:
    page = opened(report).page
    part = opened_test(page, 0)
    assert part.get_by_text("1 of 100 words was left out: gladiola.").count() == 1
    part.get_by_text("Every word of the lists").click()
    table = _table(part, "used, respelled, left out")
    table.get_by_label("Status").select_option("left out")
    assert table.locator("tbody").inner_text().split("\t") == [
        "gladiola",
        "flowers",
        "left out",
        "not in the vocabulary",
    ]


def test_the_shares_of_the_patterns_are_shown_largest_first(
    opened_test: Callable[..., Any],
    copied: Callable[..., Any],
    opened: Callable[..., Any],
    report: Path,
    record: Record,
) -> None:
    page = opened(report).page
    rows = copied(_table(opened_test(page, 0), "How often each pattern"))
    shares = {k: v for k, v in record.results[0]["tests"][0]["pattern_shares"].items() if v > 0}
    assert {row["pattern"]: float(row["share"]) for row in rows} == shares
    assert [float(row["share"]) for row in rows] == sorted(shares.values(), reverse=True)


def test_published_numbers_stand_beside_ours_with_their_source(
    opened_test: Callable[..., Any],
    copied: Callable[..., Any],
    opened: Callable[..., Any],
    record: Record,
    tmp_path: Path,
) -> None:
    path = tmp_path / "published.html"
    write_page(path, [record], findings=findings(["weat1"]), fidelity=fidelity())
    page = opened(path).page
    part = opened_test(page, 0)
    table = _table(part, "Published numbers")
    rows = copied(table)
    found = findings(["weat1"])["weat1"]
    assert [float(row["published"]) for row in rows] == [one.value for one in found]
    first = next(row for row in rows if row["statistic"] == "effect size d (Level 1)")
    assert float(first["ours"]) == record.results[0]["tests"][0]["level1"]["effect_size"]
    link = table.locator("a[href^='https://doi.org/10.']").first
    assert link.get_attribute("rel") == "noreferrer"
    badges = {one.badge for one in fidelity() if one.measure in ("weat", "mleat")}
    assert badges <= set(part.locator(".badge").all_inner_texts())


def test_a_single_target_test_shows_its_attribute_words(
    opened_test: Callable[..., Any], copied: Callable[..., Any], made: Callable[..., Any], vectors: Embeddings
) -> None:
    weat6 = cr.catalog("weat6")
    result = cr.weat(vectors, Design(name="alone", x=weat6.x, a=weat6.a, b=weat6.b))
    page = made(result, vectors=vectors)
    rows = copied(_table(opened_test(page, 0), "Attribute words"))
    assert {
        row["word"]: float(next(v for k, v in row.items() if k.startswith("with "))) for row in rows
    } == dict(result.associations)
    assert page.locator("#overview .cards.maps").count() == 0  # a test of one level has no map


def test_a_series_has_a_line_a_table_and_every_point(
    copied: Callable[..., Any], made: Callable[..., Any], vectors: Embeddings, designs: list[Design]
) -> None:
    rng = np.random.default_rng(0)
    words = {word: vectors[word] for word in designs[1].words}
    models = {
        year: Embeddings.from_dict({word: row + rng.normal(size=row.shape) for word, row in words.items()})
        for year in (1990, 1900, 1950)
    }
    result = cr.series(models, designs[1], resamples=20)
    page = made(result)
    page.locator("#series-0 > summary").click()
    rows = copied(_table(page.locator("#series-0"), "over time"))
    assert [int(row["year"]) for row in rows] == [1900, 1950, 1990]
    assert [float(row["d"]) for row in rows] == [
        result.points[year].level1.effect_size for year in (1900, 1950, 1990)
    ]
    drawn = [result.points[year].level1.crossed for year in (1900, 1950, 1990)]
    assert [float(row["p"]) for row in rows] == [one.pvalue for one in drawn if one is not None]
    assert [float(row["p (BH)"]) for row in rows] == list(result.adjusted["bh"])
    assert [float(row["exact p"]) for row in rows] == [
        result.points[year].level1.pvalue for year in (1900, 1950, 1990)
    ]
    assert "per unit of time" in page.locator("#series-0 .trend").inner_text()
    assert page.locator("#series-0 svg.chart .dot.x").count() == 3 + 1  # the points and the key
    page.locator("#series-0").get_by_text("1950", exact=True).last.click()
    # vectors of other years are not those of this one
    page.locator("#series-0").get_by_text("Cosines of single words cannot be shown here").wait_for()
    assert page.locator("#series-0 button.word").count() == 0


def test_single_words_have_a_table(
    copied: Callable[..., Any], made: Callable[..., Any], vectors: Embeddings
) -> None:
    weat1 = cr.catalog("weat1")
    result = cr.sc_weat(vectors, ["rose", "lily", "wasp"], weat1.a, weat1.b)
    page = made(result)
    page.locator("#single-0 > summary").click()
    rows = copied(_table(page.locator("#single-0"), "Association of single words"))
    assert [row["word"] for row in rows] == ["rose", "lily", "wasp"]
    assert [float(row["d"]) for row in rows] == result.effect_size.tolist()
    assert [float(row["exact p"]) for row in rows] == result.pvalue.tolist()
    # for other attribute words, beside it and under its own name
    shown = {"p": result.crossed_pvalue, "lower end": result.low, "upper end": result.high}
    for head, expected in shown.items():
        assert [float(row[head]) for row in rows] == pytest.approx(expected.tolist(), rel=1e-11)
