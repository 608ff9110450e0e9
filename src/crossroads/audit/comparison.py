"""Comparison of several audited models: a paired test of every design for every pair of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, NamedTuple

from crossroads.audit.audit import FinishedAudit
from crossroads.audit.engine import (
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
from crossroads.audit.job import Session
from crossroads.audit.progress import SMALL
from crossroads.audit.words import Words
from crossroads.measures import (
    BatteryResult,
    CeatBatteryResult,
    CeatResult,
    CompareBatteryResult,
    compare_battery,
)
from crossroads.measures.comparison.joined import join_comparisons
from crossroads.measures.comparison.notes import comparison_name
from crossroads.measures.coverage.words import Missing
from crossroads.stimuli import Design


class Tested(NamedTuple):
    """A model of a comparison."""

    model: Any
    """What is compared: vectors, or a battery over contexts."""
    tests: Mapping[str, Design]
    """The designs that were measured."""
    evidence: Evidence
    """What identifies the model."""


Models = Mapping[str, Tested]


class _Tests(Evidence):
    """A battery over contexts, whose tests are compared."""

    def __init__(self, battery: CeatBatteryResult) -> None:
        self._tests = {test.design: test for test in battery.tests}
        self.provenance = battery.provenance

    def identity(self, unit: Unit) -> Any:
        """Checksum of what a comparison uses of a test."""
        test: CeatResult = self._tests[unit.arguments[0].name]
        return fingerprint({"cosines": test.cosines, "contexts": test.contexts, "coverage": test.coverage})


class Pairs(Evidence):
    """Models, of which each unit compares two."""

    def __init__(self, models: Models, pair: tuple[str, ...] = ()) -> None:
        self._models, self._pair = models, pair
        self.provenance = tuple(source for name in pair for source in models[name].evidence.provenance)

    def at(self, unit: Unit) -> Pairs:
        """The two models of a unit."""
        return Pairs(self._models, tuple(unit.about["pair"]))

    def read(self) -> dict[str, Any]:
        """The two models by name."""
        return {name: self._models[name].model for name in self._pair}

    def identity(self, unit: Unit) -> Any:
        """What identifies each model."""
        return {name: self._models[name].evidence.identity(unit) for name in self._pair}


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
    plan = {"weat": _on_words(finished), "ceat": _over_contexts(finished)}
    evidence = {measure: Pairs(models) for measure, models in plan.items()}
    context = Context(plan=plan, evidence=evidence, settings=settings, cache=session.cache)
    tasks = make_tasks(ROWS, context)
    outcomes = run_tasks(tasks, session.cache, workers=workers, tracker=session.tracker)
    both = {name: one for outcome in outcomes.values() for name, one in outcome.items()}
    found = [one for one in both.values() if isinstance(one, CompareBatteryResult)]
    if not found:
        return None
    refused = {name: one for name, one in both.items() if isinstance(one, str)}
    return join_comparisons(found, finished, skipped=refused)


def _on_words(finished: Mapping[str, FinishedAudit]) -> dict[str, Tested]:
    """Models with a battery on one vector per word."""
    models = {}
    for name, one in finished.items():
        battery = one.audit.one(BatteryResult)
        if one.vectors is not None and battery is not None:
            tests = {test.design for test in battery.tests}
            measured = {design.name: design for design in one.designs if design.name in tests}
            models[name] = Tested(one.vectors, measured, Words(one.vectors))
    return models


def _over_contexts(finished: Mapping[str, FinishedAudit]) -> dict[str, Tested]:
    """Models with a battery over contexts."""
    models = {}
    designs = {one.name: one for each in finished.values() for one in each.designs}
    for name, one in finished.items():
        battery = one.audit.one(CeatBatteryResult)
        if battery is not None:
            tests = {test.design: designs[test.design] for test in battery.tests if test.design in designs}
            models[name] = Tested(battery, tests, _Tests(battery))
    return models


def _pairs_of(measure: str) -> Callable[[Mapping[str, Models]], list[Unit]]:
    """A unit per design and pair of models that both have it."""

    def units(plan: Mapping[str, Models]) -> list[Unit]:
        models, found = plan[measure], []
        for design in {name: one for some in models.values() for name, one in some.tests.items()}.values():
            for pair in combinations(models, 2):
                if all(design.name in models[name].tests for name in pair):
                    name = comparison_name(design.name, pair[0], pair[1], measure=measure)
                    unit = design_unit(design)
                    found.append(unit._replace(name=name, about={**unit.about, "pair": list(pair)}))
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
        name=f"compare {measure}",
        measure=_compare,
        gives=CompareBatteryResult,
        on=measure,
        each=_pairs_of(measure),
        takes=("alternative", "missing", "seed"),
        skips=LACKING,
        seconds=lambda unit: SMALL + len(unit.arguments[0].sets["x"]) / 40,
    )
    for measure in ("weat", "ceat")
)
"""Comparisons of two models on one test."""
