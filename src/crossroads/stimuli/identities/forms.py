"""Forms of groups in phrases about two groups of one person, and rules for pairing them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from crossroads.errors import DesignError, in_short, one_of
from crossroads.stimuli.about import About
from crossroads.stimuli.frozen import FrozenDict

Pair = tuple[str, str]
"""Two groups by name, in an order."""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The forms in which a group enters a phrase about two groups."""

    name: str
    """Name of the group, as in the scores of single groups."""
    domain: str
    """The domain it belongs to."""
    adjective: str | None = None
    """The word before a noun: ``"teenage"``; None for a group that can only follow."""
    noun: Pair | None = None
    """Singular and plural of the noun: ``("teenager", "teenagers")``; None for adjective and person."""
    after: Pair | None = None
    """Singular and plural of a phrase after a noun: ``("with a disability", "with disabilities")``."""


@dataclass(frozen=True, kw_only=True)
class Irregular:
    """A pair with an irregular form, such as *Latina*."""

    groups: Pair
    """The two groups, in the order of the phrase where it has one."""
    forms: Pair
    """Singular and plural."""
    ordered: bool = True
    """Whether the phrase has an order; one without replaces both."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Pairs to leave out, or to keep although a domain is left out."""

    kind: str
    """``domain``, ``pair`` (both orders), ``order`` (this one only) or ``first`` (groups before others)."""
    names: tuple[str, ...] = ()
    """Domains, or the groups that may not come first."""
    pairs: tuple[Pair, ...] = ()
    """The pairs of a rule about pairs."""
    reason: str
    """Why, in a sentence."""

    def matches(self, first: Identity, second: Identity) -> bool:
        """Whether the rule applies to these two in this order."""
        if self.kind == "domain":
            return first.domain == second.domain and first.domain in self.names
        if self.kind == "first":
            return first.name in self.names
        asked = (first.name, second.name)
        return asked in self.pairs or (self.kind == "pair" and asked[::-1] in self.pairs)


@dataclass(frozen=True, kw_only=True, repr=False)
class Identities:
    """Groups with their forms, and rules for pairing them."""

    name: str
    """Short name."""
    members: tuple[Identity, ...]
    """The groups."""
    person: Pair = ("person", "people")
    """The noun after an adjective, in singular and plural."""
    irregular: tuple[Irregular, ...] = ()
    """Pairs with irregular forms."""
    exclude: tuple[Rule, ...] = ()
    """Pairs that are left out."""
    keep: tuple[Rule, ...] = ()
    """Pairs that are kept although a rule about domains excludes them."""
    about: About | None = field(default=None, compare=False)
    """Where the groups come from; None for user-defined groups."""

    def __repr__(self) -> str:
        return f"<Identities {self.name}: {', '.join(member.name for member in self.members)}>"

    @property
    def domains(self) -> Mapping[str, str]:
        """The domain of each group."""
        return FrozenDict({member.name: member.domain for member in self.members})

    def select(self, groups: Iterable[str]) -> Identities:
        """Select these groups only, in this order.

        Parameters
        ----------
        groups
            Names, each once.
        """
        known = {member.name: member for member in self.members}
        if isinstance(groups, str):
            raise DesignError(f"the groups are one string, {in_short(groups)}.", hint="give a list of names.")
        chosen = list(groups)
        for name in chosen:
            one_of("group", name, known)
            if chosen.count(name) > 1:
                raise DesignError(
                    f"the group {in_short(name)} is given twice.", hint="name every group once."
                )
        if len(chosen) < 2:
            raise DesignError(f"a pair needs two groups; {chosen or 'none'} given.", hint="name two or more.")
        return dataclasses.replace(self, members=tuple(known[name] for name in chosen))
