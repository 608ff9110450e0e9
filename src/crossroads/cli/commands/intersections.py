"""``crossroads ibd``, ``eibd`` and ``rsa``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from crossroads.audit.measured.intersections import (
    Material,
    Trio,
    detect,
    published_comparisons,
    published_material,
)
from crossroads.audit.measured.intersections import intersectional_words as intersectional_words
from crossroads.cli import models as m
from crossroads.cli import options as o
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError, UnknownNameError
from crossroads.evidence import Embeddings
from crossroads.inference.multiplicity import adjust_known
from crossroads.measures import DetectionResult, DiscoveryResult, RsaResult, discover, rsa
from crossroads.measures.coverage.gaps import require_sets
from crossroads.measures.coverage.words import Missing
from crossroads.measures.geometry.fits import Dissimilarity
from crossroads.measures.intersectional.detection import Removal
from crossroads.measures.intersectional.discovery import Kind
from crossroads.measures.intersectional.wefat import group_table
from crossroads.results import encode
from crossroads.sources.kinds import TAKES, recognise
from crossroads.stimuli import StimulusSet, read_sheet
from crossroads.wording.numbers import P
from crossroads.wording.phrases import ADJUSTMENT, NONE_LISTED
from crossroads.wording.table import Column, Table, adjusted_column

Targets = Annotated[
    list[str] | None,
    typer.Option("--test", "-t", help="A group, such as AF; may be given several times.", metavar="GROUP"),
]
GroupFile = Annotated[
    Path | None,
    typer.Option("--design", "-d", help="Your own groups, words and truth: TOML or JSON.", metavar="FILE"),
]
Threshold = Annotated[
    str, typer.Option(help="A number, accuracy, youden (largest tpr − fpr), or null (5 % false positives).")
]


Remove = Annotated[
    Removal,
    typer.Option(help="eibd: remove words above the threshold for all constituent pairs, any, or none."),
]
Vocabulary = Annotated[
    bool, typer.Option("--vocabulary", help="Test every word of the vectors, with a false-discovery rate.")
]
Fdr = Annotated[float, typer.Option(help="False-discovery rate of --vocabulary.")]
Top = Annotated[int, typer.Option(help="Number of words to show.", min=1)]


def detection_command(kind: Kind, summary: str) -> Callable[..., None]:
    """The command ``ibd`` or ``eibd``, which differ only in what they detect."""

    def command(
        model: m.Model,
        test: Targets = None,
        design: GroupFile = None,
        threshold: Threshold = "youden",
        remove: Remove = "all",
        vocabulary: Vocabulary = False,
        fdr: Fdr = 0.05,
        top: Top = 20,
        missing: o.MissingOption = "drop",
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
        if remove != "all" and (kind == "ibd" or vocabulary):
            where = "to ibd, which removes no words" if kind == "ibd" else "with --vocabulary"
            raise InputError(
                f"--remove {remove} is given {where}.",
                hint="leave it out; it is for eibd over a list of words.",
            )
        asked = material(kind, test, design, need_words=not vocabulary)
        source = m.Source(
            model=model, kind=as_, format=format_, fallback=fallback, prompt=prompt, layer=layer,
            pooling=pooling, served=served, device=device,
        )  # fmt: skip
        if vocabulary:
            emb = source.vectors(None)
            found = _discoveries(kind, emb, asked, fdr, missing, seed)
            if figure is not None:
                _save_discoveries(found, figure, top)
            if json:
                printing.document(kind, found)
                return
            said: set[str] = set()
            for discovery in found:
                listed = discovery.table()
                if not listed.rows:  # of which nothing would be printed
                    printing.out.print(f"{listed.title}.", markup=False)
                printing.show(replace(listed, most=top), said=said)
            return
        table = group_table(asked.groups)
        names = [name for members in table.names.values() for name in members]
        emb = source.vectors([*names, *asked.words])
        results = {
            one: detect(kind, emb, asked, one, threshold, missing, seed, remove=remove)
            for one in asked.targets
        }
        if figure is not None:
            from crossroads import plots

            plots.save(plots.roc(results, published=published(kind) if design is None else None), figure)
        if json:
            printing.document(kind, list(results.values()), targets=list(results))
            return
        printing.show(DetectionResult.tabulate(results), title=False)
        for name, result in results.items():
            words = ", ".join(result.words[:top]) or "nothing detected"
            if result.at_chance:
                words = NONE_LISTED
            printing.out.print(f"[b]{escape(name)}[/b]: {escape(words)}")
        m.say_source(emb)
        printing.notes([(one, result.coverage) for one, result in results.items()])

    command.__doc__ = summary
    return command


ibd_command = detection_command("ibd", "Detect words associated with an intersectional group.")
eibd_command = detection_command("eibd", "Detect words that emerge at an intersection, not in its parents.")


def _discoveries(
    kind: Kind, emb: Embeddings, asked: Material, fdr: float, missing: Missing, seed: int
) -> list[DiscoveryResult]:
    found = []
    for target in asked.targets:
        with waiting.counting(f"permuting the names of {target}", 100) as (bar, task):
            found.append(
                discover(
                    emb,
                    asked.groups,
                    target,
                    kind=kind,
                    fdr=fdr,
                    seed=seed,
                    missing=missing,
                    progress=partial(_advance, bar, task),
                )
            )
    return found


def _advance(bar: Any, task: Any, done: int) -> None:
    bar.update(task, completed=done)


def _save_discoveries(found: list[DiscoveryResult], figure: Path, top: int) -> None:
    from crossroads import plots

    if len(found) != 1:
        raise InputError(
            f"--figure draws one group, and {len(found)} were chosen.", hint="name one with --test."
        )
    plots.save(plots.discoveries(found[0], n=top), figure)


def material(kind: str, test: list[str] | None, design: Path | None, *, need_words: bool = True) -> Material:
    """Groups, targets, candidate words and listed words: from a file, or from the catalogue."""
    if design is not None:
        sheet = read_sheet(design)
        table = group_table(sheet.groups)
        targets = [table.labels[table.find(one)] for one in test or [next(iter(table.labels.values()))]]
        if need_words and not sheet.words:
            raise InputError(
                f"{design} lists no candidate words.", hint="give words = [...], or --vocabulary."
            )
        truths = dict.fromkeys(targets, sheet.truth) if sheet.truth else {}
        return Material(sheet.groups, targets, list(sheet.words), truths)
    return published_material(kind, test)


def published(kind: str) -> dict[str, tuple[float, float]]:
    """The published points of a detection: false and true positive rate."""
    from crossroads.papers.published import table

    return {
        row["target"]: (row["fpr"][0] / row["fpr"][1], row["tpr"][0] / row["tpr"][1])
        for row in table("ceat-ibd")["row"]
        if row["kind"] == kind
    }


def rsa_command(
    model: m.Model,
    test: Annotated[
        list[str] | None,
        typer.Option(
            "--test",
            "-t",
            help="A published comparison, or a concept of --design; all of them if left out.",
            metavar="NAME",
        ),
    ] = None,
    design: Annotated[
        Path | None,
        typer.Option("--design", "-d", help="Your own groups and concepts: TOML or JSON.", metavar="FILE"),
    ] = None,
    n: Annotated[int, typer.Option(help="Number of items drawn from each set.", min=2)] = 10,
    samples: Annotated[int, typer.Option(help="Number of samples.", min=1)] = 100,
    replace_concept: Annotated[
        bool,
        typer.Option(
            "--replace-concept", help="Draw concept items with replacement, as published code does."
        ),
    ] = False,
    dissimilarity: Annotated[Dissimilarity, typer.Option(help="Dissimilarity of two items.")] = "spearman",
    missing: o.MissingOption = "drop",
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    prompt: m.Prompt = None,
    layer: m.LayerOrAll = None,
    pooling: m.PoolingOption = None,
    served: m.Served = None,
    as_: m.As = None,
    device: m.DeviceOption = "auto",
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Compare the geometry of a model with two hypotheses about two groups and a concept.

    The items of a file may be sentences, for models that read them: brackets mark the word whose vector is
    taken, as in "The [Black] woman is here."
    """
    source = m.Source(
        model=model, kind=as_, format=format_, fallback=fallback, prompt=prompt, layer=layer,
        pooling=pooling, served=served, device=device,
    )  # fmt: skip
    reads = recognise(model, format=format_, kind=as_).name in TAKES["prompt"]
    trios = comparisons(test, design, sentences=reads)
    words = list(dict.fromkeys(word for trio in trios for part in trio for word in part))
    layers: dict[int | None, Embeddings] = {}
    if layer == m.ALL:
        layers.update(source.series(words, "layers").items())
    else:
        layers[None] = source.vectors(words)
    if missing == "raise":
        asked = {" / ".join(part.name for part in trio): {part.name: part for part in trio} for trio in trios}
        require_sets({"" if at is None else f"layer {at}": emb for at, emb in layers.items()}, asked)
    options: dict[str, Any] = {
        "n": n, "samples": samples, "replace_concept": replace_concept, "dissimilarity": dissimilarity,
        "missing": missing, "seed": seed,
    }  # fmt: skip
    with waiting.counting("comparing", len(trios) * len(layers)) as (bar, task):
        measured = []
        for trio in trios:
            for at, emb in layers.items():
                measured.append((at, rsa(emb, *trio, **options)))
                bar.update(task, advance=1)
    results = [result for _, result in measured]
    adjusted = adjust_known([one.crossed.pvalue for one in results])
    if figure is not None:
        from crossroads import plots

        plots.save(plots.fit_plot(results), figure)
    if json:
        more = {} if layer != m.ALL else {"layers": [at for at, _ in measured], "adjusted": encode(adjusted)}
        printing.document("rsa", results, **more)
        return
    if layer == m.ALL:
        printing.show(_layers_table(measured, adjusted), title=False)
    else:
        printing.show(RsaResult.tabulate({r.label: r for r in results}), title=False)
    m.say_source(next(iter(layers.values())), layer=layer != m.ALL)
    printing.notes([(" / ".join(r.names), r.coverage) for r in results])


