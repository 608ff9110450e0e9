"""``crossroads ceat``: associations over contexts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from rich.markup import escape

from crossroads.contexts.measures.battery import CeatBatteryResult, ceat_battery
from crossroads.contexts.measures.ceat import Variance
from crossroads.contexts.measures.levels import MultilevelCeatResult, multilevel_ceat
from crossroads.core.audit.audit import CONTEXTUAL
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, Opt, Outcome, Written, command
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import MissingStimuliError
from crossroads.core.evidence import Contexts
from crossroads.core.evidence.contexts import open_contexts
from crossroads.core.results import encode
from crossroads.core.stimuli import Design, batteries
from crossroads.words.measures.mleat import similarities_table

FEW = 10
"""Words with fewer contexts than this are listed."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """A store of context vectors, and how contexts are drawn from it."""

    store: Annotated[
        Path,
        Arg("STORE", "A store of context vectors, as crossroads embed writes it."),
    ]
    levels: Annotated[bool, Opt("Also each group alone, and the pattern.")] = False
    missing: o.MissingByDefault = None
    fallback: o.Fallback = "auto"
    samples: Annotated[int, Convention("number of samples of one context per word", least=3)] = 10_000
    ddof: Annotated[int, Convention("1: sample standard deviation, 0: population")] = 1
    variance: Annotated[Variance, Convention("variance of a sample: as published, or the textbook one")] = (
        "paper"
    )
    resamples: Annotated[
        int, Convention("resamples of words and contexts for an interval; 0 for none", least=0)
    ] = 0


@command
def ceat_command(sampled: Sampled, chosen: o.Chosen, written: Written) -> Outcome:
    """Test associations over those sentences.

    The CEAT, with a p-value over stimuli. Without --test or --words, C1 to C10 and I1 to I4 of the CEAT
    paper, as far as the store has their words.
    """
    designs = chosen.designs(*CONTEXTUAL)
    contexts = open_contexts(sampled.store, sampled.fallback)
    options: dict[str, Any] = {
        "samples": sampled.samples, "seed": written.seed, "ddof": sampled.ddof, "variance": sampled.variance,
        "missing": o.missing_policy(chosen, sampled.missing),
    }  # fmt: skip
    with waiting.counting("drawing contexts", len(designs)) as (bar, task):
        result = ceat_battery(
            contexts,
            designs,
            resamples=sampled.resamples,
            progress=lambda name: bar.update(
                task, advance=1, description=f"drawing contexts of {escape(name)}"
            ),
            **options,
        )
    _insist(result, designs, chosen.test)
    deeper = _levels(contexts, designs, result, options) if sampled.levels else {}
    tables = [CeatBatteryResult._tabulate({result._label: result})]
    if deeper:
        cosines = similarities_table({name: one.level3 for name, one in deeper.items()})
        tables += [MultilevelCeatResult._tabulate(deeper), cosines]
    return Outcome(
        command="ceat",
        results={test.design: test for test in result.tests},
        more={
            "adjusted_for": result.conventions["adjusted"],
            "adjusted": encode(result.adjusted),
            "intervals": [one.to_dict() for one in result.intervals.values()],
            "levels": [one.to_dict() for one in deeper.values()],
            "skipped": result.skipped,
        },
        tables=tables,
        lines=list(_explained(result)),
        skipped=result.skipped,
        figure=lambda plots: _drawn(plots, result, list(deeper.values())),
    )


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
    contexts: Contexts, designs: Sequence[Design], result: CeatBatteryResult, options: dict[str, Any]
) -> dict[str, MultilevelCeatResult]:
    """The levels of every test that could be measured; those that need more words are left out and listed."""
    found = {}
    for design in designs:
        if design.name in result.skipped:
            continue
        try:
            found[design.name] = multilevel_ceat(contexts, design, **options)
        except MissingStimuliError as error:
            said = f"[yellow]warning:[/] {escape(design.name)}: no levels: {escape(error.reason)}"
            printing.err.print(said)
    return found


def _drawn(plots: Any, result: CeatBatteryResult, deeper: list[MultilevelCeatResult]) -> Any:
    """The figure of the levels, of one test, or of all tests."""
    if deeper:
        return plots.context_levels(deeper)
    if len(result.tests) == 1:
        return plots.context_histogram(result.tests[0], result.intervals.get(result.tests[0].design))
    return plots.context_forest(result)


def _explained(result: CeatBatteryResult) -> Iterator[str]:
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
        yield f"Fewer than {FEW} contexts: {', '.join(few[:8])}{rest}."
