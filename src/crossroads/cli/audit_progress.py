"""One progress display for a whole audit, on stderr, where somebody is watching."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from crossroads.auditing import Event
from crossroads.auditing.watching import Progress as Watcher
from crossroads.cli import printing
from crossroads.report.escaping import counted

_LONGEST = 38


@contextmanager
def watching() -> Iterator[Watcher]:
    """A bar over all parts, with what is being done and how far that is."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TextColumn("{task.fields[count]}"),
        TextColumn("{task.fields[more]}"),
        TimeElapsedColumn(),
        console=printing.err,
        transient=True,
        disable=not printing.err.is_terminal,
    ) as bar:
        task = bar.add_task("beginning", total=1, count="", more="")

        def watch(event: Event) -> None:
            bar.update(
                task,
                description=escape(_cut(event.doing)),
                completed=event.done,
                total=event.total or 1,
                count=f"{event.done:,} of {counted(event.total, 'part')}" if event.total else "",
                more=_more(event),
            )

        yield watch


def written(output: Path) -> str:
    """What is said to whoever interrupts an audit whose folder is written."""
    return f"interrupted: the audit is finished all the same, and written to {output}."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _more(event: Event) -> str:
    """How far the part is that is being done, and how many were finished before."""
    if event.steps:
        return f"{event.step / event.steps:.0%} of this one"
    return f"{event.kept} kept" if event.kept else ""
