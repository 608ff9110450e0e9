"""The battery over contexts: CEAT, levels and intervals of each design."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from crossroads.audit.parts import Findings, Outcome, Part, Settings, design_inputs, fingerprint
from crossroads.audit.vectors import manifest_identity
from crossroads.errors import DesignError, EvidenceError, InputError, MissingStimuliError
from crossroads.evidence import Contexts, Embeddings, Provenance
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
from crossroads.measures.coverage.gaps import NO_CONTEXT, require_stimuli
from crossroads.measures.geometry.anisotropy import OF_CONTEXTS, measured_anisotropy
from crossroads.measures.robustness import checks_name
from crossroads.report.audit import by_label
from crossroads.results import Result
from crossroads.stimuli import Design

CONTEXTUAL = ("ceat", "ceat-intersectional")
"""The batteries of the catalogue that are measured on context vectors."""
LACKING = (MissingStimuliError, EvidenceError, DesignError)
"""Errors of levels and intervals, if the sets of a test are too small for them."""
LEVEL = 0.95
"""Nominal coverage of the intervals."""


class ContextStore:
    """A store of contexts, opened without verification and verified once before it is measured.

    Parameters
    ----------
    store
        The folder.
    fallback
        As in :func:`open_contexts`.
    """

    def __init__(self, store: str | Path, fallback: str) -> None:
        contexts = open_contexts(store, fallback, verify=False)
        self.identity = {**manifest_identity(store), "fallback": list(contexts.fallback)}
        self.provenance: Provenance = contexts.provenance
        self.index: Embeddings = contexts.index
        self.checked: Callable[[], Contexts] = cache(lambda: open_contexts(store, fallback))


def context_parts(store: ContextStore, designs: Sequence[Design], settings: Settings) -> list[Part]:
    """Parts of each design: the test, its levels, its interval, and frequency where that is given."""
    missing = settings.missing
    if missing == "raise":
        require_stimuli(store.index, designs, absent=NO_CONTEXT)
    drawn = {"samples": settings.samples, "seed": settings.seed}
    again = {"resamples": settings.resamples, "level": LEVEL, "seed": settings.seed}
    given = {"frequencies": settings.frequencies, "seed": settings.seed}
    parts = []
    for design in designs:
        same = {"evidence": store.identity["manifest"], "fallback": store.identity["fallback"]}
        same |= {"missing": missing, **design_inputs(design)}
        # the compiled draws use all processors
        common: dict[str, Any] = {"provenance": (store.provenance,), "alone": True}
        for what, gives, measure, options, skips in (
            ("ceat", CeatResult, ceat, drawn, settings.skips),
            ("levels", MultilevelCeatResult, multilevel_ceat, drawn, LACKING),
            ("interval", CeatBootstrapResult, ceat_bootstrap, again, LACKING),
            ("frequency", FrequencyResult, frequency, given, settings.skips),
        ):
            if what == "interval" and not settings.resamples:
                continue
            if what == "frequency" and settings.frequencies is None:
                continue
            run = _run(measure, store, design, {"missing": missing, **options})
            inputs = {**same, **options}
            if what == "frequency":
                inputs |= {"frequencies": fingerprint(settings.frequencies), "language": design.language}
            name = f"{what} {design.name}"
            parts.append(Part(name=name, gives=gives, inputs=inputs, run=run, skips=skips, **common))
    return [*parts, _space_part(store, settings.seed)]


def _space_part(store: ContextStore, seed: int) -> Part:
    """Whether cosines are meaningful in the space of the contexts."""
    return Part(
        name=OF_CONTEXTS,
        gives=AnisotropyResult,
        inputs={"evidence": store.identity, "seed": seed},
        run=lambda: measured_anisotropy(store.checked(), seed=seed),
        provenance=(store.provenance,),
        skips=LACKING,
    )


def _run(
    measure: Callable[..., Result], store: ContextStore, design: Design, options: Mapping[str, Any]
) -> Callable[[], Result]:
    return lambda: measure(store.checked(), design, **options)


def context_found(
    store: ContextStore,
    designs: Sequence[Design],
    outcomes: Mapping[str, Outcome],
    settings: Settings,
    *,
    insist: bool = True,
) -> Findings:
    """Assemble the battery over contexts, with p-values adjusted for the number of its tests."""
    tests = {one.name: outcomes[f"ceat {one.name}"] for one in designs}
    skipped = {name: one.reason or "" for name, one in tests.items() if one.result is None}
    measured = [one.result for one in tests.values() if isinstance(one.result, CeatResult)]
    if not measured and insist:
        first, why = next(iter(skipped.items()))
        more = f" (and {len(designs) - 1} other tests)" if len(designs) > 1 else ""
        raise InputError(
            f"{first}{more} cannot be measured on this store: {why}",
            hint="collect contexts of its words with crossroads contexts and crossroads embed.",
        )
    if not measured:
        return Findings(left_out={context_name(name): why for name, why in skipped.items()})
    kept = tuple(one for one in designs if one.name not in skipped)
    levels = {one.name: outcomes[f"levels {one.name}"] for one in kept}
    intervals = {one.name: outcomes[part] for one in kept if (part := f"interval {one.name}") in outcomes}
    battery = assemble_ceat_battery(
        measured,
        designs=designs,
        intervals={
            name: one.result for name, one in intervals.items() if isinstance(one.result, CeatBootstrapResult)
        },
        skipped=skipped,
        missing=settings.missing,
        resamples=settings.resamples,
        level=LEVEL,
        options={"samples": settings.samples, "seed": settings.seed},
        provenance=(store.provenance,),
    )
    explained = {one.name: outcomes[part] for one in kept if (part := f"frequency {one.name}") in outcomes}
    beside = [one.result for one in (*levels.values(), *explained.values()) if one.result is not None]
    return Findings(
        results=by_label(
            [battery, *beside, *(one for one in [outcomes[OF_CONTEXTS].result] if one is not None)]
        ),
        designs=kept,
        left_out={
            called(name): one.reason
            for called, some in (
                (levels_name, levels),
                (lambda name: f"{context_name(name)} interval", intervals),
                (context_frequency_name, explained),
                (str, {OF_CONTEXTS: outcomes[OF_CONTEXTS]}),
            )
            for name, one in some.items()
            if one.reason is not None
        },
    )


def context_names(designs: Sequence[Design]) -> dict[str, str]:
    """Names of the tests over contexts in rules, to their kind."""
    names: dict[str, str] = {}
    for one in designs:
        names |= {context_name(one.name): "context test", levels_name(one.name): "context levels"}
        names |= {
            checks_name(context_name(one.name)): "checks",
            context_frequency_name(one.name): "frequency",
        }
    return names


def context_frequency_name(design: str) -> str:
    """What the part of frequency in a test over contexts is called, such as ``weat6 CEAT frequency``."""
    return frequency_name(context_name(design))
