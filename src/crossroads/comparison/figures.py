"""Effect sizes of models next to each other, with the interval and the test of each difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crossroads.comparison.battery import CompareBatteryResult, Row
from crossroads.comparison.meta import MetaResult
from crossroads.comparison.models import p_names
from crossroads.core.errors import InputError, join_words
from crossroads.core.figures import wording
from crossroads.core.figures.layout import axes_width
from crossroads.core.figures.lettering import alike, fitted
from crossroads.core.figures.rows import Rows, draw_key, draw_mark, row_axes
from crossroads.core.figures.style import BODY, BROWN, GREY, INK, PAGE, RULE, SMALL, TEAL, figure
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import between

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.34
_LONGEST = 2.3
_LINE = 0.15
_LOOKS = (("o", BROWN), ("s", TEAL))


@figure(CompareBatteryResult)
def comparison_plot(
    result: CompareBatteryResult,
    pair: tuple[str, str] | None = None,
    *,
    alpha: float = 0.05,
    ax: Axes | None = None,
) -> Axes:
    """Draw the effect sizes of two models on a line for each design and pair of models.

    Marks are filled where the difference stays significant after adjustment for the number of
    comparisons. Differences of saved numbers, which have no test, are at the end.

    Parameters
    ----------
    pair
        Draw these two models only.
    alpha
        Level at which a difference counts as significant.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    >>> models = {name: cr.Embeddings(design.words, rng.normal(size=(32, 9))) for name in ("old", "new")}
    >>> ax = cr.plots.comparison_plot(cr.compare(models, [design]))
    """
    rows = [row for row in result._members() if pair is None or row.models == tuple(pair)]
    if not rows:
        raise InputError("there is no comparison to draw.", hint="see its field 'skipped' for the reasons.")
    names = [fitted(row.name, _LONGEST, BODY, weight="bold") for row in rows]
    shown = list(dict.fromkeys(row.both for row in rows))
    below = [row._question or "" if len(shown) == 1 else row.both for row in rows]
    pairs, size = alike(below, _LONGEST, SMALL, lines=1)
    labels = [[(*name, "bold"), (text, size, "normal")] for name, text in zip(names, pairs, strict=True)]
    layout = Rows(labels=labels, columns=_columns(result, rows), step=_LINE)
    frame = layout.frame(
        width=PAGE,
        body=len(rows) * _ROW,
        title=f"Effect sizes of {shown[0]}" if len(shown) == 1 else "Effect sizes of models compared",
        above=0.42,
        below=0.48,
        note=_note(result, alpha),
    )
    ax = row_axes(frame, ax, len(rows))
    for y, row in enumerate(rows):
        layout.write_label(ax, y, y)
        _draw_row(ax, y, row, alpha)
    layout.write_columns(ax)
    models = rows[0].models if len(shown) == 1 else ("first of a pair", "second of a pair")
    texts, size = alike(list(models), axes_width(ax) / 2 - 0.3, SMALL, lines=1)
    look: dict[str, Any] = {"linestyle": "none", "markersize": 5, "markeredgewidth": 1.1}
    marks = [{**look, "marker": m, "color": color, "markerfacecolor": "white"} for m, color in _LOOKS]
    draw_key(ax, [(text, size, mark) for text, mark in zip(texts, marks, strict=True)], 0.27)
    ax.margins(x=0.05)
    ax.set_xlabel("effect size d", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _draw_row(ax: Axes, y: int, row: Row, alpha: float) -> None:
    """Both effect sizes on a line, filled and dark where the adjusted p-value is below ``alpha``."""
    p = row.adjusted.get(phrases.ADJUSTMENT)
    differs = p is not None and p.value < alpha
    color = INK if differs else RULE
    ax.plot(row.test.effect_sizes, [y, y], color=color, linewidth=1.6 if differs else 1.0, zorder=2)
    for d, (marker, colour) in zip(row.test.effect_sizes, _LOOKS, strict=True):
        draw_mark(ax, d, y, marker, 5, colour, filled=differs, linestyle="none")


def _columns(result: CompareBatteryResult, rows: list[Row]) -> list[list[str]]:
    """The columns of text next to the chart, each with its heading."""
    levels = {ends.level for ends in result.intervals if ends is not None}
    percent = f"{100 * next(iter(levels)):g} % interval" if len(levels) == 1 else "interval"
    exact = _exact(result)
    ends = [row.interval and map(wording.number, (row.interval.low, row.interval.high)) for row in rows]
    adjusted = (row.adjusted.get(phrases.ADJUSTMENT) for row in rows)
    return [
        ["difference", *(wording.number(row.test.difference, sign=True) for row in rows)],
        [percent, *(" to ".join(pair) if pair else "–" for pair in ends)],
        [f"{exact}p", *(wording.probability(next(iter(row.shown.values()), None)) for row in rows)],
        [f"{exact}{wording.ADJUSTED}", *map(wording.probability, adjusted)],
    ]


def _exact(result: CompareBatteryResult) -> str:
    """What precedes p where it does not allow for other attribute words."""
    return "exact " if "exact_p" in p_names(result.tests) else ""


def _note(result: CompareBatteryResult, alpha: float) -> str:
    methods, exact = {test.method for test in result.tests}, _exact(result)
    words = "" if exact else ", other attribute words allowed for"
    changes = "changes of cosines" if result.conventions.get("scale") == "cosine" else "changes in sd"
    tail = wording.compared_tail(str(result.conventions.get("alternative", "two-sided")))
    tested = (
        f"filled: p < {wording.level(alpha)} {wording.FILLED} for all comparisons; open: not",
        f"{exact}p: labels of the {changes} between two models exchanged{words}, {tail}",
    )
    return wording.sentence(
        *(tested if result.tests else ()),
        "≤: an upper bound" if "bracket" in methods else "",
        "≈: an approximation" if methods - {"exact", "bracket"} else "",
        "intervals over the choice of words, the same in both models" if any(result.intervals) else "",
        "over contexts (CEAT) the unit is the target word" if any(t.contexts for t in result.tests) else "",
        "differences without p are of saved numbers" if result.unpaired else "",
        f"not compared: {join_words(result.skipped, most=6)}" if result.skipped else "",
    )


@figure(MetaResult)
def meta_plot(result: MetaResult, *, ax: Axes | None = None) -> Axes:
    """Draw the members of a meta-analysis with their intervals, and below the mean and a further member.

    Marks are filled where p is below .05, and larger where the weight of a member is. The diamond is the
    interval of the mean, the bar that of a further member.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("weat7"), np.random.default_rng(1)
    >>> models = {name: cr.Embeddings(design.words, rng.normal(size=(32, 9))) for name in ("old", "new")}
    >>> ax = cr.plots.meta_plot(cr.meta(models, design))
    """
    rows, digits = list(result._members()), 2 if result.ordinary else 3
    unit = "× ordinary" if result.ordinary else "Δ"
    values = [wording.number(row["value"], digits) if "value" in row else "" for row in rows]
    ends = [between(row["low"], row["high"], digits) for row in rows]
    chances = [wording.probability(row["p"]) if "p" in row else "" for row in rows]
    layout = Rows(
        labels=[[(*fitted(row["member"], _LONGEST, BODY), "normal")] for row in rows],
        columns=[[unit, *values], ["95 % interval", *ends], ["p", *chances]],
    )
    said, room = next(result._conclusions("")).sentence, {"above": 0.24, "below": 0.48}
    frame = layout.frame(width=PAGE, body=len(rows) * _ROW, title=result._label, subtitle=said, **room)
    ax = row_axes(frame, ax, len(rows))
    for y, row in enumerate(rows):
        layout.write_label(ax, y, y)
        low, high, found = row["low"], row["high"], row.get("p", 1.0) < ALPHA
        if "weight" in row:
            ax.plot([low, high], [y, y], color=INK, linewidth=1.0, zorder=2)
            draw_mark(ax, row["value"], y, "s", 3 + 6 * row["weight"] ** 0.5, INK, filled=found)
        elif "value" in row:
            corners = [low, row["value"], high, row["value"]], [y, y - 0.25, y, y + 0.25]
            ax.fill(*corners, facecolor=INK if found else "white", edgecolor=INK, zorder=2)
        else:
            ax.plot([low, high], [y, y], color=GREY, linewidth=2.4, solid_capstyle="butt")
    layout.write_columns(ax)
    ax.margins(x=0.05)
    ax.set_xlabel(unit, fontsize=BODY, color=INK, labelpad=3)
    return ax
