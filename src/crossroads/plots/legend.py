"""What the cells of an EAT-Map mean, in a line below several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossroads.plots.frame import write
from crossroads.plots.lettering import fitted, width
from crossroads.plots.style import CELL, INK, RED, SMALL, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BOX, _SPACE = 0.11, 0.06


def map_legend(ax: Axes, room: float, tall: float, rule: str) -> None:
    """Fill axes of a given size in inches with a key to the two kinds of cell.

    Parameters
    ----------
    ax
        Axes to fill; they become as many units wide and high as they have inches.
    room, tall
        Width and height of the axes in inches.
    rule
        What an association had to show.
    """
    ax.set(xlim=(0, room), ylim=(0, tall))
    ax.axis("off")
    rectangle = matplotlib("patches").Rectangle
    left = 0.02
    plain = "no leaning found"
    rest = room - 2 * (_BOX + _SPACE) - 0.25 - width(plain, SMALL)
    starred, size = fitted(f"associated: {rule}", rest, SMALL, lines=2)
    for face, edge, text in ((RED, INK, starred), (CELL, "#FFFFFF", plain)):
        ax.add_patch(
            rectangle((left, (tall - _BOX) / 2), _BOX, _BOX, facecolor=face, edgecolor=edge, linewidth=1.2)
        )
        if face == RED:
            write(
                ax,
                "*",
                (left + _BOX / 2, tall / 2 - 0.02),
                coords="data",
                size=SMALL,
                color="white",
                weight="bold",
                ha="center",
                va="center",
            )
        left += _BOX + _SPACE
        write(ax, text, (left, tall / 2), coords="data", size=size, va="center")
        left += max(width(line, size) for line in text.split("\n")) + 0.25
