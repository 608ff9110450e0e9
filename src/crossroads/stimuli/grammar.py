"""Article and number: whether a filled template agrees with itself, and what it should have said.

English has no rule for either that letters alone decide. What is doubtful (an acronym, a noun that is the
same in both numbers) is accepted; what is said to be wrong is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from crossroads.errors import InputError
from crossroads.stimuli.templates import Template

_SILENT_H = ("heir", "honest", "honor", "honour", "hour")
_SOUNDS_LIKE_YOU = re.compile(
    r"(eu|ewe|uni(?=[tvcfqos](?!s)|la)|us[aeiu]|ut[aeio]|ur[aeio]|ubi|uk|uru|ugan)", re.IGNORECASE
)
_SOUNDS_LIKE_WON = re.compile(r"(one|once)\b", re.IGNORECASE)
_LETTERS_WITH_A_VOWEL = "AEFHILMNORSX"
_NUMBERS_WITH_A_VOWEL = re.compile(r"(8|11|18)(\D|$)|8\d")
_PLURALS = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "folk": "", "folks": "",
    "wives": "wife", "teeth": "tooth", "feet": "foot", "police": "",
}  # fmt: skip
_SAME = re.compile(r"(ese|ish|ss|us|is|ch|x|z)$", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?)( +)(?=(\S+))", re.IGNORECASE)
_FOR_ONE = {"a", "an", "this", "that", "every", "each", "one", "another"}
_FOR_MANY = {"most", "some", "many", "all", "these", "those", "few", "several", "both", "two"}
_OF_ONE = {"is", "was", "has", "does", "seems", "isn't", "wasn't"}
_OF_MANY = {"are", "were", "have", "do", "seem", "aren't", "weren't"}


class Formed(Protocol):
    """Anything with a name and the forms that templates ask for, such as a group or a paired group."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def forms(self) -> Mapping[str, str]:
        """``singular``, ``plural`` and ``capitalised``."""


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A sentence, or a form, in which article or number do not agree."""

    text: str
    """The sentence or the form."""
    fault: str
    """What is wrong with it."""
    correction: str | None
    """What it should say; None where that cannot be told."""


def article(phrase: str) -> str:
    """The indefinite article of a phrase, by the sound it begins with.

    Examples
    --------
    >>> [article(words) for words in ("elderly person", "European", "unemployed person", "honest man")]
    ['an', 'a', 'an', 'an']
    """
    return _articles(phrase)[0]


def _articles(phrase: str) -> tuple[str, ...]:
    """The articles that a phrase may have, the likelier first."""
    word = re.sub(r"^\W+", "", phrase).partition(" ")[0]
    if not word:
        return ("a", "an")
    if word[0].isdigit():
        return ("an",) if _NUMBERS_WITH_A_VOWEL.match(word) else ("a",)
    start = re.split(r"[-/'’]", word)[0]
    by_letter = "an" if word[0].upper() in _LETTERS_WITH_A_VOWEL else "a"
    if len(start) == 1 and start.isupper():
        return (by_letter,)
    if start.isupper() and len(start) <= 5:  # an acronym: spelled (an FBI agent) or read (a NASA engineer)
        by_sound = "an" if word[0] in "AEIOU" else "a"
        return tuple(dict.fromkeys((by_letter, by_sound)))
    low = word.casefold()
    if low.startswith(_SILENT_H):
        return ("an",)
    if _SOUNDS_LIKE_YOU.match(low) or _SOUNDS_LIKE_WON.match(low):
        return ("a",)
    return ("an",) if low[0] in "aeiouáàâäéèêëíìîïóòôöúùûü" else ("a",)


def number_of(phrase: str) -> str:
    """``"singular"``, ``"plural"``, or ``"either"`` where the words do not tell.

    Examples
    --------
    >>> [number_of(words) for words in ("gay men", "person with a disability", "Chinese", "doctors")]
    ['plural', 'singular', 'either', 'plural']
    """
    head = re.split(r" (?:with|of|in|from|without|who) ", phrase)[0].rpartition(" ")[2].casefold()
    if head in _PLURALS:
        return "plural"
    if _SAME.search(head):
        return "either"
    return "plural" if head.endswith("s") else "singular"


def corrected(sentence: str) -> str:
    """The sentence with every indefinite article as the next word needs it.

    Examples
    --------
    >>> corrected("A elderly person is a honest person.")
    'An elderly person is an honest person.'
    """

    def right(match: re.Match[str]) -> str:
        given, space, word = match.groups()
        if given.casefold() in _articles(word):
            return match.group()
        new = article(word)
        return (new.capitalize() if given[0].isupper() else new) + space

    return _ARTICLE.sub(right, sentence)


def disagreements(
    templates: Iterable[Template | str], groups: Iterable[Formed], traits: Iterable[str] = ()
) -> tuple[Disagreement, ...]:
    """Everything in which groups, traits and templates do not agree, each once.

    Parameters
    ----------
    templates
        Templates with the places ``singular``, ``plural``, ``capitalised``, ``word`` and ``trait``.
    groups
        Groups, or paired groups, with their forms.
    traits
        Adjectives for the place of the trait, where an article may stand before it.
    """
    found: dict[str, Disagreement] = {}
    members, words = list(groups), list(traits) or ["…"]
    for group in members:
        for fault in _form_faults(group):
            found.setdefault(fault.text, fault)
    for raw in templates:
        template = Template(raw) if isinstance(raw, str) else raw
        for fault in _number_faults(template, members):
            found.setdefault(fault.text, fault)
        for sentence in _sentences(template, members, words):
            better = corrected(sentence)
            if better != sentence:
                fault = Disagreement(text=sentence, fault="has the wrong article", correction=better)
                found.setdefault(sentence, fault)
    return tuple(found.values())


def check_agreement(
    templates: Iterable[Template | str], groups: Iterable[Formed], traits: Iterable[str] = ()
) -> None:
    """Raise an error that names the first disagreement; see :func:`disagreements`."""
    found = disagreements(templates, groups, traits)
    if found:
        first = found[0]
        more = f" {len(found) - 1} more do not agree either." if len(found) > 1 else ""
        better = "repair the form or the template."
        if first.correction is not None:
            better = f"it should be {first.correction!r}."
        raise InputError(f"{first.text!r} {first.fault}.{more}", hint=better)


def _sentences(template: Template, groups: list[Formed], traits: list[str]) -> Iterator[str]:
    """The template filled with every group, or with every trait, whichever an article may stand before."""
    slots = template.slots
    asked = [_asked(before, after) for slot, before, after in _places(template.text) if slot == "word"]
    numbers = [number for number in asked if number is not None] or ["singular", "plural"]
    for group in groups:
        forms = dict(group.forms)
        for word in [forms.get(number) for number in dict.fromkeys(numbers)] if "word" in slots else [None]:
            values = forms | ({"word": word} if word is not None else {})
            for trait in traits:
                filled = values | {"trait": trait}
                if "article" in slots and word is not None:
                    filled["article"] = article(word)
                if all(slot in filled for slot in slots):
                    yield template.fill(**filled)


def _form_faults(group: Formed) -> Iterator[Disagreement]:
    for form, other in (("singular", "plural"), ("plural", "singular"), ("capitalised", "singular")):
        text = group.forms.get(form)
        if text is not None and number_of(text) == other:
            message = f"is the {form} form of {group.name!r} and reads as {other}"
            yield Disagreement(text=text, fault=message, correction=None)
    plural, capital = group.forms.get("plural"), group.forms.get("capitalised")
    if plural is not None and capital is not None and capital != plural[:1].upper() + plural[1:]:
        yield Disagreement(
            text=capital,
            fault=f"is not the plural of {group.name!r} with a capital",
            correction=plural[:1].upper() + plural[1:],
        )


def _number_faults(template: Template, groups: list[Formed]) -> Iterator[Disagreement]:
    """Places whose neighbours ask for the other number, and words that are of the other number."""
    for slot, before, after in _places(template.text):
        wanted = _asked(before, after)
        if wanted is None:
            continue
        has = {"singular": "singular", "plural": "plural", "capitalised": "plural"}.get(slot)
        if has is not None and has != wanted:
            better = "singular" if wanted == "singular" else "plural"
            changed = template.text.replace(f"{{{slot}}}", f"{{{better}}}")
            message = f"asks for a {wanted} and has the place {slot!r}"
            yield Disagreement(text=template.text, fault=message, correction=changed)
        if slot == "word":
            for group in groups:
                if wanted not in group.forms:
                    message = f"asks for a {wanted}, which {group.name!r} does not have"
                    yield Disagreement(text=template.text, fault=message, correction=None)


def _places(text: str) -> Iterator[tuple[str, str, str]]:
    """Each place with the word before and the word after it."""
    for match in re.finditer(r"\{(\w+)\}", text):
        before = text[: match.start()].split()
        after = text[match.end() :].split()
        behind = before[-1] if before and text[: match.start()].endswith(" ") else ""
        ahead = after[0] if after and text[match.end() :].startswith(" ") else ""
        yield match.group(1), behind.casefold().strip(",.;:"), ahead.casefold().strip(",.;:?!")


def _asked(before: str, after: str) -> str | None:
    """The number that the words around a place ask for."""
    if before in _FOR_ONE | {"{article}"} and before != "that":  # "believe that men are" is not "that man is"
        return "singular"
    if before in _FOR_MANY | _OF_MANY:
        return "plural"
    if after in _OF_ONE:
        return "singular"
    return "plural" if after in _OF_MANY else None
