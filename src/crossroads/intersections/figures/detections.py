"""Intersectional detections: ROC curves, and the words that a group is associated with."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.core.errors import InputError, in_short, join_words
from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_height, axes_width, write
from crossroads.core.figures.lettering import LEADING, fitted, widest, width
from crossroads.core.figures.placing import Page, Place
from crossroads.core.figures.rows import SIDE, Rows, row_axes
from crossroads.core.figures.style import (
    BLUE,
    BODY,
    BROWN,
    COLUMN,
    GREY,
    INK,
    RED,
    RULE,
    SMALL,
    TEAL,
    at_least_one,
    bare,
    figure,
)
from crossroads.core.figures.style import matplotlib as mpl
from crossroads.core.inference.geometry import Floats
from crossroads.core.wording import phrases
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.discovery import DiscoveryResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROC_WIDTH = COLUMN + 0.9
_LEFT, _RIGHT = 0.5, 0.12
_ROC_SIDE = _ROC_WIDTH - _LEFT - _RIGHT
_EDGE = 0.035  # white around the unit square, in shares
_ROC_ROW, _FIRST = 0.15, 0.5
_ROC_LONGEST = 1.25
_ARROWS = (0.2, 0.5, 0.8)
_LOOKS: tuple[dict[str, Any], ...] = (
    {"color": INK, "linestyle": "-", "marker": "o"},
    {"color": BROWN, "linestyle": (0, (5, 1.5)), "marker": "s"},
    {"color": TEAL, "linestyle": (0, (5, 1.2, 1, 1.2)), "marker": "^"},
    {"color": BLUE, "linestyle": (0, (1.2, 1)), "marker": "v"},
    {"color": RED, "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "P"},
    {"color": GREY, "linestyle": "-", "marker": "X"},
)


@figure(Mapping, inside=DetectionResult)
def roc(
    results: Mapping[str, DetectionResult],
    *,
    published: Mapping[str, tuple[float, float]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the rates of detections over all thresholds, and the point of the threshold that was used.

    Each path starts at the highest threshold. That of EIBD need not rise: words leave as well as enter
    while the threshold falls. A table below sets each accuracy beside its baseline.

    Parameters
    ----------
    results
        Detections with known truth by name, six at most.
    published
        Points to compare with by name: false-positive rate and true-positive rate. A point with the name of
        a detection has its colour.

    Examples
    --------
    >>> import crossroads as cr
    >>> pairs = {
    ...     "BF / BM": {"strong": 0.9, "loud": 0.2, "kind": -0.4},
    ...     "BF / WF": {"strong": 0.1, "loud": 0.8, "kind": -0.3},
    ... }
    >>> ax = cr.plots.roc({"BF": cr.ibd(pairs, threshold="youden", truth=["strong"])})
    """
    published = published or {}
    _check(results, published)
    own = ax is None
    table = _table(results)
    labels = _labels(results, published)
    frame = Frame(
        width=_ROC_WIDTH,
        body=_ROC_SIDE,
        left=_LEFT,
        right=_RIGHT,
        title=f"{phrases.LISTED.capitalize()}, found over all thresholds",
        below=_FIRST + len(table) * _ROC_ROW + 0.08,
        note=_roc_note(results, published),
    )
    ax = frame.axes(ax)
    bare(ax, left=True)
    ax.set(xlim=(-_EDGE, 1 + _EDGE), ylim=(-_EDGE, 1 + _EDGE))
    ax.plot([0, 1], [0, 1], color=RULE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    for look, result in zip(_LOOKS, results.values(), strict=False):
        _draw_path(ax, result, look)
        _draw_chosen(ax, result, look)
    colours = _colours(results)
    for name, (fpr, tpr) in published.items():
        look = {"color": colours.get(name, INK), "markerfacecolor": "white", "markeredgewidth": 1.1}
        ax.plot([fpr], [tpr], marker="D", markersize=5, zorder=7, linestyle="none", **look)
    _write_labels(ax, labels, results, published)
    ax.set_xlabel("other words found (false-positive rate)", fontsize=BODY, color=INK, labelpad=3)
    ax.set_ylabel("listed words found (true-positive rate)", fontsize=BODY, color=INK, labelpad=3)
    _write_table(ax, table, _LEFT - MARGIN if own else 0.0)
    return ax


def _check(results: Mapping[str, DetectionResult], published: Mapping[str, tuple[float, float]]) -> None:
    if not 1 <= len(results) <= len(_LOOKS):
        raise InputError(
            f"{len(results)} detections were given.",
            hint=f"give 1 to {len(_LOOKS)}; more paths cannot be distinguished.",
        )
    blind = [repr(name) for name, result in results.items() if not result.curve]
    if blind:
        raise InputError(
            f"the truth of {join_words(blind)} is not known, so there are no rates to draw.",
            hint="detect with truth=[...].",
        )
    for name, point in published.items():
        if not all(0 <= rate <= 1 for rate in point):
            raise InputError(
                f"the published point {in_short(name)} is {in_short(point)}.",
                hint="give its false-positive rate and its true-positive rate, both from 0 to 1.",
            )


def _colours(results: Mapping[str, DetectionResult]) -> dict[str, str]:
    return {name: look["color"] for name, look in zip(results, _LOOKS, strict=False)}


def _path(result: DetectionResult) -> Floats:
    """Rates from the highest threshold down, one row per threshold."""
    return np.column_stack([result.curve["fpr"], result.curve["tpr"]])


def _draw_path(ax: Axes, result: DetectionResult, look: Mapping[str, Any]) -> None:
    path = _path(result)
    ax.plot(*path.T, color=look["color"], linestyle=look["linestyle"], linewidth=1.2, zorder=3)
    if result.kind != "eibd":
        return
    along = _dense(path, 0.01)
    arrow: dict[str, Any] = {
        "arrowstyle": "-|>",
        "color": look["color"],
        "linewidth": 0,
        "mutation_scale": 10,
    }
    for share in _ARROWS:
        i = round(share * (len(along) - 1))
        if i + 2 < len(along):
            ax.annotate(
                "", along[i + 2], along[i], arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0}, zorder=3
            )


