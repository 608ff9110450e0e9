"""The plain tables of an audit: one kind of number each, the words behind it, and what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads.measures import BatteryResult, BootstrapResult
from crossroads.report.audit import Audit
from crossroads.report.naming import (
    alignment_name,
    context_ends,
    measure_of,
    named_results,
    scores_name,
)
from crossroads.results import Coverage
from crossroads.stimuli.spreadsheets import write_rows

COVERAGE = ("design", "set", "word", "status", "detail")
"""Columns of the table of coverage."""
Row = dict[str, Any]


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: tuple[str, ...] | None = None) -> None:
    """Write rows as CSV for spreadsheets, with the columns of the first row unless others are named."""
    rows = list(rows)
    names = columns or (tuple(rows[0]) if rows else ())
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, names, rows)


def write_tables(folder: Path, audit: Audit) -> None:
    """Write a CSV for each kind of result that the audit has; that of coverage is always there."""
    if audit.battery is not None:
        write_csv(folder / "tests.csv", battery_rows(audit.battery, audit.intervals))
        write_csv(folder / "associations.csv", association_rows(audit.battery))
    for name, rows in _tables(audit):
        found = list(rows)
        if found:
            write_csv(folder / f"{name}.csv", found)
    write_csv(folder / "coverage.csv", coverage_rows(audit), columns=COVERAGE)


def _tables(audit: Audit) -> Iterator[tuple[str, Iterable[Row]]]:
    """Names and rows of the tables that need no more than the rows of the results."""
    yield "influence", ({"design": one.design, **row} for one in audit.influences for row in one.rows())
    yield "detections", ({"detection": n, **row} for n, one in audit.detections.items() for row in one.rows())
    yield "rsa", (row for fit in audit.fits for row in fit.rows())
    yield "series", ({**row, "design": one.design} for one in audit.series for row in one.rows())
    yield "contexts", _context_rows(audit)
    yield "context_levels", (row for one in audit.context_levels for row in one.rows())
    yield "traits", ({"scores": scores_name(t.measure), **row} for t in audit.traits for row in t.rows())
    yield (
        "alignment",
        (
            {"alignment": alignment_name(n), **row}
            for n, one in audit.alignments.items()
            for row in one.rows()
        ),
    )
    yield "order", ({"scores": measure_of(one), **row} for one in audit.orders for row in one.rows())
    yield "dominance", ({"scores": measure_of(one), **row} for one in audit.dominance for row in one.rows())
    yield "emergent", ({"scores": measure_of(one), **row} for one in audit.emergent for row in one.rows())


def _context_rows(audit: Audit) -> Iterator[Row]:
    """One row a test over contexts, with its interval wherever that was found."""
    if audit.contexts is not None:
        ends = context_ends(audit)
        for row in audit.contexts.rows():
            low, high = ends.get(row["design"], (None, None))
            yield {**row, "low": low, "high": high}


def battery_rows(result: BatteryResult, intervals: Iterable[BootstrapResult]) -> list[Row]:
    """One row a test, with its interval and what sets of its size could have shown."""
    ends = {one.design: (one.low, one.high) for one in intervals}
    rows = []
    for test, row in zip(result.tests, result.rows(), strict=True):
        low, high = ends.get(test.design, (None, None))
        rows.append({**row, "ci_low": low, "ci_high": high, "min_pvalue": test.level1.min_pvalue})
    return rows


def association_rows(battery: BatteryResult) -> list[Row]:
    """Every association behind every effect size, level by level."""
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
    """What became of every stimulus of every test; intervals and the like rest on the words of their test."""
    seen: dict[str, Coverage] = {}
    for name, result in named_results(audit):
        if result.coverage is not None:
            seen.setdefault(name, result.coverage)
    return [row for name, coverage in seen.items() for row in _covered(name, coverage)]


def _covered(name: str, coverage: Coverage) -> Iterator[Row]:
    for part, words in coverage.dropped.items():
        for word, why in words.items():
            yield {"design": name, "set": part, "word": word, "status": "left out", "detail": why}
    for part, used in coverage.used.items():
        for word in used:
            how = coverage.respelled.get(word)
            status = "found" if how is None else "respelled"
            yield {"design": name, "set": part, "word": word, "status": status, "detail": how or ""}
