"""The words that lean most to either attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crossroads.measures.association.patterns import ALPHA
from crossroads.measures.association.sc_weat import ScWeatResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_width, name_ends, write
from crossroads.plots.frame.lettering import fitted, wrapped
from crossroads.plots.frame.style import BLUE, BODY, COLUMN, GREY, INK, RED, SMALL, at_least_one, bare, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.155
_WIDTH = COLUMN + 0.7


@figure(ScWeatResult)
def ranking(result: ScWeatResult, *, n: int = 20, alpha: float = ALPHA, ax: Axes | None = None) -> Axes:
    """Draw the words that lean most to A and those that lean most to B, with their effect sizes.

    A filled dot and a star mark words whose p-value for other attribute words is below ``alpha``, in the tail
    the result records.

    Parameters
    ----------
    result
        An SC-WEAT.
    n
        The most words on either side.
    alpha
        Level of significance.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> ax = cr.plots.ranking(cr.sc_weat(emb, design.x, design.a, design.b))
    """
    at_least_one("n", n)
    order = np.argsort(-result.effect_size, kind="stable")
    to_a = [int(i) for i in order if result.effect_size[i] >= 0][:n]
    to_b = [int(i) for i in order if result.effect_size[i] < 0][-n:]
    between = len(result.words) - len(to_a) - len(to_b)
    shown: list[int | None] = [*to_a, *([None] if between else []), *to_b]
    furthest = max(abs(float(result.effect_size[i])) for i in (*to_a, *to_b)) or 1.0
    frame = Frame(
        width=_WIDTH,
        body=(len(shown) + 0.6) * _ROW,
        left=MARGIN,
        right=MARGIN,
        title=_title(result),
        subtitle=_attributes(result),
        below=0.48,
        note=_note(result, alpha),
    )
    ax = frame.axes(ax)
    ax.set(xlim=(-1.42 * furthest, 1.42 * furthest), ylim=(len(shown) - 0.2, -0.8))
    bare(ax)
    ax.axvline(0, color=INK, linewidth=0.8, zorder=3)
    room = axes_width(ax) / 2 - 0.1
    for y, i in enumerate(shown):
        if i is None:
            write(
                ax,
                f"… {between:,} words between …",
                (0, y),
                coords="data",
                size=SMALL,
                color=GREY,
                ha="center",
                va="center",
                bbox={"color": "white", "pad": 1},
                zorder=4,
            )
        else:
            _draw_word(ax, result, i, y, room, starred=_starred(result, i, alpha))
    a, b = (wording.titled(key, result.titles) for key in "ab")
    name_ends(ax, f"← {b}", "effect size d", f"{a} →")
    return ax


def _starred(result: ScWeatResult, i: int, alpha: float) -> bool:
    return bool(result.crossed_pvalue[i] < alpha)


def _draw_word(ax: Axes, result: ScWeatResult, i: int, y: int, room: float, *, starred: bool) -> None:
    """A dot on a stem; the word across the zero line, the number beyond the dot."""
    d = float(result.effect_size[i])
    side = 1 if d >= 0 else -1
    color = RED if side > 0 else BLUE
    ax.hlines(y, 0, d, color=color, linewidth=1.1, zorder=2)
    ax.plot(
        [d],
        [y],
        marker="o",
        markersize=4.2,
        color=color,
        zorder=4,
        markerfacecolor=color if starred else "white",
        markeredgewidth=1.0,
    )
    places: dict[str, Any] = {"coords": "data", "va": "center"}
    word, size = fitted(result.words[i], room, SMALL + 0.5)
    write(ax, word, (0, y), (-0.06 * side, 0), size=size, ha="right" if side > 0 else "left", **places)
    text = wording.number(d) + (" *" if starred else "")
    write(ax, text, (d, y), (0.06 * side, 0), size=SMALL, ha="left" if side > 0 else "right", **places)


def _title(result: ScWeatResult) -> str:
    """What the figure shows; with the names of the attributes where they have any."""
    a, b = (result.titles.get(key, key.upper()) for key in "ab")
    return f"Words that lean most to {a} and to {b}, of {len(result.words):,}"


def _attributes(result: ScWeatResult) -> str:
    """The two attributes, each on a line or two."""
    return "\n".join(
        wrapped(
            f"{wording.titled(key, result.titles)}: {', '.join(words)}", _WIDTH - 2 * MARGIN, BODY, lines=1
        )
        for key, words in zip("ab", result.attributes, strict=True)
    )


def _note(result: ScWeatResult, alpha: float) -> str:
    tail = wording.tail(result.alternative)
    asked = f"● * p < {wording.level(alpha)} ({tail}, for other attribute words); ○ not"
    side = {"greater": "b", "less": "a"}.get(result.alternative, "")
    untested = wording.titled(side, result.titles)
    doubt = f"this test cannot single out words that lean to {untested}" if untested else ""
    return wording.sentence(asked, doubt, wording.model(result))
