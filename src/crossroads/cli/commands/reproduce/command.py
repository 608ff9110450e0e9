"""The command ``reproduce``: published numbers beside ours."""

from __future__ import annotations

import io
import json as json_text
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import crossroads
from crossroads.cli import options as o
from crossroads.cli.commands.intersections import intersectional_words
from crossroads.cli.commands.reproduce.material import (
    check_clip,
    decades,
    measured_reproduction,
    ml_eat_words,
    named_scores,
    paired_scores,
    words_and_images,
)
from crossroads.cli.commands.reproduce.tables import fidelity_table, show_reproduction, show_summary
from crossroads.cli.terminal import progress as waiting
from crossroads.cli.terminal import tables as printing
from crossroads.errors import InputError, UnknownNameError, join_words
from crossroads.papers.abc.reproduction import reproduce_abc
from crossroads.papers.cells import Reproduction
from crossroads.papers.fidelity import fidelity
from crossroads.papers.ml_eat.reproduction import reproduce_ml_eat
from crossroads.papers.published import KNOWN
from crossroads.papers.vectors import PAPERS, reproduce
from crossroads.sources.load import load
from crossroads.sources.vectors.signatures import sniff
from crossroads.stimuli.files.spreadsheets import write_rows
from crossroads.storage.files import check_file, write_file

CEAT, ABC, ML_EAT = "ceat", "abc", "ml-eat"
NO_MODEL = "none"
_SAMPLES = 1000
_ON_VECTORS = (*PAPERS, ML_EAT)
_TAKEN_BY: Mapping[str, tuple[str, ...]] = {
    "vectors": _ON_VECTORS,
    "images": (ML_EAT,),
    "store": (CEAT,),
    "samples": (CEAT,),
    "human": (ABC,),
    "scores": (ABC,),
    "pair_scores": (ABC,),
    "truth": (ABC,),
    "model": (CEAT, ABC, ML_EAT),
    "fallback": (*_ON_VECTORS, CEAT),
    "format_": _ON_VECTORS,
    "seed": (*PAPERS, CEAT, ABC),
}
"""Options by parameter, with the papers that take them."""
_OF_ONE_PAPER = ("images", "model")
"""Options that need a paper."""


def _complete_paper(incomplete: str) -> list[str]:
    return [name for name in KNOWN if name.startswith(incomplete.lower())]


def reproduce_command(
    ctx: typer.Context,
    paper: Annotated[
        str | None,
        typer.Argument(
            help="What to reproduce: ml-eat, ceat, ceat-ibd, rsa or abc; all, in brief, if left out.",
            autocompletion=_complete_paper,
        ),
    ] = None,
    vectors: Annotated[
        str,
        typer.Option(
            "--vectors",
            help="Vectors to measure, for [b]ml-eat[/b], [b]ceat-ibd[/b] and [b]rsa[/b]; those of the paper "
            "for a full reproduction. For [b]ml-eat[/b] also a HistWords folder, or, with --images, the "
            "folder of a CLIP model.",
        ),
    ] = "default",
    images: Annotated[
        Path | None,
        typer.Option(
            "--images",
            help="Images for the CLIP tables of [b]ml-eat[/b]: one subfolder per set, such as Flower and "
            "Insect, or data/experiments of the repository ieat.",
            metavar="DIR",
        ),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option("--store", help="Context vectors to measure, for [b]ceat[/b].", metavar="STORE"),
    ] = None,
    human: Annotated[
        Path | None,
        typer.Option("--human", help="Human judgements, for [b]abc[/b].", metavar="FILE"),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            help="Scores of a model, for [b]abc[/b], as 'SeT BERT=scores.json'; may be given several times.",
            metavar="COLUMN=FILE",
        ),
    ] = None,
    pair_scores: Annotated[
        Path | None,
        typer.Option(
            "--pair-scores",
            help="SeT scores of pairs of groups, for [b]abc[/b]: output of crossroads probe --pairs --json.",
            metavar="FILE",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            "--truth",
            help="Traits that people named for pairs, for [b]abc[/b]: a CSV file pair,trait.",
            metavar="FILE",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Which model of the paper the store or the vectors come from: elmo, bert, gpt, gpt-2 for "
            "[b]ceat[/b]; glove-840b, google-news, histwords, gpt-2-base … gpt-2-xl, clip-vit-b32 … "
            "clip-vit-l14-336 for [b]ml-eat[/b]; or none, which is shown without a verdict. By default "
            "it is recognised; for [b]abc[/b] it is given by the column.",
            metavar="MODEL",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(help="Samples of contexts, for [b]ceat[/b]; the appendix says 1,000.", min=3)
    ] = _SAMPLES,
    badges: Annotated[
        bool, typer.Option("--fidelity", help="Show the source of the formula of each measure instead.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write every cell here: .json or .csv.", metavar="FILE"),
    ] = None,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    seed: o.Seed = 0,
    json: o.Json = False,
) -> None:
    """Print published numbers beside ours, with a verdict for every cell."""
    if paper is not None and paper not in KNOWN:
        raise UnknownNameError("paper", paper, KNOWN)
    _check_output(output)
    _check_given(ctx, paper, badges)
    if badges:
        _show_fidelity(output, json)
        return
    results: list[Reproduction] = []
    if paper in (None, *_ON_VECTORS):
        results = _on_vectors(paper, vectors, images, model, fallback, format_, seed)
    if paper in (None, CEAT):
        results.append(measured_reproduction(store, model, samples, seed, fallback))
    if paper in (None, ABC):
        results.append(_abc(scores, human, pair_scores, truth, model, seed))
    if output is not None:
        rows = [{"paper": result.paper, **row} for result in results for row in result.rows()]
        _write(output, {"results": [result.to_dict() for result in results]}, rows)
    if json:
        more = {"fidelity": [one.to_dict() for one in fidelity()]} if paper is None else {}
        printing.document("reproduce", results, **more)
        return
    for result in results:
        (show_summary if paper is None else show_reproduction)(result)


