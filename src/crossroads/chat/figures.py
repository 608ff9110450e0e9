"""Figures of tests of chat models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.chat.result import ChatResult
from crossroads.core.errors import InputError
from crossroads.core.figures import wording
from crossroads.core.figures.layout import name_ends
from crossroads.core.figures.style import SMALL, figure
from crossroads.core.wording.numbers import p_equals, percent
from crossroads.words.figures.associations import draw_sets

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@figure(ChatResult)
def chat_plot(result: ChatResult, *, ax: Axes | None = None) -> Axes:
    """Draw the share of answers that gave each word to a label of X, and the means of A and B.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.Design(name="age", x=["young"], y=["old"], a=["joy", "peace"], b=["agony", "evil"])
    >>> answers = ["joy - young; peace - old; agony - old; evil - old"] * 3
    >>> ax = cr.plots.chat_plot(cr.chat_test(answers, design))
    """
    if not result.words:
        raise InputError(
            f"there is nothing to draw: {result._unread}.",
            hint="ask the model in other words, or another one.",
        )
    titles = dict(result.titles)
    values = {key: {w: result.words[w] for w in result.sets[key] if w in result.words} for key in "ab"}
    score = "no score" if result.score is None else f"score {wording.number(result.score)}"
    p, agree = None if result.crossed is None else result.crossed.pvalue, wording.agree(result.crossed)
    ax = draw_sets(
        ax,
        values,
        titles,
        row=0.155,
        size=SMALL,
        digits=2,
        sided=False,
        title=f"{result._label}: labels of the words",
        subtitle=score if p is None else f"{agree}{score}, {p_equals(p)}: {result._drawn} resampled",
        note=wording.sentence(
            "vertical lines: means of the two sets",
            wording.AGREE,
            f"refused: {percent(result._refusal_rate)}, unread: {percent(result._unparsed_rate)}",
            wording.model(result),
        ),
    )
    ax.set_xlim(-0.04, 1.04)
    x, y = (wording.titled(key, titles) for key in "xy")
    name_ends(ax, f"← {y}", "share of answers", f"{x} →")
    return ax
