"""The command ``reproduce``: published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from crossroads.cli import options as o
from crossroads.cli import printing
from crossroads.cli.associations import open_vectors
from crossroads.cli.contextual import open_store
from crossroads.cli.intersections import intersectional_words
from crossroads.errors import InputError, UnknownNameError, join_words
from crossroads.measures import TraitScores, read_scores
from crossroads.papers import PAPERS, Reproduction, reproduce, reproduce_abc, reproduce_ceat

CEAT, ABC = "ceat", "abc"


def _complete_paper(incomplete: str) -> list[str]:
    return [name for name in (*PAPERS, CEAT, ABC) if name.startswith(incomplete.lower())]


def reproduce_command(
    paper: Annotated[
        str | None,
        typer.Argument(help="What to reproduce; all if left out.", autocompletion=_complete_paper),
    ] = None,
    vectors: Annotated[
        str, typer.Option("--vectors", help="Vectors to measure; those of the paper for a full reproduction.")
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
            help="The model of the paper that made the store: elmo, bert, gpt, gpt-2, or none of them; by "
            "default as the store says.",
            metavar="MODEL",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(help="Samples of contexts, for [b]ceat[/b]; the appendix says 1,000.", min=3)
    ] = 1000,
    fallback: o.Fallback = "auto",
    format_: o.Format = None,
    seed: o.Seed = 0,
    json: o.Json = False,
) -> None:
    """Print published numbers beside ours."""
    known = (*PAPERS, CEAT, ABC)
    if paper is not None and paper not in known:
        raise UnknownNameError("paper", paper, known)
    _check_given(paper, vectors=vectors != "default", store=store, model=model, human=human, scores=scores)
    results: list[Reproduction] = []
    if paper in (None, *PAPERS):
        emb = open_vectors(vectors, intersectional_words(), format_, fallback)
        results = [reproduce(one, emb, seed=seed) for one in ([paper] if paper else PAPERS)]
    if paper in (None, CEAT):
        results.append(measured_reproduction(store, model, samples, seed, fallback))
    if paper in (None, ABC):
        results.append(reproduce_abc(_named_scores(scores), human, seed=seed))
    if json:
        printing.document("reproduce", results)
        return
    for result in results:
        _show_reproduction(result, brief=paper is None and store is None)


_TAKES = {CEAT: ("store", "model"), ABC: ("human", "scores")}


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


def _show_reproduction(result: Reproduction, *, brief: bool) -> None:
    printing.out.print(f"[b]{escape(result.title)}[/b]  {escape(result.citation)} doi:{escape(result.doi)}")
    printing.out.print(f"paper: {result.published_vectors}; here: {result.vectors}", markup=False)
    if result.paper == CEAT:
        for table in reproduction_tables(result, brief=brief):
            printing.out.print(table)
        if brief:
            printing.out.print("Tables 3 and 4: crossroads reproduce ceat", style="dim")
    else:
        printing.out.print(printing.reproduction_table(result))
    for note in result.notes:
        printing.out.print(note, style="dim", markup=False)
    printing.notes([(result.paper, result.coverage)], [])


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


def reproduction_tables(result: Reproduction, *, brief: bool) -> Iterable[Table]:
    """The tables of the appendix, one line a test; in brief, Table 2 alone."""
    cells = {(c.row, *c.column.split(", ")): c for c in result.cells}
    models = list(dict.fromkeys(model for _, model, _ in cells))
    measured = any(c.ours is not None for c in result.cells)
    for name in dict.fromkeys(number for _, _, number in cells):
        if brief and name != "Table 2":
            continue
        table = printing.plain_table(name)
        table.add_column("test", no_wrap=True)
        for column in (*models, *(("ours",) if measured else ())):
            table.add_column(column, justify="right", no_wrap=True)
        if measured and len(models) == 1:
            table.add_column("difference", justify="right", no_wrap=True)
            table.add_column("verdict", no_wrap=True)
        for row in dict.fromkeys(row for row, _, number in cells if number == name):
            here = [cells[row, model, name] for model in models]
            ours, first = here[0].ours, here[0]
            shown = [printing.number(c.published) for c in here]
            if measured:
                shown.append("–" if ours is None else printing.number(ours))
            if measured and len(models) == 1:
                off = "" if ours is None else printing.number(ours - first.published)
                shown += [off, first.verdict]
            table.add_row(row, *shown)
        yield table
