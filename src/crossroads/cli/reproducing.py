"""The part of ``crossroads reproduce`` that measures contexts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.table import Table

from crossroads.cli import printing
from crossroads.cli.contextual import open_store
from crossroads.errors import InputError
from crossroads.papers import Reproduction, reproduce_ceat


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
