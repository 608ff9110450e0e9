"""One design on many models: decades, layers, checkpoints of a training run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.core.errors import CrossroadsError, InputError, Missing, MissingStimuliError, in_short, one_of
from crossroads.core.evidence import Embeddings
from crossroads.core.results import (
    ADJUSTERS,
    ENDS,
    TEST,
    Conclusion,
    Member,
    Result,
    Row,
    Stat,
    Values,
    adjusted,
    from_tests,
    long_row,
    marked,
    named,
    numbers,
    stat,
    status_of,
    under,
)
from crossroads.core.results.gaps import require_stimuli
from crossroads.core.results.gathered import check_inputs
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, counted, number, p_equals, percent
from crossroads.core.wording.table import Table
from crossroads.words.measures.battery import adjusted_levels
from crossroads.words.measures.mleat import MleatResult, mleat
from crossroads.words.measures.trends import ALONG, AUTOCORRELATION, Along, Change, Points, Trend, along


def decade_name(design: str, time: int | str, over: Points = "year") -> str:
    """Name of a test at one point, such as ``weat6 1990`` or ``weat6 layer 3``."""
    return f"{design} {over} {time}" if over in ("layer", "step") else f"{design} {time}"


def series_name(design: str, over: Points = "year") -> str:
    """Name of a test along a series, such as ``weat6 over time``."""
    return f"{design} {ALONG[over][0]}"


def _signed(value: float, found: Along, times: int = 1) -> tuple[str, str]:
    """A number that changes, and its interval, in words."""
    ends = (value, found.low, found.high)
    size, low, high = ("" if end is None else number(times * end, 3, sign=True) for end in ends)
    return size, f"{percent(found.level)} CI {low} to {high}"


def _adjusted_note(results: Sequence[SeriesResult]) -> str:
    """For how many points p-values are adjusted, in the longest of the series."""
    most = max((len(one.points) for one in results), default=0)
    return f"{phrases.ADJUSTMENTS[phrases.ADJUSTMENT][1]} for {counted(most, 'test')}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SeriesResult(Result):
    """One design over a series of models: decades of a corpus, layers, checkpoints of a training run."""

    _section: ClassVar[str] = "time"
    _cites: ClassVar[tuple[str, ...]] = ("wolfe2024mleat", *ADJUSTERS)
    _stem: ClassVar[str] = "series"
    _figure: ClassVar[str] = "decades"
    _file_names: ClassVar[str] = f"time=extra {under('test', MleatResult._file_names)} *=values"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "decade": f"{under('test', MleatResult._rule_names['test'])} *=values",
        "trend": "slope=trend.slope slope_low=trend.low slope_high=trend.high slope_pvalue=trend.pvalue "
        "change=change.difference change_pvalue=change.pvalue",
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST.under("test"),
        stat("time", of="extra", kind="text"),
        *from_tests(MleatResult, "agreement d difference"),
        ENDS,
        *from_tests(MleatResult, "p"),
        adjusted(note=_adjusted_note),
        *from_tests(MleatResult, "exact_p"),
        stat("pattern", of="test.crossed_pattern", spare=1),
    )

    design: str
    """Name of the design."""
    points: Mapping[int | str, MleatResult]
    """The ML-EAT of each point, by number or label, in their order."""
    skipped: Mapping[int | str, str]
    """Points at which the design could not be measured, and why."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Level 1 p-values for other words (``crossed``) adjusted for the number of points, by method (``holm``,
    ``bh``, ``by``); None for a point that has none."""
    adjusted_intervals: tuple[tuple[float, float] | None, ...]
    """Intervals of Level 1 that agree with the p-values adjusted by Benjamini and Hochberg."""
    adjusted_level: float
    """Level of these intervals."""
    trend: Trend
    """Slope of the difference of Level 1."""
    change: Change
    """Where that difference changes most."""
    over: Points
    """What the points are."""

    @property
    def order(self) -> list[int | str]:
        """Every point, measured or not, in order: numbers by size, labels with those skipped at the end."""
        labels = [*self.points, *self.skipped]
        times = [label for label in labels if isinstance(label, int)]
        return [*sorted(times)] if len(times) == len(labels) else labels

    def _members(self) -> Iterator[Member]:
        for at, (time, test) in enumerate(self.points.items()):
            yield Member(test=test, at=at, family=self, extra=time)

    def _adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        return marked(self.adjusted)

    @property
    def _label(self) -> str:
        return series_name(self.design, self.over)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        point, found = next(iter(self.points.values()), None), self.trend
        if point is None or found.slope is None:
            return
        test = point.level1._concluded(self._label, None)
        (left, right), up = test.poles, found.slope >= 0
        near, far = (right, left) if up else (left, right)
        (first, x), (second, y) = phrases.subject(test.subject), phrases.subject(test.rival)
        closer = (" come closer to ", near, ", relative to ", far, f", than {second}", y, " do")
        when = ALONG[self.over][0]
        yield replace(
            test,
            status=status_of(found.pvalue),
            statement=(f"{when}, {first}", x, *closer),
            scale=f"Δ per {self.over}",
            numbers=numbers(
                value=("trend/slope", found.slope),
                low=("trend/low", found.low),
                high=("trend/high", found.high),
            ),
        )

    @property
    def _question(self) -> str:
        return next((point._question for point in self.points.values()), "")

    def _parts(self, name: str) -> Iterator[tuple[str, Result]]:
        yield from ((decade_name(self.design, time, self.over), point) for time, point in self.points.items())

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        table = super()._tabulate(results)
        heads = {"time" if one.over == "year" else one.over for one in results.values()}
        along = {ALONG[one.over][0] for one in results.values()}
        head, end = (heads.pop(), along.pop()) if len(heads) == 1 else ("point", "over the series")
        names = ", ".join(one.design for one in results.values())
        columns = (replace(one, head=head) if one.key == "time" else one for one in table.columns)
        table = replace(table, title=f"{names} {end}", columns=tuple(columns))
        return table if len(results) > 1 else table.without(["test"])

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """What the designs are about, their trends and their largest changes."""
        series = results.values()
        yield from (f"{one.design}: {one._question}." for one in series if one._question)
        yield from (f"{one.design}: {one.slope_said()}." for one in series)
        yield from (f"{one.design}: {said}." for one in series if (said := one.change_said()))

    def slope_said(self) -> str:
        """The trend in words."""
        found, (*_, times, unit) = self.trend, ALONG[self.over]
        if found.slope is None or found.pvalue is None:
            return f"no trend is given: {found.reason}"
        slope, ends = _signed(found.slope, found, times)
        drawn, alike = "words drawn", found.autocorrelation
        if alike is not None:
            drawn = f"words and {self.over}s drawn, allowing for an autocorrelation of {number(alike, 2)}"
        return f"Δ changes by {slope} per {unit} ({ends}, {p_equals(found.pvalue)}, {drawn})"

    def change_said(self) -> str:
        """The change in words; empty where it is not known, or was not looked for."""
        found, ends = self.change, self.change_between()
        if ends is None or found.difference is None or found.pvalue is None:
            return ""
        size, interval = _signed(found.difference, found)
        p = f"{p_equals(found.pvalue)}, both for all {found.splits} splits"
        return f"Δ changes most between {ends[0]} and {ends[1]}, by {size} ({interval}, {p})"

    def change_between(self) -> tuple[int | str, int | str] | None:
        """The last point before the largest change and the first after it."""
        if self.change.position is None:
            return None
        labels = list(self.points)
        return labels[self.change.position - 1], labels[self.change.position]

    def _long_rows(self, name: str) -> Iterator[Row]:
        """The rows of every point, under the name of the design there, the trend, and the change."""
        for (inner, point), one in zip(self._parts(name), self._members(), strict=True):
            yield from ({**row, "measure": "series"} for row in one.long_rows(point._long_rows(inner)))
            rows = one.adjusted_rows("series", inner, "level 1")
            yield from (row for row in rows if row["value"] is not None)
        slope, step, ends = self.trend, self.change, "low high p=pvalue"
        row = partial(long_row, "series", self._label, "trend")
        yield row("points", slope.points)
        for key, words in slope.words.items():
            yield row(f"words {key}", words)
        if slope.slope is not None:
            yield row("slope", slope.slope, method="crossed", n=slope.points, **named(slope, ends))
            keys = ("statistic", "se", "df", *(("autocorrelation",) if slope.drawn else ()))
            yield from (row(key, getattr(slope, key)) for key in keys)
        row = partial(long_row, "series", self._label, "change")
        if step.position is not None:
            yield row("difference", step.difference, method="crossed", n=slope.points, **named(step, ends))
            for key in ("position", "split_pvalue", "statistic", "se", "df"):
                yield row(key, getattr(step, key))

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        for one in self._members():
            inner = decade_name(self.design, one.extra, self.over)
            yield inner, "decade", named(one, self._rule_names["decade"])
        yield self._label, "trend", named(self, self._rule_names["trend"])

    def _unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        for time, why in self.skipped.items():
            yield decade_name(self.design, time, self.over), "decade", why


def series(
    models: Mapping[int, Embeddings] | Mapping[str, Embeddings],
    design: Design,
    *,
    over: Points | None = None,
    missing: Missing = "drop",
    **options: Any,
) -> SeriesResult:
    """Run the ML-EAT on one design in each model of a series, and find the trend of its difference.

    The series may be the decades of a corpus, the layers of a model or the checkpoints of a training run
    (:func:`~crossroads.load_series`), or models with labels, in their order.

    The p-values of the points are adjusted for their number. The trend is the slope of Δ, and the change the
    split of the series before and after which Δ differs most, with a p-value and an interval adjusted for
    having looked at every split. Both use the words found at every point, and take the words of all sets as
    drawn; for years also the deviations of single years, which may last from one to the next (an
    autoregression of order one), but not for the layers or steps of a model.

    Parameters
    ----------
    models
        Models by year, layer or step; or by label, in order. Labels that are all whole numbers are numbers.
    over
        What the points are: ``"year"``, ``"layer"``, ``"step"`` or ``"point"``; by default years for
        numbers, and points for labels, which are numbered for the trend.
    missing
        As in :func:`~crossroads.weat`; points with too few stimuli are skipped and listed.
    options
        Passed on to :func:`~crossroads.mleat`.

    Notes
    -----
    The slope of a random walk is taken for a trend too often. A steady trend is also a change: its p-value
    says that Δ is not the same throughout, not that it jumps.

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
    if not hasattr(models, "items") or not models:
        empty = "series is empty" if hasattr(models, "items") else f"models are {in_short(models)}"
        raise InputError(f"the {empty}.", hint="give {year: vectors, ...}.")
    if over is not None:
        one_of("kind of point", over, Points)
    found = _ordered(models)
    if over is None:
        over = "year" if isinstance(next(iter(found)), int) else "point"
    if missing == "raise":
        check_inputs(design, *found.values())
        require_stimuli(found, [design])
    skips = () if missing == "raise" else (MissingStimuliError,)
    return series_of(found, design, over=over, missing=missing, options=options, skips=skips)


