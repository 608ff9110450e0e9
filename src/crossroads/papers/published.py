"""Published tables, read from the package."""

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
