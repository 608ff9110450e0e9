"""Files of users' own groups, traits and templates.

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
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossroads.errors import FormatError, InputError, in_short, join_words, nearest
from crossroads.extraction.probe.prompts import template_places
from crossroads.stimuli.files.text import load_json, load_toml, read_text
from crossroads.stimuli.grammar import check_agreement
from crossroads.stimuli.material import Group, Trait
from crossroads.stimuli.sets import FrozenDict, StimulusSet

_GROUP_HINT = 'give [groups] with lines such as teacher = { singular = "teacher", plural = "teachers" }.'
_TRAIT_HINT = 'give [[trait]] with left = "cold" and right = "warm".'
_GROUP_KEYS = ("about", "domains", "groups", "language", "prior")
_TRAIT_KEYS = ("about", "language", "trait", "variants")
_TEMPLATE_KEYS = ("about", "families", "language", "templates", "variants")
_FAMILY_KEYS = ("templates", "use")
_FORM_KEYS = ("singular", "plural", "capitalised", "human")
_PAIR_KEYS = ("left", "right", "scale", "left_synonyms", "right_synonyms", "human_key")


@dataclass(frozen=True, kw_only=True)
class GroupFile:
    """The content of a file of groups."""

    groups: tuple[Group, ...]
    """The groups, in the order of the file."""
    noun: Mapping[str, str] | None
    """Forms of the generic noun (the prior), if the file has one."""
    english: bool
    """Whether the forms are checked against English grammar."""


@dataclass(frozen=True, kw_only=True)
class TemplateFile:
    """The content of a file of templates."""

    templates: tuple[str, ...]
    """Texts of the templates, in the order of the file."""
    english: bool
    """Whether they are checked against English grammar."""


def read_groups(path: str | Path) -> GroupFile:
    """Read groups with the forms of a noun."""
    file = Path(path)
    data = _document(file, ("group", "singular", "plural"))
    raw: Mapping[str, Any]
    if "rows" in data:
        raw = {"": _named_rows(data["rows"], file)}
    else:
        _known(data, _GROUP_KEYS, file, "")
        raw = _table(data["domains"], file, "domains") if "domains" in data else {"": data.get("groups")}
    groups = []
    for domain, members in raw.items():
        key = f"domains.{domain}" if domain else "groups"
        for name, forms in _table(members, file, key, _GROUP_HINT).items():
            if not name.strip():
                raise FormatError("a group has no name.", path=file, key=key, hint=_GROUP_HINT)
            groups.append(_group(name, domain, _forms(forms, file, f"{key}.{name}")))
    if not groups:
        raise FormatError("there are no groups.", path=file, hint=_GROUP_HINT)
    noun = _forms(data["prior"], file, "prior") if "prior" in data else None
    english = _check_language(file, data, [], groups)
    return GroupFile(groups=tuple(groups), noun=noun, english=english)


def read_traits(path: str | Path) -> tuple[Trait, ...]:
    """Read pairs of opposite adjectives."""
    file = Path(path)
    data = _document(file, ("left", "right"))
    if "rows" not in data:
        _known(data, _TRAIT_KEYS, file, "")
    rows = data.get("rows", data.get("trait"))
    if not isinstance(rows, list) or not rows:
        raise FormatError("there are no traits.", path=file, key="trait", hint=_TRAIT_HINT)
    closed = "rows" not in data  # a CSV file may have more columns
    return tuple(_trait(row, file, f"trait {number}", closed) for number, row in enumerate(rows, 1))


def read_templates(path: str | Path) -> TemplateFile:
    """Read templates with places for group and trait."""
    file = Path(path)
    if file.suffix.lower() not in (".toml", ".json"):
        text = read_text(file, "a text file with one template per line")
        lines = [line.strip() for line in text.splitlines()]
        found = [line for line in lines if line and not line.startswith("#")]
        data: dict[str, Any] = {}
    else:
        data = _document(file, ())
        _known(data, _TEMPLATE_KEYS, file, "")
        families = _table(data.get("families", {}), file, "families")
        lists = [data.get("templates", [])]
        for name, one in families.items():
            _known(_table(one, file, f"families.{name}"), _FAMILY_KEYS, file, f"families.{name}")
            lists.append(one.get("templates"))
        if not all(isinstance(one, list) and all(isinstance(t, str) for t in one) for one in lists):
            raise FormatError("templates must be a list of texts.", path=file, key="templates")
        found = [text for one in lists for text in one]
    if not found:
        raise FormatError(
            "there are no templates.", path=file, hint="write one per line, such as {plural} are {trait}."
        )
    for text in found:
        try:
            template_places(text)
        except InputError as error:
            raise FormatError(error.message, path=file, hint=error.hint) from error
    return TemplateFile(templates=tuple(found), english=_check_language(file, data, found, []))


def _named_rows(rows: list[dict[str, Any]], file: Path) -> dict[str, dict[str, Any]]:
    """The lines of a CSV file of groups by the name of the group."""
    found: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, 1):
        name = (row["group"] or "").strip()
        if not name:
            raise FormatError(f"the group of row {number} has no name.", path=file, hint=_GROUP_HINT)
        if name in found:
            raise FormatError(
                f"the group {in_short(name)} is given twice, again in row {number}.",
                path=file,
                hint="keep one line for each group.",
            )
        found[name] = {form: row[form] for form in ("singular", "plural")}
    return found


def _group(name: str, domain: str, forms: Mapping[str, str]) -> Group:
    return Group(
        name=name,
        label=forms["plural"],
        categories=FrozenDict({"domain": domain} if domain else {}),
        items=StimulusSet(forms["plural"], tuple(dict.fromkeys(forms.values()))),
        forms=FrozenDict(forms),
    )


def _forms(value: Any, file: Path, key: str) -> dict[str, str]:
    forms = _table(value, file, key, _GROUP_HINT)
    _known(forms, _FORM_KEYS, file, key)
    for form in ("singular", "plural"):
        if not isinstance(forms.get(form), str) or not forms[form].strip():
            raise FormatError(f"there is no {form}.", path=file, key=key, hint=_GROUP_HINT)
    plural = forms["plural"]
    capitalised = forms.get("capitalised") or plural[:1].upper() + plural[1:]
    return {"singular": forms["singular"], "plural": plural, "capitalised": str(capitalised)}


def _trait(value: Any, file: Path, key: str, closed: bool) -> Trait:
    row = _table(value, file, key, _TRAIT_HINT)
    if closed:
        _known(row, _PAIR_KEYS, file, key)
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


def _known(table: Mapping[str, Any], known: tuple[str, ...], file: Path, key: str) -> None:
    for name in table:
        if name not in known:
            near = nearest(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}."
            place = f"{key}.{name}" if key else name
            raise FormatError(f"unknown key {in_short(name)}.", path=file, key=place, hint=hint)


def _document(file: Path, columns: tuple[str, ...]) -> dict[str, Any]:
    """A file as a table; a CSV file becomes ``rows``."""
    text, ending = read_text(file, "a TOML, JSON or CSV file"), file.suffix.lower()
    try:
        if ending == ".csv":
            rows = list(csv.DictReader(text.splitlines()))
            missing = [name for name in columns if not rows or name not in rows[0]]
            if missing:
                raise FormatError(f"there is no column {join_words(missing, last='or')}.", path=file)
            return {"rows": rows}
        data = load_json(text, file) if ending == ".json" else load_toml(text, file)
    except json.JSONDecodeError as error:
        raise FormatError(f"{error.msg}.", path=file, line=error.lineno) from error
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{error}.", path=file) from error
    except csv.Error as error:
        raise FormatError(f"{error}.", path=file) from error
    return dict(_table(data, file, ""))


def _table(value: Any, file: Path, key: str, hint: str | None = None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FormatError(
            f"expected a table, found {type(value).__name__}.", path=file, key=key or None, hint=hint
        )
    return value
