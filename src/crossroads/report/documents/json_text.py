"""Long JSON documents as text in pieces, so that no second copy of them is in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

DEPTH = 7
"""Depth to which a compact document is split; deeper values are one piece."""
_CONTAINERS = frozenset({dict, list, tuple})


def json_pieces(data: Any, *, indent: bool = False, depth: int = DEPTH) -> Iterator[str]:
    """The text that ``json.dumps`` makes of plain data, in pieces.

    Parameters
    ----------
    data
        What to write: dictionaries with words as keys, lists, words and finite numbers.
    indent
        Whether to write one value per line, as ``indent=1`` does, or no blanks at all.
    depth
        Depth to which a compact document is split.
    """
    return _pieces(data, "\n" if indent else "", depth)


def _pieces(value: Any, line: str, depth: int) -> Iterator[str]:
    """Pieces of a value; ``line`` is a line break with the indentation, or empty."""
    inner = f"{line} " if line else ""
    if type(value) not in _CONTAINERS or not value or not (line or depth):
        yield _dumped(value, inner)
    elif _CONTAINERS.isdisjoint(map(type, _values(value))):
        text = _dumped(value, inner)  # the fast encoder has no indent, but accepts any text between values
        yield f"{text[0]}{inner}"
        yield text[1:-1]
        yield f"{line}{text[-1]}"
    else:
        yield from _nested(value, line, depth - 1)


def _nested(value: Any, line: str, depth: int) -> Iterator[str]:
    inner = f"{line} " if line else ""
    mapping = isinstance(value, Mapping)
    before = ("{" if mapping else "[") + inner
    for key in value:
        if mapping:
            yield f"{before}{_dumped(key, inner)}:{' ' if line else ''}"
            yield from _pieces(value[key], inner, depth)
        else:
            yield before
            yield from _pieces(key, inner, depth)
        before = f",{inner}"
    yield f"{line}{'}' if mapping else ']'}"


def _values(container: Any) -> Iterable[Any]:
    return container.values() if isinstance(container, Mapping) else container


def _dumped(value: Any, inner: str) -> str:
    between = (f",{inner}", ": " if inner else ":")
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=between)


READ_DEPTH = 16
"""Depth to which a document is split; deeper values are read in one piece."""
MOST_WORDS = 100_000
"""Largest number of distinct words that are shared."""
_CHARACTERS = 1 << 20
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_BLANKS = re.compile(r"[ \t\n\r]*")


def ascii_text(path: Path) -> str:
    """The text of a JSON file, with escapes for what is not ASCII.

    A single character beyond Latin-1 makes a string of any length take two or four bytes per character.
    """
    pieces = []
    with path.open(encoding="utf-8") as file:
        while piece := file.read(_CHARACTERS):
            marked = piece.startswith("\ufeff")  # not JSON: the parser raises the error
            pieces.append(piece if marked or piece.isascii() else escaped(piece))
    return "".join(pieces)


def escaped(text: str) -> str:
    """JSON with escapes for what is not ASCII."""
    return _BEYOND.sub(lambda one: json.dumps(one[0])[1:-1], text)


def parsed(text: str, *, parse_constant: Callable[[str], Any]) -> Any:
    """The same as ``json.loads``, including errors, but equal words are stored once."""
    decoder = json.JSONDecoder(parse_constant=parse_constant)
    try:
        value, end = _Document(text, decoder).value(_BLANKS.match(text).end())  # type: ignore[union-attr]
        if text[end:].strip(" \t\n\r"):
            raise StopIteration
    except (StopIteration, IndexError, json.JSONDecodeError):
        return json.loads(text, parse_constant=parse_constant)  # raises an error with the position
    return value


class _Document:
    """A text that is read from its front to its end."""

    def __init__(self, text: str, decoder: json.JSONDecoder) -> None:
        self.text = text
        self.scan = decoder.raw_decode
        self.words: dict[str, str] = {}

    def value(self, at: int, depth: int = READ_DEPTH) -> tuple[Any, int]:
        """The value that begins at a place, and where it ends."""
        sign = self.text[at]
        if sign == "[" and depth and self.text[self._next(at + 1)] in "[{":
            return self._list(at, depth - 1)
        if sign == "{" and depth and self._holds_others(at):
            return self._mapping(at, depth - 1)
        value, end = self.scan(self.text, at)
        return (self._shared(value) if sign in '"[{' else value), end

    def _holds_others(self, at: int) -> bool:
        """Whether a bracket opens in a mapping before one closes; brackets in words are harmless."""
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
        """The position of the next character that is not blank."""
        return _BLANKS.match(self.text, at).end()  # type: ignore[union-attr]

    def _closed(self, at: int, sign: str) -> int:
        """The position after a required character."""
        if self.text[at] != sign:
            raise StopIteration(at)
        return at + 1

    def _shared(self, value: Any) -> Any:
        """A value in which words equal to earlier ones are replaced by these."""
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
        """Look up a word, and add it while there are not too many."""
        room = len(self.words) + more <= MOST_WORDS
        return self.words.setdefault if room else self.words.get
