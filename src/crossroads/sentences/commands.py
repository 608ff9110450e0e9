"""``crossroads sentences``: which of two or three sentences a language model prefers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from crossroads.core.cli import options as o
from crossroads.core.cli.runner import Arg, Convention, ModelOption, Opt, Outcome, Written, command, passed
from crossroads.core.cli.terminal import interrupts as interrupting
from crossroads.core.errors import InputError, OnMissing, join_words
from crossroads.core.inference.options import seed_of
from crossroads.core.models.language import Asked
from crossroads.core.results.robustness import checks
from crossroads.core.storage.cache import parts_folder
from crossroads.core.storage.staging import check_folder
from crossroads.core.wording.numbers import between, counted, number, percent
from crossroads.sentences.evidence import SCALES, Per, SentenceScores, read_document
from crossroads.sentences.material import sentence_items
from crossroads.sentences.pairs import SentencePairsResult, cluster_names
from crossroads.sentences.score import AskedScore, score_sentences
from crossroads.sentences.triples import SentenceTriplesResult, sentence_test
from crossroads.traits.commands import watching


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """A language model, and the sentences that it scores."""

    model: Annotated[
        str,
        Arg(
            "MODEL",
            "A masked or causal model (folder, .gguf, name on the hub), or a file of scores that "
            "--answers kept.",
        ),
    ]
    file: Annotated[
        Path | None,
        Arg("FILE", "Pairs or triples: CSV, JSON or JSONL with the columns of CrowS-Pairs or StereoSet."),
    ] = None
    output_folder: o.Answers = None
    missing: Annotated[OnMissing, Opt("Sentences without a score: raise or drop.", "WHAT")] = "raise"
    restart: o.Fresh = False
    asked_as: Annotated[Asked, ModelOption("how the model is asked")] = "auto"
    revision: o.Revision = None
    device: o.DeviceOption = "auto"
    threads: o.Threads = None
    batch_size: o.BatchSize = 64
    score: Annotated[
        AskedScore,
        Convention(
            "score of a sentence; by default pll, for causal models likelihood; stereoset: blank, for causal "
            "models bare; released: blank with words split as in the code of StereoSet"
        ),
    ] = "auto"
    per: Annotated[
        Per, Convention("sum over tokens, their mean, or mean probability; by default as published")
    ] = "auto"
    cluster: Annotated[
        tuple[str, ...],
        Convention("what items share: a column, contrast, frame, or none; two for pairs: contrast,frame"),
    ] = ("auto",)


@command
def sentences_command(scoring: Scoring, written: Written) -> Outcome:
    """Say which of two or three sentences a model prefers.

    Pairs as in CrowS-Pairs, triples as in StereoSet. Known flaws of these data are printed below the numbers.
    """
    seed_of(written.seed)
    scores, cluster = _scores(scoring)
    result = sentence_test(scores, cluster=cluster, per=scoring.per, seed=written.seed)
    return Outcome(
        command="sentences",
        results={result._label: result},
        more={"checks": checks(result).to_dict()},
        tables=[result._table().without(_LESS)],
        titled=True,
        files=[result._table()],
        lines=list(_lines(result)),
        figure=lambda plots: plots.sentence_plot(result),
    )


def _scores(scoring: Scoring) -> tuple[SentenceScores, str | Sequence[str] | None]:
    """Scores of a model or of a file, and what items share, which is checked before a model scores them."""
    model, file, folder = scoring.model, scoring.file, scoring.output_folder
    first, *others = scoring.cluster or ("auto",)
    named = {"none": None, "auto": "auto"}.get(first.casefold(), first)
    cluster = scoring.cluster if others else named
    is_json = model.casefold().endswith(".json") and Path(model).is_file()
    if read_document(model) is not None or (file is None and is_json):
        if file is not None or folder is not None:
            what = file if file is not None else "--answers"
            raise InputError(f"{what} was given, but {model} already has scores.", hint="leave it out.")
        return SentenceScores.open(model), cluster
    if file is None:
        raise InputError(
            "no file of sentences is given.", hint="name one after the model: CSV, JSON or JSONL."
        )
    items, place = sentence_items(file), None
    cluster_names(items.items, items.kind, cluster)
    if folder is not None:
        check_folder(folder)
        place = folder / f"{file.name.partition('.')[0]}-{scoring.score}.json"
        interrupting.promise(interrupting.kept_or_finished(place, parts_folder(place)))
    with watching() as watch:
        options = passed(score_sentences, scoring) | {"sentences": items, "store": place}
        return score_sentences(progress=watch, **options), cluster


_LESS = ("ties", "difference", "difference_ci", "targets", "lms_ci", "icat_ci")
"""Columns that a terminal has no room for; --json and reports have them."""


def _lines(result: SentencePairsResult | SentenceTriplesResult) -> Iterator[str]:
    """What no category has for itself."""
    if isinstance(result, SentenceTriplesResult):
        low, high = result.overall.icat_low, result.overall.icat_high
        if low is not None and high is not None:
            yield f"icat of all: {between(low, high, 1)}, over {counted(result.overall.targets, 'target')}."
        return
    overall = result.overall
    low, high = overall.difference_low, overall.difference_high
    ends = "" if low is None or high is None else f" ({between(low, high)})"
    mean = f"{number(overall.difference)}{ends} in {SCALES[result.per]}"
    yield f"{counted(overall.ties, 'tie')}; Δ of all: {mean}."
    shares = [f"{percent(part.share)} of {part.pairs:,} {name}" for name, part in result.directions.items()]
    if shares:
        yield f"preferred: {join_words(shares)} pairs."
    if overall.largest > 1:
        yield f"the largest cluster has {overall.largest:,} of {overall.pairs:,} pairs."
