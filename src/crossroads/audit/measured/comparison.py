"""Comparison of several audited models: a paired test of every design for every pair of models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

from crossroads.audit.audit import FinishedAudit
from crossroads.audit.parts import Outcome, Part, Settings, design_inputs, fingerprint, rows_inputs
from crossroads.audit.progress import SMALL
from crossroads.audit.run import run_parts
from crossroads.audit.vectors import Session
from crossroads.errors import DesignError, EvidenceError, MissingStimuliError
from crossroads.evidence import Embeddings, Provenance
from crossroads.measures import (
    BatteryResult,
    CeatBatteryResult,
    CeatResult,
    CompareBatteryResult,
    compare_battery,
)
from crossroads.measures.comparison.battery import comparison_name, join_comparisons
from crossroads.stimuli import Design


def compare_finished(
    finished: Mapping[str, FinishedAudit], settings: Settings, session: Session, *, workers: int | None = None
) -> CompareBatteryResult | None:
    """Compare every pair of audited models on one vector per word and over contexts.

    Parameters
    ----------
    finished
        Audits by name of the model.
    settings
        The options with which they were made.
    session
        Where finished comparisons are kept, and how progress is reported.
    workers
        Number of comparisons that run at a time.

    Returns
    -------
    CompareBatteryResult or None
        None if no two models have vectors of words or tests over contexts.
    """
    parts = [*_vector_parts(finished, settings), *_context_parts(finished, settings)]
    session.tracker.expect(len(parts))
    outcomes = run_parts(parts, session.place, workers=workers, tracker=session.tracker)
    return _joined(finished, outcomes)


def _options(settings: Settings) -> dict[str, Any]:
    tail = "two-sided" if settings.alternative == "observed" else settings.alternative
    # a word may be missing from one model only, so missing words are dropped even if the battery raises
    missing = "balance" if settings.missing == "balance" else "drop"
    return {"alternative": tail, "missing": missing, "seed": settings.seed}


def _vector_parts(finished: Mapping[str, FinishedAudit], settings: Settings) -> list[Part]:
    """One part per design and pair of models that both have it on one vector per word."""
    models = {
        name: one.vectors
        for name, one in finished.items()
        if one.vectors is not None and one.audit.one(BatteryResult) is not None
    }
    measured = {name: _measured(finished[name]) for name in models}
    designs = {name: one for some in measured.values() for name, one in some.items()}
    options, parts = _options(settings), []
    for design in designs.values():
        for pair in combinations(models, 2):
            if not all(design.name in measured[name] for name in pair):
                continue
            two = {name: models[name] for name in pair}
            evidence = {name: rows_inputs(emb, design.words) for name, emb in two.items()}
            provenance = tuple(emb.provenance for emb in two.values())
            parts.append(_part(two, design, evidence, provenance, options, measure="weat"))
    return parts


def _measured(one: FinishedAudit) -> dict[str, Design]:
    """The designs of a battery on one vector per word."""
    battery = one.audit.one(BatteryResult)
    tests = set() if battery is None else {test.design for test in battery.tests}
    return {design.name: design for design in one.designs if design.name in tests}


def _context_parts(finished: Mapping[str, FinishedAudit], settings: Settings) -> list[Part]:
    """One part per design and pair of models that were both tested on it over contexts."""
    batteries = {
        name: found
        for name, one in finished.items()
        if (found := one.audit.one(CeatBatteryResult)) is not None
    }
    tests = {name: {test.design: test for test in one.tests} for name, one in batteries.items()}
    designs = {one.name: one for each in finished.values() for one in each.designs}
    options, parts = _options(settings), []
    for design in designs.values():
        for pair in combinations(batteries, 2):
            if not all(design.name in tests[name] for name in pair):
                continue
            two = {name: batteries[name] for name in pair}
            evidence = {name: _kept(tests[name][design.name]) for name in pair}
            provenance = tuple(source for one in two.values() for source in one.provenance)
            parts.append(_part(two, design, evidence, provenance, options, measure="ceat"))
    return parts


def _kept(test: CeatResult) -> str:
    """Checksum of what a comparison uses of a test over contexts."""
    return fingerprint({"cosines": test.cosines, "contexts": test.contexts, "coverage": test.coverage})


def _part(
    models: Mapping[str, Embeddings] | Mapping[str, CeatBatteryResult],
    design: Design,
    evidence: Mapping[str, str],
    provenance: tuple[Provenance, ...],
    options: Mapping[str, Any],
    *,
    measure: str,
) -> Part:
    pair = tuple(models)
    inputs = {"evidence": evidence, "pair": pair, "measure": measure, **options, **design_inputs(design)}
    return Part(
        name=f"compare {comparison_name(design.name, pair[0], pair[1], measure=measure)}",
        gives=CompareBatteryResult,
        inputs=inputs,
        run=partial(compare_battery, models, design, **options),
        provenance=provenance,
        skips=(MissingStimuliError, EvidenceError, DesignError),
        work=SMALL + len(design.sets["x"]) / 40,
    )


def _joined(models: Iterable[str], outcomes: Mapping[str, Outcome]) -> CompareBatteryResult | None:
    """One result over all designs and pairs, with p-values adjusted for all of them."""
    found = [one.result for one in outcomes.values() if isinstance(one.result, CompareBatteryResult)]
    if not found:
        return None
    refused = {
        name.removeprefix("compare "): one.reason for name, one in outcomes.items() if one.reason is not None
    }
    return join_comparisons(found, models, skipped=refused)
