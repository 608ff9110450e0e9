"""Many designs on one model, with the number of tests taken into account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from crossroads.errors import MissingStimuliError
from crossroads.evidence import Embeddings, Provenance
from crossroads.inference.crossed import ASKED
from crossroads.inference.multiplicity import ADJUSTED_P, adjust_known
from crossroads.inference.permutation.test import Alternative, Tail
from crossroads.inference.power import Detectable, minimum_detectable
from crossroads.measures.association.mleat import LEVELS, MleatResult, mleat
from crossroads.measures.association.stability import BootstrapResult
from crossroads.measures.association.weat import (
    difference_cells,
    difference_columns,
    recorded_work,
    with_adjusted,
)
from crossroads.measures.coverage.gaps import require_stimuli
from crossroads.measures.coverage.words import Missing, check_vectors, listed_designs
from crossroads.results import (
    Conclusion,
    Result,
    Row,
    Values,
    long_row,
    numbers,
    pointer_part,
)
from crossroads.results.checks import Checked, adjusted_tests
from crossroads.stimuli import Design
from crossroads.wording import phrases
from crossroads.wording.numbers import P, percent
from crossroads.wording.table import Column, Interval, Table, adjusted_column


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BatteryResult(Result):
    """ML-EATs of several designs on one model."""

    section: ClassVar[str] = "tests"
    cites: ClassVar[tuple[str, ...]] = ("holm1979simple", "benjamini1995controlling")
    stem: ClassVar[str] = "tests"
    figure: ClassVar[str] = "association.forest:forest"
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "test": (
            *("effect_size", "effect_size_low", "effect_size_high", *ASKED, *ADJUSTED_P, "exact_p"),
            *(*LEVELS, "left_out"),
        )
    }

    tests: tuple[MleatResult, ...]
    """The tests, in the order asked for."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Level 1 p-values for other words (``crossed``) adjusted for the number of tests, by method (``holm``,
    ``bh``, ``by``); two-sided if the tail was chosen after the fact; None for a test that has none."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""
    detectable: tuple[Detectable, ...]
    """Effect sizes that Level 1 of each test can detect with sets of its sizes, before any adjustment;
    two-sided if the tail was chosen after the fact."""
    intervals: Mapping[str, BootstrapResult]
    """Bootstrap interval of each test that has one, by name of the design."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per test, with the adjusted p-values of Level 1 and the effect sizes it can detect."""
        return [
            {
                **test.rows()[0],
                "exact_p_sign": test.level1.p.mark or "=",
                **{f"p_{how}": some[i] for how, some in self.adjusted.items()},
                **{f"p_{how}_sign": None if some[i] is None else "=" for how, some in self.adjusted.items()},
                "critical_effect_size": one.critical,
                "detectable_effect_size": one.detectable,
                "effect_size_low": None if (ends := self.ends(test.design)) is None else ends.low,
                "effect_size_high": None if ends is None else ends.high,
                "min_exact_p": test.level1.min_pvalue,
            }
            for i, (test, one) in enumerate(zip(self.tests, self.detectable, strict=True))
        ]

    @property
    def label(self) -> str:
        """A fixed label."""
        return "battery"

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
            yield from adjusted_tests(test, p)

    def parts(self, name: str) -> Iterator[tuple[str, Result]]:
        """The tests and their intervals."""
        yield from ((one.design, one) for one in self.tests)
        yield from ((one.design, one) for one in self.intervals.values())

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test: Level 1 with its interval and adjusted p-value, and the pattern."""
        rows: list[Row] = []
        for one in results.values():
            for test, p, least in zip(one.tests, one.adjusted_p(), one.detectable, strict=True):
                rows.append(
                    {
                        "test": test.design,
                        "question": test.question,
                        "d": test.level1.effect_size,
                        "ci": one.ends(test.design),
                        **difference_cells(test.level1),
                        f"p_{phrases.ADJUSTMENT}": p,
                        "detectable": least.detectable,
                        "pattern": test.crossed_pattern,
                    }
                )
        tests = [test for one in results.values() for test in one.tests]
        conventions = [test.level1.conventions for test in tests]
        levels = dict.fromkeys(i.level for one in results.values() for i in one.intervals.values())
        shares = ", ".join(percent(level) for level in levels)
        difference = difference_columns(conventions)
        columns = (
            Column(key="test", head="test"),
            Column(key="question", head="question", spare=1),
            Column(key="d", head="d", note=phrases.effect(conventions)),
            Column(
                key="ci",
                head="CI(d)",
                note=f"{shares}, {phrases.WORDS_DRAWN}; not adjusted" if shares else "",
                spare=2,
            ),
            *difference[:3],
            adjusted_column(len(tests)),
            difference[3],
            Column(key="detectable", head="detectable d", note=_detectable_note(results), spare=2),
            Column(key="pattern", head="pattern", note=phrases.PATTERN, spare=4),
        )
        notes = [
            f"{test.design}: nothing could be found with just these words: {could.reason}."
            for one in results.values()
            for test, could in zip(one.tests, one.detectable, strict=True)
            if could.reason is not None
        ]
        title = "Association tests"
        return Table(name="tests", title=title, columns=columns, rows=tuple(rows), notes=tuple(notes))

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number of every test, with its interval, adjusted p-values and detectable effect sizes."""
        for i, test in enumerate(self.tests):
            ends = self.ends(test.design)
            more = {"low": ends.low, "high": ends.high} if ends else {}
            adjusted = {f"p_{how}": some[i] for how, some in self.adjusted.items()}
            first, *others = with_adjusted(test.long_rows(test.design), adjusted)
            yield {**first, **more}
            for statistic, value in adjusted.items():
                yield long_row("mleat", test.design, "level 1", statistic, value, method="crossed")
            yield from others
        for test, could in zip(self.tests, self.detectable, strict=True):
            yield from _size_rows(test.design, could)
        for one in self.intervals.values():
            yield from one.long_rows(one.label)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """The statistics of every test, with its interval and its adjusted p-values."""
        for i, test in enumerate(self.tests):
            ends = self.ends(test.design)
            more: Values = {
                "effect_size_low": None if ends is None else ends.low,
                "effect_size_high": None if ends is None else ends.high,
                **{f"p_{how}": some[i] for how, some in self.adjusted.items()},
            }
            yield test.design, "test", {**test.values(), **more}

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which target is closer to which attribute, relative to the others, by test."""
        for i, (test, p) in enumerate(zip(self.tests, self.adjusted_p(), strict=True)):
            more, drawn = {}, self.intervals.get(test.design)
            if drawn is not None:
                at = f"intervals/{pointer_part(test.design)}/"
                more = numbers(
                    size_low=(f"{at}low", drawn.low),
                    size_high=(f"{at}high", drawn.high),
                    agree=(f"{at}same_sign", drawn.same_sign),
                )
            yield test.level1.concluded(test.design, p, f"tests/{i}/level1/", more, test.level2)

    def unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Designs that could not be measured."""
        yield from ((design, "test", why) for design, why in self.skipped.items())


