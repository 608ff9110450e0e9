"""The traits on which paired identities score furthest beyond both components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError
from crossroads.measures.pairs.emergent import EmergentResult
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, write
from crossroads.plots.frame.lettering import fitted, widest
from crossroads.plots.frame.style import (
    BLUE,
    BODY,
    GREY,
    INK,
    RED,
    RULE,
    SMALL,
    WIDE,
    at_least_one,
    bare,
    figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.165
_LONGEST, _TRAIT = 1.75, 0.95
_SIDE = ("axes fraction", "data")
_NULLS = {
    "pooled": "p from the deviations of all pairs and traits, with a fitted tail",
}
_FITS = {
    "identities": "deviations from what each identity contributes to all its pairs",
    "scores": "deviations from a linear function of the components' scores",
}


@figure(EmergentResult)
def emergent_traits(result: EmergentResult, *, n: int = 15, ax: Axes | None = None) -> Axes:
    """Draw the largest increases above both components, and below both, from the nearer one to the pair.

    An upright tick is the score of the nearer component and a dot that of the pair; a filled dot and a star
    mark associations within the false-discovery rate.

    Parameters
    ----------
    result
        Emergent traits.
    n
        Largest number of associations on each side.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores = cr.traits.TraitScores.from_table(
    ...     {
    ...         "blind": {"cold-warm": 0.1, "poor-wealthy": -0.3},
    ...         "woman": {"cold-warm": 0.3, "poor-wealthy": -0.1},
    ...         "blind woman": {"cold-warm": 0.9, "poor-wealthy": -0.2},
    ...     }
    ... )
    >>> found = cr.pairs.emergent(scores, {"blind woman": ("blind", "woman")}, on="traits", null="none")
    >>> ax = cr.plots.emergent_traits(found)
    """
    at_least_one("n", n)
    sides = [result.top(n, direction="above"), result.top(n, direction="below")]
    rows: list[dict[str, Any] | None] = [*sides[0], *([None] if all(sides) else []), *sides[1]]
    if not rows:
        raise InputError("no pair scores beyond both its components.", hint="there is nothing to draw.")
    shown = [row for row in rows if row is not None]
    names = {id(row): fitted(str(row["pair"]), _LONGEST, SMALL + 0.5) for row in shown}
    traits = {id(row): fitted(str(row["trait"]), _TRAIT, SMALL + 0.5) for row in shown}
    second = max(widest([text], size) for text, size in traits.values())
    first = max(widest([text], size) for text, size in names.values())
    columns = _columns(rows)
    widths = [0.14 + widest(column, SMALL) for column in columns]
    frame = Frame(
        width=WIDE,
        body=(len(rows) + 0.4) * _ROW,
        left=MARGIN + first + second + 0.22,
        right=MARGIN + sum(widths),
        title="Traits of paired identities beyond both components",
        subtitle=_subtitle(result, sides),
        above=0.24,
        below=0.48,
        note=_note(result),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(len(rows) - 0.3, -0.7)
    values = [float(row[key]) for row in shown for key in ("score", "component_score")]
    margin = 0.05 * ((max(values) - min(values)) or 1.0)
    ax.set_xlim(min(values) - margin, max(values) + margin)
    for y, row in enumerate(rows):
        if row is not None:
            _draw_row(ax, row, y)
            text, size = traits[id(row)]
            write(ax, text, (0, y), (-0.07, 0), coords=_SIDE, size=size, ha="right")
            text, size = names[id(row)]
            write(ax, text, (0, y), (-0.17 - second, 0), coords=_SIDE, size=size, ha="right")
    _write_columns(ax, columns, widths)
    scale = f"score ({result.conventions.get('scores', 'given')})"
    ax.set_xlabel(scale, fontsize=BODY, color=INK, labelpad=3)
    return ax


def _draw_row(ax: Axes, row: dict[str, Any], y: int) -> None:
    """A stem from the nearer component to the pair."""
    color = RED if row["direction"] == "above" else BLUE
    start, end = row["component_score"], row["score"]
    ax.hlines(y, start, end, color=color, linewidth=1.1, zorder=2)
    ax.plot([start], [y], marker="|", markersize=6, color=GREY, markeredgewidth=1.2, zorder=3)
    face = color if row["emergent"] else "white"
    ax.plot([end], [y], marker="o", markersize=4.2, color=color, markerfacecolor=face, zorder=4)


def _columns(rows: list[dict[str, Any] | None]) -> list[list[str]]:
    """The increases, and q-values where there are any, each under its heading."""
    steps, qs = ["increase"], ["q"]
    for row in rows:
        if row is None:
            steps.append("")
            qs.append("")
            continue
        sign = 1 if row["direction"] == "above" else -1
        steps.append(wording.number(sign * row["increase"], 3, sign=True))
        if row["qvalue"] is not None:
            qs.append(wording.probability(row["qvalue"]) + (" *" if row["emergent"] else ""))
    return [steps, qs] if any(qs[1:]) else [steps]


def _write_columns(ax: Axes, columns: list[list[str]], widths: list[float]) -> None:
    right = 0.0
    for column, room in zip(columns, widths, strict=True):
        right += room
        write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
        for y, text in enumerate(column[1:]):
            write(ax, text, (1, y), (right, 0), coords=_SIDE, size=SMALL, ha="right")
    if "" in columns[0]:
        ax.axhline(columns[0].index("") - 1, color=RULE, linewidth=0.8, zorder=1)


def _subtitle(result: EmergentResult, sides: list[list[dict[str, Any]]]) -> str:
    found, rate = int(result.emergent.sum()), wording.level(result.fdr)
    tested = f"; {found:,} at a false-discovery rate of {rate}" if result.qvalue.size else ""
    return (
        f"the furthest {len(sides[0])} above and {len(sides[1])} below, of {result.increase.size:,} "
        f"among {len(result.pairs):,} pairs and {len(result.traits):,} traits{tested}"
    )


def _note(result: EmergentResult) -> str:
    null, fit = result.conventions.get("null", ""), result.conventions.get("fit", "")
    key = "| the nearer component, ○ the pair"
    marked = f"● * q ≤ {wording.level(result.fdr)}" if result.qvalue.size else "no null distribution was used"
    tested = (_NULLS.get(null, ""), _FITS.get(fit, "")) if result.qvalue.size else ()
    return wording.sentence(key, marked, *tested, wording.model(result))
