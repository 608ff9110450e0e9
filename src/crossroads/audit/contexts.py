"""Audits of context vectors: CEAT, levels, intervals and frequency of each design, and the space."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crossroads.audit.engine import (
    LACKING,
    Context,
    Evidence,
    Findings,
    Outcomes,
    Row,
    Settings,
    Unit,
    design_unit,
)
from crossroads.errors import InputError
from crossroads.evidence import Contexts
from crossroads.evidence.contexts import open_contexts
from crossroads.measures import (
    AnisotropyResult,
    CeatBootstrapResult,
    CeatResult,
    FrequencyResult,
    MultilevelCeatResult,
    ceat,
    ceat_bootstrap,
    frequency,
    multilevel_ceat,
)
from crossroads.measures.association.frequency import frequency_name
from crossroads.measures.contextual.battery import assemble_ceat_battery
from crossroads.measures.contextual.ceat import context_name
from crossroads.measures.contextual.levels import levels_name
from crossroads.measures.geometry.anisotropy import OF_CONTEXTS, measured_anisotropy
from crossroads.measures.rungs import ladder_name
from crossroads.sources.saved import manifest_identity

if TYPE_CHECKING:
    from crossroads.audit.plan import Plan

CONTEXTUAL = ("ceat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on context vectors."""
LEVEL = 0.95
"""Nominal coverage of the intervals."""


class Stored(Evidence):
    """A store of contexts, opened without verification and verified once before it is measured."""

    def __init__(self, store: str | Path, fallback: str) -> None:
        quick = open_contexts(store, fallback, verify=False)
        self._store, self._rules = store, fallback
        self.index, self.provenance = quick.index, (quick.provenance,)
        self._identity = [manifest_identity(store)["manifest"], list(quick.fallback)]

    @cached_property
    def _verified(self) -> Contexts:
        return open_contexts(self._store, self._rules)

    def read(self) -> Contexts:
        """The contexts."""
        return self._verified

    def identity(self, unit: Unit) -> Any:
        """Checksum of the manifest, which has those of all vectors, and rules for spellings."""
        del unit
        return self._identity


def _designs(plan: Plan) -> list[Unit]:
    return [design_unit(design) for design in plan.contexts]


def _space(plan: Plan) -> list[Unit]:
    return [Unit()] if plan.contexts else []


def _needs_resamples(read: Evidence, settings: Settings, unit: Unit) -> float | None:
    del read, unit
    return LEVEL if settings.resamples else None


def _needs_frequencies(read: Evidence, settings: Settings, unit: Unit) -> str | None:
    del read
    return None if settings.frequencies is None or unit.design is None else unit.design.language


def _battery(context: Context, outcomes: Outcomes) -> Findings:
    """The battery over contexts, with p-values adjusted for the number of its tests."""
    tests = {name: one for name, one in outcomes["ceat"].items() if isinstance(one, CeatResult)}
    skipped = {name: one for name, one in outcomes["ceat"].items() if isinstance(one, str)}
    if not tests and context.insist:
        first, why = next(iter(skipped.items()))
        more = f" (and {len(skipped) - 1} other tests)" if len(skipped) > 1 else ""
        raise InputError(
            f"{first}{more} cannot be measured on this store: {why}",
            hint="collect contexts of its words with crossroads contexts and crossroads embed.",
        )
    if not tests:
        return Findings(left_out={context_name(name): why for name, why in skipped.items()})
    settings, intervals = context.settings, outcomes.get("interval", {})
    battery = assemble_ceat_battery(
        list(tests.values()),
        designs=context.plan.contexts,
        intervals={
            name: one for name in tests if isinstance(one := intervals.get(name), CeatBootstrapResult)
        },
        skipped=skipped,
        missing=settings.missing,
        resamples=settings.resamples,
        level=LEVEL,
        options={"samples": settings.samples, "seed": settings.seed},
        provenance=context.evidence["contexts"].provenance,
    )
    return Findings(results={battery.label: battery})


def _test_names(plan: Plan, unit: Unit) -> dict[str, str]:
    del plan
    name = context_name(unit.name)
    return {name: "context test", ladder_name(name): "ladder"}


ROWS = (
    Row(
        name="ceat",
        measure=ceat,
        gives=CeatResult,
        on="contexts",
        each=_designs,
        takes=("missing", "samples", "seed"),
        rules=_test_names,
        family=_battery,
        told=False,
        alone=True,  # the compiled draws use all processors
    ),
    Row(
        name="levels",
        measure=multilevel_ceat,
        gives=MultilevelCeatResult,
        on="contexts",
        each=_designs,
        takes=("missing", "samples", "seed"),
        named=levels_name("{}"),
        follows="ceat",
        skips=LACKING,
        alone=True,
    ),
    Row(
        name="interval",
        measure=ceat_bootstrap,
        gives=CeatBootstrapResult,
        on="contexts",
        each=_designs,
        takes=("missing", "resamples", "seed"),
        needs=(_needs_resamples,),
        named=f"{context_name('{}')} interval",
        family=_battery,
        follows="ceat",
        skips=LACKING,
        alone=True,
    ),
    Row(
        name="frequency in contexts",
        measure=frequency,
        gives=FrequencyResult,
        on="contexts",
        each=_designs,
        takes=("frequencies", "missing", "seed"),
        needs=(_needs_frequencies,),
        named=frequency_name(context_name("{}")),
        follows="ceat",
        alone=True,
    ),
    Row(
        name=OF_CONTEXTS,
        measure=measured_anisotropy,
        gives=AnisotropyResult,
        on="contexts",
        each=_space,
        takes=("seed",),
        named=OF_CONTEXTS,
        skips=LACKING,
    ),
)
"""Measures of context vectors."""
