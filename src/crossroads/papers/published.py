"""Published tables, read from the package, and where the formula of each measure comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

KNOWN = ("ceat-ibd", "rsa", "ceat", "abc", "ml-eat")
"""Names of the tables that are reproduced."""
NO_MODEL = "none"
"""What was measured is of none of the models of the paper; it is shown for comparison."""


@cache
def table(name: str) -> dict[str, Any]:
    """A published table with its source, by the name of its file."""
    text = (resources.files("crossroads.papers") / "tables" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def rates(row: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """The three rates of a detection; the paper prints two, and the counts behind them give the third."""
    (tp, positives), (fp, negatives) = row["tpr"], row["fpr"]
    right = (tp + negatives - fp) / (positives + negatives)
    return {"tpr": tp / positives, "fpr": fp / negatives, "accuracy": right}


BADGES = ("published formula", "released code", "ours")
"""Where a measure comes from: the text of a paper, the code of its authors, or this project."""


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
    options: tuple[Mapping[str, Any], ...]
    """Options that give another reading: their ``name`` and ``value``, and what that ``gives``."""

    def to_dict(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {**vars(self), "options": list(self.options)}


@cache
def fidelity() -> tuple[Fidelity, ...]:
    """The origin of every measure, in the order of the documentation."""
    entries = []
    for row in table("fidelity")["measure"]:
        paper = table("fidelity")["papers"][row["paper"]]
        origin = {"paper": paper["citation"], "doi": paper["doi"], "options": tuple(row["options"])}
        entries.append(Fidelity(**row | origin))
    return tuple(entries)
