"""Two identities of one person: the forms of groups, every pair of groups, and the pairs that are left out.

The study that paired the ABC groups did not publish its list. This one is generated from forms and rules in a
data file (``abc-pairs.toml``): it contains every pair of the study's Table A10 as printed there, and a
reason for every pair left out. Users' own groups are read from a TOML file of the same form.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from crossroads.core.errors import DesignError, FormatError, in_short, one_of
from crossroads.core.stimuli.files.text import check_known, read_data
from crossroads.core.stimuli.grammar import number_of
from crossroads.core.stimuli.sets import FrozenDict, word_fault

Pair = tuple[str, str]
"""Two groups by name, in an order."""
_KEYS = ("about", "person", "domains", "irregular", "exclude", "keep")
_FORMS = ("adjective", "noun", "after")
_KINDS = ("domain", "pair", "order", "first")
_NO_GROUPS = 'give [domains.age] with lines such as teenager = { adjective = "teenage" }.'


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The forms in which a group enters a phrase about two groups."""

    name: str
    domain: str
    adjective: str | None = None
    """The word before a noun: ``"teenage"``; None for a group that can only follow."""
    noun: Pair | None = None
    """Singular and plural of the noun: ``("teenager", "teenagers")``; None for adjective and person."""
    after: Pair | None = None
    """Singular and plural of a phrase after a noun: ``("with a disability", "with disabilities")``."""


@dataclass(frozen=True, kw_only=True)
class Irregular:
    """A pair with an irregular form, such as *Latina*; without an order it stands for both orders."""

    groups: Pair
    forms: Pair
    ordered: bool = True


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Pairs to leave out, or to keep although a domain is left out; and why, in a sentence."""

    kind: str
    """``domain``, ``pair`` (both orders), ``order`` (this one only) or ``first`` (groups before others)."""
    names: tuple[str, ...] = ()
    """Domains, or the groups that may not come first."""
    pairs: tuple[Pair, ...] = ()
    reason: str

    def matches(self, first: Identity, second: Identity) -> bool:
        """Whether the rule applies to these two in this order."""
        if self.kind == "domain":
            return first.domain == second.domain and first.domain in self.names
        if self.kind == "first":
            return first.name in self.names
        names = (first.name, second.name)
        return names in self.pairs or (self.kind == "pair" and names[::-1] in self.pairs)


@dataclass(frozen=True, kw_only=True)
class Identities:
    """Groups with their forms, and rules for pairing them."""

    members: tuple[Identity, ...]
    person: Pair = ("person", "people")
    """The noun after an adjective, in singular and plural."""
    irregular: tuple[Irregular, ...] = ()
    exclude: tuple[Rule, ...] = ()
    keep: tuple[Rule, ...] = ()
    """Pairs that are kept although a rule about domains excludes them."""


@dataclass(frozen=True, kw_only=True)
class PairedGroup:
    """Two groups of one person, in the order in which the phrase names them, and their domains."""

    first: str
    second: str
    domains: Pair
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


class ExcludedPair(NamedTuple):
    """An ordered pair of groups that is left out, and why, in a sentence."""

    first: str
    second: str
    kind: str
    """Kind of the rule: ``domain``, ``pair``, ``order``, ``first``; ``form`` where there is no phrase."""
    reason: str


def paired_groups(
    groups: Identities | Iterable[str] | str | Path | None = None, *, exclude: bool = True
) -> tuple[PairedGroup, ...]:
    """List every pair of groups in both orders, where it can be phrased, with its forms.

    Parameters
    ----------
    groups
        Names of catalogue groups, the path of a TOML file with groups of your own, or the result of
        :func:`read_identities`; None for all of the catalogue.
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
    seen: dict[str, PairedGroup] = {}
    for first, second in itertools.permutations(known.members, 2):
        pair = _paired(known, first, second)
        if pair is None or (exclude and _rule(known, first, second) is not None):
            continue
        if pair.name in seen:
            both = (" and ".join(one.components) for one in (seen[pair.name], pair))
            raise DesignError(
                f"{pair.name!r} stands for {' and for '.join(both)}.",
                hint="give the groups different forms, or leave one of the pairs out by a rule.",
            )
        seen[pair.name] = pair
    return tuple(seen.values())


