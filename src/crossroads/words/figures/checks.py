"""Checks of a test: the frequency of its words, and placebo tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_height, axes_width, name_ends, write
from crossroads.core.figures.lettering import fitted, widest, width
from crossroads.core.figures.placing import Page
from crossroads.core.figures.rows import SIDE, draw_key
from crossroads.core.figures.style import BLUE, BODY, CELL, GREY, INK, RED, RULE, SMALL, WIDE, bare, figure
from crossroads.core.inference.geometry import Floats
from crossroads.core.wording.numbers import P, counted, p_equals
from crossroads.words.checks.frequency import FrequencyResult
from crossroads.words.checks.placebo import PlaceboResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BODY = 3.1
_LEFT = 0.62
_LONGEST = 1.2
_LOOK = {"x": (RED, "o", 4.2), "y": (BLUE, "D", 3.6)}


@figure(FrequencyResult)
def frequency_plot(result: FrequencyResult, *, ax: Axes | None = None) -> Axes:
    """Draw associations of target words against their log frequency, with the slope within both targets.

    The two lines have one slope; their distance is the difference at equal frequency. Where the clouds of
    points are side by side, no word shows what the difference would be there.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> ax = cr.plots.frequency_plot(cr.frequency(emb, design))
    """
    points = {
        key: np.array(
            [(result.basis.log_frequencies[w], result.basis.associations[w]) for w in result.sets[key]]
        )
        for key in ("x", "y")
    }
    equal, matched = result.adjusted, result.matched_pvalue
    like = "" if matched is None else f", frequency-matched words {p_equals(P(matched, '≈'), 'figure')}"
    frame = Frame(
        width=WIDE,
        body=_BODY,
        left=_LEFT,
        right=MARGIN + 0.1,
        title=f"{result.design}: associations and the frequency of words",
        subtitle=f"more than frequency? {result.answer}: Δ = {wording.number(result.difference, 3)}, "
        f"{wording.number(equal.difference, 3)} at equal frequency{like}",
        above=0.32,
        below=0.5,
        note=wording.sentence(
            "lines: one slope within both targets; their distance is the difference at equal frequency",
            f"frequencies: {result.basis.source}",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    bare(ax, grid="y", left=True)
    every = np.vstack(list(points.values()))
    low, high = every.min(axis=0), every.max(axis=0)
    room = np.where(high > low, high - low, 1.0) * (0.05, 0.07)
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])
    ax.axhline(0, color=RULE, linewidth=0.8, zorder=1)
    for key, some in points.items():
        color, marker, size = _LOOK[key]
        ax.plot(*some.T, linestyle="none", marker=marker, markersize=size, color=color, zorder=4)
        ax.plot(*_on_line(some, result.basis.slope)[[0, -1]].T, color=color, linewidth=1.1, zorder=3)
    half = axes_width(ax) / 2 - 0.2
    key_of = [
        (*fitted(wording.titled(key, result.titles), half, BODY), {"marker": m, "markersize": s, "color": c})
        for key, (c, m, s) in _LOOK.items()
    ]
    draw_key(ax, key_of, 0.14, apart=0.4)
    _label(ax, result, points)
    name_ends(ax, "← rarer", "log frequency", "more frequent →")
    a, b = (wording.titled(key, result.titles) for key in "ab")
    side: dict[str, Any] = {"rotation": 90, "ha": "center"}
    for text, y, va in ((f"← {b}", 0.0, "bottom"), (f"{a} →", 1.0, "top")):
        line, fits = fitted(text, axes_height(ax) / 2 - 0.1, BODY)
        write(ax, line, (0, y), (-0.5, 0), size=fits, va=va, **side)
    return ax


def _on_line(points: Floats, slope: float) -> Floats:
    """Some points of the line with that slope through the means of one target, over its words."""
    x = np.linspace(points[:, 0].min(), points[:, 0].max(), 60)
    return np.stack([x, points[:, 1].mean() + slope * (x - points[:, 0].mean())], axis=1)


def _label(ax: Axes, result: FrequencyResult, points: dict[str, Floats]) -> None:
    """Write the words next to their points, as far as there is room."""
    size = np.array([axes_width(ax), axes_height(ax)])
    low, high = (np.array(ends) for ends in zip(ax.get_xlim(), ax.get_ylim(), strict=True))
    inches = {key: (some - low) / (high - low) * size for key, some in points.items()}
    unit, page = size / (high - low), Page(*size.tolist())
    for some in inches.values():
        page.avoid(_on_line(some, result.basis.slope * unit[1] / unit[0]))
    for some in inches.values():
        for x, y in some.tolist():
            page.bar((x, y), 0.06, 0.06)
    for key, some in inches.items():
        for word, (x, y) in zip(result.sets[key], some.tolist(), strict=True):
            text, fits = fitted(word, _LONGEST, SMALL)
            place = page.put([(x, y)], width(text, fits) + 0.03, fits * 1.05 / 72 + 0.01, gap=0.05)
            if place is not None and place.leader is None:
                at = (place.centre[0] / size[0], place.centre[1] / size[1])
                write(ax, text, at, size=fits, color=GREY, ha="center", zorder=5)


_BINS = 48
_SAID = {"dealt": "attributes dealt", "topics": "attributes are\ntopics too"}


@figure(PlaceboResult)
def placebo_plot(result: PlaceboResult, *, ax: Axes | None = None) -> Axes:
    """Draw how strong placebo tests are, of either kind, and where the test is among them.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> ax = cr.plots.placebo_plot(cr.placebo(emb, design, draws=200))
    """
    sizes = {"dealt": np.abs(result.statistics), "topics": np.abs(result.topic_statistics)}
    test = abs(result.statistic)
    end = max(1.15 * test, float(np.quantile(np.concatenate(list(sizes.values())), 0.99)))
    beyond = sum(int((values > end).sum()) for values in sizes.values())
    frame = Frame(
        width=WIDE,
        body=2.0,
        left=MARGIN + 0.1 + widest(list(_SAID.values()), SMALL),
        right=0.2,
        title=f"{result.design}: among tests of arbitrary topics",
        subtitle=f"|t| = {wording.number(test)}, {result._among_topics}",
        below=0.46,
        note=wording.sentence(
            f"red: the test, stronger than {wording.percent(result.percentile)} of those with dealt "
            f"attributes (placebo {p_equals(P(result.pvalue, '≈'), 'figure')})",
            f"{len(result.statistics):,} placebo tests of either kind, out of {counted(result.pool, 'word')}",
            "targets: the words nearest to a word drawn at random",
            f"beyond the right edge: {beyond:,}" if beyond else "",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    bare(ax)
    edges = np.linspace(0, end, _BINS + 1)
    for sign, kind, color in ((1, "dealt", CELL), (-1, "topics", RULE)):
        counts, _ = np.histogram(sizes[kind], bins=edges)
        heights = sign * counts / max(counts.max(), 1)  # each kind to its own height: they are as many
        look: dict[str, Any] = {"align": "edge", "edgecolor": INK, "linewidth": 0.3, "zorder": 2}
        ax.bar(edges[:-1], heights, width=np.diff(edges), color=color, **look)
        write(ax, _SAID[kind], (0, 0.5 * sign), (-0.08, 0), coords=SIDE, size=SMALL, ha="right")
    ax.axhline(0, color=INK, linewidth=0.8, zorder=3)
    ax.plot([test, test], [-1.05, 1.05], color=RED, linewidth=1.3, zorder=4)
    ax.set_xlim(0, end)
    ax.set_ylim(-1.1, 1.1)
    ax.set_yticks([])
    ax.set_xlabel("strength |t| of a test", fontsize=BODY, color=INK, labelpad=3)
    return ax
