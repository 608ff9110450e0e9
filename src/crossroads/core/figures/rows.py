"""What figures with a row per test share: labels on the left, columns of text on the right, a key above."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crossroads.core.figures.layout import MARGIN, Frame, axes_height, axes_width, write
from crossroads.core.figures.lettering import widest, width
from crossroads.core.figures.style import GREY, INK, SMALL, bare

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDE = ("axes fraction", "data")
"""Coordinates next to a row."""
Line = tuple[str, float, str]
"""A line of a label: its text, size and weight."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Labels and columns of text next to the rows of a figure."""

    labels: Sequence[Sequence[Line]]
    """The lines of each row."""
    columns: Sequence[Sequence[str]]
    """Texts on the right, each column with its heading first."""
    step: float = 0.0
    """Distance of the lines of a label, in inches."""
    colors: Sequence[str] = (INK, GREY, GREY)
    """Colours of the lines of a label."""
    side: float = 0.0
    """Room on either side between the axes and these texts, in inches."""
    gaps: tuple[float, float] = (0.12, 0.14)
    """Room next to a label, and before a column."""

    @cached_property
    def labelled(self) -> float:
        """Room left of the axes without the margin, in inches."""
        widths = (widest([text], size, weight) for lines in self.labels for text, size, weight in lines)
        return self.side + self.gaps[0] + max(widths)

    @cached_property
    def widths(self) -> list[float]:
        """Width of each column."""
        return [self.gaps[1] + widest(list(column), SMALL) for column in self.columns]

    def frame(self, **options: Any) -> Frame:
        """The frame of the figure, with room for these texts."""
        right = MARGIN + self.side + sum(self.widths)
        return Frame(left=MARGIN + self.labelled, right=right, **options)

    def write_label(self, ax: Axes, row: int, y: float) -> None:
        """Write the label of a row, from the left edge of the figure."""
        lines = self.labels[row]
        for i, ((text, size, weight), color) in enumerate(zip(lines, self.colors, strict=False)):
            place = (-self.labelled, ((len(lines) - 1) / 2 - i) * self.step)
            write(ax, text, (0, y), place, coords=SIDE, size=size, weight=weight, color=color)

    def write_columns(self, ax: Axes, places: Iterable[float] | None = None) -> None:
        """Write the columns next to rows at these places; one after the other by default."""
        right, heights = self.side, None if places is None else list(places)
        for column, room in zip(self.columns, self.widths, strict=True):
            right += room
            write(ax, column[0], (1, 1), (right, 0.05), size=SMALL, color=GREY, ha="right", va="bottom")
            for y, text in zip(heights or range(len(column)), column[1:], strict=False):
                write(ax, text, (1, y), (right, 0), coords=SIDE, size=SMALL, ha="right")


def row_axes(
    frame: Frame, ax: Axes | None, rows: int, *, zero: float | None = 0.0, edge: float = 0.0
) -> Axes:
    """Axes for some rows, from above to below, with a line at zero."""
    ax = frame.axes(ax)
    bare(ax, grid="x")
    ax.set_ylim(rows - 0.5 + edge, -0.5 - edge)
    if zero is not None:
        ax.axvline(zero, color=INK, linewidth=0.8, zorder=1)
    return ax


def draw_mark(
    ax: Axes, x: float, y: float, marker: str, size: float, color: str, *, filled: bool, **more: Any
) -> None:
    """A mark with a border, filled where something is found."""
    look: dict[str, Any] = {"color": color, "markerfacecolor": color if filled else "white", **more}
    ax.plot([x], [y], marker=marker, markersize=size, markeredgewidth=1.1, zorder=3, **look)


def draw_key(
    ax: Axes, entries: Iterable[tuple[str, float, dict[str, Any]]], up: float, apart: float = 0.3
) -> None:
    """The key of marks above the axes: texts, their size, and how the marks look."""
    wide, tall, offset = axes_width(ax), axes_height(ax), 0.0
    for text, size, look in entries:
        place: dict[str, Any] = {"transform": ax.transAxes, "clip_on": False}
        ax.plot([(offset + 0.05) / wide], [1 + up / tall], **place, **look)
        write(ax, text, (0, 1), (offset + 0.14, up), size=size, ha="left")
        offset += apart + width(text, size)
