"""How often a language model prefers the sentence that stereotypes more, by category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from crossroads.measures.sentences.pairs import SentencePairsResult
from crossroads.measures.sentences.triples import SentenceTriplesResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, name_ends, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import GREY, INK, RED, SMALL, WIDE, bare, figure
from crossroads.wording.numbers import P, p_equals, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 1.6
_ROW = 0.2
_SIDE = ("axes fraction", "data")


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

    Parameters
    ----------
    result
        Preferences between sentences.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import crossroads as cr
    >>> from crossroads.evidence.sentences import ScoredItem, SentenceScores
    >>> from crossroads.stimuli.files.sentences import SentenceItem
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
    widths = [0.14 + widest(column, SMALL) for column in columns]
    overall = result.overall
    p = p_equals(P(overall.pvalue), "figure")
    frame = Frame(
        width=WIDE,
        body=len(rows) * _ROW + 0.1,
        left=MARGIN + 0.12 + max(widest([text], size) for text, size in names),
        right=MARGIN + sum(widths),
        title=f"{result.label}: preferred sentences",
        subtitle=f"{percent(rows[0].share)} of all, {p}: what items share drawn together",
        above=0.3,
        below=0.5,
        note=_note(result),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.axvline(0.5, color=INK, linewidth=0.8, zorder=1)
    for y, row in enumerate(rows):
        text, size = names[y]
        write(ax, text, (0, y), (-0.1, 0), coords=_SIDE, size=size, ha="right")
        _draw(ax, y, row, overall.pvalue)
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")
    ax.set_xlim(-0.02, 1.02)
    name_ends(ax, "← stereotypes less", "share preferred", "stereotypes more →")
    return ax


def _rows(result: SentencePairsResult | SentenceTriplesResult) -> list[_Row]:
    found = []
    if isinstance(result, SentencePairsResult):
        for name, _, pairs, p, _ in result._members():
            found.append(_Row(name, pairs.share, _ends(pairs.low, pairs.high), p))
    else:
        for name, _, triples, p, _ in result._members():
            ends = _ends(triples.ss_low, triples.ss_high, scale=100)
            found.append(_Row(name, triples.ss / 100, ends, p))
    return found


def _ends(low: float | None, high: float | None, scale: float = 1) -> tuple[float, float] | None:
    return None if low is None or high is None else (low / scale, high / scale)


def _draw(ax: Axes, y: int, row: _Row, overall: float) -> None:
    kept = (overall if row.adjusted is None else row.adjusted.value) < 0.05
    if row.ends is not None:
        ax.plot(row.ends, [y, y], color=INK if kept else GREY, linewidth=1.2, zorder=2)
    style: dict[str, Any] = {"marker": "o", "markersize": 5, "markeredgewidth": 1.1, "zorder": 3}
    ax.plot([row.share], [y], color=RED, markerfacecolor=RED if kept else "white", linestyle="none", **style)


def _note(result: SentencePairsResult | SentenceTriplesResult) -> str:
    return wording.sentence(
        f"filled: p < .05, categories {wording.FILLED}",
        f"intervals: {percent(result.level)}, clusters drawn",
        *result.flaws,
        wording.model(result),
    )
