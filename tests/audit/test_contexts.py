"""The battery over contexts: frequency is asked where it is given, and why not otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.audit import FinishedAudit, make_plan, recognise, run_audit
from crossroads.measures import FrequencyResult

SETS: dict[str, Any] = {key: [f"{key}{i}" for i in range(6)] for key in "xyab"}
DESIGN = cr.Design(name="made up", **SETS)


def over_contexts(folder: Path, frequencies: dict[str, float] | None) -> FinishedAudit:
    rng = np.random.default_rng(1)
    store = folder / "store"
    if not store.exists():
        cr.Contexts.from_dict({word: rng.normal(size=(3, 8)) for word in DESIGN.words}).save(store)
    options: dict[str, Any] = {"samples": 20, "resamples": 0, "fallback": "none"}
    return run_audit(store, [DESIGN], frequencies=frequencies, **options)


def test_frequency_is_part_of_an_audit_of_contexts_where_it_is_given(tmp_path: Path) -> None:
    known = {word: 2.0 + i % 5 for i, word in enumerate(DESIGN.words)}
    audit = over_contexts(tmp_path, known).audit
    explained = audit["made up CEAT frequency"]
    assert isinstance(explained, FrequencyResult)
    assert cr.ladder(audit.values()).tests["made up CEAT"][2].answer == explained.answer
    names = make_plan(recognise(tmp_path / "store"), [DESIGN]).names
    assert {"made up CEAT frequency", "made up CEAT ladder"} <= set(names)


def test_frequencies_that_are_missing_are_said(tmp_path: Path) -> None:
    assert "made up CEAT frequency" not in over_contexts(tmp_path, None).audit
    few = dict.fromkeys(SETS["x"], 3.0)
    assert "y has 0 of 6" in over_contexts(tmp_path, few).audit.left_out["made up CEAT frequency"]
    rows = np.random.default_rng(1).normal(size=(24, 8)).tolist()
    lines = [" ".join([word, *map(repr, row)]) for word, row in zip(DESIGN.words, rows, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    audit = run_audit(tmp_path / "vectors.txt", [DESIGN], frequencies=few).audit
    assert "y has 0 of 6" in audit.left_out["made up frequency"]
