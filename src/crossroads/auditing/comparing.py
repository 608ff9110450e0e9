"""Several audited models beside each other: a paired test of every design for every two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from crossroads.auditing.audits import Finished
from crossroads.auditing.parts import Outcome, Part, Settings, design_inputs, rows_inputs
from crossroads.auditing.running import run_parts
from crossroads.auditing.vectors import Desk
from crossroads.errors import DesignError, EvidenceError, MissingStimuliError
from crossroads.evidence import Embeddings
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.measures.compare_battery import CompareBatteryResult, compare_battery, comparison_name
from crossroads.stimuli import Design


def compare_finished(
    finished: Mapping[str, Finished], settings: Settings, desk: Desk, *, workers: int | None = None
) -> CompareBatteryResult | None:
    """Compare audited models that have one vector a word, every two of them.

    Parameters
    ----------
    finished
        Audits by name of the model.
    settings
        The options with which they were made.
    desk
        Where finished comparisons are kept.
    workers
        How many comparisons run at a time.

    Returns
    -------
    CompareBatteryResult or None
        None where fewer than two models have vectors of words.
    """
    models = {
        name: one.vectors
        for name, one in finished.items()
        if one.vectors is not None and one.audit.battery is not None
    }
    measured = {name: _measured(finished[name]) for name in models}
    designs = {name: one for some in measured.values() for name, one in some.items()}
    parts = _parts(models, measured, list(designs.values()), settings)
    desk.tally.expect(len(parts))
    outcomes = run_parts(parts, desk.place, workers=workers, tally=desk.tally)
    return _joined(models, list(designs.values()), outcomes)


def _measured(one: Finished) -> dict[str, Design]:
    """The designs that a battery on one vector a word holds."""
    tests = {test.design for test in one.audit.battery.tests} if one.audit.battery is not None else set()
    return {design.name: design for design in one.designs if design.name in tests}


def _parts(
    models: Mapping[str, Embeddings],
    measured: Mapping[str, Mapping[str, Design]],
    designs: Sequence[Design],
    settings: Settings,
) -> list[Part]:
    """One part a design and pair of models that both have it."""
    tail = "two-sided" if settings.alternative == "observed" else settings.alternative
    # a word that one model has may be missing from the other, also where none may from the battery
    missing = "balance" if settings.missing == "balance" else "drop"
    options: dict[str, Any] = {"alternative": tail, "missing": missing, "seed": settings.seed}
    parts = []
    for design in designs:
        for pair in combinations(models, 2):
            if not all(design.name in measured[name] for name in pair):
                continue
            two = {name: models[name] for name in pair}
            evidence = {name: rows_inputs(emb, design.words) for name, emb in two.items()}
            parts.append(
                Part(
                    name=f"compare {comparison_name(design.name, *pair)}",
                    gives=CompareBatteryResult,
                    inputs={"evidence": evidence, "pair": pair, **options, **design_inputs(design)},
                    run=partial(compare_battery, two, design, **options),
                    provenance=tuple(emb.provenance for emb in two.values()),
                    skips=(MissingStimuliError, EvidenceError, DesignError),
                    work=float(2 ** len(design.sets["x"])),
                )
            )
    return parts


def _joined(
    models: Mapping[str, Embeddings], designs: Sequence[Design], outcomes: Mapping[str, Outcome]
) -> CompareBatteryResult | None:
    """One result over all designs and pairs, with p-values adjusted for all of them."""
    found = [one.result for one in outcomes.values() if isinstance(one.result, CompareBatteryResult)]
    if not found:
        return None
    pvalues = [test.pvalue for one in found for test in one.tests]
    refused = {
        name.removeprefix("compare "): one.reason for name, one in outcomes.items() if one.reason is not None
    }
    return CompareBatteryResult(
        models=tuple(models),
        pairs=tuple(pair for one in found for pair in one.pairs),
        tests=tuple(test for one in found for test in one.tests),
        intervals=tuple(ends for one in found for ends in one.intervals),
        holm=tuple(holm(pvalues).tolist()),
        bh=tuple(benjamini_hochberg(pvalues).tolist()),
        titles={design.name: {role: one.name for role, one in design.sets.items()} for design in designs},
        skipped={**{name: why for one in found for name, why in one.skipped.items()}, **refused},
        conventions=found[0].conventions,
        provenance=tuple(emb.provenance for emb in models.values()),
    )
