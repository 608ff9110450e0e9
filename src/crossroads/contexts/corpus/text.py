"""Documents as one text, and the characters of their words, each as one byte.

Letters, digits, combining marks and the underscore belong to words. ASCII characters are kept;
the others share the upper half of a byte, so that matches of such a byte have to be checked again.
Everything else is a space. A hyphen is kept, and whether it joins depends on its neighbours.

In scripts that are written without spaces (Chinese, Japanese, Thai and others) a word of running text may
have letters on either side, and a few letters count as one word of a window. No dictionary divides the text:
dictionaries differ in what they take for a word, from version to version too.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.int64]
SPACE, HYPHEN = ord(" "), ord("-")
BREAK = "\0"  # the separator of documents, which never occurs inside one
HYPHENS = "-\u2010\u2011"  # hyphens that may join two words into one: plain, typographic, and non-breaking
BLANK = BREAK + "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
"""White space and the separator of documents."""
APOSTROPHES = "'\u2018\u2019"  # apostrophes, straight and curly, which count as the same character

_ASSIGNED = (range(0x40000), range(0xE0000, 0xE1000))
"""Where Unicode has characters; the planes between are empty, those above are private."""
_IN_WORD = "LNM"
"""First letters of the categories of characters that belong to words: letters, numbers and marks."""
_SAME = str.maketrans(dict.fromkeys(HYPHENS, "-") | dict.fromkeys(APOSTROPHES, "'"))


def same_signs(text: str) -> str:
    """Replace all kinds of hyphens and apostrophes by one each, character for character."""
    return text if text.isascii() else text.translate(_SAME)


def composed(text: str) -> str:
    """Compose letters and their accents (NFC); text in ASCII is unchanged."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def plain(text: str) -> str:
    """A document or a stimulus as it is compared: accents composed, single spaces, none around it."""
    return " ".join(composed(text).replace(BREAK, " ").split())


def in_word(character: str) -> bool:
    """Whether a character belongs to words."""
    return character == "_" or unicodedata.category(character)[0] in _IN_WORD


class Text:
    """Documents as one string, with a break before and after each of them; in ASCII it takes least time.

    Examples
    --------
    >>> text = Text(["a short-term plan - Anna's"])
    >>> text.marks(join=True).decode(), text.marks(join=False).decode()
    (' a short-term plan   Anna s ', ' a short term plan   Anna s ')
    """

    def __init__(self, documents: Sequence[str]) -> None:
        self._join(documents)
        if self.breaks.size > len(documents) + 1:  # some are in the middle of documents
            self._join([document.replace(BREAK, " ") for document in documents])

    def _join(self, documents: Sequence[str]) -> None:
        self.text = composed(BREAK.join(["", *documents, ""]))
        self.is_ascii = self.text.isascii()
        self._data = bytearray(self.text.encode("ascii" if self.is_ascii else "utf-32-le"))
        self.codes: NDArray[np.unsignedinteger[Any]] = np.frombuffer(
            self._data, np.uint8 if self.is_ascii else np.uint32
        )
        self.breaks = where(self.codes == ord(BREAK))

    def marks(self, *, join: bool) -> bytearray:
        """One byte for each character; if ``join``, a hyphen between two words makes one word of them."""
        marks = self._data.translate(_plain_table()) if self.is_ascii else bytearray(_table()[self.codes])
        if not join:
            return marks.replace(b"-", b" ")
        view = np.frombuffer(marks, np.uint8)
        at = where(view == HYPHEN)
        alone = np.zeros(at.size, bool)
        for neighbour in (view[at - 1], view[at + 1]):
            alone |= (neighbour == SPACE) | (neighbour == HYPHEN)
        view[at[alone]] = SPACE
        return marks

    def gaps(self) -> tuple[Positions, NDArray[np.bool_]]:
        """Where there is white space or a break, and which of them are plain spaces."""
        found = np.flatnonzero(self.codes <= SPACE)
        if not self.is_ascii:
            wide = where(self.codes > 127)
            wide = wide[_white()[self.codes[wide]]]
            found = np.sort(np.concatenate([found, wide])) if wide.size else found
        codes = self.codes[found]
        spaces = codes == SPACE
        other = np.flatnonzero(~spaces)
        control = other[~_white()[codes[other]]]
        return (np.delete(found, control), np.delete(spaces, control)) if control.size else (found, spaces)

    def documents_at(self, places: Positions) -> Positions:
        """The numbers of the documents in which some characters are."""
        found: Positions = np.searchsorted(self.breaks, places) - 1
        return found


def where(mask: NDArray[np.bool_]) -> Positions:
    """The same as ``np.flatnonzero``, several times as fast if few are true."""
    whole = mask.size // 8 * 8
    eights = np.flatnonzero(mask[:whole].view(np.uint64) != 0)
    if eights.size > whole // 128:
        return np.flatnonzero(mask)
    near = np.flatnonzero(mask[:whole].reshape(-1, 8)[eights])
    return np.concatenate([8 * eights[near >> 3] + (near & 7), whole + np.flatnonzero(mask[whole:])])


@functools.cache
def _table() -> NDArray[np.uint8]:
    table = np.full(sys.maxunicode + 1, SPACE, np.uint8)
    assigned = [code for codes in _ASSIGNED for code in codes]
    categories = "".join(map(unicodedata.category, map(chr, assigned)))  # of two letters each
    first = np.frombuffer(categories.encode("ascii"), np.uint8)[::2]
    codes = np.array(assigned)[np.isin(first, [ord(sign) for sign in _IN_WORD])]
    codes = np.append(codes, ord("_"))
    table[codes] = np.where(codes < 128, codes, 128 + codes % 128)
    table[[ord(sign) for sign in HYPHENS]] = HYPHEN
    return table


@functools.cache
def _plain_table() -> bytes:
    """The same for ASCII alone, which needs no table of all characters."""
    return bytes(
        code if code < 128 and (in_word(chr(code)) or code == HYPHEN) else SPACE for code in range(256)
    )


@functools.cache
def _white() -> NDArray[np.bool_]:
    table = np.zeros(sys.maxunicode + 1, bool)
    table[[ord(sign) for sign in BLANK]] = True
    return table


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
