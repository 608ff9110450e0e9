"""Groups × traits in colour, with the numbers: a model's scores, or people's means."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import one_of
from crossroads.measures.traits.alignment_result import AlignmentResult
from crossroads.measures.traits.files import Scores, TraitEnds, TraitTable, trait_ends, trait_table
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_height, axes_width, write
from crossroads.plots.frame.lettering import alike, fitted, widest
from crossroads.plots.frame.style import BODY, GREY, INK, LEAST, PAGE, SMALL, figure, matplotlib
from crossroads.results import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Side = Literal["model", "human"]
Order = Literal["profile", "given", "name"]
_ROW = 0.17
_LONGEST = 1.6
_LONGEST_TRAIT = 1.0
_ABSENT = "#F2F2F2"


@figure(Scores, TraitTable, AlignmentResult)
def trait_heatmap(
    scores: Scores | TraitTable | AlignmentResult,
    *,
    side: Side = "model",
    order: Order = "profile",
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of all groups on all pairs of traits.

    Red leans to the adjective above a column, blue to the one below it, and white is the middle: zero for a
    model, 50 for people. Empty cells have no score. Where standard errors are known, a score that is at most
    two of them away from zero is set in italics on white: its leaning may be chance.

    Parameters
    ----------
    scores
        Scores of groups on traits, or an alignment.
    side
        Of an alignment: ``"model"`` or ``"human"``.
    order
        Of the groups: ``"profile"`` sorts similar profiles together, along the direction in
        which profiles differ most; ``"given"``; or ``"name"``.
    ax
        Axes to draw on; a new figure if not given.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores = cr.traits.TraitScores.from_table(
    ...     {
    ...         "nurses": {"cold-warm": 0.8, "powerless-powerful": -0.1, "poor-wealthy": 0.1},
    ...         "bankers": {"cold-warm": -0.5, "powerless-powerful": 0.4, "poor-wealthy": 0.9},
    ...     }
    ... )
    >>> ax = cr.plots.trait_heatmap(scores)
    """
    one_of("side", side, Side)
    one_of("order", order, Order)
    table, middle = _table(scores, side)
    pairs = sorted(enumerate(trait_ends(table.traits)), key=lambda one: _place(one[1]))
    columns = [i for i, _ in pairs]
    rows = _row_order(table, middle, order)
    values = table.scores[np.ix_(rows, columns)]
    ends = [pair for _, pair in pairs]
    names, size = alike([table.groups[i] for i in rows], _LONGEST, BODY, lines=1)
    rights, lefts = ([fitted(getattr(e, s), _LONGEST_TRAIT, SMALL) for e in ends] for s in ("right", "left"))
    deep = [max((widest([text], at) for text, at in labels), default=0.0) for labels in (rights, lefts)]
    brackets = 0.2 if any(end.scale for end in ends) else 0.0
    frame = Frame(
        width=min(PAGE, 2 * MARGIN + widest(names, size) + 0.1 + 0.55 * len(ends) + 0.3),
        body=max(1, len(rows)) * _ROW,
        left=MARGIN + widest(names, size) + 0.08,
        title=_title(table, side),
        above=deep[0] + brackets + 0.12,
        below=deep[1] + 0.14,
        note=_note(scores, middle, order),
    )
    ax = frame.axes(ax)
    _draw_cells(ax, values, middle, _weak(scores, table)[np.ix_(rows, columns)])
    for y, name in enumerate(names):
        write(ax, name, (0, y), (-0.06, 0), coords=("axes fraction", "data"), size=size, ha="right")
    _draw_ends(ax, rights, lefts)
    _draw_scales(ax, ends, deep[0] + 0.1)
    return ax


def _table(scores: Scores | TraitTable | AlignmentResult, side: str) -> tuple[TraitTable, float]:
    if isinstance(scores, AlignmentResult):
        cells = scores.model_scores if side == "model" else scores.human_scores
        found = trait_table(cells, own_traits=True)
        name = scores.measure if side == "model" else "people"
        table = TraitTable(measure=name, groups=found.groups, traits=found.traits, scores=found.scores)
        return table, 0.0 if side == "model" else 50.0
    return trait_table(scores, own_traits=True), 0.0


def _weak(scores: object, table: TraitTable) -> NDArray[np.bool_]:
    """Scores whose interval, two standard errors to either side, holds zero; none without errors."""
    errors = getattr(scores, "se", None)
    if errors is None or np.shape(errors) != table.scores.shape:
        return np.zeros(table.scores.shape, dtype=bool)
    return np.asarray(np.abs(table.scores) <= 2 * np.asarray(errors))


