"""Formatting of numbers: one way to round, one way to print a p-value.

Figures, the terminal, Markdown, LaTeX and the page all print the same digits; a style only determines how
powers of ten and minus signs are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from math import isfinite
from typing import Literal

from crossroads.core.errors import InputError

Style = Literal["text", "figure", "latex"]
Mark = Literal["", "≤", "≈"]

LEVELS = (Decimal("0.05"), Decimal("0.01"))
"""Levels to which a smaller p-value is never rounded up."""
SURE = 99
"""The most cases of 100 that a chance is said to be."""
APPROXIMATE = ("saddlepoint", "monte-carlo", "normal")
"""Methods whose p-values are estimates."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_POWERS: Mapping[Style, str] = {
    "text": "{mantissa}e−{exponent}",
    "figure": "{mantissa}×10⁻{raised}",
    "latex": r"{mantissa} \times 10^{{-{exponent}}}",
}
_LATEX_MARKS: Mapping[str, str] = {"≤": r"\le ", "≈": r"\approx ", "": ""}


@dataclass(frozen=True, slots=True)
class P:
    """A p-value with its mark: exact (no mark), an upper bound (``≤``) or an estimate (``≈``).

    Examples
    --------
    >>> print(P.of(0.0312, "exact"), P.of(1.342e-4, "bracket"), P.of(0.2, "monte-carlo"))
    0.031 ≤ 1.4e−4 ≈ 0.20
    """

    value: float
    mark: Mark = ""
    method: str = field(default="", compare=False)
    """How it was found, where that is known: what the mark means depends on it."""

    @property
    def sign(self) -> str:
        """The mark, or ``=`` without one."""
        return self.mark or "="

    @classmethod
    def of(cls, value: float, method: str = "exact") -> P:
        """A p-value with the mark that its method gives it."""
        return cls(float(value), mark_of(method), method)

    @classmethod
    def bounded(cls, value: float, ends: tuple[float, float], method: str) -> P:
        """A p-value with bounds: exact where they are equal, unless the method has no bounds."""
        counted = ends[0] == ends[1] and "normal" not in method.split(", ")
        return cls.of(value, "exact" if counted else method)

    @classmethod
    def family(
        cls, values: Sequence[float], ends: Sequence[tuple[float, float]], methods: Iterable[str]
    ) -> list[P]:
        """Adjusted p-values, marked where both bounds give different values, or a bound is not known."""
        ways = ", ".join(methods)
        return [cls.bounded(value, pair, ways) for value, pair in zip(values, ends, strict=True)]

    def __str__(self) -> str:
        return pvalue(self)


def mark_of(method: str) -> Mark:
    """Find the mark of a p-value that was not counted: ``≤`` for an upper bound, ``≈`` for an estimate.

    Where rows were computed by several methods, ``method`` names them all, and the least certain one marks
    every row.
    """
    ways = set(method.split(", "))
    return "≈" if ways & set(APPROXIMATE) else "≤" if "bracket" in ways else ""


def number(value: float, digits: int = 2, *, sign: bool = False, style: Style = "text") -> str:
    """Format a rounded number with a true minus sign and no negative zero.

    Examples
    --------
    >>> number(-0.687), number(-0.001), number(0.2, sign=True), number(-1.5, style="latex")
    ('−0.69', '0.00', '+0.20', '$-1.50$')
    """
    rounded = _rounded(value, digits) + 0.0
    text = f"{rounded:{'+' if sign and rounded else ''}.{digits}f}"
    return f"${text}$" if style == "latex" else text.replace("-", "−")


