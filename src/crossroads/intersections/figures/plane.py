"""The plane that two constituents of an intersectional group span, with the words in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.errors import InputError, in_short, join_words, one_of
from crossroads.core.figures import wording
from crossroads.core.figures.layout import Frame, axes_height, axes_width, name_ends, write
from crossroads.core.figures.lettering import fitted, width, wrapped
from crossroads.core.figures.placing import Page, Place
from crossroads.core.figures.style import BODY, GREY, INK, RULE, SMALL, TEAL, WIDE, bare, figure
from crossroads.core.inference.geometry import Floats
from crossroads.core.wording import phrases
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.wefat import WefatResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _RIGHT = 0.72, 0.12
_SIDE = WIDE - _LEFT - _RIGHT
_LONGEST = 1.3
_DOT = "#A8A8A8"
_GAP = 0.045
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
    >>> import numpy as np
    >>> import crossroads as cr
    >>> rng = np.random.default_rng(1)
    >>> groups = {
    ...     ("Black", "female"): ["Aisha", "Ebony"],
    ...     ("Black", "male"): ["Darnell", "Tyrone"],
    ...     ("White", "female"): ["Amy", "Katie"],
    ...     ("White", "male"): ["Brad", "Frank"],
    ... }
    >>> words = ["strong", "loud", "kind", "proud"]
    >>> names = [name for members in groups.values() for name in members]
    >>> emb = cr.Embeddings([*names, *words], rng.normal(size=(12, 9)))
    >>> ax = cr.plots.crossed_axes(cr.wefat(emb, groups, words, ("Black", "female")))
    """
    across, up = _contrasts(result, x, y)
    if label < 0:
        raise InputError(f"label is {in_short(label)}.", hint="use 0 or more.")
    rows = [result.constituent_names.index(name) for name in (across, up)]
    points = np.asarray(result.constituent_scores[rows].T)
    order = _importance(result, detection, points)
    if detection is not None and detection.at_chance:
        order = []
    dark = order if detection is not None else order[:label]
    truth = set(detection.truth if detection is not None else ())
    true = {i for i, word in enumerate(result.words) if word in truth}
    limit = 1.09 * float(np.abs(points).max()) or 1.0
    size = (_SIDE, _SIDE) if ax is None else (axes_width(ax), axes_height(ax))
    labelled = _Labelled(result, points, order[:label], dark, true, size, limit, _corners(across, up, size))
    frame = Frame(
        width=WIDE,
        body=_SIDE,
        left=_LEFT,
        right=_RIGHT,
        title=f"{result.target}: words in the plane of its constituents",
        subtitle=_subtitle(result, detection),
        below=0.5,
        note=_note(result, detection, len(labelled.places), min(label, len(order)), len(order)),
    )
    ax = frame.axes(ax)
    bare(ax, left=True)
    ax.set(xlim=(-limit, limit), ylim=(-limit, limit))
    ax.axhline(0, color=RULE, linewidth=0.8, zorder=1)
    ax.axvline(0, color=RULE, linewidth=0.8, zorder=1)
    _draw_words(ax, points, dark, sorted(true))
    labelled.draw(ax)
    middle = wrapped(across, _MIDDLE * size[0], BODY, lines=1)
    name_ends(ax, f"← {_sides(across)[1]}", middle, f"{_sides(across)[0]} →")
    _name_side(ax, up, size[1])
    return ax


def _sides(contrast: str) -> tuple[str, str]:
    """The two groups that a contrast compares."""
    value, _, other = contrast.partition(" vs ")
    return value, other or f"not {value}"


def _contrasts(result: WefatResult, x: str | None, y: str | None) -> tuple[str, str]:
    """Names of the two contrasts: as asked, else the first of another category each."""
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


def _importance(result: WefatResult, detection: DetectionResult | None, points: Floats) -> list[int]:
    """The words that may be labelled, most important first: those detected, else all."""
    if detection is None:
        return [int(i) for i in np.argsort(-np.hypot(*points.T), kind="stable")]
    at = {word: i for i, word in enumerate(result.words)}
    strange = [word for word in (*detection.words, *detection.truth) if word not in at]
    if strange:
        raise InputError(
            f"the detection is of other words, such as {join_words(map(in_short, strange), most=3)}.",
            hint="give the scores that the words were detected in.",
        )
    return [at[word] for word in detection.words]


def _corners(across: str, up: str, size: tuple[float, float]) -> list[tuple[str, float, int, int]]:
    """Labels of the four quadrants: text, size, and the signs of the corner."""
    room = size[0] / 2 - 0.2
    return [
        (
            *fitted(f"{_sides(up)[vertical < 0]} and {_sides(across)[side < 0]}", room, SMALL, weight="bold"),
            side,
            vertical,
        )
        for vertical in (1, -1)
        for side in (-1, 1)
    ]


