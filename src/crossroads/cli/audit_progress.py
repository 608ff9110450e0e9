"""One account of a whole audit for whoever waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from crossroads.auditing import Event
from crossroads.auditing.watching import Progress as Watcher
from crossroads.cli import waiting
from crossroads.report.escaping import counted

_LONGEST, _WHOLE = 30, 1_000_000


@contextmanager
def watching() -> Iterator[Watcher]:
    """A bar over all work, with what is being done and about how long it will take."""
    with waiting.Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(),
    ) as bar:
        task, kept = bar.add_task("beginning", total=_WHOLE, count=""), 0

        def watch(event: Event) -> None:
            nonlocal kept
            done = round(_WHOLE * event.share)
            if event.kept > kept:  # what was there already says nothing about how fast work goes
                kept = event.kept
                bar.reset(task, completed=done)
            bar.update(task, description=escape(_cut(event.doing)), completed=done, count=_count(event))

        yield watch


def written(output: Path) -> str:
    """What is said to whoever interrupts an audit whose folder is written."""
    return f"interrupted: the audit is finished all the same, and written to {output}."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _count(event: Event) -> str:
    """How many parts are finished, and how many of them were before."""
    if not event.total:
        return ""
    parts = f"{event.done:,} of {counted(event.total, 'part')}"
    return f"{parts}, {event.kept:,} kept" if event.kept else parts
