"""What differs between two documents: keys that moved, came or went, and values that changed."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

ROUNDING = 1e-9
"""Numbers that differ by less than this share differ by rounding: other versions of numpy sum otherwise."""


_NUMBER = re.compile(r"[-+−]?\.?\d")


@dataclass
class Difference:
    """What is not the same."""

    moved: list[tuple[str, str]] = field(default_factory=list)
    """Where something was, and where the same thing is now."""
    gone: list[str] = field(default_factory=list)
    """Keys that are no longer there."""
    new: list[str] = field(default_factory=list)
    """Keys that were not there."""
    changed: list[tuple[str, Any, Any]] = field(default_factory=list)
    """Values before and after."""
    rounded: int = 0
    """Numbers that differ by rounding."""
    same: int = 0
    """Values that are equal."""

    def lines(self, most: int = 40) -> list[str]:
        """The difference in words, with at most so many lines of each kind."""
        said = [f"{self.same:,} values are the same, {self.rounded:,} differ by rounding"]
        for name, rows in (
            ("moved", [f"{old}  →  {now}" for old, now in self.moved]),
            ("gone", self.gone),
            ("new", self.new),
            ("changed", [f"{key}: {_short(old)}  →  {_short(now)}" for key, old, now in self.changed]),
        ):
            said += [f"{len(rows):,} {name}"] if rows else []
            said += [f"  {row}" for row in rows[:most]]
            said += [f"  … and {len(rows) - most:,} more"] if len(rows) > most else []
        return said

    @property
    def matters(self) -> bool:
        """Whether a value changed, or a key came or went; what only moved holds what it held."""
        return bool(self.changed or self.gone or self.new)


def compared(before: Any, after: Any) -> Difference:
    """Compare two documents as JSON holds them."""
    found, lost, come = Difference(), dict[str, Any](), dict[str, Any]()
    _walk("", before, after, found, lost, come)
    places: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in come.items():
        places[_digest(value)].append(key)
    for key, value in lost.items():
        if where := places.get(_digest(value)):
            found.moved.append((key, where.pop(0)))
    was, now = ({pair[at] for pair in found.moved} for at in (0, 1))
    found.gone = [key for key in lost if key not in was]
    found.new = [key for key in come if key not in now]
    return found


def _walk(
    key: str, old: Any, now: Any, found: Difference, lost: dict[str, Any], come: dict[str, Any]
) -> None:
    """Note what differs from here downwards, and what is only in one of the two."""
    if isinstance(old, dict) and isinstance(now, dict):
        for name in sorted(old.keys() | now.keys()):
            here = f"{key}/{name}"
            if name not in now:
                lost[here] = old[name]
            elif name not in old:
                come[here] = now[name]
            else:
                _walk(here, old[name], now[name], found, lost, come)
    elif isinstance(old, list) and isinstance(now, list):
        _walk(key, *_aligned(old, now), found, lost, come)
    elif isinstance(old, str) and isinstance(now, str) and "\n" in old + now and old != now:
        _walk(key, old.split("\n"), now.split("\n"), found, lost, come)
    elif old == now and type(old) is type(now):
        found.same += 1
    elif _numbers(old, now) and math.isclose(old, now, rel_tol=ROUNDING, abs_tol=1e-300):
        found.rounded += 1
    else:
        found.changed.append((key, old, now))


def _aligned(old: list[Any], now: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Items of two lists by their places in the first; new ones come after the one before them."""
    before, after = dict[str, Any](), dict[str, Any]()
    matched = SequenceMatcher(None, _names(old), _names(now), autojunk=False)
    for _, i, i_end, j, j_end in matched.get_opcodes():
        for offset in range(max(i_end - i, j_end - j)):
            place = str(i + offset) if i + offset < i_end else f"{i_end}+{i + offset - i_end + 1}"
            if i + offset < i_end:
                before[place] = old[i + offset]
            if j + offset < j_end:
                after[place] = now[j + offset]
    return before, after


def _names(items: list[Any]) -> list[str]:
    """What an item of a list is called: a row by its texts that are not numbers, all else by its value."""
    if len(items) > 1 and all(isinstance(item, int | float) for item in items):
        return [str(place) for place in range(len(items))]
    return [
        "\0".join(text for text in item.values() if isinstance(text, str) and not _NUMBER.match(text))
        if isinstance(item, dict)
        else _digest(item)
        for item in items
    ]


def _numbers(*values: Any) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _digest(value: Any) -> str:
    """The same for values that are the same."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}…"