def _rounded(value: float, digits: int) -> float:
    """The number with so many decimals; halfway it is rounded away from zero, as scripts of pages do."""
    if not isfinite(value) or abs(value) >= 1 << 52:
        return float(value)
    return float(Decimal(float(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def pvalue(p: P | float, style: Style = "text") -> str:
    """Format a p-value with two significant digits, or three decimals where these are more, and its mark.

    A bound is never rounded down, and a p-value below .05 or .01 is never rounded up to that level.

    Examples
    --------
    >>> pvalue(0.0499), pvalue(0.0227), pvalue(7.77e-05), pvalue(P(1.342e-4, "≤"), "figure")
    ('0.0499', '0.023', '7.8e−5', '≤ 1.4×10⁻⁴')
    """
    p = p if isinstance(p, P) else P(float(p))
    digits = p_digits(p.value, style, bound=p.mark == "≤")
    if style == "latex":
        return f"${_LATEX_MARKS[p.mark]}{digits}$"
    return f"{p.mark} {digits}" if p.mark else digits


def p_equals(p: P | float, style: Style = "text") -> str:
    """Format a p-value as part of a sentence: ``p = 0.031``, ``p ≤ 1.4e−4``.

    Examples
    --------
    >>> p_equals(0.031), p_equals(P(1.342e-4, "≤"))
    ('p = 0.031', 'p ≤ 1.4e−4')
    """
    p = p if isinstance(p, P) else P(float(p))
    return f"p {p.sign} {p_digits(p.value, style, bound=p.mark == '≤')}"


def p_digits(p: float, style: Style = "text", *, bound: bool = False) -> str:
    """The digits of a p-value without its mark."""
    if p == 0:
        return "0"
    if p > 1 + 1e-9:  # only a file that was changed has such a number
        raise InputError(f"{p:g} is not a p-value.", hint="p-values are from 0 to 1; measure again.")
    exact, rounding = Decimal(repr(float(p))), ROUND_CEILING if bound else ROUND_HALF_EVEN
    if p < 0.001:
        step = Decimal(1).scaleb(exact.adjusted() - 1)
        mantissa, _, exponent = f"{exact.quantize(step, rounding):.1e}".partition("e")
        power = str(abs(int(exponent)))
        return _POWERS[style].format(mantissa=mantissa, exponent=power, raised=power.translate(_RAISED))
    shown = exact
    for digits in range(2 if p >= 0.0995 else 3, 20):
        shown = exact.quantize(Decimal(1).scaleb(-digits), rounding)
        if not any(exact < level <= shown for level in LEVELS):
            break
    return f"{shown}"


def between(low: float, high: float, digits: int = 2, *, style: Style = "text") -> str:
    """Both ends of an interval: ``0.12 to 0.98``."""
    return f"{number(low, digits, style=style)} to {number(high, digits, style=style)}"


def percent(share: float, digits: int = 0) -> str:
    r"""Format a share in per cent, never rounded to 0 % or 100 % unless it is exactly that.

    Examples
    --------
    >>> [percent(share).replace("\xa0", " ") for share in (0.815, 0.0004, 0.95, 1.0)]
    ['82 %', '0.04 %', '95 %', '100 %']
    >>> percent(0.405).replace("\xa0", " ")  # halfway, as the page rounds it
    '41 %'
    """
    text = f"{_rounded(100 * share, digits):.{digits}f}"
    crosses = (float(text) == 100 and share < 1) or (float(text) == 0 and share > 0)
    return percent(share, digits + 1) if crosses and digits < 6 else f"{text}\N{NO-BREAK SPACE}%"


def of_hundred(chance: float) -> int:
    """A chance as so many of 100 cases, never certain: 99 at most.

    Examples
    --------
    >>> of_hundred(0.834), of_hundred(0.9999)
    (83, 99)
    """
    return min(SURE, int(_rounded(100 * chance, 0)))


def rounded_apart(value: float, *limits: float | None, digits: int = 4) -> str:
    """Format a number with as many digits as are needed to distinguish it from limits.

    Examples
    --------
    >>> rounded_apart(0.0500004, 0.05), rounded_apart(1.23456, 0.05)
    ('0.0500004', '1.235')
    """
    text = f"{value:.{digits}g}"
    meets = any(limit is not None and float(text) == limit != value for limit in limits)
    return rounded_apart(value, *limits, digits=digits + 1) if meets and digits < 17 else text


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun: ``1 test``, ``14 tests``, ``2 stimuli``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def level(alpha: float) -> str:
    """A level of significance without its leading zero: ``.05``."""
    return f"{alpha:g}".lstrip("0")
