"""The progress bar of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.markup import escape
from rich.progress import BarColumn, TextColumn

from crossroads.audit import Event
from crossroads.audit.progress import Progress as Watcher
from crossroads.cli.terminal import progress as waiting
from crossroads.wording.numbers import counted

_LONGEST = 30
_TRUSTED = 10.0
"""Seconds of work after which the observed speed has the same weight as the expected one."""


@contextmanager
def watching() -> Iterator[Watcher]:
    """A bar over all work, with the current step and the estimated remaining time."""
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
    """Estimated remaining seconds: first from the expected speed, then increasingly from the observed one."""
    slower = (elapsed + _TRUSTED) / (event.worked + _TRUSTED)
    return event.seconds * (1 - event.share) * slower


def written(output: Path) -> str:
    """The message of an interruption after the folder was written."""
    return f"interrupted: the audit was already finished, and is written to {output}."


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _count(event: Event) -> str:
    """Number of finished parts, and how many of them were kept from earlier runs."""
    if not event.total:
        return ""
    parts = f"{event.done:,} of {counted(event.total, 'part')}"
    return f"{parts}, {event.kept:,} kept" if event.kept else parts
