"""Removal of the key of a service from texts, however the service writes it.

Parts of the key are searched for as they are and escaped as in addresses (``%2F``), JSON and web pages
(``&#47;``), also several times over; and in base64 and hexadecimal digits, with whatever precedes and
follows. Matches are shown as "…". In doubt, too much is removed rather than too little.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

_PART = 6
"""Number of characters that count as a part of a key; of a short key, half of it."""
_DEPTH = 4
_ESCAPED = re.compile(
    r"%([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})|&#[xX]([0-9A-Fa-f]{1,6});?|&#([0-9]{1,7});?"
    r"|\\([\"'\\/])|&(amp|lt|gt|quot|apos|sol|num|plus|equals|lowbar|hyphen|period|colon);"
)
_NAMED = {
    "amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "sol": "/", "num": "#", "plus": "+",
    "equals": "=", "lowbar": "_", "hyphen": "-", "period": ".", "colon": ":",
}  # fmt: skip
_PACKED = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_WORD = re.compile(r"[^\s\"'<>]+")
_STARS = re.compile("[*•●]{3}")
"""Characters that replace the middle of a key of which a service shows the ends only."""
_Sign = tuple[str, int, int]
"""A character, and its start and end in the text."""


def without(text: str, secret: str | None) -> str:
    """Remove a secret from a text, whether it is repeated whole, in part or in another spelling.

    Examples
    --------
    >>> without("no key 'ab%2Fcd-12345', said the service.", "ab/cd-12345")
    "no key '…', said the service."
    """
    if not secret:
        return text
    spans: list[tuple[int, int]] = [
        word.span() for word in _WORD.finditer(text) if _STARS.search(word.group())
    ]
    signs = [(sign, place, place + 1) for place, sign in enumerate(text)]
    for _ in range(_DEPTH):
        spans += _plain_spans(signs, secret)
        spans += _packed_spans(signs, secret)
        plainer = _unescaped(signs)
        if len(plainer) == len(signs):
            break
        signs = plainer
    return _redacted(text, spans)


def _unescaped(signs: list[_Sign]) -> list[_Sign]:
    """The same characters with one layer of escapes undone."""
    text = "".join(sign for sign, _, _ in signs)
    found: list[_Sign] = []
    last = 0
    for match in _ESCAPED.finditer(text):
        found += signs[last : match.start()]
        found.append((_meant(match), signs[match.start()][1], signs[match.end() - 1][2]))
        last = match.end()
    return found + signs[last:]


def _meant(match: re.Match[str]) -> str:
    percent, unit, byte, hexadecimal, decimal, sign, name = match.groups()
    digits = percent or unit or byte or hexadecimal
    code = int(digits, 16) if digits else int(decimal) if decimal else None
    if code is not None:
        return chr(code) if code < 0x110000 else "\0"
    return str(sign or _NAMED[name])


def _plain_spans(signs: list[_Sign], secret: str) -> Iterator[tuple[int, int]]:
    """Where parts of the secret are, ignoring case and blanks in between."""
    written = [one for one in signs if one[0].isprintable() and not one[0].isspace()]
    text = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign, _, _ in written)
    for start, end in _parts_in(text, secret):
        yield written[start][1], written[end - 1][2]


def _parts_in(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Where parts of the secret are in a lower-case text."""
    secret = secret.lower()
    size = _part(secret)
    pieces = {secret[at : at + size] for at in range(len(secret) - size + 1)}
    for piece in pieces:
        at = text.find(piece)
        while at >= 0:
            yield at, at + size
            at = text.find(piece, at + 1)


def _part(secret: str) -> int:
    return max(1, min(_PART, (len(secret) + 1) // 2))


def _packed_spans(signs: list[_Sign], secret: str) -> Iterator[tuple[int, int]]:
    """Where base64 or hexadecimal digits encode part of the secret."""
    text = "".join(sign for sign, _, _ in signs)
    for match in _PACKED.finditer(text):
        if any(next(_parts_in(one.lower(), secret), None) for one in _unpacked(match.group())):
            yield signs[match.start()][1], signs[match.end() - 1][2]


def _unpacked(text: str) -> Iterator[str]:
    """What digits may encode: base64 from any of its four offsets on, and bytes in hexadecimal."""
    digits = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    for skipped in range(4):
        part = digits[skipped:]
        part = part[: len(part) - (len(part) % 4 == 1)]
        yield base64.b64decode(part + "=" * (-len(part) % 4)).decode("latin-1")
    for skipped in range(2):
        part = text[skipped : skipped + (len(text) - skipped) // 2 * 2]
        try:
            yield binascii.unhexlify(part).decode("latin-1")
        except binascii.Error:
            continue


def _redacted(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with "…" for each span; spans that touch are merged."""
    pieces: list[str] = []
    last = 0
    for start, end in sorted(spans):
        if start > last or not pieces:
            pieces += [text[last:start], "…"]
        last = max(last, end)
    return "".join([*pieces, text[last:]])
