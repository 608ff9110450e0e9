"""Escaping of names for LaTeX, BibTeX and Markdown."""

from __future__ import annotations

import re

from crossroads.errors import printable

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


def one_line(text: object) -> str:
    """Text without line breaks, control characters and marks of direction."""
    return " ".join(printable(" ".join(str(text).split())).split())


def in_latex(text: object) -> str:
    """Text for LaTeX, with special characters escaped and no ligatures of hyphens."""
    escaped = "".join(_LATEX.get(sign, sign) for sign in one_line(text))
    return re.sub("-(?=-)", "-{}", escaped)


def in_bibtex(text: object) -> str:
    """Text for a field of BibTeX, whose braces must balance."""
    escaped = in_latex(text)
    # BibTeX counts braces without looking at the backslash before them
    return escaped.replace(r"\{", r"\textbraceleft{}").replace(r"\}", r"\textbraceright{}")


def in_markdown(text: object) -> str:
    """Text for GitHub's Markdown, also inside a table or as a list item, without markup or HTML."""
    plain = one_line(text)
    escaped = _MARKDOWN.sub(r"\\\1", plain)
    if (start := _BLOCK.match(plain)) is not None:  # would begin a list, a heading or a line
        escaped = f"{start[0][:-1]}\\{start[0][-1]}{escaped[start.end() :]}"
    return re.sub("[&<>]", lambda sign: _SHOWN[sign[0]], escaped)
