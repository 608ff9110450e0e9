"""The tokens of a word, found by the characters they cover.

Tokens are found by offsets, never by comparing ids: the same id may occur elsewhere in the sentence, and a
word is split differently at its beginning. Offsets differ between tokenizers: byte-level ones count the space
before a word to its first token, and give tokens that share one character the whole of it each.
Hence the rule here: a token belongs to a word if the two overlap by at least one character.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Piece = Literal["last", "first", "mean"]
"""Which of a word's tokens gives its vector; the paper takes the last."""


class Span(NamedTuple):
    """Positions of the tokens of a word, ``first`` up to but without ``stop``."""

    first: int
    stop: int


def find_pieces(offsets: Sequence[tuple[int, int]], start: int, end: int) -> Span | None:
    """The tokens that overlap the characters ``start`` up to ``end``, or ``None``.

    Parameters
    ----------
    offsets
        First and last-plus-one character of each token; special tokens are left out or ``(0, 0)``.
    start, end
        The characters of the word.

    Examples
    --------
    >>> find_pieces([(0, 0), (0, 3), (4, 8), (8, 14), (0, 0)], 4, 14)  # "The rosebushes"
    Span(first=2, stop=4)
    """
    inside = [at for at, (left, right) in enumerate(offsets) if left < end and right > start and right > left]
    return Span(inside[0], inside[-1] + 1) if inside else None


def centred_window(length: int, pieces: Span, room: int) -> Span | None:
    """The part of a sentence that fits the model, with the word in its middle.

    Parameters
    ----------
    length
        Tokens of the sentence.
    pieces
        Tokens of the word in it.
    room
        Tokens that the model takes.

    Returns
    -------
    Span or None
        The tokens to keep, or ``None`` if the word alone is longer than that.
    """
    if length <= room:
        return Span(0, length)
    spare = room - (pieces.stop - pieces.first)
    if spare < 0:
        return None
    first = min(max(pieces.first - spare // 2, 0), length - room)
    return Span(first, first + room)
