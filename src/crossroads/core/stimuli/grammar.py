"""Agreement of article and number in filled templates, and corrections.

In English, spelling alone determines neither. Doubtful cases (an acronym, a noun that is the same in both
numbers, a noun without an s) are accepted; only certain errors are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from crossroads.core.errors import InputError
from crossroads.core.stimuli.material import Template

_SILENT_H = ("heir", "honest", "honor", "honour", "hour")
_SOUNDS_LIKE_YOU = re.compile(
    r"(eu|ewe|uni(?=[tvcfqos](?!s)|la|[bp]|ra|mod|di[mr])|us[aeiu]|ut[aeio]|ur[aeio]|ubi|uk|uru|ugan|uy|uigh)",
    re.IGNORECASE,
)
_SOUNDS_LIKE_WON = re.compile(r"(one|once)\b", re.IGNORECASE)
_LETTERS_WITH_A_VOWEL = "AEFHILMNORSX"
_NUMBERS_WITH_A_VOWEL = re.compile(r"(8|11|18)(\D|$)|8\d")
_SPELLED = re.compile(r"[^AEIOUY\W\d]{4}")
_PLURAL_HEAD = re.compile(r".*(people|men|children|folks?)|persons|.*wives|teeth|feet|police", re.IGNORECASE)
_SINGULAR_HEAD = re.compile(r".*(person|man|child)", re.IGNORECASE)
_NO_HEAD = {"abdomen", "omen", "regimen", "specimen", "turkmen"}
_BEFORE_PARTICIPLE = {"person", "persons", "people", "man", "men", "woman", "women", "children"}
_PARTICIPLE = re.compile(r"\w+(ing|ed)|born", re.IGNORECASE)
_PREPOSITIONS = (
    "about", "after", "against", "among", "at", "before", "behind", "between", "by", "for", "from", "in",
    "near", "of", "on", "outside", "over", "through", "to", "under", "with", "within", "without",
)  # fmt: skip
_BEHIND_HEAD = re.compile(rf" (?:{'|'.join(_PREPOSITIONS)}|who|whose|that) ", re.IGNORECASE)
_INSIDE_HEAD = re.compile(r"-(?:at|by|in|of|on|to|up)\b", re.IGNORECASE)
_SAME = re.compile(r"(ese|ish|ss|us|is|ch|x|z)$", re.IGNORECASE)
_ARTICLE = re.compile(r"\b(an?)( +)(?=(\S+))", re.IGNORECASE)
_FOR_ONE = {"a", "an", "this", "that", "every", "each", "one", "another"}
_FOR_MANY = {"most", "some", "many", "all", "these", "those", "few", "several", "both", "two"}
_OF_ONE = {"is", "was", "has", "does", "seems", "isn't", "wasn't"}
_OF_MANY = {"are", "were", "have", "do", "seem", "aren't", "weren't"}


class Formed(Protocol):
    """Anything with a name and the forms that templates need, such as a group or a paired group."""

    @property
    def name(self) -> str:
        """Its name."""

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
    correction: str | None = None
    """The correct text; None where it is not known."""
    template: str = ""
    """The template at fault; empty where a form is."""
    group: str = ""
    """Name of the group in the sentence, or whose form it is; empty where the template alone is at fault."""


def article(phrase: str) -> str:
    """Find the indefinite article of a phrase by the sound it begins with."""
    return _articles(phrase)[0]


def _articles(phrase: str) -> tuple[str, ...]:
    """The possible articles of a phrase, the likelier first."""
    word = re.sub(r"^\W+", "", phrase).partition(" ")[0]
    if not word:
        return ("a", "an")
    if word[0].isdigit():
        return ("an",) if _NUMBERS_WITH_A_VOWEL.match(word) else ("a",)
    start = re.split(r"[-/'’+]", word)[0]
    by_letter = "an" if word[0].upper() in _LETTERS_WITH_A_VOWEL else "a"
    letter = len(start) == 1 and (start.isupper() or word[1:2] == "-")
    if letter or (start.isupper() and len(start) > 5 and _SPELLED.match(start)):  # LGBTQIA is not a word
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
    """Determine whether a phrase is ``"singular"``, ``"plural"``, or ``"either"`` where it is not clear.

    The number is that of the head noun: the word before a preposition or a participle. Those in *-person*,
    *-man*, *-woman* and *-child* are singular, those in *-people*, *-men*, *-women*, *-children* and *-s*
    plural. Nouns without an s may be plural (*alumni*, *Roma*).
    """
    words = _BEHIND_HEAD.split(phrase.strip())[0].split() or [""]
    last = _number_of_head(_INSIDE_HEAD.split(words[-1])[0])
    for word, following in pairwise(words):
        if _PARTICIPLE.fullmatch(following):  # "person using drugs", but "older working people"
            known = _number_of_head(word) if word.casefold() in _BEFORE_PARTICIPLE else None
            if known is not None:
                return known if last in (known, None) else "either"
            return last or "either"
    if last is not None:
        return last
    head = _INSIDE_HEAD.split(words[-1])[0].casefold()
    return "plural" if head.endswith("s") and not _SAME.search(head) else "either"


def _number_of_head(word: str) -> str | None:
    """The number of a noun whose form shows it by more than an s; None for all others."""
    if word.casefold() in _NO_HEAD:
        return None
    if _PLURAL_HEAD.fullmatch(word):
        return "plural"
    return "singular" if _SINGULAR_HEAD.fullmatch(word) else None


def corrected(sentence: str) -> str:
    """Correct every indefinite article of a sentence."""

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
    """List every disagreement of groups, traits and templates, each once."""
    members, words = list(groups), list(traits) or ["…"]
    faults = [fault for group in members for fault in _form_faults(group)]
    for raw in templates:
        template = Template(raw) if isinstance(raw, str) else raw
        faults += _number_faults(template, members)
        for name, sentence in _sentences(template, members, words):
            if (better := corrected(sentence)) != sentence:
                place = {"template": template.text, "group": name}
                message = "has the wrong article"
                faults.append(Disagreement(text=sentence, fault=message, correction=better, **place))
    first: dict[str, Disagreement] = {}
    for fault in faults:
        first.setdefault(fault.text, fault)
    return tuple(first.values())


def check_agreement(
    templates: Iterable[Template | str], groups: Iterable[Formed], traits: Iterable[str] = ()
) -> None:
    """Raise an error that names the first disagreement; see :func:`disagreements`."""
    if found := disagreements(templates, groups, traits):
        first, right = found[0], found[0].correction
        more = f" {len(found) - 1} more do not agree." if len(found) > 1 else ""
        hint = "fix the form or the template." if right is None else f"it should be {right!r}."
        raise InputError(f"{first.text!r} {first.fault}.{more}", hint=hint)


def _sentences(template: Template, groups: list[Formed], traits: list[str]) -> Iterator[tuple[str, str]]:
    """Each group with the template filled with it and every trait; an article may precede both."""
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
                    yield group.name, template.fill(**filled)


def _form_faults(group: Formed) -> Iterator[Disagreement]:
    one = group.forms.get("singular", "").casefold()
    for form, other in (("singular", "plural"), ("plural", "singular"), ("capitalised", "singular")):
        text = group.forms.get(form)
        if text is None or (form != "singular" and text.casefold() == one):  # some nouns have one form
            continue
        if number_of(text) == other:
            message = f"is the {form} form of {group.name!r} and reads as {other}"
            yield Disagreement(text=text, fault=message, group=group.name)
    plural, capital = group.forms.get("plural"), group.forms.get("capitalised")
    right = plural and plural[:1].upper() + plural[1:]
    if plural is not None and capital is not None and capital != right:
        message = f"is not the plural of {group.name!r} with a capital"
        yield Disagreement(text=capital, fault=message, correction=right, group=group.name)


def _number_faults(template: Template, groups: list[Formed]) -> Iterator[Disagreement]:
    """Places whose neighbours require the other number, and words that are of the other number."""
    text = template.text
    for slot, before, after in _places(text):
        wanted = _asked(before, after)
        if wanted is None:
            continue
        number = {"singular": "singular", "plural": "plural", "capitalised": "plural"}.get(slot)
        if number not in (None, wanted):
            changed = text.replace(f"{{{slot}}}", f"{{{wanted}}}")
            message = f"asks for a {wanted} and has the place {slot!r}"
            yield Disagreement(text=text, fault=message, correction=changed, template=text)
        for group in groups if slot == "word" else ():
            if wanted not in group.forms:
                message = f"asks for a {wanted}, which {group.name!r} does not have"
                yield Disagreement(text=text, fault=message, template=text, group=group.name)


def _places(text: str) -> Iterator[tuple[str, str, str]]:
    """Each place with the word before and the word after it."""
    for match in re.finditer(r"\{(\w+)\}", text):
        left, right = text[: match.start()].casefold(), text[match.end() :].casefold()
        before = left.split()[-1:] if left.endswith(" ") else []
        after = right.split()[:1] if right.startswith(" ") else []
        if not set(_PREPOSITIONS).isdisjoint(re.split(r"[,.;:?!]", left)[-1].split()):
            after = []  # in "a group of doctors was" the verb belongs to the group
        yield match.group(1), "".join(before).strip(",.;:"), "".join(after).strip(",.;:?!")


def _asked(before: str, after: str) -> str | None:
    """The number that the words around a place require."""
    if before in _FOR_ONE | {"{article}"} and before != "that":  # "believe that men are" is not "that man is"
        return "singular"
    if before in _FOR_MANY | _OF_MANY:
        return "plural"
    if after in _OF_ONE:
        return "singular"
    return "plural" if after in _OF_MANY else None
