"""The associations of a battery in one column, with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from crossroads.core.errors import InputError, join_words, one_of
from crossroads.core.figures import wording
from crossroads.core.figures.layout import write
from crossroads.core.figures.lettering import alike, widest
from crossroads.core.figures.rows import SIDE, Rows, draw_mark, row_axes
from crossroads.core.figures.style import BODY, GREY, INK, PAGE, RED, SMALL, figure
from crossroads.core.results import Conclusion
from crossroads.core.wording.numbers import counted
from crossroads.core.wording.phrases import ADJUSTMENT, STATUSES, cannot_be_told
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult
from crossroads.words.measures.stability import BootstrapResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.3
_LONGEST = 1.6
_POLE = 0.72
_LINE = 0.12


Shown = Literal["difference", "effect size"]


class _Row(NamedTuple):
    """What is drawn of a test: where, what it comes to, its number, and the ends of its interval."""

    place: float
    test: int
    said: Conclusion
    value: float
    ends: tuple[float, float] | None


@figure(BatteryResult)
def forest(
    result: BatteryResult,
    intervals: Mapping[str, BootstrapResult] | None = None,
    *,
    show: Shown | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw Level 1 of every test of a battery, with its interval, the surest first.

    What is compared is on the left, and at both ends of each row are the attributes: on the side of one, the
    first target is closer to it, relative to the other one, than the second target is. A filled square marks
    tests that hold for other words after adjustment for the number of tests. The report draws the same by the
    same rules.

    Parameters
    ----------
    intervals
        Bootstrap intervals of effect sizes by name of the design, in place of those of the battery.
    show
        ``"difference"``, of mean cosines, with the interval that holds for other words; or
        ``"effect size"``, in standard deviations, with its bootstrap interval. By default differences, and
        effect sizes where ``intervals`` are given.

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
    sizes = show == "effect size" or (show is None and intervals is not None)
    intervals = result.intervals if intervals is None else intervals
    for name in intervals:
        one_of("design", name, [*(test.design for test in result.tests), *result.skipped])
    drawn, headings = _rows(result, intervals, sizes=sizes)
    poles = _poles(drawn)
    beside = Rows(
        labels=_labels(drawn),
        columns=_columns(result, drawn, sizes=sizes),
        step=_LINE,
        beside=0.1 + max(widest([text], size) for pair in poles for text, size in pair),
        gaps=(0.1, 0.13),
    )
    rows = len(drawn) + len(headings)
    frame = beside.frame(
        width=PAGE,
        body=rows * _ROW,
        title=_title(drawn),
        above=0.24,
        below=0.48,
        note=_note(result, drawn, intervals, sizes=sizes),
    )
    ax = row_axes(frame, ax, rows)
    for y, heading in headings.items():
        place = (-beside.labelled, -0.03)
        write(ax, heading, (0, y), place, coords=SIDE, size=SMALL, weight="bold", color=GREY)
    for i, (row, (low, high)) in enumerate(zip(drawn, poles, strict=True)):
        beside.write_label(ax, i, row.place)
        for (text, size), x, shift, ha in ((low, 0, -0.06, "right"), (high, 1, 0.06, "left")):
            write(ax, text, (x, row.place), (shift, 0), coords=SIDE, size=size, color=GREY, ha=ha)
        p = result.adjusted[ADJUSTMENT][row.test]
        alpha = result.tests[row.test].conventions["alpha"]
        _draw_test(ax, row.place, row, kept=p is not None and p < alpha)
    beside.write_columns(ax, [row.place for row in drawn])
    ax.margins(x=0.05)
    ax.set_xlabel("effect size d" if sizes else "difference Δ", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _rows(
    result: BatteryResult, intervals: Mapping[str, BootstrapResult], *, sizes: bool
) -> tuple[list[_Row], dict[float, str]]:
    """The tests in the order of a report, and the headings of what can be said of them, by place."""
    found = []
    for i, (test, said) in enumerate(zip(result.tests, result._conclusions(""), strict=True)):
        value, ends = _size(test, intervals) if sizes else _difference(test)
        found.append(_Row(0.0, i, said, value, ends))
    order = list(STATUSES)
    found.sort(key=lambda row: (order.index(row.said.status), -abs(row.value)))
    rows: list[_Row] = []
    headings: dict[float, str] = {}
    for row in found:
        heading = row.said.heading
        if heading not in headings.values():
            headings[float(len(rows) + len(headings))] = heading
        rows.append(row._replace(place=float(len(rows) + len(headings))))
    return rows, headings


def _title(rows: Sequence[_Row]) -> str:
    """The finding: how many tests would be found with other words."""
    held = sum(row.said.status == "holds" for row in rows)
    asked = counted(len(rows), "association")
    untold = cannot_be_told(sum(row.said.status == "unknown" for row in rows))
    return f"{held} of {asked} would be found with other words for the same things{untold}"


def _labels(rows: Sequence[_Row]) -> list[list[tuple[str, float, str]]]:
    """What each test compares, and its name, each a line with size and weight."""
    firsts, size = alike([row.said.subject for row in rows], _LONGEST, BODY, lines=1)
    seconds = [f"vs {row.said.rival} ({row.said.name})" if row.said.rival else row.said.name for row in rows]
    lines, small = alike(seconds, _LONGEST, SMALL, lines=1)
    return [
        [(first, size, "normal"), (second, small, "normal")]
        for first, second in zip(firsts, lines, strict=True)
    ]


def _poles(rows: Sequence[_Row]) -> list[tuple[tuple[str, float], tuple[str, float]]]:
    """What numbers below and above zero mean, each with its size."""
    texts, size = alike([pole for row in rows for pole in row.said.poles], _POLE, SMALL, lines=2)
    return [((texts[2 * i], size), (texts[2 * i + 1], size)) for i in range(len(rows))]


def _size(
    test: MleatResult, intervals: Mapping[str, BootstrapResult]
) -> tuple[float, tuple[float, float] | None]:
    found = intervals.get(test.design)
    return test.level1.effect_size, None if found is None else (found.low, found.high)


def _difference(test: MleatResult) -> tuple[float, tuple[float, float] | None]:
    found = test.level1.crossed
    ends = None if found.low is None or found.high is None else (found.low, found.high)
    return found.difference, ends


def _columns(result: BatteryResult, drawn: Sequence[_Row], *, sizes: bool) -> list[list[str]]:
    """The columns of text beside the picture, each with its heading."""
    digits, adjusted = 2 if sizes else 3, result._adjusted_p()
    columns = [
        ["d" if sizes else "Δ", *(wording.number(row.value, digits) for row in drawn)],
        ["p", *(wording.probability(result.tests[row.test].level1._answer) for row in drawn)],
        [wording.ADJUSTED, *(wording.probability(adjusted[row.test]) for row in drawn)],
    ]
    if not sizes:
        exact = (wording.probability(result.tests[row.test].level1._p) for row in drawn)
        columns.append(["exact p", *exact])
    return columns


def _draw_test(ax: Axes, y: float, row: _Row, *, kept: bool) -> None:
    color = RED if kept else GREY
    if row.ends is not None:
        ax.plot([*row.ends], [y, y], color=color, linewidth=1.2, marker="|", markersize=5, zorder=2)
    draw_mark(ax, row.value, y, "s", 5, color, filled=kept)


def _note(
    result: BatteryResult, drawn: Sequence[_Row], intervals: Mapping[str, BootstrapResult], *, sizes: bool
) -> str:
    first = result.tests[0]
    ends = any(row.ends for row in drawn)
    return wording.sentence(
        "right of zero, the first group is closer to what is named there, relative to what is named on the "
        "left, than the second group is",
        f"filled: p < {wording.level(first.conventions['alpha'])} {wording.FILLED}; open: not",
        f"p {wording.tail(first.level1.alternative)}, for other words for the same things",
        "" if sizes else "exact p: for these attribute words",
        f"{_level(result, intervals, sizes=sizes)}s over the choice of all words" if ends else "",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )


def _level(result: BatteryResult, intervals: Mapping[str, BootstrapResult], *, sizes: bool) -> str:
    """What an interval is called."""
    crossed = [test.level1.crossed for test in result.tests]
    levels = {one.level for one in ([*intervals.values()] if sizes else crossed)}
    return f"{100 * next(iter(levels)):g} % interval" if len(levels) == 1 else "interval"
