"""The methods paragraph: what differs in the results differs in the words."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from crossroads import Design
from crossroads.measures import BatteryResult, CeatBatteryResult
from crossroads.report import Audit, citation_keys, methods_paragraph
from crossroads.results import Result
from crossroads.wording import phrases


def changed(result: Result, key: str) -> Any:
    return dataclasses.replace(result, conventions={**result.conventions, key: "something else"})


def replaced(audit: Audit, name: str, result: Result) -> Audit:
    return dataclasses.replace(audit, given={**audit, name: result})


def variants(audit: Audit) -> list[tuple[str, Audit]]:
    """The audit with each convention of each result changed in turn, in those inside others too."""
    made = []
    for name, one in audit.items():
        made += [(f"{name} {key}", replaced(audit, name, changed(one, key))) for key in one.conventions]
        if isinstance(one, (BatteryResult, CeatBatteryResult)):
            for key in one.tests[0].conventions:
                tests: Any = tuple(changed(test, key) for test in one.tests)
                made.append(
                    (f"{name} test {key}", replaced(audit, name, dataclasses.replace(one, tests=tests)))
                )
            for design, interval in one.intervals.items():
                for key in interval.conventions:
                    drawn: Any = {**one.intervals, design: changed(interval, key)}
                    other = dataclasses.replace(one, intervals=drawn)
                    made.append((f"{name} {design} interval {key}", replaced(audit, name, other)))
    return made


def test_audits_that_differ_in_a_convention_differ_in_their_paragraph(
    audit: Audit,
) -> None:
    told = {"as it is": methods_paragraph(audit)}
    for name, other in variants(audit):
        told[name] = methods_paragraph(other)
        assert told[name] != told["as it is"], name
    assert len(told) > 40
    assert len(set(told.values())) == len(told)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alternative": "greater"}, "p-values are one-sided, in the direction the design states"),
        ({"alternative": "less"}, f"p-values are {phrases.TOLD_TAILS['less']};"),
        ({"alternative": "observed"}, f"p-values are {phrases.TOLD_TAILS['observed']};"),
        ({"ties": "strict"}, "divisions that equal the observed one do not count"),
        ({"ddof": 0}, "standard deviations are those of a population (ddof 0)"),
        ({"missing": "balance"}, "the longer set of each pair was shortened"),
        ({"seed": 7}, "the seed is 7"),
        ({"method": "monte-carlo"}, "monte-carlo for all others"),
        ({"alpha": 0.01}, "if p is below 0.01"),
    ],
)
def test_a_convention_that_was_used_is_said_in_words(
    audit: Audit, another_audit: Callable[..., Audit], options: dict[str, Any], said: str
) -> None:
    assert said not in methods_paragraph(audit)
    assert said in methods_paragraph(another_audit(**options))


def test_model_coverage_and_versions_are_told(
    audit: Audit, tested: BatteryResult, audit_designs: list[Design]
) -> None:
    told = methods_paragraph(audit, audit_designs)
    assert told.count("\n") == 1  # one paragraph
    assert (
        r"The model is vectors &amp; co\_1.txt (format in memory; revision main; sha256 ab12; dim 5)." in told
    )
    assert "Left out of plain: gone (not in the vocabulary)." in told
    assert "Not measured: absent (" in told
    assert "q IBD (no words)" in told
    assert "Every p-value of an association test is exact" in told
    assert f"crossroads {tested.versions['crossroads']}" in told
    assert tested.tests[0].level1.digest[:12] in told
    for key in citation_keys(audit, audit_designs):
        assert f"@{key}" in told


def test_values_are_told_as_people_write_them(audit: Audit, tested: BatteryResult) -> None:
    asked = {"groups": 53, "revision": None, "They are {trait}.": "cut"}
    details = {"vocabulary": 400_000, "cased": False, "fallback": ["lower", "accents"], "record": asked}
    source = dataclasses.replace(tested.provenance[0], details=details)
    tests = tuple(dataclasses.replace(one, provenance=(source,)) for one in tested.tests)
    told = methods_paragraph(Audit([dataclasses.replace(tested, provenance=(source,), tests=tests)]))
    assert (
        "vocabulary 400,000; cased no; fallback lower, accents; record groups 53, “They are {trait}.” cut)"
        in told
    )
    assert "exact counts were limited to 100,000,000 subset sums" in told
    geometry = methods_paragraph(audit).partition("Geometry (RSA): ")[2].partition(". ")[0]
    assert "replace concept: no" in geometry
    assert "items of each set" in geometry


def test_a_model_that_was_read_in_two_ways_is_one_model(tested: BatteryResult) -> None:
    sources = [
        dataclasses.replace(tested.provenance[0], source=name, details={"kind": kind, "left out": {}})
        for name, kind in (("m", "decoder"), ("m", "causal"))
    ]
    told = methods_paragraph(Audit([dataclasses.replace(tested, provenance=tuple(sources), tests=())]))
    assert (
        "The model is m (format in memory; revision main; sha256 ab12; kind decoder) and, in another" in told
    )
    assert "way, (format in memory; revision main; sha256 ab12; kind causal)." in told
    assert "One of the models" not in told


def test_departures_of_word_lists_are_told(audit: Audit) -> None:
    sets = {role: (f"{role}1", f"{role}2") for role in "xyab"}
    noted = Design(name="own_words", **sets, departures=["spaces around 'x1' are removed."])  # type: ignore[arg-type]
    plain = Design(name="plain", **sets)  # type: ignore[arg-type]
    told = methods_paragraph(audit, [noted, plain])
    assert r"Departures of the word lists: own\_words: spaces around 'x1' are removed. " in told
    assert "Departures" not in methods_paragraph(audit, [plain])


def test_conventions_over_contexts_and_traits_are_told_too(whole: Audit) -> None:
    told = {"as it is": methods_paragraph(whole)}
    for name, other in variants(whole):
        told[name] = methods_paragraph(other)
    assert len(told) > 60
    assert len(set(told.values())) == len(told)


def test_a_word_that_means_another_thing_in_another_measure_is_told_as_what_it_is(
    audit: Audit, whole: Audit
) -> None:
    told = methods_paragraph(audit)
    geometry = told.partition("Geometry (RSA): ")[2].partition(". ")[0]
    assert "5 samples of items were drawn" in geometry
    assert "for the agreement of halves, dimensions were halved 2 times" in geometry
    assert "context" not in told  # there is none in an audit of vectors
    assert "people" not in told
    assert "5 samples of one context per word were drawn" in methods_paragraph(whole)
    assert "the rule for the threshold is: accuracy" in told
    assert "the threshold is 50" in methods_paragraph(whole)


def test_people_are_no_model_and_what_was_not_measured_has_its_own_name(whole: Audit) -> None:
    told = methods_paragraph(whole)
    assert "Human judgements are from people &amp; co.csv" in told
    assert "model is people" not in told
    assert "One of the models is store\\_1" in told
    assert "absent CEAT (" in told
    assert "plain 1800 (" in told
    assert "SeT scores (no logits)" in told
    assert "Left out of plain CEAT: gone (no context)." in told
    assert "least: 0.1" in told  # fields that change what a result says, though no convention records them
    assert "fdr: 0.05" in told
    assert "resamples: 10; the seed is 0" in told


def _titled(told: str, title: str) -> str:
    """What the paragraph tells under a title."""
    return told.partition(f" {title}: ")[2].partition(". ")[0]


def test_what_stands_under_multiplicity_is_about_multiplicity(audit: Audit, whole: Audit) -> None:
    adjusted = "adjusted p-values (Holm; Benjamini and Hochberg) are of "
    assert (
        _titled(methods_paragraph(audit), "Multiplicity")
        == f"{adjusted}Level 1, for other words than these, two-sided"
    )
    over = _titled(methods_paragraph(whole), "Multiplicity over contexts")
    assert over == f"{adjusted}for other words than these, two-sided"


def test_what_a_battery_does_otherwise_than_its_tests_is_told_of_the_battery(
    audit: Audit, tested: BatteryResult
) -> None:
    assert "Battery of association tests" not in methods_paragraph(audit)
    other = dataclasses.replace(tested, conventions={**tested.conventions, "missing": "raise"})
    told = methods_paragraph(replaced(audit, "battery", other))
    assert _titled(told, "Battery of association tests") == "a missing stimulus would have stopped the run"


def test_a_model_is_called_by_its_name_and_not_by_its_path(audit: Audit) -> None:
    named = dataclasses.replace(audit, name="My vectors")
    assert methods_paragraph(named).startswith("The model is My vectors (format in memory;")
