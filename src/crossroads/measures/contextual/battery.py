"""The CEAT of many designs on one set of contexts, with the number of tests taken into account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from crossroads.errors import DesignError, MissingStimuliError
from crossroads.evidence import Contexts, Provenance
from crossroads.inference.crossed import ASKED
from crossroads.inference.multiplicity import ADJUSTED_P, adjust_known
from crossroads.inference.options import share, whole
from crossroads.measures.association.weat import with_adjusted
from crossroads.measures.contextual.bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.measures.contextual.ceat import COLUMNS, CeatResult, ceat, context_name
from crossroads.measures.contextual.levels import levels_name
from crossroads.measures.contextual.words import check_contexts
from crossroads.measures.coverage.gaps import NO_CONTEXT, require_stimuli
from crossroads.measures.coverage.words import Missing, listed_designs
from crossroads.results import Conclusion, Result, Row, Values, long_row
from crossroads.results.checks import Checked, adjusted_tests
from crossroads.stimuli import Design
from crossroads.wording import phrases
from crossroads.wording.numbers import P, percent
from crossroads.wording.table import Column, Interval, Table, adjusted_column


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CeatBatteryResult(Result):
    """CEATs of several designs on one model."""

    section: ClassVar[str] = "contexts"
    cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", "holm1979simple", "benjamini1995controlling")
    stem: ClassVar[str] = "contexts"
    figure: ClassVar[str] = "contextual.forest:context_forest"
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "context test": (
            *("effect_size", "published_p", "stimulus_effect_size"),
            *("stimulus_effect_size_low", "stimulus_effect_size_high", *ASKED, *ADJUSTED_P, "exact_p"),
            *("tau2", "i2", "share_positive", "left_out"),
        )
    }

    tests: tuple[CeatResult, ...]
    """The tests, in the order asked for."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """p-values for other words (``crossed``) adjusted for the number of tests, by method (``holm``, ``bh``,
    ``by``); None for a test that has none. The published p-values are not adjusted: no number of tests
    explains why they are small."""
    intervals: Mapping[str, CeatBootstrapResult]
    """Bootstrap interval of each design, over words and contexts; empty where none was requested, and without
    designs that have a single word in a set, which cannot be resampled."""
    titles: Mapping[str, Mapping[str, str]]
    """What the four sets of each design stand for."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per test, with its adjusted p-values."""
        return [
            {
                **test.rows()[0],
                "exact_p_sign": test.p.mark or "=",
                **{f"p_{how}": some[i] for how, some in self.adjusted.items()},
                **{f"p_{how}_sign": None if some[i] is None else "=" for how, some in self.adjusted.items()},
                "stimulus_effect_size_low": None if (ends := self.ends(test.design)) is None else ends.low,
                "stimulus_effect_size_high": None if ends is None else ends.high,
            }
            for i, test in enumerate(self.tests)
        ]

    @property
    def label(self) -> str:
        """A fixed label."""
        return "battery over contexts"

    @property
    def question(self) -> str:
        """Empty: each test has its own question."""
        return ""

    def asks(self, design: str) -> str:
        """What a test asks, where its sets have names."""
        return phrases.question(self.titles.get(design, {}))

    def ends(self, design: str) -> Interval | None:
        """The interval of a test, if it has one."""
        found = self.intervals.get(design)
        return None if found is None else Interval(found.low, found.high)

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values by method and number of the test."""
        return {
            how: {i: P(p) for i, p in enumerate(some) if p is not None} for how, some in self.adjusted.items()
        }

    def adjusted_p(self) -> list[P | None]:
        """The adjusted p-values that outputs show."""
        return [None if value is None else P(value) for value in self.adjusted[phrases.ADJUSTMENT]]

    def _checks(self) -> Iterator[Checked]:
        for test, p in zip(self.tests, self.adjusted_p(), strict=True):
            for checked in adjusted_tests(test, p):
                yield replace(checked, question=self.asks(test.design))

    def parts(self, name: str) -> Iterator[tuple[str, Result]]:
        """The tests and their intervals."""
        yield from ((one.label, one) for one in self.tests)
        yield from ((context_name(design), one) for design, one in self.intervals.items())

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test: the published number, and that over stimuli with its adjusted p-value."""
        rows: list[Row] = [
            {
                "test": test.design,
                "question": one.asks(test.design),
                "ces": test.effect_size,
                "published": test.published_p,
                "d": test.stimulus_effect_size,
                "ci": one.ends(test.design),
                "p": test.answer,
                "exact_p": test.p,
                f"p_{phrases.ADJUSTMENT}": p,
            }
            for one in results.values()
            for test, p in zip(one.tests, one.adjusted_p(), strict=True)
        ]
        levels = dict.fromkeys(i.level for one in results.values() for i in one.intervals.values())
        shares = ", ".join(percent(level) for level in levels)
        note = f"{shares}, over the choice of words and contexts; not adjusted" if shares else ""
        columns = (
            COLUMNS[0],
            Column(key="question", head="question", spare=1),
            *COLUMNS[1:4],
            Column(key="ci", head="CI(d)", note=note, spare=2),
            COLUMNS[5],
            adjusted_column(len(rows)),
            COLUMNS[6],
        )
        title = "Association tests over contexts"
        return Table(name="contexts", title=title, columns=columns, rows=tuple(rows))

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number of every test, with its interval and its adjusted p-values."""
        for i, test in enumerate(self.tests):
            ends = self.ends(test.design)
            more = {"low": ends.low, "high": ends.high} if ends else {}
            adjusted = {f"p_{how}": some[i] for how, some in self.adjusted.items()}
            for row in with_adjusted(test.long_rows(test.design), adjusted):
                yield row | more if row["part"] == "stimuli" else row
            for statistic, value in adjusted.items():
                yield long_row("ceat", test.design, "other words", statistic, value, method="crossed")
        for interval in self.intervals.values():
            yield from interval.long_rows(interval.label)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """The statistics of every test, with its interval and its adjusted p-values."""
        for i, test in enumerate(self.tests):
            ends = self.ends(test.design)
            more: Values = {
                "stimulus_effect_size_low": None if ends is None else ends.low,
                "stimulus_effect_size_high": None if ends is None else ends.high,
                **{f"p_{how}": some[i] for how, some in self.adjusted.items()},
            }
            for label, kind, values in test.readings(name):
                yield label, kind, {**values, **more}

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which target is closer to which attribute over contexts, relative to the others, by test."""
        for i, (test, p) in enumerate(zip(self.tests, self.adjusted_p(), strict=True)):
            yield test.concluded(self.titles.get(test.design, {}), p, f"tests/{i}/")

    def unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Designs that could not be measured."""
        for design, why in self.skipped.items():
            yield context_name(design), "context test", why
            yield levels_name(design), "context levels", why


def ceat_battery(
    contexts: Contexts,
    designs: Design | Iterable[Design],
    *,
    resamples: int = 0,
    level: float = 0.95,
    missing: Missing = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CeatBatteryResult:
    """Run the CEAT on several designs and adjust their p-values for other words for the number of tests.

    Parameters
    ----------
    contexts
        Context vectors of the stimuli.
    designs
        The designs to measure.
    resamples, level
        Number of resamples and level of the bootstrap over words and contexts; 0 resamples for none.
    missing
        As in :func:`~crossroads.ceat`. A design that has too few stimuli left is listed in ``skipped``.
    progress
        Called with the name of each design before it is measured.
    options
        Passed on to :func:`~crossroads.ceat`.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.ceat_battery(contexts, [design], samples=1000)
    >>> [(test.design, round(test.effect_size, 1)) for test in result.tests]
    [('c7', 0.0)]
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
    missing: Missing,
    resamples: int,
    level: float,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> CeatBatteryResult:
    """Combine CEATs that were measured one by one into a battery with adjusted p-values.

    Parameters
    ----------
    tests
        The tests, in order.
    designs
        The designs measured.
    intervals
        Bootstrap intervals by design.
    skipped
        Designs that could not be measured, and why.
    missing, resamples, level, options
        Options of the tests, as in :func:`ceat_battery`.
    provenance
        Where the contexts of all tests came from.
    """
    return CeatBatteryResult(
        tests=tuple(tests),
        adjusted=adjust_known([test.crossed.pvalue for test in tests]),
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
            "adjusted": "other words, two-sided",
            "resamples": resamples,
            "level": level,
            **options,
        },
        provenance=provenance,
    )


def _interval(
    contexts: Contexts,
    design: Design,
    missing: Missing,
    resamples: int,
    level: float,
    options: Mapping[str, Any],
) -> CeatBootstrapResult | None:
    """The interval of a design, or None where a set has too few words to be resampled."""
    try:
        return ceat_bootstrap(contexts, design, missing=missing, resamples=resamples, level=level, **options)
    except (MissingStimuliError, DesignError):
        return None
