"""How often a language model prefers the sentence that stereotypes more, by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crossroads.core.figures import wording
from crossroads.core.figures.layout import name_ends, write
from crossroads.core.figures.lettering import fitted
from crossroads.core.figures.rows import SIDE, Rows, draw_mark, row_axes
from crossroads.core.figures.style import GREY, INK, RED, SMALL, WIDE, figure
from crossroads.core.wording.numbers import P, p_equals, percent
from crossroads.sentences.pairs import SentencePairsResult
from crossroads.sentences.triples import SentenceTriplesResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 1.6
_ROW = 0.2


@figure(SentencePairsResult, SentenceTriplesResult)
def sentence_plot(result: SentencePairsResult | SentenceTriplesResult, *, ax: Axes | None = None) -> Axes:
    """Draw the share of pairs or triples in which the stereotype is preferred, with its interval.

    Marks are filled where a category stays significant after adjustment for the number of categories.

    Examples
    --------
    >>> import crossroads as cr
    >>> from crossroads.sentences.evidence import ScoredItem, SentenceScores
    >>> from crossroads.sentences.material import SentenceItem
    >>> pairs = [
    ...     SentenceItem(sentences=(f"Women {w}.", f"Men {w}."), category="gender") for w in ("cook", "sing")
    ... ]
    >>> items = tuple(ScoredItem(item=one, totals=(-4.0, -5.0), tokens=(2, 2)) for one in pairs)
    >>> scores = SentenceScores(name="mine", kind="pairs", score="pll", items=items)
    >>> ax = cr.plots.sentence_plot(cr.sentence_test(scores))
    """
    parts = list(result._members())
    whole = 2 * result._middle  # of shares 1, of scores in per cent 100
    numbers: list[list[Any]] = [
        [None if (value := getattr(part.of, key)) is None else value / whole for part in parts]
        for key in result._main
    ]
    shares, lows, highs = numbers
    names = [fitted(part.category, _LONGEST, SMALL) for part in parts]
    columns = [["share", *map(percent, shares)]]
    if result.categories:
        columns.append([wording.ADJUSTED, *(wording.probability(part.p) for part in parts)])
    table = Rows(labels=[[(*name, "normal")] for name in names], columns=columns)
    overall = result.overall
    p = p_equals(P(overall.pvalue), "figure")
    frame = table.frame(
        width=WIDE,
        body=len(parts) * _ROW + 0.1,
        title=f"{result._label}: preferred sentences",
        subtitle=f"{percent(shares[0])} of all, {p}: what items share drawn together",
        above=0.3,
        below=0.5,
        note=wording.sentence(
            f"filled: p < .05, categories {wording.FILLED}",
            f"intervals: {percent(result.level)}, clusters drawn",
            *result.flaws,
            wording.model(result),
        ),
    )
    ax = row_axes(frame, ax, len(parts), zero=0.5, edge=0.1)
    for y, (part, (text, size)) in enumerate(zip(parts, names, strict=True)):
        write(ax, text, (0, y), (-0.1, 0), coords=SIDE, size=size, ha="right")
        sure = (overall.pvalue if part.p is None else part.p.value) < 0.05
        if lows[y] is not None:
            ax.plot([lows[y], highs[y]], [y, y], color=INK if sure else GREY, linewidth=1.2, zorder=2)
        draw_mark(ax, shares[y], y, "o", 5, RED, filled=sure, linestyle="none")
    table.write_columns(ax)
    ax.set_xlim(-0.02, 1.02)
    name_ends(ax, "← stereotypes less", "share preferred", "stereotypes more →")
    return ax
