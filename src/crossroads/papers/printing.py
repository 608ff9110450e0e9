"""Reproductions of papers in the terminal, as tables of 80 columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rich.markup import escape
from rich.table import Table

from crossroads.core.cli.terminal import tables as printing
from crossroads.core.errors import join_words
from crossroads.core.wording.numbers import number
from crossroads.papers.cells import VERDICTS, Cell, Reproduction, decimals
from crossroads.papers.fidelity import fidelity
from crossroads.papers.published import table as published_table

_FEW = 6
"""Number of cells listed with a reason; further ones are counted."""
_ABSENT = "model absent"


def show_summary(result: Reproduction) -> None:
    """Summary of one paper: its tables with the number of cells of each verdict, and notes."""
    _head(result)
    printing.out.print(verdict_table(result))
    _verdicts(result)
    printing.out.print(f"every cell: crossroads reproduce {result.paper}", style="dim", markup=False)
    _tail(result)


def show_reproduction(result: Reproduction) -> None:
    """Every cell that was measured, a count of the others, the reasons for verdicts, and what to do next."""
    _head(result)
    if result.paper == "ceat":
        for table in appendix_tables(result):
            printing.out.print(table)
    else:
        for name in result.tables:
            shown = [cell for cell in result.cells if cell.table == name and _has_a_line(cell)]
            if shown:
                printing.out.print(cells_table(shown, name))
    printing.out.print(verdict_table(result))
    _verdicts(result)
    for line in (*reading_aids(result), *reasons(result.cells)):
        printing.out.print(line, markup=False)
    _next_steps(result)
    _tail(result)


def _has_a_line(cell: Cell) -> bool:
    """Whether a cell gets its own line: measured, and not one of many that agree."""
    if cell.ours is None:
        return False
    minor = cell.column.endswith((" star", " mean", " sd")) or cell.table == "Table A8"
    return cell.verdict in ("convention", "differs") or not minor


def cells_table(cells: Iterable[Cell], name: str) -> Table:
    """One line per cell of a published table: what is printed, ours, the difference and the verdict."""
    table = printing.plain_table(name)
    table.add_column("row")
    table.add_column("column")
    for head in ("published", "ours", "difference"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for cell in cells:
        table.add_row(escape(_row(cell)), escape(cell.column), *_numbers(cell), cell.verdict)
    return table


def _row(cell: Cell) -> str:
    """The row without what the title of its table contains."""
    row = cell.row.removeprefix(f"{cell.table}, ")
    return row.removesuffix(" with prompt") if cell.table.endswith(" with prompt") else row


def _numbers(cell: Cell) -> tuple[str, str, str]:
    """Published, ours and the difference; words where a mark or a leaning is compared."""
    if cell.ours is None:
        return cell.printed, "–", ""
    told = cell.in_words()
    if told is not None:
        return *told, ""
    digits = max(3, decimals(cell.printed))
    published = cell.printed.replace("-", "−") if cell.printed else number(cell.published, digits)
    return published, number(cell.ours, digits), number(cell.ours - cell.published, digits)


def _head(result: Reproduction) -> None:
    printing.out.print(f"[b]{escape(result.title)}[/b]  {escape(result.citation)} doi:{escape(result.doi)}")
    printing.out.print(f"paper: {result.published_vectors}; here: {result.vectors}", markup=False)


def _verdicts(result: Reproduction) -> None:
    counted = ", ".join(f"{n:,} {verdict}" for verdict, n in result.verdicts.items())
    printing.out.print(f"{len(result.cells):,} cells: {counted}", style="bold", markup=False)


def _tail(result: Reproduction) -> None:
    printing.out.print("\nNotes", style="bold")
    for note in result.notes:
        printing.out.print(f"– {note}", style="dim", markup=False)
    printing.notes([(result.paper, result.coverage)])
    printing.out.print()


def verdict_table(result: Reproduction) -> Table:
    """One line per table of the paper: how many cells, and how many of each verdict."""
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


def reading_aids(result: Reproduction) -> Iterator[str]:
    """Explanations of the verdicts above, and of rows and columns."""
    for verdict in result.verdicts:
        yield f"{verdict}: {VERDICTS[verdict]}."
    yield published_table(result.paper)["meaning"]


def reasons(cells: Iterable[Cell]) -> Iterator[str]:
    """A line for each reason of a verdict other than plain agreement, with its cells."""
    for verdict, reason, where in _grouped(cells):
        if verdict not in ("equal", "other model", "model absent"):
            yield f"{verdict} ({where}): {reason}."


def _grouped(cells: Iterable[Cell]) -> Iterator[tuple[str, str, str]]:
    """Verdict, reason, and cells."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.reason:
            found.setdefault((cell.verdict, cell.reason), []).append(cell)
    for (verdict, reason), about in found.items():
        tables = list(dict.fromkeys(cell.table for cell in about))
        rows = list(dict.fromkeys(_row(cell) for cell in about))
        if len(tables) == 1 and len(about) <= _FEW:
            named = [f"{_row(cell)}, {cell.column}" for cell in about]
            yield verdict, reason, f"{tables[0]}: {'; '.join(named)}"
        elif len(tables) == 1 and len(rows) <= _FEW:
            yield verdict, reason, f"{tables[0]}: {', '.join(rows)}"
        else:
            yield verdict, reason, f"{len(about):,} cells of {_joined(tables)}"


def _joined(tables: list[str]) -> str:
    """Names of tables in few words: ``Tables 6, A11 and A19``."""
    numbers = [name.removeprefix("Table ") for name in tables]
    if len(tables) > 1 and all(len(one.split()) == 1 for one in numbers):
        return f"Tables {join_words(numbers)}"
    return "; ".join(tables)


def _next_steps(result: Reproduction) -> None:
    """How to get missing models: a sentence, and each command on a line that can be copied."""
    absent = [(reason, where) for verdict, reason, where in _grouped(result.cells) if verdict == _ABSENT]
    if absent:
        printing.out.print("\nHow to measure what is absent", style="bold")
    for reason, where in absent:
        first, _, rest = reason.partition(", then: ")
        printing.out.print(f"{where}: {first}{', then' if rest else ''}", markup=False)
        for command in re.split(r",(?: and)? (?=crossroads )", rest) if rest else ():
            printing.out.print(typed(command, printing.out.width), markup=False, soft_wrap=True)


def typed(command: str, width: int) -> str:
    r"""A command, indented, and continued over several lines if it does not fit.

    Examples
    --------
    >>> print(typed("crossroads reproduce abc --scores 'SeT BERT=scores.json'", 40))
      crossroads reproduce abc \
        --scores 'SeT BERT=scores.json'
    """
    lines, here = [], "  "
    # an option stays with its value
    for word in re.findall(r"(?:-[-\w]+ (?!-))?(?:'[^']*'|[^\s'])+", command):
        if here.strip() and len(here) + len(word) + 3 > width:
            lines.append(f"{here}\\")
            here = "    "
        here += f"{word} "
    return "\n".join([*lines, here.rstrip()])


def appendix_tables(result: Reproduction) -> Iterable[Table]:
    """The tables of the CEAT appendix, one line per test."""
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
        for row in dict.fromkeys(row for row, _, table in cells if table == name):
            table.add_row(
                row, *_appendix_row([cells[row, model, name] for model in models], measured, judged)
            )
        yield table


def _appendix_row(here: list[Cell], measured: bool, judged: bool) -> Iterator[str]:
    first = here[0]
    yield from (number(cell.published) for cell in here)
    if measured:
        yield "–" if first.ours is None else number(first.ours)
    if judged:
        yield "" if first.difference is None else number(first.difference)
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
