"""Escaping of names for LaTeX, BibTeX and Markdown."""

from __future__ import annotations

import html
import re
import unicodedata

from crossroads.core.errors import printable


def _named(signs: str, names: str) -> dict[str, str]:
    return dict(zip(signs, names.split(), strict=True))


_COMMANDS = _named(
    "\\~^<>|`…§£ßæÆœŒøØłŁı",
    "textbackslash textasciitilde textasciicircum textless textgreater textbar textasciigrave dots S pounds "
    "ss ae AE oe OE o O l L i",
)
"""Characters that are commands in text."""
_MATH = _named(
    "×±·≤≥≈≠∞→←↔∪∈√«»",
    "times pm cdot le ge approx ne infty to leftarrow leftrightarrow cup in surd ll gg",
)
_LATEX = {
    **{sign: rf"\{name}{{}}" for sign, name in _COMMANDS.items()},
    **{sign: rf"$\{name}$" for sign, name in _MATH.items()},
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    # after the end of a row these would be read as its options
    **{sign: f"{{{sign}}}" for sign in "[]*"},
    **_named('"‘’“”„‐‑–—', "'' ` ' `` '' ,, - - -- ---"),
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "−": "$-$",
    "°": r"$^\circ$",
}
_LETTERS = _named("ΑΒΕΖΗΙΚΜΝΟΡΤΧοđĐðÐŋŊþÞ", "A B E Z H I K M N O P T X o d D d D ng Ng th Th")
_CYRILLIC = _named(
    "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ",
    "a b v g d e zh z i y k l m n o p r s t u f kh ts ch sh shch ' y ' e yu ya yo i yi ye g",
)
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030b": "H", "\u030a": "r",
    "\u030c": "v", "\u0306": "u", "\u0304": "=", "\u0307": ".", "\u0327": "c", "\u0323": "d",
}  # fmt: skip
"""Accents that TeX sets over any letter."""
_MARKDOWN = re.compile(r"([\\`*_\[\]|~^$@])")
_BLOCK = re.compile(r"([-+#=]|\d+[.)])")


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
    return html.escape(escaped, quote=False)
