"""Groups, traits and templates of a probe: of the catalogue, as given, or of users' own files.

===========  =====================================================================================
groups       TOML or JSON with ``[domains.NAME]`` (or ``[groups]``), each group a table with ``singular`` and
             ``plural``, and optionally ``[prior]``; or CSV with the columns group, singular, plural
traits       TOML or JSON with ``[[trait]]``: ``left``, ``right``, optionally ``scale``, ``left_synonyms`` and
             ``right_synonyms``; or CSV with the columns left, right
templates    one per line in a text file; TOML or JSON with ``templates = [...]`` or ``[families.NAME]``
===========  =====================================================================================

English forms are checked for number and articles; a file that says ``language = "de"`` is not, nor is one
with letters beyond ASCII. A key that nothing reads is an error; ``[about]`` may describe the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, get_args

from crossroads.core.errors import FormatError, InputError, in_short, join_words, one_of
from crossroads.core.stimuli.catalogue.index import catalog
from crossroads.core.stimuli.files.text import check_known, read_data, read_text, table_errors
from crossroads.core.stimuli.grammar import check_agreement, disagreements
from crossroads.core.stimuli.material import Group, Groups, Template, Templates, Trait
from crossroads.core.stimuli.sets import FrozenDict, StimulusSet
from crossroads.traits.probe.evidence import listed, trait_of
from crossroads.traits.probe.prompts import Prior, check_distinct, group_rows, template_places

_GROUPS, _TRAITS, _TEMPLATES = "abc-groups", "abc-traits", "abc-templates"
FILES = (".toml", ".json", ".csv", ".txt")
"""Endings of files that hold groups, traits or templates."""
_GROUP_HINT = 'give [groups] with lines such as teacher = { singular = "teacher", plural = "teachers" }.'
_TRAIT_HINT = 'give [[trait]] with left = "cold" and right = "warm".'


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Groups, traits and templates of a probe."""

    groups: tuple[Any, ...]
    """Things with a name and forms: groups, or paired groups."""
    noun: Mapping[str, str] | None
    """Forms of the generic noun (the prior), if the groups have one."""
    traits: tuple[Trait, ...]
    templates: tuple[str, ...]


def selected_material(groups: Any = None, traits: Any = None, templates: Any = None) -> Selection:
    """Resolve the arguments of :func:`~crossroads.probe`; by default they are those of the ABC study."""
    members, noun, foreign = _groups(groups)
    pairs = _traits(traits)
    texts, own = _templates(templates)
    _check_own(own, [group for group in members if group.name not in foreign])
    return Selection(groups=members, noun=noun, traits=pairs, templates=texts)


def _check_own(templates: list[str], groups: list[Any]) -> None:
    """Raise if own English templates and groups do not agree; those beyond ASCII are not checked."""
    english = [group for group in groups if all(form.isascii() for form in group.forms.values())]
    found = disagreements(templates, english) if english and templates else ()
    if not found:
        return
    first, more = found[0], f" {len(found) - 1} more do not agree." if len(found) > 1 else ""
    subject = f"{in_short(first.text)} {first.fault}"
    if first.template:
        of_group = f" with the group {in_short(first.group)}" if first.group else ""
        subject = f"the template {in_short(first.template)}{of_group}: {subject}"
    better = "fix the form or the template."
    if first.correction is not None:
        better = f"it should be {in_short(first.correction)}."
    raise InputError(f"{subject}.{more}", hint=better)


def _groups(given: Any) -> tuple[tuple[Any, ...], Mapping[str, str] | None, set[str]]:
    """The groups, the generic noun, and the names of groups in another language."""
    known, foreign = catalog().groups(_GROUPS), set[str]()
    whole = given if isinstance(given, Groups) else known
    noun: Mapping[str, str] | None = None if whole.prior is None else whole.prior.forms
    members: Iterable[Any] = whole.members
    if given is not None and given is not whole:
        members = _several(given, "groups")
    found: list[Any] = []
    for one in members:
        if _is_file(one):
            read = read_groups(one)
            found += read.groups
            noun = read.noun or noun
            foreign |= set() if read.english else {group.name for group in read.groups}
        elif isinstance(one, str):
            found.append(known[one])
        elif hasattr(one, "forms") and hasattr(one, "name"):
            found.append(one)
        else:
            raise InputError(
                f"{in_short(one)} is not a group.", hint="give names of groups, or groups with forms."
            )
    for group in found:
        if not str(group.name).strip():
            raise InputError(f"a group has the name {in_short(group.name)}.", hint="give every group a name.")
        if group.name in get_args(Prior):
            raise InputError(f"a group is named {in_short(group.name)}, as a prior is.", hint="rename it.")
    if not found:
        raise InputError("there are no groups.", hint="name at least one.")
    group_rows(found)
    return tuple(found), noun, foreign