def _draw_chosen(ax: Axes, result: DetectionResult, look: Mapping[str, Any]) -> None:
    """The point of the threshold, and a cross of the exact intervals of both rates."""
    fpr, tpr = result.intervals["fpr"], result.intervals["tpr"]
    bar: dict[str, Any] = {"color": look["color"], "linewidth": 0.7, "zorder": 4, "markersize": 4}
    ax.plot([fpr.low, fpr.high], [tpr.value, tpr.value], marker="|", **bar)
    ax.plot([fpr.value, fpr.value], [tpr.low, tpr.high], marker="_", **bar)
    ax.plot([fpr.value], [tpr.value], marker=look["marker"], color=look["color"], markersize=6, zorder=6)


def _labels(
    results: Mapping[str, DetectionResult], published: Mapping[str, tuple[float, float]]
) -> dict[tuple[str, str], list[tuple[str, float, str]]]:
    """Labels of each path and each published point: lines with their size and weight."""
    labels: dict[tuple[str, str], list[tuple[str, float, str]]] = {}
    for name in published:
        labels["point", name] = [(*fitted(f"{name}, published", _ROC_LONGEST, SMALL), "normal")]
    for name, result in results.items():
        area = wording.number(result.auc or 0.0)
        if result.auc_interval is not None:
            area += f" ({' to '.join(wording.number(end) for end in result.auc_interval)})"
        heading = (*fitted(name, _ROC_LONGEST, BODY, weight="bold"), "bold")
        chance = [(phrases.AT_CHANCE, SMALL, "normal")] if result.at_chance else []
        labels["path", name] = [heading, (f"AUC {area}", SMALL, "normal"), *chance]
    return labels


