"""Tables of GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crossroads.report.escaping import number

MARKS = {
    "≤": "≤: too many divisions to count; an upper bound that holds with certainty.",
    "≈": "≈: an approximation.",
}
"""What the signs before p-values mean."""


def grid(head: Sequence[str], aligned: str, rows: Iterable[Sequence[str]]) -> str:
    """A table; ``aligned`` has a letter a column, ``l`` or ``r``."""
    rule = ["---:" if side == "r" else "---" for side in aligned]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def between(ends: tuple[float, float] | None) -> str:
    """Both ends of an interval, or a dash."""
    return "–" if ends is None else f"{number(ends[0])} to {number(ends[1])}"
