"""``crossroads compare``: two or more saved audits beside each other, with paired tests."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from crossroads.cli import options as o
from crossroads.cli import printing, waiting
from crossroads.cli.reporting import called, tests_of
from crossroads.measures import CompareBatteryResult, CompareTraitsResult
from crossroads.papers import fidelity, findings
from crossroads.report.comparing import Comparison, compare_audits
from crossroads.report.comparison_sentences import (
    OVER_CONTEXTS,
    changes_told,
    exchanged_told,
    left_out,
    taken_as_given,
    tested_name,
    tests_together,
)
from crossroads.report.distinct import apart, once
from crossroads.report.folder import check_output
from crossroads.report.records import read_records
from crossroads.report.saved import saved_audits
from crossroads.report.writing import PAGE, write_comparison


class Against(StrEnum):
    """Which models are compared with which."""

    every = "all"
    first = "first"


class Tail(StrEnum):
    """Tails of which p-values can be adjusted."""

    two_sided = "two-sided"
    greater = "greater"
    less = "less"


class Scale(StrEnum):
    """On which scale associations are compared."""

    sd = "sd"
    cosine = "cosine"


class Attributes(StrEnum):
    """Whether attribute words are a choice among many."""

    drawn = "drawn"
    given = "given"


class Interval(StrEnum):
    """How intervals of differences are found."""

    jackknife = "jackknife"
    percentile = "percentile"


_TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided (d 1 larger)",
    "less": "one-sided (d 1 smaller)",
}


def compare_command(
    audits: Annotated[
        list[Path],
        typer.Argument(help="Folders that [b]crossroads audit[/b] wrote; two or more.", metavar="AUDIT"),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the comparison goes.", metavar="FOLDER")
    ] = Path("comparison"),
    name: o.Names = None,
    against: Annotated[
        Against, typer.Option(help="Compare every two models, or all with the first.")
    ] = Against.every,
    alternative: Annotated[Tail, typer.Option(help="Which tail.")] = Tail.two_sided,
    scale: Annotated[
        Scale,
        typer.Option(help="Changes in standard deviations, or of cosines: for models of one kind."),
    ] = Scale.sd,
    attributes: Annotated[
        Attributes,
        typer.Option(help="Attribute words: a choice among many, or the only ones of interest."),
    ] = Attributes.drawn,
    interval: Annotated[
        Interval, typer.Option(help="Intervals: leaving out each word, or drawing words anew.")
    ] = Interval.jackknife,
    resamples: Annotated[
        int, typer.Option(help="Resamples of percentile intervals; 0 for no intervals.", metavar="N", min=0)
    ] = 2000,
    seed: o.Seed = 0,
    figures: Annotated[bool, typer.Option(help="Draw figures, where matplotlib is installed.")] = True,
    json: o.Json = False,
) -> None:
    """Compare the audits of two or more models.

    Every design that both have is measured anew on the words that both have, with a paired test, on the
    vectors that the audits kept and over contexts; else the saved numbers are set beside each other without
    a test.
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
            against=against.value,
            alternative=alternative.value,
            scale=scale.value,
            attributes=attributes.value,
            interval=interval.value,
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
    """Print the tables of a comparison and what to read beside them."""
    battery = comparison.battery
    for i, model in enumerate(battery.models, start=1):
        printing.out.print(f"[b]{i}[/b]  {escape(model)}")
    if battery.tests:
        printing.out.print(comparison_table(battery))
        some = any(battery.intervals)
        ends = "CI: of the difference, over the choice of words, the same in both. " if some else ""
        printing.out.print(
            f"d: effect size on the words that both models have. {ends}p: labels of the "
            f"{changes_told(battery)} from model to model exchanged{exchanged_told(battery)}, "
            f"{_TAILS[battery.conventions['alternative']]}; "
            f"adjusted for {tests_together(comparison)}.",
            style="dim",
        )
        if any(test.contexts for test in battery.tests):
            printing.out.print(f"{OVER_CONTEXTS}.", style="dim")
        printing.notes([], [test.method for test in battery.tests])
        for sentence in (*taken_as_given(battery), *left_out(battery)):
            printing.out.print(sentence, style="dim", markup=False)
    if battery.unpaired:
        printing.out.print("\n[b]Differences of saved numbers[/b], without a test")
        printing.out.print(saved_table(battery))
        for reason in dict.fromkeys(one.reason for one in battery.unpaired):
            printing.out.print(reason, style="dim", markup=False)
    if comparison.traits:
        printing.out.print("\n[b]Groups and traits[/b]: how far models agree")
        printing.out.print(trait_table(comparison.traits, battery.models))
    for note in battery.notes:
        printing.out.print(note, style="dim", markup=False)
    for name, why in battery.skipped.items():
        printing.out.print(f"not compared: {name}: {why}", style="dim", markup=False)


