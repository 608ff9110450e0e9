"""The CEAT of many designs on one set of contexts, with the number of tests taken into account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from crossroads.contexts.measures.bootstrap import CeatBootstrapResult, ceat_bootstrap
from crossroads.contexts.measures.ceat import CeatResult, ceat, context_name
from crossroads.contexts.measures.draws import check_contexts
from crossroads.contexts.measures.levels import levels_name
from crossroads.core.errors import DesignError, Missing, MissingStimuliError
from crossroads.core.evidence import Contexts, Provenance
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.options import share, whole
from crossroads.core.results import (
    Conclusion,
    Family,
    Member,
    Result,
    Row,
    Stat,
    adjusted,
    from_tests,
    named,
    stat,
)
from crossroads.core.results.checks import Checked
from crossroads.core.results.gaps import NO_CONTEXT, measured, require_stimuli
from crossroads.core.results.gathered import listed_designs
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.vocabulary import interval_levels


def _interval_note(results: Sequence[CeatBatteryResult]) -> str:
    shares = interval_levels(results)
    return f"{shares}, over the choice of words and contexts; not adjusted" if shares else ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CeatBatteryResult(Family):
    """CEATs of several designs on one model."""

    _tests_on: ClassVar[str] = "contexts"
    _section: ClassVar[str] = "contexts"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", "holm1979simple", "benjamini1995controlling")
    _stem: ClassVar[str] = "contexts"
    _figure: ClassVar[str] = "context_forest"
    _member_type: ClassVar[type[Result]] = CeatResult
    _label_format: ClassVar[str] = "battery over contexts"
    _table_title: ClassVar[str] = "Association tests over contexts"
    _file_names: ClassVar[str] = (
        "exact_p_sign=test._p.sign *=values *=signs stimulus_effect_size_low=interval.low "
        "stimulus_effect_size_high=interval.high"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "context test": "stimulus_effect_size_low=interval.low stimulus_effect_size_high=interval.high "
        "*=values"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        *from_tests(CeatResult, "test"),
        stat("question", of="extra"),
        *from_tests(CeatResult, "ces published d"),
        stat("ci", "CI(d)", _interval_note, of="interval.low", kind="interval", spare=2),
        *from_tests(CeatResult, "p"),
        adjusted(),
        *from_tests(CeatResult, "exact_p"),
    )

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

    @property
    def _question(self) -> str:
        """Empty: each test has its own question."""
        return ""

    def asks(self, design: str) -> str:
        """What a test asks, where its sets have names."""
        return phrases.question(self.titles.get(design, {}))

    def _members(self) -> Iterator[Member]:
        """Every test with what it asks."""
        yield from (replace(one, extra=self.asks(one.test.design)) for one in super()._members())

    def _checks(self) -> Iterator[Checked]:
        for member in self._members():
            yield from (replace(one, question=member.extra) for one in member.checks())

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number of every test, with its interval and its adjusted p-values."""
        for one in self._members():
            ends = {} if one.interval is None else named(one.interval, "low high")
            for row in one.long_rows(one.test._long_rows(one.test.design)):
                yield row | ends if row["part"] == "stimuli" else row
            yield from one.adjusted_rows("ceat", one.test.design, "other words")
        for interval in self.intervals.values():
            yield from interval._long_rows(interval._label)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which target is closer to which attribute over contexts, relative to the others, by test."""
        for one in self._members():
            yield one.test._concluded(self.titles.get(one.test.design, {}), one.p, f"tests/{one.at}/")

    def _unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Designs that could not be measured."""
        for design, why in self.skipped.items():
            yield context_name(design), "context test", why
            yield levels_name(design), "context levels", why


def unmeasured(name: str, why: str, *, others: int) -> MissingStimuliError:
    """The error for a store on which a test, and maybe all others, cannot be measured."""
    more = f" (and {others} other tests)" if others else ""
    return MissingStimuliError(
        f"{name}{more} cannot be measured on this store: {why}",
        hint="collect contexts of its words with crossroads contexts and crossroads embed.",
    )


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
    same: dict[str, Any] = {key: options[key] for key in ("ddof", "seed") if key in options}
    same |= {"missing": missing, "resamples": resamples, "level": level}
    intervals: dict[str, CeatBootstrapResult] = {}

    def measure(design: Design) -> CeatResult:
        test = ceat(contexts, design, missing=missing, **options)
        if resamples:
            with suppress(MissingStimuliError, DesignError):  # too few words to be resampled
                intervals[design.name] = ceat_bootstrap(contexts, design, **same)
        return test

    by_name = ((design.name, design) for design in designs)
    tests, skipped = measured(by_name, measure, missing=missing, progress=progress)
    return assemble_ceat_battery(
        [test for _, test in tests],
        designs=designs,
        intervals=intervals,
        skipped=skipped,
        options={"missing": missing, "resamples": resamples, "level": level, **options},
        provenance=(contexts.provenance,),
    )


def assemble_ceat_battery(
    tests: Sequence[CeatResult],
    *,
    designs: Iterable[Design],
    intervals: Mapping[str, CeatBootstrapResult],
    skipped: Mapping[str, str],
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> CeatBatteryResult:
    """Combine CEATs that were measured one by one into a battery with adjusted p-values."""
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
            "missing": options["missing"],
            "adjusted": "other words, two-sided",
            **options,
        },
        provenance=provenance,
    )
