"""Words that are not there: what other spelling would find them, and which words come near."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from crossroads.evidence.spelling import RULES, spellings

_LIKE = 0.75
"""How like two words must be for one to be suggested, from 0 to 1."""
_STRETCH = 3
"""By how many letters a word that is suggested may be longer or shorter."""


@dataclass(frozen=True, kw_only=True)
class Unread:
    """What a source holds beside the words that were read from it, as far as messages need it."""

    forms: frozenset[str] = frozenset()
    """Other spellings of the words asked for that are there, and that no rule in force allows."""
    blocks: tuple[str, ...] = ()
    """Words of the source from its beginning, one a line: what suggestions are taken from."""


def helpful_rules(
    words: Iterable[str], has: Callable[[str], bool], rules: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fewest further rules under which the most words would be found, and these words.

    Parameters
    ----------
    words
        Words that were not found.
    has
        Whether a form is there.
    rules
        The rules in force.
    """
    wanted = tuple(words)
    found: tuple[str, ...] = ()
    while len(rules) < len(RULES):
        gains = [(*rules, rule) for rule in RULES if rule not in rules]
        reached = [tuple(word for word in wanted if _reached(word, has, more)) for more in gains]
        best = max(range(len(gains)), key=lambda i: len(reached[i]))
        if len(reached[best]) <= len(found):
            break
        rules, found = gains[best], reached[best]
    return rules, found


def _reached(word: str, has: Callable[[str], bool], rules: tuple[str, ...]) -> bool:
    return any(has(form) for form, _ in spellings(word, rules))


def nearest_words(
    words: Sequence[str], blocks: Iterable[str], *, n: int = 3
) -> Mapping[str, tuple[str, ...]]:
    """The words closest to each of some words in spelling, best first, where any comes near.

    Only words that begin with the same letter, whatever its case, are compared.

    Parameters
    ----------
    words
        Words that were not found.
    blocks
        The vocabulary, in texts with one word a line.
    n
        Most words to suggest for each.
    """
    starts = tuple({form for word in words for form in (word[:1].lower(), word[:1].upper()) if form})
    lengths = [len(word) for word in words]
    if not starts:
        return {}
    low, high = min(lengths) - _STRETCH, max(lengths) + _STRETCH
    near: dict[str, list[str]] = {}
    for block in blocks:
        for label in block.split("\n"):
            if low <= len(label) <= high and label.startswith(starts):
                near.setdefault(label[:1].casefold(), []).append(label)
    found = {word: _closest(word, near.get(word[:1].casefold(), ()), n) for word in words}
    return {word: labels for word, labels in found.items() if labels}


def _closest(word: str, labels: Iterable[str], n: int) -> tuple[str, ...]:
    plain = word.casefold()
    table: dict[str, str] = {}
    for label in labels:
        if abs(len(label) - len(word)) <= _STRETCH:
            table.setdefault(label.casefold(), label)
    return tuple(table[one] for one in difflib.get_close_matches(plain, table, n=n, cutoff=_LIKE))
