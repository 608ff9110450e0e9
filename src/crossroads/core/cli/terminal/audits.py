"""An audit in the terminal: its progress bar, and a table of every kind of result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import Any

from rich.markup import escape
from rich.progress import BarColumn, TextColumn

from crossroads.core.audit.progress import Event
from crossroads.core.audit.progress import Progress as Watcher
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.report.audit import KINDS, Audit, conclusions_of
from crossroads.core.report.files import PAGE, Joint
from crossroads.core.report.renderers.texts import findings_by_status
from crossroads.core.wording.numbers import counted

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


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _count(event: Event) -> str:
    """Number of finished parts, and how many of them were kept from earlier runs."""
    if not event.total:
        return ""
    parts = f"{event.done:,} of {counted(event.total, 'part')}"
    return f"{parts}, {event.kept:,} kept" if event.kept else parts


def show_audit(audit: Audit, name: str | None = None, said: set[str] | None = None) -> None:
    """Print the tables of an audit and their notes.

    Parameters
    ----------
    audit
        What was measured.
    name
        Unique name of the model; by default the one in its results.
    said
        Sentences already printed below the tables of other models, which are not repeated.
    """
    printing.out.print(_heading(audit, name or audit.model))
    said = set() if said is None else said
    for kind, results in reversed(audit.by_type()):  # what concerns the whole space comes first
        for note in kind._warnings(results):
            warning = f"Warning: {note.removeprefix('Warning: ')}"
            printing.out.print(warning, style="yellow", markup=False)
            said.add(note)  # and not again below its table
    for heading, lines in findings_by_status(conclusions_of(audit)).items():
        printing.out.print(f"\n{heading}", style="bold", markup=False)
        for line in lines:
            wrapped = fill(line, printing.out.width, initial_indent="  • ", subsequent_indent="    ")
            printing.out.print(wrapped, markup=False, highlight=False)
    for kind, results in audit.by_type():
        if printing.out.verbose or kind._printed:
            printing.show(kind._tabulate(results), elsewhere=printing.PAGE, said=said)
    printing.notes([(name, one.coverage) for name, one in audit.named() if one._printed])
    printing.skipped({name: why for name, (_, why) in audit.unmeasured().items()})


def show_joint(joint: Joint) -> None:
    """Print the tables of a comparison and their notes."""
    for table in joint.tables:
        printing.show(table, elsewhere=PAGE)
    for sentence in joint.notes:
        printing.out.print(sentence, style="dim", markup=False)


def _heading(audit: Audit, name: str) -> str:
    said = f"[b]{escape(name)}[/b]"
    battery: Any = next((one for one in audit.values() if one._tests_on == "words"), None)
    if battery is None:
        return f"{said}: {KINDS[audit.kind]}"
    size = battery.provenance[0].details.get("vocabulary")
    what = f"{size:,} words" if isinstance(size, int) else KINDS[audit.kind]
    return f"{said}: {what}, {counted(len(battery.tests), 'test')}"
