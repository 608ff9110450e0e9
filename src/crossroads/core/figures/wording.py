"""Text of figures; numbers and phrases are those of every other output."""

from __future__ import annotations

from collections.abc import Mapping

from crossroads.core.inference.crossed import Crossed
from crossroads.core.results import Result, model_of
from crossroads.core.wording.numbers import P, level, number, of_hundred, p_equals, percent, pvalue
from crossroads.core.wording.phrases import ADJUSTMENT, ADJUSTMENTS, AGREEMENT, compared_tail, tail

__all__ = ["compared_tail", "level", "number", "percent", "tail"]

ADJUSTED = f"p, {ADJUSTMENTS[ADJUSTMENT][0]}"
"""Heading of adjusted p-values."""
AGREE = f"agree: {AGREEMENT}"
"""The first number of a test."""
WHICH_P = "p: for other words for the same things; exact p: for just these words"
"""The two p-values of a test."""
FILLED = f"after {ADJUSTMENTS[ADJUSTMENT][1]}"
"""The adjustment after which a test counts as significant."""


def probability(p: P | float | None) -> str:
    """A p-value with its mark; a dash where there is none.

    Examples
    --------
    >>> probability(0.0227), probability(0.0499), probability(P(7.71e-05, "≤"))
    ('0.023', '0.0499', '≤ 7.8×10⁻⁵')
    """
    return "–" if p is None else pvalue(p, "figure")


def effect(effect_size: float | None, found: Crossed) -> str:
    """How sure a test is, with an effect size, if there is one: ``agree 83 %, d = 0.60, p = 0.031``."""
    size = "" if effect_size is None else f"d = {number(effect_size)}, "
    return f"{agree(found)}{size}{p_of(found.pvalue)}"


def agree(found: Crossed | None) -> str:
    """The chance that other words point the same way: ``agree 83 %, ``; empty where it is not known."""
    known = None if found is None else found.agreement
    return "" if known is None else f"agree {chance(known)}, "


def chance(agreement: float | None) -> str:
    """The chance that other words point the same way: ``83 %``; a dash where there is none."""
    return "–" if agreement is None else percent(of_hundred(agreement) / 100)


def p_of(p: P | float | None) -> str:
    """A p-value for other words: ``p = 0.031``."""
    return "no p for other words" if p is None else p_equals(p, "figure")


def adjusted_chance(p: P | None) -> str:
    """An adjusted p-value for other words: ``p (BH) = 0.031``."""
    return p_of(p).replace("p", f"p ({ADJUSTMENTS[ADJUSTMENT][0]})", 0 if p is None else 1)


def titled(key: str, titles: Mapping[str, str]) -> str:
    """The name of a set with its letter: ``flowers (X)``; the letter alone if it has no name."""
    title, letter = titles.get(key, key), key.upper()
    return letter if title.casefold() == key else f"{title} ({letter})"


def model(result: Result) -> str:
    """Short name of the model of a result; empty if the vectors came from memory."""
    first = result.provenance[0] if result.provenance else None
    if first is None or first.source == "given as arrays":
        return ""
    return f"{model_of(result)}\N{NO-BREAK SPACE}{first.revision or ''}".strip()


def sentence(*parts: str) -> str:
    """Join non-empty texts by middle dots."""
    return " · ".join(part for part in parts if part)
