"""One published number beside ours, and how the two are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

VERDICTS: Mapping[str, str] = {
    "equal": "as printed, or within sampling error",
    "convention": "as printed under another convention, which is named",
    "differs": "not as printed under any convention that was tried",
    "other model": "measured on another model than the paper's: shown, not judged",
    "model absent": "not measured; the reason says how to get the model",
    "not covered": "what the test needs is missing: words, contexts, images, pairs, or data not released",
}
"""Every verdict, with what it says."""

SLACK = 1e-6
"""How far single-precision vectors may carry a number over a rounding boundary."""

_INSTEAD = "decimals instead of"

Attempt = tuple[str, Callable[[], float | None]]
"""A convention by name, and the number that it gives."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One published number and ours."""

    row: str
    """What was measured."""
    column: str
    """Which number."""
    table: str = ""
    """Where the paper prints it."""
    published: float
    """The published number; 1 or 0 for a mark such as a star that is printed or not."""
    printed: str = ""
    """The number as it is printed, where that says more: its digits, a bound, a star."""
    ours: float | None
    """As measured here; None where it could not be."""
    verdict: str
    """A key of :data:`VERDICTS`."""
    reason: str = ""
    """Why: by which rule it is equal, under which convention, how to get the model, what is missing."""

    @property
    def difference(self) -> float | None:
        """Ours less the published number."""
        return None if self.ours is None else self.ours - self.published

    def to_row(self) -> dict[str, Any]:
        """The cell as one row of a table."""
        return {
            "table": self.table,
            "row": self.row,
            "column": self.column,
            "published": self.published,
            "ours": self.ours,
            "difference": self.difference,
            "verdict": self.verdict,
            "reason": self.reason,
        }


def decimals(text: str) -> int:
    """How many digits a printed number has behind its point."""
    return len(text.partition(".")[2])


def is_rounded(value: float, text: str) -> bool:
    """Whether a value, rounded, prints so.

    Examples
    --------
    >>> is_rounded(0.8249, ".82"), is_rounded(0.8251, ".82"), is_rounded(-0.004, "-0.00")
    (True, False, True)
    """
    return abs(value - float(text)) <= 0.5 * 10.0 ** -decimals(text) + SLACK


def is_truncated(value: float, text: str) -> bool:
    """Whether a value prints so once its further digits are cut off.

    Examples
    --------
    >>> is_truncated(1.4986, "1.49"), is_truncated(1.4986, "1.50"), is_truncated(-0.69, "-0.69")
    (True, False, True)
    """
    beyond = abs(value) - abs(float(text))
    same_side = value * float(text) >= 0
    return same_side and -SLACK <= beyond < 10.0 ** -decimals(text) - SLACK


def judge(
    text: str, ours: float, attempts: Iterable[Attempt] = (), *, truncated: bool = False
) -> tuple[str, str]:
    """Verdict and reason for a number that is printed with a fixed number of digits.

    Parameters
    ----------
    text
        The number as printed.
    ours
        The number under the conventions of the paper.
    attempts
        Other conventions, tried in turn if the number is not as printed.
    truncated
        Whether this column of the paper cuts digits off.
    """
    digits = decimals(text)
    rules = [(is_rounded, "rounded"), (is_truncated, "cut off")]
    usual, other = reversed(rules) if truncated else rules
    if usual[0](ours, text):
        return "equal", f"{usual[1]} to {digits} decimals"
    if other[0](ours, text):
        return "convention", f"{other[1]} to {digits} {_INSTEAD} {usual[1]}"
    tried = []
    for name, number in attempts:
        value = number()
        if value is not None and usual[0](value, text):
            return "convention", name
        tried.append(name)
    return "differs", _tried(tried)


def judge_mark(marked: bool, ours: bool, attempts: Iterable[Attempt] = ()) -> tuple[str, str]:
    """Verdict and reason for a mark, such as a star, that is printed or not."""
    if marked == ours:
        return "equal", "marked alike"
    tried = []
    for name, number in attempts:
        value = number()
        if value is not None and (value > 0) == marked:
            return "convention", name
        tried.append(name)
    return "differs", _tried(tried)


def _tried(names: list[str]) -> str:
    return f"tried without success: {'; '.join(names)}" if names else "no other convention is known"


def credible(cells: Iterable[Cell]) -> list[Cell]:
    """The cells, with conventions taken back that met a number by chance.

    Among several conventions one meets a number of two digits by chance now and then. So a convention is
    believed only where it, together with plain agreement, accounts for half of what was judged in the table;
    and that digits were cut off instead of rounded, or the other way round, only where no more cells of the
    same column say otherwise: tables are printed by column, and a single such cell is a misprint.
    """
    cells = list(cells)
    tables = {name: counts(c for c in cells if c.table == name) for name in {cell.table for cell in cells}}

    def doubt(cell: Cell) -> str:
        found = tables[cell.table]
        met = found.get("equal", 0) + found.get("convention", 0)
        if met < found.get("differs", 0):
            return "most of the table differs"
        return "" if _shortened_alike(cell, cells) else "the rest of the column is printed otherwise"

    return [
        replace(cell, verdict="differs", reason=f"{cell.reason} gives it, and {why}")
        if cell.verdict == "convention" and (why := doubt(cell))
        else cell
        for cell in cells
    ]


def _shortened_alike(cell: Cell, cells: Iterable[Cell]) -> bool:
    """Whether a column is shortened as one cell of it says; true for all other conventions."""
    if _INSTEAD not in cell.reason:
        return True
    column = [one for one in cells if (one.table, one.column) == (cell.table, cell.column)]
    alike = sum(one.reason == cell.reason for one in column)
    return alike >= sum(one.verdict == "equal" and _tells_how_shortened(one) for one in column)


def _tells_how_shortened(cell: Cell) -> bool:
    """Whether a number would be printed otherwise if it were shortened the other way."""
    if cell.ours is None or not cell.printed:
        return False
    return is_rounded(cell.ours, cell.printed) != is_truncated(cell.ours, cell.printed)


def counts(cells: Iterable[Cell]) -> dict[str, int]:
    """How many cells have each verdict, in the order of :data:`VERDICTS`; none that is 0."""
    cells = list(cells)
    found = {name: sum(cell.verdict == name for cell in cells) for name in VERDICTS}
    return {name: n for name, n in found.items() if n}
