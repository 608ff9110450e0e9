"""The effect sizes of a battery in one column, with intervals where there are any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from crossroads.errors import InputError, join_words, one_of
from crossroads.measures.battery import BatteryResult
from crossroads.measures.mleat import MleatResult
from crossroads.measures.stability import BootstrapResult
from crossroads.plots import wording
from crossroads.plots.accepting import figure
from crossroads.plots.frame import MARGIN, Frame, write
from crossroads.plots.lettering import alike, fitted, widest
from crossroads.plots.style import BODY, GREY, INK, PAGE, RED, SMALL, bare

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.42
_LONGEST = 2.3
_LINE = 0.115
_SIDE = ("axes fraction", "data")


@figure
def forest(
    result: BatteryResult,
    intervals: Mapping[str, BootstrapResult] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the Level 1 effect size of every test of a battery, with bootstrap intervals where given.

    A filled square marks tests that stay significant after Holm's adjustment for the number of tests.

    Parameters
    ----------
    result
        A battery of ML-EATs.
    intervals
        Bootstrap results by name of the design; tests without one show their effect size alone.
    ax
        Where to draw; a figure of its own if not given.
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    intervals = intervals or {}
    for name in intervals:
        one_of("design", name, [*(test.design for test in result.tests), *result.skipped])
    labels = _labels(result)
    labelled = max(widest([text], size, weight) for lines in labels for text, size, weight in lines) + 0.12
    columns = _columns(result, intervals)
    widths = [0.14 + widest(column, SMALL) for column in columns]
    frame = Frame(
        width=PAGE,
        body=len(result.tests) * _ROW,
        left=MARGIN + labelled,
        right=MARGIN + sum(widths),
        title="Level 1 effect sizes",
        above=0.24,
        below=0.48,
        note=_note(result, intervals),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(result.tests) - 0.5, -0.5)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    for y, (test, lines) in enumerate(zip(result.tests, labels, strict=True)):
        for i, (text, size, weight) in enumerate(lines):
            color = GREY if i else INK
            place = (-labelled, (1 - i) * _LINE)
            write(ax, text, (0, y), place, coords=_SIDE, size=size, weight=weight, color=color)
        _draw_test(ax, y, test, intervals.get(test.design), kept=result.holm[y] < test.conventions["alpha"])
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")
    ax.margins(x=0.05)
    ax.set_xlabel("effect size d", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _labels(result: BatteryResult) -> list[list[tuple[str, float, str]]]:
    """The name of each test, its targets and its attributes, each a line with size and weight."""
    names = [fitted(test.design, _LONGEST, BODY, weight="bold") for test in result.tests]
    pairs = [f"{t.titles[one]} / {t.titles[two]}" for t in result.tests for one, two in ("xy", "ab")]
    lines, size = alike(pairs, _LONGEST, SMALL, lines=1)
    return [
        [(*name, "bold"), (lines[2 * i], size, "normal"), (lines[2 * i + 1], size, "normal")]
        for i, name in enumerate(names)
    ]


def _columns(result: BatteryResult, intervals: Mapping[str, BootstrapResult]) -> list[list[str]]:
    """The columns of text beside the picture, each with its heading."""
    levels = {interval.level for interval in intervals.values()}
    percent = f"{100 * next(iter(levels)):g} % interval" if len(levels) == 1 else "interval"
    between = [
        f"{wording.number(found.low)} to {wording.number(found.high)}" if found else "–"
        for found in (intervals.get(test.design) for test in result.tests)
    ]
    columns = [
        ["d", *(wording.number(test.level1.effect_size) for test in result.tests)],
        [percent, *between],
        ["p", *(wording.probability(test.level1.pvalue) for test in result.tests)],
        ["p, Holm", *(wording.probability(p) for p in result.holm)],
    ]
    return columns if intervals else [columns[0], *columns[2:]]


def _draw_test(ax: Axes, y: int, test: MleatResult, interval: BootstrapResult | None, *, kept: bool) -> None:
    color = RED if kept else GREY
    if interval is not None:
        ends = [interval.low, interval.high]
        ax.plot(ends, [y, y], color=color, linewidth=1.2, marker="|", markersize=5, zorder=2)
    ax.plot(
        [test.level1.effect_size],
        [y],
        marker="s",
        markersize=5,
        color=color,
        markeredgewidth=1.1,
        markerfacecolor=color if kept else "white",
        zorder=3,
    )


def _note(result: BatteryResult, intervals: Mapping[str, BootstrapResult]) -> str:
    first = result.tests[0]
    return wording.sentence(
        f"filled: p < {wording.level(first.conventions['alpha'])} after Holm's adjustment; open: not",
        f"p {wording.tail(first.level1.alternative)}",
        "intervals from drawing the words of all four sets anew" if intervals else "",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )
