"""Whole words in long texts, all of them in one pass.

Every stimulus becomes a pattern with a space on either side, and the text a copy in which whatever is not
part of a word is a space; so an automaton (Aho and Corasick 1975) reports only whole words. Patterns that
hold more than plain letters are compared with the text itself again, and those that begin or end with
punctuation must not continue there: *.NET* is not found in *ASP.NET*, nor *C++* in *C+++*. Where a stimulus
begins or ends with a letter of a script without spaces, its pattern has no space there: in running text
*医生* is found in *我喜欢医生的工作*.

Most stimuli are found in documents as they are written. Only documents that may hold a phrase, whose words
may have any white space between them, or a word in running text, are written with single spaces first.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.corpus.text import (
    SPACE,
    UNITS,
    WORD_OF_ITS_OWN,
    Positions,
    Text,
    binds,
    cost,
    in_running_text,
    in_word,
    is_unspaced,
    plain,
    same_signs,
)
from crossroads.core.errors import InputError, MissingExtraError, in_short, require


class Matches(NamedTuple):
    """Positions of forms in a text."""

    forms: Positions  # the number of the form
    starts: Positions  # its start, in characters
    ends: Positions  # its end

    def where(self, chosen: NDArray[np.bool_]) -> Matches:
        """Some of the matches."""
        return Matches(self.forms[chosen], self.starts[chosen], self.ends[chosen])


class Matcher:
    """Finds whole words and phrases.

    Forms are distinct, and case matters. With hyphens that ``"join"``, *term* is not found in *short-term*;
    with ``"split"`` it is.

    Examples
    --------
    >>> matcher = Matcher(["Anna", "New York"])
    >>> text = Text(["Anna's way to New", "York; Joanna's to New York"])
    >>> [text.text[start:end] for _, start, end in zip(*matcher.find(text))]
    ['Anna', 'New York']
    """

    def __init__(self, forms: Sequence[str], *, hyphens: str = "join") -> None:
        self._join = hyphens == "join"
        self._written = [same_signs(plain(form)) for form in forms]
        marked = [bytes(Text([form]).marks(join=self._join)) for form in self._written]
        for form, mark in zip(forms, marked, strict=True):
            if not mark.strip():
                reason = f"{form!r} has no letter and no digit, so it cannot be looked for."
                raise InputError(reason, hint="leave it out.")
        # punctuation before and after the letters of a form, such as that of 'C++'
        self._before = np.array([len(m) - len(m.lstrip()) - 1 for m in marked], np.int64)
        self._after = np.array([len(m) - len(m.rstrip()) - 1 for m in marked], np.int64)
        pairs = list(zip(self._written, marked, strict=True))
        self._doubtful = np.array([not w.isascii() or m != f" {w} ".encode() or " " in w for w, m in pairs])
        self._signed = (self._before > 0) | (self._after > 0)
        self._sizes = np.array([len(mark.strip()) for mark in marked], np.int64)
        free = [_free_edges(form, mark) for form, mark in pairs]
        self._free = np.array(free, np.int64).reshape(-1, 2)  # at the beginning, and at the end
        self._patterns = [
            b" " * (not a) + mark.strip() + b" " * (not b) for mark, (a, b) in zip(marked, free, strict=True)
        ]
        self._simple = np.array([" " not in w for w in self._written]) & ~self._free.any(axis=1)

    @functools.cached_property
    def _scan(self) -> Scanner:
        return scanner(self._patterns)

    @functools.cached_property
    def _scan_as_written(self) -> Scanner:
        """The same with the longest word of every form that is not simple."""
        if self._simple.all():
            return self._scan
        pairs = zip(self._patterns, self._simple, strict=True)
        return scanner([pattern if simple else _longest_word(pattern) for pattern, simple in pairs])

    def find(self, text: Text) -> Matches:
        """Find every form in documents that are :func:`plain`."""
        marks = text.marks(join=self._join)
        matches = self._confirmed(text.text, *self._scan(marks))
        kept = np.ones(matches.forms.size, bool)
        for at in self.unspaced(matches):
            kept[at] = _may_stand(text.text, marks, int(matches.starts[at]), int(matches.ends[at]))
        return matches if kept.all() else matches.where(kept)

    def find_as_written(self, text: Text) -> tuple[Matches, NDArray[np.bool_]]:
        """Find simple forms in documents with any white space; and which documents may hold others."""
        forms, stops = self._scan_as_written(text.marks(join=self._join))
        simple = self._simple[forms]
        others = np.zeros(text.breaks.size - 1, bool)
        others[text.documents_at(stops[~simple] - 1)] = True
        matches = self._confirmed(text.text, forms[simple], stops[simple])
        return matches.where(~others[text.documents_at(matches.starts)]), others

    def unspaced(self, matches: Matches) -> Positions:
        """The numbers of the matches that begin or end in a script without spaces."""
        return np.flatnonzero(self._free[matches.forms].any(axis=1))

    def _confirmed(self, text: str, forms: Positions, stops: Positions) -> Matches:
        """The matches of forms that are in the text itself; their marks end at ``stops``."""
        last = stops - 1 + self._free[forms, 1]  # without the space at the end of a pattern
        starts, ends = last - self._sizes[forms] - self._before[forms], last + self._after[forms]
        kept = (starts > 0) & (ends < len(text))
        for at in np.flatnonzero(kept & self._doubtful[forms]):
            kept[at] = same_signs(text[starts[at] : ends[at]]) == self._written[forms[at]]
        for at in np.flatnonzero(kept & self._signed[forms]):
            kept[at] = self._is_separate(text, forms[at], starts[at], ends[at])
        return Matches(forms, starts, ends).where(kept)

    def _is_separate(self, text: str, form: int, start: int, end: int) -> bool:
        """Whether a form that begins or ends with punctuation is not part of something longer."""
        before, after = text[start - 1], text[end]
        if self._before[form] and in_word(before):
            return False
        return not self._after[form] or not (in_word(after) or same_signs(after) == self._written[form][-1])


def _may_stand(text: str, marks: bytearray, start: int, end: int) -> bool:
    """Whether a form in a script without spaces is a word, or in running text without cutting a letter."""
    if marks[start - 1] == SPACE == marks[end]:
        return True
    cut = binds(text[start - 1], text[start]) or binds(text[end - 1], text[end])
    return not cut and in_running_text(text, start, end)


def _longest_word(pattern: bytes) -> bytes:
    words = pattern.split(b" ")
    at = max(range(len(words)), key=lambda number: len(words[number]))
    return b" " * (at > 0) + words[at] + b" " * (at < len(words) - 1)


def _free_edges(form: str, mark: bytes) -> tuple[bool, bool]:
    """Whether a form begins, and whether it ends, with a letter of a script without spaces."""
    first, last = len(mark) - len(mark.lstrip()) - 1, len(mark.rstrip()) - 2
    return (first == 0 and is_unspaced(form[0]), last == len(form) - 1 and is_unspaced(form[-1]))


Scanner = Callable[[bytearray], tuple[Positions, Positions]]
"""Returns the number of each pattern found in some bytes, and where it ends."""


def scanner(patterns: Sequence[bytes]) -> Scanner:
    """A function that finds patterns, also those that overlap, by Hyperscan if it is there and runs here."""
    return _by_hyperscan(patterns) or _by_automaton(patterns)


def _by_hyperscan(patterns: Sequence[bytes]) -> Scanner | None:
    """Several times as fast; not every machine has a wheel of it, or the instructions that it needs."""
    try:
        hyperscan = require("hyperscan", extra="corpora", purpose="finding words in less time")
    except MissingExtraError:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    count = len(patterns)
    options = {"ids": list(range(count)), "elements": count, "flags": [0] * count, "literal": True}
    try:
        database.compile(expressions=list(patterns), **options)
    except hyperscan.error:
        return None

    def scan(data: bytearray) -> tuple[Positions, Positions]:
        numbers: list[int] = []
        stops: list[int] = []

        def tell(number: int, _start: int, stop: int, _flags: int, _context: object) -> None:
            numbers.append(number)
            stops.append(stop)

        database.scan(data, match_event_handler=tell)
        return np.array(numbers, np.int64), np.array(stops, np.int64)

    return scan


def _by_automaton(patterns: Sequence[bytes]) -> Scanner:
    package = require("ahocorasick_rs", extra="corpus", purpose="searching a corpus")
    automaton = package.BytesAhoCorasick(list(patterns), implementation=package.Implementation.DFA)

    def scan(data: bytearray) -> tuple[Positions, Positions]:
        table = np.array(automaton.find_matches_as_indexes(data, overlapping=True), np.int64).reshape(-1, 3)
        return table[:, 0], table[:, 2]

    return scan


_SPLIT = re.compile(r"(\d+)\s*\+\s*(\d+)")
_MOST, _NEAR = 1_000_000, 40

Row = tuple[int, str, int, int]  # the number of a form, a context, and where the form begins and ends in it


class Window(NamedTuple):
    """How many words are kept on either side; ``None`` for all of the document."""

    left: int | None
    right: int | None

    def __str__(self) -> str:
        return "all" if self.left is None else f"{self.left}+{self.right}"


def parse_window(window: int | str | None) -> Window:
    """Parse a window: a number of words, ``"4+3"``, or ``"all"``.

    A number includes the target, which is in the middle; if it is even the left side has one word more.
    ``"4+3"`` keeps four words before the target and three after it. ``"all"`` or ``None`` keeps the document.

    Examples
    --------
    >>> parse_window(9), parse_window("4+3")
    (Window(left=4, right=4), Window(left=4, right=3))
    """
    if window is None or window == "all":
        return Window(None, None)
    text = str(window).strip()
    if (split := _SPLIT.fullmatch(text)) and max(int(split[1]), int(split[2])) <= _MOST:
        return Window(int(split[1]), int(split[2]))
    if text.isdecimal() and 1 <= int(text) <= _MOST:
        return Window(int(text) // 2, (int(text) - 1) // 2)
    hint = "give a number of words such as 9, a split such as '4+3', or 'all'."
    raise InputError(f"the window is {in_short(window)}.", hint=hint)


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
    others, without their marks.

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
