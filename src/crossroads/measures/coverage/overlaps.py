"""Words that are in two sets of a test, and what becomes of them."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product

from crossroads.errors import CrossroadsWarning, join_words
from crossroads.stimuli import Design

_LEFT_OUT = "since no word is compared with itself"
_CANCELS = "which counts on either side and pulls the effect size to 0"


def overlap_notes(keyed: Mapping[str, Mapping[Hashable, str]], titles: Mapping[str, str]) -> tuple[str, ...]:
    """Describe the words that are in two sets, with a phrase for each two sets.

    Parameters
    ----------
    keyed
        Words by set (``x``, ``y``, ``a``, ``b``, or ``words`` that are measured one by one) and by the key
        that identifies equal words.
    titles
        What the sets stand for.
    """
    notes = []
    for one, two, what in (("x", "y", "targets"), ("a", "b", "attributes")):
        if shared := _shared(keyed, one, two):
            sides = f"{_named(one, titles)} and {_named(two, titles)}"
            notes.append(f"{shared} in both {what}, {sides}, {_CANCELS}")
    for one, two in product("xy", "ab"):
        if shared := _shared(keyed, one, two):
            sides = f"the target {_named(one, titles)} and in the attribute {_named(two, titles)}"
            notes.append(f"{shared} in {sides}, left out of the target, {_LEFT_OUT}")
    for two in "ab":
        if shared := _shared(keyed, "words", two):
            sides = f"the words measured and in the attribute {_named(two, titles)}"
            notes.append(f"{shared} among {sides}, not measured, {_LEFT_OUT}")
    return tuple(notes)


def warn_about_sharing(design: Design, *, stacklevel: int = 3) -> None:
    """Warn, once, where words are in two sets of a design."""
    notes = overlap_notes(keyed_by_word(design.sets), titles_of(design.sets))
    if notes:
        text = f"the design {design.name!r} has {'; '.join(notes)}."
        warnings.warn(text, CrossroadsWarning, stacklevel=stacklevel)


def warn_about_words(sets: Mapping[str, Sequence[str]], titles: Mapping[str, str]) -> None:
    """Warn, once, where words are in both attributes, or are measured by attributes that contain them."""
    notes = overlap_notes(keyed_by_word(sets), titles)
    if notes:
        warnings.warn(f"there is {'; '.join(notes)}.", CrossroadsWarning, stacklevel=3)


def keyed_by_word(sets: Mapping[str, Sequence[str]]) -> dict[str, dict[Hashable, str]]:
    """Words of each set by their text, however their accents are written.

    Of words that are measured one by one, which may be a whole vocabulary, only those of other sets are kept.
    """
    keyed: dict[str, dict[Hashable, str]] = {
        name: {unicodedata.normalize("NFC", word): word for word in words}
        for name, words in sets.items()
        if name != "words"
    }
    others = {key for found in keyed.values() for key in found}
    texts = ((unicodedata.normalize("NFC", word), word) for word in sets.get("words", ()))
    return {**keyed, "words": {text: word for text, word in texts if text in others}}


def titles_of(sets: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """What each set stands for, where sets have names."""
    return {role: str(getattr(words, "name", role)) for role, words in sets.items()}


def _shared(keyed: Mapping[str, Mapping[Hashable, str]], one: str, two: str) -> str:
    there = keyed.get(two, {})
    return join_words((repr(word) for key, word in keyed.get(one, {}).items() if key in there), most=8)


def _named(role: str, titles: Mapping[str, str]) -> str:
    title = titles.get(role, role)
    return role if title == role else f"{role} ({title})"
