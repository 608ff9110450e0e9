"""``crossroads ibd``, with its second name ``eibd`` (``--emergent``), and ``crossroads rsa``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Convention, Opt, Outcome, Written, command, passed
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.evidence import Embeddings
from crossroads.core.models.kinds import TAKES, recognise
from crossroads.core.report.figures import published_points
from crossroads.core.results import adjusted_together, encode
from crossroads.core.results.gaps import require_sets
from crossroads.core.stimuli import StimulusSet, read_sheet
from crossroads.core.wording.phrases import NONE_LISTED
from crossroads.core.wording.table import Column, Table
from crossroads.intersections.audit import Material, Trio, detect, published_comparisons, published_material
from crossroads.intersections.detection import DetectionResult, Removal
from crossroads.intersections.discovery import DiscoveryResult, discover
from crossroads.intersections.geometry import Dissimilarity
from crossroads.intersections.rsa import RsaGridResult, RsaResult, rsa
from crossroads.intersections.wefat import group_table
from crossroads.words.commands import series_of, vectors_of

SheetFile = Annotated[
    Path | None, Opt("Your own groups and words: TOML or JSON.", "FILE", names="--words --design -w -d")
]


@dataclass(frozen=True, kw_only=True)
class Detected:
    """What is detected, and how."""

    test: Annotated[list[str] | None, Opt("A group, such as AF; repeatable.", "GROUP", names="--test -t")] = (
        None
    )
    design: SheetFile = None
    emergent: Annotated[bool, Opt("Only words of the intersection, not of its parents: eibd.")] = False
    vocabulary: Annotated[bool, Opt("Test every word of the vectors, with a false-discovery rate.")] = False
    top: Annotated[int, Opt("Number of words to show.", "N", least=1)] = 20
    missing: o.MissingWords = "drop"
    threshold: Annotated[
        str, Convention("a number, accuracy, youden (largest tpr − fpr), or null (5 % false positives)")
    ] = "youden"
    remove: Annotated[
        Removal,
        Convention("with --emergent: remove words above the threshold for all parent pairs, any, or none"),
    ] = "all"
    fdr: Annotated[float, Convention("false-discovery rate of --vocabulary")] = 0.05

    @property
    def kind(self) -> str:
        """As functions of Python name it."""
        return "eibd" if self.emergent else "ibd"


@command
def ibd_command(source: o.Source, detected: Detected, written: Written) -> Outcome:
    """Detect words that go with an intersectional group.

    With --emergent, words that go with none of its parent groups.
    """
    if detected.remove != "all" and (not detected.emergent or detected.vocabulary):
        where = "with --vocabulary" if detected.emergent else "to ibd, which removes no words"
        raise InputError(
            f"-C remove={detected.remove} is given {where}.",
            hint="leave it out; it is for --emergent over a list of words.",
        )
    material = _material(detected)
    if detected.vocabulary:
        if detected.threshold != type(detected).threshold:
            raise InputError(
                f"-C threshold={detected.threshold} is given with --vocabulary.",
                hint="leave it out; among all words, -C fdr says how many false ones there may be.",
            )
        written.draw_one(len(material.targets), "group")
        return _discovered(detected, vectors_of(source, None), material, passed(discover, detected, written))
    emb = vectors_of(source, material.all_words)
    options = passed(detect, detected, written)
    results = {target: detect(detected.kind, emb, material, target, **options) for target in material.targets}
    points = published_points()[detected.kind] if detected.design is None else None
    return Outcome(
        command=detected.kind,
        results=results,
        more={"targets": list(results)},
        tables=[DetectionResult._tabulate(results)],
        lines=[f"*{name}: {_listed(one, detected.top)}" for name, one in results.items()],
        source=emb,
        figure=lambda plots: plots.roc(results, published=points),
    )


def _listed(result: DetectionResult, top: int) -> str:
    """The words that were detected; none if their ranking is at chance."""
    return NONE_LISTED if result._at_chance else ", ".join(result.words[:top]) or "nothing detected"


def _discovered(detected: Detected, emb: Embeddings, material: Material, options: dict[str, Any]) -> Outcome:
    """Words of the whole vocabulary that go with each group."""
    found: dict[str, DiscoveryResult] = {}
    for target in material.targets:
        with waiting.counting(f"permuting the names of {target}", 100) as (bar, task):
            watch = partial(lambda bar, task, done: bar.update(task, completed=done), bar, task)
            found[target] = discover(emb, material.groups, target, progress=watch, **options)
    tables = [one._table() for one in found.values()]
    return Outcome(
        command=detected.kind,
        results=found,
        tables=[replace(table, most=detected.top) for table in tables],
        titled=True,
        files=tables,
        lines=[f"*{table.title}." for table in tables if not table.rows],
        covered=False,
        figure=lambda plots: plots.discoveries(next(iter(found.values())), n=detected.top),
    )


def _material(detected: Detected) -> Material:
    """Groups, targets, candidate words and listed words: from a file, or from the catalogue."""
    file, test = detected.design, detected.test
    if file is None:
        return published_material(detected.kind, test)
    sheet = read_sheet(file)
    table = group_table(sheet.groups)
    targets = [table.labels[table.find(name)] for name in test or [next(iter(table.labels.values()))]]
    if not detected.vocabulary and not sheet.words:
        raise InputError(f"{file} lists no candidate words.", hint="give words = [...], or --vocabulary.")
    if sheet.truth and len(targets) > 1:
        raise InputError(
            f"{file} lists the words of one group, and {len(targets)} were chosen.",
            hint="name one with --test, or leave truth out of the file.",
        )
    truths = dict.fromkeys(targets, sheet.truth) if sheet.truth else {}
    return Material(sheet.groups, targets, list(sheet.words), truths)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What is compared, and how."""

    test: Annotated[
        list[str] | None,
        Opt(
            "A published comparison, or a concept in FILE; all if left out; repeatable.",
            "NAME",
            names="--test -t",
        ),
    ] = None
    design: SheetFile = None
    missing: o.MissingWords = "drop"
    n: Annotated[int, Convention("number of items drawn from each set", least=2)] = 10
    samples: Annotated[int, Convention("number of samples", least=1)] = 100
    replace_concept: Annotated[
        bool, Convention("draw concept items with replacement, as published code does")
    ] = False
    dissimilarity: Annotated[Dissimilarity, Convention("dissimilarity of two items")] = "spearman"
    words: o.WordsConvention = "effective"