def _place(pair: TraitEnds) -> tuple[int, str]:
    """Traits of one scale together: scales in the order of their names, unscaled traits last."""
    return (1, "") if not pair.scale else (0, pair.scale)


def _row_order(table: TraitTable, middle: float, order: str) -> list[int]:
    """Groups in order; along the first principal axis of their profiles, the highest mean first."""
    count = len(table.groups)
    if order == "name":
        return sorted(range(count), key=lambda i: table.groups[i].casefold())
    if order == "given" or count < 3:
        return list(range(count))
    filled = np.where(np.isnan(table.scores), middle, table.scores)
    axis = np.linalg.svd(filled - filled.mean(axis=0), full_matrices=False)[0][:, 0]
    if np.dot(axis, filled.mean(axis=1)) < 0:
        axis = -axis
    return [int(i) for i in np.argsort(-axis, kind="stable")]


@cache
def diverging() -> Any:
    """Blue over white to red."""
    colors = matplotlib("colors")
    made = colors.LinearSegmentedColormap.from_list(
        "crossroads diverging", ["#2166AC", "#92C5DE", "#FFFFFF", "#F4A582", "#B2182B"]
    )
    return made.with_extremes(bad=_ABSENT)


def _draw_cells(ax: Axes, values: Floats, middle: float, weak: NDArray[np.bool_]) -> None:
    away = np.abs(values - middle)
    known = away[~np.isnan(away)]
    limit = float(known.max()) if known.size and known.max() > 0 else 1.0
    ax.axis("off")
    ax.imshow(
        np.where(weak, middle, values),
        cmap=diverging(),
        vmin=middle - limit,
        vmax=middle + limit,
        interpolation="nearest",
        aspect="auto",
    )
    ax.set_xticks([])
    ax.set_yticks([])
    for cut in np.arange(values.shape[1] + 1) - 0.5:
        ax.axvline(cut, color="white", linewidth=0.8)
    for cut in np.arange(values.shape[0] + 1) - 0.5:
        ax.axhline(cut, color="white", linewidth=0.8)
    digits = 0 if middle else (2 if limit < 10 else 1)
    room = axes_width(ax) / max(1, values.shape[1]) - 0.03
    texts = [[("" if np.isnan(v) else wording.number(float(v), digits)) for v in row] for row in values]
    size = min((fitted(text, room, SMALL)[1] for row in texts for text in row if text), default=LEAST)
    for (y, x), v in np.ndenumerate(values):
        if not np.isnan(v):
            strong = "white" if abs(v - middle) > 0.72 * limit else INK
            look: dict[str, Any] = {"color": GREY, "style": "italic"} if weak[y, x] else {"color": strong}
            write(ax, texts[y][x], (x, y), coords="data", size=size, ha="center", **look)


def _draw_ends(ax: Axes, rights: list[tuple[str, float]], lefts: list[tuple[str, float]]) -> None:
    """The right adjective above each column, the left one below."""
    coords = ("data", "axes fraction")
    for x, ((right, over), (left, under)) in enumerate(zip(rights, lefts, strict=True)):
        write(ax, right, (x, 1), (0, 0.05), coords=coords, size=over, rotation=90, ha="center", va="bottom")
        write(ax, left, (x, 0), (0, -0.05), coords=coords, size=under, rotation=90, ha="center", va="top")


def _draw_scales(ax: Axes, ends: list[TraitEnds], out: float) -> None:
    """Name the scales over their columns, with a line over each."""
    tall, across = axes_height(ax), axes_width(ax) / max(1, len(ends))
    start = 0
    for scale, members in groupby(ends, key=lambda end: end.scale):
        count = len(list(members))
        if scale:
            edges = [(start + 0.08) / len(ends), (start + count - 0.08) / len(ends)]
            ax.plot(edges, [1 + out / tall] * 2, transform=ax.transAxes, color=INK, lw=0.9, clip_on=False)
            line, size = fitted(scale, count * across - 0.04, SMALL, weight="bold")
            middle = (start + count / 2) / len(ends)
            write(ax, line, (middle, 1), (0, out + 0.03), size=size, weight="bold", ha="center", va="bottom")
        start += count


def _title(table: TraitTable, side: str) -> str:
    if side == "human":
        return "Groups on pairs of traits, as people see them"
    return f"Groups on pairs of traits: {table.measure}"


def _note(scores: object, middle: float, order: str) -> str:
    return wording.sentence(
        "red leans to the adjective above, blue to the one below",
        "people's means from 0 (below) to 100 (above)" if middle else "scores of the model; 0 is neither",
        "in italics: at most two standard errors from 0" if getattr(scores, "se", None) is not None else "",
        "groups with similar profiles are neighbours" if order == "profile" else "",
        wording.model(scores) if isinstance(scores, Result) and not middle else "",
    )
