"""One group on all pairs of traits: human judgements and scores of models side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError, join_words, one_of
from crossroads.measures.traits.alignment_result import AlignmentResult
from crossroads.measures.traits.files import TraitEnds, trait_ends
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, Frame, axes_height, axes_width, write
from crossroads.plots.frame.lettering import alike, fitted, widest, width
from crossroads.plots.frame.style import BODY, GREY, INK, RULE, SMALL, WIDE, bare, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCALES = {"Agency": "#762A83", "Beliefs": "#B2182B", "Communion": "#1B7837"}
"""Colours of the scales; each scale is also named beside its rows."""
_MARKERS = ("D", "s", "^", "v", "P", "X")
_ROW = 0.23
_APART = 0.24
"""Distance of the outermost marks of a row from its line, in rows."""
_LONGEST = 1.15


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
    >>> people = {
    ...     "nurses": {"cold-warm": 90.0, "powerless-powerful": 40.0, "poor-wealthy": 45.0},
    ...     "bankers": {"cold-warm": 20.0, "powerless-powerful": 85.0, "poor-wealthy": 95.0},
    ... }
    >>> ax = cr.plots.profile(cr.align(scores, people, k=1), "nurses")
    """
    results = {result.measure: result} if isinstance(result, AlignmentResult) else dict(result)
    if not 1 <= len(results) <= len(_MARKERS):
        raise InputError(
            f"{len(results)} alignments were given.", hint=f"draw 1 to {len(_MARKERS)} in one figure."
        )
    for one in results.values():
        one_of("group", group, one.groups)
    first = next(iter(results.values()))
    pairs = _ordered(
        trait_ends(dict.fromkeys(t for one in results.values() for t in one.human_scores[group]))
    )
    lefts, size_left = alike([pair.left for pair in pairs], _LONGEST, BODY, lines=1)
    rights, size_right = alike([pair.right for pair in pairs], _LONGEST, BODY, lines=1)
    size = min(size_left, size_right)
    labelled = any(pair.scale for pair in pairs)
    frame = Frame(
        width=WIDE,
        body=len(pairs) * _ROW,
        left=MARGIN + widest(lefts, size) + 0.12 + (0.22 if labelled else 0.0),
        right=MARGIN + widest(rights, size) + 0.12,
        title=group,
        subtitle=_subtitle(results, group),
        above=0.26,
        below=0.34,
        note=_note(results, first),
    )
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set(xlim=(-3, 103), ylim=(len(pairs) - 0.5, -0.5))
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.axvline(50, color=INK, linewidth=0.8, zorder=1)
    _draw_rows(ax, pairs, lefts, rights, size)
    _draw_marks(ax, pairs, results, group)
    if labelled:
        _draw_scales(ax, pairs, widest(lefts, size) + 0.12)
    _draw_key(ax, list(results))
    return ax


def _ordered(pairs: Sequence[TraitEnds]) -> list[TraitEnds]:
    """Pairs of one scale together, in the order of the first of each."""
    scales = list(dict.fromkeys(pair.scale for pair in pairs))
    return sorted(pairs, key=lambda pair: scales.index(pair.scale))


def _colour(pair: TraitEnds) -> str:
    return SCALES.get(pair.scale, INK)


def _draw_rows(
    ax: Axes, pairs: Sequence[TraitEnds], lefts: Sequence[str], rights: Sequence[str], size: float
) -> None:
    side = ("axes fraction", "data")
    for y, (left, right) in enumerate(zip(lefts, rights, strict=True)):
        ax.plot([0, 100], [y, y], color=RULE, linewidth=0.6, zorder=0)
        write(ax, left, (0, y), (-0.08, 0), coords=side, size=size, ha="right")
        write(ax, right, (1, y), (0.08, 0), coords=side, size=size, ha="left")
        if y and pairs[y].scale != pairs[y - 1].scale:
            ax.axhline(y - 0.5, color=RULE, linewidth=0.8)


