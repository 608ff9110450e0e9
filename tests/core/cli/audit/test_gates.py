"""Audits as a gate: rules on their results, and the summary for those who wait for the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.audit.audit import make_plan
from crossroads.core.models.kinds import recognise
from crossroads.core.report.gate import judge, read_rules
from crossroads.intersections.rsa import RsaResult
from tests.audits import WORDS, AuditRun
from tests.fixtures.commands import Command, write_decades

ALLOWED = '[[rule]]\nstatistic = "effect_size"\nabove = 2\nabsolute = true\n'
BROKEN = ALLOWED + '[[rule]]\nname = "any"\ntest = "mi*"\nstatistic = "exact_p"\nabove = 0\n'


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_an_audit_that_keeps_the_rules_passes(
    own: tuple[Any, ...], tmp_path: Path, command: Command, rules: Callable[[str], Path]
) -> None:
    out = tmp_path / "out"
    run = command(*own, "--rules", rules(ALLOWED))
    assert run.status == 0, run.err
    assert read(out / "gate.json")["passed"] is True
    assert "**Passed**" in (out / "summary.md").read_text(encoding="utf-8")
    with_rules = (out / "results.json").read_bytes()
    assert command(*own).status == 0
    assert (out / "results.json").read_bytes() == with_rules  # rules measure nothing
    assert not (out / "gate.json").exists()


def test_a_broken_rule_is_exit_status_1_and_the_folder_stands(
    own: tuple[Any, ...], tmp_path: Path, command: Command, rules: Callable[[str], Path]
) -> None:
    run = command(*own, "--rules", rules(BROKEN))
    assert run.status == 1
    assert "1 of 2 rules failed:" in run.err
    assert "any: mine: exact_p is" in run.err
    gate = read(tmp_path / "out" / "gate.json")
    assert [one["outcome"] for one in gate["verdicts"]] == ["passed", "broken"]
    assert "**Failed**" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "results.json").exists()
    again = command(*own, "--rules", tmp_path / "rules.toml", "--json")
    assert again.status == 1
    assert json.loads(again.out)["gate"] == gate  # one document and nothing else


def test_rules_with_a_fault_are_refused_before_any_work(
    own: tuple[Any, ...], tmp_path: Path, command: Command, rules: Callable[[str], Path]
) -> None:
    for text, said in (
        ('[[rule]]\ntest = "mime"\nstatistic = "p_holm"\nabove = 1\n', "did you mean 'mine'"),
        ("[[rule]\n", "not TOML"),
    ):
        run = command(*own, "--rules", rules(text))
        assert (run.status, said in run.err) == (2, True)
        assert not (tmp_path / "out").exists()


def test_rules_may_name_detections_and_comparisons_of_the_whole_audit(
    default_audit: AuditRun, rules: Callable[[str], Path]
) -> None:
    text = '[[rule]]\ntest = "AF IBD"\nstatistic = "auc"\nbelow = 0\n'
    text += '[[rule]]\ntest = "RSA *"\nstatistic = "exact_p"\nbelow = 0\n'
    audit = default_audit.audit
    gate = judge(audit, read_rules(rules(text)))
    assert gate.passed
    assert [one.test for one in gate.verdicts] == ["AF IBD", *audit.of(RsaResult)]


def test_a_rule_on_a_test_that_came_to_nothing_closes_the_gate_and_the_folder_stands(
    tmp_path: Path, command: Command, rules: Callable[[str], Path]
) -> None:
    # "gone" is in one decade only, so that no series is made of it: there is no result to hold rules against
    gone = {name: [f"gone-{word}" for word in words] for name, words in WORDS.items()}
    words = [word for one in (WORDS, gone) for names in one.values() for word in names]
    folder = write_decades(tmp_path / "decades", words, (1900, 1910, 1920))
    for decade in (1900, 1920):
        rows = np.load(folder / f"{decade}-w.npy")
        rows[16:] = 0  # a word that does not occur has a row of zeros
        np.save(folder / f"{decade}-w.npy", rows)
    arguments: list[Any] = ["audit", folder, "--no-figures", "-o", tmp_path / "out"]
    for name, one in (("mine", WORDS), ("gone", gone)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"name": name, **one}), encoding="utf-8")
        arguments += ["-d", tmp_path / f"{name}.json"]
    rule = '[[rule]]\ntest = "{}"\nstatistic = "effect_size"\nabove = 2\n'
    for test in ("gone 1910", "* 1910"):
        run = command(*arguments, "--rules", rules(rule.format(test)))
        assert run.status == 1
        assert "gone 1910 was not measured" in run.err
        assert (tmp_path / "out" / "results.json").exists()


def test_rules_hold_for_each_of_two_models(
    second: tuple[Any, ...], tmp_path: Path, command: Command, rules: Callable[[str], Path]
) -> None:
    run = command(*second, "--rules", rules(BROKEN), "--summary", tmp_path / "page.md")
    assert run.status == 1
    for name in ("vectors", "other"):
        assert f"any: {name}: mine: exact_p is" in run.told
        assert read(tmp_path / "out" / name / "gate.json")["passed"] is False
    assert (tmp_path / "page.md").read_text(encoding="utf-8").count("**Failed**") == 2


def test_what_was_not_asked_for_closes_no_gate(
    language_audit: AuditRun, small_bert: Path, rules: Callable[[str], Path]
) -> None:
    # the audit says that there were no contexts for the CEAT; a rule for all tests is not about that
    text = '[[rule]]\nstatistic = "effect_size"\nabove = 3\nabsolute = true\n'
    assert "CEAT: not tested" in language_audit.out
    planned = make_plan(recognise(str(small_bert))).names
    gate = judge(language_audit.audit, read_rules(rules(text)), planned)
    assert {one.outcome for one in gate.verdicts} == {"passed"}


# The summary


def test_the_summary_goes_where_it_is_asked_for_and_nowhere_else(
    own: tuple[Any, ...], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = tmp_path / "job.md"
    job.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job))
    assert command(*own, "--summary", tmp_path / "page.md").status == 0
    page = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert page == (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert job.read_text(encoding="utf-8") == "before\n"  # the variable alone does nothing
    assert command(*own, "--summary", "github").status == 0
    assert job.read_text(encoding="utf-8") == "before\n" + page


def test_places_for_the_summary_are_checked_before_any_work(
    own: tuple[Any, ...], tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for arguments, said in [
        (("--summary", "github"), "GITHUB_STEP_SUMMARY is not set"),
        (("--summary", tmp_path), "is a folder"),
        (("--summary", tmp_path / "nowhere" / "page.md"), "there is no folder"),
        (("--summary", tmp_path / "out" / "page.md"), "inside the folder of the audit"),
    ]:
        run = command(*own, *arguments)
        assert (run.status, said in run.told) == (2, True), arguments
        assert not (tmp_path / "out").exists()
