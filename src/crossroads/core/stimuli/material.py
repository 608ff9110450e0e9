"""Groups, traits, ratings, word lists, templates and sentences, as the catalogue publishes them."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, overload

from crossroads.core.errors import InputError, join_words
from crossroads.core.stimuli.sets import About, FrozenDict, Named, StimulusSet


@dataclass(frozen=True, kw_only=True)
class Group:
    """One social group."""

    name: str
    """Short name, such as ``"AF"`` or ``"teenager"``."""
    label: str
    """The group in words."""
    categories: FrozenDict[str, str]
    """The categories it belongs to, such as ``{"race": "African American", "gender": "female"}``."""
    items: StimulusSet
    """Words that represent the group: names, or the distinct forms of the noun."""
    forms: FrozenDict[str, str] = field(default_factory=FrozenDict)
    """``singular``, ``plural`` and ``capitalised`` plural, for templates; empty for groups given by names."""
    omitted: FrozenDict[str, str] = field(default_factory=FrozenDict)
    """Names of the source that are not used, with the reason."""
    human_label: str | None = None
    """The label of the group in the human data; None if it was not rated."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two groups and a concept that are compared in a published table."""

    name: str
    """Name of the comparison."""
    group1: str
    """The first group, or set of sentences."""
    group2: str
    """The second group, or set of sentences."""
    concept: str
    """The concept, or set of sentences about it."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Groups(Named[Group]):
    """Social groups by name.

    Examples
    --------
    >>> from crossroads.core.stimuli import catalog
    >>> groups = catalog().groups("ceat-groups")
    >>> groups["AF"].items[0], groups["AF"].categories["race"]
    ('Aisha', 'African American')
    """

    about: About
    """Where the groups come from."""
    members: tuple[Group, ...]
    """The groups, in the order of the publication."""
    prior: Group | None = None
    """A neutral noun (person, people), where scores need it."""
    comparisons: tuple[Comparison, ...] = ()
    """Comparisons of a published table; their concepts are word lists of the same publication."""

    noun: ClassVar[str] = "group"

    def _named(self) -> Mapping[str, Group]:
        return {group.name: group for group in self.members}

    def __repr__(self) -> str:
        return f"<Groups {self.about.name}: {', '.join(self)}>"

    @property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """Every category with its values, such as race and gender with theirs."""
        found: dict[str, dict[str, None]] = {}
        for group in self.members:
            for category, value in group.categories.items():
                found.setdefault(category, {})[value] = None
        return {category: tuple(values) for category, values in found.items()}

    def table(self) -> dict[tuple[str, ...], StimulusSet]:
        """The groups by the values of their categories, such as ``("African American", "female")``."""
        names = tuple(self.categories)
        rows = {
            tuple(group.categories[name] for name in names): group.items
            for group in self.members
            if all(name in group.categories for name in names)
        }
        if len(rows) < len(self.members):
            message = f"the groups of {self.about.name!r} are not distinguished by {', '.join(names)}."
            raise InputError(message, hint="a table needs one group for each combination of categories.")
        return rows


@dataclass(frozen=True, kw_only=True)
class Trait:
    """Two opposite adjectives; a score is that of the right one minus that of the left one."""

    left: str
    """The adjective at the low end, such as ``"powerless"``."""
    right: str
    """The adjective at the high end, such as ``"powerful"``."""
    scale: str
    """The scale: ``Agency``, ``Beliefs`` or ``Communion`` in the ABC model."""
    human_key: str
    """The name of the pair in the human data, such as ``"egoistic - altruistic"``."""
    left_synonyms: tuple[str, ...] = ()
    """Words close to the left adjective."""
    right_synonyms: tuple[str, ...] = ()
    """Words close to the right adjective."""

    @property
    def name(self) -> str:
        """The pair in the order of the scores: ``"powerless-powerful"``."""
        return f"{self.left}-{self.right}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Traits(Sequence[Trait]):
    """Pairs of opposite traits, in order.

    Examples
    --------
    >>> from crossroads.core.stimuli import catalog
    >>> traits = catalog().traits("abc-traits")
    >>> len(traits), traits[0].name, len(traits.adjectives)
    (16, 'powerless-powerful', 32)
    """

    about: About
    """Where the traits come from."""
    pairs: tuple[Trait, ...]
    """The pairs, in the order of the publication."""

    @overload
    def __getitem__(self, index: int) -> Trait: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Trait, ...]: ...
    def __getitem__(self, index: int | slice) -> Trait | tuple[Trait, ...]:
        return self.pairs[index]

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"<Traits {self.about.name}: {', '.join(pair.name for pair in self.pairs)}>"

    @property
    def adjectives(self) -> tuple[str, ...]:
        """Every adjective once: left and right of each pair."""
        return tuple(dict.fromkeys(word for pair in self.pairs for word in (pair.left, pair.right)))


Means = FrozenDict[str, FrozenDict[str, float]]
"""Group to trait to mean."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Ratings(Named[Mapping[str, Mapping[str, float]]]):
    """Mean ratings of groups on pairs of traits, by group of annotators.

    Ratings run from 0 (left adjective of a pair) to 100 (right adjective).

    Examples
    --------
    >>> from crossroads.core.stimuli import catalog
    >>> ratings = catalog().ratings("abc-annotators")
    >>> list(ratings), ratings.groups
    (['White', 'Black', 'White male', 'White female'], ('woman', 'man', 'White', 'Black'))
    >>> ratings["Black"]["woman"]["cold-warm"]
    87.5
    """

    about: About
    """Where the ratings come from."""
    groups: tuple[str, ...]
    """The groups that were rated, in the order of the publication."""
    traits: tuple[str, ...]
    """The pairs of traits, left end first, in the order of the publication."""
    means: FrozenDict[str, Means]
    """Annotators to group to trait to mean."""
    tables: FrozenDict[str, str]
    """The table in which the ratings by each group of annotators are printed."""

    noun: ClassVar[str] = "group of annotators"

    def _named(self) -> Mapping[str, Means]:
        return self.means

    def __repr__(self) -> str:
        size = f"{len(self.groups)} groups on {len(self.traits)} traits"
        return f"<Ratings {self.about.name}: {size} by {', '.join(self)} annotators>"


