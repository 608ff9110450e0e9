"""The battery over contexts: frequency is asked where it is given, and why not otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import crossroads as cr
from crossroads.audit.measured.contexts import ContextStore, context_found, context_names, context_parts
from crossroads.audit.measured.words import word_found, word_parts
from crossroads.audit.parts import Findings, Outcome, Part, Settings
from crossroads.errors import CrossroadsError
from crossroads.measures import FrequencyResult

SETS: dict[str, Any] = {key: [f"{key}{i}" for i in range(6)] for key in "xyab"}
DESIGN = cr.Design(name="made up", **SETS)


def outcomes(parts: list[Part]) -> dict[str, Outcome]:
    found = {}
    for part in parts:
        try:
            found[part.name] = Outcome(result=part.run())
        except part.skips as error:
            assert isinstance(error, CrossroadsError)
            found[part.name] = Outcome(reason=error.reason)
    return found


def over_contexts(folder: Path, frequencies: dict[str, float] | None) -> Findings:
    rng = np.random.default_rng(1)
    store = folder / "store"
    if not store.exists():
        cr.Contexts.from_dict({word: rng.normal(size=(3, 8)) for word in DESIGN.words}).save(store)
    settings = Settings(samples=20, resamples=0, frequencies=frequencies)
    opened = ContextStore(store, "none")
    return context_found(opened, [DESIGN], outcomes(context_parts(opened, [DESIGN], settings)), settings)


def test_frequency_is_part_of_an_audit_of_contexts_where_it_is_given(tmp_path: Path) -> None:
    known = {word: 2.0 + i % 5 for i, word in enumerate(DESIGN.words)}
    found = over_contexts(tmp_path, known).results
    explained = found["made up CEAT frequency"]
    assert isinstance(explained, FrequencyResult)
    checks = cr.checks(found.values()).tests["made up CEAT"]
    assert checks[2].answer == explained.answer
    assert {"made up CEAT frequency", "made up CEAT checks"} <= set(context_names([DESIGN]))


def test_frequencies_that_are_missing_are_said(tmp_path: Path) -> None:
    assert "made up CEAT frequency" not in over_contexts(tmp_path, None).results
    few = dict.fromkeys(SETS["x"], 3.0)
    assert "y has 0 of 6" in over_contexts(tmp_path, few).left_out["made up CEAT frequency"]
    emb = cr.Embeddings(DESIGN.words, np.random.default_rng(1).normal(size=(24, 8)))
    settings = Settings(frequencies=few)
    found = word_found(emb, [DESIGN], outcomes(word_parts(emb, [DESIGN], settings)), settings)
    assert "y has 0 of 6" in found.left_out["made up frequency"]
