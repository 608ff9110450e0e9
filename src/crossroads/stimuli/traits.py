"""Pairs of opposite traits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from crossroads.errors import UnknownNameError
from crossroads.stimuli.about import About


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
        """The pair that the human data call by this name."""
        for pair in self.pairs:
            if pair.human_key == key:
                return pair
        raise UnknownNameError("trait of the human data", key, [pair.human_key for pair in self.pairs])
