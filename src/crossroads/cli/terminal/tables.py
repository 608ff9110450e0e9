"""Tables and JSON documents; results go to stdout, everything else to stderr."""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

import crossroads
from crossroads.cli.terminal.widths import FittedTable, fitted_widths
from crossroads.errors import UNSEEN, join_words, printable
from crossroads.wording.table import Table as Values

if TYPE_CHECKING:
    from crossroads.results import Coverage


class _Terminal(Console):
    """A console that prints no control characters but its own: names come from files of others."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render everything that is printed: cells, messages and progress bars."""
        for one in super().render(renderable, options):
            yield one if one.control else one._replace(text=printable(one.text))


out = _Terminal(highlight=False)
err = _Terminal(stderr=True, highlight=False)
PAGE = "report.html"
"""The file name of the page."""


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


def document(command: str, results: Sequence[Any], **more: Any) -> None:
    """Write the one JSON document of a command."""
    data = {
        "crossroads": crossroads.__version__,
        "command": command,
        "results": [r.to_dict() for r in results],
        **more,
    }
    write_json(data)


def write_json(data: Any) -> None:
    """Write data as JSON; characters that terminals obey are escaped.

    If standard output cannot encode a character, all that are not ASCII are.
    """
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    plain = not encoding.startswith("utf")
    for piece in json.JSONEncoder(ensure_ascii=plain, allow_nan=False, indent=1).iterencode(data):
        sys.stdout.write(UNSEEN.sub(lambda sign: json.dumps(sign[0])[1:-1], piece))
    sys.stdout.write("\n")


_PLAIN = {
    "−": "-", "–": "-", "—": "-", "‑": "-", "…": "...", "≤": "<=", "≥": ">=", "≈": "~", "×": "x", "τ": "tau",
    "→": "->", "←": "<-", "·": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "✓": "yes", "✗": "no",
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
    return FittedTable(
        title=title,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def show(table: Values, *, title: bool = True, elsewhere: str = "", said: set[str] | None = None) -> None:
    """Print a table of results and the meaning of its columns, as far as the terminal is wide enough.

    In a narrow terminal the less important columns are dropped and named; no number is truncated. If the
    others do not fit either, every column is printed, one under the other.

    Parameters
    ----------
    table
        What to print.
    title
        Whether to print its title.
    elsewhere
        The file that has all columns; without one, only the questions are dropped.
    said
        Lines already printed below earlier tables, which are not repeated; those of this one are added.
    """
    if not table.rows:
        return
    short = table.shortened()
    # columns without values are dropped
    empty = [one.key for one in short.columns if all(row.get(one.key) is None for row in short.rows)]
    short = short.without(empty)
    kept = short
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
    gone = [one for one in short.columns if one not in kept.columns]
    said = set() if said is None else said
    if any(one.key == "question" for one in gone):
        name = short.columns[0].key
        asked = [
            f"[b]{escape(str(row[name]))}[/b]  {escape(str(row['question']))}"
            for row in short.rows
            if row.get("question")
        ]
        for line in asked:
            if line not in said:
                out.print(line)
        said.update(asked)
    heads = [one.head for one in gone if one.key != "question"]
    if heads:
        where = f"Not shown here: {join_words(heads)}; see {elsewhere}."
        out.print(where, style="dim", markup=False)
    if reading := [one for one in kept.reading() if one not in said]:
        out.print(" ".join(reading), style="dim", markup=False)
        said.update(reading)


def _rich(table: Values) -> Table:
    """A table as rich prints it."""
    found = plain_table()
    for one, right in zip(table.columns, table.right(), strict=True):
        found.add_column(escape(one.head), justify="right" if right else "left", no_wrap=right)
    for cells in table.cells():
        found.add_row(*map(escape, cells))
    return found


def notes(coverages: Iterable[tuple[str, Coverage | None]]) -> None:
    """Report stimuli left out of the numbers above, and those found under another spelling."""
    from crossroads.results import describe_coverage  # with it comes numpy

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
