"""The words of intersectional groups: those detected, those discovered, and the plane of constituents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from crossroads.core.errors import InputError, join_words
from crossroads.core.figures import wording
from crossroads.core.figures.layout import axes_width, write
from crossroads.core.figures.lettering import fitted, wrapped
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
    figure,
)
from crossroads.core.inference.options import whole
from crossroads.core.wording import phrases
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.discovery import DiscoveryResult

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