@dataclass(frozen=True, kw_only=True, repr=False)
class WordLists(Named[Mapping[str, StimulusSet]]):
    """Word lists by category, and within a category by kind.

    Examples
    --------
    >>> from crossroads.core.stimuli import catalog
    >>> lists = catalog().words("ceat-validation")
    >>> len(lists.all_words), list(lists["AM"]["emergent"])
    (98, ['darkskinned', 'hypersexual', 'rapper'])
    """

    about: About
    """Where the lists come from."""
    lists: FrozenDict[str, FrozenDict[str, StimulusSet]]
    """Category to kind to words."""

    noun: ClassVar[str] = "category of words"

    def _named(self) -> Mapping[str, Mapping[str, StimulusSet]]:
        return self.lists

    def __repr__(self) -> str:
        return f"<WordLists {self.about.name}: {len(self.all_words)} words, {', '.join(self)}>"

    @property
    def all_words(self) -> tuple[str, ...]:
        """Every word once, in the order of the lists."""
        sets = (words for kinds in self.lists.values() for words in kinds.values())
        return tuple(dict.fromkeys(word for words in sets for word in words))


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
        if missing := [repr(slot) for slot in self.slots if slot not in values]:
            hint = f"given: {', '.join(values) or 'nothing'}."
            raise InputError(f"the template {self.text!r} needs {join_words(missing)}.", hint=hint)
        sentence = self.text.format(**values)
        begins_open = self.text.startswith("{") and not self.text.endswith("}")  # as a sentence does
        return sentence[:1].upper() + sentence[1:] if begins_open else sentence


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
        alone = rf"(?<![^\W_]){re.escape(self.keyword)}(?![^\W_])"
        if (found := re.search(alone, self.text, re.IGNORECASE)) is None:
            raise InputError(f"{self.keyword!r} is not a word of {self.text!r}.")
        return found.span()

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
