"""Windows: the words that are kept around a target."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.scripts import UNITS, WORD_OF_ITS_OWN, binds, cost, in_running_text, is_unspaced
from crossroads.corpus.text import BREAK
from crossroads.errors import InputError, in_short

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
"""Most words of a window on one side that are looked for in blocks."""


def is_near(window: Window) -> bool:
    """Whether a window has so few words that it is found quickly in blocks."""
    left, right = window
    return left is not None and right is not None and max(left, right) <= NEAR


class Bounds:
    """Where the words and the documents of a text begin and end.

    Parameters
    ----------
    text
        Documents with :data:`BREAK` between them, each with single spaces between its words and none at
        its ends.
    """

    def __init__(self, text: str) -> None:
        self._text = text
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

    def around(
        self, starts: Positions, ends: Positions, window: Window, unspaced: Positions | None = None
    ) -> tuple[Positions, Positions]:
        """Where the windows around some targets begin and end.

        Parameters
        ----------
        starts, ends
            The targets, in characters.
        window
            The words to keep; near the ends of its document a window is shorter.
        unspaced
            Numbers of targets in scripts without spaces, whose windows are those of :func:`running_window`.
        """
        document = np.searchsorted(self._breaks, starts)
        low, high = self._first[document], self._last[document]
        if window.left is not None and window.right is not None:
            low = np.maximum(low, np.searchsorted(self._gaps, starts) - window.left)
            high = np.minimum(high, np.searchsorted(self._gaps, ends - 1) + window.right)
        begins, stops = self._starts[low], self._ends[high]
        for at in () if unspaced is None or window.left is None else unspaced.tolist():
            first, last = self._starts[self._first[document[at]]], self._ends[self._last[document[at]]]
            target = int(starts[at]), int(ends[at])
            begins[at], stops[at] = running_window(self._text, int(first), int(last), target, window)
        return begins, stops


def _words_taken(side: str, words: int, running: bool) -> int:
    """How many characters of a text beside a target some words take.

    Parameters
    ----------
    side
        The text after the target, or the text before it in reverse.
    words
        How many words to take, besides what belongs to the word of the target.
    running
        Whether the target is inside of running text of a script without spaces.
    """
    left, taken = words * UNITS, 0
    for number, token in enumerate(side.split(" ")):
        if number:
            running = len(token) > WORD_OF_ITS_OWN and any(map(is_unspaced, token))
        inside = False  # a word of another script
        for at, sign in enumerate(token):
            if running:
                price, inside = cost(sign, inside)
            else:
                price = UNITS if number and not at else 0
            if price > left:
                return taken
            left -= price
            taken += 1
        taken += 1  # the space
    return taken - 1


def running_window(
    text: str, low: int, high: int, target: tuple[int, int], window: Window
) -> tuple[int, int]:
    """Where the window around a target in a script without spaces begins and ends.

    In running text of such scripts two letters of Chinese or Japanese count as a word, and four of the
    others, without their marks; everything else is as in :class:`Bounds`.

    Parameters
    ----------
    text
        Documents with single spaces and :data:`BREAK` between them.
    low, high
        Where the document begins and ends.
    target
        Where the target begins and ends.
    window
        The words to keep.

    Examples
    --------
    >>> text = "我姐姐说她很喜欢医生的工作，因为她想帮助人"
    >>> begin, stop = running_window(text, 0, len(text), (8, 10), Window(2, 2))
    >>> text[begin:stop]
    '她很喜欢医生的工作，因'
    """
    if window.left is None or window.right is None:
        return low, high
    start, end = target
    running = in_running_text(text, start, end)
    before = _taken(
        lambda reach: text[max(low, start - reach) : start][::-1], window.left, running, start - low
    )
    after = _taken(lambda reach: text[end : min(high, end + reach)], window.right, running, high - end)
    begin, stop = start - before, end + after
    while begin < start and (text[begin] == " " or binds("", text[begin])):
        begin += 1
    while stop > end and (text[stop - 1] == " " or binds(text[stop - 1], "")):
        stop -= 1
    return begin, stop


def _taken(side: Callable[[int], str], words: int, running: bool, most: int) -> int:
    """The same as :func:`_words_taken`, from no more of the document than is needed."""
    reach = 16 * (words + 1)
    while (taken := _words_taken(side(reach), words, running)) >= reach and reach < most:
        reach *= 4
    return taken
