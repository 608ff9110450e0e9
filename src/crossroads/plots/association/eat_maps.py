"""The EAT-Maps of a battery side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from crossroads.errors import InputError, join_words
from crossroads.measures.association.battery import BatteryResult
from crossroads.measures.association.mleat import MleatResult
from crossroads.plots.association.eat_map import draw_cells, inside, map_legend
from crossroads.plots.frame import wording
from crossroads.plots.frame.accepted import figure
from crossroads.plots.frame.layout import MARGIN, new_figure, write
from crossroads.plots.frame.lettering import alike, fitted, height, wrapped
from crossroads.plots.frame.style import BODY, GREY, PAGE, SMALL, at_least_one

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PITCH = (PAGE - 2 * MARGIN) / 5
_SQUARE = 0.98
_LINES = {"x": 3, "y": 3, "a": 3, "b": 3}
_TALLER = 1.6
_BELOW, _LEGEND = 0.28, 0.26


@figure
def eat_maps(result: BatteryResult, *, columns: int = 5) -> Figure:
    """Draw the EAT-Map of every test of a battery, with its Level 1 test and the name of its pattern.

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
    rows = math.ceil(len(result.tests) / columns)
    width = max(columns, 3) * _PITCH + 2 * MARGIN
    room = width - 2 * MARGIN
    titles, size = _labels(result)
    labelled = max(height(names[key], size) for names in titles for key in "xy")
    tall = _SQUARE * _tallness(result)
    pitch = 0.34 + labelled + tall + _BELOW
    notes = wrapped(_note(result), room, SMALL, lines=8)
    written = height(notes, SMALL)
    total = MARGIN + rows * pitch + _LEGEND + written + MARGIN
    figure = new_figure(width, total)
    for i, (test, names) in enumerate(zip(result.tests, titles, strict=True)):
        row, column = divmod(i, columns)
        left = MARGIN + column * _PITCH + (_PITCH - _SQUARE) / 2 + (0.06 if tall == _SQUARE else 0.14)
        bottom = total - MARGIN - (row + 1) * pitch + _BELOW
        ax = figure.add_axes((left / width, bottom / total, _SQUARE / width, tall / total))
        _small_map(ax, test, names, size, labelled)
        ax.set_aspect("auto")
    foot = figure.add_axes((MARGIN / width, (MARGIN + written) / total, room / width, _LEGEND / total))
    map_legend(foot, room, _LEGEND, wording.rule(result.tests[0]))
    write(foot, notes, (0, 0), size=SMALL, color=GREY, va="top")
    return figure


def _labels(result: BatteryResult) -> tuple[list[dict[str, str]], float]:
    """The names of the sets of each test, in lines, and the font size in which all fit."""
    across, up = _SQUARE / 2 - 0.02, _SQUARE * _tallness(result) / 2 - 0.02
    by_key = {}
    size = SMALL
    for _ in range(2):  # the second time in the size that the tightest label needs
        for key, lines in _LINES.items():
            by_key[key], size = alike(
                [test.titles[key] for test in result.tests], across if key in "xy" else up, size, lines=lines
            )
    return [{key: by_key[key][i] for key in _LINES} for i in range(len(result.tests))], size


def _tallness(result: BatteryResult) -> float:
    """How much taller than wide cells are: more where the attributes have long names."""
    room = _SQUARE / 2 - 0.02
    names = [test.titles[key] for test in result.tests for key in "ab"]
    return _TALLER if any("…" in fitted(name, room, SMALL, lines=2)[0] for name in names) else 1.0


def _note(result: BatteryResult) -> str:
    """The model, what the numbers are, and what could not be measured."""
    tail = wording.tail(result.tests[0].level1.alternative)
    return wording.sentence(
        "in associated cells, the Level 2 effect size",
        f"above each map, the Level 1 test ({tail}, not adjusted for the number of tests)",
        f"not measured: {join_words(result.skipped, most=12)}" if result.skipped else "",
        wording.model(result),
    )


def _small_map(ax: Axes, test: MleatResult, titles: dict[str, str], size: float, labelled: float) -> None:
    draw_cells(ax, test.pattern, inside(test, large=False), size=SMALL)
    room = _PITCH - 0.06
    for text, up, asked, weight in (
        (test.design, 0.17, BODY, "bold"),
        (f"{wording.effect(test.level1)}, {wording.chance(test.level1)}", 0.05, SMALL, "normal"),
        (test.pattern, None, BODY, "bold"),
    ):
        line, fits = fitted(text, room, asked, weight=weight)
        at, offset = ((0.5, 0), (0, -0.04)) if up is None else ((0.5, 1), (0, labelled + up))
        va = "top" if up is None else "bottom"
        write(ax, line, at, offset, size=fits, weight=weight, ha="center", va=va)
    for i, key in enumerate("xy"):
        write(ax, titles[key], (i + 0.5, 2), (0, 0.02), coords="data", size=size, ha="center", va="bottom")
    for i, key in enumerate("ba"):
        place: dict[str, Any] = {"coords": "data", "ha": "right", "ma": "center", "rotation": 90}
        write(ax, titles[key], (0, i + 0.5), (-0.04, 0), size=size, va="center", **place)
