"""How often a chat model gave each word to a label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError
from crossroads.measures.chat.result import ChatResult
from crossroads.plots.association.associations import draw_group
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_width, name_ends, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import BODY, SMALL, WIDE, bare, figure
from crossroads.wording.numbers import p_equals, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 1.5
_ROW = 0.155


@figure(ChatResult)
def chat_plot(result: ChatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the share of answers that gave each word to a label of X, and the means of A and B.

    Parameters
    ----------
    result
        A test of a chat model.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.Design(name="age", x=["young"], y=["old"], a=["joy", "peace"], b=["agony", "evil"])
    >>> answers = ["joy - young; peace - old; agony - old; evil - old"] * 3
    >>> ax = cr.plots.chat_plot(cr.chat_association(answers, design))
    """
    if not result.words:
        raise InputError(
            f"there is nothing to draw: {result.unread}.",
            hint="ask the model in other words, or another one.",
        )
    titles = dict(result.titles)
    groups = {
        key: sorted(
            ((result.words[w], w) for w in result.sets[key] if w in result.words), key=lambda one: -one[0]
        )
        for key in ("a", "b")
    }
    labels = {key: [fitted(word, _LONGEST, SMALL) for _, word in some] for key, some in groups.items()}
    count = sum(map(len, groups.values()))
    score = "no score" if result.score is None else f"score {wording.number(result.score)}"
    p = None if result.crossed is None else result.crossed.pvalue
    frame = Frame(
        width=WIDE,
        body=(count + 3.4) * _ROW,
        left=MARGIN + 0.1 + max(widest([text], size) for some in labels.values() for text, size in some),
        right=0.2,
        title=f"{result.label}: labels of the words",
        subtitle=score if p is None else f"{score}, {p_equals(p)}: {result.drawn} drawn again",
        below=0.5,
        note=wording.sentence(
            "vertical lines: means of the two sets",
            f"refused: {percent(result.refusal_rate)}, unread: {percent(result.unparsed_rate)}",
            wording.model(result),
        ),
    )
    ax = frame.axes(ax)
    ax.set_ylim(count + 2.9, -0.5)
    bare(ax, grid="x")
    top = 0.0
    for key, some in groups.items():
        mean = sum(value for value, _ in some) / len(some)
        line, size = fitted(
            f"{wording.titled(key, titles)}: mean {wording.number(mean)}", axes_width(ax), BODY, weight="bold"
        )
        spot: dict[str, Any] = {"coords": ("axes fraction", "data"), "bbox": {"color": "white", "pad": 0.5}}
        write(ax, line, (0, top), size=size, weight="bold", zorder=1, **spot)
        draw_group(ax, [value for value, _ in some], labels[key], top + 1, mean, sided=False)
        top += len(some) + 1.7
    ax.set_xlim(-0.04, 1.04)
    x, y = (wording.titled(key, titles) for key in "xy")
    name_ends(ax, f"← {y}", "share of answers", f"{x} →")
    return ax
