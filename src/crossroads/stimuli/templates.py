"""Sentence templates, and sentences made from them."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from crossroads.errors import InputError, join_words
from crossroads.stimuli.about import About
from crossroads.stimuli.frozen import Named
from crossroads.stimuli.groups import Comparison

_VOWELS = tuple("aeiouAEIOU")


@dataclass(frozen=True)
class Template:
    """A sentence with named places, such as ``"This is {article} {word}."``.

    Examples
    --------
    >>> Template("This is {article} {word}.").fill(word="axe")
    'This is an axe.'
    >>> Template("{word} are people.").fill(word="women")
    'Women are people.'
    """

    text: str
    """The sentence; places are named in braces."""

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the places, in order, each once."""
        names = (name for _, name, _, _ in string.Formatter().parse(self.text) if name is not None)
        return tuple(dict.fromkeys(names))

    def fill(self, **values: str) -> str:
        """Put words into the places.

        ``article`` is found from ``word`` unless it is given: *an* before a vowel letter, *a* otherwise. A
        sentence that begins with a place gets a capital; values that no place needs are ignored, so that one
        call works for templates of several families.
        """
        if "article" in self.slots and "word" in values:
            values.setdefault("article", "an" if values["word"].startswith(_VOWELS) else "a")
        missing = [repr(slot) for slot in self.slots if slot not in values]
        if missing:
            raise InputError(
                f"the template {self.text!r} needs {join_words(missing)}.",
                hint=f"given: {', '.join(values) or 'nothing'}.",
            )
        sentence = self.text.format(**values)
        return sentence[:1].upper() + sentence[1:] if self._begins_open else sentence

    @property
    def _begins_open(self) -> bool:
        """Whether the text begins with a place and continues, as a sentence does."""
        return self.text.startswith("{") and not self.text.endswith("}")


@dataclass(frozen=True, kw_only=True)
class Family:
    """Templates that vary one thing, or that suit one kind of word."""

    name: str
    """Short name, such as ``"plural"``."""
    use: str
    """What the templates are for, in a sentence."""
    templates: tuple[Template, ...]
    """The templates, in the order of the publication."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Templates(Named[Family]):
    """Families of templates by name."""

    about: About
    """Where the templates come from."""
    families: tuple[Family, ...]
    """The families, in the order of the publication."""

    noun: ClassVar[str] = "family of templates"

    def _named(self) -> Mapping[str, Family]:
        return {family.name: family for family in self.families}

    def __repr__(self) -> str:
        sizes = ", ".join(f"{family.name} ({len(family.templates)})" for family in self.families)
        return f"<Templates {self.about.name}: {sizes}>"

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates of all families."""
        return tuple(template for family in self.families for template in family.templates)


@dataclass(frozen=True)
class Sentence:
    """A sentence and the word in it whose vector is taken."""

    text: str
    """The sentence."""
    keyword: str
    """The word, as it is spelled inside a sentence."""
    start: int | None = field(default=None, repr=False)
    """Where the keyword begins; None for its first occurrence as a whole word."""

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the keyword, in characters; its case may differ at the start."""
        if self.start is not None:
            return self.start, self.start + len(self.keyword)
        letters = self.text.casefold()
        start = letters.find(self.keyword.casefold())
        while start >= 0:
            end = start + len(self.keyword)
            if not letters[max(start - 1, 0) : start].isalnum() and not letters[end : end + 1].isalnum():
                return start, end
            start = letters.find(self.keyword.casefold(), start + 1)
        raise InputError(f"{self.keyword!r} is not a word of {self.text!r}.")

    @property
    def marked(self) -> str:
        """The sentence with brackets around the keyword."""
        start, end = self.span
        return f"{self.text[:start]}[{self.text[start:end]}]{self.text[end:]}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Sentences(Named[tuple[Sentence, ...]]):
    """Sets of sentences by name."""

    about: About
    """Where the sentences come from."""
    sets: tuple[tuple[str, tuple[Sentence, ...]], ...]
    """The sets with their names."""
    comparisons: tuple[Comparison, ...] = ()
    """Comparisons of a published table, by the names of the sets."""

    noun: ClassVar[str] = "set of sentences"

    def _named(self) -> Mapping[str, tuple[Sentence, ...]]:
        return dict(self.sets)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} ({len(sentences)})" for name, sentences in self.sets)
        return f"<Sentences {self.about.name}: {sizes}>"
