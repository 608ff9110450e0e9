"""Conversion of names of groups and traits to those of the catalogue."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from crossroads.core.errors import UnknownNameError, nearest
from crossroads.core.stimuli import Groups, catalog

GROUPS, TRAITS = "abc-groups", "abc-traits"
_SPELLINGS = {"egoistic": "egotistic", "dominating": "dominant"}
_SLIP = 0.8
"""Similarity from which one name of a group may be a misspelling of another."""
_BETWEEN = frozenset({"to", "vs", "versus"})


class TraitName(NamedTuple):
    """A pair of traits, and whether its ends were written in reverse order."""

    name: str
    reversed: bool


def _key(name: str) -> str:
    """Letters and digits of any script, in lower case, with nothing between them."""
    words = [_SPELLINGS.get(word, word) for word in re.findall(r"[^\W_]+", name.casefold())]
    return "".join(word for word in words if word not in _BETWEEN)


@cache
def _groups() -> dict[str, str]:
    groups: Groups = catalog().groups(GROUPS)
    table: dict[str, str] = {}
    for group in groups.members:  # the name of a group takes precedence over any form of another
        table.setdefault(_key(group.name), group.name)
    for group in groups.members:
        for form in (group.label, group.human_label or group.name, *group.forms.values()):
            table.setdefault(_key(form), group.name)
        # the published tables write both "Christians" and "Christian people"
        for form in (f"{group.name} people", f"{group.name} person"):
            table.setdefault(_key(form), group.name)
    return table


@cache
def _traits() -> dict[str, TraitName]:
    table: dict[str, TraitName] = {}
    for pair in catalog().traits(TRAITS):
        for left, right, turned in ((pair.left, pair.right, False), (pair.right, pair.left, True)):
            table[_key(f"{left} {right}")] = TraitName(pair.name, turned)
    return table


def group_name(name: str) -> str:
    """The catalogue's name of a social group, for any of its forms; other groups keep their name.

    Examples
    --------
    >>> group_name("Blacks/African Americans"), group_name("women"), group_name("average people")
    ('Black', 'woman', 'average people')
    """
    stripped = " ".join(name.split())
    return _groups().get(_key(stripped), stripped)


def trait_name(name: str) -> TraitName:
    """The catalogue's name of a pair of traits, however its ends are joined.

    Examples
    --------
    >>> trait_name("egoistic - altruistic").name, trait_name("religious–science oriented").name
    ('egotistic-altruistic', 'religious-science-oriented')
    >>> trait_name("benevolent ↔ threatening")
    TraitName(name='threatening-benevolent', reversed=True)
    """
    found = _traits().get(_key(name))
    if found is None:
        known = [pair.name for pair in catalog().traits(TRAITS)]
        near = nearest(_key(name), _traits())
        hint = f"did you mean {_traits()[near[0]].name!r}?" if near else None
        raise UnknownNameError(
            "trait",
            name,
            known,
            hint=hint or "give both ends of a pair of catalog('abc-traits'), such as 'powerless-powerful'.",
        )
    return found


def own_trait(name: str) -> TraitName:
    """The name of a trait: that of the catalogue if it has one, otherwise as it is written."""
    return _traits().get(_key(name)) or TraitName(" ".join(name.split()), False)


def near_group(name: str, known: Iterable[str]) -> str | None:
    """The known group of which a name may be a misspelling; None if none is close."""
    table = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(name.casefold(), table, n=1, cutoff=_SLIP)
    return table[found[0]] if found else None
