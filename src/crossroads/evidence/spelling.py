"""The forms under which a stimulus may be stored, in the order in which they are tried."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from crossroads.errors import InputError, UnknownNameError, in_short

RULES = ("lower", "title", "accents")
"""The rules a fallback may name: lower case, title case, accents removed."""
CASED_SHARE = 1 / 2000
"""Share of words with a capital letter above which a vocabulary is cased.

Vocabularies in lower case hold a few by accident: GloVe 840B, cut to lower case, has ``at Amazon.com``, one
word of 33,860 (0.003 %). A cased one may be cut to few: of the 26,423 words of Google News that Bolukbasi
et al. kept, 38 (0.14 %) have capitals, and they are names, for which lower-case words (*frank*, *rose*) must
not stand.
"""

_MARKERS = {("<", ">"), ("[", "]")}
_JOINTS = (" ", "_", "-")
"""What may stand between the words of a phrase, in the order tried."""


def has_capital(label: str) -> bool:
    """Whether a label differs from its lower-case form and is no marker such as ``<UNK>`` or ``[PAD]``."""
    return label != label.lower() and (label[0], label[-1]) not in _MARKERS


def is_cased(capitalised: int, size: int) -> bool:
    """Whether a vocabulary of ``size`` words, so many of them with a capital letter, is a cased one.

    Examples
    --------
    >>> is_cased(1, 33_860), is_cased(38, 26_423), is_cased(1, 10)
    (False, True, True)
    """
    return capitalised > CASED_SHARE * size


def check_fallback(fallback: str | Iterable[str]) -> tuple[str, ...]:
    """Normalise a fallback: ``"none"``, one rule, or several rules in the order to try them.

    Examples
    --------
    >>> check_fallback("lower")
    ('lower',)
    >>> check_fallback(["lower", "accents"])
    ('lower', 'accents')
    """
    if not isinstance(fallback, Iterable):
        raise InputError(f"fallback is {in_short(fallback)}.", hint=f"name rules: {', '.join(RULES)}.")
    rules = (
        tuple(part.strip() for part in fallback.split(",")) if isinstance(fallback, str) else tuple(fallback)
    )
    if rules in {("none",), ("exact",), ("",)}:
        return ()
    if "none" in rules:
        raise InputError(
            f"fallback {list(rules)} says none and something.", hint="say 'none', or name rules."
        )
    for rule in rules:
        if rule not in RULES:
            raise UnknownNameError("fallback", str(rule), ("none", *RULES))
    if len(set(rules)) < len(rules):
        raise InputError(f"fallback {list(rules)} names a rule twice.", hint="name each rule once.")
    return rules


def strip_accents(word: str) -> str:
    """Remove combining marks: ``"José"`` becomes ``"Jose"``."""
    decomposed = unicodedata.normalize("NFKD", word)
    return unicodedata.normalize("NFC", "".join(c for c in decomposed if not unicodedata.combining(c)))


def spellings(word: str, rules: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield ``(form, rule)``: the word itself first, then each form that a rule allows, without repeats.

    Two rules are always in force, because what they find is the same text written otherwise. ``"phrase"``:
    the words of a phrase, which a space or an underscore divides, may be joined by a space, an underscore or
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
    """The word, and what the rules given make of it."""
    forms = {word: "exact"}
    yield word, "exact"
    for rule in rules:
        if rule == "accents":
            new = [
                (strip_accents(form), rule if name == "exact" else f"{name}+{rule}")
                for form, name in forms.items()
            ]
        else:
            new = [(word.lower() if rule == "lower" else word.title(), rule)]
        for form, name in new:
            if form not in forms:
                forms[form] = name
                yield form, name


def _written(form: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A form as it stands, then the same text with other joints and with accents composed or not."""
    joined: list[tuple[str, tuple[str, ...]]] = [(form, ())]
    parts = form.replace("_", " ").split(" ")
    if len(parts) > 1 and all(parts):
        joined += [(joint.join(parts), ("phrase",)) for joint in _JOINTS]
    yield from joined
    if not form.isascii():
        for text, how in joined:
            for normal in ("NFC", "NFD"):
                yield unicodedata.normalize(normal, text), (*how, "unicode")
