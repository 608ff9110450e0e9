"""What is asked for, made definite: groups, traits and templates of the catalogue, of files, or as given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.errors import InputError, UnknownNameError
from crossroads.extraction.prompt_files import read_groups, read_templates, read_traits
from crossroads.stimuli.catalog import catalog
from crossroads.stimuli.groups import Groups
from crossroads.stimuli.templates import Template, Templates
from crossroads.stimuli.traits import Trait, Traits

_GROUPS, _TRAITS, _TEMPLATES = "abc-groups", "abc-traits", "abc-templates"
FILES = (".toml", ".json", ".csv", ".txt")
"""Endings of files that hold groups, traits or templates."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Whom and what a probe asks about."""

    groups: tuple[Any, ...]
    """Things with a name and forms: groups, or paired groups."""
    noun: Mapping[str, str] | None
    """Forms of the noun for nobody in particular, if the groups come with one."""
    traits: tuple[Trait, ...]
    """Pairs of opposite adjectives."""
    templates: tuple[str, ...]
    """Texts of the templates."""


def asked_material(groups: Any = None, traits: Any = None, templates: Any = None) -> Asked:
    """Resolve what :func:`crossroads.extraction.probing.probe` was given.

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
    """
    members, noun = _groups(groups)
    return Asked(groups=members, noun=noun, traits=_traits(traits), templates=_templates(templates))


def _groups(given: Any) -> tuple[tuple[Any, ...], Mapping[str, str] | None]:
    known = catalog().groups(_GROUPS)
    if given is None:
        given = known
    if isinstance(given, Groups):
        return given.members, None if given.prior is None else given.prior.forms
    noun: Mapping[str, str] | None = None
    found: list[Any] = []
    for one in _several(given, "groups"):
        if _is_file(one):
            read = read_groups(one)
            found += read.groups
            noun = read.noun or noun
        elif isinstance(one, str):
            found.append(known[one])
        elif hasattr(one, "forms") and hasattr(one, "name"):
            found.append(one)
        else:
            raise InputError(f"{one!r} is no group.", hint="give names of groups, or groups with forms.")
    if not found:
        raise InputError("there are no groups.", hint="name at least one.")
    return tuple(found), noun or (known.prior.forms if known.prior else None)


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
            raise InputError(f"{one!r} is no pair of traits.", hint='give ("cold", "warm").')
    if not found:
        raise InputError("there are no traits.", hint="name at least one pair.")
    return tuple(found)


def _templates(given: Any) -> tuple[str, ...]:
    known = catalog().templates(_TEMPLATES)
    if given is None or isinstance(given, Templates):
        return tuple(template.text for template in (given or known).templates)
    found: list[str] = []
    for one in _several(given, "templates"):
        if isinstance(one, Template):
            found.append(one.text)
        elif isinstance(one, str) and "{" in one:
            found.append(one)
        elif _is_file(one):
            found += read_templates(one)
        elif isinstance(one, str) and (one in known or " " not in one):
            found += [template.text for template in known[one].templates]
        else:
            raise InputError(
                f"{one!r} is no template: it has no place for group and trait.",
                hint="write {singular}, {plural} or {capitalised}, and {trait}; or name a family.",
            )
    return tuple(found)


def _several(given: Any, name: str) -> list[Any]:
    if isinstance(given, str | Path):
        return [given]
    if not isinstance(given, Iterable):
        raise InputError(f"{name} is {given!r}.", hint="give a list, or the name of a file.")
    return list(given)


def _is_file(one: Any) -> bool:
    return isinstance(one, Path) or (isinstance(one, str) and one.lower().endswith(FILES))
