"""Reproductions as tables for people, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.markup import escape
from rich.table import Table

from crossroads.cli import printing
from crossroads.papers import Cell, Reproduction, fidelity

_FEW = 6
"""Cells that are listed beside a reason; further ones are counted."""


def show_summary(result: Reproduction) -> None:
    """What came of one paper, in brief: its tables with the number of cells of each verdict, and notes."""
    _head(result)
    printing.out.print(verdict_table(result))
    _verdicts(result)
    printing.out.print(f"every cell: crossroads reproduce {result.paper}", style="dim", markup=False)
    _tail(result)


def show_reproduction(result: Reproduction) -> None:
    """Every cell that was measured, a count of the others, and the reasons for verdicts."""
    _head(result)
    if result.paper == "ceat":
        for table in appendix_tables(result):
            printing.out.print(table)
    else:
        for name in result.tables:
            shown = [cell for cell in result.cells if cell.table == name and _has_a_line(cell)]
            if shown:
                printing.out.print(printing.reproduction_table(result, shown, title=name))
    printing.out.print(verdict_table(result))
    _verdicts(result)
    for line in reasons(result.cells):
        printing.out.print(line, markup=False)
    _tail(result)


def _has_a_line(cell: Cell) -> bool:
    """Whether a cell is worth a line of its own: measured, and not one of many that are as they should be."""
    if cell.ours is None:
        return False
    minor = cell.column.endswith((" star", " mean", " sd")) or cell.table == "Table A8"
    return cell.verdict in ("convention", "differs") or not minor


def _head(result: Reproduction) -> None:
    printing.out.print(f"[b]{escape(result.title)}[/b]  {escape(result.citation)} doi:{escape(result.doi)}")
    printing.out.print(f"paper: {result.published_vectors}; here: {result.vectors}", markup=False)


def _verdicts(result: Reproduction) -> None:
    counted = ", ".join(f"{n:,} {verdict}" for verdict, n in result.verdicts.items())
    printing.out.print(f"{len(result.cells):,} cells: {counted}", style="bold", markup=False)


def _tail(result: Reproduction) -> None:
    for note in result.notes:
        printing.out.print(note, style="dim", markup=False)
    printing.notes([(result.paper, result.coverage)], [])
    printing.out.print()


def verdict_table(result: Reproduction) -> Table:
    """One line a table of the paper: how many cells, and how many of each verdict."""
    table = printing.plain_table()
    table.add_column("table")
    table.add_column("cells", justify="right")
    names = list(result.verdicts)
    for name in names:
        table.add_column(name, justify="right")
    for part, counts in result.tables.items():
        cells = [str(counts[name]) if name in counts else "" for name in names]
        table.add_row(escape(part), str(sum(counts.values())), *cells)
    return table


def reasons(cells: Iterable[Cell]) -> Iterator[str]:
    """A line for each reason of a verdict that is no plain agreement, with the cells that it is about."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.reason:
            found.setdefault((cell.verdict, cell.reason), []).append(cell)
    for (verdict, reason), about in found.items():
        if verdict in ("equal", "other model"):
            continue
        tables = list(dict.fromkeys(cell.table for cell in about))
        rows = list(dict.fromkeys(cell.row for cell in about))
        if len(about) <= _FEW:
            where = ", ".join(f"{cell.row} {cell.column}" for cell in about)
        elif len(rows) <= _FEW:
            where = f"{', '.join(rows)} of {', '.join(tables)}"
        else:
            where = f"{len(about)} cells of {', '.join(tables)}"
        yield f"{verdict} ({where}): {reason}."


def appendix_tables(result: Reproduction) -> Iterable[Table]:
    """The tables of the CEAT appendix, one line a test."""
    cells = {(c.row, *c.column.split(", ")): c for c in result.cells}
    models = list(dict.fromkeys(model for _, model, _ in cells))
    measured = any(c.ours is not None for c in result.cells)
    judged = measured and len(models) == 1
    for name in result.tables:
        table = printing.plain_table(name)
        table.add_column("test", no_wrap=True)
        for column in (*models, *(("ours",) if measured else ())):
            table.add_column(column, justify="right", no_wrap=True)
        if judged:
            table.add_column("difference", justify="right", no_wrap=True)
            table.add_column("verdict", no_wrap=True)
        for row in dict.fromkeys(row for row, _, number in cells if number == name):
            table.add_row(
                row, *_appendix_row([cells[row, model, name] for model in models], measured, judged)
            )
        yield table


def _appendix_row(here: list[Cell], measured: bool, judged: bool) -> Iterator[str]:
    first = here[0]
    yield from (printing.number(cell.published) for cell in here)
    if measured:
        yield "–" if first.ours is None else printing.number(first.ours)
    if judged:
        yield "" if first.difference is None else printing.number(first.difference)
        yield first.verdict


def fidelity_table() -> Table:
    """A measure and its badge on a line; below, where it is printed, what was chosen, and other options."""
    table = printing.plain_table()
    table.add_column("measure")
    table.add_column("badge", no_wrap=True)
    for one in fidelity():
        measure = f"{one.measure}: {one.part}" if one.part else one.measure
        where = f"{one.paper}, {one.equation}" if one.equation else f"beyond {one.paper}"
        options = [f"– {choice}: {choice.gives}." for choice in one.options]
        below = "".join(f"\n{escape(line)}" for line in (f"{where}. {one.choice}", *options))
        table.add_row(f"[b]{escape(measure)}[/b]{below}", one.badge)
    return table
