"""``crossroads weat``, with its second names ``mleat`` (``--levels``) and ``sc-weat`` (``--each``)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Convention, Opt, Outcome, Written, command
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.errors import InputError, MissingStimuliError, join_words
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.kinds import check_options, checkpoints, recognise
from crossroads.core.results import encode
from crossroads.core.results.gaps import require_stimuli
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import number, percent
from crossroads.core.wording.table import Table
from crossroads.words.measures.battery import BatteryResult, battery
from crossroads.words.measures.mleat import MleatResult, similarities_table
from crossroads.words.measures.projection import Axis, ProjectionResult, projection
from crossroads.words.measures.sc_weat import ScWeatResult, sc_weat
from crossroads.words.measures.series import SeriesResult, series
from crossroads.words.measures.trends import Points
from crossroads.words.measures.weat import WeatResult, weat
from crossroads.words.models.ask import Over, load, load_series
from crossroads.words.vectors.formats import arrays

_TOP = 20


def vectors_of(source: o.Source, words: Sequence[str] | Sequence[Design] | None) -> Embeddings:
    """One vector per word of a model, with a progress bar; None for all words of a file."""
    found = recognise(source.model, format=source.format, kind=source.kind)
    check_options([found], layer=source.layer)
    if source.layer == o.ALL:
        raise InputError(
            "-M layer=all was given, and one layer is measured here.",
            hint="mleat and rsa measure each layer of a model.",
        )
    bar = waiting.reading if found.name in ("vectors", "series") else waiting.asking
    with bar(found.shown) as progress:
        options: dict[str, Any] = {"kind": source.kind, "format": source.format, "served": source.served}
        return load(source.model, words=words, progress=progress, **options, **source.reading)


def series_of(
    source: o.Source, words: Sequence[str] | Sequence[Design], over: Over | None
) -> dict[int, Embeddings]:
    """Vectors in every layer, checkpoint or decade, with a progress bar."""
    bar = waiting.reading if over == "decades" else waiting.asking
    with bar(source.model) as progress:
        return load_series(source.model, words=words, over=over, progress=progress, **source.reading)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What is measured of a test."""

    levels: Annotated[bool, Opt("Also each group alone, and the pattern: the ML-EAT.")] = False
    each: Annotated[bool, Opt("Single words, on the attributes of one test: the SC-WEAT.")] = False
    word: Annotated[
        list[str] | None,
        Opt("A word to measure alone, in place of those of the test; repeatable.", "WORD", panel=o.WORDS),
    ] = None
    vocabulary: Annotated[bool, Opt("Measure all words of the vectors.", panel=o.WORDS)] = False
    top: Annotated[int | None, Opt("Words to show at each end.", "N", panel=o.WORDS, least=1)] = None
    over: Annotated[
        Over | None,
        Opt(
            "The levels in all layers of a model, or in the checkpoints or decades in a folder.",
            "layers|checkpoints|decades",
            panel=o.MODELS,
        ),
    ] = None
    resamples: Annotated[
        int | None,
        Convention("bootstrap resamples for 'stable' of --levels, 0 for none; 1000 if left out", least=0),
    ] = None
    axis: Annotated[
        Axis | None,
        Convention("place words on an axis between the attributes: means (SemAxis) or pairs (RIPA)"),
    ] = None

    @property
    def singly(self) -> bool:
        """Whether single words are measured."""
        return self.each or bool(self.word) or self.vocabulary

    def check(self) -> None:
        """Refuse options that would be ignored."""
        if self.word and self.vocabulary:
            raise InputError("--word and --vocabulary were both given.", hint="use one of them.")
        if self.singly and (self.levels or self.over):
            raise InputError(
                "--levels is about groups, and --each about single words.", hint="use one of them."
            )
        if self.top is not None and not self.singly:
            raise InputError("--top was given without --each.", hint="give both or neither.")
        if self.resamples is not None and not (self.levels or self.over):
            raise InputError("-C resamples was given without --levels.", hint="give both or neither.")
        if self.axis is not None and (self.singly or self.levels or self.over):
            raise InputError(
                "-C axis compares two groups, or places one.", hint="use it without other measures."
            )


