"""Several tests: those of a battery in one column, and those of a series over time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from crossroads.core.errors import InputError, join_words
from crossroads.core.figures import wording
from crossroads.core.figures.layout import Frame, write
from crossroads.core.figures.lettering import alike, height, widest, wrapped
from crossroads.core.figures.rows import SIDE, Rows, draw_mark, row_axes
from crossroads.core.figures.style import (
    BODY,
    BROWN,
    GREY,
    INK,
    PAGE,
    RED,
    SMALL,
    TEAL,
    WIDE,
    bare,
    figure,
    matplotlib,
)
from crossroads.core.results import Conclusion
from crossroads.core.results.checks import Check
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.results.robustness import ChecksResult, status_on
from crossroads.core.wording.numbers import counted
from crossroads.core.wording.phrases import ADJUSTMENT, STATUSES
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult
from crossroads.words.measures.series import SeriesResult
from crossroads.words.measures.weat import WeatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.3
_LONGEST = 1.6
_POLE = 0.72
_LINE = 0.12


class _Row(NamedTuple):
    """What is drawn of a test: where, its conclusion, its number, and the ends of its interval."""

    place: float
    number: int
    test: MleatResult
    said: Conclusion
    value: float
    ends: tuple[float, float] | None


@figure(BatteryResult)
def forest(result: BatteryResult, *, checks: ChecksResult | None = None, ax: Axes | None = None) -> Axes:
    """Draw the differences of all tests, with intervals that agree with adjusted p-values, the surest first.

    At both ends of each row are the attributes: on the side of one, the first target is closer to it,
    relative to the other one, than the second target is. A filled square marks a *yes*: tests that generalize
    to other words after adjustment for the number of tests.

    Parameters
    ----------
    checks
        Answers for these tests, under whose headings they are; by default from their p-values alone.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> result = cr.battery(emb, [design], alternative="two-sided")
    >>> ax = cr.plots.forest(result)
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    drawn, headings = _rows(result, {} if checks is None else checks.tests)
    # what numbers below and above zero mean, in the space at both ends of a row
    poles, pole_size = alike([pole for row in drawn for pole in row.said.poles], _POLE, SMALL, lines=2)
    firsts, size = alike([row.said.subject for row in drawn], _LONGEST, BODY, lines=1)
    seconds = [f"vs {row.said.rival} ({row.said.name})" if row.said.rival else row.said.name for row in drawn]
    lines, small = alike(seconds, _LONGEST, SMALL, lines=1)
    adjusted = result._adjusted_p()
    columns = [
        ["agree", *(wording.chance(row.test.level1.crossed.agreement) for row in drawn)],
        ["Δ", *(wording.number(row.value, 3) for row in drawn)],
        ["p", *(wording.probability(row.test.level1._answer) for row in drawn)],
        [wording.ADJUSTED, *(wording.probability(adjusted[row.number]) for row in drawn)],
        ["exact p", *(wording.probability(row.test.level1._p) for row in drawn)],
    ]
    texts = Rows(
        labels=[
            [(first, size, "normal"), (second, small, "normal")]
            for first, second in zip(firsts, lines, strict=True)
        ],
        columns=columns,
        step=_LINE,
        side=0.1 + widest(poles, pole_size),
        gaps=(0.1, 0.13),
    )
    rows, held = len(drawn) + len(headings), sum(row.said.status == "holds" for row in drawn)
    frame = texts.frame(
        width=PAGE,
        body=rows * _ROW,
        title=f"{held} of {counted(len(drawn), 'association')} generalize to other words for the same things",
        above=0.24,
        below=0.48,
        note=_forest_note(result, drawn),
    )
    ax = row_axes(frame, ax, rows)
    for y, heading in headings.items():
        place = (-texts.labelled, -0.03)
        write(ax, heading, (0, y), place, coords=SIDE, size=SMALL, weight="bold", color=GREY)
    pole_look: dict[str, Any] = {"coords": SIDE, "size": pole_size, "color": GREY}
    for i, row in enumerate(drawn):
        y = row.place
        texts.write_label(ax, i, y)
        write(ax, poles[2 * i], (0, y), (-0.06, 0), ha="right", **pole_look)
        write(ax, poles[2 * i + 1], (1, y), (0.06, 0), ha="left", **pole_look)
        found = row.said.status == "holds"
        color = RED if found else GREY
        if row.ends is not None:
            ax.plot([*row.ends], [y, y], color=color, linewidth=1.2, marker="|", markersize=5, zorder=2)
        draw_mark(ax, row.value, y, "s", 5, color, filled=found)
    texts.write_columns(ax, [row.place for row in drawn])
    ax.margins(x=0.05)
    ax.set_xlabel("difference Δ", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _rows(
    result: BatteryResult, checks: Mapping[str, tuple[Check, ...]]
) -> tuple[list[_Row], dict[float, str]]:
    """The tests in the order of a report, and the headings of what can be said of them, by place."""
    found = []
    for i, (test, said) in enumerate(zip(result.tests, result._conclusions(""), strict=True)):
        ends, one = result.adjusted_intervals[i], test.level1
        said = replace(said, status=status_on(checks.get(said.name, ()), said.status))
        found.append(_Row(0.0, i, test, said, one.crossed.difference, ends))
    order = list(STATUSES)
    found.sort(key=lambda row: (order.index(row.said.status), -abs(row.value)))
    rows: list[_Row] = []
    headings: dict[float, str] = {}
    for row in found:
        if row.said.heading not in headings.values():
            headings[float(len(rows) + len(headings))] = row.said.heading
        rows.append(row._replace(place=float(len(rows) + len(headings))))
    return rows, headings


def _forest_note(result: BatteryResult, drawn: Sequence[_Row]) -> str:
    first, level = result.tests[0], result.adjusted_level
    interval = "interval" if level is None else f"{wording.percent(level, 1)} interval"
    return wording.sentence(
        "right of zero, the first group is closer to what is named there, relative to what is named on the "
        "left, than the second group is",
        f"filled: p < {wording.level(ALPHA)} {wording.FILLED}; open: not",
        wording.AGREE,
        f"p {wording.tail(first.level1.alternative)}, for other words for the same things",
        "exact p: for these attribute words",
        f"{interval}s over the choice of all words, which agree with {wording.ADJUSTED}"
        if any(row.ends for row in drawn)
        else "",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )


_BODY = 2.5
_TICKS = 11
_LOOK = {"level1": (INK, "o", "-", 1.6), "x": (BROWN, "s", "--", 1.2), "y": (TEAL, "^", "-.", 1.2)}
"""Colour, marker, style and width of each line."""


@figure(SeriesResult)
def decades(result: SeriesResult, *, ax: Axes | None = None) -> Axes:
    """Draw the Level 1 effect size and both Level 2 effect sizes over time, layers, steps or labels.

    Markers are filled where the p-value for other words is below the level that the result records, for
    Level 1 adjusted for the number of points. Bars are the interval of Level 1 over the choice of words: that
    of Δ, in units of d. Lines break at points that could not be measured, which are crossed on the axis. A
    dotted line marks the largest change where it is significant.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    >>> models = {year: cr.Embeddings(design.words, rng.normal(size=(32, 9))) for year in (1900, 1950, 2000)}
    >>> ax = cr.plots.decades(cr.series(models, design))
    """
    if not result.points:
        raise InputError(
            f"no point of the series {result.design!r} was measured.",
            hint="see its field 'skipped' for the reasons.",
        )
    first = next(iter(result.points.values()))
    labelled = any(isinstance(point, str) for point in result.order)
    at = {one: float(i if isinstance(one, str) else one) for i, one in enumerate(result.order)}
    points = {time: result.points[time] for time in result.order if time in result.points}
    lines = {key: {time: _test(point, key).effect_size for time, point in points.items()} for key in _LOOK}
    texts = {"level1": "Level 1", **{key: f"Level 2: {wording.titled(key, first.titles)}" for key in "xy"}}
    labels = {key: wrapped(text, 1.2, BODY, lines=3) for key, text in texts.items()}
    bars = _intervals(result)
    alpha = first.conventions["alpha"]
    changes = result.change.pvalue is not None and result.change.pvalue < alpha
    frame = Frame(
        width=WIDE,
        body=_BODY,
        left=0.52,
        right=0.28 + widest(list(labels.values()), BODY),
        title=result._label,
        below=0.75 if labelled else 0.5,
        note=_series_note(result, first, changes=changes, bars=bool(bars)),
    )
    ax = frame.axes(ax)
    bare(ax, grid="y", left=True)
    ax.axhline(0, color=INK, linewidth=0.8, zorder=1)
    for time, ends in bars.items():
        ax.plot([at[time]] * 2, ends, color=INK, linewidth=0.9, alpha=0.45, zorder=1.5)
    for key, line in lines.items():
        _draw_line(ax, result, key, line, at)
    drawn = [d for line in lines.values() for d in line.values()]
    low, high = _limits([0.0, *drawn, *(end for ends in bars.values() for end in ends)], room=0.08)
    ax.set_ylim(low, high)
    times = sorted(at.values())
    ax.set_xlim(*_limits(times, room=0.05))
    _name_points(ax, at, labelled=labelled)
    ax.set_ylabel("effect size d", fontsize=BODY, color=INK, labelpad=3)
    if not labelled:
        ax.set_xlabel(result.over, fontsize=BODY, color=INK, labelpad=3)
    for time in result.skipped:
        write(ax, "×", (at[time], 0), coords=("data", "axes fraction"), size=9, ha="center")
    if changes and (between := result.change_between()) is not None:
        middle = (at[between[0]] + at[between[1]]) / 2
        ax.axvline(middle, color=INK, linestyle=":", linewidth=0.9, zorder=1)
    last = {key: list(line.values())[-1] for key, line in lines.items()}
    for key, y in _spread(last, labels, low, high).items():
        write(ax, labels[key], (times[-1], y), (0.1, 0), coords="data", color=_LOOK[key][0])
    return ax


def _limits(values: Sequence[float], *, room: float) -> tuple[float, float]:
    low, high = min(values), max(values)
    pad = room * (high - low) or 0.5
    return low - pad, high + pad


def _name_points(ax: Axes, at: dict[int | str, float], *, labelled: bool) -> None:
    """Write numbers or labels below the axis, as many as there is room for."""
    places = sorted(at.values())
    if labelled:
        shown = list(at.items())[:: -(-len(at) // _TICKS)]
        names = [wrapped(str(label), 0.75, BODY, lines=2) for label, _ in shown]
        ax.set_xticks([place for _, place in shown], names, fontsize=BODY)
        return
    closest = min((later - time for time, later in itertools.pairwise(places)), default=1)
    if closest * _TICKS >= places[-1] - places[0]:  # each has room for its number
        ax.set_xticks(places)
    else:
        ax.xaxis.set_major_locator(matplotlib("ticker").MaxNLocator(nbins=_TICKS, integer=True))


def _intervals(result: SeriesResult) -> dict[int | str, tuple[float, float]]:
    """The intervals of Δ in units of d, where it has them: both are the difference, in other units."""
    found = {}
    for time, point in result.points.items():
        delta = point.level1.crossed
        if delta.low is not None and delta.high is not None and delta.difference:
            unit = point.level1.effect_size / delta.difference
            found[time] = (delta.low * unit, delta.high * unit)
    return found


def _test(point: MleatResult, key: str) -> WeatResult:
    return point.level1 if key == "level1" else point.level2[key]


def _series_note(result: SeriesResult, first: MleatResult, *, changes: bool, bars: bool) -> str:
    a, b = (wording.titled(key, first.titles) for key in "ab")
    alpha, tail = wording.level(first.conventions["alpha"]), wording.tail(first.level1.alternative)
    words = ", for other words; Level 1 adjusted for the number of points"
    return wording.sentence(
        f"filled: p < {alpha} ({tail}{words}); open: not",
        result.slope_said(),
        result.change_said() if changes else "",
        "bars: 95 % interval of Level 1 for other words, in units of d" if bars else "",
        "× not measured" if result.skipped else "",
        f"above zero: Level 2 closer to {a} than to {b}; Level 1 closer to {a}, relative to {b}, than the "
        "second target is",
    )


def _draw_line(
    ax: Axes, result: SeriesResult, key: str, line: dict[int | str, float], at: dict[int | str, float]
) -> None:
    """The line with its gaps, and over it the markers, filled or open."""
    color, marker, style, wide = _LOOK[key]
    values = [line.get(time, float("nan")) for time in at]
    ax.plot(list(at.values()), values, color=color, linestyle=style, linewidth=wide, zorder=2)
    for time, value in line.items():
        answer = _test(result.points[time], key)._answer
        p = None if answer is None else answer.value
        if key == "level1":
            p = result.adjusted[ADJUSTMENT][list(result.points).index(time)]
        filled = p is not None and bool(p < result.points[time].conventions["alpha"])
        draw_mark(ax, at[time], value, marker, 5, color, filled=filled)


def _spread(ends: dict[str, float], labels: dict[str, str], low: float, high: float) -> dict[str, float]:
    """Heights for the labels near the ends of their lines: apart from each other, within the axes."""
    unit = (high - low) / _BODY
    tall = {key: (height(text, BODY) + 0.03) * unit for key, text in labels.items()}
    order = sorted(ends, key=lambda key: ends[key])
    places = dict(ends)
    for _ in range(100):
        for key, half in ((key, tall[key] / 2) for key in order):
            places[key] = min(max(places[key], low + half), high - half)
        for lower, upper in itertools.pairwise(order):
            lack = (tall[lower] + tall[upper]) / 2 - (places[upper] - places[lower])
            if lack > 0:
                places[lower] -= lack / 2
                places[upper] += lack / 2
    return places
