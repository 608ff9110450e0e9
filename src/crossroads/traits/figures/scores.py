"""Scores of groups on traits: all in colour, or one group with human judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, join_words, one_of
from crossroads.core.figures import wording
from crossroads.core.figures.layout import MARGIN, Frame, axes_height, axes_width, write
from crossroads.core.figures.lettering import alike, fitted, widest, width
from crossroads.core.figures.rows import draw_key
from crossroads.core.figures.style import (
    BODY,
    GREY,
    INK,
    LEAST,
    PAGE,
    RULE,
    SMALL,
    WIDE,
    bare,
    figure,
    matplotlib,
)
from crossroads.core.results import Result
from crossroads.traits.measures.files import Scores, TraitEnds, trait_ends, trait_table
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.people.alignment_result import AlignmentResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Side = Literal["model", "human"]
Order = Literal["profile", "given", "name"]
_MAP_ROW = 0.17
_MAP_LONGEST = 1.6
_LONGEST_TRAIT = 1.0
_ABSENT = "#F2F2F2"


@figure(Scores, AlignmentResult)
def trait_heatmap(
    scores: Scores | AlignmentResult,
    *,
    side: Side = "model",
    order: Order = "profile",
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of all groups on all pairs of traits.

    Red is closer to the adjective above a column, blue to the one below, and white is the middle: zero for a
    model, 50 for people. Empty cells have no score. A score whose 95 % interval holds zero is set in italics
    on white: its sign may be chance.

    Parameters
    ----------
    scores, side
        Scores of groups on traits, or an alignment, and which side of it: ``"model"`` or ``"human"``.
    order
        Of the groups: ``"profile"`` sorts similar profiles together, along the direction in
        which profiles differ most; ``"given"``; or ``"name"``.

    Examples
    --------
    >>> import crossroads as cr
    >>> scores = cr.traits.TraitScores.from_table({"women": {"cold-warm": 0.4}, "men": {"cold-warm": -0.1}})
    >>> ax = cr.plots.trait_heatmap(scores)
    """
    one_of("side", side, Side)
    one_of("order", order, Order)
    table, middle = _table(scores, side)
    known = trait_ends(table.traits)
    # traits of one scale together: scales in the order of their names, traits without one last
    columns = sorted(range(len(known)), key=lambda i: (not known[i].scale, known[i].scale))
    rows = _row_order(table, middle, order)
    low, high = (np.asarray(getattr(scores, end, None), dtype=np.float64) for end in ("low", "high"))
    weak = np.broadcast_to((low <= 0) & (high >= 0), table.scores.shape)
    values, ends = table.scores[np.ix_(rows, columns)], [known[i] for i in columns]
    names, size = alike([table.groups[i] for i in rows], _MAP_LONGEST, BODY, lines=1)
    rights, lefts = ([fitted(getattr(e, s), _LONGEST_TRAIT, SMALL) for e in ends] for s in ("right", "left"))
    deep = [max((widest([text], at) for text, at in labels), default=0.0) for labels in (rights, lefts)]
    brackets = 0.2 if any(end.scale for end in ends) else 0.0
    frame = Frame(
        width=min(PAGE, 2 * MARGIN + widest(names, size) + 0.1 + 0.55 * len(ends) + 0.3),
        body=max(1, len(rows)) * _MAP_ROW,
        left=MARGIN + widest(names, size) + 0.08,
        title="Groups on pairs of traits"
        + (", as people see them" if side == "human" else f": {table.measure}"),
        above=deep[0] + brackets + 0.12,
        below=deep[1] + 0.14,
        note=wording.sentence(
            "red is closer to the adjective above, blue to the one below",
            "people's means from 0 (below) to 100 (above)" if middle else "scores of the model; 0 is neither",
            "in italics: the 95 % interval holds 0" if low.ndim else "",
            "groups with similar profiles are neighbours" if order == "profile" else "",
            wording.model(scores) if isinstance(scores, Result) and not middle else "",
        ),
    )
    ax = frame.axes(ax)
    _draw_cells(ax, values, middle, weak[np.ix_(rows, columns)])
    for y, name in enumerate(names):
        write(ax, name, (0, y), (-0.06, 0), coords=("axes fraction", "data"), size=size, ha="right")
    coords = ("data", "axes fraction")  # the right adjective above each column, the left one below
    for x, ((right, over), (left, under)) in enumerate(zip(rights, lefts, strict=True)):
        write(ax, right, (x, 1), (0, 0.05), coords=coords, size=over, rotation=90, ha="center", va="bottom")
        write(ax, left, (x, 0), (0, -0.05), coords=coords, size=under, rotation=90, ha="center", va="top")
    _map_draw_scales(ax, ends, deep[0] + 0.1)
    return ax