def _numbers(pair: tuple[str, str], models: tuple[str, ...]) -> str:
    """The two models of a comparison, as the list above the table numbers them."""
    return f"{models.index(pair[0]) + 1}–{models.index(pair[1]) + 1}"


def comparison_table(battery: CompareBatteryResult) -> Table:
    """One line a design and pair of models; narrow terminals have no room for a second adjustment."""
    wide, two = printing.out.width >= printing.WIDE, len(battery.models) == 2
    table = printing.plain_table()
    table.add_column("test", min_width=8, max_width=24, overflow="fold")
    if not two:
        table.add_column("models", no_wrap=True)
    ends_named = {ends.level for ends in battery.intervals if ends is not None}
    interval = f"{100 * next(iter(ends_named)):g} % CI" if len(ends_named) == 1 else "CI"
    for name in ("d 1", "d 2", "d 1 − 2", interval, "p", "p (Holm)", *(["p (BH)"] if wide else [])):
        table.add_column(name, justify="right", no_wrap=True)
    for test, pair, ends, holm, bh in zip(
        battery.tests, battery.pairs, battery.intervals, battery.holm, battery.bh, strict=True
    ):
        table.add_row(
            escape(tested_name(test)),
            *([] if two else [_numbers(pair, battery.models)]),
            *(printing.number(d) for d in test.effect_sizes),
            printing.number(test.difference),
            "–" if ends is None else f"{printing.number(ends.low)} to {printing.number(ends.high)}",
            printing.p_value(test.pvalue, method=test.method),
            printing.p_value(holm),
            *([printing.p_value(bh)] if wide else []),
        )
    return table


def saved_table(battery: CompareBatteryResult) -> Table:
    """One line a difference that has no test."""
    table = printing.plain_table()
    table.add_column("test", max_width=24, overflow="fold")
    table.add_column("measure", no_wrap=True)
    table.add_column("models", no_wrap=True)
    for name in ("d 1", "d 2", "difference"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in battery.unpaired:
        table.add_row(
            escape(one.design),
            escape(one.measure),
            _numbers(one.models, battery.models),
            *(printing.number(d) for d in one.effect_sizes),
            printing.number(one.difference),
        )
    return table


def trait_table(results: tuple[CompareTraitsResult, ...], models: tuple[str, ...]) -> Table:
    """One line a measure and pair of models, with the cell on which they differ most.

    Narrow terminals have no room for adjusted p-values.
    """
    wide = printing.out.width >= printing.WIDE
    table = printing.plain_table()
    table.add_column("scores")
    table.add_column("models", no_wrap=True)
    for name in ("τ", "CI", "p groups", "p traits", *(["Holm groups", "Holm traits"] if wide else [])):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("largest difference")
    for one in results:
        exchanged = [one.exchanges.get(name) for name in ("groups", "traits")]
        adjusted = [one.holm.get(name) for name in ("groups", "traits")] if wide else []
        top = one.largest(1)[0]
        ends = one.interval
        table.add_row(
            escape(one.measures[0]),
            _numbers(one.models, models),
            printing.number(one.kendall_tau),
            "–" if ends is None else f"{printing.number(ends[0])} to {printing.number(ends[1])}",
            *("–" if found is None else printing.p_value(found.pvalue) for found in exchanged),
            *("–" if p is None else printing.p_value(p) for p in adjusted),
            escape(f"{top['group']}, {top['trait']}: {printing.number(top['difference'])}"),
        )
    return table
