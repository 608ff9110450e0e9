"""Columns that several types of results share: their heads, notes and formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted

Kind = Literal["", "text", "share", "chance", "count", "p", "estimate", "exchanged", "interval"]
"""What a value is; a ``chance`` is a share that is never certain, an ``estimate`` a p-value that was not
counted, an ``exchanged`` one is from labels exchanged at random."""
Note = str | Callable[[Sequence[Any]], str]
"""Head or description of a column; a function of the results of a table where it depends on these."""


class Form(TypedDict, total=False):
    """How values are converted and printed; see :class:`~crossroads.core.wording.table.Column`."""

    digits: int
    kind: Kind
    spare: int
    several: bool
    """Whether the column is left out in the table of a single result."""


class Look(Form, total=False):
    """How a column looks."""

    head: Note
    note: Note


def settings(results: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Conventions of every single test, also of those inside other results."""
    members = [member for one in results for member in one._members()]
    return [getattr(member, "test", member).conventions for member in members]


def adjusted_note(noun: str = "test", plural: str | None = None) -> Note:
    """The adjustment of p-values that outputs show, and for how many tests."""
    name = phrases.ADJUSTMENTS[phrases.ADJUSTMENT][1]
    return lambda results: f"{name} for {counted(sum(len(one.tests) for one in results), noun, plural)}"


def _other_words(results: Sequence[Any]) -> str:
    tails = ", ".join(dict.fromkeys(phrases.tail(str(one.get("alternative"))) for one in settings(results)))
    return f"{phrases.OTHER_WORDS}, {tails}" if tails else ""


def _exchanged(results: Sequence[Any]) -> str:
    found = settings(results)
    return phrases.divisions(found) if found else ""


VOCABULARY: Mapping[str, Look] = {
    "test": {"head": "test"},
    "question": {"head": "question", "spare": 1},
    "agreement": {"head": "agree", "note": phrases.AGREEMENT, "kind": "chance"},
    "d": {"head": "d", "note": lambda results: phrases.effect(settings(results))},
    "difference": {"head": "Δ", "note": phrases.DIFFERENCE, "digits": 3, "spare": 5},
    "difference_ci": {
        "head": "95 % CI",
        "note": phrases.OTHER_WORDS_CI,
        "digits": 3,
        "kind": "interval",
        "spare": 5,
    },
    "p": {"head": "p", "kind": "p", "note": _other_words},
    "exact_p": {"head": "exact p", "kind": "p", "note": _exchanged, "spare": 4},
    "detectable": {"head": "detectable Δ", "note": phrases.DETECTABLE, "digits": 3, "spare": 2},
    "pattern": {"head": "pattern", "note": phrases.PATTERN},
    "tau": {"head": "τ", "note": "Kendall's τ-b over all groups and traits"},
}
"""Looks by key of a column."""