def excluded_pairs(groups: Identities | Iterable[str] | str | Path | None = None) -> tuple[ExcludedPair, ...]:
    """List every ordered pair that is left out, with the reason.

    Examples
    --------
    >>> excluded_pairs(["teenager", "elderly"])[0].reason
    "Nobody is a teenager and elderly; the paper leaves out 'teenage elderly person'."
    """
    known, found = _identities(groups), []
    for first, second in itertools.permutations(known.members, 2):
        if (rule := _rule(known, first, second)) is not None:
            found.append(ExcludedPair(first.name, second.name, rule.kind, rule.reason))
        elif _paired(known, first, second) is None:
            reason = f"The group {first.name!r} has no form that can come first."
            for one in known.irregular:
                if one.groups == (second.name, first.name) and not one.ordered:
                    reason = f"'{one.forms[0]}' has no order and stands for both."
            found.append(ExcludedPair(first.name, second.name, "form", reason))
    return tuple(found)


@functools.cache
def abc_identities() -> Identities:
    """The groups of the ABC study with the forms and rules of the catalogue."""
    return read_identities(Path(__file__).with_name("abc-pairs.toml"))


def read_identities(path: str | Path) -> Identities:
    """Read groups with their forms, and rules for pairing them, from a TOML file.

    Only ``[domains.NAME]`` is needed, with a line for each group: ``doctor = { adjective = "doctor", noun =
    ["doctor", "doctors"] }``. ``[[irregular]]``, ``[[exclude]]`` and ``[[keep]]`` are as in the catalogue.
    """
    return _Reader(Path(path)).identities()


def _identities(groups: Identities | Iterable[str] | str | Path | None) -> Identities:
    if isinstance(groups, Identities):
        return groups
    if isinstance(groups, str | Path):
        return read_identities(groups)
    every = abc_identities()
    known = {member.name: member for member in every.members}
    chosen = list(known if groups is None else groups)
    for name in chosen:
        one_of("group", name, known)
        if chosen.count(name) > 1:
            raise DesignError(f"the group {in_short(name)} is given twice.", hint="name each one once.")
    if len(chosen) < 2:
        raise DesignError(f"a pair needs two groups; {chosen or 'none'} given.", hint="name two or more.")
    return replace(every, members=tuple(known[name] for name in chosen))


def _rule(known: Identities, first: Identity, second: Identity) -> Rule | None:
    kept = any(rule.matches(first, second) for rule in known.keep)
    rules = (rule for rule in known.exclude if rule.matches(first, second))
    return next((rule for rule in rules if not (kept and rule.kind == "domain")), None)