def _traits(given: Any) -> tuple[Trait, ...]:
    known = catalog().traits(_TRAITS)
    by_name = {pair.name: pair for pair in known}
    found: list[Trait] = []
    for one in _several(known if given is None else given, "traits"):
        if _is_file(one):
            found += read_traits(one)
        else:
            name = isinstance(one, str)
            found.append(by_name[one_of("pair of traits", one, by_name)] if name else trait_of(one))
    if not found:
        raise InputError("there are no traits.", hint="name at least one pair.")
    for pair in found:
        if not pair.left.strip() or not pair.right.strip():
            lacking = f"the pair {in_short(pair.name)} lacks an adjective."
            raise InputError(lacking, hint='give ("cold", "warm").')
        if pair.left == pair.right:
            both = f"left and right of a pair are both {in_short(pair.left)}."
            raise InputError(both, hint="give two opposite adjectives.")
    check_distinct("pair", [pair.name for pair in found])
    return tuple(found)


def _templates(given: Any) -> tuple[tuple[str, ...], list[str]]:
    """Texts of the templates, and those of them that are users' own and English."""
    known = catalog().templates(_TEMPLATES)
    if given is None:
        given = known
    if isinstance(given, Templates):
        if given.about.name in catalog().of_kind("templates"):
            return tuple(template.text for template in given.templates), []
        given = given.templates
    found: list[str] = []
    own: list[str] = []
    for one in _several(given, "templates"):
        if isinstance(one, Template) or (isinstance(one, str) and "{" in one):
            text = one.text if isinstance(one, Template) else one
            template_places(text)
            found.append(text)
            if text.isascii() and not any(one is template for template in known.templates):
                own.append(text)
        elif _is_file(one):
            texts, english = read_templates(one)
            found += texts
            own += texts if english else ()
        elif isinstance(one, str) and (one in known or " " not in one):
            found += [template.text for template in known[one].templates]
        else:
            raise InputError(
                f"{in_short(one)} is not a template: it has no place for group and trait.",
                hint="write {singular}, {plural} or {capitalised}, and {trait}; or name a family.",
            )
    return tuple(found), own


def _several(given: Any, name: str) -> list[Any]:
    return [given] if isinstance(given, str | Path) else listed(given, name)


def _is_file(one: Any) -> bool:
    return isinstance(one, Path) or (isinstance(one, str) and one.lower().endswith(FILES))


class GroupFile(NamedTuple):
    """The content of a file of groups."""

    groups: tuple[Group, ...]
    noun: Mapping[str, str] | None
    """Forms of the generic noun (the prior), if the file has one."""
    english: bool
    """Whether the forms are checked against English grammar."""


def read_groups(path: str | Path) -> GroupFile:
    """Read groups with the forms of a noun."""
    file = Path(path)
    keys = ("about", "domains", "groups", "language", "prior")
    data = _document(file, ("group", "singular", "plural"), keys)
    own = _named_rows(data["rows"], file) if "rows" in data else data.get("groups")
    raw = _table(data["domains"], file, "domains") if "domains" in data else {"": own}
    groups = []
    for domain, members in raw.items():
        key = f"domains.{domain}" if domain else "groups"
        for name, forms in _table(members, file, key, _GROUP_HINT).items():
            if not name.strip():
                raise FormatError("a group has no name.", path=file, key=key, hint=_GROUP_HINT)
            written = _forms(forms, file, f"{key}.{name}")
            groups.append(
                Group(
                    name=name,
                    label=written["plural"],
                    categories=FrozenDict({"domain": domain} if domain else {}),
                    items=StimulusSet(written["plural"], tuple(dict.fromkeys(written.values()))),
                    forms=FrozenDict(written),
                )
            )
    if not groups:
        raise FormatError("there are no groups.", path=file, hint=_GROUP_HINT)
    noun = _forms(data["prior"], file, "prior") if "prior" in data else None
    return GroupFile(tuple(groups), noun, _check_language(file, data, [], groups))


def read_traits(path: str | Path) -> tuple[Trait, ...]:
    """Read pairs of opposite adjectives."""
    file = Path(path)
    data = _document(file, ("left", "right"), ("about", "language", "trait", "variants"))
    rows = data.get("rows", data.get("trait"))
    if not isinstance(rows, list) or not rows:
        raise FormatError("there are no traits.", path=file, key="trait", hint=_TRAIT_HINT)
    closed = "rows" not in data  # a CSV file may have more columns
    return tuple(_trait(row, file, f"trait {number}", closed) for number, row in enumerate(rows, 1))


