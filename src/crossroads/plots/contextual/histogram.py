"""How an effect size is distributed over contexts, for one design or for several side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from crossroads.errors import InputError, join_words
from crossroads.measures.contextual.battery import CeatBatteryResult
from crossroads.measures.contextual.bootstrap import CeatBootstrapResult
from crossroads.measures.contextual.ceat import CeatResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, new_figure, write
from crossroads.plots.frame.lettering import fitted, height, widest, wrapped
from crossroads.plots.frame.style import (
    BODY,
    CELL,
    GREY,
    INK,
    PAGE,
    RED,
    RULE,
    SMALL,
    WIDE,
    at_least_one,
    bare,
    figure,
)
from crossroads.wording.numbers import p_equals

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BINS = 48
_BAND = 0.22  # height of an interval above the bars, in inches
_PANEL, _HEADING, _TICKS, _SPACE = 0.85, 0.34, 0.24, 0.22


@figure(CeatResult)
def context_histogram(
    result: CeatResult, interval: CeatBootstrapResult | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the effect sizes of all samples of contexts, with their mean and its prediction interval.

    Parameters
    ----------
    result
        A CEAT.
    interval
        Its bootstrap interval over words and contexts, drawn above the bars if given.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> ax = cr.plots.context_histogram(cr.ceat(contexts, design, samples=1000))
    """
    lines = {"samples": (result.effect_size, *result.prediction_interval)}
    if interval is not None:
        lines["stimuli"] = (interval.effect_size, interval.low, interval.high)
    d, answer = wording.number(result.stimulus_effect_size), result.answer
    p = "no p for other words" if answer is None else p_equals(answer, "figure")
    frame = Frame(
        width=WIDE,
        body=1.6 + _BAND * len(lines),
        left=MARGIN + 0.1 + widest(list(lines), SMALL),
        right=0.2,
        title=f"{result.design}: effect sizes over contexts",
        subtitle=f"CES = {wording.number(result.effect_size)}; of the stimuli, d = {d}, {p}",
        below=0.46,
        note=_note(result, interval),
    )
    ax = frame.axes(ax)
    bare(ax)
    top = _bars(ax, result.sample_effect_sizes)
    _mark(ax, result.effect_size, top)
    step = top * _BAND / 1.6
    for i, (name, (middle, low, high)) in enumerate(reversed(lines.items())):
        y = top + (i + 0.6) * step
        color, marker = (RED, "o") if name == "samples" else (INK, "s")
        ax.plot([low, high], [y, y], color=color, linewidth=1.3, marker="|", markersize=6, zorder=3)
        ax.plot([middle], [y], color=color, marker=marker, markersize=4.5, zorder=4)
        write(ax, name, (0, y), (-0.08, 0), coords=("axes fraction", "data"), size=SMALL, ha="right")
    ax.set_ylim(0, top + len(lines) * step)
    ax.set_xlabel("effect size d of a sample", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _note(result: CeatResult, interval: CeatBootstrapResult | None) -> str:
    share = wording.percent(result.share_positive)
    return wording.sentence(
        f"{result.sample_effect_sizes.size:,} samples of one context per word, {share} of them positive",
        "samples: combined effect size and prediction interval of the random-effects model",
        _about_interval(interval),
        "p: for other words for the same things, two-sided",
        wording.model(result),
    )


def _about_interval(interval: CeatBootstrapResult | None) -> str:
    if interval is None:
        return ""
    return (
        f"stimuli: effect size over all contexts, {100 * interval.level:g}\N{NO-BREAK SPACE}% interval from "
        "resampling words and contexts"
    )


def _bars(ax: Axes, effects: np.ndarray) -> float:
    """Draw the histogram; returns the height of its highest bar."""
    counts, _, _ = ax.hist(effects, bins=_BINS, color=CELL, edgecolor=RULE, linewidth=0.4, zorder=2)
    return float(np.max(counts))


def _mark(ax: Axes, mean: float, top: float) -> None:
    """Mark no association and the combined effect size; 0 is always in view."""
    ax.plot([0, 0], [0, top], color=INK, linewidth=0.8, linestyle=(0, (3, 2)), zorder=3)
    ax.plot([mean, mean], [0, top], color=RED, linewidth=1.2, zorder=3)


@figure(CeatBatteryResult, Sequence, inside=CeatResult)
def context_histograms(result: CeatBatteryResult | Sequence[CeatResult], *, columns: int = 4) -> Figure:
    """Draw the distribution of the effect sizes of several designs, on one scale.

    Parameters
    ----------
    result
        A battery of CEATs, or some of them.
    columns
        Panels per row.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> figure = cr.plots.context_histograms(cr.ceat_battery(contexts, [design], samples=1000))
    """
    tests = list(result.tests if isinstance(result, CeatBatteryResult) else result)
    if not tests:
        raise InputError("there is no test to draw.", hint="see the field 'skipped' for the reasons.")
    columns = min(at_least_one("columns", columns), len(tests))
    rows = math.ceil(len(tests) / columns)
    wide = PAGE if columns > 2 else WIDE
    room = wide - 2 * MARGIN
    panel = (room - 0.1 - (columns - 1) * _SPACE) / columns  # the last tick may be at the edge
    skipped: Mapping[str, str] = result.skipped if isinstance(result, CeatBatteryResult) else {}
    note = wrapped(_grid_note(tests, skipped), room, SMALL, lines=8)
    pitch = _HEADING + _PANEL + _TICKS
    foot = height(note, SMALL) + 0.1
    total = 2 * MARGIN + rows * pitch + foot
    figure = new_figure(wide, total)
    low = min(0.0, *(float(test.sample_effect_sizes.min()) for test in tests))
    high = max(0.0, *(float(test.sample_effect_sizes.max()) for test in tests))
    edge = 0.03 * (high - low)
    for i, test in enumerate(tests):
        row, column = divmod(i, columns)
        left = MARGIN + column * (panel + _SPACE)
        bottom = total - MARGIN - row * pitch - _HEADING - _PANEL
        ax = figure.add_axes((left / wide, bottom / total, panel / wide, _PANEL / total))
        _panel(ax, test, panel)
        ax.set_xlim(low - edge, high + edge)
        if i == 0:
            under = MARGIN + height(note, SMALL) - bottom
            write(ax, note, (0, 0), (0, under), size=SMALL, color=GREY, va="top")
    return figure


def _panel(ax: Axes, test: CeatResult, room: float) -> None:
    bare(ax)
    top = _bars(ax, test.sample_effect_sizes)
    _mark(ax, test.effect_size, top)
    y = 1.1 * top
    ends = list(test.prediction_interval)
    ax.plot(ends, [y, y], color=RED, linewidth=1.1, marker="|", markersize=4, zorder=3)
    ax.set_ylim(0, 1.2 * top)
    ax.locator_params(axis="x", nbins=4)
    name, size = fitted(test.design, room, BODY, weight="bold")
    write(ax, name, (0, 1), (0, 0.17), size=size, weight="bold", va="bottom")
    p = wording.probability(test.answer)
    line, size = fitted(f"CES {wording.number(test.effect_size)}, p {p}", room, SMALL)
    write(ax, line, (0, 1), (0, 0.04), size=size, color=GREY, va="bottom")


def _grid_note(tests: Sequence[CeatResult], skipped: Mapping[str, str]) -> str:
    return wording.sentence(
        f"effect sizes of {tests[0].sample_effect_sizes.size:,} samples of one context per word",
        "red: combined effect size (CES), above it the prediction interval of the random-effects model",
        "dashed: no association",
        "p: for other words for the same things, two-sided, not adjusted for the number of tests",
        f"not measured: {join_words(skipped, most=12)}" if skipped else "",
        wording.model(tests[0]),
    )