def _detectable_note(results: Mapping[str, BatteryResult]) -> str:
    """Explanation of the detectable effect size; empty without a test."""
    for one in [could for result in results.values() for could in result.detectable][:1]:
        side = "two-sided" if one.alternative == "two-sided" else "one-sided"
        return (
            f"true effect size that sets of these sizes detect in {percent(one.power)} of cases "
            f"(p < {one.alpha:g}, {side}, not adjusted)"
        )
    return ""


def _size_rows(name: str, could: Detectable) -> Iterator[Row]:
    """Effect sizes that a test with sets of its sizes can detect."""
    low, high = could.critical_range or (None, None)
    ends = {"critical": {"low": low, "high": high}}
    for statistic in ("critical", "detectable", "largest", "alpha", "power", "n_x", "n_y"):
        value = getattr(could, statistic)
        if value is not None:
            more = {"method": could.method, "n": could.n_x + could.n_y, **ends.get(statistic, {})}
            yield long_row("battery", name, "detectable", statistic, value, **more)


def recorded(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as conventions record them."""
    return {key: recorded_work(value) if key == "max_work" else value for key, value in options.items()}


def battery(
    emb: Embeddings,
    designs: Design | Iterable[Design],
    *,
    missing: Missing = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> BatteryResult:
    """Run the ML-EAT on several designs and adjust their p-values for other words for the number of tests.

    Holm's adjustment keeps the chance of any false rejection at the level, that of Benjamini and Hochberg
    the expected share of false rejections. What sets of these sizes could have shown at all stands beside
    each test (:func:`~crossroads.stats.minimum_detectable`). With ``alternative="observed"`` both
    are two-sided, because the tail on the observed side has not the level it claims.

    Parameters
    ----------
    emb
        The model.
    designs
        The designs to measure.
    missing
        As in :func:`~crossroads.weat`. A design that has too few stimuli left is listed in ``skipped``.
    progress
        Called with the name of each design before it is measured.
    options
        Passed on to :func:`~crossroads.mleat`.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> designs = [cr.catalog("weat7"), cr.catalog("weat8")]
    >>> words = list({word: None for design in designs for word in design.words})
    >>> emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(len(words), 9)))
    >>> result = cr.battery(emb, designs, alternative="two-sided")
    >>> [(test.design, round(test.level1.effect_size, 2)) for test in result.tests]
    [('weat7', 0.57), ('weat8', 0.17)]
    """
    designs = listed_designs(designs)
    if missing == "raise":
        check_vectors(emb)
        require_stimuli(emb, designs)
    tests: list[MleatResult] = []
    skipped: dict[str, str] = {}
    for design in designs:
        if progress is not None:
            progress(design.name)
        try:
            tests.append(mleat(emb, design, missing=missing, **options))
        except MissingStimuliError as error:
            if missing == "raise":
                raise
            skipped[design.name] = error.reason
    return assemble_battery(
        tests, skipped=skipped, missing=missing, options=options, provenance=(emb.provenance,)
    )


def assemble_battery(
    tests: Sequence[MleatResult],
    *,
    skipped: Mapping[str, str],
    missing: str,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
    intervals: Mapping[str, BootstrapResult] | None = None,
    detect: Callable[..., Detectable] = minimum_detectable,
) -> BatteryResult:
    """Combine ML-EATs that were measured one by one into a battery with adjusted p-values.

    Parameters
    ----------
    tests
        The tests, in order.
    skipped
        Designs that could not be measured, and why.
    missing, options
        Options of the tests, as in :func:`battery`.
    provenance
        Where the evidence of all tests came from.
    intervals
        Bootstrap intervals by name of the design.
    detect
        :func:`~crossroads.stats.minimum_detectable`, or what gives the same from an earlier run.
    """
    adjusted = adjusted_tail(options)
    return BatteryResult(
        tests=tuple(tests),
        adjusted=adjust_known([test.level1.crossed.tail(adjusted) for test in tests]),
        skipped=skipped,
        detectable=tuple(_detectable(test, adjusted, detect) for test in tests),
        intervals=intervals or {},
        conventions={
            "measure": "battery",
            "missing": missing,
            "adjusted": f"Level 1, other words, {adjusted}",
            **recorded(options),
        },
        provenance=provenance,
    )


def adjusted_tail(options: Mapping[str, Any]) -> Tail:
    """The tail that is adjusted: one chosen after the fact is no p-value to adjust."""
    tail: Alternative = options.get("alternative", "two-sided")
    return "two-sided" if tail == "observed" else tail


def _detectable(test: MleatResult, alternative: Tail, detect: Callable[..., Detectable]) -> Detectable:
    """Effect sizes that Level 1 of a test can detect, under its own conventions."""
    given, sets = test.conventions, test.level1.sets
    return detect(
        len(sets["x"]),
        len(sets["y"]),
        alpha=given["alpha"],
        alternative=alternative,
        ties=given["ties"],
        ddof=given["ddof"],
        method="normal" if given["method"] == "normal" else "auto",
    )
