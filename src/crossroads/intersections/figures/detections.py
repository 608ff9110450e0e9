"""The words of intersectional groups: those detected, those discovered, and the plane of constituents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.errors import InputError, in_short, join_words, one_of
from crossroads.core.figures import wording
from crossroads.core.figures.layout import Frame, axes_height, axes_width, name_ends, write
from crossroads.core.figures.lettering import fitted, width, wrapped
from crossroads.core.figures.placing import Page, Place
from crossroads.core.figures.rows import SIDE, Rows, row_axes
from crossroads.core.figures.style import (
    BODY,
    COLUMN,
    GREY,
    INK,
    PAGE,
    RULE,
    SMALL,
    TEAL,
    WIDE,
    bare,
    figure,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import whole
from crossroads.core.wording import phrases
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.discovery import DiscoveryResult
from crossroads.intersections.wefat import WefatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _LINE = 0.56, 0.14
_NAMED = 1.4
_SETS = ((-0.28, TEAL, 4.2), (-0.04, GREY, 3.0))
"""Place, colour and size of the listed words of a detection, and of all other words."""


@figure(Mapping, inside=DetectionResult)
def roc(
    results: Mapping[str, DetectionResult],
    *,
    published: Mapping[str, tuple[float, float]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the words that people listed against all other words by their scores, and the threshold.

    Words that a detection found are filled, and named below, strongest first. The words that EIBD finds are
    those between two scores each, so that no threshold divides them.

    Parameters
    ----------
    results
        Detections with known truth by name.
    published
        Rates of published detections by name: false-positive rate and true-positive rate.

    Examples
    --------
    >>> import crossroads as cr
    >>> pairs = {
    ...     "BF / BM": {"strong": 0.9, "loud": 0.2, "kind": -0.4},
    ...     "BF / WF": {"strong": 0.1, "loud": 0.8, "kind": -0.3},
    ... }
    >>> ax = cr.plots.roc({"BF": cr.ibd(pairs, threshold="youden", truth=["strong"])})
    """
    if not results:
        raise InputError("there is no detection to draw.", hint="give at least one.")
    if blind := [repr(name) for name, result in results.items() if not result.truth]:
        raise InputError(
            f"the truth of {join_words(blind)} is not known, so there are no listed words to draw.",
            hint="detect with truth=[...].",
        )
    labels = [
        [(*fitted(name, _NAMED, BODY, weight="bold"), "bold"), (_area(result), SMALL, "normal")]
        for name, result in results.items()
    ]
    every = list(results.values())
    columns = [["threshold", *(f"{wording.number(one.threshold)} ({one.threshold_rule})" for one in every)]]
    for head, rate in (("listed", "tpr"), ("others", "fpr")):
        shares = [one.intervals[rate] for one in every]
        columns.append([head, *(f"{share.hits}/{share.cases}" for share in shares)])
    layout = Rows(labels=labels, columns=columns, step=_LINE)
    printed = ", ".join(
        f"{name} {wording.percent(tpr)} and {wording.percent(fpr)}"
        for name, (fpr, tpr) in (published or {}).items()
    )
    emergent = "; a word that EIBD finds is above it with the group, and not with all of its parts"
    frame = layout.frame(
        width=PAGE,
        body=len(every) * _ROW,
        title=f"{phrases.LISTED.capitalize()}, and all other words",
        above=0.24,
        below=0.48,
        note=wording.sentence(
            f"above: {phrases.LISTED}; below: all others; filled: found; listed, others: found, of how many",
            f"line: the threshold{emergent if any(one._kind == 'eibd' for one in every) else ''}",
            f"published, of the listed and of the others: {printed}" if printed else "",
            wording.model(every[0]),
        ),
    )
    ax = row_axes(frame, ax, len(every), zero=None)
    for y, result in enumerate(every):
        layout.write_label(ax, y, y)
        _draw_detection(ax, y, result)
    layout.write_columns(ax)
    ax.set_xlabel("score", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _area(result: DetectionResult) -> str:
    low, high = map(wording.number, result.auc_interval or (0.0, 1.0))
    return f"AUC {wording.number(result.auc or 0.0)} ({low} to {high})"


def _draw_detection(ax: Axes, y: int, result: DetectionResult) -> None:
    """Listed words above all others, the threshold, and the words found."""
    listed, found = set(result.truth), set(result.words)
    for (up, color, size), true in zip(_SETS, (True, False), strict=True):
        for filled in (False, True):
            x = [s for w, s in result.scores.items() if ((w in listed), (w in found)) == (true, filled)]
            look: dict[str, Any] = {"color": color, "markerfacecolor": color if filled else "white"}
            ax.plot(x, [y + up] * len(x), linestyle="none", marker="o", markersize=size, zorder=3, **look)
    if result._kind == "ibd":
        ax.plot([result.threshold] * 2, [y - 0.42, y + 0.12], color=INK, linewidth=1.1, zorder=2)
    text = phrases.AT_CHANCE if result._at_chance else f"found: {', '.join(result.words) or 'no word'}"
    text = wrapped(text, axes_width(ax), SMALL, lines=1)
    write(ax, text, (0, y + 0.3), coords=SIDE, size=SMALL, color=GREY)


_WORDS_ROW = 0.165
_WORDS_WIDTH = COLUMN + 0.7
_SCORES = {
    "ibd": "largest score over all pairs",
    "eibd": "largest pair score minus what the constituents explain",
}


@figure(DiscoveryResult)
def discoveries(result: DiscoveryResult, *, n: int = 25, ax: Axes | None = None) -> Axes:
    """Draw the words that a group is most associated with, with their scores and q-values.

    Parameters
    ----------
    n
        The most words shown.

    Examples
    --------
    >>> import crossroads as cr
    >>> groups, words = cr.catalog("ceat-groups"), cr.catalog("ceat-validation").all_words
    >>> emb, options = cr.load("default"), {"words": words, "missing": "drop", "fdr": 0.9, "draws": 20}
    >>> ax = cr.plots.discoveries(cr.discover(emb, groups, "AF", **options))
    """
    found = len(result.words)
    rows = result._rows()[: whole("n", n, least=1)]
    if not rows:
        raise InputError(
            f"no word reached a false-discovery rate of {result.fdr:g}.",
            hint="discover with a larger fdr, or with more names per group.",
        )
    scores = [float(row["score"]) for row in rows]
    labels = [fitted(str(row["word"]), _NAMED, SMALL + 0.5) for row in rows]
    columns = [
        ["score", *(wording.number(score, 3) for score in scores)],
        ["q", *(wording.probability(row["qvalue"]) for row in rows)],
    ]
    layout = Rows(labels=[[(*label, "normal")] for label in labels], columns=columns, gaps=(0.1, 0.14))
    strongest = "" if len(rows) == found else f"the {len(rows):,} strongest of "
    frame = layout.frame(
        width=_WORDS_WIDTH,
        body=(len(rows) + 0.4) * _WORDS_ROW,
        title=f"Words associated with {result.target}",
        subtitle=f"{strongest}{found:,} discoveries among {result.candidates:,} words "
        f"({result._kind.upper()}, false-discovery rate {wording.level(result.fdr)})",
        above=0.24,
        below=0.48,
        note=wording.sentence(
            f"score: {_SCORES[result._kind]}",
            "q: expected share of false discoveries among the word and all stronger ones, "
            f"from {result._permutations:,} random assignments of the names to groups"
            + (", beyond the middle of all candidates" if result.z.size else ""),
            wording.model(result),
        ),
    )
    ax = row_axes(frame, ax, len(rows), zero=None, edge=0.2)
    for y, (score, (text, size)) in enumerate(zip(scores, labels, strict=True)):
        ax.hlines(y, 0, score, color=RULE, linewidth=1.1, zorder=2)
        write(ax, text, (0, y), (-0.07, 0), coords=SIDE, size=size, ha="right")
    ax.plot(scores, range(len(rows)), linestyle="none", marker="o", markersize=4.2, color=INK, zorder=3)
    low, high = min(0.0, *scores), max(0.0, *scores)
    ax.set_xlim(low - 0.04 * (high - low) * (low < 0), high + 0.04 * (high - low))
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1, clip_on=False)
    layout.write_columns(ax)
    ax.set_xlabel("score", fontsize=BODY, color=INK, labelpad=3)
    return ax


