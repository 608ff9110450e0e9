"""Tables that fit the terminal: text may be wrapped, numbers never."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

_WORD = 16
"""Largest width of a single word; longer ones, such as file names, are broken."""
_SENTENCE = 12
"""Width below which a cell of several words is hard to read."""


class FittedTable(Table):
    """A table whose numbers are never broken; if it is too wide, one block per row.

    Right-justified columns (``justify="right"``) contain numbers. Their cells are never broken; their
    headings and all other cells may be wrapped between words.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render as a table if it fits, otherwise as blocks."""
        widths = fitted_widths(self.columns, options.max_width)
        if widths is None:
            yield from self._blocks(options.max_width)
            return
        for column, width in zip(self.columns, widths, strict=True):
            column.width, column.no_wrap, column.overflow = width, False, "fold"
        yield from super().__rich_console__(console, options)

    def _blocks(self, room: int) -> RenderResult:
        """One line per cell, with its heading."""
        names = [_texts(column)[0] for column in self.columns]
        names = [" ".join(name.split()) or "value" for name in names]
        widest = _widest([text for one in self.columns if one.justify == "right" for text in _texts(one)[1:]])
        most = min(max(map(cell_len, names)), max(room - widest - 3, room // 4))
        if self.title is not None:
            yield Text.from_markup(str(self.title), style="bold")
        for row, cells in enumerate(zip(*(column.cells for column in self.columns), strict=True)):
            block = Table.grid(padding=(0, 2, 0, 0))
            block.add_column(width=most, overflow="fold")
            block.add_column(overflow="fold")
            for name, cell in zip(names, cells, strict=True):
                if cell:
                    block.add_row(Text(name, style="dim"), cell, style=self.rows[row].style)
            yield Padding(block, (0 if row == 0 and self.title is not None else 1, 0, 0, 1))
        yield ""
        if self.caption is not None:
            yield Text.from_markup(str(self.caption), style="dim italic")


def fitted_widths(columns: Sequence[Column], room: int) -> list[int] | None:
    """Width of each column, or None if a number would have to be broken.

    Parameters
    ----------
    columns
        Columns with their cells.
    room
        Width of the terminal; each column of a table takes two characters besides its cells.
    """
    most = [_most(column) for column in columns]
    widths = list(starmap(min, zip(most, map(_least, columns), strict=True)))
    spare = room - 2 * len(columns) - sum(widths)
    if spare < 0:
        return None
    for at in sorted(range(len(columns)), key=lambda at: most[at] - widths[at]):
        more = min(most[at] - widths[at], spare)
        widths[at] += more
        spare -= more
    return widths


def _texts(column: Column) -> list[str]:
    return [Text.from_markup(str(cell)).plain for cell in (column.header, *column.cells)]


def _widest(texts: Sequence[str]) -> int:
    return max((cell_len(line) for text in texts for line in text.split("\n")), default=0)


def _most(column: Column) -> int:
    """The width of a column in which nothing is broken, up to a limit."""
    return min(_widest(_texts(column)), column.max_width or 10_000)


def _least(column: Column) -> int:
    """The width of a column in which no number is broken, and only long words are."""
    heading, *cells = _texts(column)
    words = [word for text in (heading, *cells) for word in text.split()]
    if column.justify == "right":
        return max(_widest(heading.split()), _widest(cells))
    return max(min(_widest(words), _WORD), _SENTENCE)
