"""The terminal output of an audit: a table of every kind of result, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from rich.markup import escape

from crossroads.cli.terminal import tables as printing
from crossroads.measures import AnisotropyResult, BatteryResult
from crossroads.report.audit import KINDS, Audit, conclusions_of
from crossroads.report.renderers.texts import findings_by_status
from crossroads.wording.numbers import counted


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
    for one in audit.of(AnisotropyResult).values():
        if one.warning:
            printing.out.print(f"Warning: {one.warning}", style="yellow", markup=False)
            said.add(f"Warning: {one.warning}")  # and not again below its table
    for battery in audit.of(BatteryResult).values():
        notes = BatteryResult.tabulate({battery.label: battery}).notes
        for note in notes:
            printing.out.print(f"Warning: {note}", style="yellow", markup=False)
        said.update(notes)  # and not again below its table
    for heading, lines in findings_by_status(conclusions_of(audit)).items():
        printing.out.print(f"\n{heading}", style="bold", markup=False)
        for line in lines:
            wrapped = fill(line, printing.out.width, initial_indent="  • ", subsequent_indent="    ")
            printing.out.print(wrapped, markup=False, highlight=False)
    for kind, results in audit.by_type():
        if kind._printed:
            printing.show(kind.tabulate(results), elsewhere=printing.PAGE, said=said)
    printing.notes([(name, one.coverage) for name, one in audit.named() if one._printed])
    printing.skipped({name: why for name, (_, why) in audit.unmeasured().items()})


def show_ending(output: Path, absent: Sequence[str]) -> None:
    """Report what a folder lacks, and the path of its page."""
    for sentence in dict.fromkeys(absent):
        printing.out.print(sentence, style="dim", markup=False)
    printing.out.print(f"written to {output}; open {output / printing.PAGE}", markup=False, soft_wrap=True)


def _heading(audit: Audit, name: str) -> str:
    said, battery = f"[b]{escape(name)}[/b]", audit.one(BatteryResult)
    if battery is None:
        return f"{said}: {KINDS[audit.kind]}"
    size = battery.provenance[0].details.get("vocabulary")
    what = f"{size:,} words" if isinstance(size, int) else KINDS[audit.kind]
    return f"{said}: {what}, {counted(len(battery.tests), 'test')}"
