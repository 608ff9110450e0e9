"""Character n-grams of a word, as fastText cuts and hashes them.

fastText (Bojanowski et al. 2017, doi:10.1162/tacl_a_00051) marks a word with ``<`` and ``>``, takes every
n-gram of ``minn`` to ``maxn`` characters, and hashes its UTF-8 bytes with FNV-1a into ``bucket`` rows.
The published program treats bytes as signed, so bytes above 127 are extended with ones before the xor.
"""

from __future__ import annotations

_OFFSET, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF
_CONTINUATION, _TOP_BITS = 0x80, 0xC0
END_OF_SENTENCE = b"</s>"
"""The one word that has no n-grams."""


def subword_hash(ngram: bytes) -> int:
    """The 32-bit hash of an n-gram."""
    value = _OFFSET
    for byte in ngram:
        value = ((value ^ _signed(byte)) * _PRIME) & _MASK
    return value


def subword_buckets(word: bytes, minn: int, maxn: int, bucket: int) -> list[int]:
    """The bucket of every n-gram of a word, in the order fastText lists them.

    Parameters
    ----------
    word
        The word in UTF-8, without the marks.
    minn, maxn
        Shortest and longest n-gram, in characters.
    bucket
        Number of buckets.
    """
    if bucket < 1 or maxn < 1 or word == END_OF_SENTENCE:
        return []
    marked = b"<" + word + b">"
    size = len(marked)
    buckets: list[int] = []
    for start in range(size):
        if marked[start] & _TOP_BITS == _CONTINUATION:
            continue
        value, stop, length = _OFFSET, start, 1
        while stop < size and length <= maxn:
            value = ((value ^ _signed(marked[stop])) * _PRIME) & _MASK
            stop += 1
            while stop < size and marked[stop] & _TOP_BITS == _CONTINUATION:
                value = ((value ^ _signed(marked[stop])) * _PRIME) & _MASK
                stop += 1
            if length >= minn and not (length == 1 and (start == 0 or stop == size)):
                buckets.append(value % bucket)
            length += 1
    return buckets


def _signed(byte: int) -> int:
    return byte if byte < _CONTINUATION else byte | 0xFFFFFF00
