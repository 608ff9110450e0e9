"""The plain tables of an audit: the words behind every number, and what became of each."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crossroads.measures import BatteryResult

COVERAGE = ("design", "set", "word", "status", "detail")
"""Columns of the table of coverage."""


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: tuple[str, ...] | None = None) -> None:
    """Write rows as CSV, with the columns of the first row unless others are named."""
    rows = list(rows)
    names = columns or (tuple(rows[0]) if rows else ())
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=names)
        writer.writeheader()
        writer.writerows(rows)


def association_rows(battery: BatteryResult) -> list[dict[str, Any]]:
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


def coverage_rows(battery: BatteryResult) -> list[dict[str, Any]]:
    """What became of every stimulus of every test."""
    rows = []
    for test in battery.tests:
        if test.coverage is None:
            continue
        respelled = test.coverage.respelled
        for name, words in test.coverage.dropped.items():
            place = {"design": test.design, "set": name}
            rows += [
                {**place, "word": word, "status": "left out", "detail": why} for word, why in words.items()
            ]
        for name, used in test.coverage.used.items():
            rows += [
                {
                    "design": test.design,
                    "set": name,
                    "word": word,
                    "status": "respelled" if word in respelled else "found",
                    "detail": respelled.get(word, ""),
                }
                for word in used
            ]
    return rows
