"""The tables of the ABC study as printed, and what follows from them alone."""

from __future__ import annotations

from math import isnan

from crossroads.errors import InputError
from crossroads.papers.cells import Cell
from crossroads.papers.published import table

TRAITS = 16
MEASURES = {"CEAT": "group-ceat", "ILPS": "ilps", "ILPS*": "ilps*", "SeT": "set"}
"""What results call the measures at the head of the columns."""
LEAST = 0.1
"""Difference of mean correlations from which on one domain is said to dominate another."""
ROUNDING = 0.0005 + 1e-9
"""Half a unit of the last digit of most tables."""


def columns() -> tuple[str, ...]:
    """Measures on models, as the tables head them: ``"SeT RoBERTa"`` and so on."""
    return tuple(table("abc")["columns"])


def check_measure(column: str, measure: str) -> None:
    """Refuse scores of a measure that another column is about; those of unknown origin are taken as given.

    Parameters
    ----------
    column
        As the tables head it.
    measure
        What the scores say that they are of, such as ``"ilps*"``.
    """
    if measure in MEASURES.values() and measure != MEASURES[column.split()[0]]:
        raise InputError(
            f"the scores given for {column} are of {measure}.",
            hint=f"name a column of that measure, or give scores of {MEASURES[column.split()[0]]}.",
        )


def paired_column() -> str:
    """The column whose measure and model the paper pairs groups with."""
    return str(table("abc")["paired"])


def templates_of(column: str) -> tuple[str, ...]:
    """The templates that Table 5 prints for a column, as the catalogue writes them; none for CEAT.

    Examples
    --------
    >>> templates_of("SeT RoBERTa")
    ('That {singular} is {trait}.',)
    """
    return tuple(
        _of_the_catalogue(text)
        for one in table("abc")["table5"]
        if f"{one['measure']} {one['model']}" == column
        for text in one["templates"]
    )


def _of_the_catalogue(text: str) -> str:
    form = "{singular}" if "[group] is" in text else "{plural}"
    for slot, name in (("[Group]", "{capitalised}"), ("[group]", form), ("[trait]", "{trait}")):
        text = text.replace(slot, name)
    return text


def table_cell(
    part: str, row: str, column: str, text: str, ours: float | None, said: tuple[str, str], mark: bool = False
) -> Cell:
    """One cell: where it is printed, the text there, ours, and verdict with reason."""
    name = f"Table {part.removeprefix('table')}" if part.startswith("table") else part
    published = float(bool(text)) if mark else float(text)
    return Cell(
        row=f"{name}, {row}",
        column=column,
        table=name,
        published=published,
        printed=text,
        ours=ours,
        verdict=said[0],
        reason=said[1],
    )


def precision_from_rows() -> dict[str, float]:
    """Overall precision at 3 of each column: the mean over the groups of Tables A12 and A13.

    Cells are thirds printed with two digits, and taken as thirds.
    """
    source = table("abc")
    found = {}
    for i, name in enumerate(columns()):
        cells = [row[i] for part in ("tableA12", "tableA13") for row in source[part].values()]
        thirds = [round(3 * cell) for cell in cells if not isnan(cell)]
        found[name] = sum(thirds) / (3 * len(thirds))
    return found


def dominations(least: float = LEAST) -> dict[str, set[str]]:
    """The domains that each domain dominates by the numbers of Table A9."""
    found: dict[str, set[str]] = {name: set() for name in table("abc")["tableA8"]}
    for one, two, first, second in table("abc")["tableA9"]["rows"]:
        if first - second >= least - 1e-9:
            found[one].add(two)
        if second - first >= least - 1e-9:
            found[two].add(one)
    return found
