"""A page met for the first time: counts of one, short lists, links taken twice, names, marks and paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.evidence import Contexts, Embeddings, Provenance
from crossroads.papers.cells import Cell, Reproduction
from crossroads.report.documents.records import Record, results_document
from crossroads.report.page.page import write_page
from crossroads.stimuli import Design

Open = Callable[..., Any]
WORDS = {key: [f"{key}{i}" for i in range(6)] for key in "xyab"}


def _vectors(words: Iterable[str], seed: int = 1, source: str = "made up") -> Embeddings:
    labels = list(words)
    vectors = np.random.default_rng(seed).normal(size=(len(labels), 8))
    return Embeddings(labels, vectors, provenance=Provenance(source=source))


EMB = _vectors(word for some in WORDS.values() for word in some)


def _design(name: str = "water", most: int = 6) -> Design:
    x, y, a, b = (cr.StimulusSet(key, tuple(WORDS[key][:most])) for key in "xyab")
    return Design(name=name, x=x, y=y, a=a, b=b)


def _open_test(page: Any) -> str:
    page.locator("#tests > details:nth-of-type(1) > summary").click()
    page.wait_for_selector("#tests > details:nth-of-type(1) .plain-words")
    found: str = page.locator("#tests > details:nth-of-type(1) .plain-words").inner_text()
    return found


# Counts


def test_a_share_is_not_rounded_to_all_or_to_none(made: Callable[..., Any]) -> None:
    cases = ((1.0, "100"), (0.9996, "99.96"), (0.0004, "0.04"), (0.0, "0"), (0.42, "42"))
    document = results_document([cr.mleat(EMB, _design(), resamples=20)])
    (test,) = document["results"]
    tests = [{**test, "pattern_shares": {test["pattern"]: share}} for share, _ in cases]
    page = made(changed={**document, "results": tests, "names": [shown for _, shown in cases]})
    page.evaluate("unfolded()")
    said = page.locator("#tests .plain-words").all_inner_texts()
    for (_, shown), text in zip(cases, said, strict=True):
        assert f"was found again in {shown}\u202f% of the resampled lists" in text


# What is claimed


def test_lists_too_short_for_a_leaning_are_not_said_to_have_a_settled_pattern(
    made: Callable[..., Any],
) -> None:
    # two words against two: 6 divisions, so that a two-sided p-value is at least 2/6
    said = _open_test(made(cr.mleat(EMB, _design(most=2), alternative="two-sided", resamples=10)))
    assert "settled" not in said
    assert "with lists of these sizes no other was possible" in said


def test_the_interval_is_told_as_what_was_drawn(made: Callable[..., Any]) -> None:
    test, drawn = cr.mleat(EMB, _design(), resamples=0), cr.stats.bootstrap(EMB, _design(), resamples=60)
    said = _open_test(made(test, drawn))
    assert "When the words of the lists are resampled, the middle 95\u202f% of the values of d are" in said
    assert ("could reverse the direction" in said) is (drawn.low < 0 < drawn.high)


def test_no_leaning_found_is_not_told_as_none(made: Callable[..., Any]) -> None:
    result = cr.mleat(EMB, _design(), resamples=0)
    assert result.crossed_pattern == "Non-Directional"
    page = made(result)
    said = _open_test(page)
    assert "x0, x1, \u2026, taken alone, is not found to lean to either attribute" in said
    maps = page.locator("#overview svg.eat-map").first.get_attribute("aria-label")
    assert "x0, x1, \u2026: no leaning found" in maps


@pytest.mark.parametrize("old", [False, True], ids=["this version", "older"])
def test_p_values_are_said_to_be_adjusted_only_where_they_are(
    made: Callable[..., Any], older: Callable[..., dict[str, Any]], *, old: bool
) -> None:
    alone, battery = cr.mleat(EMB, _design("alone"), resamples=0), cr.battery(EMB, [_design()], resamples=0)
    for results, told in [
        ((battery,), ", adjusted for the number of tests (Benjamini\u2013Hochberg), "),
        ((alone,), ", not adjusted for the number of tests, "),
        ((alone, battery), "(Benjamini\u2013Hochberg) where they were run together, "),
    ]:
        page = made(changed=older(results_document(results))) if old else made(*results)
        said = page.locator("#overview .outcome").inner_text()
        assert f"{told}{'is ' if old else ''}below .05" in said
        assert ("Other words for the same things" in said) is not old
    assert "Filled dots: p, adjusted where tests were run together, below .05" in page.locator(
        "#overview figcaption"
    ).last.inner_text().replace("\n", " ")


def test_what_other_words_would_show_is_not_said_of_a_test_of_an_older_file(
    made: Callable[..., Any], older: Callable[..., dict[str, Any]]
) -> None:
    new = results_document([cr.mleat(EMB, _design("new"), resamples=0)])
    old = older(results_document([cr.mleat(EMB, _design("old"), resamples=0)]))
    page = made(changed={**new, "results": new["results"] + old["results"], "names": ["new", "old"]})
    said = page.locator("#overview .outcome").inner_text()
    assert "for other words where that was measured" in said and "would show" not in said
    heads = [one.inner_text() for one in page.locator("#overview th .sort").all()]
    cells = page.locator("#overview tbody tr").nth(1).locator("th, td").all_inner_texts()
    row = dict(zip(heads, cells, strict=True))
    assert row["test"] == "old"
    assert (row["\u0394"], row["p"]) == ("\u2013", "\u2013") and row["exact p"] != "\u2013"


def test_adjusted_p_values_of_a_side_chosen_afterwards_are_said_to_be_of_both(
    made: Callable[..., Any],
) -> None:
    battery = cr.battery(EMB, [_design()], alternative="observed", resamples=0)
    crossed = battery.tests[0].level1.crossed
    assert crossed is not None and crossed.pvalue is not None
    assert battery.adjusted["bh"][0] == pytest.approx(2 * crossed.pvalue)
    page = made(battery)
    assert "Taking the number of tests and both sides into account, p is" in _open_test(page)
    assert (
        "Benjamini and Hochberg; two-sided"
        in page.locator("#tests > details:nth-of-type(1) .levels").inner_text()
    )


def test_a_series_names_its_targets_and_the_tail(made: Callable[..., Any]) -> None:
    page = made(cr.series({1900: EMB, 1950: EMB}, _design(), alternative="greater", resamples=0))
    page.locator("#series-0 > summary").click()
    page.locator("#series-0 thead th").first.wait_for()
    heads = page.locator("#series-0 thead th").all_inner_texts()
    first, second = (", ".join(WORDS[role][:2]) + ", \u2026 alone" for role in "xy")
    alone = [f"d, {first}", f"p, {first}", f"d, {second}", f"p, {second}"]
    assert heads == ["year", "d", "p", "p (BH)", "exact p", *alone, "pattern"]
    said = page.locator("#series-0").inner_text()
    assert "p-values: one-sided, greater; other than p (BH) not adjusted" in said


# Names


def test_two_models_of_one_name_are_told_apart(opened: Open, tmp_path: Path) -> None:
    documents = [results_document([cr.mleat(EMB, _design(), resamples=0)], model="same") for _ in range(2)]
    write_page(tmp_path / "two.html", [Record(document=one, vectors=EMB) for one in documents])
    page = opened(tmp_path / "two.html").page
    page.locator("#models > summary").click()
    page.locator("#models thead th").first.wait_for()
    heads = page.locator("#models thead th").all_inner_texts()
    assert heads[2:] == ["d: same (1)", "pattern: same (1)", "d: same (2)", "pattern: same (2)"]
    page.evaluate("location.hash = 'explorer'")
    page.locator("#explorer summary", has_text="The same lists in every model").click()
    page.wait_for_selector("#explorer .table tbody th")
    names = page.locator("#explorer .table tbody th").all_inner_texts()
    assert names == ["same (1)", "same (2)"]


# Published numbers


def test_published_numbers_stand_as_printed_and_stars_as_stars(made: Callable[..., Any]) -> None:
    cells = [
        ("d", 1.5, "1.50", 1.08),
        ("star", 1.0, "*", 1.0),
        ("d", -0.2, "-.20", 0.1234),
        ("star", 0.0, "", 1.0),
        ("star", 1.0, "*", 0.0),
        ("share", 1.0, "", 1.0),
    ]
    page = made(
        Reproduction(
            paper="p",
            title="t",
            citation="c",
            doi="10.1/1",
            published_vectors="v",
            vectors="w",
            same_vectors=False,
            cells=tuple(
                Cell(
                    row="r", column=column, published=value, printed=printed, ours=ours, verdict="other model"
                )
                for column, value, printed, ours in cells
            ),
            notes=(),
            conventions={"measure": "reproduction"},
        )
    )
    page.locator("#published summary").first.click()
    page.locator("#published .tall tbody tr").first.wait_for()
    rows = page.locator("#published .tall tbody tr").all()
    shown = [[cell.inner_text() for cell in row.locator("td").all()[1:4]] for row in rows]
    assert shown == [
        ["1.50", "1.080", "\u22120.420"],
        ["*", "*", "\u2013"],
        ["\u2212.20", "0.123", "0.323"],
        ["no mark", "*", "\u2013"],
        ["*", "no mark", "\u2013"],
        ["1.000", "1.000", "0.000"],
    ]
    assert rows[1].locator("data").first.get_attribute("value") == "1"


# Links, focus, feedback


def test_what_was_copied_is_seen_and_heard(made: Callable[..., Any]) -> None:
    page = made(cr.mleat(EMB, _design(), resamples=0))
    page.evaluate("listening()")
    page.locator("#overview .table .menu-button").first.click()
    page.get_by_role("menuitem", name="Copy CSV").click()
    page.wait_for_function("() => heard.seen.includes('CSV copied') && heard.said.includes('CSV copied')")
    page.locator(".told").wait_for(state="detached")


# Figures


def test_no_line_of_a_histogram_runs_through_the_name_of_another(made: Callable[..., Any]) -> None:
    contexts = Contexts.from_dict(
        {word: EMB.vectors[[i, i]] + 0.3 * np.eye(8)[[0, 1]] for i, word in enumerate(EMB.labels)},
        provenance=Provenance(source="made up"),
    )
    document = results_document([cr.ceat(contexts, _design(), samples=50)])
    (test,) = document["results"]
    sizes = ((1.58, 1.64), (1.64, 1.58), (-1.6, -1.5), (0.7, 0.8))
    tests = [
        {**test, "design": f"{one}", "effect_size": one, "stimulus_effect_size": other}
        for one, other in sizes
    ]
    page = made(changed={**document, "results": tests, "names": list("abcd")})
    page.evaluate("unfolded()")
    lines, crossed = page.evaluate(
        """() => [document.querySelectorAll("#contexts svg .mark").length,
          [...document.querySelectorAll("#contexts svg")].flatMap((svg) => {
          const boxes = (name) => [...svg.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
          return boxes("g:has(> .mark) > text").flatMap((text) => boxes(".mark").filter((line) =>
            line.left > text.left + 1 && line.right < text.right - 1 && line.top < text.top + 2));
        }).length]"""
    )
    assert lines >= 2 * len(sizes)
    assert crossed == 0


# Paper


def test_paper_has_the_words_of_the_explorer(opened: Open, report: Path) -> None:
    page = opened(report).page
    page.evaluate("location.hash = 'explorer'")
    page.wait_for_selector(".explorer-results[data-shown=yes]")
    page.evaluate("document.documentElement.dataset.print = 'all'")
    page.emulate_media(media="print")
    assert page.locator(".chip-word").first.is_visible()
    assert not page.locator(".chip .remove").first.is_visible()
