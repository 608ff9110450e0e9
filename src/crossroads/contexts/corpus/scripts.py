"""Scripts that are written without spaces between words: Chinese, Japanese, Thai and some others.

In their running text a word may have letters on either side, and a few letters count as one word of a window.
No dictionary divides the text: dictionaries differ in what they take for a word, from version to version too,
and there would have to be one for each language.
"""

from __future__ import annotations

import re
import unicodedata

from crossroads.contexts.corpus.text import BREAK, in_word

_EAST = (
    "\u3005-\u3007\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Chinese and Japanese letters."""
_SOUTH = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0ece\u0edc-\u0edf\u1000-\u103f\u104e-\u108f\u109a-\u109d\u1780-\u17d3"
    "\u17dc-\u17dd\u1950-\u19df\u1a20-\u1a7c\u1b00-\u1b4b\ua980-\ua9c0\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaadf"
)
"""Letters and marks of Thai, Lao, Burmese, Khmer, Tai, Balinese and Javanese. Tibetan is not among them: a
sign between its syllables divides words already."""
_UNSPACED, _EASTERN_LETTER = re.compile(f"[{_EAST}{_SOUTH}]"), re.compile(f"[{_EAST}]")
_LEADS = re.compile("[\u0e40-\u0e44\u0ec0-\u0ec4\u17d2\u1039]")
"""Vowels written before their consonant, and signs that put the next consonant below the one before."""
_TRAILS = re.compile(
    "[\u0e30-\u0e33\u0e45\u0eb0-\u0eb3\u3041\u3043\u3045\u3047\u3049\u3083\u3085\u3087\u308e"
    "\u30a1\u30a3\u30a5\u30a7\u30a9\u30e3\u30e5\u30e7\u30ee\u30f5\u30f6\u30fc]"
)
"""Vowels, small kana and the sign of length, which belong to the letter before them as combining marks do."""
WORD_OF_ITS_OWN = 3
"""Characters up to which what stands between white space is taken for one word in such a script too."""
UNITS, _EASTERN, _SOUTHERN = 4, 2, 1
"""A word of a window, and what a Chinese or Japanese letter, or one of the other scripts, counts of it."""


def is_unspaced(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces between words.

    Examples
    --------
    >>> [is_unspaced(sign) for sign in "医はหe의א"]
    [True, True, True, False, False, False]
    """
    return _UNSPACED.match(character) is not None


def binds(before: str, after: str) -> bool:
    """Whether two characters next to each other belong to one syllable or letter, so that no word ends there.

    Examples
    --------
    >>> binds("น", "า"), binds("เ", "ม"), binds("医", "生")
    (True, True, False)
    """
    if _LEADS.match(before) or _TRAILS.match(after):
        return True
    return bool(after) and unicodedata.category(after)[0] == "M"


def in_running_text(text: str, start: int, end: int) -> bool:
    """Whether what stands around a target without white space is more than a word of its own."""
    head, tail = text[max(start - WORD_OF_ITS_OWN, 0) : start], text[end : end + WORD_OF_ITS_OWN]
    before = len(head) - 1 - max(head.rfind(" "), head.rfind(BREAK))
    gaps = [at for at in (tail.find(" "), tail.find(BREAK)) if at >= 0]
    return before + end - start + min(gaps, default=len(tail)) > WORD_OF_ITS_OWN


def cost(sign: str, inside: bool) -> tuple[int, bool]:
    """How much of a word a character of running text is, and whether it is inside of a word with spaces."""
    if is_unspaced(sign):
        return 0 if binds("", sign) else _EASTERN if _EASTERN_LETTER.match(sign) else _SOUTHERN, False
    within = in_word(sign)
    return UNITS if within and not inside else 0, within
