"""The conclusion of a result, in a sentence: which groups, in which direction, and how sure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P

Status = Literal["holds", "absent", "unknown", "unmeasured"]
"""Whether there is a difference beyond what was drawn (yes, no, cannot tell yet), or nothing was measured."""
ALPHA = 0.05
"""Level at which something counts as found."""


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """The conclusion of a result."""

    name: str
    """Name of the test, as in tables and rules."""
    status: Status
    """A key of :data:`~crossroads.core.wording.phrases.STATUSES`."""
    statement: tuple[str, ...]
    """What these words show, in pieces: names are at odd places, so that an output can set them apart."""
    subject: str = ""
    """What it is about: the label of a row."""
    rival: str = ""
    """What that is compared with, where there is such."""
    poles: tuple[str, str] = ("", "")
    """What numbers below and above the middle mean, in a few words."""
    scale: str = ""
    """What ``value`` is, such as ``"Δ"``."""
    middle: float = 0.0
    """The ``value`` between the poles."""
    drawn: str = "words"
    """What counts as drawn, in the plural: whether the finding holds for others of these is the question."""
    numbers: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    """Numbers by role, each with its JSON pointer within the result, or within all results where it begins
    with ``/``: ``chance`` (that others of what was drawn point the same way); ``value``, ``low``, ``high``;
    ``ordinary`` (Δ in ordinary associations), ``words`` (per set, that would tell); ``size`` (d)."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The sentence in pieces, as far as its status allows."""
        return phrases.hedged(self.statement, self.status, self.drawn)

    @property
    def heading(self) -> str:
        """How sure it is, as a heading above the sentence."""
        return phrases.heading(self.status, self.drawn)

    @property
    def sentence(self) -> str:
        """The sentence with its chance, with a capital letter and a full stop."""
        text, chance = "".join(self.parts), self.number("chance")
        sure = "" if chance is None else f"; {phrases.chance(chance, self.drawn)}"
        return f"{text[:1].upper()}{text[1:]}{sure}."

    def number(self, role: str) -> float | None:
        """A number by its role; None where there is none."""
        found = self.numbers.get(role)
        return None if found is None else found[1]


def status_of(p: P | float | None) -> Status:
    """Whether something is found, from the p-value for others of what was drawn."""
    return "holds" if below(p) else "unknown"


def below(p: P | float | None) -> bool:
    """Whether something counts as found by its p-value."""
    value = p.value if isinstance(p, P) else p
    return value is not None and value < ALPHA


def numbers(**given: tuple[str, float | None]) -> dict[str, tuple[str, float]]:
    """Numbers with their places, without those that are missing."""
    return {role: (place, value) for role, (place, value) in given.items() if value is not None}


def association(
    *,
    name: str,
    titles: Mapping[str, str],
    sets: Mapping[str, Sequence[str]],
    status: Status,
    found: Mapping[str, tuple[str, float]],
    scale: str = "Δ",
    reason: str | None = None,
) -> Conclusion:
    """The conclusion of a test of targets and attributes.

    Parameters
    ----------
    name, status, scale
        As in :class:`Conclusion`.
    titles, sets
        What its sets stand for, and their words, a few of which stand for a set that has no name.
    found
        Its numbers; ``value`` is positive where the first target is closer to the first attribute, relative
        to the second one, than the second target is.
    reason
        Why there is no p-value for other words, where there is none.
    """
    named = {key: _title(key, titles.get(key, ""), sets.get(key, ())) for key in {**titles, **sets}}
    x, y, a, b = named["x"], named.get("y"), named["a"], named["b"]
    towards = (a, b) if found["value"][1] >= 0 else (b, a)
    return Conclusion(
        name=name,
        status=status,
        statement=because(phrases.direction(x, y, towards), reason, named),
        subject=x,
        rival=y or "",
        poles=(b, a),
        scale=scale,
        numbers=found,
    )


def because(
    parts: tuple[str, ...], reason: str | None, named: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """A sentence and why it cannot be told, as text and names in turn; sets called by letters have names."""
    if reason is None:
        return parts
    text = f"{parts[-1]}: {reason}"
    match = re.match(r".*: [XYAB](?: and [XYAB])*(?= ha(?:s|ve) a single word)", text)
    if match is None or named is None:
        return (*parts[:-1], text)
    pieces = re.split(r"\b([XYAB])\b", match[0])
    found = (named.get(one.lower(), one) for one in pieces[:-1])
    return (*parts[:-1], *found, pieces[-1] + text[match.end() :])


def pointer_part(key: object) -> str:
    """A key as a part of a JSON pointer."""
    return str(key).replace("~", "~0").replace("/", "~1")


def _title(key: str, title: str, words: Sequence[str]) -> str:
    """What a set stands for; a few of its words where it has no name."""
    if title and title.lower() != key:
        return title
    return ", ".join(words[:2]) + (", …" if len(words) > 2 else "") if words else key
