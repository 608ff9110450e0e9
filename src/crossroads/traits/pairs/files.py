"""User-defined groups for pairs, read from TOML in the form of the catalogue's ``paired/abc-pairs.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crossroads.core.errors import DesignError, FormatError, in_short
from crossroads.core.stimuli.files.text import check_known, read_data
from crossroads.core.stimuli.grammar import number_of
from crossroads.core.stimuli.sets import About, Citation, word_fault
from crossroads.traits.pairs.material import Identities, Identity, Irregular, Pair, Rule

_KEYS = ("about", "person", "domains", "irregular", "exclude", "keep")
_FORMS = ("adjective", "noun", "after")
_KINDS = ("domain", "pair", "order", "first")


def read_identities(path: str | Path) -> Identities:
    """Read groups with their forms, and rules for pairing them, from a TOML file.

    Only ``[domains.NAME]`` is needed, with a line for each group: ``doctor = { adjective = "doctor", noun =
    ["doctor", "doctors"] }``. ``[[irregular]]``, ``[[exclude]]`` and ``[[keep]]`` are as in the catalogue.
    """
    file = Path(path)
    return identities_from(read_data(file, "a TOML file"), file)


def identities_from(data: Mapping[str, Any], file: Path) -> Identities:
    """Convert the contents of a file to groups and rules."""
    check_known("key", data, _KEYS, path=file)
    members = _members(data.get("domains"), file)
    names = [member.name for member in members]
    about = _about(data.get("about"), file)
    person = _table(data.get("person", {}), file, "person")
    check_known("key", person, ("noun",), path=file, key="person")
    return Identities(
        name=file.stem if about is None else about.name,
        members=members,
        person=_numbers(person["noun"], file, "person.noun") if person else ("person", "people"),
        irregular=tuple(_irregular(raw, names, file) for raw in _list(data, "irregular", file)),
        exclude=tuple(_rule(raw, members, file, "exclude") for raw in _list(data, "exclude", file)),
        keep=tuple(_rule(raw, members, file, "keep") for raw in _list(data, "keep", file)),
        about=about,
    )


def _members(domains: Any, file: Path) -> tuple[Identity, ...]:
    hint = 'give [domains.age] with lines such as teenager = { adjective = "teenage" }.'
    if not isinstance(domains, Mapping) or not domains:
        raise FormatError("there are no domains.", path=file, key="domains", hint=hint)
    members: dict[str, Identity] = {}
    for domain, groups in domains.items():
        for name, raw in _table(groups, file, f"domains.{domain}").items():
            key = f"domains.{domain}.{name}"
            if name in members:
                what = f"the group {in_short(name)} is also in the domain {in_short(members[name].domain)}."
                raise FormatError(what, path=file, key=key, hint="put each group into one domain.")
            members[name] = _identity(name, domain, _table(raw, file, key), file, key)
    if len(members) < 2:
        raise FormatError("there are fewer than two groups.", path=file, key="domains", hint=hint)
    return tuple(members.values())


def _identity(name: str, domain: str, raw: Mapping[str, Any], file: Path, key: str) -> Identity:
    check_known("key", raw, _FORMS, path=file, key=key)
    if "adjective" not in raw and ("after" not in raw or "noun" in raw):
        what = "a group needs an adjective, and a noun where it has one; or 'after' alone."
        hint = 'such as { adjective = "teenage", noun = ["teenager", "teenagers"] }.'
        raise FormatError(what, path=file, key=key, hint=hint)
    adjective = raw.get("adjective")
    if adjective is not None and word_fault(adjective) is not None:
        raise FormatError(
            f"{in_short(adjective)} {word_fault(adjective)}.", path=file, key=f"{key}.adjective"
        )
    noun = _numbers(raw["noun"], file, f"{key}.noun") if "noun" in raw else None
    after = _numbers(raw["after"], file, f"{key}.after", nouns=False) if "after" in raw else None
    return Identity(name=name, domain=domain, adjective=adjective, noun=noun, after=after)


def _numbers(value: Any, file: Path, key: str, *, nouns: bool = True) -> Pair:
    """Singular and plural, each of its number."""
    if not isinstance(value, list) or len(value) != 2 or any(word_fault(word) for word in value):
        hint = 'give singular and plural: ["teenager", "teenagers"].'
        raise FormatError(f"{in_short(value)} is not a pair of forms.", path=file, key=key, hint=hint)
    singular, plural = value
    if nouns:
        for form, other in ((singular, "plural"), (plural, "singular")):
            if number_of(form) == other:
                wanted = "singular" if other == "plural" else "plural"
                message = f"{in_short(form)} is given as the {wanted} and reads as {other}."
                raise FormatError(message, path=file, key=key, hint="give the singular, then the plural.")
    return singular, plural


def _irregular(raw: Any, names: Iterable[str], file: Path) -> Irregular:
    table = _table(raw, file, "irregular")
    check_known("key", table, ("groups", "forms", "ordered"), path=file, key="irregular")
    (pair,) = _pairs([table.get("groups")], list(names), file, "irregular.groups")
    forms = _numbers(table.get("forms"), file, "irregular.forms")
    ordered = table.get("ordered", True)
    if not isinstance(ordered, bool):
        what = f"{in_short(ordered)} is neither true nor false."
        raise FormatError(what, path=file, key="irregular.ordered")
    return Irregular(groups=pair, forms=forms, ordered=ordered)


def _rule(raw: Any, members: tuple[Identity, ...], file: Path, key: str) -> Rule:
    table = _table(raw, file, key)
    kind: Any = table.get("kind")
    reason = table.get("reason")
    kinds = _KINDS if key == "exclude" else ("pair", "order")
    check_known("kind", [kind], kinds, path=file, key=f"{key}.kind")
    about = "domains" if kind == "domain" else "groups"
    check_known("key", table, ("kind", "reason", about), path=file, key=key)
    if not isinstance(reason, str) or not reason.strip():
        raise FormatError("the rule has no reason.", path=file, key=f"{key}.reason", hint="give a sentence.")
    listed = table.get(about)
    if not isinstance(listed, list) or not listed:
        raise FormatError("the rule applies to nothing.", path=file, key=f"{key}.{about}")
    names = [member.name for member in members]
    if kind in ("pair", "order"):
        return Rule(kind=kind, pairs=_pairs(listed, names, file, f"{key}.groups"), reason=reason)
    known = names if kind == "first" else list(dict.fromkeys(member.domain for member in members))
    check_known("name", listed, known, path=file, key=f"{key}.{about}")
    return Rule(kind=kind, names=tuple(listed), reason=reason)


def _pairs(value: list[Any], names: list[str], file: Path, key: str) -> tuple[Pair, ...]:
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2 or pair[0] == pair[1]:
            hint = 'such as ["cis", "man"].'
            raise FormatError(f"{in_short(pair)} is not a pair of groups.", path=file, key=key, hint=hint)
        check_known("group", pair, names, path=file, key=key)
    return tuple((first, second) for first, second in value)


def _about(raw: Any, file: Path) -> About | None:
    if raw is None:
        return None
    said = _table(raw, file, "about")
    try:
        return About(
            name=str(said.get("name", file.stem)),
            kind="groups",
            title=str(said.get("title", "")),
            source=Citation(said.get("citation", file.name), said.get("doi")),
            licence=str(said.get("licence", "")),
            language=str(said.get("language", "en")),
            table=str(said.get("table", "")),
            departures=tuple(said.get("departures", ())),
        )
    except DesignError as error:
        raise FormatError(error.message, path=file, key="about", hint=error.hint) from error


def _table(value: Any, file: Path, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FormatError(f"expected a table, found {type(value).__name__}.", path=file, key=key)
    return value


def _list(data: Mapping[str, Any], key: str, file: Path) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise FormatError(f"expected [[{key}]].", path=file, key=key)
    return value
