"""Many designs on one model, with the number of tests taken into account; one design on many models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.errors import InputError, MissingStimuliError
from crossroads.evidence import Embeddings, Provenance
from crossroads.geometry import cosines
from crossroads.inference.crossed import LEVEL, NUMBERS, Trend, trend
from crossroads.inference.multiplicity import ADJUSTMENTS, adjust, adjust_known
from crossroads.inference.permutation.test import Alternative, Tail
from crossroads.inference.power import Detectable, minimum_detectable
from crossroads.measures.association.mleat import LEVELS, MleatResult, mleat
from crossroads.measures.association.stability import BootstrapResult
from crossroads.measures.association.weat import difference_cells, difference_columns, recorded_work
from crossroads.measures.coverage.gaps import require_in_all, require_stimuli
from crossroads.measures.coverage.words import Missing, check_inputs, check_vectors, gather, listed_designs
from crossroads.results import (
    Conclusion,
    Result,
    Row,
    Values,
    long_row,
    numbers,
    pointer_part,
    status_of,
)
from crossroads.stimuli import Design
from crossroads.wording import phrases
from crossroads.wording.numbers import P, number, p_equals, percent
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
            *("effect_size", "low", "high", "pvalue", *NUMBERS, "adjusted", *ADJUSTMENTS, *LEVELS),
            "left_out",
        )
    }

    tests: tuple[MleatResult, ...]
    """The tests, in the order asked for."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Level 1 p-values for other words (``crossed``) adjusted for the number of tests, by method (``holm``,
    ``bh``, ``by``); two-sided if the tail was chosen after the fact; None for a test that has none."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""
    detectable: tuple[Detectable, ...] = ()
    """Effect sizes that Level 1 of each test can detect with sets of its sizes, before any adjustment;
    two-sided if the tail was chosen after the fact. Empty in results saved before this field existed."""
    intervals: Mapping[str, BootstrapResult] = field(default_factory=dict)
    """Bootstrap interval of each test that has one, by name of the design."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per test, with the adjusted p-values of Level 1 and the effect sizes it can detect."""
        could = self.detectable or (None,) * len(self.tests)
        marked = {how: self.adjusted_p(how) for how in self.adjusted}
        return [
            {
                **test.rows()[0],
                "pvalue_sign": test.level1.p.mark or "=",
                **{how: some[i] for how, some in self.adjusted.items()},
                **{
                    f"{how}_sign": None if (p := some[i]) is None else p.mark or "="
                    for how, some in marked.items()
                },
                "critical_effect_size": None if one is None else one.critical,
                "detectable_effect_size": None if one is None else one.detectable,
                "ci_low": None if (ends := self.ends(test.design)) is None else ends.low,
                "ci_high": None if ends is None else ends.high,
                "min_pvalue": test.level1.min_pvalue,
            }
            for i, (test, one) in enumerate(zip(self.tests, could, strict=True))
        ]

    @property
    def label(self) -> str:
        """A fixed label."""
        return "battery"

    @property
    def tail(self) -> str:
        """The tail of the p-values that are adjusted."""
        return str(self.conventions.get("adjusted", "two-sided")).rpartition(", ")[2]

    def ends(self, design: str) -> Interval | None:
        """The interval of a test, if it has one."""
        found = self.intervals.get(design)
        return None if found is None else Interval(found.low, found.high)

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values with their marks, by method and number of the test."""
        return {
            how: {i: p for i, p in enumerate(self.adjusted_p(how)) if p is not None} for how in self.adjusted
        }

    def adjusted_p(self, how: str = phrases.ADJUSTMENT) -> list[P | None]:
        """Adjusted p-values; in results that adjust counted ones, with the marks that those have."""
        if all(test.level1.crossed is not None for test in self.tests):
            return [None if value is None else P(value) for value in self.adjusted[how]]
        return list(self._adjusted_counts(how))

    def _adjusted_counts(self, how: str) -> list[P]:
        """Adjusted p-values of exchanging targets: where a bound is adjusted, so is what comes of it."""
        tails = [test.level1.tails[self.tail] for test in self.tests]
        low, high = adjust([one[1] for one in tails])[how], adjust([one[2] for one in tails])[how]
        methods = (test.level1.method for test in self.tests)
        values = [1.0 if value is None else value for value in self.adjusted[how]]
        return P.family(values, list(zip(low, high, strict=True)), methods)

    def parts(self, name: str) -> Iterator[tuple[str, Result]]:
        """The tests and their intervals."""
        yield from ((one.design, one) for one in self.tests)
        yield from ((one.design, one) for one in self.intervals.values())

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test: Level 1 with its interval and adjusted p-value, and the pattern."""
        rows: list[Row] = []
        for one in results.values():
            could = one.detectable or (None,) * len(one.tests)
            for test, p, least in zip(one.tests, one.adjusted_p(), could, strict=True):
                rows.append(
                    {
                        "test": test.design,
                        "question": test.question,
                        "d": test.level1.effect_size,
                        "ci": one.ends(test.design),
                        **difference_cells(test.level1),
                        f"p_{phrases.ADJUSTMENT}": p,
                        "detectable": None if least is None else least.detectable,
                        "pattern": test.pattern,
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
            f"{test.design}: no effect can be significant: {could.reason}."
            for one in results.values()
            for test, could in zip(one.tests, one.detectable, strict=False)
            if could.reason is not None
        ]
        title = "Association tests"
        return Table(name="tests", title=title, columns=columns, rows=tuple(rows), notes=tuple(notes))

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number of every test, with its interval, adjusted p-values and detectable effect sizes."""
        shown = phrases.ADJUSTMENT
        for i, test in enumerate(self.tests):
            ends = self.ends(test.design)
            more = {"low": ends.low, "high": ends.high} if ends else {}
            first, *others = test.long_rows(test.design)
            yield {**first, **more, "adjusted": self.adjusted[shown][i]}
            for how, some in self.adjusted.items():
                yield long_row("mleat", test.design, "level 1", how, some[i], method=test.level1.method)
            yield from others
        for test, could in zip(self.tests, self.detectable, strict=False):
            yield from _size_rows(test.design, could)
        for one in self.intervals.values():
            yield from one.long_rows(one.label)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """The statistics of every test; ``adjusted`` is the adjustment that tables show."""
        for i, test in enumerate(self.tests):
            ends = self.ends(test.design)
            more: Values = {"low": ends.low, "high": ends.high} if ends else {"low": None, "high": None}
            adjusted: Values = {how: some[i] for how, some in self.adjusted.items()}
            more |= {"adjusted": adjusted[phrases.ADJUSTMENT], **adjusted}
            yield test.design, "test", {**test.values(), **more}

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which target leans more to which attribute, by test."""
        for i, (test, p) in enumerate(zip(self.tests, self.adjusted_p(), strict=True)):
            more, drawn = {}, self.intervals.get(test.design)
            if drawn is not None:
                at = f"intervals/{pointer_part(test.design)}/"
                more = numbers(
                    size_low=(f"{at}low", drawn.low),
                    size_high=(f"{at}high", drawn.high),
                    agree=(f"{at}same_sign", drawn.same_sign),
                )
            yield test.level1.concluded(test.design, p, f"tests/{i}/level1/", more)

    def unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Designs that could not be measured."""
        yield from ((design, "test", why) for design, why in self.skipped.items())


def _detectable_note(results: Mapping[str, BatteryResult]) -> str:
    """Explanation of the detectable effect size; empty where it is not known."""
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


def decade_name(design: str, time: int) -> str:
    """Name of a test at one point in time, such as ``weat6 1990``."""
    return f"{design} {time}"


def series_name(design: str) -> str:
    """Name of a test over time, such as ``weat6 over time``."""
    return f"{design} over time"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SeriesResult(Result):
    """One design over a series of models, such as the decades of a historical corpus."""

    section: ClassVar[str] = "time"
    cites: ClassVar[tuple[str, ...]] = ("wolfe2024mleat", "holm1979simple", "benjamini1995controlling")
    stem: ClassVar[str] = "series"
    figure: ClassVar[str] = "association.decades:decades"
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "decade": ("effect_size", "pvalue", *NUMBERS, "adjusted", *ADJUSTMENTS, *LEVELS, "left_out"),
        "trend": ("slope", "slope_low", "slope_high", "slope_pvalue"),
    }

    design: str
    """Name of the design."""
    points: Mapping[int, MleatResult]
    """The ML-EAT of each point in time."""
    skipped: Mapping[int, str]
    """Points at which the design could not be measured, and why."""
    adjusted: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    """Level 1 p-values for other words (``crossed``) adjusted for the number of points, by method (``holm``,
    ``bh``, ``by``); None for a point that has none. Empty in results saved before this was measured."""
    trend: Trend | None = None
    """Change of the difference of Level 1 over time; None in results saved before this was measured."""

    def rows(self) -> list[dict[str, Any]]:
        """One row per point in time."""
        return [
            {"time": time, **test.rows()[0], **self._adjusted_at(i)}
            for i, (time, test) in enumerate(self.points.items())
        ]

    def _adjusted_at(self, i: int) -> dict[str, float | None]:
        """Adjusted p-values of one point; None of them in results that have none."""
        return {how: self.adjusted[how][i] if how in self.adjusted else None for how in ADJUSTMENTS}

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values by method and number of the point."""
        return {
            how: {i: P(p) for i, p in enumerate(some) if p is not None} for how, some in self.adjusted.items()
        }

    @property
    def label(self) -> str:
        """Name of the design, marked as measured over time."""
        return series_name(self.design)

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """How the difference of the targets changes."""
        first, found = next(iter(self.points.values()), None), self.trend
        if first is None or found is None or found.slope is None:
            return
        test = first.level1.concluded(self.label, None)
        (left, right), up = test.poles, found.slope >= 0
        changed = (" nearer to ", right if up else left, " over time")
        same = (" differently between ", right, " and ", left, " over time")
        yield replace(
            test,
            status=status_of(found.pvalue, None),
            wordings={
                "holds": ("the model comes to place ", test.subject, *changed),
                "absent": ("it was not found that the model comes to place ", test.subject, *same),
            },
            scale="Δ per unit of time",
            numbers=numbers(
                value=("trend/slope", found.slope),
                low=("trend/low", found.low),
                high=("trend/high", found.high),
            ),
        )

    @property
    def question(self) -> str:
        """The question of the test at every point in time."""
        return next((point.question for point in self.points.values()), "")

    def parts(self, name: str) -> Iterator[tuple[str, Result]]:
        """The test of each point in time."""
        yield from ((decade_name(self.design, time), point) for time, point in self.points.items())

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per design and point in time."""
        rows: list[Row] = []
        for one in results.values():
            marks = one.adjusted_marks().get(phrases.ADJUSTMENT, {})
            for i, (time, point) in enumerate(one.points.items()):
                row: Row = {"test": one.design, "time": str(time), "d": point.level1.effect_size}
                row |= difference_cells(point.level1)
                rows.append({**row, f"p_{phrases.ADJUSTMENT}": marks.get(i), "pattern": point.pattern})
        points = [point for one in results.values() for point in one.points.values()]
        conventions = [point.level1.conventions for point in points]
        most = max((len(one.points) for one in results.values()), default=0)
        difference = difference_columns(conventions)
        columns = (
            *([Column(key="test", head="test")] if len(results) > 1 else []),
            Column(key="time", head="time"),
            Column(key="d", head="d", note=phrases.effect(conventions)),
            *difference[:3],
            adjusted_column(most),
            difference[3],
            Column(key="pattern", head="pattern", note=phrases.PATTERN, spare=1),
        )
        asked = [f"{one.design}: {one.question}." for one in results.values() if one.question]
        notes = (
            *asked,
            *(f"{one.design}: {said}." for one in results.values() if (said := one.slope_said())),
        )
        title = f"{', '.join(one.design for one in results.values())} over time"
        return Table(name="series", title=title, columns=columns, rows=tuple(rows), notes=notes)

    def slope_said(self) -> str:
        """The trend in words; empty where it is not known."""
        found = self.trend
        if found is None:
            return ""
        if found.slope is None or found.low is None or found.high is None or found.pvalue is None:
            return f"no trend is given: {found.reason}"
        slope, low, high = (
            number(10 * value, 3, sign=True) for value in (found.slope, found.low, found.high)
        )
        return (
            f"Δ changes by {slope} per 10 years ({percent(found.level)} CI {low} to {high}, "
            f"{p_equals(found.pvalue)}, words and years drawn)"
        )

    def long_rows(self, name: str) -> Iterator[Row]:
        """The rows of every point in time, under the name of the design at that time, and the trend."""
        for i, (inner, point) in enumerate(self.parts(name)):
            for row in point.long_rows(inner):
                yield {**row, "measure": "series"}
            for how, value in self._adjusted_at(i).items():
                if value is not None:
                    yield long_row("series", inner, "level 1", how, value, method="crossed")
        found = self.trend
        if found is None:
            return
        yield long_row("series", self.label, "trend", "points", found.points)
        for key, words in found.words.items():
            yield long_row("series", self.label, "trend", f"words {key}", words)
        if found.slope is not None:
            ends = {"low": found.low, "high": found.high, "pvalue": found.pvalue, "n": found.points}
            yield long_row("series", self.label, "trend", "slope", found.slope, method="crossed", **ends)
            for statistic in ("statistic", "se", "df"):
                yield long_row("series", self.label, "trend", statistic, getattr(found, statistic))

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """The statistics of every point in time, and the trend."""
        for i, (time, point) in enumerate(self.points.items()):
            adjusted: Values = dict(self._adjusted_at(i))
            more: Values = {"adjusted": adjusted[phrases.ADJUSTMENT], **adjusted}
            yield decade_name(self.design, time), "decade", {**point.values(), **more}
        found = self.trend
        slopes = (None,) * 4 if found is None else (found.slope, found.low, found.high, found.pvalue)
        yield self.label, "trend", dict(zip(self.asked["trend"], slopes, strict=True))

    def unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Points in time that could not be measured."""
        yield from ((decade_name(self.design, time), "decade", why) for time, why in self.skipped.items())


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
    """
    adjusted = _adjusted_tail(options)
    found = [test.level1.crossed for test in tests]
    pvalues = [None if one is None else one.tail(adjusted) for one in found]
    return BatteryResult(
        tests=tuple(tests),
        adjusted=adjust_known(pvalues),
        skipped=skipped,
        detectable=tuple(_detectable(test, adjusted) for test in tests),
        intervals=intervals or {},
        conventions={
            "measure": "battery",
            "missing": missing,
            "adjusted": f"Level 1, other words, {adjusted}",
            **recorded(options),
        },
        provenance=provenance,
    )


def _adjusted_tail(options: Mapping[str, Any]) -> Tail:
    """The tail that is adjusted: one chosen after the fact is no p-value to adjust."""
    tail: Alternative = options.get("alternative", "two-sided")
    return "two-sided" if tail == "observed" else tail


def _detectable(test: MleatResult, alternative: Tail) -> Detectable:
    """Effect sizes that Level 1 of a test can detect, under its own conventions."""
    given, sets = test.conventions, test.level1.sets
    return minimum_detectable(
        len(sets["x"]),
        len(sets["y"]),
        alpha=given["alpha"],
        alternative=alternative,
        ties=given["ties"],
        ddof=given["ddof"],
        method="normal" if given["method"] == "normal" else "auto",
    )


def series(
    models: Mapping[int, Embeddings], design: Design, *, missing: Missing = "drop", **options: Any
) -> SeriesResult:
    """Run the ML-EAT on one design in each model of a series, and find the trend of its difference.

    The p-values of the points are adjusted for their number: of ten decades without any association, one is
    below .05 in 15 to 25 % of series, after adjustment in at most 4 %. The trend is the slope of Δ over time,
    with the words of all sets and the deviations of single years drawn
    (:class:`~crossroads.inference.crossed.Trend`); it uses the words found at every point.

    Parameters
    ----------
    models
        Models by year.
    design
        The design to measure in each.
    missing
        As in :func:`~crossroads.weat`; points with too few stimuli are skipped and listed.
    options
        Passed on to :func:`~crossroads.mleat`.

    Notes
    -----
    In 1,000 series each of 5, 10 and 20 years without a trend, the p-value of the slope was below .05 in 1 %
    of pure noise and 1 to 5 % where words last, are associated, or all words of a year deviate together. A
    slope over words alone is then below .05 in 28 %, a regression over years alone in 14 to 41 % where groups
    move and attributes do not. Deviations that last, such as those of a random walk, are trends to it: 10 %
    of series of 5 years, 24 % of 10 and 43 % of 20.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    >>> models = {year: cr.Embeddings(design.words, rng.normal(size=(32, 9))) for year in (1900, 1950, 2000)}
    >>> result = cr.series(models, design)
    >>> {year: round(test.level1.effect_size, 2) for year, test in result.points.items()}
    {1900: 0.57, 1950: -0.63, 2000: -0.39}
    """
    if not hasattr(models, "items"):
        raise InputError(
            f"the models are of type {type(models).__name__}.", hint="give {year: vectors, ...}."
        )
    if not models:
        raise InputError("the series is empty.", hint="give at least one model.")
    if missing == "raise":
        check_inputs(design, *models.values())
        require_in_all(models, [design])
    points: dict[int, MleatResult] = {}
    skipped: dict[int, str] = {}
    for time in sorted(models):
        try:
            points[time] = mleat(models[time], design, missing=missing, **options)
        except MissingStimuliError as error:
            if missing == "raise":
                raise
            skipped[time] = error.reason
    return assemble_series(
        design.name,
        points,
        skipped=skipped,
        missing=missing,
        options=options,
        provenance=tuple(models[time].provenance for time in sorted(models)),
        trend=series_trend(models, points),
    )


def series_trend(models: Mapping[int, Embeddings], points: Mapping[int, MleatResult]) -> Trend:
    """The trend of the difference over the words that are measured at every point."""
    sets = [point.level1.sets for point in points.values()]
    first = sets[0] if sets else {}
    shared = {
        key: tuple(word for word in words if all(word in other[key] for other in sets))
        for key, words in first.items()
    }
    few = [key.upper() for key, words in shared.items() if len(words) < 2]
    reason = "a trend needs three points in time" if len(points) < 3 else None
    if reason is None and few:
        reason = (
            f"{' and '.join(few)} {'has' if len(few) == 1 else 'have'} fewer than two words at all points"
        )
    if reason is not None:
        none: dict[str, Any] = dict.fromkeys(("slope", "low", "high", "pvalue", "statistic", "se", "df"))
        sizes = {key: len(words) for key, words in shared.items()}
        return Trend(**none, level=LEVEL, points=len(points), words=sizes, reason=reason)
    tables = []
    for time in points:
        v = gather(models[time], shared, missing="raise", least=dict.fromkeys(shared, 2)).vectors
        tables.append(cosines(np.concatenate([v["x"], v["y"]]), np.concatenate([v["a"], v["b"]])))
    return trend(np.stack(tables), list(points), len(shared["x"]), len(shared["a"]))


def assemble_series(
    design: str,
    points: Mapping[int, MleatResult],
    *,
    skipped: Mapping[int, str],
    missing: str,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
    trend: Trend | None = None,
) -> SeriesResult:
    """Combine ML-EATs that were measured one by one into a series.

    Parameters
    ----------
    design
        Name of the design.
    points
        The tests by year, in order.
    skipped
        Years in which the design could not be measured, and why.
    missing, options
        Options of the tests, as in :func:`series`.
    provenance
        Where the evidence of each year came from.
    trend
        What :func:`series_trend` found.
    """
    adjusted = _adjusted_tail(options)
    found = [point.level1.crossed for point in points.values()]
    return SeriesResult(
        design=design,
        points=points,
        skipped=skipped,
        adjusted=adjust_known([None if one is None else one.tail(adjusted) for one in found]),
        trend=trend,
        conventions={
            "measure": "series",
            "missing": missing,
            "adjusted": f"Level 1, other words, {adjusted}",
            **recorded(options),
        },
        provenance=provenance,
    )