@command
def weat_command(
    source: o.Source, chosen: o.Chosen, measured: Measured, statistics: o.Statistics, written: Written
) -> Outcome:
    """Measure whether two groups differ in an association.

    --levels adds each group alone and the pattern (mleat); --each measures single words (sc-weat).
    """
    measured.check()
    options = {**statistics.options(chosen), "seed": written.seed}
    if measured.singly:
        return _single_words(source, chosen, measured, options)
    designs = chosen.designs("weat")
    over = None
    if measured.levels or measured.over:
        options["resamples"] = 1000 if measured.resamples is None else measured.resamples
        over = _series_over(source, measured.over)
        if over is None:
            return _levels(source, designs, options)
    written.draw_one(len(designs))
    return (
        _tests(source, designs, measured.axis, options)
        if over is None
        else _series(source, over, designs, options)
    )


def _tests(
    source: o.Source, designs: Sequence[Design], axis: Axis | None, options: dict[str, Any]
) -> Outcome:
    """The WEAT, or the projection, of every design that can be measured; an error if none can."""
    measure: Callable[..., WeatResult | ProjectionResult] = weat
    if axis is not None:
        measure = partial(projection, axis=axis)
        unused = [name for name, usual in _OF_WEAT.items() if options.pop(name) != usual]
        if unused:
            message = f"{unused[0]} was given with -C axis, which does not take it."
            raise InputError(message, hint="leave out one of them.")
    emb = vectors_of(source, designs)
    if options["missing"] == "raise":
        require_stimuli(emb, designs)
    results: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    for design in designs:
        try:
            results[design.name] = measure(emb, design, **options)
        except MissingStimuliError as error:
            skipped[design.name] = error.reason
            if len(skipped) == len(designs):
                raise
    # p-values of a tail chosen afterwards are not adjusted
    tail: Alternative = "two-sided" if options["alternative"] == "observed" else options["alternative"]
    adjusted = adjust_known([result.crossed.tail(tail) for result in results.values()])
    first = next(iter(results.values()))
    return Outcome(
        command="weat",
        results=results,
        more={"adjusted_for": tail, "adjusted": adjusted, "skipped": skipped},
        tables=[type(first)._tabulate(results)],
        source=emb,
        skipped=skipped,
        figure=lambda plots: plots.association_plot(first),
    )


_OF_WEAT = {"ddof": 1, "ties": "weak", "method": "auto", "seed": 0}
"""Conventions that a projection does not take, as they usually are."""
_SECOND = ("d_x", "p_x", "d_y", "p_y", "pattern", "published", "stable")
"""Columns of Level 2, which are in a table of their own: both levels are wider than a terminal."""


def _levels(source: o.Source, designs: Sequence[Design], options: dict[str, Any]) -> Outcome:
    emb = vectors_of(source, designs)
    result = battery(emb, designs, **options)
    tests = {test.design: test for test in result.tests}
    table, cosines = MleatResult._tabulate(tests), similarities_table(tests)
    first = replace(table.without(_SECOND), title="Level 1: both targets")
    return Outcome(
        command="mleat",
        results=tests,
        more={
            "adjusted_for": result.conventions["adjusted"],
            "adjusted": encode(result.adjusted),
            "detectable": encode(result.detectable),
            "skipped": result.skipped,
        },
        tables=[first, _second(table), cosines],
        titled=True,
        files=[table, cosines],
        lines=_detectable(result),
        source=emb,
        skipped=result.skipped,
        figure=lambda plots: plots.eat_map(result.tests[0]) if len(tests) == 1 else plots.eat_maps(result),
    )


def _second(table: Table) -> Table:
    first = [column.key for column in table.columns if column.key not in ("test", *_SECOND)]
    return replace(table.without(first), title="Level 2: each target alone")


