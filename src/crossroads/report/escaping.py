"""Names as LaTeX, BibTeX and Markdown must write them, and numbers as people read them in print."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Decimal

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    # after the end of a row these would be read as its options
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
_MARKDOWN = re.compile(r"([\\`*_\[\]|~^$@])")
_BLOCK = re.compile(r"([-+#=]|\d+[.)])")
_SHOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LEVELS = (Decimal("0.05"), Decimal("0.01"))
_LATEX_MARKS = {"≤": r"\le ", "≈": r"\approx ", "": ""}
_APPROXIMATE = ("saddlepoint", "monte-carlo", "normal")


def one_line(text: object) -> str:
    """Text without line breaks and control characters."""
    kept = [sign for sign in str(text) if sign.isspace() or sign.isprintable()]
    return " ".join("".join(kept).split())


def in_latex(text: object) -> str:
    """Text for LaTeX: every special sign as itself, no ligature of hyphens."""
    escaped = "".join(_LATEX.get(sign, sign) for sign in one_line(text))
    return re.sub("-(?=-)", "-{}", escaped)


def in_bibtex(text: object) -> str:
    """Text for a field of BibTeX, whose braces must balance."""
    escaped = in_latex(text)
    # BibTeX counts braces without looking at the backslash before them
    return escaped.replace(r"\{", r"\textbraceleft{}").replace(r"\}", r"\textbraceright{}")


def in_markdown(text: object) -> str:
    """Text for GitHub's Markdown, also inside a table or as a list item: neither markup nor HTML."""
    plain = one_line(text)
    escaped = _MARKDOWN.sub(r"\\\1", plain)
    if (start := _BLOCK.match(plain)) is not None:  # would begin a list, a heading or a line
        escaped = f"{start[0][:-1]}\\{start[0][-1]}{escaped[start.end() :]}"
    return re.sub("[&<>]", lambda sign: _SHOWN[sign[0]], escaped)


def mark_of(method: str) -> str:
    """The sign before a p-value that was not counted: an upper bound, or about.

    Rows that were found in several ways name them all, and the least sure of them marks each row.
    """
    ways = method.split(", ")
    return "≈" if set(ways) & set(_APPROXIMATE) else "≤" if "bracket" in ways else ""


def number(value: float, digits: int = 2) -> str:
    """A rounded number with a true minus sign and no negative zero."""
    rounded = round(value, digits) + 0.0
    return f"{rounded:.{digits}f}".replace("-", "−")


def pvalue(p: float, method: str = "exact") -> str:
    """A p-value in plain text, marked where it was not counted."""
    mark = mark_of(method)
    return (f"{mark} " if mark else "") + _digits(p, "{mantissa}e−{exponent}", bound=mark == "≤")


def counted(count: int, noun: str) -> str:
    """A count with its noun: ``1 test``, ``14 tests``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def latex_number(value: float, digits: int = 2) -> str:
    """A rounded number in math mode."""
    return f"${number(value, digits).replace('−', '-')}$"


def latex_pvalue(p: float, method: str = "exact") -> str:
    """A p-value in math mode, marked where it was not counted."""
    mark = mark_of(method)
    digits = _digits(p, r"{mantissa} \times 10^{{-{exponent}}}", bound=mark == "≤")
    return f"${_LATEX_MARKS[mark]}{digits}$"


def _digits(p: float, small: str, *, bound: bool = False) -> str:
    """Two significant digits, or three decimals; no bound is rounded down, no level reached by rounding."""
    if p == 0:
        return "0"
    exact, rounding = Decimal(repr(float(p))), ROUND_CEILING if bound else ROUND_HALF_EVEN
    if p < 0.001:
        step = Decimal(1).scaleb(exact.adjusted() - 1)
        mantissa, exponent = f"{exact.quantize(step, rounding):.1e}".split("e")
        return small.format(mantissa=mantissa, exponent=abs(int(exponent)))
    for digits in range(2 if p >= 0.0995 else 3, 20):
        shown = exact.quantize(Decimal(1).scaleb(-digits), rounding)
        if not any(exact < level <= shown for level in _LEVELS):
            break
    return f"{shown}"
