"""Prompts: every group in every template, with a gap for the trait.

A masked model sees the whole sentence. A causal model sees it up to the gap; a template whose group comes
after the gap tells it nothing about the group, and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from crossroads.core.errors import InputError, in_short, join_words, one_of
from crossroads.core.stimuli.material import Template

TRAIT = "trait"
FORMS = ("singular", "plural", "capitalised")
"""Forms of a group that a template may ask for."""
Prior = Literal["mask", "noun"]
"""Priors, which name no group: a mask, or person and people."""
NOUN: Mapping[str, str] = {"singular": "person", "plural": "people", "capitalised": "People"}
BLANK = "___"
"""The blank that replaces a group for causal models, which have no mask."""
AFTER_GAP = "the group is after the trait, where a causal model does not see it"
_PLACE = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A group, or a prior in its place."""

    name: str
    forms: Mapping[str, str]
    """``singular``, ``plural`` and ``capitalised``."""


@dataclass(frozen=True, kw_only=True)
class UsableTemplates:
    """The templates that a model can use, and those it cannot."""

    templates: tuple[str, ...]
    left_out: Mapping[str, str]
    """Templates that cannot be used, with the reason."""
    cut: tuple[str, ...]
    """Templates with more than punctuation after the trait, of which a causal model sees a part."""


def group_rows(groups: Iterable[Any]) -> tuple[Row, ...]:
    """Rows for groups that have the forms of a noun; a group is anything with ``name`` and ``forms``."""
    rows = []
    for group in groups:
        if missing := [form for form in FORMS if not group.forms.get(form)]:
            raise InputError(
                f"the group {in_short(group.name)} has no {join_words(missing, last='or')}.",
                hint="templates need the noun in the singular and the plural.",
            )
        rows.append(Row(name=group.name, forms={form: group.forms[form] for form in FORMS}))
    check_distinct("group", [row.name for row in rows])
    return tuple(rows)


def prior_rows(priors: Sequence[str], noun: Mapping[str, str] | None, mask: str | None) -> tuple[Row, ...]:
    """Rows for the priors; ``noun`` has its forms. Causal models, which have no mask, see :data:`BLANK`."""
    for name in priors:
        one_of("prior", name, Prior)
    check_distinct("prior", priors)
    if not priors:
        raise InputError("there is no prior.", hint="give 'mask', 'noun' or both.")
    forms = {"mask": dict.fromkeys(FORMS, mask or BLANK), "noun": dict(noun or NOUN)}
    return tuple(Row(name=name, forms=forms[name]) for name in priors)


def chosen_templates(templates: Iterable[str | Template], *, causal: bool) -> UsableTemplates:
    """Check templates, and find those that the kind of model can use."""
    texts = [one.text if isinstance(one, Template) else one for one in templates]
    if not texts:
        raise InputError("there are no templates.", hint="give at least one, such as '{plural} are {trait}.'")
    check_distinct("template", texts)
    left_out, cut, kept = {}, [], []
    for text in texts:
        names = template_places(text)
        if causal and names.index(TRAIT) == 0:
            left_out[text] = AFTER_GAP
            continue
        kept.append(text)
        if causal and any(sign.isalnum() for sign in text.partition("{trait}")[2]):
            cut.append(text)
    if not kept:
        raise InputError(
            f"none of the {len(texts)} templates can be used with a causal model: {AFTER_GAP}.",
            hint="put the group before the trait.",
        )
    return UsableTemplates(templates=tuple(kept), left_out=left_out, cut=tuple(cut))


def fill(template: str, row: Row, *, causal: bool) -> tuple[str, str]:
    """The texts before and after the trait of a template with a group; the latter is empty if causal."""
    before, _, behind = template.partition("{trait}")
    left = before.format(**row.forms)
    if template.startswith("{"):
        left = left[:1].upper() + left[1:]
    return left, "" if causal else behind.format(**row.forms)


def template_places(text: str) -> list[str]:
    """Names of the places of a template, in order: a name in braces each, of those that it may have."""
    names = _PLACE.findall(text)
    odd = [f"{{{name}}}" for name in names if not _NAME.fullmatch(name)]
    if odd or re.search(r"[{}]", _PLACE.sub("", text)):
        said = f"has {in_short(odd[0])}" if odd else "has a brace that belongs to no place"
        allowed = join_words([f"{{{name}}}" for name in (TRAIT, *FORMS)], last="or")
        raise InputError(
            f"the template {in_short(text)} cannot be read: it {said}.",
            hint=f"write {allowed}, each in single braces.",
        )
    for name in names:
        one_of("place in a template", name, (TRAIT, *FORMS))
    count = names.count(TRAIT)
    if count != 1:
        said = f"{count} places" if count else "no place"
        raise InputError(
            f"the template {in_short(text)} has {said} for the trait.", hint="write {trait} once."
        )
    if len(names) == 1:
        raise InputError(
            f"the template {in_short(text)} has no place for the group.",
            hint="write {singular}, {plural} or {capitalised}.",
        )
    return names


def check_distinct(kind: str, names: Sequence[str]) -> None:
    """Refuse names that occur twice."""
    twice = [name for at, name in enumerate(names) if name in names[:at]]
    if twice:
        raise InputError(f"the {kind} {in_short(twice[0])} is given twice.", hint="name each one once.")
