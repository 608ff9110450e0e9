"""The CSV tables of an audit: one kind of number each, associations of words, and coverage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads.measures import BatteryResult
from crossroads.report.audit import Audit
from crossroads.results import Coverage, Row
from crossroads.stimuli.files.spreadsheets import write_rows

COVERAGE = ("design", "set", "word", "status", "detail")
"""Columns of the table of coverage."""


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: tuple[str, ...] | None = None) -> None:
    """Write rows as CSV for spreadsheets, with the columns of the first row unless others are named."""
    rows = list(rows)
    names = columns or (tuple(rows[0]) if rows else ())
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, names, rows)


def write_tables(folder: Path, audit: Audit) -> None:
    """Write a CSV for each kind of result of the audit, and always one of coverage."""
    for kind, results in audit.by_type():
        rows = [{**_named(name, row), **row} for name, one in results.items() for row in one.rows()]
        if kind.stem and rows:
            write_csv(folder / f"{kind.stem}.csv", rows)
    for battery in audit.of(BatteryResult).values():
        write_csv(folder / "associations.csv", association_rows(battery))
    write_csv(folder / "coverage.csv", coverage_rows(audit), columns=COVERAGE)


def _named(name: str, row: Row) -> Row:
    """The name of the result, if its rows do not include it."""
    return {} if "design" in row or "concept" in row else {"result": name}


def association_rows(battery: BatteryResult) -> list[Row]:
    """The associations of every effect size, by level."""
    rows = []
    for test in battery.tests:
        levels = {"1": test.level1, "2 x": test.level2["x"], "2 y": test.level2["y"]}
        for level, one in levels.items():
            for name in ("x", "y") if level == "1" else ("a", "b"):
                place = {"design": test.design, "level": level, "set": name}
                rows += [
                    {**place, "word": word, "association": one.associations[word]} for word in one.sets[name]
                ]
    return rows


def coverage_rows(audit: Audit) -> list[Row]:
    """Coverage of every stimulus of every test; intervals and influences use the words of their test."""
    return [row for name, coverage in audit.coverages().items() for row in _covered(name, coverage)]


def _covered(name: str, coverage: Coverage) -> Iterator[Row]:
    for part, words in coverage.dropped.items():
        for word, why in words.items():
            yield {"design": name, "set": part, "word": word, "status": "left out", "detail": why}
    for part, used in coverage.used.items():
        for word in used:
            how = coverage.respelled.get(word)
            status = "found" if how is None else "respelled"
            yield {"design": name, "set": part, "word": word, "status": status, "detail": how or ""}
