"""Audits of context vectors: CEAT, levels and frequency of each design, and the space."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from crossroads import plots
from crossroads.contexts.embed.run import Step, embed
from crossroads.contexts.measures.battery import (
    CeatBatteryResult,
    assemble_ceat_battery,
    unmeasured,
)
from crossroads.contexts.measures.ceat import CeatResult, ceat, context_name
from crossroads.contexts.measures.levels import MultilevelCeatResult, levels_name, multilevel_ceat
from crossroads.core.audit.audit import Job, Plan, Work, model_seconds
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
from crossroads.core.audit.progress import LOADING
from crossroads.core.evidence.contexts import open_contexts
from crossroads.core.models.files import ModelFiles
from crossroads.core.report.audit import Audit
from crossroads.core.report.figures import Figures
from crossroads.core.results import named
from crossroads.core.results.gaps import NO_CONTEXT, require_stimuli
from crossroads.core.results.robustness import checks_name
from crossroads.words.audit import measure_prompted
from crossroads.words.checks.corrections import OF_CONTEXTS, AnisotropyResult, measured_anisotropy
from crossroads.words.checks.frequency import FrequencyResult, frequency, frequency_name
from crossroads.words.models.settings import packages

NO_CONTEXTS = (
    "the CEAT needs many contexts per word: collect them with crossroads contexts, and give --contexts DIR."
)
NO_HEAD = "they need a model that was saved with its language-modelling head."
_BYTES_A_TOKEN = 4


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


def _needs_frequencies(_: Evidence, settings: Settings, unit: Unit) -> str | None:
    return None if settings.frequencies is None or unit.design is None else unit.design.language


def _battery(context: Context, outcomes: Outcomes) -> Findings:
    tests = {name: test for name, test in outcomes["ceat"].items() if isinstance(test, CeatResult)}
    skipped = {name: why for name, why in outcomes["ceat"].items() if isinstance(why, str)}
    if not tests and context.insist:
        first, why = next(iter(skipped.items()))
        raise unmeasured(first, why, others=len(skipped) - 1)
    if not tests:
        return Findings(left_out={context_name(name): why for name, why in skipped.items()})
    settings = context.settings
    battery = assemble_ceat_battery(
        list(tests.values()),
        designs=context.plan.contexts,
        skipped=skipped,
        options=named(settings, "missing samples seed"),
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
        name="frequency in contexts", measure=frequency, gives=FrequencyResult, needs=(_needs_frequencies,),
        takes=("frequencies", "missing", "seed"), named=frequency_name(context_name("{}")),
    ),
    Row(
        name=OF_CONTEXTS, measure=measured_anisotropy, gives=AnisotropyResult, on="contexts", each=_space,
        takes=("seed",), named=OF_CONTEXTS, skips=LACKING,
    ),
)  # fmt: skip
"""Measures of context vectors."""


def _measure_store(job: Job, store: str | Path, *, insist: bool = True) -> None:
    contexts = Stored(store, job.settings.fallback)
    if job.settings.missing == "raise":
        require_stimuli(contexts.quick.index, job.plan.contexts, absent=NO_CONTEXT)
    job.measure({"contexts": contexts}, insist=insist)


def encoding_seconds(files: ModelFiles, contexts: Path) -> float:
    """Approximate seconds for a model to read contexts, by its size and theirs."""
    read = sum(one.stat().st_size for one in contexts.iterdir() if one.is_file())
    return model_seconds(files, read / _BYTES_A_TOKEN)


def read_sentences(job: Job) -> None:
    """Compute context vectors of the model, if contexts were given, and measure them."""
    if job.plan.sentences is None:
        if job.plan.whole:
            job.left_out["CEAT"] = NO_CONTEXTS
        return
    files, work = job.files, encoding_seconds(job.files, job.plan.sentences)
    job.tracker.expect(1, work)
    contexts = (job.plan.sentences / "manifest.json").read_text(encoding="utf-8")
    store = job.place("store", packages=packages(files), contexts=contexts)

    def watch(step: Step) -> None:
        job.tracker.begin(f"{step.stage} contexts", work if step.stage == "encoding" else 0.0)
        job.tracker.step(step.done, step.total or None, step.kept)

    options: dict[str, Any] = {"revision": files.revision, "device": job.source.device}
    present = (store / "manifest.json").is_file()
    if not present:
        options |= {"workers": job.workers, "restart": True, "progress": watch}
        embed(job.plan.sentences, files.place, store, **options)
    job.tracker.finish(kept=present, work=work)
    _measure_store(job, store, insist=not job.plan.whole)


def _encoder(job: Job) -> None:
    _ = job.files
    job.tracker.expect(1, LOADING)
    measure_prompted(job)
    if job.plan.whole:
        job.left_out["ILPS, ILPS* and SeT"] = NO_HEAD
    read_sentences(job)


WORK = {"encoder": Work(_encoder), "contexts": Work(lambda job: _measure_store(job, job.model))}
"""What an audit does with models of each kind."""


def draw(audit: Audit, figures: Figures) -> None:
    """Draw the battery over contexts, and the levels of its tests."""
    battery = audit.one(CeatBatteryResult)
    if battery is not None and battery.tests:
        figures.save("context-effect-sizes", plots.context_forest(battery))
    if levels := list(audit.of(MultilevelCeatResult).values()):
        figures.save("context-levels", plots.context_levels(levels))
