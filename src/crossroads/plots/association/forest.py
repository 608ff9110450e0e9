"""The associations of a battery in one column, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from crossroads.errors import InputError, join_words, one_of
from crossroads.measures.association.battery import BatteryResult
from crossroads.measures.association.mleat import MleatResult
from crossroads.measures.association.stability import BootstrapResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.accepted import figure
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import alike, fitted, widest
from crossroads.plots.frame.style import BODY, GREY, INK, PAGE, RED, SMALL, bare
from crossroads.wording.phrases import ADJUSTMENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.42
_LONGEST = 2.3
_LINE = 0.115
_SIDE = ("axes fraction", "data")


Shown = Literal["difference", "effect size"]


class _Row(NamedTuple):
    """What is drawn of a test: a number, and the ends of its interval where it has one."""

    value: float
    ends: tuple[float, float] | None


@figure
def forest(
    result: BatteryResult,
    intervals: Mapping[str, BootstrapResult] | None = None,
    *,
    show: Shown | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw Level 1 of every test of a battery, with its interval.

    A filled square marks tests that stay significant after adjustment for the number of tests.

    Parameters
    ----------
    result
        A battery of ML-EATs.
    intervals
        Bootstrap intervals of effect sizes by name of the design, in place of those of the battery.
    show
        ``"difference"``, of mean cosines, with the interval that holds for other words; or
        ``"effect size"``, in standard deviations, with its bootstrap interval. By default differences, and
        effect sizes where ``intervals`` are given or a saved result has no differences.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> result = cr.battery(emb, [design], alternative="two-sided")
    >>> ax = cr.plots.forest(result, {"weat7": cr.stats.bootstrap(emb, design)})
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    if show is not None:
        one_of("show", show, Shown)
    old = any(test.level1.crossed is None for test in result.tests)
    sizes = show == "effect size" or (show is None and (old or intervals is not None))
    intervals = result.intervals if intervals is None else intervals
    for name in intervals:
        one_of("design", name, [*(test.design for test in result.tests), *result.skipped])
    drawn = [_size(test, intervals) if sizes else _difference(test) for test in result.tests]
    labels = _labels(result)
    labelled = max(widest([text], size, weight) for lines in labels for text, size, weight in lines) + 0.12
    columns = _columns(result, drawn, _level(result, intervals, sizes=sizes), sizes=sizes)
    widths = [0.14 + widest(column, SMALL) for column in columns]
    frame = Frame(
        width=PAGE,
        body=len(result.tests) * _ROW,
        left=MARGIN + labelled,
        right=MARGIN + sum(widths),
        title="Level 1 effect sizes" if sizes else "Level 1 differences of mean cosines",
        above=0.24,
        below=0.48,
        note=_note(result, drawn, sizes=sizes),
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
        p = result.adjusted[ADJUSTMENT][y]
        _draw_test(ax, y, drawn[y], kept=p is not None and p < test.conventions["alpha"])
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")
    ax.margins(x=0.05)
    ax.set_xlabel("effect size d" if sizes else "difference Δ", fontsize=BODY, color=INK, labelpad=3)
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


def _size(test: MleatResult, intervals: Mapping[str, BootstrapResult]) -> _Row:
    found = intervals.get(test.design)
    return _Row(test.level1.effect_size, None if found is None else (found.low, found.high))


def _difference(test: MleatResult) -> _Row:
    found = test.level1.crossed
    if found is None:
        raise InputError(
            f"the saved test {test.design} has no difference of mean cosines.",
            hint="draw show='effect size', or measure it again.",
        )
    return _Row(
        found.difference, None if found.low is None or found.high is None else (found.low, found.high)
    )


def _level(result: BatteryResult, intervals: Mapping[str, BootstrapResult], *, sizes: bool) -> str:
    """The heading of the intervals."""
    crossed = [test.level1.crossed for test in result.tests]
    levels = {one.level for one in ([*intervals.values()] if sizes else crossed) if one is not None}
    return f"{100 * next(iter(levels)):g} % interval" if len(levels) == 1 else "interval"


def _columns(result: BatteryResult, drawn: Sequence[_Row], level: str, *, sizes: bool) -> list[list[str]]:
    """The columns of text beside the picture, each with its heading."""
    digits = 2 if sizes else 3
    between = [
        "–" if ends is None else " to ".join(wording.number(end, digits) for end in ends) for _, ends in drawn
    ]
    columns = [
        ["d" if sizes else "Δ", *(wording.number(row.value, digits) for row in drawn)],
        *([[level, *between]] if any(row.ends for row in drawn) else []),
        ["p", *(wording.probability(test.level1.answer) for test in result.tests)],
        [wording.ADJUSTED, *map(wording.probability, result.adjusted_p())],
    ]
    if not sizes:
        columns.append(["exact p", *(wording.probability(test.level1.p) for test in result.tests)])
    return columns


def _draw_test(ax: Axes, y: int, row: _Row, *, kept: bool) -> None:
    color = RED if kept else GREY
    if row.ends is not None:
        ax.plot([*row.ends], [y, y], color=color, linewidth=1.2, marker="|", markersize=5, zorder=2)
    ax.plot(
        [row.value],
        [y],
        marker="s",
        markersize=5,
        color=color,
        markeredgewidth=1.1,
        markerfacecolor=color if kept else "white",
        zorder=3,
    )


def _note(result: BatteryResult, drawn: Sequence[_Row], *, sizes: bool) -> str:
    first = result.tests[0]
    old = any(test.level1.crossed is None for test in result.tests)
    ends = any(row.ends for row in drawn)
    return wording.sentence(
        f"filled: p < {wording.level(first.conventions['alpha'])} {wording.FILLED}; open: not",
        f"p {wording.tail(first.level1.alternative)}{'' if old else ', for other words for the same things'}",
        "" if sizes or old else "exact p: for these attribute words",
        "intervals from drawing the words of all four sets again" if ends and sizes else "",
        "intervals over the choice of words in all four sets" if ends and not sizes else "",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )
