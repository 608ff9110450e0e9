"""Tables of GitHub's Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crossroads.measures import BatteryResult
from crossroads.report.escaping import number

MARKS = {
    "≤": "≤: too many divisions to count; an upper bound that holds with certainty, and so is what is "
    "adjusted from it.",
    "≈": "≈: an approximation.",
}
"""What the signs before p-values mean."""
AT_RANDOM = "≈: labels were exchanged at random, not in every way."
"""What the sign before p-values of sampled exchanges means."""
_TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided, for a larger difference",
    "less": "one-sided, for a smaller difference",
    "observed": "in the tail on the observed side, chosen after the fact",
}


def tail(alternative: str) -> str:
    """What an alternative means, as a phrase."""
    return _TAILS.get(alternative, alternative)


def percent(level: float) -> str:
    """The level of an interval: ``95 %``."""
    return f"{100 * level:.4g} %"


def grid(head: Sequence[str], aligned: str, rows: Iterable[Sequence[str]]) -> str:
    """A table; ``aligned`` has a letter a column, ``l`` or ``r``."""
    rule = ["---:" if side == "r" else "---" for side in aligned]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *rows))


def between(ends: tuple[float, float] | None) -> str:
    """Both ends of an interval, or a dash."""
    return "–" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def detectable_told(battery: BatteryResult) -> list[str]:
    """What the detectable effect size is, in a sentence; none where it is not known."""
    for one in battery.detectable[:1]:
        side = "two-sided" if one.alternative == "two-sided" else "one-sided"
        return [
            f"detectable d: the true effect size that a test with sets of these sizes finds in "
            f"{percent(one.power)} of cases (p below {one.alpha:g}, {side}, not adjusted)"
            + ("; –: none could be." if any(each.reason for each in battery.detectable) else ".")
        ]
    return []
