"""The methods: what differs in the results differs in the words, and the paragraph stays short."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from crossroads import Design
from crossroads.measures import BatteryResult, CeatBatteryResult
from crossroads.report import Audit, citation_keys, methods_paragraph, methods_text
from crossroads.results import Result
from crossroads.wording import phrases


def _rows(told: str) -> dict[str, str]:
    """The table of conventions below the paragraph."""
    table = told.partition("| --- | --- |\n")[2]
    return dict(line.removeprefix("| ").removesuffix(" |").split(" | ", 1) for line in table.splitlines())


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


def test_audits_that_differ_in_a_convention_differ_in_their_methods(
    audit: Audit,
) -> None:
    told = {"as it is": methods_text(audit)}
    for name, other in variants(audit):
        told[name] = methods_text(other)
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
    assert said not in methods_text(audit)
    assert said in methods_text(another_audit(**options))


def test_model_coverage_and_versions_are_told(
    audit: Audit, tested: BatteryResult, audit_designs: list[Design]
) -> None:
    told = methods_text(audit, audit_designs)
    rows = _rows(told)
    assert rows["Model"] == r"vectors &amp; co\_1.txt (format in memory; revision main; sha256 ab12; dim 5)"
    assert rows["Left out of plain"] == "gone (not in the vocabulary)"
    assert rows["Not measured"].startswith("absent (")
    assert "q IBD (no words)" in rows["Not measured"]
    assert rows["p-values of association tests"].startswith("every one is exact")
    assert f"crossroads {tested.versions['crossroads']}" in told
    assert tested.tests[0].level1.digest[:12] in told
    for key in citation_keys(audit, audit_designs):
        assert f"@{key}" in told


def test_values_are_told_as_people_write_them(audit: Audit, tested: BatteryResult) -> None:
    asked = {"groups": 53, "revision": None, "They are {trait}.": "cut"}
    details = {"vocabulary": 400_000, "cased": False, "fallback": ["lower", "accents"], "record": asked}
    source = dataclasses.replace(tested.provenance[0], details=details)
    tests = tuple(dataclasses.replace(one, provenance=(source,)) for one in tested.tests)
    told = methods_text(Audit([dataclasses.replace(tested, provenance=(source,), tests=tests)]))
    assert (
        "vocabulary 400,000; cased no; fallback lower, accents; record groups 53, “They are {trait}.” cut)"
        in told
    )
    assert "exact counts were limited to 100,000,000 subset sums" in told
    geometry = _rows(methods_text(audit))["Geometry (RSA)"]
    assert "replace concept: no" in geometry
    assert "items of each set" in geometry


def test_a_model_that_was_read_in_two_ways_is_one_model(tested: BatteryResult) -> None:
    sources = [
        dataclasses.replace(tested.provenance[0], source=name, details={"kind": kind, "left out": {}})
        for name, kind in (("m", "decoder"), ("m", "causal"))
    ]
    told = methods_text(Audit([dataclasses.replace(tested, provenance=tuple(sources), tests=())]))
    assert (
        _rows(told)["Model"]
        == "m (format in memory; revision main; sha256 ab12; kind decoder) and, in another "
        "way, (format in memory; revision main; sha256 ab12; kind causal)"
    )
    assert "One of the models" not in told


def test_departures_of_word_lists_are_told(audit: Audit) -> None:
    sets = {role: (f"{role}1", f"{role}2") for role in "xyab"}
    noted = Design(name="own_words", **sets, departures=["spaces around 'x1' are removed."])  # type: ignore[arg-type]
    plain = Design(name="plain", **sets)  # type: ignore[arg-type]
    told = methods_text(audit, [noted, plain])
    assert _rows(told)["Departures of the word lists"] == r"own\_words: spaces around 'x1' are removed"
    assert "Departures" not in methods_text(audit, [plain])


def test_conventions_over_contexts_and_traits_are_told_too(whole: Audit) -> None:
    told = {"as it is": methods_text(whole)}
    for name, other in variants(whole):
        told[name] = methods_text(other)
    assert len(told) > 60
    assert len(set(told.values())) == len(told)


def test_a_word_that_means_another_thing_in_another_measure_is_told_as_what_it_is(
    audit: Audit, whole: Audit
) -> None:
    told = methods_text(audit)
    geometry = _rows(told)["Geometry (RSA)"]
    assert "5 samples of items were drawn" in geometry
    assert "for the agreement of halves, dimensions were halved 2 times" in geometry
    assert "context" not in told  # there is none in an audit of vectors
    assert "people" not in told
    assert "5 samples of one context per word were drawn" in methods_text(whole)
    assert "the rule for the threshold is: accuracy" in told
    assert "the threshold is 50" in methods_text(whole)


def test_people_are_no_model_and_what_was_not_measured_has_its_own_name(whole: Audit) -> None:
    told = methods_text(whole)
    assert _rows(told)["Human judgements"].startswith("people &amp; co.csv")
    assert "| One of the models | people" not in told
    assert "| One of the models | store\\_1" in told
    assert "absent CEAT (" in told
    assert "plain 1800 (" in told
    assert "SeT scores (no logits)" in told
    assert _rows(told)["Left out of plain CEAT"] == "gone (no context)"
    assert "least: 0.1" in told  # fields that change what a result says, though no convention records them
    assert "fdr: 0.05" in told
    assert "resamples: 10; the seed is 0" in told


def test_what_stands_under_multiplicity_is_about_multiplicity(audit: Audit, whole: Audit) -> None:
    adjusted = "adjusted p-values (Holm; Benjamini and Hochberg) are of "
    assert (
        _rows(methods_text(audit))["Multiplicity"]
        == f"{adjusted}Level 1, for other words than these, two-sided"
    )
    over = _rows(methods_text(whole))["Multiplicity over contexts"]
    assert over == f"{adjusted}for other words than these, two-sided"


def test_what_a_battery_does_otherwise_than_its_tests_is_told_of_the_battery(
    audit: Audit, tested: BatteryResult
) -> None:
    assert "Battery of association tests" not in methods_text(audit)
    other = dataclasses.replace(tested, conventions={**tested.conventions, "missing": "raise"})
    told = methods_text(replaced(audit, "battery", other))
    assert _rows(told)["Battery of association tests"] == "a missing stimulus would have stopped the run"


def test_a_model_is_called_by_its_name_and_not_by_its_path(audit: Audit) -> None:
    named = dataclasses.replace(audit, name="My vectors")
    assert methods_paragraph(named).startswith("Associations in My vectors (")
    assert _rows(methods_text(named))["Model"].startswith("My vectors (format in memory;")


def test_the_paragraph_is_short_enough_to_paste_and_names_what_a_reader_looks_for(
    audit: Audit, audit_designs: list[Design], tested: BatteryResult
) -> None:
    told = methods_paragraph(audit, audit_designs)
    assert told.count("\n") == 1  # one paragraph
    assert len(told) < 1500  # about ten lines, and the keys of citations
    assert told.startswith(
        r"Associations in vectors &amp; co\_1.txt (static word vectors, revision main, 5 dim"
    )
    assert f"measured with crossroads {tested.versions['crossroads']}." in told
    assert "2 tests compare two sets of target words" in told
    assert "95 % intervals of differences are for other words than these" in told
    adjusted = "These p-values are adjusted for the number of tests (Benjamini and Hochberg; Holm)"
    assert f"{adjusted}; intervals are not." in told
    assert "(exact; two-sided)" in told
    assert "bootstrapped (percentile, 20 resamples)" in told
    assert "1 stimulus was left out." in told
    assert "2 parts could not be measured." in told
    assert methods_text(audit, audit_designs).startswith(told)


def test_runs_of_names_are_written_as_one(tested: BatteryResult) -> None:
    names = ["w1", "w2", "w3", "v1", "v2", "w4", "x9", "x10", "x11", "w", "10"]
    tests = tuple(dataclasses.replace(tested.tests[0], design=name) for name in names)
    told = methods_paragraph(Audit([dataclasses.replace(tested, tests=tests)]))
    assert "attribute words: w1–w3, v1, v2, w4, x9–x11, w and 10." in told
