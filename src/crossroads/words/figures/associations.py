"""Words of one test: their associations, rankings and frequency, and the test among placebo tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_height, axes_width, name_ends, write
from crossroads.core.figures.lettering import fitted, widest, width, wrapped
from crossroads.core.figures.placing import Page
from crossroads.core.figures.rows import SIDE, draw_key, draw_mark
from crossroads.core.figures.style import (
    BLUE,
    BODY,
    CELL,
    COLUMN,
    GREY,
    INK,
    RED,
    RULE,
    SMALL,
    WIDE,
    bare,
    figure,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import whole
from crossroads.core.wording.numbers import P, counted, p_equals
from crossroads.words.checks.frequency import FrequencyResult
from crossroads.words.checks.placebo import PlaceboResult
from crossroads.words.measures.mleat import ALPHA, MleatResult
from crossroads.words.measures.projection import ProjectionResult
from crossroads.words.measures.sc_weat import ScWeatResult
from crossroads.words.measures.weat import WeatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST_WORD = 1.5
_MANY = 40
_RANKING_ROW = 0.155
_WIDTH = COLUMN + 0.7


@figure(MleatResult, WeatResult, ProjectionResult)
def association_plot(result: MleatResult | WeatResult | ProjectionResult, *, ax: Axes | None = None) -> Axes:
    """Draw the association of every word with the attributes, sorted within its set, and the two means.

    For a test of two targets the words are those of X and Y; for a single-target test, whose attributes
    are permuted, they are those of A and B. Of an ML-EAT, Level 1 is shown.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> ax = cr.plots.association_plot(cr.weat(emb, design))
    """
    test = result.level1 if isinstance(result, MleatResult) else result
    keys = [key for key in "xyab" if set(test.sets.get(key, ["not measured"])) <= test.associations.keys()]
    sided = "x" in keys
    found = f"{wording.effect(test.effect_size, test.crossed)} ({wording.tail(test.alternative)})"
    exact = "" if test._p is None else f", exact {p_equals(test._p, 'figure')}"
    values = {key: {word: test.associations[word] for word in test.sets[key]} for key in keys}
    row, size = (0.155, SMALL) if sum(map(len, values.values())) <= _MANY else (0.115, SMALL - 0.5)
    ax = draw_sets(
        ax,
        values,
        result.titles,
        row=row,
        size=size,
        digits=3,
        sided=sided,
        title=f"{test.design}: associations of the words",
        subtitle=found + exact,
        note=wording.sentence(
            "vertical lines: means of the two sets", wording.AGREE, wording.WHICH_P, wording.model(result)
        ),
    )
    ax.margins(x=0.06)
    if sided:
        a, b = (wording.titled(key, result.titles) for key in "ab")
        name_ends(ax, f"← {b}", "association s(w, A, B)", f"{a} →")
    else:
        target = wording.titled("x", result.titles) if "x" in result.titles else "the target"
        name_ends(ax, "", f"mean cosine with {target}", "")
    return ax


def draw_sets(
    ax: Axes | None,
    values: Mapping[str, Mapping[str, float]],
    titles: Mapping[str, str],
    *,
    row: float,
    size: float,
    digits: int,
    sided: bool,
    **texts: Any,
) -> Axes:
    """Two sets of words one below the other, each sorted by value, under its name and its mean."""
    groups = {key: sorted(some.items(), key=lambda one: -one[1]) for key, some in values.items()}
    labels = {key: [fitted(word, _LONGEST_WORD, size) for word, _ in some] for key, some in groups.items()}
    count = sum(map(len, groups.values()))
    left = MARGIN + 0.1 + max(widest([text], fits) for some in labels.values() for text, fits in some)
    frame = Frame(width=WIDE, body=(count + 3.4) * row, left=left, right=0.2, below=0.5, **texts)
    ax = frame.axes(ax)
    ax.set_ylim(count + 2.9, -0.5)
    bare(ax, grid="x")
    top = 0.0
    for key, some in groups.items():
        mean = sum(value for _, value in some) / len(some)
        heading = f"{wording.titled(key, titles)}: mean {wording.number(mean, digits)}"
        line, fits = fitted(heading, axes_width(ax), BODY, weight="bold")
        spot: dict[str, Any] = {"coords": SIDE, "bbox": {"color": "white", "pad": 0.5}}
        write(ax, line, (0, top), size=fits, weight="bold", zorder=1, **spot)
        _draw_group(ax, [value for _, value in some], labels[key], top + 1, mean, sided=sided)
        top += len(some) + 1.7
    return ax


def _draw_group(
    ax: Axes, values: list[float], labels: list[tuple[str, float]], top: float, mean: float, *, sided: bool
) -> None:
    """One set: a dot per word, red or blue by the side of zero it is on, and lines at zero and the mean."""
    rows = [top + i for i in range(len(values))]
    ends = (rows[0] - 0.5, rows[-1] + 0.5)
    ax.vlines(mean, *ends, color=INK, linewidth=1.4, zorder=3)
    if sided:
        ax.vlines(0, *ends, color=RULE, linewidth=0.8, zorder=1)
        ax.hlines(rows, 0, values, color=RULE, linewidth=0.7, zorder=2)
    for value, (text, size), y in zip(values, labels, rows, strict=True):
        on_b = sided and value < 0
        marker, across = ("D", 3.4) if on_b else ("o", 4.0)
        color = BLUE if on_b else RED if sided else INK
        ax.plot([value], [y], marker=marker, markersize=across, color=color, zorder=4)
        write(ax, text, (0, y), (-0.06, 0), coords=SIDE, size=size, ha="right")


@figure(ScWeatResult)
def ranking(result: ScWeatResult, *, n: int = 20, alpha: float = ALPHA, ax: Axes | None = None) -> Axes:
    """Draw the words that are closest to A and those that are closest to B, with their effect sizes.

    A filled dot and a star mark words whose p-value for other attribute words is below ``alpha``, in the tail
    the result records.

    Parameters
    ----------
    n
        The most words on either side.
    alpha
        Level of significance.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> ax = cr.plots.ranking(cr.sc_weat(emb, design.x, design.a, design.b))
    """
    whole("n", n, least=1)
    order = np.argsort(-result.effect_size, kind="stable")
    to_a = [int(i) for i in order if result.effect_size[i] >= 0][:n]
    to_b = [int(i) for i in order if result.effect_size[i] < 0][-n:]
    between = len(result.words) - len(to_a) - len(to_b)
    shown: list[int | None] = [*to_a, *([None] if between else []), *to_b]
    furthest = max(abs(float(result.effect_size[i])) for i in (*to_a, *to_b)) or 1.0
    a, b = (wording.titled(key, result.titles) for key in "ab")
    untested = {"greater": b, "less": a}.get(result.alternative, "")
    plain_a, plain_b = (result.titles.get(key, key.upper()) for key in "ab")
    frame = Frame(
        width=_WIDTH,
        body=(len(shown) + 0.6) * _RANKING_ROW,
        title=f"Words closest to {plain_a} and to {plain_b}, of {len(result.words):,}",
        subtitle="\n".join(
            wrapped(f"{name}: {', '.join(words)}", _WIDTH - 2 * MARGIN, BODY, lines=1)
            for name, words in zip((a, b), result.attributes, strict=True)
        ),
        below=0.48,
        note=wording.sentence(
            f"● * p < {wording.level(alpha)} ({wording.tail(result.alternative)}, for other attribute "
            "words); ○ not",
            f"this test cannot single out words closer to {untested}" if untested else "",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    ax.set(xlim=(-1.42 * furthest, 1.42 * furthest), ylim=(len(shown) - 0.2, -0.8))
    bare(ax)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=3)
    room = axes_width(ax) / 2 - 0.1
    for y, i in enumerate(shown):
        if i is None:
            look: dict[str, Any] = {"bbox": {"color": "white", "pad": 1}, "zorder": 4, "color": GREY}
            said = f"… {between:,} words between …"
            write(ax, said, (0, y), coords="data", size=SMALL, ha="center", **look)
        else:
            starred = bool(result.crossed.pvalue[i] < alpha)
            _draw_word(ax, result.words[i], float(result.effect_size[i]), y, room, starred=starred)
    name_ends(ax, f"← {b}", "effect size d", f"{a} →")
    return ax


def _draw_word(ax: Axes, word: str, d: float, y: int, room: float, *, starred: bool) -> None:
    """A dot on a stem; the word across the zero line, the number beyond the dot."""
    side, color, to_word, to_number = (1, RED, "right", "left") if d >= 0 else (-1, BLUE, "left", "right")
    ax.hlines(y, 0, d, color=color, linewidth=1.1, zorder=2)
    draw_mark(ax, d, y, "o", 4.2, color, filled=starred)
    line, size = fitted(word, room, SMALL + 0.5)
    write(ax, line, (0, y), (-0.06 * side, 0), coords="data", size=size, ha=to_word)
    text = wording.number(d) + (" *" if starred else "")
    write(ax, text, (d, y), (0.06 * side, 0), coords="data", size=SMALL, ha=to_number)


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
