"""Audits of context vectors: CEAT, levels, intervals and frequency of each design, and the space."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.contexts.measures.battery import assemble_ceat_battery, unmeasured
from crossroads.contexts.measures.bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.contexts.measures.ceat import CeatResult, ceat, context_name
from crossroads.contexts.measures.levels import MultilevelCeatResult, levels_name, multilevel_ceat
from crossroads.core.audit.engine import (
    LACKING,
    Context,
    Evidence,
    Findings,
    Outcomes,
    Row,
    SavedFolder,
    Settings,
    Unit,
    design_unit,
)
from crossroads.core.evidence.contexts import open_contexts
from crossroads.core.results.robustness import checks_name
from crossroads.words.checks.corrections import OF_CONTEXTS, AnisotropyResult, measured_anisotropy
from crossroads.words.checks.frequency import FrequencyResult, frequency, frequency_name

if TYPE_CHECKING:
    from crossroads.core.audit.plan import Plan

CONTEXTUAL = ("ceat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on context vectors."""
LEVEL = 0.95  # nominal coverage of the intervals


class Stored(SavedFolder):
    """A store of contexts."""

    def __init__(self, store: str | Path, fallback: str) -> None:
        super().__init__(store, partial(open_contexts, fallback=fallback))

    def identity(self, unit: Unit) -> Any:
        """The store, and rules for spellings."""
        return [super().identity(unit), list(self.quick.fallback)]


def _designs(plan: Plan) -> list[Unit]:
    return [design_unit(design) for design in plan.contexts]


def _space(plan: Plan) -> list[Unit]:
    return [Unit()] if plan.contexts else []


def _needs_resamples(_: Evidence, settings: Settings, __: Unit) -> float | None:
    return LEVEL if settings.resamples else None


def _needs_frequencies(_: Evidence, settings: Settings, unit: Unit) -> str | None:
    return None if settings.frequencies is None or unit.design is None else unit.design.language


def _battery(context: Context, outcomes: Outcomes) -> Findings:
    """The battery over contexts, with p-values adjusted for the number of its tests."""
    tests = {name: test for name, test in outcomes["ceat"].items() if isinstance(test, CeatResult)}
    skipped = {name: why for name, why in outcomes["ceat"].items() if isinstance(why, str)}
    if not tests and context.insist:
        first = next(iter(skipped))
        raise unmeasured(first, skipped[first], others=len(skipped) - 1)
    if not tests:
        return Findings(left_out={context_name(name): why for name, why in skipped.items()})
    settings, intervals = context.settings, outcomes.get("interval", {})
    battery = assemble_ceat_battery(
        list(tests.values()),
        designs=context.plan.contexts,
        intervals={
            name: interval
            for name in tests
            if isinstance(interval := intervals.get(name), CeatBootstrapResult)
        },
        skipped=skipped,
        options={
            "missing": settings.missing,
            "resamples": settings.resamples,
            "level": LEVEL,
            "samples": settings.samples,
            "seed": settings.seed,
        },
        provenance=context.evidence["contexts"].provenance,
    )
    return Findings(results={battery._label: battery})


def _test_names(_: Plan, unit: Unit) -> dict[str, str]:
    name = context_name(unit.name)
    return {name: "context test", checks_name(name): "checks"}


_check = partial(Row, on="contexts", each=_designs, follows="ceat", alone=True)  # which use all processors
ROWS = (
    Row(
        name="ceat", measure=ceat, gives=CeatResult, on="contexts", each=_designs, rules=_test_names,
        takes=("missing", "samples", "seed"), family=_battery, reported=False, alone=True,
    ),
    _check(
        name="levels", measure=multilevel_ceat, gives=MultilevelCeatResult, skips=LACKING,
        takes=("missing", "samples", "seed"), named=levels_name("{}"),
    ),
    _check(
        name="interval", measure=ceat_bootstrap, gives=CeatBootstrapResult, needs=(_needs_resamples,),
        takes=("missing", "resamples", "seed"), named=f"{context_name('{}')} interval", family=_battery,
        skips=LACKING,
    ),
    _check(
        name="frequency in contexts", measure=frequency, gives=FrequencyResult, needs=(_needs_frequencies,),
        takes=("frequencies", "missing", "seed"), named=frequency_name(context_name("{}")),
    ),
    Row(
        name=OF_CONTEXTS, measure=measured_anisotropy, gives=AnisotropyResult, on="contexts", each=_space,
        takes=("seed",), named=OF_CONTEXTS, skips=LACKING,
    ),
)  # fmt: skip
"""Measures of context vectors."""
