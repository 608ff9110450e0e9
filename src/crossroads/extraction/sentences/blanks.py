"""The words that fill the blank of a context, as in StereoSet."""

from __future__ import annotations

from collections.abc import Sequence
from string import punctuation
from typing import NamedTuple

from crossroads.errors import InputError
from crossroads.stimuli.files.sentences import SentenceItem, SentenceItems

BLANK = "BLANK"
"""What stands in a context in the place of the words that fill it."""
CONTEXT = "context"
"""Column of the contexts."""
NO_BLANK = f"its {CONTEXT} has no {BLANK}"
SEVERAL_BLANKS = f"its {CONTEXT} has more than one {BLANK}"
NOT_FILLED = f"it does not follow its {CONTEXT}, so that the words for {BLANK} cannot be told"


_NO_PUNCTUATION = str.maketrans("", "", punctuation)


class Filled(NamedTuple):
    """A context with its blank filled."""

    text: str
    """The sentence."""
    start: int
    """Where the words that fill the blank begin."""
    end: int
    """Where they end."""


def filled(item: SentenceItem) -> tuple[Filled, ...] | str:
    """The sentences of an item with the places of the words that fill its blank; or why there are none.

    The words are what a sentence has between the parts of its context; where it differs from its context
    elsewhere, its word at the place of the blank, without punctuation around it, is put into the context, as
    in the released code of StereoSet.

    Examples
    --------
    >>> item = SentenceItem(
    ...     sentences=("Girls are very soft.", "girls are strong!"), columns={"context": "Girls are BLANK."}
    ... )
    >>> [one.text[one.start : one.end] for one in filled(item)]
    ['very soft', 'strong']
    """
    context = item.columns.get(CONTEXT, "").strip()
    if BLANK not in context:
        return NO_BLANK
    before, _, after = context.partition(BLANK)
    if BLANK in after:
        return SEVERAL_BLANKS
    found = []
    for sentence in item.sentences:
        words = _words(sentence, before, after)
        if not words:
            return NOT_FILLED
        found.append(Filled(f"{before}{words}{after}", len(before), len(before) + len(words)))
    return tuple(found)


def _words(sentence: str, before: str, after: str) -> str:
    """The words in the place of the blank; empty where they cannot be told."""
    inner = sentence[len(before) : len(sentence) - len(after)].strip()
    if sentence.startswith(before) and sentence.endswith(after) and inner:
        return inner
    place, words = before.count(" "), sentence.split(" ")
    return words[place].strip(punctuation) if place < len(words) else ""


def released_words(item: SentenceItem) -> tuple[str, ...] | str:
    """The word that the released code of StereoSet finds in each sentence; or why it finds none.

    The word of the sentence at the place of the blank, as spaces separate words, without any punctuation.

    Examples
    --------
    >>> item = SentenceItem(
    ...     sentences=("Girls are very soft.", "Girls are self-made."),
    ...     columns={"context": "Girls are BLANK."},
    ... )
    >>> released_words(item)
    ('very', 'selfmade')
    """
    context = item.columns.get(CONTEXT, "").strip()
    if context.count(BLANK) != 1:
        return SEVERAL_BLANKS if BLANK in context else NO_BLANK
    at = context.partition(BLANK)[0].count(" ")
    found = [sentence.split(" ")[at : at + 1] for sentence in item.sentences]
    words = tuple("".join(some).translate(_NO_PUNCTUATION) for some in found)
    return words if all(words) else NOT_FILLED


def check_blanks(given: SentenceItems) -> None:
    """Refuse sentences of which none has a context with a blank."""
    if all(BLANK not in one.columns.get(CONTEXT, "") for one in given.items):
        raise InputError(
            f"no row of {given.name} has a {CONTEXT} with {BLANK}, and what fills it is to be scored.",
            hint=f"add a column {CONTEXT!r}, such as 'Girls are {BLANK}.', or score whole sentences, as with "
            "score='aul'.",
            option="score",
        )


def place_of(spans: Sequence[tuple[int, int]], counted: Sequence[int], one: Filled) -> range:
    """Places of the tokens that have characters of the words in a blank, or the space before these alone.

    Parameters
    ----------
    spans
        First character and end of each token.
    counted
        Places of those that are no special tokens.
    one
        The sentence.
    """
    spaced = len(one.text[: one.start].rstrip())
    # a space that is a token may have no width, and then stands where the word begins
    inside = [
        at
        for at in counted
        for start, end in [spans[at]]
        if start < one.end and end > spaced and (start < end or start <= one.start)
    ]
    return range(inside[0], inside[-1] + 1) if inside else range(0)
