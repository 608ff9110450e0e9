"""The origin of the formula of each measure, and the choices where a paper and its code disagree."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from crossroads.papers.published import table

BADGES = ("published formula", "released code", "ours")
"""Where a measure comes from: the text of a paper, the code of its authors, or this project."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An option that gives another reading than the default."""

    name: str
    value: str | int | float | bool
    gives: str

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True, kw_only=True)
class Fidelity:
    """How one measure, or one part of it, relates to what was published."""

    measure: str
    """Name of the function."""
    part: str
    """Which of its numbers; empty if all."""
    badge: str
    """One of :data:`BADGES`."""
    paper: str
    """The publication that it implements or extends."""
    doi: str
    equation: str
    """Where the formula is printed: equations or section; empty if it is only ours."""
    choice: str
    """What was chosen where text, tables and code disagree or are silent."""
    options: tuple[Choice, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {**asdict(self), "options": [asdict(option) for option in self.options]}


@cache
def fidelity() -> tuple[Fidelity, ...]:
    """The origin of every measure, in the order of the documentation."""
    papers, entries = table("fidelity")["papers"], []
    for row in table("fidelity")["measure"]:
        paper, options = papers[row["paper"]], tuple(Choice(**option) for option in row["options"])
        entries.append(
            Fidelity(**row | {"paper": paper["citation"], "doi": paper["doi"], "options": options})
        )
    return tuple(entries)
