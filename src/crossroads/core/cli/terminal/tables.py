"""Tables and JSON documents; results go to stdout, everything else to stderr."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markup import escape
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

import crossroads
from crossroads.core.errors import UNSEEN, join_words, printable
from crossroads.core.wording.table import Table as Values

if TYPE_CHECKING:
    from crossroads.core.results import Coverage


class _Terminal(Console):
    """A console that prints no control characters but its own: names come from files of others."""

    verbose = False
    """Whether all tables are printed, with all rows."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render everything that is printed: cells, messages and progress bars."""
        for one in super().render(renderable, options):
            yield one if one.control else one._replace(text=printable(one.text))


out = _Terminal(highlight=False)
err = _Terminal(stderr=True, highlight=False)
PAGE = "report.html"  # the file name of the page


def repeated(places: Iterable[str]) -> None:
    """Report duplicates among saved results."""
    for place in places:
        said = f"{place} has the same results as another input; they are used once."
        err.print(said, markup=False, soft_wrap=True)


def unshown(parts: Mapping[str, str]) -> None:
    """Report contents of saved files that a page does not show, and why."""
    if parts:
        told = "; ".join(f"{name} ({why})" for name, why in parts.items())
        err.print(f"not shown here: {told}.", markup=False, soft_wrap=True)


def ending(output: Path, absent: Iterable[str]) -> None:
    """Report what a folder lacks, and the path of its page."""
    for sentence in dict.fromkeys(absent):
        out.print(sentence, style="dim", markup=False)
    out.print(f"written to {output}; open {output / PAGE}", markup=False, soft_wrap=True)


def document(command: str, results: Sequence[Any], **more: Any) -> None:
    """Write the one JSON document of a command."""
    about = {"crossroads": crossroads.__version__, "command": command}
    write_json({**about, "results": [one.to_dict() for one in results], **more})


def write_json(data: Any) -> None:
    """Write data as JSON; characters that standard output cannot encode are escaped."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    for piece in json_pieces(data, plain=not encoding.startswith("utf")):
        sys.stdout.write(piece)


def json_pieces(data: Any, *, plain: bool = False) -> Iterator[str]:
    """JSON in pieces; characters that terminals obey are escaped, and if asked for all that are not ASCII."""
    for piece in json.JSONEncoder(ensure_ascii=plain, allow_nan=False, indent=1).iterencode(data):
        yield UNSEEN.sub(lambda sign: json.dumps(sign[0])[1:-1], piece)
    yield "\n"


_PLAIN = {
    "−": "-", "–": "-", "—": "-", "‑": "-", "…": "...", "≤": "<=", "≥": ">=", "≈": "~", "×": "x", "τ": "tau",
    "→": "->", "←": "<-", "·": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "✓": "yes", "✗": "no",
    "\N{NO-BREAK SPACE}": " ",
}  # fmt: skip
"""Replacements for terminals that have only ASCII."""


def in_plain_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    """Replace a character that a stream cannot encode; an error handler of :mod:`codecs`.

    Bytes of a path that are not characters are written unchanged.
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    byte = ord(sign) - 0xDC00
    return bytes([byte]) if 0x80 <= byte <= 0xFF else _PLAIN.get(sign, "?"), error.start + 1


codecs.register_error("crossroads.plain", in_plain_signs)


def plain_table(title: str | None = None) -> Table:
    """A table with a line under its header only, which never truncates a number."""
    style: dict[str, Any] = {"box": box.SIMPLE_HEAD, "title_justify": "left", "title_style": "bold"}
    return FittedTable(title=title, pad_edge=False, padding=(0, 1, 0, 0), **style)