def _table(scores: Scores | AlignmentResult, side: str) -> tuple[TraitScores, float]:
    if not isinstance(scores, AlignmentResult):
        return trait_table(scores, own_traits=True), 0.0
    if side == "model":
        return replace(trait_table(scores.model_scores, own_traits=True), measure=scores.measure), 0.0
    return replace(trait_table(scores.human_scores, own_traits=True), measure="people"), 50.0


def _row_order(table: TraitScores, middle: float, order: str) -> list[int]:
    """Groups in order; along the first principal axis of their profiles, the highest mean first."""
    count = len(table.groups)
    if order == "name":
        return sorted(range(count), key=lambda i: table.groups[i].casefold())
    if order == "given" or count < 3:
        return list(range(count))
    filled = np.where(np.isnan(table.scores), middle, table.scores)
    axis = np.linalg.svd(filled - filled.mean(axis=0), full_matrices=False)[0][:, 0]
    sign = -1 if np.dot(axis, filled.mean(axis=1)) < 0 else 1
    return [int(i) for i in np.argsort(-sign * axis, kind="stable")]


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
    look: dict[str, Any] = {"cmap": diverging(), "interpolation": "nearest", "aspect": "auto"}
    ax.imshow(np.where(weak, middle, values), vmin=middle - limit, vmax=middle + limit, **look)
    ax.set(xticks=[], yticks=[])
    for draw, count in ((ax.axvline, values.shape[1]), (ax.axhline, values.shape[0])):
        for cut in np.arange(count + 1) - 0.5:
            draw(cut, color="white", linewidth=0.8)
    digits = 0 if middle else (2 if limit < 10 else 1)
    room = axes_width(ax) / max(1, values.shape[1]) - 0.03
    texts = [[("" if np.isnan(v) else wording.number(float(v), digits)) for v in row] for row in values]
    size = min((fitted(text, room, SMALL)[1] for row in texts for text in row if text), default=LEAST)
    for (y, x), v in np.ndenumerate(values):
        if not np.isnan(v):
            strong = "white" if abs(v - middle) > 0.72 * limit else INK
            look = {"color": GREY, "style": "italic"} if weak[y, x] else {"color": strong}
            write(ax, texts[y][x], (x, y), coords="data", size=size, ha="center", **look)


def _map_draw_scales(ax: Axes, ends: list[TraitEnds], out: float) -> None:
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


SCALES = {"Agency": "#762A83", "Beliefs": "#B2182B", "Communion": "#1B7837"}
"""Colours of the scales; each scale is also named next to its rows."""
_MARKERS = ("D", "s", "^", "v", "P", "X")
_PROFILE_ROW = 0.23
_APART = 0.24
"""Distance of the outermost marks of a row from its line, in rows."""
_PROFILE_LONGEST = 1.15


