"""Audits of several models at once, and of models that are not one file of vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import crossroads as cr
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.contexts.measures.levels import MultilevelCeatResult
from crossroads.core.results.robustness import ChecksResult
from crossroads.words.checks.corrections import AnisotropyResult
from tests.audits import AuditRun
from tests.fixtures.commands import Command


def test_two_models_are_audited_and_compared(two_models_audit: AuditRun) -> None:
    assert two_models_audit.status == 0, two_models_audit.err
    out, place = two_models_audit.folder, two_models_audit.folder.parent
    assert (out / "comparison.csv").is_file()
    for folder in (out, out / "vectors", out / "other"):
        assert (folder / "report.html").is_file()
    for name in ("vectors", "other"):
        assert json.loads((out / name / "results.json").read_text(encoding="utf-8"))["kind"] == "vectors"
    (found,) = two_models_audit.results["results"]
    assert found["type"] == "CompareBatteryResult"
    design = cr.read_designs(place / "design.json")[0]
    first, other = (cr.load(place / name, words=design.words) for name in ("vectors.txt", "other.txt"))
    expected = cr.compare(first, other, design, alternative="two-sided", missing="drop")
    (test,) = found["tests"]
    assert (test["difference"], test["pvalue"]) == (expected.difference, expected.pvalue)


def test_the_document_of_two_models_holds_both_and_the_comparison(
    second: tuple[Any, ...], tmp_path: Path, command: Command
) -> None:
    run = command(*second, "--json")
    data = json.loads(run.out)
    assert len(data["models"]) == 2
    kinds = [one["type"] for one in data["results"]]
    assert (kinds.count("BatteryResult"), kinds.count("CompareBatteryResult")) == (2, 1)
    assert data["output"] == str(tmp_path / "out")
    assert command(*second, "--json").out == run.out  # its own layout is known, and replaced


def test_a_model_is_given_once_and_the_one_at_fault_is_named(
    own: tuple[Any, ...], tmp_path: Path, command: Command
) -> None:
    text = (tmp_path / "vectors.txt").read_text(encoding="utf-8")
    (tmp_path / "few.txt").write_text("\n".join(text.splitlines()[:3]) + "\n", encoding="utf-8")
    for other, said in ((own[1], "given twice"), (tmp_path / "few.txt", "few.txt: none of the 1 tests")):
        run = command("audit", own[1], other, *own[2:])
        assert (run.status, said in run.told) == (2, True)
        assert not (tmp_path / "out").exists()


def test_a_folder_with_a_model_in_it_is_not_replaced(
    own: tuple[Any, ...], tmp_path: Path, command: Command
) -> None:
    assert command(*own).status == 0
    before = (tmp_path / "out" / "vectors.npz").read_bytes()
    run = command("audit", tmp_path / "out" / "vectors.npz", *own[2:], "--no-vectors")
    assert run.status == 2
    assert "which would be replaced" in run.err.replace("\n", " ")
    assert (tmp_path / "out" / "vectors.npz").read_bytes() == before


def test_a_store_is_audited_over_its_contexts(
    contexts_audit: AuditRun, tmp_path: Path, command: Command
) -> None:
    assert contexts_audit.status == 0, contexts_audit.err
    audit = contexts_audit.audit
    assert audit.kind == "contexts"
    kinds = {AnisotropyResult, CeatBatteryResult, ChecksResult, MultilevelCeatResult}
    assert {type(one) for one in audit.values()} == kinds
    place = contexts_audit.folder.parent
    arguments = ("audit", place / "store", "-d", place / "design.json", "-o", tmp_path / "out")
    refused = command(*arguments, "--human", place / "design.json")
    assert (refused.status, "--human was given, but" in refused.told) == (2, True)
