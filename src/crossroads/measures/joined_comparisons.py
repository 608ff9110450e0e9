"""Comparisons that were made one by one, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from crossroads.evidence import Provenance
from crossroads.measures.compare_battery import CompareBatteryResult
from crossroads.measures.comparison_notes import adjusted_pvalues, context_notes


def join_comparisons(
    found: Sequence[CompareBatteryResult], models: Iterable[str], *, skipped: Mapping[str, str] | None = None
) -> CompareBatteryResult:
    """Several comparisons of the same models as one, with p-values adjusted over all of them.

    Parameters
    ----------
    found
        The comparisons, at least one. Conventions are those of the first, and what others have beside them;
        each test has its own.
    models
        Names of all models, in order.
    skipped
        What else could not be compared, and why.
    """
    names = tuple(models)
    tests = tuple(test for one in found for test in one.tests)
    pairs = tuple(pair for one in found for pair in one.pairs)
    adjusted = adjusted_pvalues([test.pvalue for test in tests])
    return CompareBatteryResult(
        models=names,
        pairs=pairs,
        tests=tests,
        intervals=tuple(ends for one in found for ends in one.intervals),
        holm=adjusted[0],
        bh=adjusted[1],
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
    """The conventions of all; where comparisons over contexts have others, these are named as theirs."""
    before = {"attributes": "given"}  # by versions that did not record it
    told = dict(found[0].conventions)
    for key, value in before.items():
        told.setdefault(key, value)
    for one in found[1:]:
        over = any(test.contexts for test in one.tests)
        for key, value in {**before, **one.conventions}.items():
            if told.setdefault(key, value) != value and over:
                told[f"{key} over contexts"] = value
    return told
