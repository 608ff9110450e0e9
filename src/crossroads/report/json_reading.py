"""Long JSON documents read back in little memory: a word that stands there a thousand times is held once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEPTH = 16
"""How deep a document is taken apart; what lies deeper is read in one piece."""
MOST_WORDS = 100_000
"""Different words that are looked for again."""
_CHARACTERS = 1 << 20
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_BLANKS = re.compile(r"[ \t\n\r]*")


def ascii_text(path: Path) -> str:
    """The text of a JSON file, with escapes for what is not ASCII.

    One letter from beyond makes a string of any length take two or four bytes a character.
    """
    pieces = []
    with path.open(encoding="utf-8") as file:
        while piece := file.read(_CHARACTERS):
            marked = piece.startswith("\ufeff")  # no JSON: left to the parser, which says so
            pieces.append(piece if marked or piece.isascii() else escaped(piece))
    return "".join(pieces)


def escaped(text: str) -> str:
    """JSON with escapes for what is not ASCII."""
    return _BEYOND.sub(lambda one: json.dumps(one[0])[1:-1], text)


def parsed(text: str, *, parse_constant: Callable[[str], Any]) -> Any:
    """What ``json.loads`` makes of a text, errors included, but with words that are alike held once."""
    decoder = json.JSONDecoder(parse_constant=parse_constant)
    try:
        value, end = _Document(text, decoder).value(_BLANKS.match(text).end())  # type: ignore[union-attr]
        if text[end:].strip(" \t\n\r"):
            raise StopIteration
    except (StopIteration, IndexError, json.JSONDecodeError):
        return json.loads(text, parse_constant=parse_constant)  # says what is wrong, and where
    return value


class _Document:
    """A text that is read from its front to its end."""

    def __init__(self, text: str, decoder: json.JSONDecoder) -> None:
        self.text = text
        self.scan = decoder.raw_decode
        self.words: dict[str, str] = {}

    def value(self, at: int, depth: int = DEPTH) -> tuple[Any, int]:
        """The value that begins at a place, and where it ends."""
        sign = self.text[at]
        if sign == "[" and depth and self.text[self._next(at + 1)] in "[{":
            return self._list(at, depth - 1)
        if sign == "{" and depth and self._holds_others(at):
            return self._mapping(at, depth - 1)
        value, end = self.scan(self.text, at)
        return (self._shared(value) if sign in '"[{' else value), end

    def _holds_others(self, at: int) -> bool:
        """Whether a bracket opens in a mapping before one closes; words with brackets in them do no harm."""
        end = self.text.find("}", at)
        return self.text.find("[", at, end) > 0 or self.text.find("{", at + 1, end) > 0

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        sign = ","
        while sign == ",":
            value, at = self.value(self._next(at + 1), depth)
            found.append(value)
            at = self._next(at)
            sign = self.text[at]
        return found, self._closed(at, "]")

    def _mapping(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        sign = ","
        while sign == ",":
            at = self._next(at + 1)
            if self.text[at] != '"':
                raise StopIteration(at)
            key, at = self.scan(self.text, at)
            at = self._closed(self._next(at), ":")
            found[self._shared(key)], at = self.value(self._next(at), depth)
            at = self._next(at)
            sign = self.text[at]
        return found, self._closed(at, "}")

    def _next(self, at: int) -> int:
        """The place of the next sign that is no blank."""
        return _BLANKS.match(self.text, at).end()  # type: ignore[union-attr]

    def _closed(self, at: int, sign: str) -> int:
        """The place behind a sign that must stand here."""
        if self.text[at] != sign:
            raise StopIteration(at)
        return at + 1

    def _shared(self, value: Any) -> Any:
        """A value with the words that were met before in place of others that are alike."""
        if isinstance(value, str):
            return self._kept(1)(value, value)
        if isinstance(value, list) and {str}.issuperset(map(type, value)):
            return list(map(self._kept(len(value)), value, value))
        if isinstance(value, dict):
            keys = map(self._kept(len(value)), value, value)
            if {str}.issuperset(map(type, value.values())):
                kept = self._kept(len(value))
                return dict(zip(keys, map(kept, value.values(), value.values()), strict=True))
            return dict(zip(keys, value.values(), strict=True))
        return value

    def _kept(self, more: int) -> Callable[[str, str], str]:
        """Look a word up; add it as well, while there are not too many."""
        room = len(self.words) + more <= MOST_WORDS
        return self.words.setdefault if room else self.words.get