class _Labelled:
    """Labels that found a place, and captions of the quadrants."""

    def __init__(
        self,
        result: WefatResult,
        points: Floats,
        wanted: list[int],
        dark: list[int],
        true: set[int],
        size: tuple[float, float],
        limit: float,
        corners: list[tuple[str, float, int, int]],
    ) -> None:
        self.size, self.corners = size, corners
        self.places: list[tuple[str, float, Place]] = []
        inches = (points / limit + 1) / 2 * np.array(size)
        page = Page(*size)
        for text, fits, side, vertical in corners:
            wide = width(text, fits, "bold") + 0.12
            centre = (
                (0.0 if side < 0 else size[0]) - side * wide / 2,
                size[1] * (vertical > 0) - vertical * 0.09,
            )
            page.bar(centre, wide, 0.18)
        for i in wanted:
            page.bar((float(inches[i, 0]), float(inches[i, 1])), 0.05, 0.05)
        for i in true:
            page.bar((float(inches[i, 0]), float(inches[i, 1])), 0.1, 0.1)
        middle, line = np.array(size) / 2, np.linspace(0, 1, 120)[:, None]
        page.avoid(
            np.vstack([middle * (1, 0) + line * (0, size[1]), middle * (0, 1) + line * (size[0], 0)]), 0.3
        )
        page.avoid(inches[:: max(1, len(inches) // _MANY)])
        page.avoid(inches[dark[:_MANY]], 2.0)
        for i in wanted:
            text, fits = fitted(result.words[i], _LONGEST, SMALL)
            anchor = (float(inches[i, 0]), float(inches[i, 1]))
            gap = _GAP + 0.02 * (i in true)
            place = page.put([anchor], width(text, fits) + 0.03, fits * 1.05 / 72 + 0.01, gap=gap)
            if place is not None:
                self.places.append((text, fits, place))

    def draw(self, ax: Axes) -> None:
        """Write captions and labels."""
        wide, tall = self.size
        for text, fits, side, vertical in self.corners:
            at, offset = ((side > 0) * 1.0, (vertical > 0) * 1.0), (-0.04 * side, -0.04 * vertical)
            ha, va = "left" if side < 0 else "right", "top" if vertical > 0 else "bottom"
            write(ax, text, at, offset, size=fits, weight="bold", color=GREY, ha=ha, va=va, zorder=5)
        for text, fits, place in self.places:
            if place.leader is not None:
                (x0, y0), (x1, y1) = place.leader
                ends: dict[str, Any] = {"transform": ax.transAxes, "color": GREY, "linewidth": 0.45}
                ax.plot([x0 / wide, x1 / wide], [y0 / tall, y1 / tall], zorder=2, **ends)
            at = (place.centre[0] / wide, place.centre[1] / tall)
            write(ax, text, at, size=fits, ha="center", zorder=6)


def _draw_words(ax: Axes, points: Floats, dark: list[int], true: list[int]) -> None:
    chosen = set(dark)
    light = [i for i in range(len(points)) if i not in chosen]
    look: dict[str, Any] = {"linestyle": "none", "marker": "o", "markeredgewidth": 0}
    ax.plot(*points[light].T, color=_DOT, markersize=2.6, zorder=2, rasterized=len(light) > _MANY, **look)
    ax.plot(*points[dark].T, color=INK, markersize=4.0, zorder=4, rasterized=len(dark) > _MANY, **look)
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
    chance = f"{phrases.AT_CHANCE.capitalize()}: " if detection.at_chance else ""
    return (
        f"{chance}{detection.kind.upper()} detects {len(detection.words):,} of {len(result.words):,} words "
        f"at a threshold of {wording.number(detection.threshold)} ({detection.threshold_rule})"
    )


def _note(result: WefatResult, detection: DetectionResult | None, shown: int, asked: int, of: int) -> str:
    kind = "words" if detection is None else "detected words"
    rest = asked - shown
    return wording.sentence(
        "" if detection is None or detection.at_chance else "dark: detected; grey: not",
        f"ringed: {phrases.LISTED}" if detection is not None and detection.truth else "",
        "axes: WEFAT scores of the constituent groups; a word is detected by its scores with the "
        "intersectional groups"
        if detection is not None
        else "axes: WEFAT scores of the constituent groups",
        phrases.NONE_LISTED
        if detection is not None and detection.at_chance
        else f"{shown:,} of {of:,} {kind} labelled" + (f" ({rest:,} found no room)" if rest else ""),
        wording.model(result),
    )