@command
def rsa_command(source: o.Source, compared: Compared, written: Written) -> Outcome:
    """Compare which of two groups a concept is closer to.

    The geometry of the model is compared with two hypotheses. The items of a file may be sentences, for
    models that read them: brackets mark the word whose vector is taken, as in "The [Black] woman is here."
    """
    reads = recognise(source.model, format=source.format, kind=source.kind).name in TAKES["prompt"]
    trios = comparisons(compared.test, compared.design, sentences=reads)
    words = list(dict.fromkeys(word for trio in trios for part in trio for word in part))
    layered, layers = source.layer == o.ALL, dict[int | None, Embeddings]()
    if layered:
        layers.update(series_of(source, words, "layers").items())
    else:
        layers[None] = vectors_of(source, words)
    if compared.missing == "raise":
        sets = {" / ".join(part.name for part in trio): {part.name: part for part in trio} for trio in trios}
        require_sets({"" if at is None else f"layer {at}": emb for at, emb in layers.items()}, sets)
    options = passed(rsa, compared, written)
    measured: list[tuple[int | None, RsaResult]] = []
    with waiting.counting("comparing", len(trios) * len(layers)) as (bar, task):
        for trio in trios:
            for at, emb in layers.items():
                measured.append((at, rsa(emb, *trio, **options)))
                bar.update(task, advance=1)
    results = tuple(result for _, result in measured)
    grid = RsaGridResult(tests=results, **adjusted_together([one.crossed for one in results]))
    of_layers = [at for at, _ in measured]
    plain = RsaResult._tabulate({result._label: result for result in results})
    return Outcome(
        command="rsa",
        results={
            f"{' / '.join(one.names)}{'' if at is None else f', layer {at}'}": one for at, one in measured
        },
        more={"layers": of_layers, "adjusted": encode(grid.adjusted)} if layered else {},
        tables=[_layers_table(grid, of_layers) if layered else plain],
        source=next(iter(layers.values())),
        layer=not layered,
        figure=lambda plots: plots.fit_plot(results),
    )


def _layers_table(grid: RsaGridResult, layers: list[int | None]) -> Table:
    """One row per comparison and layer, with p-values adjusted for the number of rows."""
    table = RsaGridResult._tabulate({"": grid})
    rows = tuple({**row, "layer": str(at)} for row, at in zip(table.rows, layers, strict=True))
    columns = (*table.columns[:3], Column(key="layer", head="layer"), *table.columns[3:])
    return replace(table, name="rsa", columns=columns, rows=rows)


def comparisons(test: list[str] | None, design: Path | None, *, sentences: bool = False) -> list[Trio]:
    """Two groups and a concept for each comparison: from a file, or published, those of sentences if read.

    Those of a file are named by their concept, or by both groups and the concept.
    """
    if design is None:
        return published_comparisons(test, sentences=sentences)
    sheet = read_sheet(design)
    table = group_table(sheet.groups)
    if not sheet.concepts:
        raise InputError(f"{design} has no concepts.", hint="give [concepts] with one list per concept.")
    sets = [StimulusSet(table.labels[key], names) for key, names in table.names.items()]
    trios = [
        (*pair, StimulusSet(name, words))
        for name, words in sheet.concepts.items()
        for pair in combinations(sets, 2)
    ]
    names = [{trio[2].name, " / ".join(part.name for part in trio)} for trio in trios]
    for name in test or ():
        if not any(name in each for each in names):
            raise UnknownNameError("comparison", name, dict.fromkeys(one for each in names for one in each))
    return [trio for trio, each in zip(trios, names, strict=True) if test is None or each & set(test)]
