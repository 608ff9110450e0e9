"""The forms under which a stimulus may be stored, in the order in which they are tried."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

from crossroads.errors import InputError, UnknownNameError, in_short

RULES = ("lower", "title", "accents")
"""The rules a fallback may name: lower case, title case, accents removed."""


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

    Casing rules change the word as it is given; ``"accents"`` removes accents from the word and from
    every form tried before it.

    Examples
    --------
    >>> list(spellings("José", ("lower", "accents")))
    [('José', 'exact'), ('josé', 'lower'), ('Jose', 'accents'), ('jose', 'lower+accents')]
    """
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
