"""``crossroads weat``, ``mleat`` and ``sc-weat``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from crossroads.cli import models as m
from crossroads.cli import options as o
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError, MissingStimuliError, join_words
from crossroads.evidence import Embeddings
from crossroads.inference.multiplicity import adjust_known
from crossroads.inference.permutation.test import Alternative
from crossroads.measures import (
    BatteryResult,
    MleatResult,
    ScWeatResult,
    SeriesResult,
    WeatResult,
    battery,
    sc_weat,
    series,
    weat,
)
from crossroads.measures.association.series import Points
from crossroads.measures.coverage.gaps import require_in_all, require_stimuli
from crossroads.results import encode
from crossroads.sources.kinds import checkpoints
from crossroads.sources.vectors.files import histwords
from crossroads.sources.words import Over
from crossroads.stimuli import Design
from crossroads.wording.numbers import number, percent
from crossroads.wording.table import Table

DEFAULT = ("weat",)
OverOption = Annotated[
    Over | None,
    typer.Option(
        "--over", help="Measure a series: all layers of a model, or the checkpoints or decades in a folder."
    ),
]


def weat_command(
    model: m.Model,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    alternative: o.AlternativeOption = "two-sided",
    ties: o.TiesOption = "weak",
    method: o.MethodOption = "auto",
    ddof: o.Ddof = 1,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    prompt: m.Prompt = None,
    layer: m.Layer = None,
    pooling: m.PoolingOption = None,
    served: m.Served = None,
    as_: m.As = None,
    device: m.DeviceOption = "auto",
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Test whether two targets differ in their association with two attributes."""
    designs = o.chosen_designs(test, design, default=DEFAULT)
    _one_figure(figure, len(designs))
    source = m.Source(
        model=model, kind=as_, format=format_, fallback=fallback, prompt=prompt, layer=layer,
        pooling=pooling, served=served, device=device,
    )  # fmt: skip
    emb = source.vectors(designs)
    policy = o.missing_policy(missing, test, design)
    if policy == "raise":
        require_stimuli(emb, designs)
    settings: dict[str, Any] = {
        "alternative": alternative, "ties": ties, "method": method, "ddof": ddof,
        "missing": policy, "seed": seed,
    }  # fmt: skip
    results, skipped = _weats(emb, designs, settings)
    if figure is not None:
        from crossroads import plots

        plots.save(plots.association_plot(results[0]), figure)
    # p-values of a tail chosen afterwards are not adjusted
    tail = "two-sided" if alternative == "observed" else alternative
    pvalues = [one.crossed.tail(tail) for one in results]
    if json:
        printing.document("weat", results, adjusted_for=tail, adjusted=adjust_known(pvalues), skipped=skipped)
        return
    printing.show(WeatResult.tabulate({r.design: r for r in results}), title=False)
    m.say_source(emb)
    printing.notes([(r.design, r.coverage) for r in results])
    printing.skipped(skipped)


def _weats(
    emb: Embeddings, designs: Sequence[Design], settings: Mapping[str, Any]
) -> tuple[list[WeatResult], dict[str, str]]:
    """The tests that can be measured, and why others cannot; an error if none can."""
    results: list[WeatResult] = []
    skipped: dict[str, str] = {}
    for one in designs:
        try:
            results.append(weat(emb, one, **settings))
        except MissingStimuliError as error:
            skipped[one.name] = error.reason
            if len(skipped) == len(designs):
                raise
    return results, skipped


