"""Reproductions of papers in the terminal and in files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from crossroads.core.cli.runner import Outcome
from crossroads.core.cli.terminal import tables as terminal
from crossroads.core.errors import join_words
from crossroads.core.wording.numbers import number
from crossroads.core.wording.table import Column, Table
from crossroads.papers.cells import VERDICTS, Cell, Reproduction, decimals
from crossroads.papers.published import fidelity
from crossroads.papers.published import table as published_table

_FEW = 6
"""Number of cells listed with a reason; further ones are counted."""


@dataclass(frozen=True, kw_only=True)
class Reproduced(Outcome):
    """Reproductions, and how to measure what is absent."""

    steps: Sequence[str] = ()
    """Sentences, and indented commands that can be copied."""

    @classmethod
    def of(cls, results: Sequence[Reproduction], *, brief: bool) -> Self:
        """Every cell that was measured and the reasons for verdicts, or only counts of verdicts."""
        detailed = [] if brief else results
        rows = [{"paper": result.paper, **row} for result in results for row in result._rows()]
        return cls(
            command="reproduce",
            results={result.paper: result for result in results},
            more={"fidelity": fidelity()} if brief else {},
            heading=[line for result in results for line in _heading(result)],
            tables=[*(t for result in detailed for t in _tables_of_cells(result)), *map(_counts, results)],
            titled=True,
            files=[_table("cells", "Every cell", rows)],
            lines=[line for result in results for line in _lines(result, brief=brief)],
            steps=[step for result in detailed for step in _steps(result)],
        )

    def show(self) -> None:
        """Print everything, and the steps last."""
        super().show()
        for step in self.steps:
            terminal.out.print(step, markup=False, soft_wrap=step.startswith("  "))


def shown_fidelity() -> Outcome:
    """Each measure with its badge; where it is printed, what was chosen, and options for other choices."""
    lines, rows = [], []
    for one in fidelity():
        measure = f"{one['measure']}: {one['part']}" if one["part"] else one["measure"]
        where = f"{one['paper']}, {one['equation']}" if one["equation"] else f"beyond {one['paper']}"
        options = [f"– {made['name']}={made['value']!r}: {made['gives']}." for made in one["options"]]
        lines += [f"*{measure} ({one['badge']})", f"{where}. {one['choice']}", *options]
        rows.append(
            {**one, "options": "; ".join(f"{made['name']}={made['value']}" for made in one["options"])}
        )
    files = [_table("fidelity", "Origin of each measure", rows)]
    return Outcome(command="reproduce", results={}, more={"fidelity": fidelity()}, files=files, lines=lines)


def _table(name: str, title: str, rows: Sequence[Mapping[str, Any]], digits: int | None = None) -> Table:
    """A table whose columns are headed as their keys."""
    columns = tuple(Column(key=key, head=key, digits=digits) for key in rows[0])
    return Table(name=name, title=title, columns=columns, rows=tuple(rows))


def _heading(result: Reproduction) -> Iterator[str]:
    yield f"{result.title}  {result.citation} doi:{result.doi}"
    yield f"paper: {result.published_vectors}; here: {result.vectors}"


def _tables_of_cells(result: Reproduction) -> Iterator[Table]:
    """The cells of each table of the paper that were measured; of the CEAT appendix, one row per test."""
    for name in result.tables:
        cells = [cell for cell in result.cells if cell.table == name]
        if result.paper == "ceat":
            yield _appendix_table(name, cells)
        elif listed := [cell for cell in cells if _has_a_row(cell)]:
            digits = max(3, *(decimals(cell.printed) for cell in listed))
            yield _table("cells", name, [_row(cell, digits) for cell in listed], digits)


def _has_a_row(cell: Cell) -> bool:
    """Whether a cell gets its own row: measured, and not one of many that agree."""
    if cell.ours is None:
        return False
    minor = cell.column.endswith((" star", " mean", " sd")) or cell.table == "Table A8"
    return cell.verdict in ("convention", "differs") or not minor


def _row(cell: Cell, digits: int) -> dict[str, Any]:
    numbers = cell.shown_numbers()
    if not isinstance(numbers["published"], str):
        printed = cell.printed.replace("-", "−")
        numbers["published"] = printed or number(cell.published, digits)
    return {"row": _row_name(cell), "column": cell.column, **numbers, "verdict": cell.verdict}


def _row_name(cell: Cell) -> str:
    """The row without what the title of its table contains."""
    row = cell.row.removeprefix(f"{cell.table}, ")
    return row.removesuffix(" with prompt") if cell.table.endswith(" with prompt") else row


def _appendix_table(name: str, cells: Sequence[Cell]) -> Table:
    """A table of the CEAT appendix: the numbers of each model, and ours if a test was measured."""
    rows: dict[str, dict[str, Any]] = {}
    for cell in cells:
        row = rows.setdefault(cell.row, {"test": cell.row})
        row[cell.column.partition(",")[0]] = cell.published
    judged = len(rows) == len(cells)
    for cell in cells:
        rows[cell.row]["ours"] = cell.ours
        if judged:
            rows[cell.row] |= {"difference": cell.difference, "verdict": cell.verdict}
    return _table("ceat", name, list(rows.values()))


def _counts(result: Reproduction) -> Table:
    """One row per table of the paper: how many cells, and how many of each verdict."""
    rows = [
        {"table": name, "cells": sum(counts.values()), **{key: counts.get(key) for key in result.verdicts}}
        for name, counts in result.tables.items()
    ]
    judged = ", ".join(f"{n:,} {verdict}" for verdict, n in result.verdicts.items())
    return _table("verdicts", f"{result.paper}, {len(result.cells):,} cells: {judged}", rows)


def _lines(result: Reproduction, *, brief: bool) -> Iterator[str]:
    """What verdicts, rows and columns mean, the reasons for verdicts, and notes."""
    if brief:
        yield f"*every cell: crossroads reproduce {result.paper}"
    else:
        yield from (f"*{verdict}: {VERDICTS[verdict]}." for verdict in result.verdicts)
        yield f"*{published_table(result.paper)['meaning']}"
        for verdict, reason, where in _grouped(result.cells):
            if verdict not in ("equal", "other model", "model absent"):
                yield f"*{verdict} ({where}): {reason}."
    yield from (f"– {note}" for note in result.notes)


def _grouped(cells: Iterable[Cell]) -> Iterator[tuple[str, str, str]]:
    """Verdict, reason, and cells."""
    found: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        if cell.reason:
            found.setdefault((cell.verdict, cell.reason), []).append(cell)
    for (verdict, reason), about in found.items():
        tables = list(dict.fromkeys(cell.table for cell in about))
        rows = list(dict.fromkeys(_row_name(cell) for cell in about))
        if len(tables) == 1 and len(about) <= _FEW:
            named = [f"{_row_name(cell)}, {cell.column}" for cell in about]
            yield verdict, reason, f"{tables[0]}: {'; '.join(named)}"
        elif len(tables) == 1 and len(rows) <= _FEW:
            yield verdict, reason, f"{tables[0]}: {', '.join(rows)}"
        else:
            numbers = [name.removeprefix("Table ") for name in tables]
            short = len(tables) > 1 and all(len(one.split()) == 1 for one in numbers)
            where = f"Tables {join_words(numbers)}" if short else "; ".join(tables)
            yield verdict, reason, f"{len(about):,} cells of {where}"


def _steps(result: Reproduction) -> Iterator[str]:
    """How to get missing models: a sentence, and each command on a line that can be copied."""
    absent = [
        (reason, where) for verdict, reason, where in _grouped(result.cells) if verdict == "model absent"
    ]
    if absent:
        yield "\nHow to measure what is absent"
    for reason, where in absent:
        first, _, rest = reason.partition(", then: ")
        yield f"{where}: {first}{', then' if rest else ''}"
        commands = re.split(r",(?: and)? (?=crossroads )", rest) if rest else ()
        yield from (typed(command, terminal.out.width) for command in commands)


def typed(command: str, width: int) -> str:
    """A command, indented, and continued over several lines if it does not fit."""
    lines, here = [], "  "
    # an option stays with its value
    for word in re.findall(r"(?:-[-\w]+ (?!-))?(?:'[^']*'|[^\s'])+", command):
        if here.strip() and len(here) + len(word) + 3 > width:
            lines.append(f"{here}\\")
            here = "    "
        here += f"{word} "
    return "\n".join([*lines, here.rstrip()])