def _write_labels(
    ax: Axes,
    labels: Mapping[tuple[str, str], list[tuple[str, float, str]]],
    results: Mapping[str, DetectionResult],
    published: Mapping[str, tuple[float, float]],
) -> None:
    """Set every label beside what it names, off the lines where there is room."""
    size = np.array([axes_width(ax), axes_height(ax)])

    def inches(points: Any) -> Floats:
        return np.asarray((np.asarray(points, dtype=np.float64) + _EDGE) / (1 + 2 * _EDGE) * size)

    page = Page(*size)
    paths = {name: inches(_path(result)) for name, result in results.items()}
    page.avoid(_dense(inches([(0, 0), (1, 1)])), 0.8)
    for name, result in results.items():
        fpr, tpr = result.intervals["fpr"], result.intervals["tpr"]
        page.avoid(_dense(paths[name]), 4.0)
        for ends in (
            [(fpr.low, tpr.value), (fpr.high, tpr.value)],
            [(fpr.value, tpr.low), (fpr.value, tpr.high)],
        ):
            page.avoid(_dense(inches(ends)), 3.0)
        page.bar(_pair(inches((fpr.value, tpr.value))), 0.09, 0.09)
    for point in published.values():
        page.bar(_pair(inches(point)), 0.1, 0.1)
    colours = _colours(results)
    for (kind, name), lines in labels.items():
        wide = max(width(text, fits, weight) for text, fits, weight in lines) + 0.05
        tall = sum(fits * LEADING for _, fits, _ in lines) / 72 + 0.02
        if kind == "point":
            anchors, gap = [_pair(inches(published[name]))], 0.07
        else:
            anchors, gap = [_pair(p) for p in _dense(paths[name], 0.12)], 0.05
        place = page.put(anchors, wide, tall, gap=gap) or Place(anchors[0], None)
        _write_label(ax, lines, place, size, wide, tall, colours.get(name, INK))


def _write_label(
    ax: Axes,
    lines: list[tuple[str, float, str]],
    place: Place,
    size: Floats,
    wide: float,
    tall: float,
    color: str,
) -> None:
    if place.leader is not None:
        ends = np.array(place.leader) / size
        ax.plot(*ends.T, transform=ax.transAxes, color=color, linewidth=0.45, zorder=2)
    halo = [mpl("patheffects").withStroke(linewidth=2, foreground="white")]
    top = place.centre[1] + tall / 2 - 0.01
    left = place.centre[0] - wide / 2 + 0.025
    for text, fits, weight in lines:
        at = (left / size[0], top / size[1])
        write(ax, text, at, size=fits, weight=weight, color=color, va="top", zorder=8, path_effects=halo)
        top -= fits * LEADING / 72


def _pair(point: Floats) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _dense(path: Floats, step: float = 0.04) -> Floats:
    """Points along a line of several pieces, about as far apart as asked for, in inches."""
    found = [path[:1]]
    for one, two in itertools.pairwise(path):
        pieces = int(np.ceil(np.hypot(*(two - one)) / step))
        if pieces:
            found.append(one + (two - one) * (np.arange(1, pieces + 1) / pieces)[:, None])
    return np.concatenate(found)


def _table(results: Mapping[str, DetectionResult]) -> list[list[str]]:
    """Accuracies beside what takes no detection: a heading and a row per detection."""
    rows = [["", "threshold", "listed", "others", "accuracy", "baseline", "left out"]]
    for name, result in results.items():
        tpr, fpr = result.intervals["tpr"], result.intervals["fpr"]
        honest = result.honest_accuracy
        rows.append(
            [
                name,
                f"{wording.number(result.threshold)}, {result.threshold_rule}",
                f"{tpr.hits}/{tpr.cases}",
                f"{fpr.hits}/{fpr.cases}",
                *(
                    "–" if share is None else wording.percent(share, 1)
                    for share in (result.accuracy, result.baseline, honest)
                ),
            ]
        )
    return rows


def _write_table(ax: Axes, rows: list[list[str]], indent: float) -> None:
    key, room = 0.14, _ROC_WIDTH - 2 * MARGIN
    columns = [list(column) for column in zip(*rows, strict=True)]
    widths = [0.15 + widest(column, SMALL) for column in columns[1:]]
    names = [fitted(name, min(_ROC_LONGEST, room - key - sum(widths)), SMALL) for name in columns[0]]
    start = key - indent + max(width(text, size) for text, size in names)
    ends = [start + end for end in itertools.accumulate(widths)]
    shift = mpl("transforms").ScaledTranslation
    for i, row in enumerate(rows):
        down = -_FIRST - (i + 0.5) * _ROC_ROW
        write(ax, names[i][0], (0, 0), (key - indent, down), size=names[i][1])
        for text, end in zip(row[1:], ends, strict=True):
            write(ax, text, (0, 0), (end, down), size=SMALL, ha="right", color=INK if i else GREY)
        if i:
            look = _LOOKS[i - 1]
            place = ax.transAxes + shift(0.05 - indent, down, ax.figure.dpi_scale_trans)
            sample: dict[str, Any] = {"marker": look["marker"], "color": look["color"], "markersize": 4.5}
            ax.plot([0], [0], transform=place, clip_on=False, linestyle="none", **sample)


