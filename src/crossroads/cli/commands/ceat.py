"""``crossroads ceat``: associations over contexts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.markup import escape

from crossroads.audit.contexts import CONTEXTUAL
from crossroads.cli import options as o
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import MissingStimuliError
from crossroads.evidence import Contexts
from crossroads.evidence.contexts import open_contexts
from crossroads.measures import (
    CeatBatteryResult,
    MultilevelCeatResult,
    ceat_battery,
    multilevel_ceat,
)
from crossroads.measures.association.mleat import similarities_table
from crossroads.measures.contextual.ceat import Variance
from crossroads.measures.coverage.words import Missing
from crossroads.results import encode
from crossroads.stimuli import Design, batteries

open_store = open_contexts
"""Open a store of contexts, with the spellings that were asked for."""
FEW = 10
"""Words with fewer contexts than this are listed."""

StoreFolder = Annotated[
    Path, typer.Argument(help="A store of context vectors written by crossroads embed.", metavar="STORE")
]


def ceat_command(
    store: StoreFolder,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    samples: Annotated[int, typer.Option(help="Number of samples of one context per word.", min=3)] = 10_000,
    seed: o.Seed = 0,
    ddof: o.Ddof = 1,
    variance: Annotated[
        Variance, typer.Option(help="Variance of a sample: as published, or the textbook one.")
    ] = "paper",
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    levels: Annotated[
        bool, typer.Option("--levels", help="Also each target alone, and the pattern.")
    ] = False,
    bootstrap: Annotated[
        int,
        typer.Option(help="Resamples of words and contexts for an interval; 0 for none.", metavar="N", min=0),
    ] = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Test associations over contexts: the CEAT, with a p-value over stimuli.

    Without --test or --design, C1 to C10 and I1 to I4 of the CEAT paper, as far as the store has their words.
    """
    designs = o.chosen_designs(test, design, default=CONTEXTUAL)
    contexts = open_store(store, fallback)
    policy = o.missing_policy(missing, test, design)
    settings: dict[str, Any] = {
        "samples": samples, "seed": seed, "ddof": ddof, "variance": variance,
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
            adjusted_for=result.conventions["adjusted"],
            adjusted=encode(result.adjusted),
            intervals=[one.to_dict() for one in result.intervals.values()],
            levels=[one.to_dict() for one in deeper],
            skipped=result.skipped,
        )
        return
    show(result, deeper)
    printing.skipped(result.skipped)


def _insist(result: CeatBatteryResult, designs: Sequence[Design], test: list[str] | None) -> None:
    """Raise an error if nothing, or not every named test, could be measured."""
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
    policy: Missing,
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
    """Print the tables of tests over contexts and their notes."""
    printing.show(CeatBatteryResult.tabulate({result.label: result}), title=False)
    for sentence in _explained(result):
        printing.out.print(sentence, style="dim")
    levels = {one.design: one for one in deeper}
    printing.show(MultilevelCeatResult.tabulate(levels))
    printing.show(similarities_table({name: one.level3 for name, one in levels.items()}))
    printing.notes([(test.design, test.coverage) for test in result.tests])


def _explained(result: CeatBatteryResult) -> Iterable[str]:
    """Explanations of the columns."""
    samples = result.tests[0].sample_effect_sizes.size
    yield (
        "The published p asks: would the mean over more samples of the same words and contexts "
        f"differ from 0? Its standard error shrinks with the {samples:,} samples by construction."
    )
    if result.intervals:
        yield (
            "The exact p takes the attributes as given, the interval of d resamples them too, so it may "
            "contain 0 although the exact p is small."
        )
    counts = {word: n for test in result.tests for word, n in test.contexts.items()}
    least, most = min(counts.values()), max(counts.values())
    spread = f"{least:,} to {most:,} contexts, median {median(counts.values()):,.0f}"
    yield f"{len(counts):,} words with {spread if least < most else f'{least:,} contexts each'}."
    few = [word for word, n in counts.items() if n < FEW]
    if few:
        rest = f" and {len(few) - 8} more" if len(few) > 8 else ""
        yield f"Fewer than {FEW} contexts: {escape(', '.join(few[:8]))}{rest}."
