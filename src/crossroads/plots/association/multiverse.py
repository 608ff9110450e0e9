"""The effect size under every combination of choices: the specification curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.measures.association.multiverse import MultiverseResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import BODY, GREY, INK, PAGE, RED, SMALL, bare, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CURVE, _ROW = 1.6, 0.15
_LONGEST = 1.6


@figure(MultiverseResult)
def specification_curve(result: MultiverseResult, *, ax: Axes | None = None) -> Axes:
    """Draw the effect size of every specification in order, and below it which choices make each.

    Parameters
    ----------
    result
        One test in every way.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.specification_curve(cr.multiverse(emb, design))
    """
    ordered = sorted(result.specifications, key=lambda one: one.effect_size)
    kinds = {
        kind: list(dict.fromkeys(one.choices[kind] for one in result.specifications))
        for kind in result.specifications[0].choices
    }
    rows = [(kind, value) for kind, values in kinds.items() if len(values) > 1 for value in values]
    labels = [fitted(f"{kind}: {value}", _LONGEST, SMALL) for kind, value in rows]
    low, high = ordered[0].effect_size, ordered[-1].effect_size
    room = max(high, 0.0) - min(low, 0.0) or 1.0
    step = room * _ROW / _CURVE  # a row of choices, in units of d
    bottom = min(low, 0.0) - 1.5 * step
    frame = Frame(
        width=PAGE,
        body=_CURVE * 1.15 + (len(rows) + 1) * _ROW,
        left=MARGIN + max([0.5, *(widest([text], size) for text, size in labels)]) + 0.12,
        right=MARGIN,
        title=f"{result.design}: {len(ordered)} ways to ask",
        subtitle=f"{wording.percent(result.agreement)} give the answer of the first",
        below=0.48,
        note=wording.sentence(
            f"red: p < {wording.level(result.level)}, for other words for the same things; grey: not",
            "square: the first specification; below: the choices of each",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    bare(ax, grid="y", left=True)
    ax.spines["left"].set_visible(False)
    ax.axhline(0, color=INK, linewidth=0.8, zorder=1)
    for x, one in enumerate(ordered):
        color = RED if one.pvalue < result.level else GREY
        mark = "s" if one is result.specifications[0] else "o"
        ax.plot([x], [one.effect_size], marker=mark, markersize=4.2, color=color, zorder=3)
        for k, (kind, value) in enumerate(rows):
            if one.choices[kind] == value:
                ax.plot([x], [bottom - k * step], marker="|", markersize=5, color=color, zorder=2)
    for k, (text, size) in enumerate(labels):
        write(
            ax,
            text,
            (0, bottom - k * step),
            (-0.08, 0),
            coords=("axes fraction", "data"),
            size=size,
            ha="right",
        )
    ax.set_ylim(bottom - (len(rows) - 0.3) * step, max(high, 0.0) + step)
    ax.set_xlim(-1, len(ordered))
    ax.set_xticks([])
    ends = min(low, 0.0), max(high, 0.0)
    ax.set_yticks([tick for tick in ax.get_yticks() if ends[0] - step < tick < ends[1] + step])
    ax.set_ylabel("effect size d", fontsize=BODY, color=INK, loc="top")
    return ax
