"""The CEAT of many designs on one set of contexts, with the number of tests taken into account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossroads.errors import DesignError, MissingStimuliError
from crossroads.evidence import Contexts, Provenance
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.inference.options import share, whole
from crossroads.measures.ceat import CeatResult, ceat
from crossroads.measures.context_bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.measures.context_sets import check_contexts
from crossroads.measures.gaps import NO_CONTEXT, require_stimuli
from crossroads.measures.gathering import listed_designs
from crossroads.results import Result
from crossroads.stimuli import Design


@dataclass(frozen=True, kw_only=True, eq=False)
class CeatBatteryResult(Result):
    """CEATs of several designs on one model."""

    tests: tuple[CeatResult, ...]
    """The tests, in the order asked for."""
    holm: tuple[float, ...]
    """p-values over stimuli adjusted by Holm. The published p-values are not adjusted: no number of tests
    explains why they are small."""
    bh: tuple[float, ...]
    """The same, adjusted by Benjamini and Hochberg."""
    intervals: Mapping[str, CeatBootstrapResult]
    """Bootstrap interval of each design, over words and contexts; empty where none was asked for, and without
    those that have a single word in a set, which cannot be drawn anew."""
    titles: Mapping[str, Mapping[str, str]]
    """What the four sets of each design stand for."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""

    def rows(self) -> list[dict[str, Any]]:
        """One row a test, with the adjusted p-values over stimuli."""
        return [
            {**test.rows()[0], "holm": h, "bh": b, **self._ends(test.design)}
            for test, h, b in zip(self.tests, self.holm, self.bh, strict=True)
        ]

    def _ends(self, design: str) -> dict[str, float | None]:
        found = self.intervals.get(design)
        return {"low": found.low if found else None, "high": found.high if found else None}


def ceat_battery(
    contexts: Contexts,
    designs: Design | Iterable[Design],
    *,
    resamples: int = 0,
    level: float = 0.95,
    missing: str = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CeatBatteryResult:
    """Run the CEAT on several designs and adjust their p-values over stimuli for the number of tests.

    Parameters
    ----------
    contexts
        Context vectors of the stimuli.
    designs
        What to ask.
    resamples, level
        Of the bootstrap over words and contexts; 0 for none.
    missing
        As in :func:`~crossroads.measures.ceat.ceat`. A design that has too few stimuli left is skipped, and
        the result says so.
    progress
        Called with the name of each design before it is measured.
    options
        Passed on to :func:`~crossroads.measures.ceat.ceat`.
    """
    designs = listed_designs(designs)
    if missing == "raise":
        check_contexts(contexts)
        require_stimuli(contexts.index, designs, absent=NO_CONTEXT)
    whole("resamples", resamples, hint="give 0 for none; 2,000 is usual.")
    share("level", level)
    tests: list[CeatResult] = []
    intervals: dict[str, CeatBootstrapResult] = {}
    skipped: dict[str, str] = {}
    same: dict[str, Any] = {key: options[key] for key in ("ddof", "seed") if key in options}
    for design in designs:
        if progress is not None:
            progress(design.name)
        try:
            tests.append(ceat(contexts, design, missing=missing, **options))
        except MissingStimuliError as error:
            if missing == "raise":
                raise
            skipped[design.name] = error.reason
            continue
        if resamples and (found := _interval(contexts, design, missing, resamples, level, same)) is not None:
            intervals[design.name] = found
    return assemble_ceat_battery(
        tests,
        designs=designs,
        intervals=intervals,
        skipped=skipped,
        missing=missing,
        resamples=resamples,
        level=level,
        options=options,
        provenance=(contexts.provenance,),
    )


def assemble_ceat_battery(
    tests: Sequence[CeatResult],
    *,
    designs: Iterable[Design],
    intervals: Mapping[str, CeatBootstrapResult],
    skipped: Mapping[str, str],
    missing: str,
    resamples: int,
    level: float,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> CeatBatteryResult:
    """Make a battery of CEATs that were measured one by one, with the p-values that it adjusts.

    Parameters
    ----------
    tests
        The tests, in order.
    designs
        What was asked.
    intervals
        Bootstrap intervals by design.
    skipped
        Designs that could not be measured, and why.
    missing, resamples, level, options
        What each test was asked with, as in :func:`ceat_battery`.
    provenance
        Where the contexts of all tests came from.
    """
    pvalues = [test.stimulus_pvalue for test in tests]
    return CeatBatteryResult(
        tests=tuple(tests),
        holm=tuple(holm(pvalues).tolist()),
        bh=tuple(benjamini_hochberg(pvalues).tolist()),
        intervals=intervals,
        titles={
            design.name: {name: words.name for name, words in design.sets.items()}
            for design in designs
            if design.name not in skipped
        },
        skipped=skipped,
        conventions={
            "measure": "ceat-battery",
            "missing": missing,
            "adjusted": "stimulus_pvalue, two-sided",
            "resamples": resamples,
            "level": level,
            **options,
        },
        provenance=provenance,
    )


def _interval(
    contexts: Contexts,
    design: Design,
    missing: str,
    resamples: int,
    level: float,
    options: Mapping[str, Any],
) -> CeatBootstrapResult | None:
    """The interval of a design, or None where a set has too few words to be drawn anew."""
    try:
        return ceat_bootstrap(contexts, design, missing=missing, resamples=resamples, level=level, **options)
    except (MissingStimuliError, DesignError):
        return None
