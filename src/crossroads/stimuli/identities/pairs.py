"""Two identities of one person: every pair of groups, its phrase, and the pairs that are left out.

The study that paired the ABC groups did not publish its list. This one is generated from forms and rules in a
data file (``paired/abc-pairs.toml``): it contains every pair of the study's Table A10 as printed there, and a
reason for every pair left out.
"""

from __future__ import annotations

import functools
import importlib.resources
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crossroads.errors import DesignError
from crossroads.stimuli.frozen import FrozenDict
from crossroads.stimuli.grammar import article
from crossroads.stimuli.groups import Group
from crossroads.stimuli.identities.forms import Identities, Identity, Pair, Rule
from crossroads.stimuli.sets import StimulusSet


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
        :func:`~crossroads.stimuli.identities.files.read_identities`; None for all of the catalogue.
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

    Parameters
    ----------
    groups
        As in :func:`paired_groups`.

    Examples
    --------
    >>> excluded_pairs(["teenager", "elderly"])[0].reason
    "Nobody is a teenager and elderly; the paper leaves out 'teenage elderly person'."
    """
    return _excluded(_identities(groups))


@functools.cache
def abc_identities() -> Identities:
    """The groups of the ABC study with the forms and rules of the catalogue."""
    from crossroads.stimuli.identities.files import identities_from

    file = importlib.resources.files("crossroads.stimuli.identities") / "abc-pairs.toml"
    return identities_from(file.read_text(encoding="utf-8"), Path("abc-pairs.toml"))


def _identities(groups: Identities | Iterable[str] | str | Path | None) -> Identities:
    if groups is None:
        return abc_identities()
    if isinstance(groups, Identities):
        return groups
    if isinstance(groups, str | Path):
        from crossroads.stimuli.identities.files import read_identities

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
    asked, ordered = (first.name, second.name), True
    forms: Pair | None = None
    for irregular in known.irregular:
        if irregular.groups == asked:
            forms, ordered = irregular.forms, irregular.ordered
        elif irregular.groups == asked[::-1] and not irregular.ordered:
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