_LEFT, _RIGHT = 0.72, 0.12
_SIDE = WIDE - _LEFT - _RIGHT
_DOT = "#A8A8A8"
_MANY = 2000
_MIDDLE = 0.7  # of an axis, the most that the name of its contrast takes


@figure(WefatResult)
def crossed_axes(
    result: WefatResult,
    detection: DetectionResult | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    label: int = 30,
    ax: Axes | None = None,
) -> Axes:
    """Draw the words in the plane of two constituent contrasts, those detected dark and labelled.

    Every word is drawn at its scores with the two contrasts. Labels never overlap: the strongest words are
    labelled first, and the note counts those that found no room. Without a detection the words furthest
    from the middle are labelled.

    Parameters
    ----------
    detection
        Words detected by IBD or EIBD in these scores; words that people listed, where it knows
        them, are ringed.
    x, y
        Names of the contrasts, as in ``result.constituent_names``; the first of the second category and the
        first of the first one if not given.
    label
        The most labels.

    Examples
    --------
    >>> import crossroads as cr
    >>> groups, words = cr.catalog("ceat-groups"), cr.catalog("ceat-validation").all_words
    >>> scores = cr.stats.wefat(cr.load("default"), groups, words, "AF", missing="drop")
    >>> ax = cr.plots.crossed_axes(scores)
    """
    across, up = _contrasts(result, x, y)
    if label < 0:
        raise InputError(f"label is {in_short(label)}.", hint="use 0 or more.")
    rows = [result.constituent_names.index(name) for name in (across, up)]
    points = np.asarray(result.constituent_scores[rows].T)
    ranked = _ranked(result, detection, points)
    dark = ranked if detection is not None else ranked[:label]
    truth = set(detection.truth if detection is not None else ())
    true = [i for i, word in enumerate(result.words) if word in truth]
    limit = 1.09 * float(np.abs(points).max()) or 1.0
    size = (_SIDE, _SIDE) if ax is None else (axes_width(ax), axes_height(ax))
    inches = (points / limit + 1) / 2 * np.array(size)
    corners = _corners(across, up, size)
    labels = _labels(result.words, inches, ranked[:label], dark, true, size, corners)
    frame = Frame(
        width=WIDE,
        body=_SIDE,
        left=_LEFT,
        right=_RIGHT,
        title=f"{result.target}: words in the plane of its constituents",
        subtitle=_subtitle(result, detection),
        below=0.5,
        note=_note(result, detection, len(labels), min(label, len(ranked)), len(ranked)),
    )
    ax = frame.axes(ax)
    bare(ax, left=True)
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit))
    ax.axhline(0, color=RULE, linewidth=0.8, zorder=1)
    ax.axvline(0, color=RULE, linewidth=0.8, zorder=1)
    _draw_words(ax, points, dark, true)
    for text, fits, side, vertical in corners:
        at, offset = ((side > 0) * 1.0, (vertical > 0) * 1.0), (-0.04 * side, -0.04 * vertical)
        ha, va = "left" if side < 0 else "right", "top" if vertical > 0 else "bottom"
        write(ax, text, at, offset, size=fits, weight="bold", color=GREY, ha=ha, va=va, zorder=5)
    for text, fits, place in labels:
        if place.leader is not None:
            ends = (np.array(place.leader) / size).T
            ax.plot(*ends, transform=ax.transAxes, color=GREY, linewidth=0.45, zorder=2)
        at = (place.centre[0] / size[0], place.centre[1] / size[1])
        write(ax, text, at, size=fits, ha="center", zorder=6)
    middle = wrapped(across, _MIDDLE * size[0], BODY, lines=1)
    name_ends(ax, f"← {_sides(across)[1]}", middle, f"{_sides(across)[0]} →")
    _name_side(ax, up, size[1])
    return ax


