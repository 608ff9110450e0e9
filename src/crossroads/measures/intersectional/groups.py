"""Tables of intersectional groups, from any accepted form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crossroads.errors import DesignError, UnknownNameError, in_short, join_words
from crossroads.stimuli import Groups, StimulusSet

Key = tuple[str, ...]
"""A group by its subcategories, one for each category: ``("African American", "female")``."""


@dataclass(frozen=True, kw_only=True)
class GroupTable:
    """Intersectional groups by their subcategories."""

    categories: tuple[str, ...]
    """Names of the categories."""
    names: Mapping[Key, tuple[str, ...]]
    """The names that stand for each group."""
    labels: Mapping[Key, str]
    """Name of each group in results."""

    def find(self, target: str | Iterable[str]) -> Key:
        """Find a group by its label or its subcategories."""
        if not isinstance(target, Iterable):
            raise DesignError(
                f"the target is {in_short(target)}.", hint="give the label of a group, or its subcategories."
            )
        asked = target if isinstance(target, str) else " / ".join(map(str, target))
        for key, label in self.labels.items():
            if asked.casefold() in (label.casefold(), " / ".join(key).casefold(), "/".join(key).casefold()):
                return key
        known = (*self.labels.values(), *(" / ".join(key) for key in self.names))
        raise UnknownNameError("group", asked, dict.fromkeys(known))

    def union(self, category: int, value: str) -> tuple[str, ...]:
        """All names of one subcategory: the union of the intersectional groups that it contains."""
        return tuple(name for key, names in self.names.items() if key[category] == value for name in names)

    def siblings(self, category: int, value: str) -> tuple[str, ...]:
        """The other subcategories of a category."""
        values = dict.fromkeys(key[category] for key in self.names)
        return tuple(other for other in values if other != value)


def group_table(groups: Groups | Mapping[Any, Any]) -> GroupTable:
    """Convert a table of groups from any accepted form.

    Parameters
    ----------
    groups
        Groups of the catalogue; or a mapping of subcategories to names, ``{("Black", "female"): [...]}``;
        or nested mappings in which each level is a category, ``{"Black": {"female": [...]}}``; or
        category to subcategory to names, ``{"race": {"Black": [...]}, "gender": {"female": [...]}}``, where
        each name is listed once under every category, and groups are the names that two subcategories share.

    Examples
    --------
    >>> table = group_table({"Black": {"female": ["Aisha"], "male": ["Jamal"]}})
    >>> table.find("black/male"), table.union(0, "Black")
    (('Black', 'male'), ('Aisha', 'Jamal'))
    """
    if isinstance(groups, Groups):
        table: dict[Key, Any] = dict(groups.table())
        categories = tuple(groups.categories)
        short = {tuple(g.categories[c] for c in categories): g.name for g in groups.members}
    elif not hasattr(groups, "items") or not groups:
        raise DesignError(
            f"the groups are of type {type(groups).__name__}.",
            hint="give a mapping such as {('Black', 'female'): ['Aisha', ...], ...}.",
        )
    else:
        table, categories = _from_mapping(groups)
        short = {key: " / ".join(key) for key in table}
    names = {key: tuple(StimulusSet.of(words, short[key])) for key, words in table.items()}
    _check(names, short)
    return GroupTable(categories=categories, names=names, labels=short)


def _from_mapping(groups: Mapping[Any, Any]) -> tuple[dict[Key, Any], tuple[str, ...]]:
    if any(isinstance(key, tuple) for key in groups):
        table = {
            tuple(map(str, key)) if isinstance(key, tuple) else (str(key),): words
            for key, words in groups.items()
        }
        return table, _numbered(table)
    flat = _flattened(groups)
    if not flat:
        raise DesignError("the groups contain no names.", hint="give the names that stand for each group.")
    if len(groups) > 1 and all(len(key) == 2 for key in flat):
        covered: dict[str, set[str]] = {str(category): set() for category in groups}
        for (category, _), names in flat.items():
            covered[category].update(names)
        first, *others = covered.values()
        if all(names == first for names in others):
            return _crossed(flat), tuple(covered)
    return flat, _numbered(flat)


def _numbered(table: Mapping[Key, Any]) -> tuple[str, ...]:
    return tuple(f"category {i + 1}" for i in range(len(next(iter(table)))))


def _flattened(groups: Mapping[Any, Any], above: Key = ()) -> dict[Key, StimulusSet]:
    found: dict[Key, StimulusSet] = {}
    for key, value in groups.items():
        here = (*above, str(key))
        if isinstance(value, Mapping):
            found.update(_flattened(value, here))
        else:
            found[here] = StimulusSet.of(value, " / ".join(here))
    return found


def _crossed(parts: Mapping[Key, Iterable[str]]) -> dict[Key, list[str]]:
    """Groups as the names that are listed under one subcategory of every category."""
    place: dict[str, dict[str, str]] = {}
    for (category, value), names in parts.items():
        for name in names:
            if category in place.setdefault(name, {}):
                raise DesignError(
                    f"{in_short(name)} is listed under two subcategories of {in_short(category)}.",
                    hint="put each name under one subcategory of every category.",
                )
            place[name][category] = value
    table: dict[Key, list[str]] = {}
    for name, values in place.items():
        table.setdefault(tuple(values.values()), []).append(name)
    return table


def _check(names: Mapping[Key, tuple[str, ...]], labels: Mapping[Key, str]) -> None:
    if len({len(key) for key in names}) > 1:
        shown = join_words([" / ".join(key) for key in names], most=4)
        raise DesignError(
            f"the groups do not have the same number of categories: {shown}.",
            hint="name one subcategory of every category for each group.",
        )
    if len(names) < 2:
        raise DesignError(
            f"there is one group, {next(iter(labels.values()))!r}.", hint="give at least two to compare."
        )
    if "words" in labels.values() or len(set(labels.values())) < len(labels):
        raise DesignError(
            f"groups are called {join_words(map(in_short, labels.values()), most=4)}.",
            hint="give each group its own name; 'words' is reserved for the candidates.",
        )
    owner: dict[str, str] = {}
    for key, words in names.items():
        for word in words:
            if word in owner:
                first, second = in_short(owner[word]), in_short(labels[key])
                raise DesignError(
                    f"the groups {first} and {second} share the name {in_short(word)}.",
                    hint="a name can stand for one group only: remove it from one of them, or from both.",
                )
            owner[word] = labels[key]
