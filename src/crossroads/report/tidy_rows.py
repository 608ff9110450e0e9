"""A row of the long table."""

from __future__ import annotations

from math import isnan
from typing import Any

Row = dict[str, Any]


def row(measure: str, test: str, part: str, statistic: str, value: float | None, **more: Any) -> Row:
    """One number with its place; what is not a number is absent, and counts stay whole."""
    given = value if value is None or isinstance(value, int) else float(value)
    if isinstance(given, float) and isnan(given):
        given = None
    return {"measure": measure, "test": test, "part": part, "statistic": statistic, "value": given, **more}
