"""Effect sizes over time (Wolfe, Hiniker & Howe 2024, Figure 3)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from crossroads.core.errors import InputError
from crossroads.core.figures import wording
from crossroads.core.figures.layout import Frame, write
from crossroads.core.figures.lettering import height, widest, wrapped
from crossroads.core.figures.style import BODY, BROWN, INK, TEAL, WIDE, bare, figure, matplotlib
from crossroads.core.wording.phrases import ADJUSTMENT
from crossroads.words.measures.series import SeriesResult
from crossroads.words.measures.weat import WeatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BODY = 2.5
_TICKS = 11
_LOOK = {
    "level1": {"color": INK, "marker": "o", "linestyle": "-"},
    "x": {"color": BROWN, "marker": "s", "linestyle": "--"},
    "y": {"color": TEAL, "marker": "^", "linestyle": "-."},
}


@figure(SeriesResult)
def decades(result: SeriesResult, *, ax: Axes | None = None) -> Axes:
    """Draw the Level 1 effect size and both Level 2 effect sizes over time, layers, steps or labels.

    Markers are filled where the p-value for other words is below the level that the result records, for
    Level 1 adjusted for the number of points. Bars are the interval of Level 1 over the choice of words: that
    of Δ, in units of d. Lines break at points that could not be measured, which are crossed on the axis. A
    dotted line marks the largest change where it is significant.

    Parameters
    ----------
    result
        A series of ML-EATs.

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
    lines = {key: _line(result, key) for key in _LOOK}
    labels = _labels(result)
    frame = Frame(
        width=WIDE,
        body=_BODY,
        left=0.52,
        right=0.28 + widest(list(labels.values()), BODY),
        title=result._label,
        below=0.5 + (0.25 if _is_labelled(result) else 0.0),
        note=_note(result),
    )
    ax = frame.axes(ax)
    bare(ax, grid="y", left=True)
    ax.axhline(0, color=INK, linewidth=0.8, zorder=1)
    at = _places(result)
    bars = _intervals(result)
    for time, (bottom, top) in bars.items():
        ax.plot([at[time]] * 2, [bottom, top], color=INK, linewidth=0.9, alpha=0.45, zorder=1.5)
    for key, line in lines.items():
        _draw_line(ax, result, key, line, at)
    drawn = [d for line in lines.values() for d in line.values()]
    low, high = _limits([0.0, *drawn, *(end for ends in bars.values() for end in ends)], room=0.08)
    ax.set_ylim(low, high)
    times = sorted(at.values())
    ax.set_xlim(*_limits(times, room=0.05))
    _name_points(ax, result, at)
    ax.set_ylabel("effect size d", fontsize=BODY, color=INK, labelpad=3)
    if not _is_labelled(result):
        ax.set_xlabel(result.over, fontsize=BODY, color=INK, labelpad=3)
    for time in result.skipped:
        write(ax, "×", (at[time], 0), coords=("data", "axes fraction"), size=9, ha="center")
    if _changes(result) and (ends := result.change_between()) is not None:
        middle = (at[ends[0]] + at[ends[1]]) / 2
        ax.axvline(middle, color=INK, linestyle=":", linewidth=0.9, zorder=1)
    last = {key: list(line.values())[-1] for key, line in lines.items()}
    for key, y in _spread(last, labels, low, high).items():
        write(ax, labels[key], (times[-1], y), (0.1, 0), coords="data", color=_LOOK[key]["color"])
    return ax


def _limits(values: Sequence[float], *, room: float) -> tuple[float, float]:
    """The limits of an axis that contains some values, with a margin."""
    low, high = min(values), max(values)
    pad = room * (high - low) or 0.5
    return low - pad, high + pad


def _is_labelled(result: SeriesResult) -> bool:
    """Whether the points have labels in place of numbers."""
    return any(isinstance(one, str) for one in result.order)


