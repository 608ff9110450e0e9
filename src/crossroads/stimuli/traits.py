"""Pairs of opposite traits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

from crossroads.errors import UnknownNameError
from crossroads.stimuli.about import About
from crossroads.stimuli.frozen import FrozenDict, Named
from crossroads.stimuli.sets import StimulusSet


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
    >>> from crossroads.stimuli import catalog
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

    def __iter__(self) -> Iterator[Trait]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"<Traits {self.about.name}: {', '.join(pair.name for pair in self.pairs)}>"

    @property
    def adjectives(self) -> tuple[str, ...]:
        """Every adjective once: left and right of each pair."""
        return tuple(dict.fromkeys(word for pair in self.pairs for word in (pair.left, pair.right)))

    @property
    def synonyms(self) -> dict[str, tuple[str, ...]]:
        """Every adjective with the words close to it."""
        table = {pair.left: pair.left_synonyms for pair in self.pairs}
        return table | {pair.right: pair.right_synonyms for pair in self.pairs}

    @property
    def scales(self) -> dict[str, tuple[Trait, ...]]:
        """The pairs by scale."""
        names = dict.fromkeys(pair.scale for pair in self.pairs)
        return {name: tuple(pair for pair in self.pairs if pair.scale == name) for name in names}

    def by_human_key(self, key: str) -> Trait:
        """Find a pair by its name in the human data."""
        for pair in self.pairs:
            if pair.human_key == key:
                return pair
        raise UnknownNameError("trait of the human data", key, [pair.human_key for pair in self.pairs])


Means = FrozenDict[str, FrozenDict[str, float]]
"""Group to trait to mean."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Ratings(Named[Mapping[str, Mapping[str, float]]]):
    """Mean ratings of groups on pairs of traits, by group of annotators.

    Ratings run from 0 (left adjective of a pair) to 100 (right adjective).

    Examples
    --------
    >>> from crossroads.stimuli import catalog
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
    >>> from crossroads.stimuli import catalog
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
    def kinds(self) -> tuple[str, ...]:
        """Every kind of list, once."""
        return tuple(dict.fromkeys(kind for kinds in self.lists.values() for kind in kinds))

    @property
    def all_words(self) -> tuple[str, ...]:
        """Every word once, in the order of the lists."""
        return tuple(
            dict.fromkeys(word for kinds in self.lists.values() for words in kinds.values() for word in words)
        )

    def of_kind(self, kind: str) -> dict[str, StimulusSet]:
        """The lists of one kind by category."""
        if kind not in self.kinds:
            raise UnknownNameError("kind of word list", kind, self.kinds)
        return {category: kinds[kind] for category, kinds in self.lists.items() if kind in kinds}
