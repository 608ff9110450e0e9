"""Characters of words, each as one byte, so that offsets in bytes are offsets in characters.

Letters, digits, combining marks and the underscore belong to words. ASCII characters are kept;
the others share the upper half of a byte, so that matches of such a byte have to be checked again.
Everything else is a space. A hyphen is kept, and whether it joins depends on its neighbours.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, in_short

SPACE, HYPHEN = ord(" "), ord("-")
BREAK = "\0"
"""The separator of documents, which never occurs inside one."""
HYPHENS = "-\u2010\u2011"
"""Hyphens that may join two words into one: plain, typographic, and non-breaking."""
APOSTROPHES = "'\u2018\u2019"
"""Apostrophes, straight and curly, which count as the same character."""

_ASSIGNED = (*range(0x40000), *range(0xE0000, 0xE1000))
"""Where Unicode has characters; the planes between are empty, those above are private."""
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


def letters(text: str, *, join: bool = True) -> bytes:
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
    signs = b" %b " % signs
    if not join:
        return signs.replace(b"-", b" ")
    if b"-" not in signs:
        return signs
    view = np.frombuffer(signs, np.uint8).copy()
    at = np.flatnonzero(view == HYPHEN)
    alone = np.zeros(at.size, bool)
    for beside in (view[at - 1], view[at + 1]):
        alone |= (beside == SPACE) | (beside == HYPHEN)
    view[at[alone]] = SPACE
    return view.tobytes()


@functools.cache
def _table() -> NDArray[np.uint8]:
    """The byte of every Unicode character."""
    table = np.full(sys.maxunicode + 1, SPACE, np.uint8)
    codes = np.array([code for code in _ASSIGNED if in_word(chr(code))])
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
    return character == "_" or unicodedata.category(character)[0] in "LNM"


_SPLIT = re.compile(r"(\d+)\s*\+\s*(\d+)")
_MOST = 1_000_000

Positions = NDArray[np.int64]


class Window(NamedTuple):
    """How many words are kept on either side; ``None`` for all of the document."""

    left: int | None
    right: int | None

    def __str__(self) -> str:
        return "all" if self.left is None else f"{self.left}+{self.right}"


def parse_window(window: int | str | None) -> Window:
    """Parse a window: a number of words, ``"4+3"``, or ``"all"``.

    Parameters
    ----------
    window
        A number includes the target, which is in the middle; if it is even the left side has one word
        more. ``"4+3"`` keeps four words before the target and three after it. ``"all"`` or ``None`` keeps
        the document.

    Examples
    --------
    >>> parse_window(9), parse_window("4+3")
    (Window(left=4, right=4), Window(left=4, right=3))
    """
    if window is None or window == "all":
        return Window(None, None)
    text = str(window).strip()
    split = _SPLIT.fullmatch(text)
    if split and int(split[1]) <= _MOST and int(split[2]) <= _MOST:
        return Window(int(split[1]), int(split[2]))
    if not isinstance(window, bool) and text.isdecimal() and 1 <= int(text) <= _MOST:
        return Window(int(text) // 2, (int(text) - 1) // 2)
    raise InputError(
        f"the window is {in_short(window)}.",
        hint="give a number of words such as 9, a split such as '4+3', or 'all'.",
    )


NEAR = 40
"""Most words of a window on one side that :func:`beside` is asked for; it takes them one by one."""
_REACH = 12
"""About how many characters a word and a space have, generously."""


def is_near(window: Window) -> bool:
    """Whether a window has so few words that :func:`beside` finds it quickly."""
    return window.left is not None and window.right is not None and max(window) <= NEAR


def beside(text: str, low: int, high: int, target: tuple[int, int], window: Window) -> tuple[str, int]:
    """The words around a target in a text with any white space, and where the target begins among them.

    The same as a window of :class:`Bounds` in the document with single spaces, without these being made.

    Parameters
    ----------
    text
        The text.
    low, high
        Where the document begins and ends.
    target
        Where the target begins and ends in the text.
    window
        The words to keep, few of them (:func:`is_near`).

    Examples
    --------
    >>> beside("we  met\\nAnna's dog", 0, 18, (8, 12), Window(1, 1))
    ("met Anna's dog", 4)
    """
    start, end = target
    left, right = window.left or 0, window.right or 0
    reach = _REACH * (left + 1)
    while True:
        begin = max(low, start - reach)
        head = text[begin:start]
        count = left + (not head[-1:].isspace() and head != "")  # what belongs to the word of the target
        words = head.rsplit(None, count)
        if len(words) > count or begin == low:
            break
        reach *= 4
    before = " ".join(words[len(words) - count :] if len(words) > count else words)
    if before and count == left:
        before += " "
    reach = _REACH * (right + 1)
    while True:
        stop = min(high, end + reach)
        tail = text[end:stop]
        count = right + (not tail[:1].isspace() and tail != "")
        words = tail.split(None, count)
        if len(words) > count or stop == high:
            break
        reach *= 4
    after = " ".join(words[:count])
    if after and count == right:
        after = " " + after
    return before + text[start:end] + after, len(before)


class Bounds:
    """Where the words and the documents of a text begin and end.

    Parameters
    ----------
    text
        Documents with :data:`BREAK` between them, each with single spaces between its words and none at
        its ends.
    """

    def __init__(self, text: str) -> None:
        wide = text.encode("ascii") if text.isascii() else text.encode("utf-32-le")
        codes = np.frombuffer(wide, np.uint8 if text.isascii() else np.uint32)
        breaks = codes == ord(BREAK)
        gaps = np.flatnonzero((codes == ord(" ")) | breaks)
        self._gaps = gaps
        self._starts: Positions = np.concatenate([[0], gaps + 1])
        self._ends: Positions = np.concatenate([gaps, [len(text)]])
        self._breaks = np.flatnonzero(breaks)
        last = np.searchsorted(gaps, self._breaks)
        self._first: Positions = np.concatenate([[0], last + 1])
        self._last: Positions = np.concatenate([last, [gaps.size]])

    def around(self, starts: Positions, ends: Positions, window: Window) -> tuple[Positions, Positions]:
        """Where the windows around some targets begin and end.

        Parameters
        ----------
        starts, ends
            The targets, in characters.
        window
            The words to keep; near the ends of its document a window is shorter.
        """
        document = np.searchsorted(self._breaks, starts)
        low, high = self._first[document], self._last[document]
        if window.left is not None and window.right is not None:
            low = np.maximum(low, np.searchsorted(self._gaps, starts) - window.left)
            high = np.minimum(high, np.searchsorted(self._gaps, ends - 1) + window.right)
        return self._starts[low], self._ends[high]
