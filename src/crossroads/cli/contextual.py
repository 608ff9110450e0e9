"""``crossroads ceat``: associations over contexts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from crossroads.auditing.contextual import CONTEXTUAL, open_contexts
from crossroads.cli import options as o
from crossroads.cli import printing, waiting
from crossroads.errors import MissingStimuliError
from crossroads.evidence import Contexts
from crossroads.inference.bootstrap import percentile_interval
from crossroads.measures import (
    CeatBatteryResult,
    CeatResult,
    MultilevelCeatResult,
    ceat_battery,
    multilevel_ceat,
)
from crossroads.stimuli import Design, batteries

open_store = open_contexts
"""Open a store of contexts, with the spellings that were asked for."""
FEW = 10
"""Words with fewer contexts than this are named."""

StoreFolder = Annotated[
    Path, typer.Argument(help="A store of context vectors, as crossroads embed writes it.", metavar="STORE")
]


class Variance(StrEnum):
    """What weighs a sample."""

    paper = "paper"
    hedges = "hedges"


def ceat_command(
    store: StoreFolder,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    samples: Annotated[int, typer.Option(help="How often to draw a context a word.", min=3)] = 10_000,
    seed: o.Seed = 0,
    ddof: o.Ddof = 1,
    variance: Annotated[
        Variance, typer.Option(help="Variance of a sample: as published, or the textbook one.")
    ] = Variance.paper,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    levels: Annotated[
        bool, typer.Option("--levels", help="Also each target alone, and the pattern that they make.")
    ] = False,
    bootstrap: Annotated[
        int,
        typer.Option(
            help="Resamples of words and contexts behind an interval; 0 for none.", metavar="N", min=0
        ),
    ] = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Test associations over contexts: the CEAT, with a p-value that speaks about the stimuli.

    Without --test or --design, C1 to C10 and I1 to I4 of the CEAT paper as far as the store goes.
    """
    designs = o.chosen_designs(test, design, default=CONTEXTUAL)
    contexts = open_store(store, fallback)
    policy = o.missing_policy(missing, test, design)
    settings: dict[str, Any] = {
        "samples": samples, "seed": seed, "ddof": ddof, "variance": variance.value,
    }  # fmt: skip
    with waiting.counting("drawing contexts", len(designs)) as (bar, task):
        result = ceat_battery(
            contexts,
            designs,
            missing=policy,
            resamples=bootstrap,
            progress=lambda name: bar.update(
                task, advance=1, description=f"drawing contexts of {escape(name)}"
            ),
            **settings,
        )
    _insist(result, designs, test)
    deeper = _levels(contexts, designs, result, settings, policy) if levels else []
    if figure is not None:
        _draw(result, deeper, figure)
    if json:
        printing.document(
            "ceat",
            result.tests,
            adjusted=result.conventions["adjusted"],
            holm=result.holm,
            bh=result.bh,
            intervals=[one.to_dict() for one in result.intervals.values()],
            levels=[one.to_dict() for one in deeper],
            skipped=result.skipped,
        )
        return
    show(result, deeper)
    printing.skipped(result.skipped)


def _insist(result: CeatBatteryResult, designs: Sequence[Design], test: list[str] | None) -> None:
    """Stop where nothing could be measured, or a test that was named could not."""
    named = {name.lower() for name in test or [] if name.lower() not in batteries()}
    for name, reason in result.skipped.items():
        if name.lower() in named or len(result.skipped) == len(designs):
            more = f" (and {len(designs) - 1} other tests)" if len(designs) > 1 and not named else ""
            raise MissingStimuliError(
                f"{name}{more} cannot be measured on this store: {reason}",
                missing={},
                hint="collect contexts of its words with crossroads contexts and crossroads embed.",
            )


def _levels(
    contexts: Contexts,
    designs: Sequence[Design],
    result: CeatBatteryResult,
    settings: dict[str, Any],
    policy: str,
) -> list[MultilevelCeatResult]:
    """The levels of every test that could be measured; those that need more words are left out and listed."""
    found = []
    for one in designs:
        if one.name in result.skipped:
            continue
        try:
            found.append(multilevel_ceat(contexts, one, missing=policy, **settings))
        except MissingStimuliError as error:
            printing.err.print(f"[yellow]warning:[/] {escape(one.name)}: no levels: {escape(error.reason)}")
    return found


def _draw(result: CeatBatteryResult, deeper: list[MultilevelCeatResult], figure: Path) -> None:
    from crossroads import plots

    if deeper:
        plots.save(plots.context_levels(deeper), figure)
    elif len(result.tests) == 1:
        interval = result.intervals.get(result.tests[0].design)
        plots.save(plots.context_histogram(result.tests[0], interval), figure)
    else:
        plots.save(plots.context_forest(result), figure)


