"""The tokens of a prompt, and which of them give the vector of the word.

Tokens are found by the characters they cover. A word that a model knows only as *unknown* is left out: such a
vector says nothing about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crossroads.errors import InputError
from crossroads.sources.asked_models import AskedModel
from crossroads.sources.prompt_texts import PromptedWord

NO_PIECE = "no token of the model stands for the word"
UNKNOWN = "the model knows the word only as unknown"
TOO_LONG = "the prompt is longer than the model's input"


@dataclass(frozen=True, kw_only=True)
class Place:
    """The tokens of a prompt, and those whose mean is the vector."""

    word: str
    """The word."""
    ids: list[int]
    """All tokens, special ones included."""
    first: int
    """The first of the wanted ones."""
    stop: int
    """The one after their last."""


def split_texts(texts: Sequence[PromptedWord], model: AskedModel) -> tuple[list[Place], dict[str, str]]:
    """The tokens of every prompt; and the words that cannot be read, with the reason.

    Parameters
    ----------
    texts
        Words in their prompts.
    model
        Which model, and which tokens are wanted.
    """
    batch = model.tokenizer(
        [one.text for one in texts],
        truncation=False,
        padding=False,
        return_offsets_mapping=True,
        split_special_tokens=True,  # "[SEP]" in a text is five signs, not the end of a sentence
        verbose=False,
    )
    places, left_out = [], {}
    for one, encoding in zip(texts, batch.encodings, strict=True):
        own = [at for at, sequence in enumerate(encoding.sequence_ids) if sequence is not None]
        of_word = own if one.span is None else _overlapping(encoding.offsets, own, one.span)
        if not of_word:
            left_out[one.word] = NO_PIECE
        elif {encoding.ids[at] for at in of_word} == {model.tokenizer.unk_token_id}:
            left_out[one.word] = UNKNOWN
        elif len(encoding.ids) > model.longest:
            left_out[one.word] = TOO_LONG
        else:
            first, stop = _wanted(one, model, own, of_word, len(encoding.ids))
            places.append(Place(word=one.word, ids=encoding.ids, first=first, stop=stop))
    return places, left_out


def _overlapping(offsets: Sequence[tuple[int, int]], own: Sequence[int], span: tuple[int, int]) -> list[int]:
    """The tokens that share at least one character with the word."""
    start, end = span
    return [at for at in own if offsets[at][0] < end and offsets[at][1] > start]


def _wanted(
    one: PromptedWord, model: AskedModel, own: Sequence[int], of_word: Sequence[int], length: int
) -> tuple[int, int]:
    """First token and the one after the last of those whose mean is taken."""
    if model.pooling == "word":
        if one.span is None:
            raise InputError(
                f"{one.word!r} does not stand in its prompt {one.text!r}, so it has no tokens there.",
                hint="write {word} in the prompt, or choose another pooling.",
            )
        return of_word[0], of_word[-1] + 1
    if model.pooling == "last":
        return own[-1], own[-1] + 1
    if model.pooling == "cls":
        if own[0] == 0:
            raise InputError(
                f"the tokenizer of {model.files.name} puts no special token before a text.",
                hint="say pooling='mean', 'word' or 'last'.",
            )
        return 0, 1
    return 0, length
