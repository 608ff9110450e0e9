"""How often a language model prefers the sentence that stereotypes more, by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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


class _Row(NamedTuple):
    """One category as it is drawn."""

    name: str
    share: float
    ends: tuple[float, float] | None
    adjusted: P | None


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
    >>> ax = cr.plots.sentence_plot(cr.sentence_pairs(scores))
    """
    rows = _rows(result)
    names = [fitted(row.name, _LONGEST, SMALL) for row in rows]
    columns = [["share", *(percent(row.share) for row in rows)]]
    if result.categories:
        columns.append([wording.ADJUSTED, *(wording.probability(row.adjusted) for row in rows)])
    beside = Rows(labels=[[(*name, "normal")] for name in names], columns=columns)
    overall = result.overall
    p = p_equals(P(overall.pvalue), "figure")
    frame = beside.frame(
        width=WIDE,
        body=len(rows) * _ROW + 0.1,
        title=f"{result._label}: preferred sentences",
        subtitle=f"{percent(rows[0].share)} of all, {p}: what items share drawn together",
        above=0.3,
        below=0.5,
        note=_note(result),
    )
    ax = row_axes(frame, ax, len(rows), zero=0.5, edge=0.1)
    for y, row in enumerate(rows):
        text, size = names[y]
        write(ax, text, (0, y), (-0.1, 0), coords=SIDE, size=size, ha="right")
        _draw(ax, y, row, overall.pvalue)
    beside.write_columns(ax)
    ax.set_xlim(-0.02, 1.02)
    name_ends(ax, "← stereotypes less", "share preferred", "stereotypes more →")
    return ax


def _rows(result: SentencePairsResult | SentenceTriplesResult) -> list[_Row]:
    found = []
    for part in result._members():
        value, *ends = (getattr(part.of, key) for key in result._main)
        whole = 2 * result._middle  # of shares 1, of scores in per cent 100
        low, high = (None if end is None else end / whole for end in ends)
        interval = None if low is None or high is None else (low, high)
        found.append(_Row(part.category, value / whole, interval, part.p))
    return found


def _draw(ax: Axes, y: int, row: _Row, overall: float) -> None:
    kept = (overall if row.adjusted is None else row.adjusted.value) < 0.05
    if row.ends is not None:
        ax.plot(row.ends, [y, y], color=INK if kept else GREY, linewidth=1.2, zorder=2)
    draw_mark(ax, row.share, y, "o", 5, RED, filled=kept, linestyle="none")


def _note(result: SentencePairsResult | SentenceTriplesResult) -> str:
    return wording.sentence(
        f"filled: p < .05, categories {wording.FILLED}",
        f"intervals: {percent(result.level)}, clusters drawn",
        *result.flaws,
        wording.model(result),
    )
