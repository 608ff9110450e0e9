"""Audits of several models at once, and of models that are not one file of vectors."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.measures import AnisotropyResult, CeatBatteryResult, LadderResult, MultilevelCeatResult
from tests.audits import AuditRun


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
    design = cr.read_design(place / "design.json")
    first, other = (cr.load(place / name, words=design.words) for name in ("vectors.txt", "other.txt"))
    expected = cr.compare(first, other, design, alternative="two-sided", missing="drop")
    (test,) = found["tests"]
    assert (test["difference"], test["pvalue"]) == (expected.difference, expected.pvalue)
    assert two_models_audit.out.rstrip().splitlines()[-1].endswith("report.html")


def test_the_document_of_two_models_holds_both_and_the_comparison(
    second: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    run = command(*second, "--json")
    data = json.loads(run.out)
    assert len(data["models"]) == 2
    kinds = [one["type"] for one in data["results"]]
    assert (kinds.count("BatteryResult"), kinds.count("CompareBatteryResult")) == (2, 1)
    assert data["output"] == str(tmp_path / "out")
    assert command(*second, "--json").out == run.out  # its own layout is known, and replaced


def test_a_model_is_given_once(own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]) -> None:
    run = command("audit", own[1], *own[1:])
    assert run.status == 2
    assert "given twice" in run.err.replace("\n", " ")
    assert not (tmp_path / "out").exists()


def test_the_model_at_fault_is_named_where_there_are_several(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    text = (tmp_path / "vectors.txt").read_text(encoding="utf-8")
    (tmp_path / "few.txt").write_text("\n".join(text.splitlines()[:3]) + "\n", encoding="utf-8")
    run = command("audit", own[1], tmp_path / "few.txt", *own[2:])
    assert run.status == 2
    assert "few.txt: none of the 1 tests" in run.err.replace("\n", "")
    assert not (tmp_path / "out").exists()


def test_a_folder_with_a_model_in_it_is_not_replaced(
    own: tuple[Any, ...], tmp_path: Path, command: Callable[..., Any]
) -> None:
    assert command(*own).status == 0
    before = (tmp_path / "out" / "vectors.npz").read_bytes()
    run = command("audit", tmp_path / "out" / "vectors.npz", *own[2:], "--no-vectors")
    assert run.status == 2
    assert "which would be replaced" in run.err.replace("\n", " ")
    assert (tmp_path / "out" / "vectors.npz").read_bytes() == before


def test_a_store_is_audited_over_its_contexts(
    contexts_audit: AuditRun, tmp_path: Path, command: Callable[..., Any]
) -> None:
    assert contexts_audit.status == 0, contexts_audit.err
    assert "saved context vectors" in contexts_audit.out
    assert "CES: combined over samples" in contexts_audit.out.replace("\n", " ")
    audit = contexts_audit.audit
    assert audit.kind == "contexts"
    assert {type(one) for one in audit.values()} == {
        AnisotropyResult,
        CeatBatteryResult,
        LadderResult,
        MultilevelCeatResult,
    }
    place = contexts_audit.folder.parent
    arguments = ("audit", place / "store", "-d", place / "design.json", "-o", tmp_path / "out")
    refused = command(*arguments, "--human", place / "design.json")
    assert refused.status == 2
    assert "--human was given, but" in refused.err.replace("\n", " ")


def test_decades_are_shown_from_first_to_last(
    tmp_path: Path, command: Callable[..., Any], rules: Callable[[str], Path]
) -> None:
    sets: dict[str, Any] = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
    words, rng = [word for names in sets.values() for word in names], np.random.default_rng(5)
    (tmp_path / "decades").mkdir()
    for decade in (1900, 1910, 1920):
        np.save(tmp_path / "decades" / f"{decade}-w.npy", rng.normal(size=(16, 5)))
        (tmp_path / "decades" / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(words, 2))
    (tmp_path / "design.json").write_text(json.dumps({"name": "mine", **sets}), encoding="utf-8")
    rule = '[[rule]]\ntest = "mine 1910"\nstatistic = "effect_size"\nabove = 2\n'
    run = command(
        *("audit", tmp_path / "decades", "-d", tmp_path / "design.json", "--no-figures"),
        *("-o", tmp_path / "out", "--fail-on", rules(rule)),
    )
    assert run.status == 0, run.err
    assert "mine over time" in run.out
    assert [line.split()[0] for line in run.out.splitlines() if line[1:5].isdigit()] == [
        "1900",
        "1910",
        "1920",
    ]
    data = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [one["type"] for one in data["results"]].count("SeriesResult") == 1
