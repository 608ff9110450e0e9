"""What people said of groups in a publication: mean ratings on pairs of traits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from crossroads.stimuli.about import About
from crossroads.stimuli.frozen import FrozenDict, Named

Means = FrozenDict[str, FrozenDict[str, float]]
"""Group to trait to mean."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Ratings(Named[Mapping[str, Mapping[str, float]]]):
    """Mean ratings of groups on pairs of traits, by who gave them.

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