def _layers_table(
    measured: list[tuple[int | None, RsaResult]], adjusted: Mapping[str, tuple[float | None, ...]]
) -> Table:
    """One row per comparison and layer, with p-values adjusted for the number of rows."""
    plain = RsaResult.tabulate({str(i): one for i, (_, one) in enumerate(measured)})
    column, extra = adjusted_column(len(measured)), Column(key="layer", head="layer")
    rows = tuple(
        {**row, "layer": str(at), column.key: None if p is None else P(p)}
        for (at, _), row, p in zip(measured, plain.rows, adjusted[ADJUSTMENT], strict=True)
    )
    after = [one.key for one in plain.columns].index("p") + 1
    columns = (*plain.columns[:3], extra, *plain.columns[3:after], column, *plain.columns[after:])
    return replace(plain, columns=columns, rows=rows)


def comparisons(test: list[str] | None, design: Path | None, *, sentences: bool = False) -> list[Trio]:
    """Two groups and a concept for each comparison: from a file, or published, those of sentences if read."""
    if design is not None:
        sheet = read_sheet(design)
        table = group_table(sheet.groups)
        if not sheet.concepts:
            raise InputError(f"{design} has no concepts.", hint="give [concepts] with one list per concept.")
        sets = [StimulusSet(table.labels[key], names) for key, names in table.names.items()]
        trios = [
            (first, second, StimulusSet(name, words))
            for name, words in sheet.concepts.items()
            for i, first in enumerate(sets)
            for second in sets[i + 1 :]
        ]
        return trios if test is None else _named_trios(trios, test)
    return published_comparisons(test, sentences=sentences)


def _named_trios(trios: list[Trio], names: list[str]) -> list[Trio]:
    """Comparisons by the name of their concept, or by those of both groups and the concept."""
    by_name: dict[str, list[Trio]] = {}
    for trio in trios:
        for name in (trio[2].name, " / ".join(part.name for part in trio)):
            by_name.setdefault(name, []).append(trio)
    for name in names:
        if name not in by_name:
            raise UnknownNameError("comparison", name, by_name)
    return [trio for trio in trios if any(trio in by_name[name] for name in names)]
