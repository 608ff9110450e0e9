"""The tokens of a trait in its sentence, and which tokens begin words.

A trait gets the tokens that it has inside its sentence: the sentence is split with the trait in it, and the
tokens are found by the characters they cover. The mark of the beginning of a word (``Ġ``, ``▁``) or of its
continuation (``##``) is found from the tokenizer, not from the name of the model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.extraction.embed.pieces import find_pieces

UNKNOWN = "the tokenizer does not know it"
NOTHING = "no token represents it"
JOINED = "the tokenizer joins it with the text around it"
_LETTERS = "aeoinst1"
_TEXTS_AT_ONCE = 4096
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Which tokens begin a word and which continue one."""

    sign: str
    """The mark of the tokenizer: before beginnings (``Ġ``, ``▁``) or continuations (``##``); or nothing."""
    initial: NDArray[np.bool_]
    """For each token whether it begins a word; special tokens do neither."""
    continuation: NDArray[np.bool_]
    """For each token whether it continues one."""
    bare_initial: NDArray[np.bool_]
    """The same by the mark alone, as in the released code of ILPS*: a special token without the mark of
    continuations begins a word, ..."""
    bare_continuation: NDArray[np.bool_]
    """... and one without the mark of beginnings continues one."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """A sentence as tokens, around the pieces of a trait."""

    before: tuple[int, ...]
    """Tokens before the trait, special ones included."""
    pieces: tuple[int, ...]
    """Tokens of the trait."""
    after: tuple[int, ...]
    """Tokens after it."""
    unknown: bool
    """Whether any token around the trait is the unknown token."""


def find_marks(tokenizer: Any, vocabulary: int) -> Marks:
    """Find the tokens that begin words.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    vocabulary
        Number of logits, which may be larger than the tokenizer's vocabulary.

    Returns
    -------
    Marks
        If the tokenizer marks neither beginnings nor continuations, all ordinary tokens count as both.
    """
    known = min(vocabulary, len(tokenizer))
    tokens = [token or "" for token in tokenizer.convert_ids_to_tokens(list(range(known)))]
    there = np.zeros(vocabulary, bool)
    there[:known] = [token != "" for token in tokens]
    ordinary = there.copy()
    special = {int(one) for one in tokenizer.all_special_ids}
    special |= {int(at) for at, token in tokenizer.added_tokens_decoder.items() if token.special}
    ordinary[[one for one in special if one < vocabulary]] = False
    space = _space_sign(tokenizer)
    if space:
        marked = np.zeros(vocabulary, bool)
        marked[:known] = [token.startswith(space) for token in tokens]
        return _marks(space, ordinary, there, marked, ~marked)
    prefix = getattr(tokenizer.backend_tokenizer.model, "continuing_subword_prefix", None) or ""
    if not prefix:
        everything = np.ones(vocabulary, bool)
        return _marks("", ordinary, there, everything, everything)
    marked = np.zeros(vocabulary, bool)
    marked[:known] = [token.startswith(prefix) for token in tokens]
    return _marks(prefix, ordinary, there, ~marked, marked)


def _marks(sign: str, ordinary: Flags, there: Flags, begins: Flags, goes_on: Flags) -> Marks:
    """Kinds of tokens by their mark, without special tokens and with them."""
    return Marks(
        sign=sign,
        initial=ordinary & begins,
        continuation=ordinary & goes_on,
        bare_initial=there & begins,
        bare_continuation=there & goes_on,
    )


def _space_sign(tokenizer: Any) -> str:
    """The mark of a token that follows a space; empty in tokenizers that drop spaces."""
    for letter in _LETTERS:
        tokens = tokenizer.convert_ids_to_tokens(
            tokenizer(f"{letter} {letter}", add_special_tokens=False, verbose=False)["input_ids"]
        )
        if tokenizer.unk_token in tokens or len(tokens) < 2 or not tokens[-1].endswith(letter):
            continue
        sign: str = tokens[-1][: -len(letter)]
        return sign or (tokens[-2] if not tokens[-2].endswith(letter) else "")
    return ""


def split_in_context(tokenizer: Any, texts: Sequence[tuple[str, str, str]]) -> Iterator[Split | str]:
    """Split sentences into the tokens before, of and after a word, or give the reason why not.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    texts
        The text before the word, the word, and the text after it.
    """
    unknown, backend = tokenizer.unk_token_id, tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    for first in range(0, len(texts), _TEXTS_AT_ONCE):
        part = texts[first : first + _TEXTS_AT_ONCE]
        encodings = backend.encode_batch(["".join(one) for one in part])
        for (left, word, right), encoding in zip(part, encodings, strict=True):
            text, start, end = left + word + right, len(left), len(left) + len(word)
            yield _around(encoding.ids, encoding.offsets, text, start, end, unknown)


def _around(
    ids: list[int], offsets: list[tuple[int, int]], text: str, start: int, end: int, unknown: int | None
) -> Split | str:
    span = find_pieces(offsets, start, end)
    if span is None:
        return NOTHING
    first, stop = span
    while first > 0 and _is_space(offsets[first - 1], text, start):
        first -= 1  # a separate token for a space belongs to the word that follows
    if offsets[span.first][0] < start and text[offsets[span.first][0] : start].strip():
        return JOINED
    if offsets[stop - 1][1] > end:
        return JOINED
    if unknown is not None and unknown in ids[first:stop]:
        return UNKNOWN
    around = (*ids[:first], *ids[stop:])
    return Split(
        before=tuple(ids[:first]),
        pieces=tuple(ids[first:stop]),
        after=tuple(ids[stop:]),
        unknown=unknown is not None and unknown in around,
    )


def _is_space(offset: tuple[int, int], text: str, start: int) -> bool:
    """Whether a token is only the space right before a word; some offsets exclude the space."""
    left, right = offset
    return left <= right == start > 0 and not text[left:right].strip()