def read_templates(path: str | Path) -> tuple[tuple[str, ...], bool]:
    """Read templates with places for group and trait, and whether they are checked as English."""
    file = Path(path)
    if file.suffix.lower() not in (".toml", ".json"):
        text = read_text(file, "a text file with one template per line")
        lines = [line.strip() for line in text.splitlines()]
        found = [line for line in lines if line and not line.startswith("#")]
        data: Mapping[str, Any] = {}
    else:
        data = _document(file, (), ("about", "families", "language", "templates", "variants"))
        families = _table(data.get("families", {}), file, "families")
        lists = [data.get("templates", [])]
        for name, one in families.items():
            key = f"families.{name}"
            check_known("key", _table(one, file, key), ("templates", "use"), path=file, key=key)
            lists.append(one.get("templates"))
        if not all(isinstance(one, list) and all(isinstance(t, str) for t in one) for one in lists):
            raise FormatError("templates must be a list of texts.", path=file, key="templates")
        found = [text for one in lists for text in one]
    if not found:
        hint = "write one per line, such as {plural} are {trait}."
        raise FormatError("there are no templates.", path=file, hint=hint)
    for text in found:
        try:
            template_places(text)
        except InputError as error:
            raise FormatError(error.message, path=file, hint=error.hint) from error
    return tuple(found), _check_language(file, data, found, [])


def _named_rows(rows: list[dict[str, Any]], file: Path) -> dict[str, dict[str, Any]]:
    """The lines of a CSV file of groups by the name of the group."""
    found: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, 1):
        name = (row["group"] or "").strip()
        if not name:
            raise FormatError(f"the group of row {number} has no name.", path=file, hint=_GROUP_HINT)
        if name in found:
            twice = f"the group {in_short(name)} is given twice, again in row {number}."
            raise FormatError(twice, path=file, hint="keep one line for each group.")
        found[name] = {form: row[form] for form in ("singular", "plural")}
    return found


def _forms(value: Any, file: Path, key: str) -> dict[str, str]:
    forms = _table(value, file, key, _GROUP_HINT)
    check_known("key", forms, ("singular", "plural", "capitalised", "human"), path=file, key=key)
    for form in ("singular", "plural"):
        if not isinstance(forms.get(form), str) or not forms[form].strip():
            raise FormatError(f"there is no {form}.", path=file, key=key, hint=_GROUP_HINT)
    plural = forms["plural"]
    capitalised = forms.get("capitalised") or plural[:1].upper() + plural[1:]
    return {"singular": forms["singular"], "plural": plural, "capitalised": str(capitalised)}


def _trait(value: Any, file: Path, key: str, closed: bool) -> Trait:
    row = _table(value, file, key, _TRAIT_HINT)
    if closed:
        check_known("key", row, [*Trait.__dataclass_fields__], path=file, key=key)
    for side in ("left", "right"):
        if not isinstance(row.get(side), str) or not row[side].strip():
            raise FormatError(f"there is no {side} adjective.", path=file, key=key, hint=_TRAIT_HINT)
    synonyms = {}
    for name in ("left_synonyms", "right_synonyms"):
        words = row.get(name, [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise FormatError(f"{name} must be a list of words.", path=file, key=key)
        synonyms[name] = tuple(words)
    left, right = row["left"].strip(), row["right"].strip()
    if left == right:
        raise FormatError(f"left and right are both {in_short(left)}.", path=file, key=key, hint=_TRAIT_HINT)
    return Trait(
        left=left, right=right, scale=str(row.get("scale") or ""), human_key=f"{left} - {right}", **synonyms
    )


def _check_language(file: Path, data: Mapping[str, Any], templates: list[str], groups: list[Group]) -> bool:
    """Whether a file is English; English forms that do not agree are an error."""
    texts = [*templates, *(form for group in groups for form in group.forms.values())]
    if data.get("language", "en") != "en" or not all(text.isascii() for text in texts):
        return False
    try:
        check_agreement(templates, groups)
    except InputError as error:
        raise FormatError(error.message, path=file, hint=error.hint) from error
    return True


def _document(file: Path, columns: tuple[str, ...], keys: tuple[str, ...]) -> Mapping[str, Any]:
    """A file as a table of known keys; a CSV file becomes ``rows``."""
    expected = "a TOML, JSON or CSV file"
    if file.suffix.lower() != ".csv":
        data = _table(read_data(file, expected), file, "")
        check_known("key", data, keys, path=file)
        return data
    with table_errors(file):
        rows = list(csv.DictReader(read_text(file, expected).splitlines()))
    missing = [name for name in columns if not rows or name not in rows[0]]
    if missing:
        raise FormatError(f"there is no column {join_words(missing, last='or')}.", path=file)
    return {"rows": rows}


def _table(value: Any, file: Path, key: str, hint: str | None = None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FormatError(
            f"expected a table, found {type(value).__name__}.", path=file, key=key or None, hint=hint
        )
    return value