def _sides(contrast: str) -> tuple[str, str]:
    """The two groups that a contrast compares."""
    value, _, other = contrast.partition(" vs ")
    return value, other or f"not {value}"


def _contrasts(result: WefatResult, x: str | None, y: str | None) -> tuple[str, str]:
    """Names of the two contrasts: those named by the user, else the first of another category each."""
    known = result.constituent_names
    for name in (x, y):
        if name is not None:
            one_of("contrast", name, known)
    if x is not None and x == y:
        raise InputError(f"x and y are both {in_short(x)}.", hint="give two contrasts.")
    taken = {_sides(name)[0] for name in (x, y) if name is not None}
    firsts = {_sides(name)[0]: name for name in reversed(known)}
    free = [firsts[value] for value in dict.fromkeys(_sides(name)[0] for name in known) if value not in taken]
    if len(free) < [x, y].count(None):
        raise InputError(
            f"the contrasts of {result.target!r} are all of one category: {join_words(known)}.",
            hint="name both x and y, or score groups that cross two categories.",
        )
    if y is None:
        y = free.pop(0)
    return (x if x is not None else free[0]), y


def _ranked(result: WefatResult, detection: DetectionResult | None, points: Floats) -> list[int]:
    """The words that may be labelled, most important first: those detected, else all."""
    if detection is None:
        return [int(i) for i in np.argsort(-np.hypot(*points.T), kind="stable")]
    at = {word: i for i, word in enumerate(result.words)}
    if strange := [word for word in (*detection.words, *detection.truth) if word not in at]:
        raise InputError(
            f"the detection is of other words, such as {join_words(map(in_short, strange), most=3)}.",
            hint="give the scores that the words were detected in.",
        )
    return [] if detection._at_chance else [at[word] for word in detection.words]