def _paired(known: Identities, first: Identity, second: Identity) -> PairedGroup | None:
    """The pair in this order; None where it cannot be phrased in it."""
    names = (first.name, second.name)
    forms, ordered = _phrase(known, first, second), True
    for irregular in known.irregular:
        if irregular.groups == names:
            forms, ordered = irregular.forms, irregular.ordered
        elif irregular.groups == names[::-1] and not irregular.ordered:
            return None  # phrased once, in the order in which it is listed
    if forms is None:
        return None
    singular, plural = forms
    named = {"singular": singular, "plural": plural, "capitalised": plural[:1].upper() + plural[1:]}
    return PairedGroup(
        first=first.name,
        second=second.name,
        domains=(first.domain, second.domain),
        forms=FrozenDict(named),
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


@dataclass(frozen=True)
class _Reader:
    """Reads the contents of a file; errors name the file and the key."""

    file: Path

    def identities(self) -> Identities:
        data = self._table(read_data(self.file, "a TOML file"), "", _KEYS)
        members = self._members(data.get("domains"))
        person = self._table(data.get("person", {}), "person", ("noun",))
        return Identities(
            members=members,
            person=self._forms(person["noun"], "person.noun") if person else ("person", "people"),
            irregular=tuple(self._irregular(raw, members) for raw in self._list(data, "irregular")),
            exclude=tuple(self._rule(raw, members, "exclude") for raw in self._list(data, "exclude")),
            keep=tuple(self._rule(raw, members, "keep") for raw in self._list(data, "keep")),
        )

    def _fault(self, message: str, key: str, hint: str | None = None) -> FormatError:
        return FormatError(message, path=self.file, key=key, hint=hint)

    def _table(self, value: Any, key: str, known: Sequence[str] | None = None) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise self._fault(f"expected a table, found {type(value).__name__}.", key)
        if known is not None:
            self._check("key", value, known, key)
        return value

    def _list(self, data: Mapping[str, Any], key: str) -> list[Any]:
        value = data.get(key, [])
        if not isinstance(value, list):
            raise self._fault(f"expected [[{key}]].", key)
        return value

    def _check(self, kind: str, names: Iterable[Any], known: Sequence[str], key: str) -> None:
        check_known(kind, names, known, path=self.file, key=key or None)

    def _members(self, domains: Any) -> tuple[Identity, ...]:
        if not isinstance(domains, Mapping) or not domains:
            raise self._fault("there are no domains.", "domains", _NO_GROUPS)
        members: dict[str, Identity] = {}
        for domain, groups in domains.items():
            for name, raw in self._table(groups, f"domains.{domain}").items():
                key = f"domains.{domain}.{name}"
                if name in members:
                    other = in_short(members[name].domain)
                    what = f"the group {in_short(name)} is also in the domain {other}."
                    raise self._fault(what, key, "put each group into one domain.")
                members[name] = self._identity(name, domain, self._table(raw, key, _FORMS), key)
        if len(members) < 2:
            raise self._fault("there are fewer than two groups.", "domains", _NO_GROUPS)
        return tuple(members.values())

    def _identity(self, name: str, domain: str, raw: Mapping[str, Any], key: str) -> Identity:
        if "adjective" not in raw and ("after" not in raw or "noun" in raw):
            what = "a group needs an adjective, and a noun where it has one; or 'after' alone."
            hint = 'such as { adjective = "teenage", noun = ["teenager", "teenagers"] }.'
            raise self._fault(what, key, hint)
        adjective = raw.get("adjective")
        if adjective is not None and (fault := word_fault(adjective)) is not None:
            raise self._fault(f"{in_short(adjective)} {fault}.", f"{key}.adjective")
        noun = self._forms(raw["noun"], f"{key}.noun") if "noun" in raw else None
        after = self._forms(raw["after"], f"{key}.after", nouns=False) if "after" in raw else None
        return Identity(name=name, domain=domain, adjective=adjective, noun=noun, after=after)

    def _forms(self, value: Any, key: str, *, nouns: bool = True) -> Pair:
        """Singular and plural, each of its number."""
        if not isinstance(value, list) or len(value) != 2 or any(word_fault(word) for word in value):
            hint = 'give singular and plural: ["teenager", "teenagers"].'
            raise self._fault(f"{in_short(value)} is not a pair of forms.", key, hint)
        for form, wanted, other in zip(value, ("singular", "plural"), ("plural", "singular"), strict=True):
            if nouns and number_of(form) == other:
                what = f"{in_short(form)} is given as the {wanted} and reads as {other}."
                raise self._fault(what, key, "give the singular, then the plural.")
        return value[0], value[1]

    def _irregular(self, raw: Any, members: Sequence[Identity]) -> Irregular:
        table = self._table(raw, "irregular", ("groups", "forms", "ordered"))
        (pair,) = self._pairs([table.get("groups")], members, "irregular.groups")
        forms, ordered = self._forms(table.get("forms"), "irregular.forms"), table.get("ordered", True)
        if not isinstance(ordered, bool):
            raise self._fault(f"{in_short(ordered)} is neither true nor false.", "irregular.ordered")
        return Irregular(groups=pair, forms=forms, ordered=ordered)

    def _rule(self, raw: Any, members: Sequence[Identity], key: str) -> Rule:
        kind: Any = self._table(raw, key).get("kind")
        self._check("kind", [kind], _KINDS if key == "exclude" else ("pair", "order"), f"{key}.kind")
        about = "domains" if kind == "domain" else "groups"
        table = self._table(raw, key, ("kind", "reason", about))
        reason, listed, place = table.get("reason"), table.get(about), f"{key}.{about}"
        if not isinstance(reason, str) or not reason.strip():
            raise self._fault("the rule has no reason.", f"{key}.reason", "give a sentence.")
        if not isinstance(listed, list) or not listed:
            raise self._fault("the rule applies to nothing.", place)
        if kind in ("pair", "order"):
            return Rule(kind=kind, pairs=self._pairs(listed, members, place), reason=reason)
        known = dict.fromkeys(one.name if kind == "first" else one.domain for one in members)
        self._check("name", listed, list(known), place)
        return Rule(kind=kind, names=tuple(listed), reason=reason)

    def _pairs(self, value: list[Any], members: Sequence[Identity], key: str) -> tuple[Pair, ...]:
        for pair in value:
            if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
                raise self._fault(
                    f"{in_short(pair)} is not a pair of groups.", key, 'such as ["cis", "man"].'
                )
            self._check("group", pair, [member.name for member in members], key)
        return tuple((first, second) for first, second in value)
