"""Escaping of names for LaTeX, BibTeX and Markdown."""

from __future__ import annotations

import re
import unicodedata

from crossroads.core.errors import printable

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
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "‐": "-",
    "‑": "-",
    "–": "--",
    "—": "---",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "„": ",,",
    "«": r"$\ll$",
    "»": r"$\gg$",
    "…": r"\dots{}",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "≠": r"$\ne$",
    "∞": r"$\infty$",
    "→": r"$\to$",
    "←": r"$\leftarrow$",
    "↔": r"$\leftrightarrow$",
    "∪": r"$\cup$",
    "∈": r"$\in$",
    "√": r"$\surd$",
    "°": r"$^\circ$",
    "§": r"\S{}",
    "£": r"\pounds{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
_LETTERS: dict[str, str] = dict(
    zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧοđĐðÐŋŊþÞ", (*"ABEZHIKMNOPTXodDdD", "ng", "Ng", "th", "Th"), strict=True)
)
_CYRILLIC: dict[str, str] = dict(
    zip(
        "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ",
        (
            *(*"abvgde", "zh", *"ziyklmnoprstuf", "kh", "ts", "ch", "sh", "shch", *"'y'e"),
            *("yu", "ya", "yo", "i", "yi", "ye", "g"),
        ),
        strict=True,
    )
)
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030b": "H", "\u030a": "r",
    "\u030c": "v", "\u0306": "u", "\u0304": "=", "\u0307": ".", "\u0327": "c", "\u0323": "d",
}  # fmt: skip
"""Accents that TeX sets over any letter."""
_MARKDOWN = re.compile(r"([\\`*_\[\]|~^$@])")
_BLOCK = re.compile(r"([-+#=]|\d+[.)])")
_SHOWN = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def one_line(text: object) -> str:
    """Text without line breaks, control characters and marks of direction."""
    return " ".join(printable(" ".join(str(text).split())).split())


def in_latex(text: object) -> str:
    """Text for LaTeX, with special characters escaped and no ligatures of hyphens.

    Every engine can set it: Greek letters are in math mode, Cyrillic ones are transliterated, and a character
    of another script is named by its number, such as ``{[}U+732B{]}``.
    """
    plain = re.sub("-(?=-)", "-\0", one_line(text))
    return "".join("{}" if sign == "\0" else _sign(sign) for sign in plain)


def _sign(sign: str) -> str:
    """One character as TeX sets it in any encoding of fonts."""
    known = _LATEX.get(sign) or _LETTERS.get(sign)
    if known is not None:
        return known
    if sign.isascii():
        return sign
    if (small := _CYRILLIC.get(sign.lower())) is not None:
        return small if sign.islower() else small.capitalize()
    if (
        "Α" <= sign <= "ω"
        and unicodedata.name(sign, "").startswith("GREEK")
        and not unicodedata.decomposition(sign)
    ):
        command = unicodedata.name(sign).rpartition(" ")[2].lower().replace("lamda", "lambda")
        return rf"$\{command if sign.islower() else command.capitalize()}$"
    base, *marks = tuple(unicodedata.normalize("NFKD", sign))
    if len(marks) == 1 and marks[0] in _ACCENTS and base.isascii() and base.isalpha():
        # LaTeX knows the letters of Western European languages
        return sign if "À" <= sign <= "ÿ" else f"{{\\{_ACCENTS[marks[0]]}{{{base}}}}}"
    if base != sign or marks:
        return "".join(_sign(one) for one in (base, *marks) if not unicodedata.combining(one))
    return "" if unicodedata.combining(sign) else f"{{[}}U+{ord(sign):04X}{{]}}"


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
