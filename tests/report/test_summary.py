"""The summary in Markdown: every column is explained, with the level of every interval."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from crossroads.measures import BatteryResult
from crossroads.report import Audit, latex_table, markdown_summary


def test_intervals_come_with_their_level(audit: Audit, whole: Audit) -> None:
    intervals = tuple(dataclasses.replace(one, level=0.9) for one in audit.intervals)
    page = markdown_summary(dataclasses.replace(audit, intervals=intervals))
    assert "CI: 90 %, over the choice of words in all four sets." in page
    assert "CI:" not in markdown_summary(dataclasses.replace(audit, intervals=()))
    over_contexts = tuple(dataclasses.replace(one, level=0.8) for one in whole.context_intervals)
    assert whole.contexts is not None
    contexts = dataclasses.replace(whole.contexts, intervals={})
    other = dataclasses.replace(whole, contexts=contexts, context_intervals=over_contexts)
    assert "CI: 80 %, over the choice of words and contexts." in markdown_summary(other)
    assert "drawing words and contexts anew, level 0.8;" in latex_table(other)


def test_levels_of_what_is_about_groups_are_told(whole: Audit) -> None:
    alignments = {
        name: dataclasses.replace(one, conventions={**one.conventions, "level": 0.7})
        for name, one in whole.alignments.items()
    }
    other = dataclasses.replace(
        whole,
        alignments=alignments,
        orders=tuple(dataclasses.replace(one, level=0.6) for one in whole.orders),
        dominance=tuple(dataclasses.replace(one, level=0.5) for one in whole.dominance),
    )
    page, printed = markdown_summary(other), latex_table(other)
    for share, level in (("70 %", "0.7"), ("60 %", "0.6"), ("50 %", "0.5")):
        assert f"CI: {share}, groups drawn anew." in page
        assert f"groups anew, level {level}" in printed


@pytest.mark.parametrize(
    ("alternative", "said"),
    [
        ("two-sided", "at least as extreme, two-sided."),
        ("less", "at least as extreme, one-sided, for a smaller difference."),
        ("observed", "at least as extreme, in the tail on the observed side, chosen after the fact."),
    ],
)
def test_the_side_of_a_test_is_said_in_words(
    another_audit: Callable[..., Audit], alternative: str, said: str
) -> None:
    assert said in markdown_summary(another_audit(alternative=alternative))


def test_signs_before_p_values_are_explained_wherever_they_stand(audit: Audit, whole: Audit) -> None:
    page, printed = markdown_summary(audit), latex_table(audit)
    for told in (page.partition("fit 1, fit 2: ")[2], printed.partition("Geometry of two groups")[2]):
        assert "labels were exchanged at random, not in every way" in told.partition("\n")[0]
    page, printed = markdown_summary(whole), latex_table(whole)
    for told in (page.partition("τ: Kendall's")[2], printed.partition("Kendall's")[2]):
        assert "labels were exchanged at random, not in every way" in told.partition("\n")[0]


def test_a_bound_is_said_to_bound_what_is_adjusted_from_it(audit: Audit, tested: BatteryResult) -> None:
    first, *others = tested.tests
    level = dataclasses.replace(first.level1, method="bracket")
    battery = dataclasses.replace(tested, tests=(dataclasses.replace(first, level1=level), *others))
    other = dataclasses.replace(audit, battery=battery)
    for told in (markdown_summary(other), latex_table(other)):
        assert "upper bound that holds with certainty, and so is what is adjusted from it." in told


def test_points_in_time_are_explained(whole: Audit) -> None:
    (one, *_) = whole.series
    told = markdown_summary(whole).partition("over time\n\n")[2].partition("\n\n")[2]
    titles = next(iter(one.points.values())).titles
    assert told.startswith(f"{titles['x']} / {titles['y']}: ")
    assert "not adjusted for the number of points." in told.partition("\n")[0]


def test_what_several_results_lack_is_said_once(audit: Audit, tested: BatteryResult) -> None:
    first, second = tested.tests
    lacking = next(one for one in tested.tests if one.coverage is not None and one.coverage.missing)
    tests = tuple(dataclasses.replace(one, coverage=lacking.coverage) for one in (first, second))
    page = markdown_summary(Audit(battery=dataclasses.replace(tested, tests=tests)))
    (line,) = [one for one in page.splitlines() if "left out gone" in one]
    assert line.endswith("; plain: x: left out gone (not in the vocabulary)")


def test_measures_have_their_printed_names_and_scores_their_direction(whole: Audit) -> None:
    scores = dataclasses.replace(whole.traits[0], measure="set")
    other = dataclasses.replace(whole, traits=(scores,))
    assert "### Groups and traits: SeT\n" in markdown_summary(other)
    assert "above 0 the group leans to the second adjective" in markdown_summary(other)
    assert "measured by SeT. Positive:" in latex_table(other)


def test_one_test_is_one_test(audit: Audit, tested: BatteryResult) -> None:
    first = {name: getattr(tested, name)[:1] for name in ("tests", "bh", "holm", "detectable")}
    battery = dataclasses.replace(tested, **first)
    other = dataclasses.replace(audit, battery=battery)
    assert "Benjamini and Hochberg for 1 test (" in latex_table(other)
    assert "adjusted for 1 test." in markdown_summary(other)


def test_what_sets_of_these_sizes_could_have_shown_is_in_both_tables(
    audit: Audit, tested: BatteryResult
) -> None:
    found = [one.detectable for one in tested.detectable if one.detectable is not None]
    assert 0 < len(found) < len(tested.detectable)  # one design has 2 words against 4
    text, tex = markdown_summary(audit), latex_table(audit)
    assert f"| {found[0]:.2f} |" in text
    assert f"${found[0]:.2f}$" in tex
    assert "finds in 80 % of cases (p below 0.05, two-sided, not adjusted); –: none could be." in text
    assert "$d_{80}$: true effect size that sets of these sizes show in 80\\% of cases" in tex
    older = dataclasses.replace(audit, battery=dataclasses.replace(tested, detectable=()))
    assert "| – |" in markdown_summary(older)
    assert "finds in" not in markdown_summary(older)
