"""Effect sizes of models beside each other, with the interval and the test of each difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crossroads.comparison.battery import CompareBatteryResult, DifferenceInterval
from crossroads.comparison.models import p_names
from crossroads.core.errors import InputError, join_words
from crossroads.core.figures import wording
from crossroads.core.figures.layout import axes_width
from crossroads.core.figures.lettering import alike, fitted
from crossroads.core.figures.rows import Rows, draw_key, draw_mark, row_axes
from crossroads.core.figures.style import BODY, BROWN, INK, PAGE, RULE, SMALL, TEAL, figure
from crossroads.core.wording import phrases

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.34
_LONGEST = 2.3
_LINE = 0.15
_LOOKS = (("o", BROWN), ("s", TEAL))


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One design in two models, as it is drawn."""

    name: str
    design: str
    models: tuple[str, str]
    effect_sizes: tuple[float, float]
    difference: str
    interval: str
    pvalue: str
    adjusted: str
    kept: bool


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
    >>> ax = cr.plots.comparison_plot(cr.compare_battery(models, [design]))
    """
    rows = [row for row in _rows(result, alpha) if pair is None or row.models == tuple(pair)]
    if not rows:
        raise InputError("there is no comparison to draw.", hint="see its field 'skipped' for the reasons.")
    names = [fitted(row.design, _LONGEST, BODY, weight="bold") for row in rows]
    shown = list(dict.fromkeys(row.models for row in rows))
    below = [_question(result, row) if len(shown) == 1 else _pair(row.models) for row in rows]
    pairs, size = alike(below, _LONGEST, SMALL, lines=1)
    labels = [[(*name, "bold"), (text, size, "normal")] for name, text in zip(names, pairs, strict=True)]
    beside = Rows(labels=labels, columns=_columns(result, rows), step=_LINE)
    frame = beside.frame(
        width=PAGE,
        body=len(rows) * _ROW,
        title=f"Effect sizes of {_pair(shown[0])}" if len(shown) == 1 else "Effect sizes of models compared",
        above=0.42,
        below=0.48,
        note=_note(result, alpha),
    )
    ax = row_axes(frame, ax, len(rows))
    for y, row in enumerate(rows):
        beside.write_label(ax, y, y)
        _draw_row(ax, y, row)
    beside.write_columns(ax)
    models = shown[0] if len(shown) == 1 else ("first of a pair", "second of a pair")
    texts, size = alike(list(models), axes_width(ax) / 2 - 0.3, SMALL, lines=1)
    look: dict[str, Any] = {"linestyle": "none", "markersize": 5, "markeredgewidth": 1.1}
    marks = [
        {**look, "marker": marker, "color": color, "markerfacecolor": "white"} for marker, color in _LOOKS
    ]
    draw_key(ax, [(text, size, mark) for text, mark in zip(texts, marks, strict=True)], 0.27)
    ax.margins(x=0.05)
    ax.set_xlabel("effect size d", fontsize=BODY, color=INK, labelpad=3)
    return ax


def _pair(models: tuple[str, str]) -> str:
    return f"{models[0]} / {models[1]}"


def _question(result: CompareBatteryResult, row: _Row) -> str:
    """What the design asks, where it is known."""
    return phrases.question(result.titles.get(row.name, {}))


def _rows(result: CompareBatteryResult, alpha: float) -> list[_Row]:
    adjusted_p = result._adjusted_p() if result.tests else []
    rows = [
        _Row(
            name=test.design,
            design=phrases.tested(test.design, test.measure),
            models=pair,
            effect_sizes=test.effect_sizes,
            difference=wording.number(test.difference, sign=True),
            interval=_between(ends),
            pvalue=wording.probability(test._p),
            adjusted=wording.probability(adjusted),
            kept=adjusted.value < alpha,
        )
        for test, pair, ends, adjusted in zip(
            result.tests, result.pairs, result.intervals, adjusted_p, strict=True
        )
    ]
    return rows + [
        _Row(
            name=one.design,
            design=phrases.tested(one.design, one.measure),
            models=one.models,
            effect_sizes=one.effect_sizes,
            difference=wording.number(one.difference, sign=True),
            **dict.fromkeys(("interval", "pvalue", "adjusted"), "–"),
            kept=False,
        )
        for one in result.unpaired
    ]


def _between(ends: DifferenceInterval | None) -> str:
    return "–" if ends is None else f"{wording.number(ends.low)} to {wording.number(ends.high)}"


def _draw_row(ax: Axes, y: int, row: _Row) -> None:
    color = INK if row.kept else RULE
    ax.plot(row.effect_sizes, [y, y], color=color, linewidth=1.6 if row.kept else 1.0, zorder=2)
    for d, (marker, colour) in zip(row.effect_sizes, _LOOKS, strict=True):
        draw_mark(ax, d, y, marker, 5, colour, filled=row.kept, linestyle="none")


def _columns(result: CompareBatteryResult, rows: list[_Row]) -> list[list[str]]:
    """The columns of text beside the chart, each with its heading."""
    levels = {ends.level for ends in result.intervals if ends is not None}
    percent = f"{100 * next(iter(levels)):g} % interval" if len(levels) == 1 else "interval"
    exact = "" if _other_words(result) else "exact "
    return [
        ["difference", *(row.difference for row in rows)],
        [percent, *(row.interval for row in rows)],
        [f"{exact}p", *(row.pvalue for row in rows)],
        [f"{exact}{wording.ADJUSTED}", *(row.adjusted for row in rows)],
    ]


def _other_words(result: CompareBatteryResult) -> bool:
    """Whether the p-values allow for other attribute words."""
    return "exact_p" not in p_names(result.tests)


def _note(result: CompareBatteryResult, alpha: float) -> str:
    alternative = str(result.conventions.get("alternative", "two-sided"))
    tail = wording.compared_tail(alternative)
    tested = f"filled: p < {wording.level(alpha)} {wording.FILLED} for all comparisons"
    exact = "" if _other_words(result) else "exact "
    words = "" if exact else ", other attribute words allowed for"
    changes = "changes of cosines" if result.conventions.get("scale") == "cosine" else "changes in sd"
    shown = len(result.skipped)
    methods = {test.method for test in result.tests}
    return wording.sentence(
        f"{tested}; open: not" if result.tests else "",
        f"{exact}p: labels of the {changes} between two models exchanged{words}, {tail}"
        if result.tests
        else "",
        "≤: an upper bound" if "bracket" in methods else "",
        "≈: an approximation" if methods - {"exact", "bracket"} else "",
        "intervals over the choice of words, the same in both models" if any(result.intervals) else "",
        "over contexts (CEAT) the unit is the target word" if any(t.contexts for t in result.tests) else "",
        "differences without p are of saved numbers" if result.unpaired else "",
        f"not compared: {join_words(result.skipped, most=6)}" if shown else "",
    )
