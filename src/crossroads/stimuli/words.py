"""Lists of words by category and kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from crossroads.errors import UnknownNameError
from crossroads.stimuli.about import About
from crossroads.stimuli.frozen import FrozenDict, Named
from crossroads.stimuli.sets import StimulusSet


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
