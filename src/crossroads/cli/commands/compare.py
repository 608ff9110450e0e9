"""``crossroads compare`` and ``crossroads runs``: models compared by audits, or by logs of benchmarks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crossroads.cli import options as o
from crossroads.cli.commands.report import called, tests_of
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import join_words
from crossroads.evidence.runs import Runs
from crossroads.inference.clustered import DRAWS
from crossroads.inference.crossed import LEVEL
from crossroads.inference.permutation.test import Tail
from crossroads.measures.comparison.battery import Against
from crossroads.measures.comparison.intervals import IntervalKind
from crossroads.measures.comparison.models import Attributes, Scale
from crossroads.measures.comparison.run_results import RunsResult
from crossroads.measures.comparison.runs import compare_runs
from crossroads.papers.fidelity import fidelity
from crossroads.papers.findings import findings
from crossroads.report.audit import Audit
from crossroads.report.comparison.audits import Comparison, compare_audits
from crossroads.report.comparison.files import comparison_notes, comparison_tables
from crossroads.report.comparison.saved import saved_audits
from crossroads.report.documents.names import apart, once
from crossroads.report.documents.records import read_records
from crossroads.report.files import PAGE, write_audit, write_comparison
from crossroads.report.folder import check_output
from crossroads.sources.runs.read import named_logs, read_runs
from crossroads.wording.numbers import counted


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
    found, repeated = once(record for path in audits for record in read_records(path))
    printing.repeated(repeated)
    records = called(apart(found), name)
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


def runs_command(
    logs: Annotated[
        list[str],
        typer.Argument(
            help="Logs, or folders of logs: samples_*.jsonl of lm-evaluation-harness, .eval or .json of "
            "Inspect. NAME=LOG gives the model another name.",
            metavar="LOG",
        ),
    ],
    metric: Annotated[
        list[str] | None, typer.Option(help="A metric to compare; all without.", metavar="NAME")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(help="Field of the data that items share; none: every item by itself.", metavar="FIELD"),
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="Field by which to divide items, such as category.", metavar="FIELD")
    ] = None,
    against: Annotated[
        Against, typer.Option(help="Compare every pair of models, or all with the first.")
    ] = "all",
    difference: Annotated[
        float | None,
        typer.Option(help="Say how many items would show this difference.", metavar="NUMBER"),
    ] = None,
    level: Annotated[float, typer.Option(help="Level of the intervals.")] = LEVEL,
    draws: Annotated[
        int, typer.Option(help="Exchanges drawn where they cannot be counted.", metavar="N", min=1)
    ] = DRAWS,
    seed: o.Seed = 0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Folder for a report.", metavar="DIR")
    ] = None,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Compare models on benchmarks that other programs ran, from their logs.

    Models are compared item by item, and items that share a template count as one cluster.
    """
    if output is not None:
        check_output(output)
    named: dict[str | None, list[Path]] = {}
    for name, path in named_logs(logs):
        named.setdefault(name, []).append(path)
    found = [run for name, some in named.items() for run in read_runs(some if name is None else {name: some})]
    result = compare_runs(
        Runs(found),
        metric=metric or None,
        cluster=cluster,
        by=by,
        against=against,
        difference=difference,
        level=level,
        draws=draws,
        seed=seed,
    )
    if figure is not None:
        from crossroads import plots

        plots.save(plots.runs_plot(result), figure)
    absent: list[str] = []
    if output is not None:
        audit = Audit({"runs": result}, kind="results", name=" / ".join(result.models))
        absent = write_audit(output, audit, ())
    if json:
        printing.document("runs", [result], **({} if output is None else {"output": str(output)}))
        return
    show_runs(result)
    for sentence in absent:
        printing.out.print(sentence, style="dim", markup=False)
    if output is not None:
        printing.out.print(f"written to {output}; open {output / PAGE}", markup=False, soft_wrap=True)


def show_runs(result: RunsResult) -> None:
    """Print what was found, and the tables that say how sure it is."""
    items = max((one.found.items for one in result.means), default=0)
    printing.out.print(
        f"{counted(len(result.models), 'model')} on {counted(len(result.tasks), 'task')}, up to "
        f"{counted(items, 'item')} each: {join_words(result.models, most=6)}",
        markup=False,
    )
    surest = [one for one in result.conclusions("runs") if one.status == "holds"]
    for heading in dict.fromkeys(one.heading for one in surest):
        printing.out.print(heading, style="bold", markup=False)
        for one in surest:
            if one.heading == heading:
                printing.out.print(f"  {one.sentence}", markup=False)
    asked = len(list(result.conclusions("runs")))
    if asked > len(surest):
        rest = counted(asked - len(surest), "question")
        printing.out.print(f"Nothing was found for {rest}, after adjustment.", markup=False)
    said: set[str] = set()
    printing.show(result.table(), said=said)
    if result.differences:
        printing.show(result.means_table(), said=said)


def show_comparison(comparison: Comparison) -> None:
    """Print the tables of a comparison and their notes."""
    for table in comparison_tables(comparison):
        printing.show(table, elsewhere=PAGE)
    for sentence in comparison_notes(comparison):
        printing.out.print(sentence, style="dim", markup=False)
