"""Numbers of results by name: which value a name stands for, and how a table shows it.

A *path* leads from a result to a value: ``crossed.low``, ``names.0``, ``words.len``. Lists of names are
texts, as in ``namedtuple("P", "x y")``: ``"pvalue draws=statistics.size"`` takes ``pvalue`` from the path of
that name and ``draws`` from another path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Unpack, cast

from crossroads.core.wording import table
from crossroads.core.wording.numbers import P
from crossroads.core.wording.table import Cell, Column, Interval, Rate
from crossroads.core.wording.vocabulary import VOCABULARY, Form, Look, Note

NAME = "@name"
"""The path of the name of a result in its table."""


def follow(item: Any, path: str) -> Any:
    """The value at the end of a path; None where something on the way is None."""
    for step in path.split("."):
        if item is None:
            return None
        if step == "len":
            item = len(item)
        elif isinstance(item, Mapping):
            item = item.get(step)
        else:
            item = item[int(step)] if step.isdecimal() else getattr(item, step)
        item = item() if callable(item) else item
    return item


@cache
def pairs(names: str) -> tuple[tuple[str, str], ...]:
    """Names and their paths: ``"p=pvalue low"`` gives ``p`` from ``pvalue``, and ``low`` from ``low``."""
    split = (one.partition("=") for one in names.split())
    return tuple((name, path or name) for name, _, path in split)


def named(item: Any, names: str) -> dict[str, Any]:
    """Values by name; those of a mapping have its keys too (``n_x``), under ``*`` its keys alone."""
    found: dict[str, Any] = {}
    for name, path in pairs(names):
        value = follow(item, path)
        if isinstance(value, Mapping):
            prefix = "" if name == "*" else f"{name}_"
            found |= {f"{prefix}{key}": one for key, one in value.items()}
        else:
            found[name] = value
    return found


def under(path: str, names: str) -> str:
    """The same names of something that has the item at a path."""
    return " ".join(f"{name}={path}.{inner}" for name, inner in pairs(names))


def crossed_names(path: str = "", end: str = "", ends: str = "") -> str:
    """Names of a difference with all words drawn, at a path that ends in a point.

    Every name ends in ``end``, such as ``_x``; those of both ends of the interval begin with ``ends``, where
    a test has other intervals as well.
    """
    found = {"agreement": "agreement", "difference": "difference", f"{ends}low": "low", f"{ends}high": "high"}
    found |= {"p": "pvalue"} | {name: name for name in ("attribute_pvalue", "detectable")}
    return " ".join(f"{name}{end}={path}crossed.{field}" for name, field in found.items())


@dataclass(frozen=True, slots=True)
class Stat:
    """A column of a table, and the path to its values."""

    key: str
    path: str
    look: Look

    def under(self, path: str) -> Stat:
        """The same column of something that has the item at a path."""
        return self if self.path == NAME else replace(self, path=f"{path}.{self.path}")

    def column(self, results: Sequence[Any]) -> Column:
        """The column in a table of these results."""
        head, note = self.look.get("head", self.key), self.look.get("note", "")
        kind = self.look.get("kind", "")
        return Column(
            key=self.key,
            head=head if isinstance(head, str) else head(results),
            note=note if isinstance(note, str) else note(results),
            digits=self.look.get("digits"),
            kind=cast(table.Kind, kind) if kind in ("share", "chance", "count") else "",
            spare=self.look.get("spare", 0),
        )

    def cell(self, member: Any, name: str) -> Cell:
        """The value of a member of a result, under the name of that result."""
        if self.path == NAME:
            return name
        value, kind = follow(member, self.path), self.look.get("kind", "")
        if value is None or isinstance(value, (P, Interval, Rate)):
            return value
        if kind == "exchanged":
            return P.of(float(value), "monte-carlo")
        if kind in ("p", "estimate"):
            return P(float(value), "≈" if kind == "estimate" else "")
        if kind == "interval":
            ends = value if isinstance(value, tuple) else (value, follow(member, _high(self.path)))
            return Interval(*ends)
        return str(value) if kind == "text" else cast(Cell, value)


def _high(path: str) -> str:
    """The path of the upper end of an interval, by that of its lower end."""
    return f"{path.removesuffix('low')}high"


def stat(
    key: str,
    head: Note = "",
    note: Note = "",
    *,
    of: str = "",
    **form: Unpack[Form],
) -> Stat:
    """A column of a table; what is not said here is taken from the vocabulary.

    The head is the key by default, as is ``of``, the path to the value. An interval is a pair, or has the
    path of its lower end.
    """
    look: Look = {**VOCABULARY.get(key, {}), **form}
    if head:
        look["head"] = head
    if note:
        look["note"] = note
    return Stat(key, of or key, look)


TEST = stat("test", of="design")
"""The design of a test."""
QUESTION = stat("question", of="_question")
"""What a test is about."""
AGREEMENT = stat("agreement", of="crossed.agreement")
"""The chance that other words point the same way."""
NAMED = stat("test", of=NAME)
"""The name of a test among others."""
