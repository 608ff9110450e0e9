"""A test among placebo tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crossroads.geometry import Floats
from crossroads.measures.association.placebo import PlaceboResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import widest
from crossroads.plots.frame.style import BODY, CELL, INK, RED, RULE, SMALL, WIDE, bare, figure
from crossroads.wording.numbers import P, counted, p_equals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 48
_KINDS = ("dealt", "topics")
_SAID = {"dealt": "attributes dealt", "topics": "attributes are\ntopics too"}


@figure(PlaceboResult)
def placebo_plot(result: PlaceboResult, *, ax: Axes | None = None) -> Axes:
    """Draw how strong placebo tests are, of either kind, and where the test stands among them.

    Parameters
    ----------
    result
        A test among placebos.
    ax
        Where to draw; a figure of its own if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> words = [f"w{i}" for i in range(2000)]
    >>> emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(2000, 20)))
    >>> toy = cr.Design(name="toy", x=words[:8], y=words[8:16], a=words[16:24], b=words[24:32])
    >>> ax = cr.plots.placebo_plot(cr.placebo(emb, toy, draws=200))
    """
    sizes = {"dealt": np.abs(result.statistics), "topics": np.abs(result.topic_statistics)}
    test = abs(result.statistic)
    end = max(1.15 * test, float(np.quantile(np.concatenate(list(sizes.values())), 0.99)))
    names = [line for text in _SAID.values() for line in text.split("\n")]
    frame = Frame(
        width=WIDE,
        body=2.0,
        left=MARGIN + 0.1 + widest(names, SMALL),
        right=0.2,
        title=f"{result.design}: among tests of arbitrary topics",
        subtitle=f"|t| = {wording.number(test)}, {result.among_topics}",
        below=0.46,
        note=_note(result, sizes, end),
    )
    ax = frame.axes(ax)
    bare(ax)
    edges = np.linspace(0, end, _BINS + 1)
    tops = []
    for sign, kind in zip((1, -1), _KINDS, strict=True):
        counts, _ = np.histogram(sizes[kind], bins=edges)
        tops.append(int(counts.max()))
        ax.bar(
            edges[:-1],
            sign * counts / max(tops[-1], 1),  # each kind to its own height: they are as many
            width=np.diff(edges),
            align="edge",
            color=CELL if kind == "dealt" else RULE,
            edgecolor=INK,
            linewidth=0.3,
            zorder=2,
        )
        write(
            ax,
            _SAID[kind],
            (0, 0.5 * sign),
            (-0.08, 0),
            coords=("axes fraction", "data"),
            size=SMALL,
            ha="right",
        )
    ax.axhline(0, color=INK, linewidth=0.8, zorder=3)
    ax.plot([test, test], [-1.05, 1.05], color=RED, linewidth=1.3, zorder=4)
    ax.set_xlim(0, end)
    ax.set_ylim(-1.1, 1.1)
    ax.set_yticks([])
    ax.set_xlabel("strength |t| of a test", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _note(result: PlaceboResult, sizes: dict[str, Floats], end: float) -> str:
    beyond = sum(int((values > end).sum()) for values in sizes.values())
    dealt = wording.percent(result.percentile)
    p = p_equals(P(result.pvalue, "≈"), "figure")
    return wording.sentence(
        f"red: the test, stronger than {dealt} of those with dealt attributes (placebo {p})",
        f"{len(result.statistics):,} placebo tests of either kind, out of {counted(result.pool, 'word')}",
        "targets: the words nearest to a word drawn at random",
        f"beyond the right edge: {beyond:,}" if beyond else "",
        wording.model(result),
    )