def _detectable(result: BatteryResult) -> list[str]:
    """The effect sizes that sets of these sizes can detect, and which can detect nothing."""
    notes = list(BatteryResult._tabulate({result._label: result}).notes)
    sizes = [power.detectable for power in result.detectable if power.detectable is not None]
    if not sizes:
        return notes
    ends, first = dict.fromkeys(map(number, (min(sizes), max(sizes)))), result.detectable[0]
    said = f"Sets of these sizes detect a true d of {' to '.join(ends)} in {percent(first.power)} of cases"
    return [f"{said} (p < {first.alpha:g}, {first.alternative}, not adjusted).", *notes]


def _series_over(source: o.Source, over: Over | None) -> Over | None:
    """What a series is over, if it is one: as the option says, or as the folder holds it."""
    if source.layer == o.ALL:
        if over not in (None, "layers"):
            raise InputError(f"-M layer=all and --over {over} were both given.", hint="use one of them.")
        return "layers"
    folder = Path(source.model).expanduser()
    if over is not None or source.kind is not None or not folder.is_dir():
        return over
    if source.format in (None, "histwords") and arrays.decades(folder):
        return "decades"
    return "checkpoints" if not (folder / "config.json").is_file() and checkpoints(folder) else None


_POINTS: dict[Over, Points] = {"layers": "layer", "checkpoints": "step", "decades": "year"}
"""What the points of a series are."""


def _series(source: o.Source, over: Over, designs: Sequence[Design], options: dict[str, Any]) -> Outcome:
    models = series_of(source, designs, over)
    if options["missing"] == "raise":
        require_stimuli(models, designs)
    results = [series(models, design, over=_POINTS[over], **options) for design in designs]
    tables: list[Table] = []
    files: list[Table] = []
    skipped: dict[str, str] = {}
    for result in results:
        points = dict(zip((name for name, _ in result._parts("")), result.points.values(), strict=True))
        files.append(SeriesResult._tabulate({result._label: result}))
        tables += [files[-1], _second(MleatResult._tabulate(points))]
        before = f"{result._label}, " if len(results) > 1 else ""
        skipped |= {f"{before}{time}": reason for time, reason in result.skipped.items()}
    return Outcome(
        command="mleat",
        results={result._label: result for result in results},
        tables=tables,
        titled=True,
        files=files,
        source=next(iter(models.values())),
        layer=over != "layers",
        covered=False,
        skipped=skipped,
        figure=lambda plots: plots.decades(results[0]),
    )


def _single_words(source: o.Source, chosen: o.Chosen, measured: Measured, options: dict[str, Any]) -> Outcome:
    """Single words on the attributes of a test: its targets, those that were named, or all."""
    designs, top = chosen.designs("weat7"), measured.top or _TOP
    if len(designs) != 1:
        raise InputError(
            f"{len(designs)} tests were given: {join_words((one.name for one in designs), most=12)}.",
            hint="the attributes of one test are used: name one with --test.",
        )
    design = designs[0]
    words = measured.word or [word for name in ("x", "y") for word in design.sets.get(name, ())]
    needed = None if measured.vocabulary else [*dict.fromkeys([*words, *design.a, *design.b])]
    emb = vectors_of(source, needed)
    with waiting.counting("testing words", len(emb) if measured.vocabulary else len(words)) as (bar, task):
        result = sc_weat(
            emb,
            "*" if measured.vocabulary else list(dict.fromkeys(words)),
            design.a,
            design.b,
            progress=lambda done: bar.update(task, completed=done),
            copies=options.pop("words"),
            **options,
        )
    return Outcome(
        command="sc-weat",
        results={design.name: result},
        heading=[
            f"A: {design.a.name} ({', '.join(result.attributes[0])})",
            f"B: {design.b.name} ({', '.join(result.attributes[1])})",
        ],
        tables=[_ends(result, top)],
        files=[result._table()],
        source=emb,
        figure=lambda plots: plots.ranking(result, n=top),
    )


def _ends(result: ScWeatResult, top: int) -> Table:
    """The words closest to each attribute, or all of them if they are few."""
    table = result._table()
    cut = len(table.rows) - 2 * top
    if cut <= 0:
        return replace(table, most=None)
    more = {"word": f"… {cut:,} more"}
    return replace(table, rows=(*table.rows[:top], more, *table.rows[-top:]), most=None)
