"""Long JSON documents as text, a piece at a time, so that no second copy of them is held in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

DEPTH = 7
"""How deep a compact document is taken apart; what lies deeper is one piece."""
_CONTAINERS = frozenset({dict, list, tuple})


def json_pieces(data: Any, *, indent: bool = False, depth: int = DEPTH) -> Iterator[str]:
    """The text that ``json.dumps`` makes of plain data, in pieces.

    Parameters
    ----------
    data
        What to write: dictionaries with words as keys, lists, words and finite numbers.
    indent
        Whether to write one value a line, as ``indent=1`` does, or no blanks at all.
    depth
        How deep to take a compact document apart.
    """
    return _pieces(data, "\n" if indent else "", depth)


def _pieces(value: Any, line: str, depth: int) -> Iterator[str]:
    """Pieces of a value that stands on the given line: a line break and the blanks before it, or nothing."""
    inner = f"{line} " if line else ""
    if type(value) not in _CONTAINERS or not value or not (line or depth):
        yield _dumped(value, inner)
    elif _CONTAINERS.isdisjoint(map(type, _values(value))):
        text = _dumped(value, inner)  # the quick encoder knows no indent, but any text between values
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
