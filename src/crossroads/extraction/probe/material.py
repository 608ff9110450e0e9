"""Resolution of groups, traits and templates: of the catalogue, of files, or as given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from crossroads.errors import InputError, UnknownNameError, in_short
from crossroads.extraction.probe.files import read_groups, read_templates, read_traits
from crossroads.extraction.probe.prompts import Prior, group_rows, template_places
from crossroads.stimuli.catalogue.lookup import catalog
from crossroads.stimuli.grammar import disagreements
from crossroads.stimuli.material import Groups, Template, Templates, Trait, Traits

_GROUPS, _TRAITS, _TEMPLATES = "abc-groups", "abc-traits", "abc-templates"
FILES = (".toml", ".json", ".csv", ".txt")
"""Endings of files that hold groups, traits or templates."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Groups, traits and templates of a probe."""

    groups: tuple[Any, ...]
    """Things with a name and forms: groups, or paired groups."""
    noun: Mapping[str, str] | None
    """Forms of the generic noun (the prior), if the groups have one."""
    traits: tuple[Trait, ...]
    """Pairs of opposite adjectives."""
    templates: tuple[str, ...]
    """Texts of the templates."""


def selected_material(groups: Any = None, traits: Any = None, templates: Any = None) -> Selection:
    """Resolve the arguments of :func:`crossroads.extraction.probe.run.probe`.

    Parameters
    ----------
    groups
        ``None`` for the groups of the ABC study; :class:`Groups`; a file; or a list of groups, paired groups
        and names of the study's groups.
    traits
        ``None`` for the study's sixteen pairs; :class:`Traits`; a file; or a list of traits, pairs of
        adjectives and names such as ``"powerless-powerful"``.
    templates
        ``None`` for the study's 35 templates; :class:`Templates`; a file; or a list of templates, texts and
        names of the study's families.

    Notes
    -----
    Users' own English templates have to agree with the groups in article and number; those of the
    catalogue are as published.
    """
    members, noun, foreign = _groups(groups)
    _check_groups(members)
    pairs = _traits(traits)
    _check_traits(pairs)
    texts, own = _templates(templates)
    _check_own(own, [group for group in members if group.name not in foreign])
    return Selection(groups=members, noun=noun, traits=pairs, templates=texts)


def _check_groups(groups: tuple[Any, ...]) -> None:
    for group in groups:
        if not str(group.name).strip():
            raise InputError(f"a group has the name {in_short(group.name)}.", hint="give every group a name.")
        if group.name in get_args(Prior):
            raise InputError(
                f"a group is named {in_short(group.name)}, as a prior is.",
                hint="give the group another name.",
            )
    group_rows(groups)


def _check_traits(traits: tuple[Trait, ...]) -> None:
    seen: set[str] = set()
    for pair in traits:
        if not pair.left.strip() or not pair.right.strip():
            raise InputError(
                f"the pair {in_short(pair.name)} lacks an adjective.", hint='give ("cold", "warm").'
            )
        if pair.left == pair.right:
            raise InputError(
                f"left and right of a pair are both {in_short(pair.left)}.",
                hint="give two opposite adjectives.",
            )
        if pair.name in seen:
            raise InputError(f"the pair {in_short(pair.name)} is given twice.", hint="name each one once.")
        seen.add(pair.name)


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
    better = "repair the form or the template."
    if first.correction is not None:
        better = f"it should be {in_short(first.correction)}."
    raise InputError(f"{subject}.{more}", hint=better)


def _groups(given: Any) -> tuple[tuple[Any, ...], Mapping[str, str] | None, set[str]]:
    """The groups, the generic noun, and the names of groups in another language."""
    known = catalog().groups(_GROUPS)
    if given is None:
        given = known
    if isinstance(given, Groups):
        return given.members, None if given.prior is None else given.prior.forms, set()
    noun: Mapping[str, str] | None = None
    found: list[Any] = []
    foreign: set[str] = set()
    for one in _several(given, "groups"):
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
    if not found:
        raise InputError("there are no groups.", hint="name at least one.")
    return tuple(found), noun or (known.prior.forms if known.prior else None), foreign


def _traits(given: Any) -> tuple[Trait, ...]:
    known = catalog().traits(_TRAITS)
    if given is None or isinstance(given, Traits):
        return (given or known).pairs
    by_name = {pair.name: pair for pair in known}
    found: list[Trait] = []
    for one in _several(given, "traits"):
        if _is_file(one):
            found += read_traits(one)
        elif isinstance(one, Trait):
            found.append(one)
        elif isinstance(one, str):
            if one not in by_name:
                raise UnknownNameError("pair of traits", one, by_name)
            found.append(by_name[one])
        elif isinstance(one, tuple | list) and len(one) == 2 and all(isinstance(w, str) for w in one):
            found.append(Trait(left=one[0], right=one[1], scale="", human_key=f"{one[0]} - {one[1]}"))
        else:
            raise InputError(f"{in_short(one)} is not a pair of traits.", hint='give ("cold", "warm").')
    if not found:
        raise InputError("there are no traits.", hint="name at least one pair.")
    return tuple(found)


def _templates(given: Any) -> tuple[tuple[str, ...], list[str]]:
    """Texts of the templates, and those of them that are users' own and English."""
    known = catalog().templates(_TEMPLATES)
    if given is None:
        given = known
    if isinstance(given, Templates):
        published = given.about.name in catalog().of_kind("templates")
        given = given.templates
        if published:
            return tuple(template.text for template in given), []
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
            read = read_templates(one)
            found += read.templates
            own += read.templates if read.english else ()
        elif isinstance(one, str) and (one in known or " " not in one):
            found += [template.text for template in known[one].templates]
        else:
            raise InputError(
                f"{in_short(one)} is not a template: it has no place for group and trait.",
                hint="write {singular}, {plural} or {capitalised}, and {trait}; or name a family.",
            )
    return tuple(found), own


def _several(given: Any, name: str) -> list[Any]:
    if isinstance(given, str | Path):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{name} is {in_short(given)}.", hint="give a list, or the name of a file.")
    return list(given)


def _is_file(one: Any) -> bool:
    return isinstance(one, Path) or (isinstance(one, str) and one.lower().endswith(FILES))
