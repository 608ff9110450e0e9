"""Whole words and the words around them in blocks of documents, found in the bytes of UTF-8.

It finds what the modules ``matches`` and ``windows`` find, in less time: no text is normalised, and only the
contexts that are kept become strings. Documents that need a closer look, such as those with combining accents
or with a word of a phrase, are left to these modules.
"""

from __future__ import annotations

import functools
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.matches import Positions, plain, scanner
from crossroads.corpus.scripts import is_unspaced
from crossroads.corpus.text import BREAK, HYPHEN, HYPHENS, SPACE, in_word, same_signs
from crossroads.corpus.windows import Window

_BREAK = BREAK.encode()
_WORD, _WHITE, _CLOSER, _KNOWN = 1, 2, 4, 128
"""What is known of a character: it belongs to words, it is white space, it needs a closer look."""
_IS_WHITE = np.array([code == 0 or chr(code).isspace() for code in range(SPACE + 1)])
"""Whether a byte up to the space ends words: white space, and the break between documents."""
_JAMO = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))
"""Letters that compose to syllables of Korean."""
_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""Marks that choose the form of a sign, such as that of an emoji, and never compose."""
_FEW = 2500
"""Bytes for each hit beyond which it takes less time to look for white space around hits alone."""
_REACH = 12
"""About how many bytes a word and a space have, generously."""


class Block:
    """Documents as one string of bytes, with a break before and after each of them.

    Parameters
    ----------
    documents
        The documents.
    """

    def __init__(self, documents: Sequence[str]) -> None:
        self.data = _joined([document.encode() for document in documents])
        if self.data.count(_BREAK) > len(documents) + 1:  # some are in the middle of documents
            self.data = _joined([document.replace(BREAK, " ").encode() for document in documents])
        self.codes: NDArray[np.uint8] = np.frombuffer(self.data, np.uint8)
        beyond = np.flatnonzero(self.codes >= 128)  # the bytes of characters that are not ASCII
        lead = self.codes[beyond] >= 0xC0
        self._leads, self._inner = beyond[lead], beyond[~lead]
        self._flags = _flags(_characters(self.codes, self._leads))

    @functools.cached_property
    def breaks(self) -> Positions:
        """Where the breaks are; document ``i`` is between numbers ``i`` and ``i + 1`` of them."""
        return np.flatnonzero(self.codes == 0)

    @functools.cached_property
    def gaps(self) -> Positions:
        """Where there is white space, a break or a control character."""
        return np.flatnonzero(self.codes <= SPACE)

    def marks(self, *, join: bool) -> bytearray:
        """The bytes with a space for every one that does not belong to a word.

        Parameters
        ----------
        join
            Whether a hyphen between two characters of words makes one word of them.
        """
        marks = bytearray(self.data.translate(_word_table(join)))
        view = np.frombuffer(marks, np.uint8)
        no_word = self._leads[self._flags & _WORD == 0]
        sizes = _size(self.codes[no_word])
        for more in range(4):
            view[no_word[sizes > more] + more] = SPACE
        if join:
            at = np.flatnonzero(view == HYPHEN)
            alone = np.zeros(at.size, bool)
            for neighbour in (view[at - 1], view[at + 1]):
                alone |= (neighbour == SPACE) | (neighbour == HYPHEN)
            view[at[alone]] = SPACE
        return marks

    def with_flag(self, flag: int) -> Positions:
        """Where characters with a flag begin."""
        return self._leads[self._flags & flag > 0]

    def characters(self, begins: Positions, ends: Positions) -> Positions:
        """How many characters there are between some bytes."""
        if not self._inner.size:
            return ends - begins
        return ends - begins - np.searchsorted(self._inner, ends) + np.searchsorted(self._inner, begins)


class Hits(NamedTuple):
    """Positions of forms in a block, in bytes."""

    forms: Positions
    """The number of the form."""
    starts: Positions
    """Its start."""
    ends: Positions
    """Its end."""


class BlockMatcher:
    """Finds whole words in blocks.

    Parameters
    ----------
    forms
        The distinct forms to look for; case matters.
    hyphens
        ``"join"``: *term* is not found in *short-term*; ``"split"``: it is.

    Examples
    --------
    >>> matcher = BlockMatcher(["Anna", "New York"])
    >>> block = Block(["Anna’s way to Boston", "to New  York"])
    >>> hits, closer = matcher.find(block)
    >>> [block.data[start:end] for _, start, end in zip(*hits)], closer.tolist()
    ([b'Anna'], [False, True])
    """

    def __init__(self, forms: Sequence[str], *, hyphens: str = "join") -> None:
        self._join = hyphens == "join"
        written = [same_signs(plain(form)) for form in forms]
        patterns = [_pattern(form, self._join) for form in written]
        self._regular = np.array([regular for _, regular in patterns], bool)
        self._sizes = np.array([len(form.encode()) for form in written], np.int64)
        self._scan = scanner([pattern for pattern, _ in patterns])

    def find(self, block: Block) -> tuple[Hits, NDArray[np.bool_]]:
        """The hits in a block, and which documents need a closer look: no hits in these are returned."""
        forms, stops = self._scan(block.marks(join=self._join))
        regular = self._regular[forms]
        closer = np.zeros(block.breaks.size - 1, bool)
        for places in (stops[~regular] - 2, block.with_flag(_CLOSER)):
            closer[np.searchsorted(block.breaks, places) - 1] = True
        forms, ends = forms[regular], stops[regular] - 1  # a pattern ends with a space
        starts = ends - self._sizes[forms]
        sure = ~closer[np.searchsorted(block.breaks, starts) - 1]
        return Hits(forms[sure], starts[sure], ends[sure]), closer


def contexts(block: Block, hits: Hits, window: Window) -> Iterator[tuple[int, bytes, int, int]]:
    r"""The words around hits, with single spaces between them.

    Parameters
    ----------
    block
        The block.
    hits
        What was found in it.
    window
        How many words to keep, a few on either side.

    Yields
    ------
    tuple
        The form, its context, and where it begins and ends there, in characters.

    Examples
    --------
    >>> block = Block(["we  met\nAnna's dog"])
    >>> hits, _ = BlockMatcher(["Anna"]).find(block)
    >>> list(contexts(block, hits, Window(1, 1)))
    [(0, b"met Anna's dog", 4, 8)]
    """
    forms, starts, ends = hits
    data = block.data
    if forms.size * _FEW < len(data):
        begins, stops, plain_ones = starts, ends, np.zeros(forms.size, bool)
    else:
        begins, stops, plain_ones = _single_spaced(block, starts, ends, window)
    lengths = block.characters(starts, ends)
    offsets = block.characters(begins, starts)
    for form, begin, stop, offset, length, is_plain, start, end in zip(
        *map(np.ndarray.tolist, (forms, begins, stops, offsets, lengths, plain_ones, starts, ends)),
        strict=True,
    ):
        if is_plain:
            yield form, data[begin:stop], offset, offset + length
        else:
            text, at = _beside(data, start, end, window)
            yield form, text.encode(), at, at + length


def _single_spaced(
    block: Block, starts: Positions, ends: Positions, window: Window
) -> tuple[Positions, Positions, NDArray[np.bool_]]:
    """Where windows begin and end, and in which of them there are only single spaces between words."""
    gaps, codes = block.gaps, block.codes
    before, after = np.searchsorted(gaps, starts) - 1, np.searchsorted(gaps, ends)
    begins, plain_before = _edge(codes, gaps, before, -1, window.left or 0)
    stops, plain_after = _edge(codes, gaps, after, 1, window.right or 0)
    kept = plain_before & plain_after
    wide = block.with_flag(_WHITE)
    if wide.size:  # white space that is not ASCII is no gap
        kept &= np.searchsorted(wide, begins) == np.searchsorted(wide, stops)
    return begins + 1, stops, kept


def _edge(
    codes: NDArray[np.uint8], gaps: Positions, nearest: Positions, step: int, words: int
) -> tuple[Positions, NDArray[np.bool_]]:
    """The gap at which a window ends on one side, and whether gaps inside of it are single spaces.

    Parameters
    ----------
    codes, gaps
        The bytes, and which of them are gaps.
    nearest
        For each hit the number of the gap next to it.
    step
        -1 to go to the left, 1 to the right.
    words
        How many words to go.
    """
    order = np.arange(words + 1)
    places = gaps[np.clip(nearest[:, None] + step * order, 0, gaps.size - 1)]
    signs = codes[places]
    end = signs == 0
    last = np.where(end.any(axis=1), end.argmax(axis=1), words)[:, None]
    rows = np.arange(nearest.size)
    inside = order < last
    single = (signs == SPACE) | ~inside
    apart = (np.abs(np.diff(places, axis=1)) > 1) | ~inside[:, :-1]
    kept = single.all(axis=1) & apart.all(axis=1) & _IS_WHITE[signs[rows, last[:, 0]]]
    return places[rows, last[:, 0]], kept


def _beside(data: bytes, start: int, end: int, window: Window) -> tuple[str, int]:
    """The words around a hit whatever white space there is, and where the hit begins among them."""
    left, right = window.left or 0, window.right or 0
    reach = _REACH * (left + 1)
    while True:
        head = data[max(start - reach, 0) : start].rpartition(_BREAK)
        # a character that is cut belongs to a word that is not taken
        text = head[2].decode("utf-8", "ignore")
        count = left if not text or text[-1].isspace() else left + 1  # with what the hit is joined to
        words = text.rsplit(None, count)
        if len(words) > count:
            del words[0]
        elif not head[1]:
            reach *= 4
            continue
        break
    before = " ".join(words) + " " if count == left and words else " ".join(words)
    reach = _REACH * (right + 1)
    while True:
        tail = data[end : end + reach].partition(_BREAK)
        text = tail[0].decode("utf-8", "ignore")
        count = right if not text or text[0].isspace() else right + 1
        words = text.split(None, count)
        if len(words) > count:
            del words[-1]
        elif not tail[1]:
            reach *= 4
            continue
        break
    after = " " + " ".join(words) if count == right and words else " ".join(words)
    return f"{before}{data[start:end].decode()}{after}", len(before)


def _joined(documents: Sequence[bytes]) -> bytes:
    return _BREAK.join([b"", *documents, b""])


def _pattern(form: str, join: bool) -> tuple[bytes, bool]:
    """What to look for in marks to find a form, and whether that is the form and nothing else.

    Otherwise it is the longest word of the form: documents that hold it need a closer look.
    """
    block = Block([form])
    marks = bytes(block.marks(join=join))
    free = is_unspaced(form[0]), is_unspaced(form[-1])  # in running text there are letters beside it
    words = marks.split()
    if words == [form.encode()] and not any(free) and not block.with_flag(_CLOSER).size:
        return marks, True
    number = max(range(len(words)), key=lambda i: len(words[i]))
    before = b"" if number == 0 and free[0] else b" "
    after = b"" if number == len(words) - 1 and free[1] else b" "
    return before + words[number] + after, False


@functools.cache
def _word_table(join: bool) -> bytes:
    """For each byte itself or a space; those of characters beyond ASCII are kept."""
    return bytes(
        code if code >= 128 or in_word(chr(code)) or (join and code == HYPHEN) else SPACE
        for code in range(256)
    )


def _size(leads: NDArray[np.uint8]) -> NDArray[np.int64]:
    """How many bytes characters have that begin with some bytes beyond ASCII."""
    sizes: NDArray[np.int64] = np.add(leads >= 0xE0, leads >= 0xF0, dtype=np.int64) + 2
    return sizes


def _characters(codes: NDArray[np.uint8], leads: Positions) -> Positions:
    """The characters that begin at some bytes beyond ASCII."""
    first = codes[leads].astype(np.int64)
    sizes = _size(codes[leads])
    found: Positions = first & np.array([0, 0, 0x1F, 0x0F, 0x07])[sizes]
    for more in (1, 2, 3):
        there = sizes > more
        found[there] = (found[there] << 6) | (codes[leads[there] + more] & 0x3F)
    return found


@functools.cache
def _known() -> NDArray[np.uint8]:
    """The flags of all characters, of which those that were met are filled in."""
    return np.zeros(sys.maxunicode + 1, np.uint8)


def _flags(characters: Positions) -> NDArray[np.uint8]:
    """What is known of some characters beyond ASCII."""
    known = _known()
    found = known[characters]
    if not found.all():
        for code in np.unique(characters[found == 0]).tolist():
            known[code] = _KNOWN | _flag(chr(code))
        found = known[characters]
    return found


def _flag(sign: str) -> int:
    """The flags of a character."""
    code = ord(sign)
    composes = (
        any(low <= code <= high for low, high in _JAMO)
        or not unicodedata.is_normalized("NFC", sign)
        or (unicodedata.category(sign)[0] == "M" and not any(a <= code <= b for a, b in _SELECTORS))
    )
    closer = composes or sign in HYPHENS
    return _WORD * in_word(sign) | _WHITE * sign.isspace() | _CLOSER * closer
