"""How much each word matters to an effect size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.measures.association.stability import InfluenceResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import BODY, COLUMN, GREY, INK, RULE, SMALL, at_least_one, bare, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.17
_WIDTH = COLUMN + 0.7
_LONGEST = 1.3
_SIDE = ("axes fraction", "data")


@figure(InfluenceResult)
def influence_plot(result: InfluenceResult, *, n: int = 15, ax: Axes | None = None) -> Axes:
    """Draw the effect size that is left without each of the most influential words.

    Parameters
    ----------
    result
        The effect size without each stimulus in turn.
    n
        The most words shown.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.influence_plot(cr.stats.influence(emb, design), n=10)
    """
    rows = result.rows()[: at_least_one("n", n)]
    total = sum(len(words) for words in result.without.values())
    labels = [fitted(str(row["word"]), _LONGEST, SMALL + 0.5) for row in rows]
    low, high = (wording.number(end) for end in result.span)
    frame = Frame(
        width=_WIDTH,
        body=(len(rows) + 0.4) * _ROW,
        left=MARGIN + max(widest([text], size) for text, size in labels) + 0.3,
        right=0.5,
        title=f"{result.design}: the effect size without one word",
        subtitle=f"d = {wording.number(result.effect_size)} with all words, {low} to {high} without one",
        below=0.48,
        note=wording.sentence(
            f"the {len(rows)} most influential of {total} words",
            _sets(result),
            "on the right, the change of d",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(rows) - 0.3, -0.7)
    ax.axvline(result.effect_size, color=INK, linewidth=0.8, zorder=1)
    for y, (row, (text, size)) in enumerate(zip(rows, labels, strict=True)):
        d = float(row["without"])
        ax.hlines(y, result.effect_size, d, color=RULE, linewidth=1.1, zorder=2)
        ax.plot([d], [y], marker="o", markersize=4.4, color=INK, zorder=3)
        write(ax, text, (0, y), (-0.22, 0), coords=_SIDE, size=size, ha="right")
        letter = str(row["set"]).upper()
        write(ax, letter, (0, y), (-0.1, 0), coords=_SIDE, size=SMALL, color=GREY, weight="bold", ha="center")
        change = wording.number(float(row["change"]), 3, sign=True)
        write(ax, change, (1, y), (0.42, 0), coords=_SIDE, size=SMALL, ha="right")
    ax.margins(x=0.06)
    ax.set_xlabel("effect size d without the word", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _sets(result: InfluenceResult) -> str:
    """The meaning of the letters before the words."""
    if not result.titles:
        return "X, Y, A, B: the set of the word"
    return ", ".join(f"{key.upper()}: {result.titles[key]}" for key in result.without)
