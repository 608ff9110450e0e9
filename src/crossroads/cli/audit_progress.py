"""One account of a whole audit for whoever waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, TextColumn

from crossroads.auditing import Event
from crossroads.auditing.watching import Progress as Watcher
from crossroads.cli import waiting
from crossroads.report.escaping import counted

_LONGEST = 30
_TRUSTED = 10.0
"""Seconds of work after which what was seen counts as much as what was supposed."""


@contextmanager
def watching() -> Iterator[Watcher]:
    """A bar over all work, with what is being done and about how long it will take."""
    with waiting.Bar(
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[count]}"),
        waiting.TimeLeft(),
    ) as bar:
        task, begun = bar.add_task("beginning", total=1.0, count=""), bar.get_time()

        def watch(event: Event) -> None:
            now = bar.get_time()
            bar.update(
                task,
                description=escape(_cut(event.doing)),
                completed=event.share,
                count=_count(event),
                due=now + _left(event, now - begun),
            )

        yield watch


def _left(event: Event, elapsed: float) -> float:
    """About how many seconds are left: as work was weighed at first, and more and more as long as it took."""
    slower = (elapsed + _TRUSTED) / (event.worked + _TRUSTED)
    return event.seconds * (1 - event.share) * slower


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
