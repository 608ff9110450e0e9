"""What an audit prints: tables of everything that was measured, and what to read beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Column, Table

from crossroads.cli import contextual, printing
from crossroads.cli.fitting import fitted_widths
from crossroads.cli.probing_tables import score_table
from crossroads.errors import join_words
from crossroads.measures import AlignmentResult, BatteryResult, DetectionResult, SeriesResult, TraitScores
from crossroads.report.audit import KINDS, Audit
from crossroads.report.escaping import counted

PAGE = "report.html"
"""The page that people read."""
_MOST_GROUPS = 10
"""Groups whose traits are printed."""
_FITS = (
    "fit 1: group 1 goes with the concept and group 2 stands apart; fit 2: the reverse; ceiling: the best "
    "that can be had. p: labels of items exchanged. sign: the published test over samples that share items, "
    "far too sure."
)


def show_audit(audit: Audit, name: str | None = None) -> None:
    """Print the tables of an audit and what to read beside them.

    Parameters
    ----------
    audit
        What was measured.
    name
        What tells the model from others that were audited with it; the name that its results have by default.
    """
    printing.out.print(_heading(audit, name or audit.model))
    if audit.battery is not None:
        _show_battery(audit, audit.battery)
    if audit.detections:
        judged = counted(_judged(audit.detections.values()), "validation word")
        printing.out.print(f"\n[b]Words associated with intersectional groups[/b], judged by {judged}")
        show_fitted(printing.detection_table(audit.detections), [("right", "nothing"), ("threshold",)])
    if audit.fits:
        printing.out.print("\n[b]Geometry[/b]: which group goes with the concept")
        show_fitted(printing.rsa_table(audit.fits), [("ceiling",), ("sign",)])
        printing.out.print(_FITS, style="dim")
    if audit.series:
        printing.out.print("\n[b]Decades[/b]: effect sizes from the first to the last")
        show_fitted(series_table(audit.series), [("smallest", "largest")])
    if audit.contexts is not None:
        printing.out.print("\n[b]Contexts[/b]: the CEAT")
        contextual.show(audit.contexts, audit.context_levels)
    if audit.traits:
        _show_traits(audit.traits, audit.alignments)
    printing.skipped(audit.skipped)


def show_fitted(table: Table, spare: Sequence[tuple[str, ...]]) -> None:
    """Print a table without columns that the terminal has no room for, and name those; no number is cut.

    Where even the others have no room, every column is printed, one under the other.

    Parameters
    ----------
    table
        The table; its first column has the names, which are broken where they are long.
    spare
        Headings of columns that readers can do without, the first to go first; those that a caption explains
        go together, and the caption with them.
    """
    gone: list[str] = []
    for headings in ((), *spare):
        gone += headings
        kept = [one for one in table.columns if one.header not in gone]
        if fitted_widths(kept, printing.out.width) is not None:
            break
    else:
        gone, kept = [], table.columns
    printing.out.print(_of_columns(kept, table) if gone else table)
    if gone:
        said = f"No room here for {join_words(gone)}; {PAGE} has {'it' if len(gone) == 1 else 'them'}."
        printing.out.print(said, style="dim", markup=False)


def _of_columns(columns: Sequence[Column], whole: Table) -> Table:
    """A table of some of the columns of another, without the caption, which is about all of them."""
    table = printing.plain_table()
    table.title = whole.title
    for one in columns:
        table.add_column(one.header, justify=one.justify, no_wrap=one.no_wrap)
    for cells in zip(*(one.cells for one in columns), strict=True):
        table.add_row(*cells)
    return table


def _judged(results: Iterable[DetectionResult]) -> int:
    """How many words with a known answer detections were held against."""
    return max(
        (one.intervals["tpr"].cases + one.intervals["fpr"].cases for one in results if one.intervals),
        default=0,
    )


def show_ending(output: Path, absent: Sequence[str]) -> None:
    """Say what a folder lacks, and where its page is."""
    for sentence in dict.fromkeys(absent):
        printing.out.print(sentence, style="dim", markup=False)
    printing.out.print(f"written to {output}; open {output / PAGE}", markup=False, soft_wrap=True)


def _heading(audit: Audit, name: str) -> str:
    said = f"[b]{escape(name)}[/b]"
    if audit.battery is None:
        return f"{said}: {KINDS[audit.kind]}"
    size = audit.battery.provenance[0].details.get("vocabulary")
    what = f"{size:,} words" if isinstance(size, int) else KINDS[audit.kind]
    return f"{said}: {what}, {counted(len(audit.battery.tests), 'test')}"


def _show_battery(audit: Audit, result: BatteryResult) -> None:
    show_fitted(printing.audit_table(result, audit.ends), [("p",), ("pattern",)])
    printing.legend(result)
    alternative = result.tests[0].conventions["alternative"]
    printing.out.print(
        f"d: effect size of X against Y, in standard deviations. {printing.tail(alternative)} "
        f"p (BH): adjusted for {counted(len(result.tests), 'test')}. CI: over the choice of words in "
        "all four sets. pattern: the attribute to which each target leans by itself.",
        style="dim",
    )
    printing.detectable(result)
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
        printing.out.print(score_table(one, most=_MOST_GROUPS))
    said = "Numbers: score of the adjective shown minus that of its opposite."
    if any(len(one.groups) > _MOST_GROUPS for one in results):
        said += f" The {_MOST_GROUPS} groups with the strongest associations; all are in traits.csv."
    printing.out.print(said, style="dim")
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