def mleat_command(
    model: m.Model,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    alternative: Annotated[
        Alternative, typer.Option(help="Which tail; the paper's tables use the observed one.")
    ] = "two-sided",
    ties: o.TiesOption = "weak",
    method: o.MethodOption = "auto",
    ddof: o.Ddof = 1,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    prompt: m.Prompt = None,
    layer: m.LayerOrAll = None,
    pooling: m.PoolingOption = None,
    served: m.Served = None,
    as_: m.As = None,
    over: OverOption = None,
    device: m.DeviceOption = "auto",
    seed: o.Seed = 0,
    resamples: Annotated[
        int, typer.Option(help="Bootstrap resamples for 'stable'; 0 for none.", min=0)
    ] = 1000,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Measure three levels of association and their pattern; over decades for a HistWords folder."""
    designs = o.chosen_designs(test, design, default=DEFAULT)
    settings: dict[str, Any] = {
        "alternative": alternative,
        "ties": ties,
        "method": method,
        "ddof": ddof,
        "missing": o.missing_policy(missing, test, design),
        "seed": seed,
        "resamples": resamples,
    }
    source = m.Source(
        model=model, kind=as_, format=format_, fallback=fallback, prompt=prompt, layer=layer,
        pooling=pooling, served=served, device=device,
    )  # fmt: skip
    along = _series_over(source, over)
    if along is not None:
        _mleat_series(source, along, designs, settings, figure, json)
        return
    emb = source.vectors(designs)
    result = battery(emb, designs, **settings)
    results = result.tests
    if figure is not None:
        from crossroads import plots

        plots.save(plots.eat_map(results[0]) if len(results) == 1 else plots.eat_maps(result), figure)
    if json:
        printing.document(
            "mleat",
            results,
            adjusted_for=result.conventions["adjusted"],
            adjusted=encode(result.adjusted),
            detectable=encode(result.detectable),
            skipped=result.skipped,
        )
        return
    _show_levels(MleatResult.tabulate({r.design: r for r in results}))
    printing.show(MleatResult.similarities({r.design: r for r in results}))
    for sentence in _detectable(result):
        printing.out.print(sentence, style="dim", markup=False)
    m.say_source(emb)
    printing.notes([(r.design, r.coverage) for r in results])
    printing.skipped(result.skipped)


_SECOND = ("d_x", "p_x", "d_y", "p_y", "pattern", "published", "stable")
"""Columns of Level 2, which stand in a table of their own: both levels are wider than a terminal."""


def _show_levels(table: Table, said: set[str] | None = None) -> None:
    """Print Level 1, then Level 2 and the pattern."""
    printing.show(replace(table.without(_SECOND), title="Level 1: both targets"), said=said)
    _show_alone(table, said)


def _show_alone(table: Table, said: set[str] | None = None) -> None:
    """Print Level 2 and the pattern."""
    first = [one.key for one in table.columns if one.key not in ("test", *_SECOND)]
    printing.show(replace(table.without(first), title="Level 2: each target alone"), said=said)


def _detectable(result: BatteryResult) -> Iterator[str]:
    """The effect sizes that sets of these sizes can detect, and which can detect nothing."""
    could = [one.detectable for one in result.detectable if one.detectable is not None]
    if could:
        ends, one = dict.fromkeys(map(number, (min(could), max(could)))), result.detectable[0]
        yield (
            f"Sets of these sizes detect a true d of {' to '.join(ends)} in {percent(one.power)} of cases "
            f"(p < {one.alpha:g}, {one.alternative}, not adjusted)."
        )
    yield from BatteryResult.tabulate({result.label: result}).notes


def _series_over(source: m.Source, over: Over | None) -> Over | None:
    """What a series is over, if it is one: as asked for, or as the folder holds it."""
    if source.layer == m.ALL:
        if over not in (None, "layers"):
            raise InputError(f"--layer all and --over {over} were both given.", hint="use one of them.")
        return "layers"
    folder = Path(source.model).expanduser()
    if over is not None or source.kind is not None or not folder.is_dir():
        return over
    if source.format in (None, "histwords") and histwords.decades(folder):
        return "decades"
    return "checkpoints" if not (folder / "config.json").is_file() and checkpoints(folder) else None


def _mleat_series(
    source: m.Source,
    over: Over,
    designs: list[Design],
    settings: dict[str, Any],
    figure: Path | None,
    json: bool,
) -> None:
    _one_figure(figure, len(designs))
    models = source.series(designs, over)
    if settings["missing"] == "raise":
        require_in_all(models, designs)
    results = [series(models, one, over=_POINTS[over], **settings) for one in designs]
    if figure is not None:
        from crossroads import plots

        plots.save(plots.decades(results[0]), figure)
    if json:
        printing.document("mleat", results)
        return
    said: set[str] = set()
    for result in results:
        printing.show(SeriesResult.tabulate({result.label: result}), said=said)
        points = dict(zip((name for name, _ in result.parts("")), result.points.values(), strict=True))
        _show_alone(MleatResult.tabulate(points), said)
        printing.skipped({str(time): reason for time, reason in result.skipped.items()})
    m.say_source(next(iter(models.values())), layer=over != "layers")


_POINTS: dict[Over, Points] = {"layers": "layer", "checkpoints": "step", "decades": "year"}
"""What the points of a series are."""


def sc_weat_command(
    model: m.Model,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    word: Annotated[list[str] | None, typer.Option("--word", "-w", help="A word to measure.")] = None,
    vocabulary: Annotated[
        bool, typer.Option("--vocabulary", help="Measure all words of the vectors.")
    ] = False,
    top: Annotated[int, typer.Option(help="Number of words to show at each end.", min=1)] = 20,
    alternative: o.AlternativeOption = "two-sided",
    ties: o.TiesOption = "weak",
    method: o.MethodOption = "auto",
    ddof: o.Ddof = 1,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    prompt: m.Prompt = None,
    layer: m.Layer = None,
    pooling: m.PoolingOption = None,
    served: m.Served = None,
    as_: m.As = None,
    device: m.DeviceOption = "auto",
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Measure which single words lean to one attribute or the other.

    The attributes are those of a test; the words are its targets, or those given with --word, or all.
    """
    designs = o.chosen_designs(test, design, default=("weat7",))
    if len(designs) != 1:
        raise InputError(
            f"{len(designs)} tests were given: {join_words((one.name for one in designs), most=12)}.",
            hint="the attributes of one test are used: name one with --test.",
        )
    if word and vocabulary:
        raise InputError("--word and --vocabulary were both given.", hint="use one of them.")
    one = designs[0]
    words: list[str] = word or [w for name in ("x", "y") for w in one.sets.get(name, ())]
    needed = None if vocabulary else [*dict.fromkeys([*words, *one.a, *one.b])]
    source = m.Source(
        model=model, kind=as_, format=format_, fallback=fallback, prompt=prompt, layer=layer,
        pooling=pooling, served=served, device=device,
    )  # fmt: skip
    emb = source.vectors(needed)
    with waiting.counting("testing words", len(emb) if vocabulary else len(words)) as (bar, task):
        result = sc_weat(
            emb,
            "*" if vocabulary else list(dict.fromkeys(words)),
            one.a,
            one.b,
            alternative=alternative,
            ties=ties,
            method=method,
            ddof=ddof,
            missing=o.missing_policy(missing, test, design),
            seed=seed,
            progress=lambda done: bar.update(task, completed=done),
        )
    if figure is not None:
        from crossroads import plots

        plots.save(plots.ranking(result, n=top), figure)
    if json:
        printing.document("sc-weat", [result])
        return
    printing.out.print(f"A: {one.a.name} ({', '.join(result.attributes[0])})", markup=False)
    printing.out.print(f"B: {one.b.name} ({', '.join(result.attributes[1])})", markup=False)
    printing.show(_ends(result, top), title=False)
    m.say_source(emb)
    printing.notes([(one.name, result.coverage)])


def _ends(result: ScWeatResult, top: int) -> Table:
    """The words that lean most to each attribute, or all of them if they are few."""
    table = result.table()
    cut = len(table.rows) - 2 * top
    if cut <= 0:
        return replace(table, most=None)
    more = {"word": f"… {cut:,} more"}
    return replace(table, rows=(*table.rows[:top], more, *table.rows[-top:]), most=None)


def _one_figure(figure: Path | None, count: int) -> None:
    if figure is not None and count != 1:
        raise InputError(
            f"--figure draws one test, and {count} were chosen.",
            hint="name one with --test, or leave out --figure.",
        )
