"""Frequency in audits of contexts, and two identities at once in audits of groups and traits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.audit.audit import make_plan, run_audit
from crossroads.core.errors import InputError
from crossroads.core.models.kinds import recognise
from crossroads.core.report.audit import FinishedAudit
from crossroads.traits.audit import groups_and_pairs
from crossroads.traits.pairs.dominance import DominanceResult
from crossroads.traits.pairs.emergent import EmergentResult
from crossroads.traits.pairs.order import OrderSensitivityResult
from crossroads.words.checks.frequency import FrequencyResult

GROUPS = ["teenager", "elderly", "Black", "White", "Catholic", "Muslim"]

SETS: dict[str, Any] = {key: [f"{key}{i}" for i in range(6)] for key in "xyab"}
DESIGN = cr.Design(name="made up", **SETS)


def over_contexts(folder: Path, frequencies: dict[str, float] | None) -> FinishedAudit:
    rng = np.random.default_rng(1)
    store = folder / "store"
    if not store.exists():
        cr.Contexts.from_dict({word: rng.normal(size=(3, 8)) for word in DESIGN.words}).save(store)
    options: dict[str, Any] = {"samples": 20, "fallback": "none"}
    return run_audit(store, [DESIGN], frequencies=frequencies, **options)


def test_frequency_is_part_of_an_audit_of_contexts_where_it_is_given(tmp_path: Path) -> None:
    known = {word: 2.0 + i % 5 for i, word in enumerate(DESIGN.words)}
    audit = over_contexts(tmp_path, known).audit
    explained = audit["made up CEAT frequency"]
    assert isinstance(explained, FrequencyResult)
    assert cr.checks(audit.values()).tests["made up CEAT"][2].answer == explained.answer
    names = make_plan(recognise(tmp_path / "store"), [DESIGN]).names
    assert {"made up CEAT frequency", "made up CEAT checks"} <= set(names)


def test_frequencies_that_are_missing_are_said(tmp_path: Path) -> None:
    assert "made up CEAT frequency" not in over_contexts(tmp_path, None).audit
    few = dict.fromkeys(SETS["x"], 3.0)
    assert "y has 0 of 6" in over_contexts(tmp_path, few).audit.left_out["made up CEAT frequency"]
    rows = np.random.default_rng(1).normal(size=(24, 8)).tolist()
    lines = [" ".join([word, *map(repr, row)]) for word, row in zip(DESIGN.words, rows, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    audit = run_audit(tmp_path / "vectors.txt", [DESIGN], frequencies=few).audit
    assert "y has 0 of 6" in audit.left_out["made up frequency"]


def test_frequencies_of_a_file_are_those_that_are_in_it_now(tmp_path: Path) -> None:
    file, work, gaps = tmp_path / "counts.csv", tmp_path / "work", []
    rng = np.random.default_rng(1)
    store = tmp_path / "store"
    cr.Contexts.from_dict({word: rng.normal(size=(3, 8)) for word in DESIGN.words}).save(store)
    for base in (2, 3, 2):
        rows = [f"{word},{base ** (1 + i % 5)}" for i, word in enumerate(reversed(DESIGN.words))]
        file.write_text("\n".join(["word,count", *rows]) + "\n", encoding="utf-8")
        options: dict[str, Any] = {"samples": 20, "fallback": "none", "work": work}
        audit = run_audit(store, [DESIGN], frequencies=str(file), **options).audit
        explained = audit["made up CEAT frequency"]
        assert isinstance(explained, FrequencyResult)
        gaps.append(sum(explained.basis.log_frequencies.values()))
    assert gaps[0] == gaps[2] != gaps[1]


@pytest.fixture(scope="module")
def answers(small_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a model answered about six groups and their pairs."""
    folder = tmp_path_factory.mktemp("paired") / "answers"
    groups = [*GROUPS, *cr.pairs.paired_groups(GROUPS)]
    cr.probe(small_bert, groups=groups, templates=["singular"], store=folder, threads=1)
    return folder


def test_answers_about_pairs_are_asked_what_pairs_can_tell(answers: Path) -> None:
    audit = run_audit(str(answers)).audit
    for kind in (OrderSensitivityResult, DominanceResult, EmergentResult):
        assert len(audit.of(kind)) == 3
    scores = cr.set_test(cr.Logits.open(answers))
    assert audit["set order"] == cr.pairs.order_sensitivity(scores, seed=0)
    assert audit["set dominance"] == cr.pairs.domain_dominance(scores)
    assert audit["set emergent"] == cr.pairs.emergent(scores)
    assert "pairs of groups" not in audit.unmeasured()
    names = make_plan(recognise(str(answers))).names  # which rules can name
    for one in audit.of(DominanceResult)["ilps dominance"].domain_pairs:
        assert names[f"ilps {one.domain1} / {one.domain2}"] == "dominance"
    assert names["set emergent"] == "emergent"


def test_answers_without_pairs_say_how_to_get_them(tmp_path: Path, small_bert: Path) -> None:
    cr.probe(small_bert, groups=GROUPS, templates=["singular"], store=tmp_path / "answers", threads=1)
    audit = run_audit(str(tmp_path / "answers")).audit
    for kind in (OrderSensitivityResult, DominanceResult, EmergentResult):
        assert not audit.of(kind)
    assert "--pairs" in audit.unmeasured()["pairs of groups"][1]


def test_a_language_model_is_asked_about_pairs_if_wanted(small_bert: Path) -> None:
    plan = make_plan(recognise(str(small_bert)), pairs=True)
    assert plan.pairs
    assert "set emergent" in plan.names
    assert len(groups_and_pairs()) == len(cr.catalog().groups("abc-groups")) + len(cr.pairs.paired_groups())


def test_pairs_are_refused_where_nobody_is_asked_about_groups(small_bert: Path) -> None:
    with pytest.raises(InputError, match=r"^pairs= was given"):
        make_plan(recognise("default"), pairs=True)
    with pytest.raises(InputError, match=r"^pairs= was given"):
        make_plan(recognise(str(small_bert)), [cr.catalog("weat6")], pairs=True)
