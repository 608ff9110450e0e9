"""Two identities of one person: the forms of groups, every pair of groups, and the pairs that are left out.

The study that paired the ABC groups did not publish its list. This one is generated from forms and rules in a
data file (``abc-pairs.toml``): it contains every pair of the study's Table A10 as printed there, and a
reason for every pair left out.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import itertools
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crossroads.core.errors import DesignError, in_short, one_of
from crossroads.core.stimuli.grammar import article
from crossroads.core.stimuli.material import Group
from crossroads.core.stimuli.sets import About, FrozenDict, StimulusSet

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
        names = (first.name, second.name)
        return names in self.pairs or (self.kind == "pair" and names[::-1] in self.pairs)


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
        """Select these groups only, in this order."""
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


@dataclass(frozen=True, kw_only=True)
class PairedGroup:
    """Two groups of one person, in one order."""

    first: str
    """The group that the phrase names first."""
    second: str
    """The group that it names second."""
    domains: Pair
    """The domains of the two."""
    forms: FrozenDict[str, str]
    """``singular``, ``plural`` and ``capitalised`` plural, for templates."""
    ordered: bool = True
    """Whether the phrase has an order; *Latina* has none."""

    @property
    def name(self) -> str:
        """The singular, which is the name of the pair in results: ``"Catholic teenager"``."""
        return self.forms["singular"]

    @property
    def components(self) -> Pair:
        """The two groups, first and second."""
        return self.first, self.second

    @property
    def article(self) -> str:
        """``"a"`` or ``"an"``."""
        return article(self.name)

    @property
    def group(self) -> Group:
        """The pair as a group."""
        return Group(
            name=self.name,
            label=self.forms["plural"],
            categories=FrozenDict({"domain": " × ".join(self.domains)}),
            items=StimulusSet(self.forms["plural"], tuple(dict.fromkeys(self.forms.values()))),
            forms=self.forms,
        )


@dataclass(frozen=True, kw_only=True)
class ExcludedPair:
    """An ordered pair of groups that is left out."""

    first: str
    """The group that the phrase would name first."""
    second: str
    """The group that it would name second."""
    kind: str
    """Kind of the rule: ``domain``, ``pair``, ``order``, ``first``; ``form`` where there is no phrase."""
    reason: str
    """Why, in a sentence."""


def paired_groups(
    groups: Identities | Iterable[str] | str | Path | None = None, *, exclude: bool = True
) -> tuple[PairedGroup, ...]:
    """List every pair of groups in both orders, where it can be phrased, with its forms.

    Parameters
    ----------
    groups
        Names of catalogue groups, the path of a TOML file with groups of your own, or the result of
        :func:`~crossroads.traits.pairs.files.read_identities`; None for all of the catalogue.
    exclude
        Leave out the pairs that a rule excludes; :func:`excluded_pairs` lists them with reasons.

    Examples
    --------
    >>> [pair.name for pair in paired_groups(["Catholic", "teenager"])]
    ['Catholic teenager', 'teenage Catholic person']
    >>> [pair.name for pair in paired_groups(["Hispanic", "woman", "Cuban", "person with a disability"])][:4]
    ['Latina', 'Hispanic Cuban person', 'Hispanic person with a disability', 'female Cuban person']
    """
    known = _identities(groups)
    made = (_paired(known, first, second) for first, second in itertools.permutations(known.members, 2))
    pairs = [pair for pair in made if pair is not None]
    if exclude:
        left_out = {(pair.first, pair.second) for pair in _excluded(known)}
        pairs = [pair for pair in pairs if pair.components not in left_out]
    _check_names(pairs)
    return tuple(pairs)


def excluded_pairs(
    groups: Identities | Iterable[str] | str | Path | None = None,
) -> tuple[ExcludedPair, ...]:
    """List every ordered pair that is left out, with the reason.

    Examples
    --------
    >>> excluded_pairs(["teenager", "elderly"])[0].reason
    "Nobody is a teenager and elderly; the paper leaves out 'teenage elderly person'."
    """
    return _excluded(_identities(groups))


@functools.cache
def abc_identities() -> Identities:
    """The groups of the ABC study with the forms and rules of the catalogue."""
    from crossroads.traits.pairs.files import identities_from

    file = importlib.resources.files("crossroads.traits.pairs") / "abc-pairs.toml"
    return identities_from(tomllib.loads(file.read_text(encoding="utf-8")), Path("abc-pairs.toml"))


def _identities(groups: Identities | Iterable[str] | str | Path | None) -> Identities:
    if groups is None:
        return abc_identities()
    if isinstance(groups, Identities):
        return groups
    if isinstance(groups, str | Path):
        from crossroads.traits.pairs.files import read_identities

        return read_identities(groups)
    return abc_identities().select(groups)


def _excluded(known: Identities) -> tuple[ExcludedPair, ...]:
    found = []
    for first, second in itertools.permutations(known.members, 2):
        rule = _rule(known, first, second)
        if rule is not None:
            kind, reason = rule.kind, rule.reason
        elif _paired(known, first, second) is None:
            kind, reason = _without_form(known, first, second)
        else:
            continue
        found.append(ExcludedPair(first=first.name, second=second.name, kind=kind, reason=reason))
    return tuple(found)


def _rule(known: Identities, first: Identity, second: Identity) -> Rule | None:
    kept = any(rule.matches(first, second) for rule in known.keep)
    for rule in known.exclude:
        if rule.matches(first, second) and not (kept and rule.kind == "domain"):
            return rule
    return None


def _without_form(known: Identities, first: Identity, second: Identity) -> tuple[str, str]:
    for irregular in known.irregular:
        if irregular.groups == (second.name, first.name) and not irregular.ordered:
            return "form", f"'{irregular.forms[0]}' has no order and stands for both."
    return "form", f"The group {first.name!r} has no form that can come first."


def _paired(known: Identities, first: Identity, second: Identity) -> PairedGroup | None:
    """The pair in this order; None where it cannot be phrased in it."""
    names, ordered = (first.name, second.name), True
    forms: Pair | None = None
    for irregular in known.irregular:
        if irregular.groups == names:
            forms, ordered = irregular.forms, irregular.ordered
        elif irregular.groups == names[::-1] and not irregular.ordered:
            return None  # phrased once, in the order in which it is listed
    if forms is None:
        forms = _phrase(known, first, second)
    if forms is None:
        return None
    singular, plural = forms
    capitalised = plural[:1].upper() + plural[1:]
    return PairedGroup(
        first=first.name,
        second=second.name,
        domains=(first.domain, second.domain),
        forms=FrozenDict({"singular": singular, "plural": plural, "capitalised": capitalised}),
        ordered=ordered,
    )


def _phrase(known: Identities, first: Identity, second: Identity) -> Pair | None:
    """Adjective and noun, or noun and postmodifier, in singular and plural."""
    if second.after is not None and second.adjective is None:
        head = _head(known, first)
        return None if head is None else _joined(head, second.after)
    head = _head(known, second)
    if first.adjective is None or head is None:
        return None
    return _joined((first.adjective, first.adjective), head)


def _head(known: Identities, identity: Identity) -> Pair | None:
    if identity.noun is not None:
        return identity.noun
    return None if identity.adjective is None else _joined((identity.adjective,) * 2, known.person)


def _joined(left: Pair, right: Pair) -> Pair:
    return f"{left[0]} {right[0]}", f"{left[1]} {right[1]}"


def _check_names(pairs: Iterable[PairedGroup]) -> None:
    seen: dict[str, PairedGroup] = {}
    for pair in pairs:
        other = seen.setdefault(pair.name, pair)
        if other is not pair:
            raise DesignError(
                f"{pair.name!r} stands for {' and '.join(other.components)} and for "
                f"{' and '.join(pair.components)}.",
                hint="give the groups different forms, or leave one of the pairs out by a rule.",
            )