def _check_given(ctx: typer.Context, paper: str | None, badges: bool) -> None:
    """Refuse options that would be ignored, and name the papers that take them."""
    given = [name for name in (*_TAKEN_BY, "paper") if _is_given(ctx, name)]
    options = {name: f"--{name.rstrip('_').replace('_', '-')}" for name in given}
    if badges and given:
        what = paper if given == ["paper"] else next(options[name] for name in given if name != "paper")
        raise InputError(
            f"{what} was given with --fidelity, which shows all measures and measures nothing.",
            hint="leave out one of the two.",
        )
    for name in given:
        takers = _TAKEN_BY.get(name, KNOWN)
        if paper is None and name in _OF_ONE_PAPER:
            raise InputError(
                f"{options[name]} was given without a paper.",
                hint=f"name one that takes it: {join_words(takers, last='or')}.",
            )
        if paper is not None and paper not in takers:
            own = [f"--{one.rstrip('_').replace('_', '-')}" for one, by in _TAKEN_BY.items() if paper in by]
            raise InputError(
                f"{options[name]} was given, and {paper!r} does not take it.",
                hint=f"{join_words(takers)} {'take' if len(takers) > 1 else 'takes'} it; {paper} takes "
                f"{join_words(own)}.",
            )
    if paper in (None, CEAT) and "store" not in given:
        for name in ("samples", "model"):
            if name in given:
                raise InputError(f"{options[name]} was given without a store.", hint="give --store as well.")
    if "truth" in given and "pair_scores" not in given:
        raise InputError("--truth was given without scores of pairs.", hint="give --pair-scores as well.")


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def _abc(
    scores: list[str] | None,
    human: Path | None,
    pair_scores: Path | None,
    truth: Path | None,
    model: str | None,
    seed: int,
) -> Reproduction:
    """The tables of the ABC study beside the given data."""
    if model is not None and model.lower() != NO_MODEL:
        raise UnknownNameError(
            "model",
            model,
            (NO_MODEL,),
            hint="in abc the column gives the model: --scores 'SeT BERT=scores.json'; --model none shows the "
            "scores of other models without a verdict.",
        )
    return reproduce_abc(
        named_scores(scores or ()),
        human,
        pairs=None if pair_scores is None else paired_scores(pair_scores),
        truth=truth,
        same_models=model is None,
        seed=seed,
    )


def _on_vectors(
    paper: str | None,
    vectors: str,
    images: Path | None,
    model: str | None,
    fallback: str,
    format_: str | None,
    seed: int,
) -> list[Reproduction]:
    """Reproductions from static vectors, a series of them, or a vision–language model."""
    folder = Path(vectors)
    if paper == ML_EAT:
        check_clip(vectors, images)
    if images is not None:
        return [reproduce_ml_eat(words_and_images(vectors, images), model=model)]
    if folder.is_dir() and format_ in (None, "histwords") and sniff(folder) == "histwords":
        if paper != ML_EAT:
            raise InputError(
                f"{vectors} has the vectors of several decades, which only one paper measured.",
                hint=f"crossroads reproduce ml-eat --vectors {vectors}",
            )
        return [reproduce_ml_eat(decades(folder, fallback), model=model)]
    words = [*(() if paper == ML_EAT else intersectional_words()), *ml_eat_words()]
    with waiting.reading(vectors) as progress:
        emb = load(vectors, words=dict.fromkeys(words), format=format_, fallback=fallback, progress=progress)
    results = [reproduce(one, emb, seed=seed) for one in PAPERS if paper in (None, one)]
    if paper in (None, ML_EAT):
        results.append(reproduce_ml_eat(emb, model=model))
    return results


def _show_fidelity(output: Path | None, json: bool) -> None:
    entries = [one.to_dict() for one in fidelity()]
    if output is not None:
        rows = [
            {**one, "options": "; ".join(f"{c['name']}={c['value']}" for c in one["options"])}
            for one in entries
        ]
        _write(output, {"fidelity": entries}, rows)
    if json:
        printing.document("reproduce", [], fidelity=entries)
    else:
        printing.out.print(fidelity_table())


def _check_output(output: Path | None) -> None:
    """Refuse a file that cannot be written, before anything is measured."""
    if output is None:
        return
    if output.suffix.lower() not in (".json", ".csv"):
        raise InputError(f"--output {output} is neither .json nor .csv.", hint="give one of these suffixes.")
    if output.is_dir():
        raise InputError(f"--output {output} is a folder.", hint="name a file.")
    check_file(output)


def _write(output: Path, data: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the document, or the rows of it as CSV, in one step."""
    if output.suffix.lower() == ".csv":
        text = io.StringIO()
        write_rows(text, list(rows[0]), rows, end="\n")
        write_file(output, text.getvalue())
        return
    head = {"crossroads": crossroads.__version__, "command": "reproduce"}
    whole = json_text.dumps({**head, **data}, ensure_ascii=False, allow_nan=False, indent=1)
    write_file(output, whole + "\n")
