"""Social groups and the words that represent them in texts: given names, or the forms of a noun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from crossroads.errors import InputError, one_of
from crossroads.stimuli.about import About
from crossroads.stimuli.frozen import FrozenDict, Named
from crossroads.stimuli.sets import StimulusSet


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

    @property
    def in_human_study(self) -> bool:
        """Whether people rated the group."""
        return self.human_label is not None


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
    >>> from crossroads.stimuli import catalog
    >>> groups = catalog().groups("ceat-groups")
    >>> groups["AF"].items[0], groups["AF"].categories["race"]
    ('Aisha', 'African American')
    >>> [group.name for group in groups.where(gender="female")]
    ['AF', 'EF', 'MF']
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

    def where(self, **categories: str) -> tuple[Group, ...]:
        """The groups that belong to the given categories: ``where(race="Black")``."""
        for category, value in categories.items():
            one_of("category", category, self.categories)
            one_of(category, value, self.categories[category])
        return tuple(
            group
            for group in self.members
            if all(group.categories.get(category) == value for category, value in categories.items())
        )

    def table(self) -> dict[tuple[str, ...], StimulusSet]:
        """The groups by the values of their categories, such as ``("African American", "female")``."""
        names = tuple(self.categories)
        rows = {
            tuple(group.categories[name] for name in names): group.items
            for group in self.members
            if all(name in group.categories for name in names)
        }
        if len(rows) < len(self.members):
            raise InputError(
                f"the groups of {self.about.name!r} are not distinguished by {', '.join(names)}.",
                hint="a table needs one group for each combination of categories.",
            )
        return rows

    def constituents(self, category: str) -> dict[str, StimulusSet]:
        """All words that represent each value of one category, such as all names of women and of men."""
        one_of("category", category, self.categories)
        return {
            value: StimulusSet(
                value,
                tuple(
                    dict.fromkeys(item for group in self.where(**{category: value}) for item in group.items)
                ),
            )
            for value in self.categories[category]
        }
