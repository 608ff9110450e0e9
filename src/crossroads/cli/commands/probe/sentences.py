"""``crossroads sentences``: which of two or three sentences a language model prefers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from crossroads.cli import options as o
from crossroads.cli.commands.probe.command import watching
from crossroads.cli.commands.probe.options import BatchSize, DeviceOption, Kind, Revision, Threads
from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import tables as printing
from crossroads.cli.terminal.interrupts import kept_or_finished
from crossroads.errors import InputError, OnMissing, join_words
from crossroads.evidence.sentences import SCALES, Per, SentenceScores, read_document
from crossroads.extraction.sentences.run import AskedScore, score_sentences
from crossroads.measures.rungs import ladder
from crossroads.measures.sentences.pairs import SentencePairsResult, sentence_pairs
from crossroads.measures.sentences.preference import Preference
from crossroads.measures.sentences.triples import SentenceTriplesResult, sentence_triples
from crossroads.storage.parts import parts_folder
from crossroads.wording.numbers import between, counted, number, percent


def sentences_command(
    model: Annotated[
        str,
        typer.Argument(
            help="A folder, a .gguf file or a hub name of a masked or causal model; or a file of scores "
            "written by --output.",
            metavar="MODEL",
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="Pairs or triples: CSV, JSON or JSONL with the columns of CrowS-Pairs or StereoSet.",
            metavar="FILE",
        ),
    ] = None,
    score: Annotated[
        AskedScore,
        typer.Option(
            help="Score of a sentence; by default pll, for causal models likelihood; stereoset: blank, for "
            "causal models bare."
        ),
    ] = "auto",
    per: Annotated[
        Per, typer.Option(help="Sum over tokens, their mean, or mean probability; by default as published.")
    ] = "auto",
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            help="What items share: a column, contrast, frame, or none; at most twice for pairs.",
            metavar="NAME",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Save the scores here; resumes if interrupted.", metavar="DIR"),
    ] = None,
    missing: Annotated[OnMissing, typer.Option(help="What to do with sentences without a score.")] = "raise",
    kind: Kind = "auto",
    revision: Revision = None,
    device: DeviceOption = "auto",
    threads: Threads = None,
    batch_size: BatchSize = 64,
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard unfinished scores that have other settings.")
    ] = False,
    seed: o.Seed = 0,
    figure: o.FigureFile = None,
    json: o.Json = False,
) -> None:
    """Score pairs or triples of sentences, and say which a model prefers.

    Pairs as in CrowS-Pairs, triples as in StereoSet. Known flaws of these data are printed below the numbers.
    """
    saved = read_document(model) is not None
    if saved and (file is not None or output is not None):
        given = file if file is not None else "--output"
        raise InputError(f"{given} was given, but {model} already has scores.", hint="leave it out.")
    if not saved and file is None:
        raise InputError(
            "no file of sentences is given.", hint="name one after the model: CSV, JSON or JSONL."
        )
    if saved:
        scores = SentenceScores.open(model)
    else:
        place = None
        if output is not None and file is not None:
            output.mkdir(parents=True, exist_ok=True)
            place = output / f"{file.name.partition('.')[0]}-{score}.json"
            interrupting.promise(kept_or_finished(place, parts_folder(place)))
        with watching() as watch:
            scores = score_sentences(
                model,
                file,
                score=score,
                kind=kind,
                missing=missing,
                revision=revision,
                store=place,
                device=device,
                threads=threads,
                batch_size=batch_size,
                restart=restart,
                progress=watch,
            )
    result = _measured(scores, cluster, per, seed)
    if figure is not None:
        from crossroads import plots

        plots.save(plots.sentence_plot(result), figure)
    if json:
        printing.document("sentences", [result], ladder=ladder(result).to_dict())
        return
    show(result)


def _measured(
    scores: SentenceScores, cluster: list[str] | None, per: Per, seed: int
) -> SentencePairsResult | SentenceTriplesResult:
    """The measure of pairs or of triples."""
    none = cluster is not None and [one.casefold() for one in cluster] == ["none"]
    if scores.kind == "pairs":
        chosen = "auto" if cluster is None else None if none else cluster
        return sentence_pairs(scores, cluster=chosen, per=per, seed=seed)
    if cluster is not None and len(cluster) > 1:
        raise InputError(
            f"--cluster was given {len(cluster)} times, and triples share one thing.", hint="give it once."
        )
    target = "auto" if cluster is None else None if none else cluster[0]
    return sentence_triples(scores, target=target, per=per, seed=seed)


_LESS = ("ties", "difference", "difference_ci", "targets", "lms_ci", "icat_ci")
"""Columns that a terminal has no room for; --json and reports have them."""


def show(result: SentencePairsResult | SentenceTriplesResult) -> None:
    """Print the table and what is said of all items."""
    printing.show(result.table().without(_LESS))
    for line in _told(result):
        printing.out.print(line, style="dim", markup=False)
    printing.notes([(result.label, result.coverage)])


def _told(result: SentencePairsResult | SentenceTriplesResult) -> Iterator[str]:
    """What no category has for itself."""
    if isinstance(result, SentenceTriplesResult):
        low, high = result.overall.icat_low, result.overall.icat_high
        if low is not None and high is not None:
            yield f"icat of all: {between(low, high, 1)}, over {counted(result.overall.targets, 'target')}."
        return
    one = result.overall
    mean = f"{number(one.difference)}{_ends(one)} in {SCALES[result.per]}"
    yield f"{counted(one.ties, 'tie')}; Δ of all: {mean}."
    shares = [f"{percent(some.share)} of {some.pairs:,} {name}" for name, some in result.directions.items()]
    if shares:
        yield f"preferred: {join_words(shares)} pairs."
    if one.largest > 1:
        yield f"the largest cluster has {one.largest:,} of {one.pairs:,} pairs."


def _ends(one: Preference) -> str:
    low, high = one.difference_low, one.difference_high
    return "" if low is None or high is None else f" ({between(low, high)})"