def _places(result: SeriesResult) -> dict[int | str, float]:
    """Where each point is drawn: at its number, or labels side by side."""
    return {one: float(at if isinstance(one, str) else one) for at, one in enumerate(result.order)}


def _name_points(ax: Axes, result: SeriesResult, at: dict[int | str, float]) -> None:
    """Write numbers or labels below the axis, as many as there is room for."""
    places = sorted(at.values())
    if _is_labelled(result):
        every = -(-len(at) // _TICKS)
        shown = list(at.items())[::every]
        ax.set_xticks([place for _, place in shown])
        names = [wrapped(str(label), 0.75, BODY, lines=2) for label, _ in shown]
        ax.set_xticklabels(names, fontsize=BODY)
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


def _changes(result: SeriesResult) -> bool:
    """Whether the largest change is significant, by the level that the result records."""
    alpha = next(iter(result.points.values())).conventions["alpha"]
    return result.change.pvalue is not None and result.change.pvalue < alpha


def _test(result: SeriesResult, time: int | str, key: str) -> WeatResult:
    point = result.points[time]
    return point.level1 if key == "level1" else point.level2[key]


def _holds(result: SeriesResult, time: int | str, key: str, alpha: float) -> bool:
    """Whether the marker of a test is filled."""
    if key == "level1":
        p = result.adjusted[ADJUSTMENT][list(result.points).index(time)]
        return p is not None and p < alpha
    answer = _test(result, time, key)._answer
    return answer is not None and answer.value < alpha


def _line(result: SeriesResult, key: str) -> dict[int | str, float]:
    return {time: _test(result, time, key).effect_size for time in result.order if time in result.points}


def _labels(result: SeriesResult) -> dict[str, str]:
    """The label at the end of each line."""
    titles = next(iter(result.points.values())).titles
    texts = {"level1": "Level 1", **{key: f"Level 2: {wording.titled(key, titles)}" for key in "xy"}}
    return {key: wrapped(text, 1.2, BODY, lines=3) for key, text in texts.items()}


def _note(result: SeriesResult) -> str:
    first = next(iter(result.points.values()))
    a, b = (wording.titled(key, first.titles) for key in "ab")
    alpha, tail = wording.level(first.conventions["alpha"]), wording.tail(first.level1.alternative)
    words = ", for other words; Level 1 adjusted for the number of points"
    return wording.sentence(
        f"filled: p < {alpha} ({tail}{words}); open: not",
        result.slope_said(),
        result.change_said() if _changes(result) else "",
        "bars: 95 % interval of Level 1 for other words, in units of d" if _intervals(result) else "",
        "× not measured" if result.skipped else "",
        f"above zero: Level 2 closer to {a} than to {b}; Level 1 closer to {a}, relative to {b}, than the "
        "second target is",
    )


def _draw_line(
    ax: Axes,
    result: SeriesResult,
    key: str,
    line: dict[int | str, float],
    at: dict[int | str, float],
) -> None:
    """The line with its gaps, and over it the markers, filled or open."""
    look = _LOOK[key]
    values = [line.get(time, float("nan")) for time in at]
    wide = 1.6 if key == "level1" else 1.2
    ax.plot(
        list(at.values()), values, color=look["color"], linestyle=look["linestyle"], linewidth=wide, zorder=2
    )
    alpha = next(iter(result.points.values())).conventions["alpha"]
    filled = {time: _holds(result, time, key, alpha) for time in line}
    for full in (True, False):
        some = [time for time in line if filled[time] == full]
        ax.plot(
            [at[time] for time in some],
            [line[time] for time in some],
            linestyle="none",
            marker=look["marker"],
            markersize=5,
            markeredgewidth=1.1,
            color=look["color"],
            markerfacecolor=look["color"] if full else "white",
            zorder=3,
        )


def _spread(ends: dict[str, float], labels: dict[str, str], low: float, high: float) -> dict[str, float]:
    """Heights for the labels near the ends of their lines: apart from each other, and beside the axes."""
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
