"""Combination of comparisons that were made one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crossroads.evidence import Provenance
from crossroads.inference.multiplicity import adjust
from crossroads.measures.comparison.battery import CompareBatteryResult
from crossroads.measures.comparison.notes import context_notes


def join_comparisons(
    found: Sequence[CompareBatteryResult], models: Iterable[str], *, skipped: Mapping[str, str] | None = None
) -> CompareBatteryResult:
    """Combine comparisons of the same models into one, with p-values adjusted over all of them.

    Parameters
    ----------
    found
        The comparisons, at least one. Conventions are those of the first, with additional ones of the others;
        each test keeps its own.
    models
        Names of all models, in order.
    skipped
        Other comparisons that could not be made, and why.
    """
    names = tuple(models)
    tests = tuple(test for one in found for test in one.tests)
    pairs = tuple(pair for one in found for pair in one.pairs)
    adjusted = adjust([test.pvalue for test in tests])
    return CompareBatteryResult(
        models=names,
        pairs=pairs,
        tests=tests,
        intervals=tuple(ends for one in found for ends in one.intervals),
        adjusted=adjusted,
        titles={name: sets for one in found for name, sets in one.titles.items()},
        skipped={**{name: why for one in found for name, why in one.skipped.items()}, **(skipped or {})},
        notes=context_notes(tests, pairs),
        conventions=_conventions(found),
        provenance=_sources(found, names),
    )


def _sources(found: Sequence[CompareBatteryResult], models: Sequence[str]) -> tuple[Provenance, ...]:
    """Where the evidence of each model came from, once for each kind of evidence."""
    known: dict[str, list[Provenance]] = {name: [] for name in models}
    for one in found:
        for name, source in zip(one.models, one.provenance, strict=False):
            if source not in known[name]:
                known[name].append(source)
    return tuple(source for sources in known.values() for source in sources)


def _conventions(found: Sequence[CompareBatteryResult]) -> dict[str, Any]:
    """The conventions of all; where those of comparisons over contexts differ, their names say so."""
    conventions = dict(found[0].conventions)
    for one in found[1:]:
        over = any(test.contexts for test in one.tests)
        for key, value in one.conventions.items():
            if conventions.setdefault(key, value) != value and over:
                conventions[f"{key} over contexts"] = value
    return conventions