def _corners(across: str, up: str, size: tuple[float, float]) -> list[tuple[str, float, int, int]]:
    """Labels of the four quadrants: text, size, and the signs of the corner."""
    found = []
    for vertical, side in product((1, -1), (-1, 1)):
        text = f"{_sides(up)[vertical < 0]} and {_sides(across)[side < 0]}"
        found.append((*fitted(text, size[0] / 2 - 0.2, SMALL, weight="bold"), side, vertical))
    return found


def _labels(
    words: Sequence[str],
    inches: Floats,
    wanted: list[int],
    dark: list[int],
    true: list[int],
    size: tuple[float, float],
    corners: list[tuple[str, float, int, int]],
) -> list[tuple[str, float, Place]]:
    """The labels of words that find a place next to the captions of the quadrants: text, size and place."""
    page = Page(*size)
    for text, fits, side, vertical in corners:
        wide = width(text, fits, "bold") + 0.12
        centre = (size[0] * (side > 0) - side * wide / 2, size[1] * (vertical > 0) - vertical * 0.09)
        page.bar(centre, wide, 0.18)
    for chosen, room in ((wanted, 0.05), (true, 0.1)):
        for x, y in inches[chosen].tolist():
            page.bar((x, y), room, room)
    middle, line = np.array(size) / 2, np.linspace(0, 1, 120)[:, None]
    page.avoid(middle * (1, 0) + line * (0, size[1]), 0.3)
    page.avoid(middle * (0, 1) + line * (size[0], 0), 0.3)
    page.avoid(inches[:: max(1, len(inches) // _MANY)])
    page.avoid(inches[dark[:_MANY]], 2.0)
    found = []
    for i in wanted:
        text, fits = fitted(words[i], _NAMED, SMALL)
        gap, anchor = 0.065 if i in true else 0.045, (float(inches[i, 0]), float(inches[i, 1]))
        place = page.put([anchor], width(text, fits) + 0.03, fits * 1.05 / 72 + 0.01, gap=gap)
        if place is not None:
            found.append((text, fits, place))
    return found


def _draw_words(ax: Axes, points: Floats, dark: list[int], true: list[int]) -> None:
    light = np.setdiff1d(np.arange(len(points)), dark)
    for chosen, color, size, over in ((light, _DOT, 2.6, 2), (dark, INK, 4.0, 4)):
        look: dict[str, Any] = {"color": color, "markersize": size, "markeredgewidth": 0, "zorder": over}
        ax.plot(*points[chosen].T, linestyle="none", marker="o", rasterized=len(chosen) > _MANY, **look)
    ring: dict[str, Any] = {"color": TEAL, "markerfacecolor": "none", "markeredgewidth": 0.9}
    ax.plot(*points[true].T, linestyle="none", marker="o", markersize=6.4, zorder=3, **ring)


def _name_side(ax: Axes, up: str, tall: float) -> None:
    """Label the vertical axis with what it measures, and with the meaning of each side."""
    middle = wrapped(up, _MIDDLE * tall, BODY, lines=1)
    room = (tall - width(middle, BODY)) / 2 - 0.12
    place: dict[str, Any] = {"rotation": 90, "ha": "center"}
    value, other = _sides(up)
    for text, y, va in ((f"← {other}", 0.0, "bottom"), (middle, 0.5, "center"), (f"{value} →", 1.0, "top")):
        line, size = (text, BODY) if va == "center" else fitted(text, room, BODY)
        write(ax, line, (0, y), (-0.5, 0), size=size, va=va, **place)


def _subtitle(result: WefatResult, detection: DetectionResult | None) -> str:
    if detection is None:
        return f"{len(result.words):,} words"
    chance = f"{phrases.AT_CHANCE.capitalize()}: " if detection._at_chance else ""
    return (
        f"{chance}{detection._kind.upper()} detects {len(detection.words):,} of {len(result.words):,} words "
        f"at a threshold of {wording.number(detection.threshold)} ({detection.threshold_rule})"
    )


def _note(result: WefatResult, detection: DetectionResult | None, shown: int, wanted: int, of: int) -> str:
    axes = "axes: WEFAT scores of the constituent groups"
    rest = f" ({wanted - shown:,} found no room)" if wanted > shown else ""
    if detection is None:
        return wording.sentence(axes, f"{shown:,} of {of:,} words labelled{rest}", wording.model(result))
    labelled = f"{shown:,} of {of:,} detected words labelled{rest}"
    return wording.sentence(
        "" if detection._at_chance else "dark: detected; grey: not",
        f"ringed: {phrases.LISTED}" if detection.truth else "",
        f"{axes}; a word is detected by its scores with the intersectional groups",
        phrases.NONE_LISTED if detection._at_chance else labelled,
        wording.model(result),
    )
