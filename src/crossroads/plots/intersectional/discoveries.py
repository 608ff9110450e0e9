"""The words of a vocabulary that a group is associated with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.errors import InputError
from crossroads.measures.intersectional.discovery import DiscoveryResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import BODY, COLUMN, GREY, INK, RULE, SMALL, at_least_one, bare, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.165
_WIDTH = COLUMN + 0.7
_LONGEST = 1.4
_SIDE = ("axes fraction", "data")
_SCORES = {
    "ibd": "largest score over all pairs",
    "eibd": "largest pair score less what the constituents explain",
}


@figure(DiscoveryResult)
def discoveries(result: DiscoveryResult, *, n: int = 25, ax: Axes | None = None) -> Axes:
    """Draw the words that a group is most associated with, with their scores and q-values.

    Parameters
    ----------
    result
        Discoveries in a vocabulary.
    n
        The most words shown.
    ax
        Axes to draw on; a new figure if not given.

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
    rows = result.rows()[: at_least_one("n", n)]
    if not rows:
        raise InputError(
            f"no word reached a false-discovery rate of {result.fdr:g}.",
            hint="discover with a larger fdr, or with more names a group.",
        )
    labels = [fitted(str(row["word"]), _LONGEST, SMALL + 0.5) for row in rows]
    columns = [
        ["score", *(wording.number(row["score"], 3) for row in rows)],
        ["q", *(wording.probability(row["qvalue"]) for row in rows)],
    ]
    widths = [0.14 + widest(column, SMALL) for column in columns]
    frame = Frame(
        width=_WIDTH,
        body=(len(rows) + 0.4) * _ROW,
        left=MARGIN + max(widest([text], size) for text, size in labels) + 0.1,
        right=MARGIN + sum(widths),
        title=f"Words associated with {result.target}",
        subtitle=_subtitle(result, len(rows)),
        above=0.24,
        below=0.48,
        note=_note(result),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(rows) - 0.3, -0.7)
    scores = [float(row["score"]) for row in rows]
    for y, (score, (text, size)) in enumerate(zip(scores, labels, strict=True)):
        ax.hlines(y, 0, score, color=RULE, linewidth=1.1, zorder=2)
        write(ax, text, (0, y), (-0.07, 0), coords=_SIDE, size=size, ha="right")
    ax.plot(scores, range(len(rows)), linestyle="none", marker="o", markersize=4.2, color=INK, zorder=3)
    low, high = min(0.0, *scores), max(0.0, *scores)
    ax.set_xlim(low - 0.04 * (high - low) * (low < 0), high + 0.04 * (high - low))
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1, clip_on=False)
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")
    ax.set_xlabel("score", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _subtitle(result: DiscoveryResult, shown: int) -> str:
    found = len(result.words)
    strongest = "" if shown == found else f"the {shown:,} strongest of "
    return (
        f"{strongest}{found:,} discoveries among {result.candidates:,} words "
        f"({result.kind.upper()}, false-discovery rate {wording.level(result.fdr)})"
    )


def _note(result: DiscoveryResult) -> str:
    return wording.sentence(
        f"score: {_SCORES[result.kind]}",
        "q: expected share of false discoveries among the word and all stronger ones, "
        f"from {result.permutations:,} random assignments of the names to groups"
        + (", beyond the middle of all candidates" if result.z.size else ""),
        wording.model(result),
    )
