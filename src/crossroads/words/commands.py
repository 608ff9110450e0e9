"""``crossroads weat``, with its second names ``mleat`` (``--levels``) and ``sc-weat`` (``--each``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from crossroads.core.audit.audit import make_plan
from crossroads.core.audit.engine import Settings
from crossroads.core.audit.registration import ORDINARY, WANTED, Registration, terms_of
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Convention, Opt, Outcome, Written, command, passed
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.errors import InputError, MissingStimuliError, join_words
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.crossed import POWER
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.models.kinds import check_options, checkpoints, recognise
from crossroads.core.results import encode
from crossroads.core.results.gaps import require_stimuli
from crossroads.core.results.gathered import require_two_targets
from crossroads.core.stimuli import Design
from crossroads.core.wording.numbers import counted
from crossroads.core.wording.table import Table
from crossroads.words.checks.placebo import LEAST_POOL, POOL, ordinary
from crossroads.words.measures.battery import adjusted_tail, battery
from crossroads.words.measures.mleat import MleatResult, similarities_table
from crossroads.words.measures.plan import PlanResult, plan
from crossroads.words.measures.projection import Axis, ProjectionResult, projection
from crossroads.words.measures.sc_weat import ScWeatResult, sc_weat
from crossroads.words.measures.series import SeriesResult, series
from crossroads.words.measures.trends import Points
from crossroads.words.measures.weat import WeatResult, weat
from crossroads.words.models.ask import Over, load, load_series
from crossroads.words.vectors.formats import arrays

_TOP = 20


def vectors_of(
    source: o.Source, words: Sequence[str] | Sequence[Design] | None, *, pool: int | None = None
) -> Embeddings:
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
        options |= {"pool": pool} if found.name == "vectors" else {}
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
        groups, one, both = self.levels or self.over, "use one of them.", "give both or neither."
        alone = "use it without other measures."
        refused: list[tuple[Any, str, str]] = [
            (self.word and self.vocabulary, "--word and --vocabulary were both given.", one),
            (self.singly and groups, "--levels is about groups, and --each about single words.", one),
            (self.top is not None and not self.singly, "--top was given without --each.", both),
            (self.axis and (self.singly or groups), "-C axis compares two groups, or places one.", alone),
        ]
        for wrong, message, hint in refused:
            if wrong:
                raise InputError(message, hint=hint)


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
        over = _series_over(source, measured.over)
        if over is None:
            return _levels(source, designs, options)
    written.draw_one(len(designs))
    if over is not None:
        return _series(source, over, designs, options)
    return _tests(source, designs, measured.axis, options)


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
    emb, results, skipped = _each(source, designs, measure, options)
    tail = adjusted_tail(options)
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


def _each(
    source: o.Source,
    designs: Sequence[Design],
    measure: Callable[..., Any],
    options: Mapping[str, Any],
    *,
    pool: int | None = None,
) -> tuple[Embeddings, dict[str, Any], dict[str, str]]:
    """The vectors, and a measure of every design that can be measured; an error if none can."""
    emb = vectors_of(source, designs, pool=pool)
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
    return emb, results, skipped


_OF_WEAT = {"ddof": 1, "ties": "weak", "method": "auto", "seed": 0}
"""Conventions that a projection does not take, as they usually are."""
_SECOND = ("agree_x", "d_x", "p_x", "agree_y", "d_y", "p_y", "pattern", "published", "stable")
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
            "skipped": result.skipped,
        },
        tables=[first, _second(table), cosines],
        titled=True,
        files=[table, cosines],
        source=emb,
        skipped=result.skipped,
        figure=lambda plots: plots.eat_map(result.tests[0]) if len(tests) == 1 else plots.eat_maps(result),
    )


def _second(table: Table) -> Table:
    first = [column.key for column in table.columns if column.key not in ("test", *_SECOND)]
    return replace(table.without(first), title="Level 2: each target alone")


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


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What is to be found, and what is registered."""

    difference: Annotated[float | None, Opt("Δ to find; by default half of the one seen.", "NUMBER")] = None
    power: Annotated[float, Opt("Share of tests that are to find it.", "SHARE")] = POWER
    freeze: Annotated[
        Path | None,
        Opt("Register the tests, and how audits will measure them, in a new file.", "FILE.toml"),
    ] = None
    missing: o.MissingWords = "drop"
    alternative: Annotated[Alternative, Convention("which tail --freeze registers")] = "two-sided"
    words: o.WordsConvention = "effective"


@command
def plan_command(source: o.Source, chosen: o.Chosen, planned: Planned, written: Written) -> Outcome:
    """Plan how many words tests need, and register them.

    The words of a test are a pilot: crossroads plan default -t weat7 --difference 0.1. With --freeze,
    crossroads audit --preregistered FILE says later what departs from the plan.
    """
    if planned.freeze is None and planned.alternative != "two-sided":
        raise InputError("-C alternative was given without --freeze.", hint="plans are for two-sided tests.")
    if planned.freeze is not None and planned.freeze.exists():
        raise InputError(f"{planned.freeze} exists already.", hint="name a new file: none is replaced.")
    designs = chosen.designs("weat")
    options = passed(plan, planned)
    emb, results, skipped = _each(source, designs, plan, options, pool=POOL)
    designs = [one for one in designs if one.name in results]
    margin = None if planned.difference is None else (WANTED, planned.difference)
    plans, lines = [*results.items()], list[str]()
    if emb.pool is not None and len(emb.pool) >= LEAST_POOL:
        margin = (ORDINARY, ordinary(emb, seed=written.seed).margin)
        options |= {"difference": margin[1]}
        if planned.difference is None:
            plans += [(f"{one.name}, an ordinary association", plan(emb, one, **options)) for one in designs]
    if planned.freeze is not None:  # as an audit with the same options measures them
        kind = recognise(source.model, format=source.format, kind=source.kind)
        check_options([kind], freeze=planned.freeze)
        for design in designs:
            require_two_targets(design, hint="audits compare two; leave it out.")
        terms = terms_of(
            make_plan(kind, designs),
            Settings(**passed(Settings, planned, source, written)),
            emb.provenance,
            {name: one.coverage for name, one in results.items()},
            words=planned.words,
            margin=margin,
        )
        today = date.today().isoformat()
        registration = Registration(terms={"date": today, **terms}, designs=tuple(designs))
        registration.write(planned.freeze)
        said = f"{counted(len(designs), 'test')}, sha256 {registration.checksums['all'][:16]}"
        lines = [f"*Registered {said}: crossroads audit {kind.shown} --preregistered {planned.freeze}"]
    return Outcome(
        command="plan",
        results=results,
        more={"skipped": skipped, "ordinary": [one.to_dict() for _, one in plans[len(results) :]]},
        heading=[f"{name}: {one._headline()}" for name, one in plans],
        tables=[PlanResult._tabulate(dict(plans))],
        lines=lines,
        source=emb,
        skipped=skipped,
    )
