"""``crossroads sentences``: which of two or three sentences a language model prefers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from crossroads.inference.options import seed_of
from crossroads.measures.robustness import checks
from crossroads.measures.sentences.pairs import Preference, SentencePairsResult, cluster_names, sentence_pairs
from crossroads.measures.sentences.triples import SentenceTriplesResult, sentence_triples, target_column
from crossroads.stimuli.files.sentences import Kind as ItemKind
from crossroads.stimuli.files.sentences import SentenceItem, sentence_items
from crossroads.storage.parts import parts_folder
from crossroads.storage.staging import check_folder
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
            "causal models bare; released: blank with words split as in the code of StereoSet."
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
    seed_of(seed)
    saved = read_document(model) is not None or (file is None and _is_json(model))
    if saved and (file is not None or output is not None):
        beside = file if file is not None else "--output"
        raise InputError(f"{beside} was given, but {model} already has scores.", hint="leave it out.")
    if not saved and file is None:
        raise InputError(
            "no file of sentences is given.", hint="name one after the model: CSV, JSON or JSONL."
        )
    if saved:
        scores = SentenceScores.open(model)
        shared = _shared(scores.kind, [one.item for one in scores], cluster)
    else:
        given = sentence_items(file)
        shared = _shared(given.kind, given.items, cluster)
        place = None
        if output is not None and file is not None:
            check_folder(output)
            place = output / f"{file.name.partition('.')[0]}-{score}.json"
            interrupting.promise(kept_or_finished(place, parts_folder(place)))
        with watching() as watch:
            scores = score_sentences(
                model,
                given,
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
    result = _measured(scores, shared, per, seed)
    if figure is not None:
        from crossroads import plots

        plots.save(plots.sentence_plot(result), figure)
    if json:
        printing.document("sentences", [result], checks=checks(result).to_dict())
        return
    show(result)


def _is_json(model: str) -> bool:
    """Whether a file of JSON is given, which can only be meant as one of scores."""
    return model.casefold().endswith(".json") and Path(model).is_file()


def _shared(
    kind: ItemKind, items: Sequence[SentenceItem], cluster: list[str] | None
) -> str | Sequence[str] | None:
    """What items share, as measures are asked for it; checked before a model scores them."""
    named = [one.casefold() for one in cluster or ["auto"]]
    if kind == "triples" and len(named) > 1:
        raise InputError(
            f"--cluster was given {len(named)} times, and triples share one thing.", hint="give it once."
        )
    if named == ["none"]:
        return None
    chosen: str | Sequence[str] = "auto" if named == ["auto"] else cluster or "auto"
    if kind == "pairs":
        cluster_names(items, chosen)
        return chosen
    one = chosen if isinstance(chosen, str) else chosen[0]
    target_column(items, one)
    return one


def _measured(
    scores: SentenceScores, shared: str | Sequence[str] | None, per: Per, seed: int
) -> SentencePairsResult | SentenceTriplesResult:
    """The measure of pairs or of triples."""
    if scores.kind == "pairs":
        return sentence_pairs(scores, cluster=shared, per=per, seed=seed)
    target = shared if shared is None or isinstance(shared, str) else shared[0]
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
