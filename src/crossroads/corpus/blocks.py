"""Whole words and the words around them in blocks of documents, found in the bytes of UTF-8.

It finds what the modules ``matches`` and ``windows`` find, in less time: no text is normalised, and only the
contexts that are kept become strings. The texts of JSON lines are even searched as they are written, with
their escapes. Documents that need a closer look, such as those with combining accents or with a word of a
phrase, are left to the other modules.
"""

from __future__ import annotations

import functools
import itertools
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.matches import Positions, plain, scanner
from crossroads.corpus.records import Quoted
from crossroads.corpus.scripts import is_unspaced
from crossroads.corpus.text import BREAK, HYPHEN, HYPHENS, SPACE, in_word, same_signs, where
from crossroads.corpus.windows import Window

_BREAK, _ESCAPE = BREAK.encode(), ord("\\")
_WORD, _WHITE, _CLOSER, _SPELLED, _KNOWN = 1, 2, 4, 8, 128
"""What is known of a character: it belongs to words, it is white space, it needs a closer look, it belongs to
words and is written as an escape."""
_IS_WHITE = np.array([code == 0 or chr(code).isspace() for code in range(SPACE + 1)])
"""Whether a byte up to the space ends words: white space, and the break between documents."""
_BEGINS_TEXT = np.array([code < 128 and chr(code).isalnum() for code in range(256)])
"""Whether a byte shows that the text that it begins is not empty."""
_WHITE_ESCAPES = [ord(sign) for sign in "nrtf"]
_HEX = np.array([int(chr(code), 16) if chr(code) in "0123456789abcdefABCDEF" else 0 for code in range(256)])
_JAMO = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))
"""Letters that compose to syllables of Korean."""
_SELECTORS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
"""Marks that choose the form of a sign, such as that of an emoji, and never compose."""
_FEW = 2500
"""Bytes for each hit beyond which it takes less time to look for white space around hits alone."""
_REACH = 12
"""About how many bytes a word and a space have, generously."""

Codes = NDArray[np.uint8]


Row = tuple[int, bytes | bytearray, int, int]
"""The number of a form, a context in UTF-8, and where the form begins and ends in it, in characters."""


class Signs(NamedTuple):
    """Characters that are written with several bytes: beyond ASCII, or as escapes."""

    places: Positions
    """Where they begin, in order."""
    sizes: Positions
    """How many bytes each has."""
    flags: Codes
    """What is known of each."""


