"""``crossroads weat``, ``mleat`` and ``sc-weat``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from crossroads.cli import options as o
from crossroads.cli import printing, waiting
from crossroads.errors import InputError, MissingStimuliError, join_words
from crossroads.evidence import Embeddings
from crossroads.inference.multiplicity import benjamini_hochberg, holm
from crossroads.measures import WeatResult, battery, sc_weat, series, weat
from crossroads.measures.gaps import require_in_all, require_stimuli
from crossroads.results import encode
from crossroads.sources import load, load_series, sniff
from crossroads.stimuli import Design

DEFAULT = ("weat",)


def open_vectors(vectors: str, words: list[str] | None, format_: str | None, fallback: str) -> Embeddings:
    """Load vectors, with a progress bar."""
    with waiting.reading(vectors) as progress:
        return load(vectors, words=words, format=format_, fallback=fallback, progress=progress)


def weat_command(
    vectors: o.Vectors,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    alternative: Annotated[o.Alternative, typer.Option(help="Which tail.")] = o.Alternative.greater,
    ties: o.TiesOption = o.Ties.weak,
    method: o.MethodOption = o.Method.auto,
    ddof: o.Ddof = 1,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Test whether two targets differ in their association with two attributes."""
    designs = o.chosen_designs(test, design, default=DEFAULT)
    _one_figure(figure, len(designs))
    emb = open_vectors(vectors, o.words_of(designs), format_, fallback)
    policy = o.missing_policy(missing, test, design)
    if policy == "raise":
        require_stimuli(emb, designs)
    settings: dict[str, Any] = {
        "alternative": alternative.value, "ties": ties.value, "method": method.value, "ddof": ddof,
        "missing": policy, "seed": seed,
    }  # fmt: skip
    results, skipped = _weats(emb, designs, settings)
    if figure is not None:
        from crossroads import plots

        plots.save(plots.association_plot(results[0]), figure)
    # a tail chosen after the fact is no p-value to adjust
    tail = "two-sided" if alternative is o.Alternative.observed else alternative.value
    pvalues = [r.tails[tail][0] for r in results]
    if json:
        adjusted = {"holm": holm(pvalues).tolist(), "bh": benjamini_hochberg(pvalues).tolist()}
        printing.document("weat", results, adjusted=tail, **adjusted, skipped=skipped)
        return
    printing.out.print(printing.weat_table(results))
    printing.out.print(printing.tail(alternative.value), style="dim")
    printing.notes([(r.design, r.coverage) for r in results], [r.method for r in results])
    printing.skipped(skipped)


def _weats(
    emb: Embeddings, designs: Sequence[Design], settings: Mapping[str, Any]
) -> tuple[list[WeatResult], dict[str, str]]:
    """The tests that can be measured, and why others cannot; an error where none can."""
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
    vectors: o.Vectors,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    alternative: Annotated[
        o.Alternative, typer.Option(help="Which tail; the paper's tables use the observed one.")
    ] = o.Alternative.observed,
    ties: o.TiesOption = o.Ties.weak,
    method: o.MethodOption = o.Method.auto,
    ddof: o.Ddof = 1,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    seed: o.Seed = 0,
    resamples: Annotated[
        int, typer.Option(help="Bootstrap resamples behind 'stable'; 0 for none.", min=0)
    ] = 1000,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Three levels of association and the pattern they make; over decades for a HistWords folder."""
    designs = o.chosen_designs(test, design, default=DEFAULT)
    settings: dict[str, Any] = {
        "alternative": alternative.value,
        "ties": ties.value,
        "method": method.value,
        "ddof": ddof,
        "missing": o.missing_policy(missing, test, design),
        "seed": seed,
        "resamples": resamples,
    }
    folder = Path(vectors)
    if folder.is_dir() and format_ in (None, "histwords") and sniff(folder) == "histwords":
        _mleat_series(folder, designs, fallback, settings, figure, json)
        return
    emb = open_vectors(vectors, o.words_of(designs), format_, fallback)
    result = battery(emb, designs, **settings)
    results = result.tests
    if figure is not None:
        from crossroads import plots

        plots.save(plots.eat_map(results[0]) if len(results) == 1 else plots.eat_maps(result), figure)
    if json:
        printing.document(
            "mleat",
            results,
            adjusted=result.conventions["adjusted"],
            holm=result.holm,
            bh=result.bh,
            detectable=encode(result.detectable),
            skipped=result.skipped,
        )
        return
    if results:
        printing.out.print(printing.mleat_table(results))
        printing.out.print(printing.similarity_table(results))
        printing.out.print(printing.tail(alternative.value), style="dim")
    levels = [level.method for r in results for level in (r.level1, *r.level2.values())]
    printing.detectable(result)
    printing.notes([(r.design, r.coverage) for r in results], levels)
    printing.skipped(result.skipped)


def _mleat_series(
    folder: Path, designs: list[Any], fallback: str, settings: dict[str, Any], figure: Path | None, json: bool
) -> None:
    _one_figure(figure, len(designs))
    with waiting.reading(str(folder)) as progress:
        models = load_series(folder, words=o.words_of(designs), fallback=fallback, progress=progress)
    if settings["missing"] == "raise":
        require_in_all(models, designs)
    results = [series(models, one, **settings) for one in designs]
    if figure is not None:
        from crossroads import plots

        plots.save(plots.decades(results[0]), figure)
    if json:
        printing.document("mleat", results)
        return
    for result in results:
        points = {f"{result.design} {time}": test for time, test in result.points.items()}
        printing.out.print(printing.mleat_table(list(points.values()), labels=list(points)))
        printing.out.print(printing.tail(settings["alternative"]), style="dim")
        printing.skipped({str(time): reason for time, reason in result.skipped.items()})


def sc_weat_command(
    vectors: o.Vectors,
    test: o.Tests = None,
    design: o.DesignFiles = None,
    word: Annotated[list[str] | None, typer.Option("--word", "-w", help="A word to measure.")] = None,
    vocabulary: Annotated[bool, typer.Option("--vocabulary", help="Measure every word there is.")] = False,
    top: Annotated[int, typer.Option(help="Words to show at either end.", min=1)] = 20,
    alternative: Annotated[o.Alternative, typer.Option(help="Which tail.")] = o.Alternative.greater,
    ties: o.TiesOption = o.Ties.weak,
    method: o.MethodOption = o.Method.auto,
    ddof: o.Ddof = 1,
    missing: o.MissingByDefault = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
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
    emb = open_vectors(vectors, needed, format_, fallback)
    with waiting.counting("testing words", len(emb) if vocabulary else len(words)) as (bar, task):
        result = sc_weat(
            emb,
            "*" if vocabulary else list(dict.fromkeys(words)),
            one.a,
            one.b,
            alternative=alternative.value,
            ties=ties.value,
            method=method.value,
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
    printing.out.print(printing.sc_weat_table(result, top=top))
    printing.notes([(one.name, result.coverage)], [result.method])


def _one_figure(figure: Path | None, count: int) -> None:
    if figure is not None and count != 1:
        raise InputError(
            f"--figure draws one test, and {count} were chosen.",
            hint="name one with --test, or leave out --figure.",
        )