def _roc_note(results: Mapping[str, DetectionResult], published: Mapping[str, tuple[float, float]]) -> str:
    levels = {result.conventions.get("level") for result in results.values()}
    level = next(iter(levels))
    share = f"{100 * level:g} % " if len(levels) == 1 and level is not None else ""
    honest = any(result.honest_accuracy is not None for result in results.values())
    return wording.sentence(
        f"filled: the threshold used, with exact {share}intervals of both rates",
        "AUC with its bootstrap interval",
        "◇ published" if published else "",
        "dashed: chance",
        "arrows: the threshold falls; EIBD paths need not rise, and their AUC is that of a score, "
        "not the area below the path"
        if any(result.kind == "eibd" for result in results.values())
        else "",
        "listed, others: words found, of how many",
        "baseline, to read accuracy by: that of detecting nothing or everything, whichever is better",
        "left out: accuracy with the threshold for each word chosen without it" if honest else "",
    )


_WORDS_ROW = 0.165
_WORDS_WIDTH = COLUMN + 0.7
_WORDS_LONGEST = 1.4
_SCORES = {
    "ibd": "largest score over all pairs",
    "eibd": "largest pair score less what the constituents explain",
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
    >>> ax = cr.plots.discoveries(cr.discover(emb, groups, ("Black", "female"), fdr=0.9, permutations=20))
    """
    rows = result._rows()[: at_least_one("n", n)]
    if not rows:
        raise InputError(
            f"no word reached a false-discovery rate of {result.fdr:g}.",
            hint="discover with a larger fdr, or with more names a group.",
        )
    labels = [fitted(str(row["word"]), _WORDS_LONGEST, SMALL + 0.5) for row in rows]
    columns = [
        ["score", *(wording.number(row["score"], 3) for row in rows)],
        ["q", *(wording.probability(row["qvalue"]) for row in rows)],
    ]
    beside = Rows(labels=[[(*label, "normal")] for label in labels], columns=columns, gaps=(0.1, 0.14))
    frame = beside.frame(
        width=_WORDS_WIDTH,
        body=(len(rows) + 0.4) * _WORDS_ROW,
        title=f"Words associated with {result.target}",
        subtitle=_subtitle(result, len(rows)),
        above=0.24,
        below=0.48,
        note=_words_note(result),
    )
    ax = row_axes(frame, ax, len(rows), zero=None, edge=0.2)
    scores = [float(row["score"]) for row in rows]
    for y, (score, (text, size)) in enumerate(zip(scores, labels, strict=True)):
        ax.hlines(y, 0, score, color=RULE, linewidth=1.1, zorder=2)
        write(ax, text, (0, y), (-0.07, 0), coords=SIDE, size=size, ha="right")
    ax.plot(scores, range(len(rows)), linestyle="none", marker="o", markersize=4.2, color=INK, zorder=3)
    low, high = min(0.0, *scores), max(0.0, *scores)
    ax.set_xlim(low - 0.04 * (high - low) * (low < 0), high + 0.04 * (high - low))
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1, clip_on=False)
    beside.write_columns(ax)
    ax.set_xlabel("score", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _subtitle(result: DiscoveryResult, shown: int) -> str:
    found = len(result.words)
    strongest = "" if shown == found else f"the {shown:,} strongest of "
    return (
        f"{strongest}{found:,} discoveries among {result.candidates:,} words "
        f"({result.kind.upper()}, false-discovery rate {wording.level(result.fdr)})"
    )


def _words_note(result: DiscoveryResult) -> str:
    return wording.sentence(
        f"score: {_SCORES[result.kind]}",
        "q: expected share of false discoveries among the word and all stronger ones, "
        f"from {result.permutations:,} random assignments of the names to groups"
        + (", beyond the middle of all candidates" if result.z.size else ""),
        wording.model(result),
    )
