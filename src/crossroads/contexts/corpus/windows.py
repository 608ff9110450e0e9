"""Windows: the words that are kept around a target."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crossroads.contexts.corpus.matches import Matches
from crossroads.contexts.corpus.scripts import (
    UNITS,
    WORD_OF_ITS_OWN,
    binds,
    cost,
    in_running_text,
    is_unspaced,
)
from crossroads.contexts.corpus.text import Positions, Text
from crossroads.core.errors import InputError, in_short

_SPLIT = re.compile(r"(\d+)\s*\+\s*(\d+)")
_MOST, _NEAR = 1_000_000, 40

Row = tuple[int, str, int, int]
"""The number of a form, a context, and where the form begins and ends in it."""


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


def is_near(window: Window) -> bool:
    """Whether a window has so few words that it may be cut out and written with single spaces by itself."""
    return window.left is not None and window.right is not None and max(window.left, window.right) <= _NEAR


class Words:
    """Where the words and the documents of a text begin and end."""

    def __init__(self, text: Text) -> None:
        self._text, self._breaks = text.text, text.breaks
        gaps, spaces = text.gaps()
        apart = np.diff(gaps) > 1
        self._starts, self._ends = gaps[:-1][apart] + 1, gaps[1:][apart]
        self._odd = gaps[1:][~(apart & spaces[1:])]
        first = np.searchsorted(self._starts, self._breaks)
        self._first, self._last = first[:-1], first[1:] - 1

    def around(self, matches: Matches, window: Window, unspaced: Positions) -> tuple[Positions, Positions]:
        """Where the windows around matches begin and end; those of ``unspaced`` by :func:`running_window`."""
        _, starts, ends = matches
        document = np.searchsorted(self._breaks, starts) - 1
        low, high = self._first[document], self._last[document]
        if window.left is not None and window.right is not None:
            low = np.maximum(low, np.searchsorted(self._starts, starts, "right") - 1 - window.left)
            high = np.minimum(high, np.searchsorted(self._ends, ends) + window.right)
        begins, stops = self._starts[low], self._ends[high]
        for at in () if window.left is None else unspaced.tolist():
            first, last = self._starts[self._first[document[at]]], self._ends[self._last[document[at]]]
            target = int(starts[at]), int(ends[at])
            begins[at], stops[at] = running_window(self._text, int(first), int(last), target, window)
        return begins, stops

    def contexts(self, matches: Matches, window: Window, unspaced: Positions) -> Iterator[Row]:
        """The words around matches with single spaces between them; neighbours may share one string."""
        begins, stops = self.around(matches, window, unspaced)
        is_single = np.searchsorted(self._odd, begins) == np.searchsorted(self._odd, stops)
        text, shared, last_begin, last_stop = self._text, "", -1, -1
        columns = map(np.ndarray.tolist, (*matches, begins, stops, is_single))
        for form, start, end, begin, stop, single in zip(*columns, strict=True):
            if not single:
                before, after = _single_spaces(text[begin:start]), _single_spaces(text[end:stop])
                yield form, f"{before}{text[start:end]}{after}", len(before), len(before) + end - start
                continue
            if begin != last_begin or stop != last_stop:
                shared, last_begin, last_stop = text[begin:stop], begin, stop
            yield form, shared, start - begin, end - begin


def _single_spaces(side: str) -> str:
    """What is before or after a match, with one space for any white space."""
    return " ".join(f"|{side}|".split())[1:-1]  # the bars keep the white space at the ends


def _words_taken(side: str, words: int, running: bool) -> int:
    """How many characters some words take of the text after a target, or of that before it in reverse."""
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
