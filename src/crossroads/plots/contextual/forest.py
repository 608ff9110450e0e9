"""The effect sizes of a battery of CEATs: over samples of contexts, and over the stimuli."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError, join_words, one_of
from crossroads.inference.bootstrap import percentile_interval
from crossroads.measures.contextual.battery import CeatBatteryResult
from crossroads.measures.contextual.bootstrap import CeatBootstrapResult
from crossroads.measures.contextual.ceat import CeatResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import alike, fitted, widest
from crossroads.plots.frame.style import BODY, GREY, INK, PAGE, RED, RULE, SMALL, bare, figure
from crossroads.wording.phrases import ADJUSTMENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _LOW_ROW = 0.42, 0.27
_MANY = 20  # tests from which rows are low and sets are not named
_LONGEST = 2.2
_LINE = 0.115
_APART = 0.17  # of a row, between the two marks of a test
_ALPHA = 0.05
_SIDE = ("axes fraction", "data")

Labels = list[list[tuple[str, float, str]]]


@figure(CeatBatteryResult)
def context_forest(
    result: CeatBatteryResult, published: Mapping[str, float] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the combined and the stimulus-level effect size of every test of a battery of CEATs.

    Above, a circle with the middle 95 % of the samples and the prediction interval of the random-effects
    model; below, a square with the bootstrap interval where there is one, filled where it stays significant
    after adjustment for the number of tests.

    Parameters
    ----------
    result
        A battery of CEATs.
    published
        Published combined effect sizes by name of the design, drawn as crosses.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.ceat_battery(contexts, [design], samples=1000)
    >>> ax = cr.plots.context_forest(result, {"c7": 0.5})  # with a published effect size beside it
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    published = published or {}
    for name in published:
        one_of("design", name, [*(test.design for test in result.tests), *result.skipped])
    many = len(result.tests) > _MANY
    labels = _labels(result, brief=many)
    labelled = max(widest([text], size, weight) for lines in labels for text, size, weight in lines) + 0.12
    columns = _columns(result, published)
    widths = [0.14 + widest(column, SMALL) for column in columns]
    frame = Frame(
        width=PAGE,
        body=len(result.tests) * (_LOW_ROW if many else _ROW),
        left=MARGIN + labelled,
        right=MARGIN + sum(widths),
        title="Effect sizes over contexts and over stimuli",
        above=0.24,
        below=0.48,
        note=_note(result, published),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(result.tests) - 0.5, -0.5)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    for y, (test, lines) in enumerate(zip(result.tests, labels, strict=True)):
        middle = (len(lines) - 1) / 2
        for i, (text, size, weight) in enumerate(lines):
            place = (-labelled, (middle - i) * _LINE)
            color = GREY if i else INK
            write(ax, text, (0, y), place, coords=_SIDE, size=size, weight=weight, color=color)
        p = result.adjusted[ADJUSTMENT][y]
        _draw_test(ax, y, test, result.intervals.get(test.design), kept=p is not None and p < _ALPHA)
        if test.design in published:
            cross: dict[str, Any] = {"marker": "x", "markersize": 4.5, "markeredgewidth": 1.1}
            ax.plot([published[test.design]], [y - _APART], color=INK, zorder=4, **cross)
    _write_columns(ax, columns, widths)
    ax.margins(x=0.04)
    ax.set_xlabel("effect size d", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _labels(result: CeatBatteryResult, *, brief: bool) -> Labels:
    """The name of each test, its targets and its attributes, each a line with size and weight."""
    names = [fitted(test.design, _LONGEST, BODY, weight="bold") for test in result.tests]
    if brief:
        return [[(*name, "bold")] for name in names]
    titles = [result.titles[test.design] for test in result.tests]
    pairs = [f"{t[one]} / {t[two]}" for t in titles for one, two in ("xy", "ab")]
    lines, size = alike(pairs, _LONGEST, SMALL, lines=1)
    return [
        [(*name, "bold"), (lines[2 * i], size, "normal"), (lines[2 * i + 1], size, "normal")]
        for i, name in enumerate(names)
    ]


def _columns(result: CeatBatteryResult, published: Mapping[str, float]) -> list[list[str]]:
    """The columns of text beside the chart, each with its heading."""
    tests = result.tests
    columns = [["CES", *(wording.number(test.effect_size) for test in tests)]]
    if published:
        given = [published.get(test.design) for test in tests]
        columns.append(["paper", *("–" if d is None else wording.number(d) for d in given)])
    columns.append(["d", *(wording.number(test.stimulus_effect_size) for test in tests)])
    if result.intervals:
        levels = {interval.level for interval in result.intervals.values()}
        heading = f"{100 * next(iter(levels)):g} % interval" if len(levels) == 1 else "interval"
        found = [result.intervals.get(test.design) for test in tests]
        between = [f"{wording.number(i.low)} to {wording.number(i.high)}" if i else "–" for i in found]
        columns.append([heading, *between])
    columns.append(["p", *(wording.probability(test.answer) for test in tests)])
    columns.append([wording.ADJUSTED, *map(wording.probability, result.adjusted_p())])
    columns.append(["exact p", *(wording.probability(test.p) for test in tests)])
    return columns


def _write_columns(ax: Axes, columns: list[list[str]], widths: list[float]) -> None:
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")


def _draw_test(
    ax: Axes, y: int, test: CeatResult, interval: CeatBootstrapResult | None, *, kept: bool
) -> None:
    above, below = y - _APART, y + _APART
    color = RED if kept else GREY
    middle = percentile_interval(test.sample_effect_sizes, 0.95)
    band: dict[str, Any] = {"linewidth": 3.2, "solid_capstyle": "butt"}
    ax.plot(middle, [above, above], color=RULE, zorder=1.5, **band)
    ax.plot(list(test.prediction_interval), [above, above], color=INK, linewidth=0.9, zorder=2)
    ax.plot([test.effect_size], [above], color=INK, marker="o", markersize=3.6, zorder=3)
    if interval is not None:
        ends = [interval.low, interval.high]
        ax.plot(ends, [below, below], color=color, linewidth=1.4, marker="|", markersize=5, zorder=2)
    face = color if kept else "white"
    mark: dict[str, Any] = {"marker": "s", "markersize": 4.6, "markeredgewidth": 1.1, "markerfacecolor": face}
    ax.plot([test.stimulus_effect_size], [below], color=color, zorder=3, **mark)


def _note(result: CeatBatteryResult, published: Mapping[str, float]) -> str:
    first = result.tests[0]
    return wording.sentence(
        f"circle: combined effect size (CES) over {first.sample_effect_sizes.size:,} samples of one context "
        "per word; pale: the middle 95\N{NO-BREAK SPACE}% of samples; line: prediction interval of the "
        "random-effects model",
        "square: effect size of the stimuli over all contexts",
        f"filled: p < {wording.level(_ALPHA)} {wording.FILLED}; open: not",
        "interval from resampling the words of all four sets and their contexts" if result.intervals else "",
        "cross: published CES" if published else "",
        "p two-sided, for other words for the same things; exact p: labels of the targets exchanged",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )
