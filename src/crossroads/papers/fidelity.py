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
    """Name of the parameter."""
    value: str | int | float | bool
    """Its value."""
    gives: str
    """What that gives."""

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
    """``published formula``, ``released code`` or ``ours``."""
    paper: str
    """The publication that it implements or extends."""
    doi: str
    """Identifier of the publication."""
    equation: str
    """Where the formula is printed: equations or section; empty if it is only ours."""
    choice: str
    """What was chosen where text, tables and code disagree or are silent."""
    options: tuple[Choice, ...]
    """Options that give the other choices."""

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {**asdict(self), "options": [asdict(option) for option in self.options]}


@cache
def fidelity() -> tuple[Fidelity, ...]:
    """The origin of every measure, in the order of the documentation.

    Examples
    --------
    >>> level2 = next(one for one in fidelity() if one.part == "Level 2")
    >>> level2.badge, level2.equation
    ('published formula', 'equations 5 to 8')
    """
    source, found = table("fidelity"), []
    for row in source["measure"]:
        paper, options = source["papers"][row["paper"]], [Choice(**option) for option in row["options"]]
        about = {"paper": paper["citation"], "doi": paper["doi"], "options": tuple(options)}
        found.append(Fidelity(**{**row, **about}))
    return tuple(found)
