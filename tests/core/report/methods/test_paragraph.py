"""The methods: what differs in the results differs in the words, and the paragraph stays short."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from crossroads import Design
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.core.report.audit import Audit
from crossroads.core.report.methods.citations import citation_keys
from crossroads.core.report.methods.paragraph import methods_paragraph, methods_text
from crossroads.core.report.renderers.texts import latex_table
from crossroads.core.results import Result
from crossroads.core.wording import phrases
from crossroads.words.measures.battery import BatteryResult


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
    return made


@pytest.mark.parametrize("which", ["audit", "whole"])
def test_audits_that_differ_in_a_convention_differ_in_their_methods(
    which: str, request: pytest.FixtureRequest
) -> None:
    one: Audit = request.getfixturevalue(which)
    told = {"as it is": methods_text(one)}
    told |= {name: methods_text(other) for name, other in variants(one)}
    assert len(told) > 40
    assert len(set(told.values())) == len(told)


@pytest.mark.parametrize(
    ("options", "captioned", "said"),
    [
        ({"alternative": "greater"}, "extreme, one-sided, greater.", "in the direction the design states"),
        ({"alternative": "less"}, "extreme, one-sided, less.", f"are {phrases.TOLD_TAILS['less']};"),
        ({"ties": "strict"}, "ties not counted", "divisions that equal the observed one do not count"),
        ({"ddof": 0}, "in standard deviations of the population.", "those of a population (ddof 0)"),
        ({"method": "normal"}, r"$\approx$: an estimate by a normal curve", "normal for all"),
    ],
)
def test_a_convention_that_was_used_is_said_in_words(
    audit: Audit, another_audit: Callable[..., Audit], options: dict[str, Any], captioned: str, said: str
) -> None:
    other = another_audit(**options)
    assert [captioned in latex_table(one) for one in (audit, other)] == [False, True]
    assert [said in methods_text(one) for one in (audit, other)] == [False, True]


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


def test_departures_of_word_lists_are_told(audit: Audit) -> None:
    sets = {role: (f"{role}1", f"{role}2") for role in "xyab"}
    noted = Design(name="own_words", **sets, departures=["spaces around 'x1' are removed."])  # type: ignore[arg-type]
    plain = Design(name="plain", **sets)  # type: ignore[arg-type]
    told = methods_text(audit, [noted, plain])
    assert _rows(told)["Departures of the word lists"] == r"own\_words: spaces around 'x1' are removed"
    assert "Departures" not in methods_text(audit, [plain])


def test_people_are_no_model_and_what_was_not_measured_has_its_own_name(whole: Audit) -> None:
    told = methods_text(whole)
    assert _rows(told)["Human judgements"].startswith("people &amp; co.csv")
    assert "| One of the models | store\\_1" in told
    for name in ("absent CEAT (", "plain 1800 (", "SeT scores (no logits)"):
        assert name in told
    assert _rows(told)["Left out of plain CEAT"] == "gone (no context)"
    # fields that change what a result says, though no convention records them
    assert "least: 0.1" in told
    assert "fdr: 0.05" in told


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
    assert f"measured with crossroads {tested.versions['crossroads']}." in told
    for said in ("2 tests compare", "(exact; two-sided)", "1 stimulus was"):
        assert said in told
    assert methods_text(audit, audit_designs).startswith(told)
