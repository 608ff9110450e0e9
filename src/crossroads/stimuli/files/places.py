"""Line numbers of values in a TOML or JSON text.

The parsers of the standard library return values without positions. These two scanners read a text that is
known to be valid and record the line of every key and every item of a list, so that errors can name it.
"""

from __future__ import annotations

import bisect
import json
import re
import tomllib

from crossroads.stimuli.files.documents import Path

_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_JSON_OTHER = re.compile(r"[^\s,:\]}]+")
_JSON_SPACE = re.compile(r"\s*")
_TOML_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:\'{0,2})|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL
)
_TOML_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOML_OTHER = re.compile(r"[^,\]}#\n]+")
_TOML_SPACE = re.compile(r"(?:\s|#[^\n]*)*")


class Places:
    """The lines of the keys and items of a text, by their path."""

    def __init__(self, text: str, *, offset: int = 0) -> None:
        self._text = text
        self._at = 0
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._offset = offset
        self.lines: dict[Path, int] = {}
        self.repeated: list[Path] = []

    def line(self, path: Path) -> int | None:
        """The line of a place, or of the nearest place above it that has one."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def _mark(self, path: Path) -> None:
        if path in self.lines:
            self.repeated.append(path)
        self.lines[path] = bisect.bisect_left(self._ends, self._at) + 1 + self._offset

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match.group()

    def _peek(self, size: int = 1) -> str:
        return self._text[self._at : self._at + size]


class JsonPlaces(Places):
    """The places in a JSON text; ``repeated`` lists keys that an object has twice."""

    def __init__(self, text: str, *, offset: int = 0) -> None:
        super().__init__(text, offset=offset)
        self._take(_JSON_SPACE)
        self._value(())

    def _value(self, path: Path) -> None:
        if self._peek() in "{[" and self._peek():
            self._container(path, is_object=self._peek() == "{")
        elif self._peek() == '"':
            self._take(_JSON_STRING)
        else:
            self._take(_JSON_OTHER)
        self._take(_JSON_SPACE)

    def _container(self, path: Path, *, is_object: bool) -> None:
        self._at += 1
        self._take(_JSON_SPACE)
        position = 0
        while self._peek() not in ("}", "]", ""):
            place: Path = (*path, position)
            if is_object:
                start = self._at
                place = (*path, json.loads(self._take(_JSON_STRING), strict=False))
                after, self._at = self._at, start
                self._mark(place)
                self._at = self._text.index(":", after) + 1
                self._take(_JSON_SPACE)
            else:
                self._mark(place)
            self._value(place)
            if self._peek() == ",":
                self._at += 1
            self._take(_JSON_SPACE)
            position += 1
        self._at += 1


class TomlPlaces(Places):
    """The places in a TOML text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._tables: dict[Path, int] = {}
        table: Path = ()
        self._take(_TOML_SPACE)
        while self._at < len(text):
            table = self._header() if self._peek() == "[" else self._pair(table, table)
            self._take(_TOML_SPACE)

    def _header(self) -> Path:
        start, is_list = self._at, self._peek(2) == "[["
        self._at += 2 if is_list else 1
        table: Path = ()
        keys = self._key()
        self._at = self._text.index("]", self._at) + (2 if is_list else 1)
        for number, key in enumerate(keys):
            table = (*table, key)
            if is_list and number == len(keys) - 1:
                self._tables[table] = self._tables.get(table, -1) + 1
            if table in self._tables:
                table = (*table, self._tables[table])
        after, self._at = self._at, start
        self._mark(table)
        self._at = after
        return table

    def _pair(self, table: Path, result: Path) -> Path:
        """Read ``key = value`` and return the table that continues."""
        start = self._at
        path = (*table, *self._key())
        after, self._at = self._at, start
        for length in range(len(table) + 1, len(path) + 1):
            self._mark(path[:length])
        self._at = self._text.index("=", after) + 1
        self._take(_TOML_SPACE)
        self._value(path)
        return result

    def _key(self) -> Path:
        keys: list[str] = []
        while True:
            self._take(_TOML_SPACE)
            if self._peek() in "\"'":
                keys.append(tomllib.loads(f"key = {self._take(_TOML_STRING)}")["key"])
            else:
                keys.append(self._take(_TOML_BARE))
            self._take(_TOML_SPACE)
            if self._peek() != ".":
                return tuple(keys)
            self._at += 1

    def _value(self, path: Path) -> None:
        if self._peek() == "[":
            self._sequence(path, "]")
        elif self._peek() == "{":
            self._sequence(path, "}")
        elif self._peek() in ('"', "'"):
            self._take(_TOML_STRING)
        else:
            self._take(_TOML_OTHER)

    def _sequence(self, path: Path, end: str) -> None:
        self._at += 1
        self._take(_TOML_SPACE)
        position = 0
        while self._peek() not in (end, ""):
            if end == "}":
                self._pair(path, path)
            else:
                self._mark((*path, position))
                self._value((*path, position))
            self._take(_TOML_SPACE)
            if self._peek() == ",":
                self._at += 1
            self._take(_TOML_SPACE)
            position += 1
        self._at += 1
