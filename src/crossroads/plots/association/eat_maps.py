"""The EAT-Maps of a battery side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crossroads.errors import InputError, join_words
from crossroads.measures.association.battery import BatteryResult
from crossroads.measures.association.mleat import MleatResult
from crossroads.measures.association.patterns import reach
from crossroads.plots.association.eat_map import (
    IN_CELL,
    cell_text,
    cells_of,
    draw_cells,
    draw_key,
    draw_mark,
    key_entries,
    key_height,
    key_rows,
)
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, new_figure, write
from crossroads.plots.frame.lettering import alike, fitted, height, wrapped
from crossroads.plots.frame.style import BODY, GREY, INK, LEAST, ON_CELL, PAGE, SMALL, at_least_one, figure
from crossroads.wording import phrases
from crossroads.wording.numbers import P

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PITCH = (PAGE - 2 * MARGIN) / 5
_WIDE = _PITCH - 0.06
_LINES, _LINES_IN_CELL, _SAID = 3, 6, 3
_HEADING, _BETWEEN = 0.34, 0.12


@figure(BatteryResult)
def eat_maps(result: BatteryResult, *, columns: int = 5) -> Figure:
    """Draw the EAT-Map of every test of a battery, with its Level 1 test and its pattern in words.

    Cells, borders and marks are those of :func:`eat_map`; whether two targets differ is decided by the
    adjusted p-values.

    Parameters
    ----------
    result
        A battery of ML-EATs.
    columns
        Maps per row; five fill the width of a page.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> figure = cr.plots.eat_maps(cr.battery(emb, [design]))
    """
    if not result.tests:
        raise InputError("the battery has no test to draw.", hint="see its field 'skipped' for the reasons.")
    columns = min(at_least_one("columns", columns), len(result.tests))
    width = max(columns, 3) * _PITCH + 2 * MARGIN
    room = width - 2 * MARGIN
    heads, size = _heads(result)
    said, patterned = _said(result)
    marks, adjusted = _marks(result), result.adjusted_p()
    notes = wrapped(_note(result, marks), room, SMALL, lines=8)
    shown = [cell for test in result.tests for cell in cells_of(test).values()]
    key = key_rows(key_entries(wording.rule(result.tests[0]), shown, marks), room)
    lines = [range(start, min(start + columns, len(heads))) for start in range(0, len(heads), columns)]
    labelled = [max(height(heads[i][key], size) for i in line for key in "xy") for line in lines]
    tall = [_tall([result.tests[i] for i in line]) for line in lines]
    below = [max(height(said[i], patterned) for i in line) + 0.06 + _BETWEEN for line in lines]
    body = _HEADING * len(lines) + sum(labelled) + sum(tall) + sum(below)
    foot = key_height(key)
    total = MARGIN + body + foot + height(notes, SMALL) + 2 * MARGIN
    figure = new_figure(width, total)
    top = total - MARGIN
    for line, head, high, under in zip(lines, labelled, tall, below, strict=True):
        bottom = top - _HEADING - head - high
        for column, i in enumerate(line):
            left = MARGIN + column * _PITCH + (_PITCH - _WIDE) / 2
            ax = figure.add_axes((left / width, bottom / total, _WIDE / width, high / total))
            _small_map(ax, result.tests[i], marks[i], high)
            for j, name in enumerate("xy"):
                at = (j + 0.5, 2)
                write(ax, heads[i][name], at, (0, 0.02), coords="data", size=size, ha="center", va="bottom")
            _write_heading(ax, result.tests[i], adjusted[i], head)
            write(ax, said[i], (0.5, 0), (0, -0.05), size=patterned, weight="bold", ha="center", va="top")
        top = bottom - under
    bottom = MARGIN + height(notes, SMALL)
    last = figure.add_axes((MARGIN / width, (bottom + MARGIN) / total, room / width, foot / total))
    draw_key(last, key, room)
    write(last, notes, (0, 0), (0, -0.04), size=SMALL, color=GREY, va="top")
    return figure


def _heads(result: BatteryResult) -> tuple[list[dict[str, str]], float]:
    """The names of the targets of each test, in lines, and the font size in which all fit."""
    names = [test.titles[key] for test in result.tests for key in "xy"]
    lines, size = alike(names, _WIDE / 2 - 0.03, SMALL, lines=_LINES)
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [{"x": x, "y": y} for x, y in pairs], size


def _said(result: BatteryResult) -> tuple[list[str], float]:
    """The pattern of each test in words, in lines, and the font size in which all fit."""
    room = _PITCH - 0.06
    told = [phrases.pattern(test.crossed_pattern, test.titles) for test in result.tests]
    size = min(fitted(text, room, SMALL, lines=_SAID, weight="bold")[1] for text in told)
    return [wrapped(text, room, size, lines=_SAID + 2, weight="bold") for text in told], size


def _marks(result: BatteryResult) -> list[str]:
    """How far the difference of each test reaches, by its adjusted p-value."""
    adjusted = result.adjusted[phrases.ADJUSTMENT]
    return [
        reach(test.level1.pvalue, p, alpha=test.conventions["alpha"])
        for test, p in zip(result.tests, adjusted, strict=True)
    ]


def _tall(tests: Sequence[MleatResult]) -> float:
    """Height of maps in inches: that of the cell with most to say."""
    texts = [
        cell_text(cell, test.titles[key[0]], _WIDE / 2 - IN_CELL, LEAST, lines=_LINES_IN_CELL)
        for test in tests
        for key, cell in cells_of(test).items()
    ]
    return 2 * max(0.46, max(height(text, LEAST) for text in texts) + 0.2)


def _note(result: BatteryResult, marks: Sequence[str]) -> str:
    """The model, what the numbers are, and what could not be measured."""
    tail = wording.tail(result.tests[0].level1.alternative)
    return wording.sentence(
        "in the cells, the size of the Level 2 effect size",
        f"above each map, the Level 1 test: p for other words for the same things ({tail}), "
        f"{wording.FILLED} for the number of tests",
        f"≠ in a full circle: p for other words < .05 {wording.FILLED}" if "others" in marks else "",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )


def _small_map(ax: Axes, test: MleatResult, differ: str, tall: float) -> None:
    place = (_WIDE / 2, tall / 2)
    draw_cells(ax, cells_of(test), test.titles, place, size=LEAST)
    draw_mark(ax, differ, place, LEAST + 1)


def _write_heading(ax: Axes, test: MleatResult, adjusted: P | None, labelled: float) -> None:
    """The name of a test and its Level 1 test, above the names of its targets."""
    level1 = f"{wording.effect(test.level1)}, {wording.adjusted_chance(adjusted)}"
    for text, up, asked, weight in ((test.design, 0.17, BODY, "bold"), (level1, 0.05, SMALL, "normal")):
        line, fits = fitted(text, _PITCH - 0.06, asked, weight=weight)
        look = {"weight": weight, "color": ON_CELL if weight == "normal" else INK}
        write(ax, line, (0.5, 1), (0, labelled + up), size=fits, ha="center", va="bottom", **look)
