"""The command ``reproduce``: published numbers beside ours."""

from __future__ import annotations

import csv
import io
import json as json_text
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import crossroads
from crossroads.cli import options as o
from crossroads.cli import printing
from crossroads.cli.associations import open_vectors
from crossroads.cli.contextual import open_store
from crossroads.cli.intersections import intersectional_words
from crossroads.cli.reproduction_tables import fidelity_table, show_reproduction, show_summary
from crossroads.errors import InputError, UnknownNameError, join_words
from crossroads.evidence import Embeddings
from crossroads.measures import TraitScores, read_scores
from crossroads.papers import (
    PAPERS,
    Reproduction,
    fidelity,
    reproduce,
    reproduce_abc,
    reproduce_ceat,
    reproduce_ml_eat,
)
from crossroads.report.folder import write_whole
from crossroads.sources import load_series, sniff
from crossroads.stimuli import catalog

CEAT, ABC, ML_EAT = "ceat", "abc", "ml-eat"
KNOWN = (*PAPERS, CEAT, ABC, ML_EAT)


def _complete_paper(incomplete: str) -> list[str]:
    return [name for name in KNOWN if name.startswith(incomplete.lower())]


def reproduce_command(
    paper: Annotated[
        str | None,
        typer.Argument(help="What to reproduce; all, in brief, if left out.", autocompletion=_complete_paper),
    ] = None,
    vectors: Annotated[
        str,
        typer.Option(
            "--vectors",
            help="Vectors to measure; those of the paper for a full reproduction. For [b]ml-eat[/b] also a "
            "HistWords folder.",
        ),
    ] = "default",
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
    model: Annotated[
        str | None,
        typer.Option(
            help="The model of the paper that made the store or the vectors: elmo, bert, gpt, gpt-2 for "
            "[b]ceat[/b]; glove-840b, google-news, histwords, gpt-2-base … gpt-2-xl for [b]ml-eat[/b]; or "
            "none of them. By default it is recognised.",
            metavar="MODEL",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(help="Samples of contexts, for [b]ceat[/b]; the appendix says 1,000.", min=3)
    ] = 1000,
    badges: Annotated[
        bool, typer.Option("--fidelity", help="Show instead whose formula each measure is.")
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
    if badges:
        _show_fidelity(output, json)
        return
    _check_given(paper, vectors=vectors != "default", store=store, model=model, human=human, scores=scores)
    results: list[Reproduction] = []
    if paper in (None, ML_EAT, *PAPERS):
        results = _on_vectors(paper, vectors, model if paper == ML_EAT else None, fallback, format_, seed)
    if paper in (None, CEAT):
        results.append(measured_reproduction(store, model, samples, seed, fallback))
    if paper in (None, ABC):
        results.append(reproduce_abc(_named_scores(scores), human, seed=seed))
    if output is not None:
        _save(output, results)
    if json:
        more = {"fidelity": [one.to_dict() for one in fidelity()]} if paper is None else {}
        printing.document("reproduce", results, **more)
        return
    for result in results:
        (show_summary if paper is None else show_reproduction)(result)


_TAKES = {CEAT: ("store", "model"), ABC: ("human", "scores"), ML_EAT: ("vectors", "model")}


def _check_given(paper: str | None, **given: object) -> None:
    """Refuse options that the paper does not take, instead of ignoring them."""
    if paper is None:
        return
    takes = _TAKES.get(paper, ("vectors",))
    for name, value in given.items():
        if value and name not in takes:
            raise InputError(
                f"--{name} was given, and {paper!r} does not take it.",
                hint=f"it takes {join_words([f'--{one}' for one in takes])}.",
            )


def _on_vectors(
    paper: str | None, vectors: str, model: str | None, fallback: str, format_: str | None, seed: int
) -> list[Reproduction]:
    """Everything that static vectors, or a series of them, reproduce."""
    folder = Path(vectors)
    if folder.is_dir() and format_ in (None, "histwords") and sniff(folder) == "histwords":
        if paper != ML_EAT:
            raise InputError(
                f"{vectors} holds the vectors of several decades, which one paper alone measured.",
                hint=f"crossroads reproduce ml-eat --vectors {vectors}",
            )
        return [reproduce_ml_eat(_decades(folder, fallback), model=model)]
    words = [*(() if paper == ML_EAT else intersectional_words()), *ml_eat_words()]
    emb = open_vectors(vectors, list(dict.fromkeys(words)), format_, fallback)
    results = [reproduce(one, emb, seed=seed) for one in PAPERS if paper in (None, one)]
    if paper in (None, ML_EAT):
        results.append(reproduce_ml_eat(emb, model=model))
    return results


def ml_eat_words() -> list[str]:
    """Every word of the ten tests in all variants."""
    tests = [(f"weat{i}", variant) for i in range(1, 11) for variant in (None, "ml-eat", "google-news")]
    words = [word for test, variant in tests for word in catalog().design(test, variant).words]
    return list(dict.fromkeys(words))


def _decades(folder: Path, fallback: str) -> Mapping[int, Embeddings]:
    with printing.reading(str(folder)) as progress:
        words = catalog().design("weat7", "histwords").words
        return load_series(folder, words=words, fallback=fallback, progress=progress)


def _named_scores(given: list[str] | None) -> dict[str, TraitScores]:
    """Scores by column of the published tables."""
    found = {}
    for one in given or []:
        column, _, path = one.partition("=")
        if not path:
            raise InputError(f"--scores {one!r} names no file.", hint="give it as 'SeT BERT=scores.json'.")
        tables = read_scores(path)
        if len(tables) != 1:
            raise InputError(
                f"{path} holds {len(tables)} tables of scores.", hint="write one measure a file."
            )
        found[column.strip()] = tables[0]
    return found


def measured_reproduction(
    store: Path | None, model: str | None, samples: int, seed: int, fallback: str
) -> Reproduction:
    """The published CEATs beside those of a store, with a progress bar."""
    if store is None:
        if model is not None:
            raise InputError(f"--model {model} was given without a store.", hint="give --store as well.")
        return reproduce_ceat(seed=seed)
    contexts = open_store(store, fallback)
    with printing.counting("drawing contexts", 74) as (bar, task):
        return reproduce_ceat(
            contexts,
            model=model,
            samples=samples,
            seed=seed,
            progress=lambda _: bar.update(task, advance=1),
        )


def _show_fidelity(output: Path | None, json: bool) -> None:
    entries = [one.to_dict() for one in fidelity()]
    if output is not None:
        plain = [
            {**one, "options": "; ".join(f"{c['name']}={c['value']}" for c in one["options"])}
            for one in entries
        ]
        _write(output, {"fidelity": entries}, plain)
    if json:
        printing.document("reproduce", [], fidelity=entries)
    else:
        printing.out.print(fidelity_table())


def _check_output(output: Path | None) -> None:
    if output is None:
        return
    if output.suffix.lower() not in (".json", ".csv"):
        raise InputError(f"--output {output} is neither .json nor .csv.", hint="name the file so.")
    if output.is_dir() or not output.parent.is_dir():
        raise InputError(f"--output {output} cannot be written.", hint="name a file in a folder that exists.")


def _save(output: Path, results: list[Reproduction]) -> None:
    rows = [{"paper": result.paper, **row} for result in results for row in result.rows()]
    _write(output, {"results": [result.to_dict() for result in results]}, rows)


def _write(output: Path, data: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the document, or the rows of it as CSV, in one step."""
    if output.suffix.lower() == ".csv":
        rows = list(rows)
        text = io.StringIO()
        table = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        write_whole(output, text.getvalue())
        return
    head = {"crossroads": crossroads.__version__, "command": "reproduce"}
    whole = json_text.dumps({**head, **data}, ensure_ascii=False, allow_nan=False, indent=1)
    write_whole(output, whole + "\n")
