"""``crossroads compare``: models compared by their audits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossroads.cli import options as o
from crossroads.cli.commands.report import called, tests_of
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.inference.permutation.test import Tail
from crossroads.measures.comparison.battery import Against
from crossroads.measures.comparison.jackknife import IntervalKind
from crossroads.measures.comparison.models import Attributes, Scale
from crossroads.papers.fidelity import fidelity
from crossroads.papers.findings import findings
from crossroads.report.comparison.audits import Comparison, compare_audits
from crossroads.report.comparison.files import comparison_notes, comparison_tables
from crossroads.report.comparison.saved import saved_audits
from crossroads.report.documents.reading import records_of
from crossroads.report.files import PAGE, write_comparison
from crossroads.report.folder import check_output


def compare_command(
    audits: Annotated[
        list[Path],
        typer.Argument(help="Folders written by [b]crossroads audit[/b]; two or more.", metavar="AUDIT"),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the comparison.", metavar="FOLDER")
    ] = Path("comparison"),
    name: o.Names = None,
    against: Annotated[
        Against, typer.Option(help="Compare every pair of models, or all with the first.")
    ] = "all",
    alternative: Annotated[Tail, typer.Option(help="Which tail.")] = "two-sided",
    scale: Annotated[
        Scale,
        typer.Option(help="Changes in standard deviations, or of cosines: for models of one kind."),
    ] = "sd",
    attributes: Annotated[
        Attributes,
        typer.Option(help="Attribute words: a sample, or the only ones of interest."),
    ] = "drawn",
    interval: Annotated[
        IntervalKind, typer.Option(help="Intervals: by leaving out each word, or by resampling words.")
    ] = "jackknife",
    resamples: Annotated[
        int, typer.Option(help="Resamples of percentile intervals; 0 for no intervals.", metavar="N", min=0)
    ] = 2000,
    seed: o.Seed = 0,
    figures: Annotated[bool, typer.Option(help="Draw figures, if matplotlib is installed.")] = True,
    json: o.Json = False,
) -> None:
    """Compare the audits of two or more models.

    Every design that both have is measured again on the words that both have, with a paired test, on the
    saved vectors and over contexts; otherwise the saved numbers are shown side by side without a test.
    """
    check_output(output)
    found, repeated = records_of(audits)
    printing.repeated(repeated)
    records = called(found, name)
    saved = saved_audits(records)
    shared = {name for one in saved for name in one.designs}
    kinds = any(one.vectors is not None for one in saved) + any(one.contexts is not None for one in saved)
    with waiting.counting("comparing", len(shared) * max(kinds, 1)) as (bar, task):
        comparison = compare_audits(
            saved,
            against=against,
            alternative=alternative,
            scale=scale,
            attributes=attributes,
            interval=interval,
            resamples=resamples,
            seed=seed,
            progress=lambda _: bar.advance(task),
        )
    kept = [one for one in records if one.document["kind"] != "results"]
    absent = write_comparison(
        output,
        comparison,
        records=kept,
        figures=figures,
        findings=findings(tests_of(kept)),
        fidelity=fidelity(),
    )
    if json:
        printing.document("compare", comparison.results, output=str(output))
        return
    show_comparison(comparison)
    for sentence in absent:
        printing.out.print(sentence, style="dim", markup=False)
    printing.out.print(f"written to {output}; open {output / PAGE}", markup=False, soft_wrap=True)


def show_comparison(comparison: Comparison) -> None:
    """Print the tables of a comparison and their notes."""
    for table in comparison_tables(comparison):
        printing.show(table, elsewhere=PAGE)
    for sentence in comparison_notes(comparison):
        printing.out.print(sentence, style="dim", markup=False)
