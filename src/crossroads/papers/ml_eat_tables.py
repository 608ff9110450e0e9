"""The tables of the ML-EAT paper, cell by cell as printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from crossroads.measures.patterns import LEAST_EFFECT, pattern_of
from crossroads.papers.published import table

LEVELS = ("level1", "level2_x", "level2_y")
"""Effect sizes, in the order of the columns."""
PAIRS = ("ax", "bx", "ay", "by")
"""Attribute and target of Level 3, in the order of the columns."""


class Number(NamedTuple):
    """One printed number."""

    table: str
    model: str
    prompt: str | None
    test: str
    column: str
    text: str
    truncated: bool

    @property
    def value(self) -> float:
        """The number; 1 or 0 for a star that is there or not."""
        return float(self.text.rstrip("*")) if not self.is_star else float(self.text == "*")

    @property
    def is_star(self) -> bool:
        """Whether this is a place for a star instead of a number."""
        return self.column.endswith("star")


@cache
def numbers() -> tuple[Number, ...]:
    """Every number and every place for a star of Tables 1 to 12."""
    return tuple(one for part in table("ml-eat")["table"] for one in _of_table(part))


def _of_table(part: Mapping[str, Any]) -> Iterator[Number]:
    truncated = part.get("truncated", ())
    for test, cells in part["rows"].items():
        for column, text in _columns(cells):
            yield Number(
                part["number"], part["model"], part.get("prompt"), test, column, text, column in truncated
            )


def _columns(cells: list[str]) -> Iterator[tuple[str, str]]:
    for name, text in zip(LEVELS, cells[:3], strict=True):
        yield name, text.rstrip("*")
        yield f"{name} star", "*" if text.endswith("*") else ""
    for pair, text in zip(PAIRS, cells[3:], strict=True):
        mean, sd = text.rstrip(")").split(" (")
        yield f"{pair} mean", mean
        yield f"{pair} sd", sd


def variant_of(number: str) -> str | None:
    """The variant of the word lists that a table was measured with."""
    found: str | None = next(
        part.get("variant") for part in table("ml-eat")["table"] if part["number"] == number
    )
    return found


def printed_patterns() -> dict[int, str]:
    """The pattern that the text names for each decade of HistWords, in order of time."""
    patterns = table("ml-eat")["decades"]["patterns"]
    return dict(sorted((decade, name) for name, decades in patterns.items() for decade in decades))


def row_pattern(row: Mapping[str, Number]) -> str:
    """The pattern that the printed Level 2 of a row amounts to: effect sizes and their stars, by column."""
    return pattern_of(_leaning(row, "level2_x"), _leaning(row, "level2_y"))


def _leaning(row: Mapping[str, Number], name: str) -> str | None:
    value = row[name].value
    if row[f"{name} star"].value == 0 or abs(value) <= LEAST_EFFECT:
        return None
    return "a" if value > 0 else "b"
