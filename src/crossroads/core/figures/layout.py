"""The frame of a figure: a heading above the axes, notes below, and room for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crossroads.core.figures.lettering import LEADING, fitted, height, width, wrapped
from crossroads.core.figures.saving import show_in_notebooks
from crossroads.core.figures.style import BODY, GREY, INK, SMALL, TITLE, matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARGIN = 0.08
"""White space at the edge of a figure, in inches."""
_GAP = 0.07
_ASCENT, _CAPITAL = 1.0, 0.7  # of the type, in sizes


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Layout around the axes, in inches; the height of the figure follows from it."""

    width: float
    """Width of the figure."""
    body: float
    """Height of the axes."""
    title: str
    """What is shown."""
    subtitle: str = ""
    """The main numbers."""
    note: str = ""
    """How to read the figure, and its source."""
    left: float = MARGIN
    """Room left of the axes."""
    right: float = MARGIN
    """Room right of the axes."""
    above: float = _GAP
    """Room between the heading and the axes."""
    below: float = 0.2
    """Room between the axes and the notes."""

    def axes(self, ax: Axes | None) -> Axes:
        """The axes, in a new figure if none are given, with the heading and the notes.

        On given axes the heading and the notes have their width, and the caller provides the space.
        """
        room = self.width - 2 * MARGIN if ax is None else max(axes_width(ax), 1.0)
        title = wrapped(self.title, room, TITLE, lines=3, weight="bold")
        subtitle = wrapped(self.subtitle, room, BODY, lines=3)
        note = wrapped(self.note, room, SMALL, lines=8)
        indent = 0.0
        if ax is None:
            top = MARGIN + height(title, TITLE) + height(subtitle, BODY) + self.above
            bottom = MARGIN + height(note, SMALL) + self.below
            wide, tall = self.width, top + self.body + bottom
            across = (wide - self.left - self.right) / wide
            ax = new_figure(wide, tall).add_axes((self.left / wide, bottom / tall, across, self.body / tall))
            show_in_notebooks(ax)
            indent = self.left - MARGIN
        over = self.above + height(subtitle, BODY)
        write(ax, title, (0, 1), (-indent, over), size=TITLE, weight="bold", va="bottom")
        write(ax, subtitle, (0, 1), (-indent, self.above), size=BODY, va="bottom")
        write(ax, note, (0, 0), (-indent, -self.below), size=SMALL, color=GREY, va="top")
        return ax


def new_figure(wide: float, tall: float) -> Figure:
    """An empty figure without a window or global reference, which a notebook displays."""
    figure: Figure = matplotlib("figure").Figure(figsize=(wide, tall), dpi=200)
    matplotlib("backends.backend_agg").FigureCanvasAgg(figure)
    show_in_notebooks(figure)
    return figure


def write(
    ax: Axes,
    text: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    *,
    coords: Any = "axes fraction",
    size: float = BODY,
    color: str = INK,
    va: str = "center",
    **options: Any,
) -> None:
    """Write literal text at a position in the axes, with an offset in inches.

    Each line has its own baseline, so that words align whether or not they have descenders.
    Dollar signs are not read as formulas.
    """
    if not text:
        return
    lines = [text] if options.get("rotation") else text.split("\n")
    for i, line in enumerate(lines):
        up = 0.0 if options.get("rotation") else _baseline(va, i, len(lines)) * size
        ax.annotate(
            line,
            at,
            xytext=(offset[0] * 72, offset[1] * 72 + up),
            xycoords=coords,
            textcoords="offset points",
            annotation_clip=False,
            fontsize=size,
            color=color,
            va=va if options.get("rotation") else "baseline",
            parse_math=False,
            **options,
        )


def _baseline(va: str, i: int, lines: int) -> float:
    """Height of the baseline of a line above the position of its text, in font sizes."""
    first = {
        "top": -_ASCENT,
        "center": (lines - 1) * LEADING / 2 - _CAPITAL / 2,
        "bottom": (lines - 1) * LEADING + LEADING - _ASCENT,
    }[va]
    return first - i * LEADING


def axes_width(ax: Axes) -> float:
    """Width of axes in inches."""
    return float(ax.get_window_extent().width / ax.figure.dpi)


def axes_height(ax: Axes) -> float:
    """Height of axes in inches."""
    return float(ax.get_window_extent().height / ax.figure.dpi)


def name_ends(ax: Axes, left: str, middle: str, right: str) -> None:
    """Label an axis with what it measures, and with the meaning of each side."""
    room = (axes_width(ax) - width(middle, BODY)) / 2 - 0.12
    for text, x, ha in ((left, 0.0, "left"), (middle, 0.5, "center"), (right, 1.0, "right")):
        line, size = fitted(text, axes_width(ax) if ha == "center" else room, BODY)
        write(ax, line, (x, 0), (0, -0.24), size=size, ha=ha, va="top")