def show(result: CeatBatteryResult, deeper: Sequence[MultilevelCeatResult]) -> None:
    """Print the tables of tests over contexts and what to read beside them."""
    printing.out.print(ceat_table(result))
    for sentence in _explained(result):
        printing.out.print(sentence, style="dim")
    if deeper:
        printing.out.print(level_table(deeper))
        printing.out.print(
            "d: combined over samples; p: the labels of the attributes exchanged on expected cosines; shown: "
            "share of samples that show the pattern by themselves.",
            style="dim",
        )
        printing.out.print(similarity_table(deeper))
    methods = [test.stimulus_method for test in result.tests]
    printing.notes([(test.design, test.coverage) for test in result.tests], methods)


def ceat_table(result: CeatBatteryResult) -> Table:
    """One line a CEAT: over samples on the left, over stimuli on the right."""
    table = printing.plain_table()
    table.add_column("test", max_width=16, overflow="fold")
    shown = ["CES", "95 % of\nsamples", "p\nsamples", "d", "p\nstimuli", "p\nHolm", "p\nBH"]
    if result.intervals:
        level = next(iter(result.intervals.values())).level
        shown[4:] = [f"{100 * level:g} % CI\nstimuli", "p\nstimuli", "p\nHolm"]
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for test, holm, bh in zip(result.tests, result.holm, result.bh, strict=True):
        interval = result.intervals.get(test.design)
        cells = [
            printing.number(test.effect_size),
            _between(percentile_interval(test.sample_effect_sizes, 0.95)),
            power_of_ten(test),
            printing.number(test.stimulus_effect_size),
        ]
        if result.intervals:
            cells.append(_between((interval.low, interval.high)) if interval else "–")
        cells += [printing.p_value(test.stimulus_pvalue, method=test.stimulus_method), printing.p_value(holm)]
        table.add_row(escape(test.design), *cells, *([] if result.intervals else [printing.p_value(bh)]))
    return table


def _between(ends: tuple[float, float]) -> str:
    return f"{printing.number(ends[0])}…{printing.number(ends[1])}"


def power_of_ten(test: CeatResult) -> str:
    """The published p-value, as a power of ten where a float runs out."""
    if test.pvalue > 1e-99:
        return printing.p_value(test.pvalue)
    return f"1e−{int(-test.log10_pvalue)}"


def _explained(result: CeatBatteryResult) -> Iterable[str]:
    """What each column tests, in words."""
    samples = result.tests[0].sample_effect_sizes.size
    yield (
        f"CES and p samples, as published: would the mean over more samples of these very words and contexts "
        f"differ from 0? Its standard error shrinks with the {samples:,} samples by construction."
    )
    yield (
        "d and p stimuli: effect size over all contexts of each word, and the labels of the targets "
        f"exchanged: the p-value that speaks about the stimuli, adjusted for {len(result.tests)} "
        f"{'test' if len(result.tests) == 1 else 'tests'}."
    )
    if result.intervals:
        yield (
            "CI: words of all four sets and contexts within each word drawn anew; the p-value takes the "
            "attributes as given, so that the interval may hold 0 where p is small."
        )
    counts = {word: n for test in result.tests for word, n in test.contexts.items()}
    least, most = min(counts.values()), max(counts.values())
    spread = f"{least:,} to {most:,} contexts, median {median(counts.values()):,.0f}"
    yield f"{len(counts):,} words with {spread if least < most else f'{least:,} contexts each'}."
    few = [word for word, n in counts.items() if n < FEW]
    if few:
        rest = f" and {len(few) - 8} more" if len(few) > 8 else ""
        yield f"Fewer than {FEW} contexts: {escape(', '.join(few[:8]))}{rest}."


def level_table(results: Sequence[MultilevelCeatResult]) -> Table:
    """Level 2 of each test, and the pattern."""
    table = printing.plain_table("Levels")
    table.add_column("test", max_width=16, overflow="fold")
    for name in ("d", "d(X)", "p(X)", "d(Y)", "p(Y)"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("pattern", no_wrap=True)
    table.add_column("shown", justify="right", no_wrap=True)
    for one in results:
        cells = [printing.number(one.level1.effect_size)]
        for level in one.level2.values():
            cells += [
                printing.number(level.effect_size),
                printing.p_value(level.stimulus_pvalue, method=level.stimulus_method),
            ]
        table.add_row(escape(one.design), *cells, one.pattern, f"{one.pattern_shares[one.pattern]:.0%}")
    return table


def similarity_table(results: Sequence[MultilevelCeatResult]) -> Table:
    """Level 3: mean cosine and the standard deviation inside a sample."""
    table = printing.plain_table("Level 3: mean cosine (standard deviation inside a sample)")
    table.add_column("test", max_width=16, overflow="fold")
    for cell in ("A with X", "B with X", "A with Y", "B with Y"):
        table.add_column(cell, justify="right", no_wrap=True)
    for one in results:
        cells = [one.level3[key] for key in ("ax", "bx", "ay", "by")]
        table.add_row(escape(one.design), *(f"{printing.number(c.mean, 3)} ({c.sd:.3f})" for c in cells))
    return table