def show(table: Values, *, title: bool = True, elsewhere: str = "", said: set[str] | None = None) -> None:
    """Print a table of results and the meaning of its columns, as far as the terminal is wide enough.

    In a narrow terminal the less important columns are dropped and named; no number is truncated. If the
    others do not fit either, every column is printed, one under the other.

    ``elsewhere`` is the file that has all columns; without one, only the questions are dropped. ``said`` are
    lines already printed below earlier tables, which are not repeated; those of this one are added.
    """
    if not table.rows:
        return
    short = table if out.verbose else table.shortened()
    short = short.without(one.key for one in short.columns if all(r.get(one.key) is None for r in short.rows))
    spares = {
        one.key: one.spare for one in short.columns if one.spare and (elsewhere or one.key == "question")
    }
    for spare in (0, *sorted(set(spares.values()))):
        kept = short.without(key for key, place in spares.items() if place <= spare)
        if fitted_widths(_rich(kept).columns, out.width) is not None:
            break
    else:
        kept = short
    if title:
        out.print(f"\n[b]{escape(table.title)}[/b]")
    out.print(_rich(kept))
    said = set() if said is None else said
    gone = {one.key: one.head for one in short.columns if one not in kept.columns}
    if gone.pop("question", None):
        asked = [(str(row[short.columns[0].key]), row.get("question")) for row in short.rows]
        lines = [f"[b]{escape(name)}[/b]  {escape(str(question))}" for name, question in asked if question]
        for line in lines:
            if line not in said:
                out.print(line)
        said.update(lines)
    if gone:
        where = f"Not shown here: {join_words(gone.values())}; see {elsewhere}."
        out.print(where, style="dim", markup=False)
    if reading := [one for one in kept.reading() if one not in said]:
        out.print(" ".join(reading), style="dim", markup=False)
        said.update(reading)


def _rich(table: Values) -> Table:
    found = plain_table()
    for one, right in zip(table.columns, table.right(), strict=True):
        found.add_column(escape(one.head), justify="right" if right else "left", no_wrap=right)
    for cells in table.cells():
        found.add_row(*map(escape, cells))
    return found


def notes(coverages: Iterable[tuple[str, Coverage | None]]) -> None:
    """Report stimuli left out of the numbers above, and those found under another spelling."""
    from crossroads.core.results import describe_coverage  # with it comes numpy

    respelled: dict[str, str] = {}
    left_out: dict[str, list[str]] = {}
    known = [(name, coverage) for name, coverage in coverages if coverage is not None]
    for name, coverage in known:
        for sentence in describe_coverage(coverage):
            if not sentence.startswith("found"):
                left_out.setdefault(sentence, []).append(name)
        respelled.update(coverage.respelled)
    for sentence, names in left_out.items():
        # what holds for all needs no names
        about = "" if len(names) == len(known) else f"{', '.join(dict.fromkeys(names))}: "
        out.print(f"{about}{sentence}", style="dim", markup=False)
    if respelled:
        shown = ", ".join(f"{word} as {how}" for word, how in list(respelled.items())[:3])
        rest = f" and {len(respelled) - 3} more" if len(respelled) > 3 else ""
        out.print(f"{len(respelled)} found under another spelling: {escape(shown)}{rest}", style="dim")


def skipped(reasons: Mapping[str, str]) -> None:
    """Report what could not be measured, and why."""
    for name, reason in reasons.items():
        out.print(f"{name}: not tested: {reason}", style="dim", markup=False)


_WORD = 16  # largest width of a single word; longer ones, such as file names, are broken
_SENTENCE = 12  # width below which a cell of several words is hard to read


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

    ``room`` is the width of the terminal; each column takes two characters besides its cells.
    """
    # where nothing is broken, up to a limit
    most = [min(_widest(_texts(column)), column.max_width or 10_000) for column in columns]
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


def _least(column: Column) -> int:
    """The width of a column in which no number is broken, and only long words are."""
    heading, *cells = _texts(column)
    words = [word for text in (heading, *cells) for word in text.split()]
    if column.justify == "right":
        return max(_widest(heading.split()), _widest(cells))
    return max(min(_widest(words), _WORD), _SENTENCE)
