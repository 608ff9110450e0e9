"""The nine patterns an embedding association test can show (Wolfe, Hiniker & Howe 2024, Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.measures.association.patterns import ALPHA, LEAST_EFFECT, PATTERNS, map_cells
from crossroads.plots.association.eat_map import draw_cells, draw_key, key_entries, key_height, key_rows
from crossroads.plots.frame import wording
from crossroads.plots.frame.layout import MARGIN, new_figure, write
from crossroads.plots.frame.lettering import fitted, wrapped
from crossroads.plots.frame.style import LEAST, ON_CELL, PAGE, SMALL, house
from crossroads.wording import phrases

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = 5
_WIDE, _TALL, _ABOVE, _BELOW = 1.28, 1.0, 0.2, 0.52


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
    room = PAGE - 2 * MARGIN
    step, pitch = room / _COLUMNS, _ABOVE + _TALL + _BELOW
    rule = f"Level 2 test with |d| > {LEAST_EFFECT:g} and p < {wording.level(ALPHA)}"
    shown = [cell for pattern in PATTERNS for cell in map_cells(pattern).values()]
    key = key_rows(key_entries(rule, shown), room)
    total = 2 * MARGIN + 2 * pitch + key_height(key)
    figure = new_figure(PAGE, total)
    for i, pattern in enumerate(PATTERNS):
        row, column = divmod(i, _COLUMNS)
        # the second row has one map fewer and is centred
        left = MARGIN + (column + row / 2) * step + (step - _WIDE) / 2
        bottom = total - MARGIN - row * pitch - _ABOVE - _TALL
        ax = figure.add_axes((left / PAGE, bottom / total, _WIDE / PAGE, _TALL / total))
        _small_map(ax, pattern, step)
    foot = figure.add_axes((MARGIN / PAGE, MARGIN / total, room / PAGE, key_height(key) / total))
    draw_key(foot, key, room)
    return figure


def _small_map(ax: Axes, pattern: str, room: float) -> None:
    titles = phrases.ANY_SETS
    draw_cells(ax, map_cells(pattern), titles, (_WIDE / 2, _TALL / 2), size=LEAST)
    for i, key in enumerate("xy"):
        head, size = fitted(titles[key], _WIDE / 2 - 0.02, SMALL)
        write(ax, head, (i + 0.5, 2), (0, 0.03), coords="data", size=size, ha="center", va="bottom")
    write(ax, pattern, (0.5, 0), (0, -0.05), weight="bold", ha="center", va="top")
    text = wrapped(phrases.LEANINGS[pattern].format(**titles), room - 0.06, LEAST, lines=3)
    write(ax, text, (0.5, 0), (0, -0.19), size=LEAST, color=ON_CELL, ha="center", va="top")
