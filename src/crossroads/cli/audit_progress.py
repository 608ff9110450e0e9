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

_LONGEST = 38


@contextmanager
def watching() -> Iterator[Watcher]:
    """A bar over all parts, with what is being done and how far that is."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} parts"),
        TextColumn("{task.fields[more]}"),
        TimeElapsedColumn(),
        console=printing.err,
        transient=True,
        disable=not printing.err.is_terminal,
    ) as bar:
        task = bar.add_task("beginning", total=1, more="")

        def watch(event: Event) -> None:
            bar.update(
                task,
                description=escape(_cut(event.doing)),
                completed=event.done,
                total=event.total or 1,
                more=_more(event),
            )

        yield watch


@contextmanager
def keeping(output: Path, *, fresh: bool = False) -> Iterator[None]:
    """Say to whoever interrupts an audit what becomes of its work."""
    try:
        yield
    except KeyboardInterrupt:
        again = "the same command without --fresh" if fresh else "the same command"
        said = f"interrupted: finished parts of {output} are kept; {again} goes on from there."
        printing.err.print(escape(said), soft_wrap=True)
        raise


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _more(event: Event) -> str:
    """How far the part is that is being done, and how many were finished before."""
    if event.steps:
        return f"{event.step / event.steps:.0%} of this one"
    return f"{event.kept} kept" if event.kept else ""
