"""Comparison of several audited models: a paired test of every design for every pair of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from crossroads.comparison.battery import (
    CompareBatteryResult,
    compare_battery,
    comparison_name,
    join_comparisons,
)
from crossroads.comparison.report import compare_audits, joint, saved_audit
from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.core.audit.audit import Session
from crossroads.core.audit.engine import (
    LACKING,
    Context,
    Evidence,
    Row,
    Settings,
    Unit,
    design_unit,
    fingerprint,
    make_tasks,
    run_tasks,
)
from crossroads.core.audit.progress import SMALL
from crossroads.core.errors import Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.report.audit import FinishedAudit
from crossroads.core.report.documents.records import Record
from crossroads.core.report.files import Joint
from crossroads.core.stimuli import Design
from crossroads.words.evidence import Words
from crossroads.words.measures.battery import BatteryResult


class _Vectors(Words):
    """One vector per word of a model, and the designs that were measured."""

    def __init__(self, one: FinishedAudit, emb: Embeddings, battery: BatteryResult) -> None:
        super().__init__(emb)
        tests = {test.design for test in battery.tests}
        self.tests = {design.name: design for design in one.designs if design.name in tests}


class _Contexts(Evidence):
    """A battery over contexts, whose tests are compared."""

    def __init__(self, battery: CeatBatteryResult, designs: Mapping[str, Design]) -> None:
        self._battery, self._results = battery, {test.design: test for test in battery.tests}
        self.tests = {name: designs[name] for name in self._results if name in designs}
        self.provenance = battery.provenance

    def read(self) -> CeatBatteryResult:
        """The battery."""
        return self._battery

    def identity(self, unit: Unit) -> Any:
        """Checksum of what a comparison uses of a test."""
        test = self._results[unit.arguments[0].name]
        return fingerprint({"cosines": test._cosines, "contexts": test.contexts, "coverage": test.coverage})


Models = Mapping[str, _Vectors] | Mapping[str, _Contexts]


class _Pairs(Evidence):
    """Models, of which each unit compares two."""

    def __init__(self, models: Models, pair: Sequence[str] = ()) -> None:
        self._models, self._pair = models, pair
        self.provenance = tuple(source for name in pair for source in models[name].provenance)

    def at(self, unit: Unit) -> _Pairs:
        """The two models of a unit."""
        return _Pairs(self._models, unit.about["pair"])

    def read(self) -> dict[str, Any]:
        """The two models by name."""
        return {name: self._models[name].read() for name in self._pair}

    def identity(self, unit: Unit) -> Any:
        """What identifies each model."""
        return {name: self._models[name].identity(unit) for name in self._pair}


def compare_finished(
    finished: Mapping[str, FinishedAudit], settings: Settings, session: Session
) -> CompareBatteryResult | None:
    """Compare every pair of audited models on one vector per word and over contexts.

    None if no two models have vectors of words or tests over contexts.
    """
    designs = {design.name: design for one in finished.values() for design in one.designs}
    vectors, contexts = {}, {}
    for name, one in finished.items():
        battery, over_contexts = one.audit.one(BatteryResult), one.audit.one(CeatBatteryResult)
        if one.vectors is not None and battery is not None:
            vectors[name] = _Vectors(one, one.vectors, battery)
        if over_contexts is not None:
            contexts[name] = _Contexts(over_contexts, designs)
    plan: dict[str, Models] = {"weat": vectors, "ceat": contexts}
    evidence = {measure: _Pairs(models) for measure, models in plan.items()}
    context = Context(plan=plan, evidence=evidence, settings=settings, cache=session.cache)
    tasks = make_tasks(ROWS, context)
    outcomes = run_tasks(tasks, session.cache, workers=session.workers, tracker=session.tracker)
    both = {name: one for some in outcomes.values() for name, one in some.items()}
    found = [one for one in both.values() if isinstance(one, CompareBatteryResult)]
    refused = {name: one for name, one in both.items() if isinstance(one, str)}
    units = ((name, one._ordinary) for name, done in finished.items() for one in done.audit.values())
    ordinary = {name: unit for name, unit in units if unit is not None}
    return join_comparisons(found, finished, skipped=refused, ordinary=ordinary) if found else None


def _pairs_of(measure: str) -> Callable[[Mapping[str, Models]], list[Unit]]:
    """A unit per design and pair of models that both have it."""

    def units(plan: Mapping[str, Models]) -> list[Unit]:
        models, found = plan[measure], []
        designs = {name: design for model in models.values() for name, design in model.tests.items()}
        for name, design in designs.items():
            for pair in combinations([model for model in models if name in models[model].tests], 2):
                unit = design_unit(design)
                title = comparison_name(name, *pair, measure=measure)
                found.append(unit._replace(name=title, about={**unit.about, "pair": list(pair)}))
        return found

    return units


def _compare(
    models: Mapping[str, Any], design: Design, *, alternative: str, missing: Missing, seed: int
) -> CompareBatteryResult:
    """Compare two models; a word may be missing from one only, so missing words never stop an audit."""
    options: dict[str, Any] = {"alternative": "two-sided" if alternative == "observed" else alternative}
    options |= {"missing": "balance" if missing == "balance" else "drop", "seed": seed}
    return compare_battery(models, design, **options)


ROWS = tuple(
    Row(
        name=f"compare {measure}", measure=_compare, gives=CompareBatteryResult, on=measure, skips=LACKING,
        each=_pairs_of(measure), takes=("alternative", "missing", "seed"),
        seconds=lambda unit: SMALL + len(unit.arguments[0].sets["x"]) / 40,
    )
    for measure in ("weat", "ceat")
)  # fmt: skip
"""Comparisons of two models on one test."""


def compare_written(
    audits: Mapping[str, FinishedAudit],
    records: Sequence[Record],
    tested: CompareBatteryResult | None,
    *,
    seed: int,
) -> Joint:
    """Compare audits that were written, with paired tests of every pair if there are any."""
    saved = [
        saved_audit(name, one.audit.values(), one.designs, record.vectors)
        for (name, one), record in zip(audits.items(), records, strict=True)
    ]
    return joint(compare_audits(saved, tested=tested, seed=seed, anything=True))
