"""Characters of words, each as one byte, so that offsets in bytes are offsets in characters.

Letters, digits, combining marks and the underscore belong to words. ASCII characters are kept;
the others share the upper half of a byte, so that matches of such a byte have to be checked again.
Everything else is a space. A hyphen is kept, and whether it joins depends on its neighbours.
"""

from __future__ import annotations

import functools
import sys
import unicodedata

import numpy as np
from numpy.typing import NDArray

SPACE, HYPHEN = ord(" "), ord("-")
BREAK = "\0"
"""The separator of documents, which never occurs inside one."""
HYPHENS = "-\u2010\u2011"
"""Hyphens that may join two words into one: plain, typographic, and non-breaking."""
APOSTROPHES = "'\u2018\u2019"
"""Apostrophes, straight and curly, which count as the same character."""

_ASSIGNED = (range(0x40000), range(0xE0000, 0xE1000))
"""Where Unicode has characters; the planes between are empty, those above are private."""
_IN_WORD = "LNM"
"""First letters of the categories of characters that belong to words: letters, numbers and marks."""
_WHITE = bytes(SPACE if code < 128 and chr(code).isspace() else code for code in range(256))
_SAME = str.maketrans(dict.fromkeys(HYPHENS, "-") | dict.fromkeys(APOSTROPHES, "'"))


def same_signs(text: str) -> str:
    """Replace all kinds of hyphens and apostrophes by one each, character for character.

    Examples
    --------
    >>> same_signs("O’Brien")
    "O'Brien"
    """
    return text if text.isascii() else text.translate(_SAME)


def composed(text: str) -> str:
    """Compose letters and their accents (NFC); text in ASCII is unchanged."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def single_spaces(text: str) -> str:
    """Trim a text and write every run of white space as one space."""
    return " ".join(text.split())


def single_spaces_in_all(documents: list[str]) -> str:
    """Documents in ASCII as one text, each with single spaces, :data:`BREAK` between them and no empty ones.

    The same as :func:`single_spaces` of each of them, in one pass.
    """
    text = BREAK.join(documents)
    if text.count(BREAK) > len(documents) - 1 and documents:  # some are in the middle of documents
        text = BREAK.join([document.replace(BREAK, " ") for document in documents])
    codes = np.frombuffer(bytearray(text.encode("ascii").translate(_WHITE)), np.uint8)
    gap = (codes == SPACE) | (codes == ord(BREAK))
    more = np.flatnonzero(gap[:-1] & gap[1:])  # gaps followed by another gap
    if more.size:
        # a run of gaps becomes its last one, which is a break if any of them is
        last = np.flatnonzero(np.append(np.diff(more) > 1, True))
        breaks = np.flatnonzero(codes[more] == ord(BREAK))
        codes[more[last[np.searchsorted(last, breaks)]] + 1] = ord(BREAK)
        codes = np.delete(codes, more)
    return codes.tobytes().strip(b" \0").decode("ascii")


def letters(text: str, *, join: bool = True) -> bytearray:
    """One byte for each character of a text with single spaces, and a space before and after it.

    Parameters
    ----------
    text
        The text.
    join
        Whether a hyphen between two characters of words makes one word of them.

    Examples
    --------
    >>> letters("a short-term plan - Anna's").decode()
    ' a short-term plan   Anna s '
    >>> letters("a short-term plan", join=False).decode()
    ' a short term plan '
    """
    if text.isascii():
        signs = text.encode("ascii").translate(_plain_table())
    else:
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        signs = _table()[codes].tobytes()
    marked = bytearray(b" ") * (len(text) + 2)
    marked[1:-1] = signs if join else signs.replace(b"-", b" ")
    if join and HYPHEN in marked:
        view = np.frombuffer(marked, np.uint8)
        at = where(view == HYPHEN)
        alone = np.zeros(at.size, bool)
        for beside in (view[at - 1], view[at + 1]):
            alone |= (beside == SPACE) | (beside == HYPHEN)
        view[at[alone]] = SPACE
    return marked


def where(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The same as ``np.flatnonzero``, several times as fast if few are true.

    Examples
    --------
    >>> where(np.array([False] * 20 + [True])).tolist()
    [20]
    """
    whole = mask.size // 8 * 8
    some = np.flatnonzero(mask[:whole].view(np.uint64) != 0)  # eight at once
    if some.size > whole // 128:
        return np.flatnonzero(mask)
    near = np.flatnonzero(mask[:whole].reshape(-1, 8)[some])
    return np.concatenate([8 * some[near >> 3] + (near & 7), whole + np.flatnonzero(mask[whole:])])


@functools.cache
def _table() -> NDArray[np.uint8]:
    """The byte of every Unicode character."""
    table = np.full(sys.maxunicode + 1, SPACE, np.uint8)
    assigned = [code for some in _ASSIGNED for code in some]
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


def in_word(character: str) -> bool:
    """Whether a character belongs to words."""
    return character == "_" or unicodedata.category(character)[0] in _IN_WORD
