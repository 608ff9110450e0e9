"""How a table of the package booktabs is set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crossroads.report.escaping import latex_number

_TAILS = {
    "two-sided": "two-sided",
    "greater": "one-sided (greater)",
    "less": "one-sided (less)",
    "observed": "in the tail on the observed side, chosen after the fact",
}
MARKS = {
    "≤": r"$\le$: an upper bound that holds with certainty, and so is what is adjusted from it",
    "≈": r"$\approx$: an approximation",
}
"""What the signs before p-values mean."""
_MOST_ROWS = 40
"""Rows beyond which only small type fits a page."""
AT_RANDOM = r"$\approx$: labels were exchanged at random, not in every way."
"""What the sign before p-values of sampled exchanges means."""


def tail(alternative: str) -> str:
    """What an alternative means, as a phrase."""
    return _TAILS.get(alternative, alternative)


def table(
    aligned: str,
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    label: str,
    notes: Sequence[str] = (),
) -> str:
    """A table with its caption; every cell is LaTeX already.

    Parameters
    ----------
    aligned
        A letter a column, ``l`` or ``r``.
    head, rows
        The cells.
    caption, label
        What is written above, and by which the text refers to the table.
    notes
        What is written below, one after the other: what has no room in a column.
    """
    cells = [" & ".join(row) + r" \\" for row in rows]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        r"\footnotesize" if len(cells) <= _MOST_ROWS else r"\scriptsize",
        r"\setlength{\tabcolsep}{3pt}",
        rf"\begin{{tabular}}{{{aligned}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *cells,
        r"\bottomrule",
        r"\end{tabular}",
        *([rf"\par\smallskip{{\raggedright\scriptsize {' '.join(notes)}\par}}"] if notes else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def interval(ends: tuple[float, float] | None) -> str:
    """Both ends of an interval, or a dash."""
    return "--" if ends is None else " to ".join(latex_number(end) for end in ends)


def known(value: float | None, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return "--" if value is None else latex_number(value, digits)