class Block:
    """Documents as one string of bytes, with a break before and after each of them.

    Parameters
    ----------
    data
        The bytes.
    breaks
        Where the breaks are; document ``i`` is between numbers ``i`` and ``i + 1`` of them.
    signs
        Characters that are written with several bytes.
    decode
        Makes a string of some bytes, if these are not plain UTF-8.
    """

    def __init__(
        self, data: bytearray, breaks: Positions, signs: Signs, decode: Callable[[bytes], str] | None = None
    ) -> None:
        self.data, self.breaks, self.signs = data, breaks, signs
        self.codes: Codes = np.frombuffer(data, np.uint8)
        self._decode = decode

    @classmethod
    def of_texts(cls, documents: Sequence[str]) -> Block:
        """The block of some texts."""
        data = _joined([document.encode() for document in documents])
        if data.count(_BREAK) > len(documents) + 1:  # some are in the middle of documents
            data = _joined([document.replace(BREAK, " ").encode() for document in documents])
        codes: Codes = np.frombuffer(data, np.uint8)
        return cls(data, where(codes == 0), _beyond_ascii(codes))

    @classmethod
    def of_quoted(cls, quoted: Quoted) -> Block:
        """The block of texts as JSON writes them; the quotation marks become further breaks."""
        codes: Codes = np.frombuffer(quoted.data, np.uint8)
        breaks = quoted.breaks
        codes[breaks[:-1] + 1] = codes[breaks[1:] - 1] = 0
        escapes = _escapes(codes)
        others = _beyond_ascii(codes)
        if others.places.size:
            order = np.argsort(np.concatenate([escapes.places, others.places]), kind="stable")
            pairs = zip(escapes, others, strict=True)
            escapes = Signs(*(np.concatenate(list(pair))[order] for pair in pairs))
        return cls(quoted.data, breaks, escapes, quoted.decode)

    @functools.cached_property
    def gaps(self) -> Positions:
        """Where there is white space, a break or a control character."""
        return np.flatnonzero(self.codes <= SPACE)

    @functools.cached_property
    def _surplus(self) -> Positions:
        """How many bytes there are more than characters before each of the signs, and in all."""
        return np.concatenate([[0], np.cumsum(self.signs.sizes - 1)])

    def marks(self, *, join: bool) -> bytearray:
        """The bytes with a space for every one that does not belong to a word.

        Parameters
        ----------
        join
            Whether a hyphen between two characters of words makes one word of them.
        """
        marks = self.data.translate(_word_table(join))
        view: Codes = np.frombuffer(marks, np.uint8)
        for flag, value in ((0, SPACE), (_WORD | _SPELLED, 255)):  # 255 is in no text
            which = self.signs.flags & (_WORD | _SPELLED) == flag
            places, sizes = self.signs.places[which], self.signs.sizes[which]
            for more in range(int(sizes.max(initial=0))):
                view[places[sizes > more] + more] = value
        if join:
            at = where(view == HYPHEN)
            alone = np.zeros(at.size, bool)
            for neighbour in (view[at - 1], view[at + 1]):
                alone |= (neighbour == SPACE) | (neighbour == HYPHEN)
            view[at[alone]] = SPACE
        return marks

    def with_flag(self, flag: int) -> Positions:
        """Where characters with a flag begin."""
        return self.signs.places[self.signs.flags & flag > 0]

    def characters(self, begins: Positions, ends: Positions) -> Positions:
        """How many characters there are between some bytes."""
        if not self.signs.places.size:
            return ends - begins
        more, places = self._surplus, self.signs.places
        return ends - begins - more[np.searchsorted(places, ends)] + more[np.searchsorted(places, begins)]

    def text(self, data: bytes | bytearray) -> str:
        """The text of some of the bytes."""
        if self._decode is None or _ESCAPE not in data:
            return data.decode()
        return self._decode(b'"' + data + b'"')

    def document(self, number: int) -> str:
        """The text of a document."""
        begin, stop = self.breaks[number : number + 2]
        return self.text(self.data[begin + 1 : stop].strip(_BREAK))

    def totals(self) -> tuple[int, int]:
        """How many documents have text in them, and their characters."""
        quotes = 0 if self._decode is None else 1
        count = self.breaks.size - 1
        size = len(self.data) - self.breaks.size - 2 * quotes * count - int(self._surplus[-1])
        first = self.codes[self.breaks[:-1] + 1 + quotes]
        for number in np.flatnonzero(~_BEGINS_TEXT[first]).tolist():
            text = self.document(number)
            if not text.replace(BREAK, " ").strip():
                count -= 1
                size -= len(text)
        return count, size


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
    >>> block = Block.of_texts(["Anna’s way to Boston", "to New  York"])
    >>> hits, closer = matcher.find(block)
    >>> [block.data[start:end].decode() for _, start, end in zip(*hits)], closer.tolist()
    (['Anna'], [False, True])
    """

    def __init__(self, forms: Sequence[str], *, hyphens: str = "join") -> None:
        self._join = hyphens == "join"
        written = [same_signs(plain(form)) for form in forms]
        patterns = [_pattern(form, self._join) for form in written]
        self._regular = np.array([regular for _, regular in patterns], bool)
        self._sizes = np.array([len(form.encode()) for form in written], np.int64)
        self._scan = scanner([pattern for pattern, _ in patterns])
        plain_forms = all(form.isascii() for form in written)
        self._closer = _CLOSER if plain_forms else _CLOSER | _SPELLED

    def find(self, block: Block) -> tuple[Hits, NDArray[np.bool_]]:
        """The hits in a block, and which documents need a closer look: no hits in these are returned."""
        forms, stops = self._scan(block.marks(join=self._join))
        regular = self._regular[forms]
        closer = np.zeros(block.breaks.size - 1, bool)
        for places in (stops[~regular] - 2, block.with_flag(self._closer)):
            closer[np.searchsorted(block.breaks, places) - 1] = True
        forms, ends = forms[regular], stops[regular] - 1  # a pattern ends with a space
        starts = ends - self._sizes[forms]
        sure = ~closer[np.searchsorted(block.breaks, starts) - 1]
        return Hits(forms[sure], starts[sure], ends[sure]), closer


def contexts(block: Block, hits: Hits, window: Window) -> Iterator[Row]:
    r"""The words around hits, with single spaces between them.

    Parameters
    ----------
    block
        The block.
    hits
        What was found in it.
    window
        How many words to keep, a few on either side.

    Returns
    -------
    Iterator
        The form, its context, and where it begins and ends there, in characters.

    Examples
    --------
    >>> block = Block.of_texts(["we  met\nAnna's dog"])
    >>> hits, _ = BlockMatcher(["Anna"]).find(block)
    >>> [(bytes(text), start, end) for _, text, start, end in contexts(block, hits, Window(1, 1))]
    [(b"met Anna's dog", 4, 8)]
    """
    forms, starts, ends = hits
    if forms.size * _FEW < len(block.data):
        begins, stops, is_plain = starts, ends, np.zeros(forms.size, bool)
    else:
        begins, stops, is_plain = _single_spaced(block, starts, ends, window)
    places = block.signs.places
    is_ascii = is_plain & (np.searchsorted(places, begins) == np.searchsorted(places, stops))
    offsets = block.characters(begins, starts)
    columns = (forms, begins, stops, offsets, offsets + block.characters(starts, ends))
    return itertools.chain(
        _as_written(block.data, *(column[is_ascii] for column in columns)),
        _decoded(block, *(column[is_plain & ~is_ascii] for column in columns)),
        _normalised(block, Hits(*(column[~is_plain] for column in hits)), window),
    )


Columns = tuple[Positions, Positions, Positions, Positions, Positions]
"""Forms, where their windows begin and end in bytes, and where they do in their windows, in characters."""


def _as_written(data: bytearray, *columns: *Columns) -> Iterator[Row]:
    """Windows of which the bytes are the context."""
    forms, begins, stops, starts, ends = map(np.ndarray.tolist, columns)
    texts = [data[begin:stop] for begin, stop in zip(begins, stops, strict=True)]
    return zip(forms, texts, starts, ends, strict=True)


def _decoded(block: Block, *columns: *Columns) -> Iterator[Row]:
    """Windows with single spaces between words, and other characters than those of ASCII."""
    for form, text, start, end in _as_written(block.data, *columns):
        yield form, block.text(text).encode(), start, end


def _normalised(block: Block, hits: Hits, window: Window) -> Iterator[Row]:
    """Windows with any white space."""
    lengths = block.characters(hits.starts, hits.ends).tolist()
    for form, start, end, length in zip(*map(np.ndarray.tolist, hits), lengths, strict=True):
        before, after = _before(block, start, window.left or 0), _after(block, end, window.right or 0)
        text, at = f"{before}{block.text(block.data[start:end])}{after}", len(before)
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


def _before(block: Block, start: int, words: int) -> str:
    """Some words before a hit, whatever white space there is, with a space if there is one before the hit."""
    reach = _REACH * (words + 1)
    while True:
        _, is_all, side = block.data[max(start - reach, 0) : start].rpartition(_BREAK)
        if not is_all:  # what is before the first space may be part of a word or of a character
            _, is_cut, side = side.partition(b" ")
        text = block.text(side).replace(BREAK, " ")
        count = words if not text or text[-1].isspace() else words + 1  # with what the hit is joined to
        found = text.rsplit(None, count)
        if is_all or (is_cut and len(found) >= count):
            break
        reach *= 4
    taken = " ".join(found[-count:] if count else [])
    return f"{taken} " if taken and count == words else taken


def _after(block: Block, end: int, words: int) -> str:
    """The same after a hit."""
    reach = _REACH * (words + 1)
    while True:
        side, is_all, _ = block.data[end : end + reach].partition(_BREAK)
        if not is_all:
            side, is_cut, _ = side.rpartition(b" ")
        text = block.text(side).replace(BREAK, " ")
        count = words if not text or text[0].isspace() else words + 1
        found = text.split(None, count)
        if is_all or (is_cut and len(found) >= count):
            break
        reach *= 4
    taken = " ".join(found[:count])
    return f" {taken}" if taken and count == words else taken


def _joined(documents: Sequence[bytes]) -> bytearray:
    return bytearray(_BREAK).join([b"", *documents, b""])


def _pattern(form: str, join: bool) -> tuple[bytes, bool]:
    """What to look for in marks to find a form, and whether that is the form and nothing else.

    Otherwise it is the longest word of the form: documents that hold it need a closer look.
    """
    block = Block.of_texts([form])
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


def _beyond_ascii(codes: Codes) -> Signs:
    """The characters beyond ASCII in UTF-8."""
    places = where(codes >= 0xC0)
    first = codes[places]
    sizes: Positions = np.add(first >= 0xE0, first >= 0xF0, dtype=np.int64) + 2
    found: Positions = first & np.array([0, 0, 0x1F, 0x0F, 0x07])[sizes]
    for more in (1, 2, 3):
        there = sizes > more
        found[there] = (found[there] << 6) | (codes[places[there] + more] & 0x3F)
    return Signs(places, sizes, _flags(found))


def _escapes(codes: Codes) -> Signs:
    """The escapes of JSON, which are known to be valid."""
    places = where(codes == _ESCAPE)
    order = np.arange(places.size)
    first = np.append(True, np.diff(places) > 1)[: places.size]
    after = order - np.maximum.accumulate(np.where(first, order, 0))
    places = places[after % 2 == 0]  # of the others each is itself escaped
    letters = codes[places + 1]
    sizes = np.full(places.size, 2)
    flags = np.where(np.isin(letters, _WHITE_ESCAPES), _KNOWN | _WHITE, _KNOWN).astype(np.uint8)
    spelled = np.flatnonzero(letters == ord("u"))
    found = np.zeros(spelled.size, np.int64)
    for digit in range(4):
        found = (found << 4) | _HEX[codes[places[spelled] + 2 + digit]]
    sizes[spelled] = 6
    high = np.flatnonzero((found >= 0xD800) & (found < 0xDC00))  # the first of a pair, whose second is next
    found[high] = 0x10000 + ((found[high] - 0xD800) << 10) + (found[high + 1] - 0xDC00)
    sizes[spelled[high]] = 12
    kept = np.ones(places.size, bool)
    kept[spelled[high + 1]] = False
    found[high + 1] = SPACE
    known = _flags(found)
    flags[spelled] = known | np.where(known & _WORD, _SPELLED, 0).astype(np.uint8)
    return Signs(places[kept], sizes[kept], flags[kept])


@functools.cache
def _known() -> NDArray[np.uint8]:
    """The flags of all characters, of which those that were met are filled in."""
    return np.zeros(sys.maxunicode + 1, np.uint8)


def _flags(characters: Positions) -> NDArray[np.uint8]:
    """What is known of some characters that are written with several bytes."""
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
    # forms are found in letters as they are, and not in escapes of plain ones
    closer = composes or sign in HYPHENS or (sign.isascii() and in_word(sign))
    return _WORD * in_word(sign) | _WHITE * (sign.isspace() or sign == BREAK) | _CLOSER * closer
