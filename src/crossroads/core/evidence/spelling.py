"""The forms under which a stimulus may be stored, in the order in which they are tried."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossroads.core.errors import InputError, UnknownNameError, in_short, nearest

RULES = ("lower", "title", "accents")
"""The rules of a fallback: lower case, title case, accents removed."""
CASED_SHARE = 1 / 2000
"""Share of words with a capital letter above which a vocabulary is cased: those in lower case hold a few by
accident (GloVe 840B 0.003 %), and cased ones may be left with few (Google News after a filter 0.14 %)."""

_MARKERS = {("<", ">"), ("[", "]")}
_JOINTS = (" ", "_", "-")
"""Separators of the words of a phrase, in the order tried."""


def has_capital(label: str) -> bool:
    """Whether a label differs from its lower-case form and is not a marker such as ``<UNK>`` or ``[PAD]``."""
    return label != label.lower() and (label[0], label[-1]) not in _MARKERS


def is_cased(capitalised: int, size: int) -> bool:
    """Whether a vocabulary of ``size`` words, ``capitalised`` of them with a capital letter, is cased."""
    return capitalised > CASED_SHARE * size


def check_fallback(fallback: str | Iterable[str]) -> tuple[str, ...]:
    """Normalise a fallback: ``"none"``, one rule, or several rules in the order to try them."""
    if not isinstance(fallback, Iterable):
        raise InputError(f"fallback is {in_short(fallback)}.", hint=f"name rules: {', '.join(RULES)}.")
    rules = (
        tuple(part.strip() for part in fallback.split(",")) if isinstance(fallback, str) else tuple(fallback)
    )
    if rules in {("none",), ("exact",), ("",)}:
        return ()
    for rule in rules:
        if rule not in RULES:
            raise UnknownNameError("fallback", str(rule), RULES if len(rules) > 1 else ("none", *RULES))
    if len(set(rules)) < len(rules):
        raise InputError(f"fallback {list(rules)} names a rule twice.", hint="name each rule once.")
    return rules


def strip_accents(word: str) -> str:
    """Remove combining marks: ``"José"`` becomes ``"Jose"``."""
    decomposed = unicodedata.normalize("NFKD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def spellings(word: str, rules: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield ``(form, rule)``: the word itself first, then each form that a rule allows, without repeats.

    Two rules always apply, because they find the same text in another encoding. ``"phrase"``: the
    words of a phrase, which a space or an underscore separates, may be joined by a space, an underscore or
    a hyphen. ``"unicode"``: an accent may be part of its letter (NFC) or follow it (NFD), as macOS writes it.
    Of the rules given, those of case change the word as it is given; ``"accents"`` removes accents from the
    word and from every form tried before it.

    Examples
    --------
    >>> list(spellings("chief executive", ()))
    [('chief executive', 'exact'), ('chief_executive', 'phrase'), ('chief-executive', 'phrase')]
    >>> [form for form, rule in spellings("José", ("lower", "accents")) if "unicode" not in rule]
    ['José', 'josé', 'Jose', 'jose']
    """
    seen: set[str] = set()
    for form, rule in _changed(word, rules):
        for written, how in _written(form):
            if written not in seen:
                seen.add(written)
                names = [name for name in (rule, *how) if name != "exact"]
                yield written, "+".join(names) or "exact"


def _changed(word: str, rules: Iterable[str]) -> Iterator[tuple[str, str]]:
    forms = {word: "exact"}
    yield word, "exact"
    for rule in rules:
        if rule == "accents":
            for form, name in list(forms.items()):
                forms.setdefault(strip_accents(form), rule if name == "exact" else f"{name}+{rule}")
        else:
            forms.setdefault(word.lower() if rule == "lower" else word.title(), rule)
    yield from list(forms.items())[1:]


def _written(form: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A form as it is, then the same text with other separators and with accents composed or not."""
    joined: list[tuple[str, tuple[str, ...]]] = [(form, ())]
    parts = form.replace("_", " ").split(" ")
    if len(parts) > 1 and all(parts):
        joined += [(joint.join(parts), ("phrase",)) for joint in _JOINTS]
    yield from joined
    if not form.isascii():
        for text, how in joined:
            for normal in ("NFC", "NFD"):
                yield unicodedata.normalize(normal, text), (*how, "unicode")


_LIKE = 0.75
"""Similarity of two words from which one is suggested, from 0 to 1."""
_STRETCH = 3
"""Largest difference in length of a suggested word."""


@dataclass(frozen=True, kw_only=True)
class Unread:
    """Words of a source that were not read, as far as messages need them."""

    forms: frozenset[str] = frozenset()
    """Other spellings of the words asked for that exist, but that no rule in force allows."""
    blocks: tuple[str, ...] = ()
    """The first words of the source, one per line, from which suggestions are taken."""


def helpful_rules(
    words: Iterable[str], has: Callable[[str], bool], rules: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fewest further rules under which the most words would be found, and these words.

    ``has`` says whether a form exists, ``rules`` are those in force.
    """
    wanted = tuple(words)
    found: tuple[str, ...] = ()
    while len(rules) < len(RULES):
        gains = {
            more: tuple(word for word in wanted if any(has(form) for form, _ in spellings(word, more)))
            for more in ((*rules, rule) for rule in RULES if rule not in rules)
        }
        best = max(gains, key=lambda more: len(gains[more]))
        if len(gains[best]) <= len(found):
            break
        rules, found = best, gains[best]
    return rules, found


def nearest_words(
    words: Sequence[str], blocks: Iterable[str], *, n: int = 3
) -> Mapping[str, tuple[str, ...]]:
    """The words closest to each of the given words in spelling, best first, if any is close.

    Only words that begin with the same letter, whatever its case, are compared. ``blocks`` are the
    vocabulary, in texts with one word per line.
    """
    starts = tuple({form for word in words for form in (word[:1].lower(), word[:1].upper()) if form})
    if not starts:
        return {}
    lengths = [len(word) for word in words]
    low, high = min(lengths) - _STRETCH, max(lengths) + _STRETCH
    near: dict[str, list[str]] = {}
    for block in blocks:
        for label in block.split("\n"):
            if low <= len(label) <= high and label.startswith(starts):
                near.setdefault(label[:1].casefold(), []).append(label)
    closest: dict[str, tuple[str, ...]] = {}
    for word in words:
        labels = near.get(word[:1].casefold(), ())
        alike = [label for label in labels if abs(len(label) - len(word)) <= _STRETCH]
        closest[word] = nearest(word, alike, n=n, cutoff=_LIKE)
    return {word: labels for word, labels in closest.items() if labels}