@figure(AlignmentResult, Mapping, inside=AlignmentResult)
def profile(
    result: AlignmentResult | Mapping[str, AlignmentResult], group: str, *, ax: Axes | None = None
) -> Axes:
    """Draw one group on every pair of traits, as people and as models see it.

    Filled circles are human means from 0 to 100. Open marks are a model's scores, on their own scale:
    zero is in the middle, and the largest score of the group, of either sign, at the edge.

    Parameters
    ----------
    result
        An alignment, or several by name of the model or measure; at most six.
    group
        The group, as the alignment names it.

    Examples
    --------
    >>> import crossroads as cr
    >>> people = {"nurses": {"cold-warm": 90.0}, "bankers": {"cold-warm": 20.0}}
    >>> ax = cr.plots.profile(cr.align(people, people, k=1), "nurses")
    """
    results = {result.measure: result} if isinstance(result, AlignmentResult) else dict(result)
    if not 1 <= len(results) <= len(_MARKERS):
        raise InputError(
            f"{len(results)} alignments were given.", hint=f"draw 1 to {len(_MARKERS)} in one figure."
        )
    for one in results.values():
        one_of("group", group, one.by_group)
    first = next(iter(results.values()))
    found = trait_ends(dict.fromkeys(t for one in results.values() for t in one.human_scores[group]))
    scales = [pair.scale for pair in found]
    pairs = sorted(found, key=lambda pair: scales.index(pair.scale))  # those of one scale together
    lefts, size_left = alike([pair.left for pair in pairs], _PROFILE_LONGEST, BODY, lines=1)
    rights, size_right = alike([pair.right for pair in pairs], _PROFILE_LONGEST, BODY, lines=1)
    size = min(size_left, size_right)
    labelled = any(pair.scale for pair in pairs)
    frame = Frame(
        width=WIDE,
        body=len(pairs) * _PROFILE_ROW,
        left=MARGIN + widest(lefts, size) + 0.12 + (0.22 if labelled else 0.0),
        right=MARGIN + widest(rights, size) + 0.12,
        title=group,
        subtitle=_subtitle(results, group),
        above=0.26,
        below=0.34,
        note=wording.sentence(
            "filled circles: mean ratings by people, from 0 to 100",
            "open marks: scores on their own scale, zero in the middle, the largest at the edge",
            "τ: Kendall's τ-b over the traits of this group",
            ""
            if first.ceiling is None
            else "ceiling: τ of the mean of all people with the mean of those asked",
            join_words(list(dict.fromkeys(filter(None, map(wording.model, results.values()))))),
        ),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set(xlim=(-3, 103), ylim=(len(pairs) - 0.5, -0.5))
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.axvline(50, color=INK, linewidth=0.8, zorder=1)
    side = ("axes fraction", "data")
    for y, (left, right) in enumerate(zip(lefts, rights, strict=True)):
        ax.plot([0, 100], [y, y], color=RULE, linewidth=0.6, zorder=0)
        write(ax, left, (0, y), (-0.08, 0), coords=side, size=size, ha="right")
        write(ax, right, (1, y), (0.08, 0), coords=side, size=size, ha="left")
        if y and pairs[y].scale != pairs[y - 1].scale:
            ax.axhline(y - 0.5, color=RULE, linewidth=0.8)
    _draw_marks(ax, pairs, results, group)
    if labelled:
        _profile_draw_scales(ax, pairs, widest(lefts, size) + 0.12)
    _draw_key(ax, list(results))
    return ax


def _draw_marks(
    ax: Axes, pairs: Sequence[TraitEnds], results: Mapping[str, AlignmentResult], group: str
) -> None:
    human = {trait: v for one in results.values() for trait, v in one.human_scores[group].items()}
    for y, pair in enumerate(pairs):
        style: dict[str, Any] = {
            "marker": "o",
            "markersize": 5.5,
            "color": SCALES.get(pair.scale, INK),
            "zorder": 3,
        }
        ax.plot([human[pair.name]], [y - _APART], **style, gid="human")
    for i, (marker, (name, one)) in enumerate(zip(_MARKERS, results.items(), strict=False), start=1):
        row = one.model_scores[group]
        largest = max((abs(v) for v in row.values()), default=0.0)
        style = {"marker": marker, "markersize": 5, "markerfacecolor": "white", "markeredgewidth": 1.1}
        for y, pair in enumerate(pairs):
            if pair.name in row:
                x = 50 + (50 * row[pair.name] / largest if largest else 0.0)
                place = [x], [y - _APART + 2 * _APART * i / len(results)]
                ax.plot(*place, color=SCALES.get(pair.scale, INK), zorder=4, **style, gid=name)


def _profile_draw_scales(ax: Axes, pairs: Sequence[TraitEnds], out: float) -> None:
    """Name each scale next to its rows."""
    rows = [pair.scale for pair in pairs]
    for scale in dict.fromkeys(rows):
        start, count = rows.index(scale), rows.count(scale)
        line, size = fitted(scale, count * _PROFILE_ROW - 0.04, SMALL, weight="bold")
        place: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "center", "weight": "bold"}
        middle = start + (count - 1) / 2
        place |= {"coords": ("axes fraction", "data"), "color": SCALES.get(scale, INK)}
        write(ax, line, (0, middle), (-out - 0.03, 0), size=size, **place)


def _draw_key(ax: Axes, names: list[str]) -> None:
    wide, labels, size = axes_width(ax), ["people", *names], SMALL
    if sum(0.3 + width(label, size) for label in labels) > wide:
        labels, size = alike(labels, wide / len(labels) - 0.3, SMALL, lines=1)
    look: dict[str, Any] = {"linestyle": "none", "markersize": 5, "color": GREY}
    marks = [{**look, "marker": one, "markerfacecolor": "white"} for one in ("o", *_MARKERS[: len(names)])]
    marks[0]["markerfacecolor"] = GREY
    draw_key(ax, [(label, size, mark) for label, mark in zip(labels, marks, strict=True)], 0.13)


def _subtitle(results: Mapping[str, AlignmentResult], group: str) -> str:
    found = {name: one.by_group[group] for name, one in results.items()}
    taus = {f"{name}: τ =": one.kendall_tau for name, one in found.items()}
    taus["ceiling"] = next(iter(found.values())).ceiling
    return "; ".join(f"{what} {wording.number(tau)}" for what, tau in taus.items() if tau is not None)
