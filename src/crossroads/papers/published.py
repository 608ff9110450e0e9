"""Published tables, read from the package, and where the formula of each measure comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
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


@cache
def fidelity() -> tuple[dict[str, Any], ...]:
    """The origin of every measure, in the order of the documentation.

    Each is the ``part`` (which numbers; empty if all) of a ``measure``, with its ``badge``, the ``paper``
    that it implements or extends, its ``doi``, the ``equation`` (where the formula is printed; empty if it is
    only ours), the ``choice`` where text, tables and code disagree or are silent, and the ``options``
    (``name`` and ``value``) that give another reading.
    """
    order, entries = dict.fromkeys(("measure", "part", "badge", "paper", "doi")), []
    for row in table("fidelity")["measure"]:
        paper = table("fidelity")["papers"][row["paper"]]
        entries.append({**order, **row, "paper": paper["citation"], "doi": paper["doi"]})
    return tuple(entries)
