"""What a reader is told is true: sentences for every outcome, and roundings that keep to it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import crossroads as cr
from crossroads.core.report.documents.records import results_document
from crossroads.words.measures.mleat import PATTERNS
from tests.browser.conftest import design_of, lists, random_vectors

Open = Callable[..., Any]
TITLES = {"x": "rivers", "y": "lakes", "a": "calm", "b": "storm"}
DESIGN = design_of("water", lists(), TITLES)
EMB = random_vectors(DESIGN.words)


@pytest.fixture(scope="module")
def measured() -> str:
    """A test with three levels, as plain data."""
    return json.dumps(results_document([cr.mleat(EMB, DESIGN)]))


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


def _rows(part: Any) -> dict[str, str]:
    return dict(row.split("\t")[:2] for row in part.locator(".levels tbody tr").all_inner_texts())


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
        "should not be read as an opposite association",
        "So there is a difference",
    )
    for (pattern, holds), part in zip(cases, told(changes), strict=True):
        said, (x, y) = _words(part), PATTERNS[pattern]
        assert any(claim in said for claim in claims) is holds
        if not holds:
            assert "whether they differ beyond these words" in said or "neither target is shown" in said
        if (x is None) != (y is None):
            still = TITLES["y" if x else "x"]
            assert f"Of {still} it cannot be told yet, which does not mean that there is no" in said


UNKNOWN = dict.fromkeys(("low", "high", "pvalue", "agreement", "statistic", "se", "df", "detectable"))
ALONE = {"difference": 0.1, "shares": {}, "reason": "A has a single word, and one word has no spread"}
SENTENCES: tuple[tuple[dict[str, Any], list[str], list[str]], ...] = (
    # what is changed, what is said then, and what is not
    (
        {"pattern": "AX-Singular", "crossed_pattern": "Non-Directional", "level2/x/crossed/pvalue": 0.4},
        [
            "rivers, taken alone, may or may not be closer to one attribute: that cannot be told yet",
            "By the rule of the paper, which takes the attribute words as given, it would be AX-Singular.",
        ],
        [],
    ),
    (
        {"level1/pvalue": 0.001, "level1/crossed": {**UNKNOWN, **ALONE}},
        ["the same way cannot be told: calm has a single word, and one word has no spread."],
        [],
    ),
    (
        {"crossed_pattern": "AX-Singular", "level1/pvalue": 0.001, "level1/crossed/pvalue": 0.2},
        ["beyond these words is answered above.", "beyond just these words? Cannot tell yet (p = 0.20;"],
        ["significant"],
    ),
    # both targets may be closer to the same attribute, so nothing may be said of one of them alone
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
        {"conventions/ties": "strict", "level1/alternative": "less"},
        [
            "a difference further towards storm would",
            "an association with calm could",
            "could not have been found",
        ],
        [],
    ),
    (
        {"conventions/ties": "weak", "level1/alternative": "observed"},
        ["at least as large in the direction observed would", "the correct number is twice that"],
        ["could not have been found"],
    ),
)


def test_every_outcome_has_its_sentences(told: Callable[..., list[Any]]) -> None:
    for part, (change, wanted, unwanted) in zip(told(one[0] for one in SENTENCES), SENTENCES, strict=True):
        said = _words(part)
        assert [one for one in wanted if one not in said] == [], change
        assert [one for one in unwanted if one in said] == [], change


ROUNDED = (
    (0.0496, "exact", "0.0496"),
    (0.04996, "exact", "0.04996"),
    (0.05, "exact", "0.050"),
    (0.00996, "exact", "0.00996"),
    (0.0454, "exact", "0.045"),
    (0.0124, "bracket", "≤ 0.013"),
    (0.013, "bracket", "≤ 0.013"),
    (0.9999, "bracket", "≤ 1.00"),
    (5.94e-5, "bracket", "≤ 6.0e−5"),
    (9.91e-5, "bracket", "≤ 1.0e−4"),
    (0.0124, "monte-carlo", "≈ 0.012"),
)


def test_rounding_a_p_value_crosses_no_level_and_breaks_no_bound(told: Callable[..., list[Any]]) -> None:
    exact = [{"level1/pvalue": p, "level1/method": method} for p, method, _ in ROUNDED]
    ends = {"level1/pvalue": 0.01242, "level1/pvalue_low": 0.01238, "level1/pvalue_high": 0.01242}
    *parts, bounded = told([*exact, {**ends, "level1/method": "bracket", "level1/crossed/pvalue": 0.0496}])
    for part, (*_, shown) in zip(parts, ROUNDED, strict=True):
        assert _rows(part)["exact p"] == shown
    rows = _rows(bounded)
    assert (rows["p"], rows["exact p"]) == ("0.0496", "≤ 0.013")  # that for other words is no bound
    # bounds are rounded away from each other
    assert (rows["exact p, lower bound"], rows["exact p, upper bound"]) == ("0.012", "0.013")


def test_a_share_is_not_rounded_to_all_or_to_none_and_no_chance_is_certain(
    told: Callable[..., list[Any]],
) -> None:
    cases = {1.0: ("100", "99"), 0.9996: ("99.96", "99"), 0.42: ("42", "about 42"), 0.0: ("0", "about 0")}
    shares = ({"targets": -1.0, "attributes": share, "cells": 0.0} for share in cases)
    changes = [
        {"level1/crossed/shares": one, "level1/crossed/agreement": one["attributes"]} for one in shares
    ]
    for part, (shown, chance) in zip(told(changes), cases.values(), strict=True):
        assert f"{shown}\u202f% of the uncertainty comes from the choice of the attribute" in _words(part)
        assert f"would point the same way in {chance} of 100 cases. Do the groups differ" in _words(part)


def test_p_values_are_said_to_be_adjusted_only_where_they_are(made: Callable[..., Any]) -> None:
    alone = cr.mleat(EMB, design_of("alone", lists()))
    battery = cr.battery(EMB, [DESIGN], alternative="observed")
    for results, told in [
        ((battery,), ", adjusted for the number of tests (Benjamini\u2013Hochberg), "),
        ((alone,), ", not adjusted for the number of tests, "),
        ((alone, battery), "(Benjamini\u2013Hochberg) where they were run together, "),
    ]:
        page = made(*results)
        assert f"{told}is below .05" in page.locator("#overview .outcome").inner_text()
    # a side that was chosen afterwards counts twice
    crossed = battery.tests[0].level1.crossed
    assert crossed.pvalue is not None
    assert battery.adjusted["bh"][0] == pytest.approx(2 * crossed.pvalue)
    page.evaluate("unfolded()")
    said = page.locator("#tests .plain-words").last.inner_text()
    assert ", adjusted for the number of tests and both sides; difference of mean" in said


def test_maps_are_visible_in_the_colours_of_the_reader(opened: Open, report: Path) -> None:
    page = opened(report, dark=True, forced_colors="active").page
    seen = page.locator("#overview svg.eat-map .cell rect").first.evaluate(
        "(one) => [getComputedStyle(one).stroke, getComputedStyle(document.body).backgroundColor]"
    )
    assert seen[0] not in ("none", seen[1])