def series_of(
    models: Mapping[int | str, Embeddings],
    design: Design,
    *,
    over: Points,
    missing: Missing,
    options: Mapping[str, Any],
    skips: tuple[type[CrossroadsError], ...],
    known: Mapping[int | str, object] = MappingProxyType({}),
) -> SeriesResult:
    """A test in each model, without points with errors of ``skips``; ``known`` has those measured before."""
    points: dict[int | str, MleatResult] = {}
    skipped: dict[int | str, str] = {}
    for at, emb in models.items():
        try:
            test = known[at] if at in known else mleat(emb, design, missing=missing, **options)
        except skips as error:
            test = error.reason
        if isinstance(test, MleatResult):
            points[at] = test
        else:
            skipped[at] = str(test)
    slope, step = along(models, points, over)
    known_as = adjusted_levels("series", list(points.values()), missing, options)
    if slope.drawn:
        known_as["conventions"]["autocorrelation"] = AUTOCORRELATION
    return SeriesResult(
        design=design.name,
        points=points,
        skipped=skipped,
        trend=slope,
        change=step,
        over=over,
        **known_as,
        provenance=tuple(emb.provenance for emb in models.values()),
    )


def _ordered(models: Mapping[Any, Embeddings]) -> dict[int | str, Embeddings]:
    """Models by number, in order; or by label, in the order given."""
    odd = [one for one in models if isinstance(one, bool) or not isinstance(one, int | np.integer | str)]
    if odd:
        raise InputError(
            f"a point of the series is {in_short(odd[0])}, of type {type(odd[0]).__name__}.",
            hint="give whole numbers, or labels as text.",
        )
    labelled: dict[int | str, Embeddings] = {str(label): emb for label, emb in models.items()}
    numbered = {int(label): emb for label, emb in models.items() if re.fullmatch(r"-?\d+", str(label))}
    if len(numbered) == len(models):
        return dict(sorted(numbered.items()))
    if len(labelled) < len(models) or not all(map(str.strip, map(str, labelled))):
        raise InputError("two points of the series have one label, or a label is empty.")
    return labelled
