"""Sets of stimuli, where published ones come from, and mappings that cannot be changed."""

from __future__ import annotations

import re
import unicodedata
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, overload

from crossroads.core.errors import DesignError, UnknownNameError, in_short

K = TypeVar("K")
V = TypeVar("V", covariant=True)


class FrozenDict(Mapping[K, V]):
    """A mapping that keeps its order, can be hashed and pickled, and cannot be changed."""

    __slots__ = ("_data",)

    def __init__(self, data: Mapping[K, V] | None = None) -> None:
        self._data: dict[K, V] = dict(data or {})

    def __getitem__(self, key: K) -> V:
        return self._data[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __hash__(self) -> int:
        return hash(frozenset(self._data.items()))

    def __repr__(self) -> str:
        return repr(self._data)


class Named(Mapping[str, V]):
    """Items by name; the error for an unknown name suggests the nearest known one."""

    noun: ClassVar[str] = "name"

    @abstractmethod
    def _named(self) -> Mapping[str, V]:
        """The items by name."""

    def __getitem__(self, name: str) -> V:
        items = self._named()
        if name not in items:
            raise UnknownNameError(self.noun, str(name), items)
        return items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named())

    def __len__(self) -> int:
        return len(self._named())

    def __contains__(self, name: object) -> bool:
        return name in self._named()

    def get(self, name: str, default: Any = None) -> Any:
        """The item, or a default if the name is not known."""
        if name not in self:
            return default
        return self[name]


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
        check_name("set", self.name)
        object.__setattr__(self, "items", _checked(self.items, self.name))

    @classmethod
    def of(cls, value: StimulusSet | Iterable[str], name: str) -> StimulusSet:
        """Make a set from a list of words; a set that has a name keeps it."""
        return value if isinstance(value, StimulusSet) else cls(name, _listed(value, name))

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


def is_text(value: object) -> bool:
    """Whether a value is text that is not blank."""
    return isinstance(value, str) and bool(value.strip())


def check_name(what: str, name: object) -> None:
    """Refuse a name that is not text, or blank."""
    if not is_text(name):
        hint = "give a name of at least one letter."
        raise DesignError(f"the name of a {what} is {in_short(name)}.", hint=hint)


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
        message = f"the set {in_short(name)} is one string, {in_short(value)}."
        raise DesignError(message, hint="give a list of words, not one string.")
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
        if (fault := word_fault(word)) is not None:
            hint = "give every stimulus exactly as it is looked up, without spaces around it."
            raise DesignError(f"{in_short(word)} in the set {in_short(name)} {fault}.", hint=hint)
        if word in seen:
            message = f"{in_short(word)} occurs twice in the set {in_short(name)}."
            raise DesignError(message, hint="list every stimulus of a set once.")
        seen.add(word)
    return tuple(str(word) for word in words)


_DOI = re.compile(r"10\.\d{4,9}/\S+")


@dataclass(frozen=True)
class Citation:
    """A publication, in words and by its identifier."""

    text: str
    """Authors, year, title and place, as in a list of references."""
    doi: str | None = None
    """The digital object identifier, without a URL; None if there is none."""

    def __post_init__(self) -> None:
        if not is_text(self.text):
            message = f"the text of a citation is {in_short(self.text)}."
            raise DesignError(message, hint="name authors and year.")
        if self.doi is not None and not _DOI.fullmatch(str(self.doi)):
            hint = "give it as 10.1126/science.aal4230, without a URL."
            raise DesignError(f"{in_short(self.doi)} is not a DOI.", hint=hint)

    @property
    def url(self) -> str | None:
        """The address of the publication, or None without a DOI."""
        return None if self.doi is None else f"https://doi.org/{self.doi}"

    def to_dict(self) -> dict[str, str]:
        """The citation as plain data."""
        return {"text": self.text} if self.doi is None else {"text": self.text, "doi": self.doi}


@dataclass(frozen=True, kw_only=True)
class About:
    """What an entry of the catalogue is and where it was published."""

    name: str
    """The name of the entry in the catalogue."""
    kind: str
    """``design``, ``groups``, ``traits``, ``templates``, ``words``, ``sentences`` or ``ratings``."""
    title: str
    """Contents of the entry, in one line."""
    source: Citation
    """The publication."""
    licence: str
    """Terms of the material, or that none are stated."""
    language: str
    """Language of the stimuli, as an IETF tag such as ``"en"``."""
    table: str
    """Table or section of the publication in which the material is printed."""
    departures: tuple[str, ...] = ()
    """How the entry departs from the publication, or chooses where its parts disagree; one sentence each."""


def sentences(value: str | Iterable[str], field: str) -> tuple[str, ...]:
    """Check a tuple of sentences, such as departures; one string is one sentence."""
    hint = f"give {field} as a list of sentences."
    if not isinstance(value, Iterable):
        raise DesignError(f"{field} is {in_short(value)}.", hint=hint)
    lines = (value,) if isinstance(value, str) else tuple(value)
    for line in lines:
        if not is_text(line):
            raise DesignError(f"{in_short(line)} is not a sentence.", hint=hint)
    return lines
