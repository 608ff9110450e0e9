"""What an audit prints: tables of everything that was measured, and what to read beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from crossroads.cli import contextual, printing
from crossroads.cli.probing_tables import score_table
from crossroads.measures import AlignmentResult, BatteryResult, SeriesResult, TraitScores
from crossroads.report.audit import KINDS, Audit
from crossroads.report.escaping import counted

PAGE = "report.html"
"""The page that people read."""


def show_audit(audit: Audit) -> None:
    """Print the tables of an audit and what to read beside them."""
    printing.out.print(_heading(audit))
    if audit.battery is not None:
        _show_battery(audit, audit.battery)
    if audit.detections:
        printing.out.print("\n[b]Words associated with two groups[/b], judged by 98 validation words")
        printing.out.print(printing.detection_table(audit.detections))
    if audit.fits:
        printing.out.print("[b]Geometry[/b]: which group goes with the concept")
        printing.out.print(printing.rsa_table(audit.fits))
    if audit.series:
        printing.out.print("\n[b]Decades[/b]: effect sizes from the first to the last")
        printing.out.print(series_table(audit.series))
    if audit.contexts is not None:
        printing.out.print("\n[b]Contexts[/b]: the CEAT")
        contextual.show(audit.contexts, audit.context_levels)
    if audit.traits:
        _show_traits(audit.traits, audit.alignments)
    printing.skipped(audit.skipped)


def show_ending(output: Path, absent: Sequence[str]) -> None:
    """Say what a folder lacks, and where its page is."""
    for sentence in dict.fromkeys(absent):
        printing.out.print(sentence, style="dim", markup=False)
    printing.out.print(f"written to {output}; open {output / PAGE}", markup=False, soft_wrap=True)


def _heading(audit: Audit) -> str:
    said = f"[b]{escape(audit.model)}[/b]"
    if audit.battery is None:
        return f"{said}: {KINDS[audit.kind]}"
    size = audit.battery.provenance[0].details.get("vocabulary")
    what = f"{size:,} words" if isinstance(size, int) else KINDS[audit.kind]
    return f"{said}: {what}, {len(audit.battery.tests)} tests"


def _show_battery(audit: Audit, result: BatteryResult) -> None:
    printing.out.print(printing.audit_table(result, audit.ends))
    printing.legend(result)
    alternative = result.tests[0].conventions["alternative"]
    printing.out.print(
        f"d: effect size of X against Y, in standard deviations. p: share of all divisions of the targets, "
        f"{alternative}. p (BH): adjusted for {counted(len(result.tests), 'test')}. CI: over the choice of "
        "words in all four sets. pattern: the attribute to which each target leans by itself.",
        style="dim",
    )
    printing.notes([(t.design, t.coverage) for t in result.tests], [t.level1.method for t in result.tests])


def series_table(results: Sequence[SeriesResult]) -> Table:
    """One line a test: where it began, where it ended, and between which values it moved."""
    table = printing.plain_table()
    table.add_column("test", no_wrap=True)
    for name in ("decades", "first d", "last d", "smallest", "largest", "p < .05"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in results:
        tests = list(one.points.values())
        sizes = [test.level1.effect_size for test in tests]
        table.add_row(
            escape(one.design),
            f"{min(one.points)}–{max(one.points)}",
            *(printing.number(size) for size in (sizes[0], sizes[-1], min(sizes), max(sizes))),
            f"{sum(test.level1.pvalue < 0.05 for test in tests)} of {len(tests)}",
        )
    return table


def _show_traits(results: Sequence[TraitScores], alignments: Mapping[str, AlignmentResult]) -> None:
    for one in results:
        printing.out.print(score_table(one))
    printing.out.print("Numbers: score of the adjective shown minus that of its opposite.", style="dim")
    if alignments:
        printing.out.print(agreement_table(alignments))


def agreement_table(alignments: Mapping[str, AlignmentResult]) -> Table:
    """One line a measure and kind of people: how far both agree."""
    table = printing.plain_table("Beside human judgements")
    table.add_column("measure", overflow="fold")
    for name in ("groups", "τ", "95 % CI", "P@3"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, one in alignments.items():
        ends = one.interval
        table.add_row(
            escape(name),
            str(len(one.groups)),
            printing.number(one.kendall_tau, 3),
            f"{printing.number(ends[0])} to {printing.number(ends[1])}" if ends else "–",
            printing.number(one.precision_at_3, 3),
        )
    return table
