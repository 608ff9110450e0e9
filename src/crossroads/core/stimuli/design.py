"""Design of an association test: two targets, two attributes, and where they come from."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crossroads.core.errors import DesignError, FormatError, in_short, join_words, one_of
from crossroads.core.stimuli.sets import Citation, StimulusSet, check_name, sentences

ROLES = ("x", "y", "a", "b")
"""The four sets of a design: targets x and y, attributes a and b."""
TEXT_FIELDS = ("title", "language", "licence", "table")
"""Fields of a design that are plain text."""


@dataclass(frozen=True, kw_only=True, init=False, repr=False)
class Design:
    """The stimuli of one association test.

    Parameters
    ----------
    name
        Label of the results.
    x, y
        The targets, as plain lists or :class:`StimulusSet`. Without ``y`` the test has a single target.
    a, b
        The attributes.
    title, source, language, licence, table, departures, templates
        Information about the material; all optional. ``source`` may be the text of a citation.

    Examples
    --------
    >>> design = Design(name="bugs", x=["rose"], y=["wasp"], a=["love", "peace"], b=["abuse", "filth"])
    >>> design
    <Design bugs: x (1) and y (1), a (2) and b (2)>
    >>> list(design.x), design.words
    (['rose'], ('rose', 'wasp', 'love', 'peace', 'abuse', 'filth'))
    """

    name: str
    """Label of the results."""
    x: StimulusSet
    """The first target."""
    y: StimulusSet | None
    """The second target; None in a single-target test."""
    a: StimulusSet
    """The first attribute."""
    b: StimulusSet
    """The second attribute."""
    title: str
    """The question in one line; empty if not given."""
    source: Citation | None
    """The publication; None for a user-defined design."""
    language: str
    """Language of the stimuli, as an IETF tag such as ``"en"``; empty if not given."""
    licence: str
    """Terms of the word lists; empty if not given."""
    table: str
    """Table or section of the publication; empty if not given."""
    departures: tuple[str, ...]
    """How the lists depart from the publication, one sentence each."""
    templates: tuple[str, ...]
    """Sentences in which to put a stimulus in place of ``{word}``; empty for bare words."""

    def __init__(
        self,
        *,
        name: str,
        x: Iterable[str],
        a: Iterable[str],
        b: Iterable[str],
        y: Iterable[str] | None = None,
        title: str = "",
        source: Citation | str | None = None,
        language: str = "",
        licence: str = "",
        table: str = "",
        departures: Iterable[str] = (),
        templates: Iterable[str] = (),
    ) -> None:
        check_name("design", name)
        values: dict[str, Any] = {
            "name": str(name),
            "x": StimulusSet.of(x, "x"),
            "y": None if y is None else StimulusSet.of(y, "y"),
            "a": StimulusSet.of(a, "a"),
            "b": StimulusSet.of(b, "b"),
            "source": source if source is None or isinstance(source, Citation) else Citation(source),
            "departures": sentences(departures, "departures"),
            "templates": _templates(templates),
            **dict(zip(TEXT_FIELDS, (title, language, licence, table), strict=True)),
        }
        for field, value in values.items():
            if field in TEXT_FIELDS and not isinstance(value, str):
                kind = type(value).__name__
                raise DesignError(f"{field} is {in_short(value)}, of type {kind}.", hint="give text.")
            object.__setattr__(self, field, value)

    @property
    def sets(self) -> dict[str, StimulusSet]:
        """The sets by role (``"x"``, ``"y"``, ``"a"``, ``"b"``), without a missing ``y``."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}

    @property
    def words(self) -> tuple[str, ...]:
        """Every stimulus once, in the order x, y, a, b."""
        return tuple(dict.fromkeys(word for words in self.sets.values() for word in words))

    @property
    def digest(self) -> str:
        """SHA-256 of the four word lists: equal for designs with the same words, whatever their names."""
        lists = {role: list(self.sets[role]) if role in self.sets else None for role in ROLES}
        text = json.dumps(lists, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def replace(self, substitutions: Mapping[str, str | None]) -> Design:
        """Replace words in every set that has them; None drops a word. The departures say so.

        Examples
        --------
        >>> design = Design(name="disease", x=["sad"], y=["sick"], a=["short-term"], b=["always"])
        >>> design.replace({"short-term": "short"}).departures
        ("'short-term' is replaced by 'short'.",)
        """
        for word in substitutions:
            one_of(f"word of the design {in_short(self.name)}", word, self.words)
        changed: dict[str, Any] = {}
        for role, words in self.sets.items():
            new = (substitutions.get(word, word) for word in words)
            changed[role] = StimulusSet(words.name, tuple(word for word in new if word is not None))
        note = _note(substitutions)
        return dataclasses.replace(self, **changed, departures=(*self.departures, *note))

    def add(
        self, *, x: Iterable[str] = (), y: Iterable[str] = (), a: Iterable[str] = (), b: Iterable[str] = ()
    ) -> Design:
        """Add words at the end of the sets, and a sentence about them to the departures."""
        more = {role: tuple(words) for role, words in (("x", x), ("y", y), ("a", a), ("b", b)) if words}
        changed: dict[str, Any] = {}
        note = []
        for role, words in more.items():
            if (before := self.sets.get(role)) is None:
                raise DesignError(f"the design {self.name!r} has no {role} to add to.")
            changed[role] = StimulusSet(before.name, (*before, *words))
            verb = "is" if len(words) == 1 else "are"
            note.append(f"{join_words(map(repr, words))} {verb} added to {role}.")
        return dataclasses.replace(self, **changed, departures=(*self.departures, *note))

    def to_dict(self) -> dict[str, Any]:
        """The design as plain data, for :meth:`from_dict` and design files."""
        data: dict[str, Any] = {"name": self.name}
        data |= {field: getattr(self, field) for field in TEXT_FIELDS if getattr(self, field)}
        if self.source is not None:
            data["source"] = self.source.to_dict()
        data |= {role: {"name": words.name, "items": list(words.items)} for role, words in self.sets.items()}
        for field in ("departures", "templates"):
            if getattr(self, field):
                data[field] = list(getattr(self, field))
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Design:
        """Build a design from plain data, as from :meth:`to_dict` or a file."""
        from crossroads.core.stimuli.files.building import design_from
        from crossroads.core.stimuli.files.text import Place

        try:
            return design_from(data, Place(None))
        except FormatError as error:
            raise DesignError(error.message, hint=error.hint) from error

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    def __repr__(self) -> str:
        sizes = {role: f"{words.name} ({len(words)})" for role, words in self.sets.items()}
        targets = " and ".join(sizes[role] for role in ("x", "y") if role in sizes)
        return f"<Design {self.name}: {targets}, {sizes['a']} and {sizes['b']}>"


def _templates(value: Iterable[str]) -> tuple[str, ...]:
    templates = sentences(value, "templates")
    for template in templates:
        if "{word}" not in template:
            hint = "write {word} where the stimulus goes, as in 'This is {word}.'"
            raise DesignError(f"the template {in_short(template)} has no place for a word.", hint=hint)
    return templates


def _note(substitutions: Mapping[str, str | None]) -> list[str]:
    swaps = [f"{old!r} is replaced by {new!r}" for old, new in substitutions.items() if new is not None]
    drops = [repr(old) for old, new in substitutions.items() if new is None]
    parts = swaps + ([f"{join_words(drops)} {'is' if len(drops) == 1 else 'are'} left out"] if drops else [])
    return [f"{join_words(parts)}."] if parts else []
