"""The words around a word."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.letters import BREAK
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
    """Understand a window: a number of words, ``"4+3"``, or ``"all"``.

    Parameters
    ----------
    window
        A number counts the target, which stands in the middle; if it is even the left side has one word
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
            How much to keep; near the ends of its document a window is shorter.
        """
        document = np.searchsorted(self._breaks, starts)
        low, high = self._first[document], self._last[document]
        if window.left is not None and window.right is not None:
            low = np.maximum(low, np.searchsorted(self._gaps, starts) - window.left)
            high = np.minimum(high, np.searchsorted(self._gaps, ends - 1) + window.right)
        return self._starts[low], self._ends[high]
