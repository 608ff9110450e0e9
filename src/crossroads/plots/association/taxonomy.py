"""The nine patterns an embedding association test can show (Wolfe, Hiniker & Howe 2024, Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.measures.association.patterns import ALPHA, LEAST_EFFECT, PATTERNS, cells
from crossroads.plots.association.eat_map import draw_cells, map_legend
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, new_figure, write
from crossroads.plots.frame.lettering import fitted
from crossroads.plots.frame.style import BODY, GREY, PAGE, SMALL, house

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 5
_SQUARE, _ABOVE, _BELOW, _LEGEND = 0.86, 0.2, 0.46, 0.26


@house()
def taxonomy() -> Figure:
    """Draw the nine patterns with their EAT-Maps.

    References
    ----------
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966

    Examples
    --------
    >>> import crossroads as cr
    >>> figure = cr.plots.taxonomy()
    """
    step = (PAGE - 2 * MARGIN) / _COLUMNS
    pitch = _ABOVE + _SQUARE + _BELOW
    total = 2 * MARGIN + 2 * pitch + _LEGEND
    figure = new_figure(PAGE, total)
    for i, pattern in enumerate(PATTERNS):
        row, column = divmod(i, _COLUMNS)
        # the second row has one map fewer and is centred
        left = MARGIN + (column + row / 2) * step + (step - _SQUARE) / 2
        bottom = total - MARGIN - row * pitch - _ABOVE - _SQUARE
        ax = figure.add_axes((left / PAGE, bottom / total, _SQUARE / PAGE, _SQUARE / total))
        _small_map(ax, pattern, step)
    room = PAGE - 2 * MARGIN
    foot = figure.add_axes((MARGIN / PAGE, MARGIN / total, room / PAGE, _LEGEND / total))
    map_legend(
        foot, room, _LEGEND, f"Level 2 test with |d| > {LEAST_EFFECT:g} and p < {wording.level(ALPHA)}"
    )
    return figure


def _small_map(ax: Axes, pattern: str, room: float) -> None:
    draw_cells(ax, pattern, {key: "*" for key, on in cells(pattern).items() if on}, size=BODY + 3)
    for i, letter in enumerate("XY"):
        write(ax, letter, (i + 0.5, 2), (0, 0.03), coords="data", ha="center", va="bottom")
    for i, letter in enumerate("BA"):
        write(ax, letter, (0, i + 0.5), (-0.05, 0), coords="data", ha="right", va="center")
    write(ax, pattern, (0.5, 0), (0, -0.05), weight="bold", ha="center", va="top")
    line, size = fitted(_meaning(pattern), room - 0.04, SMALL, lines=2)
    write(ax, line, (0.5, 0), (0, -0.19), size=size, color=GREY, ha="center", va="top")


def _meaning(pattern: str) -> str:
    """What a pattern says of the two targets."""
    x, y = (lean and lean.upper() for lean in PATTERNS[pattern])
    if x == y:
        return f"X and Y with {x}" if x else "neither leans"
    return ", ".join(f"{target} with {lean}" for target, lean in (("X", x), ("Y", y)) if lean)
