"""A named set of stimuli."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from crossroads.errors import DesignError, in_short


@dataclass(frozen=True)
class StimulusSet(Sequence[str]):
    """Words (or phrases, or sentences) that together represent one concept, in a fixed order.

    Nothing is corrected silently: an empty word, a word with spaces around it, a word given twice and a set
    without words are errors.

    Examples
    --------
    >>> flowers = StimulusSet("flowers", ("rose", "daisy"))
    >>> list(flowers), flowers.name, len(flowers), "rose" in flowers
    (['rose', 'daisy'], 'flowers', 2, True)
    """

    name: str
    """What the set stands for, such as ``"flowers"``."""
    items: tuple[str, ...]
    """The stimuli, each different, in the order given."""

    def __post_init__(self) -> None:
        if not is_text(self.name):
            raise DesignError(
                f"the name of a set is {in_short(self.name)}.", hint="give a name of at least one letter."
            )
        object.__setattr__(self, "items", _checked(self.items, self.name))

    @classmethod
    def of(cls, value: StimulusSet | Iterable[str], name: str) -> StimulusSet:
        """Make a set from a list of words; a set that has a name keeps it.

        Parameters
        ----------
        value
            A :class:`StimulusSet`, or an iterable of words. Python sets, which have no order, are sorted.
        name
            The name for a set that has none.
        """
        if isinstance(value, StimulusSet):
            return value
        return cls(name, _listed(value, name))

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[str]:
        return iter(self.items)

    def __contains__(self, word: object) -> bool:
        return word in self.items


def is_text(value: object) -> bool:
    """Whether a value is text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def word_fault(word: object) -> str | None:
    """Describe what is wrong with a stimulus, as the predicate of a sentence; None if nothing is."""
    if not isinstance(word, str):
        return f"is {_described(word)}, not a word"
    if not word:
        return "is empty"
    if word != word.strip():
        return "has spaces around it"
    if word.isprintable():
        return None
    if any(unicodedata.category(letter) == "Cc" for letter in word):
        return "contains a line break, a tab or another control character"
    if any(unicodedata.category(letter) == "Cs" for letter in word):
        return "contains half of a character, as texts read with the wrong encoding do"
    return None


def _described(value: object) -> str:
    return "missing" if value is None else f"of type {type(value).__name__}"


def _listed(value: object, name: str) -> tuple[str, ...]:
    if isinstance(value, str | bytes):
        raise DesignError(
            f"the set {in_short(name)} is one string, {in_short(value)}.",
            hint="give a list of words, not one string.",
        )
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise DesignError(f"the set {in_short(name)} is {_described(value)}.", hint="give a list of words.")
    if isinstance(value, set | frozenset):
        return tuple(sorted(value, key=str))
    return tuple(value)


def _checked(items: object, name: str) -> tuple[str, ...]:
    words = _listed(items, name)
    if not words:
        raise DesignError(f"the set {in_short(name)} is empty.", hint="give at least one word.")
    seen: set[str] = set()
    for word in words:
        fault = word_fault(word)
        if fault is not None:
            raise DesignError(
                f"{in_short(word)} in the set {in_short(name)} {fault}.",
                hint="give every stimulus exactly as it is looked up, without spaces around it.",
            )
        if word in seen:
            raise DesignError(
                f"{in_short(word)} occurs twice in the set {in_short(name)}.",
                hint="list every stimulus of a set once.",
            )
        seen.add(word)
    return tuple(str(word) for word in words)