def _draw_marks(
    ax: Axes, pairs: Sequence[TraitEnds], results: Mapping[str, AlignmentResult], group: str
) -> None:
    human = {trait: v for one in results.values() for trait, v in one.human_scores[group].items()}
    for y, pair in enumerate(pairs):
        style: dict[str, Any] = {"marker": "o", "markersize": 5.5, "color": _colour(pair), "zorder": 3}
        ax.plot([human[pair.name]], [y - _APART], **style, gid="human")
    for i, (marker, (name, one)) in enumerate(zip(_MARKERS, results.items(), strict=False), start=1):
        row = one.model_scores[group]
        largest = max((abs(v) for v in row.values()), default=0.0)
        for y, pair in enumerate(pairs):
            if pair.name in row:
                x = 50 + (50 * row[pair.name] / largest if largest else 0.0)
                style = {"marker": marker, "markersize": 5, "markerfacecolor": "white", "zorder": 4}
                ax.plot(
                    [x],
                    [y - _APART + 2 * _APART * i / len(results)],
                    color=_colour(pair),
                    markeredgewidth=1.1,
                    **style,
                    gid=name,
                )


def _draw_scales(ax: Axes, pairs: Sequence[TraitEnds], out: float) -> None:
    """Name each scale beside its rows."""
    rows = [pair.scale for pair in pairs]
    for scale in dict.fromkeys(rows):
        start, count = rows.index(scale), rows.count(scale)
        line, size = fitted(scale, count * _ROW - 0.04, SMALL, weight="bold")
        place: dict[str, Any] = {"rotation": 90, "ha": "right", "va": "center", "weight": "bold"}
        middle = start + (count - 1) / 2
        color = SCALES.get(scale, INK)
        side = ("axes fraction", "data")
        write(ax, line, (0, middle), (-out - 0.03, 0), coords=side, size=size, color=color, **place)


def _draw_key(ax: Axes, names: list[str]) -> None:
    """The legend of the marks, above the axes."""
    wide, tall = axes_width(ax), axes_height(ax)
    labels, size = ["people", *names], SMALL
    if sum(0.3 + width(label, size) for label in labels) > wide:
        labels, size = alike(labels, wide / len(labels) - 0.3, SMALL, lines=1)
    offset = 0.0
    for marker, face, label in zip(("o", *_MARKERS), (GREY, *("white",) * len(names)), labels, strict=False):
        place: dict[str, Any] = {"transform": ax.transAxes, "clip_on": False, "linestyle": "none"}
        style: dict[str, Any] = {"marker": marker, "markersize": 5, "color": GREY, "markerfacecolor": face}
        ax.plot([(offset + 0.05) / wide], [1 + 0.13 / tall], **place, **style)
        write(ax, label, (0, 1), (offset + 0.14, 0.13), size=size, ha="left")
        offset += 0.3 + width(label, size)


def _subtitle(results: Mapping[str, AlignmentResult], group: str) -> str:
    parts = []
    for name, one in results.items():
        found = one.by_group[group]
        if found.kendall_tau is not None:
            parts.append(f"{name}: τ = {wording.number(found.kendall_tau)}")
    ceiling = next(iter(results.values())).by_group[group].ceiling
    if ceiling is not None:
        parts.append(f"ceiling {wording.number(ceiling)}")
    return "; ".join(parts)


def _note(results: Mapping[str, AlignmentResult], first: AlignmentResult) -> str:
    models = [model for one in results.values() if (model := wording.model(one))]
    return wording.sentence(
        "filled circles: mean ratings by people, from 0 to 100",
        "open marks: scores on their own scale, zero in the middle, the largest at the edge",
        "τ: Kendall's τ-b over the traits of this group",
        "ceiling: τ of the mean of all people with the mean of those asked"
        if first.ceiling is not None
        else "",
        join_words(list(dict.fromkeys(models))),
    )
