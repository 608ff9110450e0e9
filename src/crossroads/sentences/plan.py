"""The texts that a language model is given to score sentences, and which of their tokens count."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import islice
from string import punctuation
from typing import Any, NamedTuple

from crossroads.core.errors import InputError
from crossroads.sentences.material import SentenceItem, SentenceItems

BLANK = "BLANK"
"""The place of the words that fill a context."""
CONTEXT = "context"
"""Column of the contexts."""
NO_BLANK = f"its {CONTEXT} has no {BLANK}"
SEVERAL_BLANKS = f"its {CONTEXT} has more than one {BLANK}"
NOT_FILLED = f"it does not follow its {CONTEXT}, so that the words for {BLANK} cannot be told"
_NO_PUNCTUATION = str.maketrans("", "", punctuation)
NOTHING_SHARED = "its sentences share no token"
NO_TOKEN = "no token of it can be scored"


class Filled(NamedTuple):
    """A context with its blank filled, and where the words that fill it begin and end."""

    text: str
    start: int
    end: int


def _context(item: SentenceItem) -> tuple[str, str] | str:
    """What is before and after the blank of an item; or why there is none."""
    parts = item.columns.get(CONTEXT, "").strip().split(BLANK)
    if len(parts) == 2:
        return parts[0], parts[1]
    return NO_BLANK if len(parts) == 1 else SEVERAL_BLANKS


def filled(item: SentenceItem) -> tuple[Filled, ...] | str:
    """The sentences of an item with the places of the words that fill its blank; or why there are none.

    The words are what a sentence has between the parts of its context; where it differs from its context
    elsewhere, its word at the place of the blank, without punctuation around it, is put into the context, as
    in the released code of StereoSet.
    """
    context = _context(item)
    if isinstance(context, str):
        return context
    before, after = context
    words = [_words(sentence, before, after) for sentence in item.sentences]
    if not all(words):
        return NOT_FILLED
    start = len(before)
    return tuple(Filled(f"{before}{some}{after}", start, start + len(some)) for some in words)


def _words(sentence: str, before: str, after: str) -> str:
    """The words in the place of the blank; empty where they cannot be found."""
    inner = sentence[len(before) : len(sentence) - len(after)].strip()
    if sentence.startswith(before) and sentence.endswith(after) and inner:
        return inner
    return "".join(_word_at(sentence, before)).strip(punctuation)


def _word_at(sentence: str, before: str) -> list[str]:
    """The word of a sentence at the place of the blank, as spaces separate words."""
    place = before.count(" ")
    return sentence.split(" ")[place : place + 1]


def released_words(item: SentenceItem) -> tuple[str, ...] | str:
    """The word that the released code of StereoSet finds in each sentence; or why it finds none.

    The word of the sentence at the place of the blank, as spaces separate words, without any punctuation.
    """
    context = _context(item)
    if isinstance(context, str):
        return context
    found = ["".join(_word_at(one, context[0])).translate(_NO_PUNCTUATION) for one in item.sentences]
    return tuple(found) if all(found) else NOT_FILLED


def check_blanks(given: SentenceItems) -> None:
    """Refuse sentences of which none has a context with a blank."""
    if all(BLANK not in one.columns.get(CONTEXT, "") for one in given.items):
        raise InputError(
            f"no row of {given.name} has a {CONTEXT} with {BLANK}, and what fills it is to be scored.",
            hint=f"add a column {CONTEXT!r}, such as 'Girls are {BLANK}.', or score whole sentences, as with "
            "score='aul'.",
            option="score",
        )


class Split(NamedTuple):
    """A sentence in tokens: the places of those that are not special, and the characters of each."""

    ids: tuple[int, ...]
    counted: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = ()


class Text(NamedTuple):
    """What a model is given: tokens, the places where it is read, and the token that is read at each."""

    ids: tuple[int, ...]
    places: tuple[int, ...]
    tokens: tuple[int, ...]


def split_sentences(tokenizer: Any, sentences: Sequence[str], *, begin: int | None = None) -> list[Split]:
    """Sentences in tokens.

    With ``begin``, the token with which a text begins, it is put before sentences whose tokenizer does not,
    and special tokens at the end are left off.
    """
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    found = []
    for encoding in backend.encode_batch(list(sentences)):
        ids, special, spans = map(list, (encoding.ids, encoding.special_tokens_mask, encoding.offsets))
        if begin is not None:
            while len(special) > 1 and special[-1]:
                ids, special, spans = ids[:-1], special[:-1], spans[:-1]
            if not special or not special[0]:
                ids, special, spans = [begin, *ids], [1, *special], [(0, 0), *spans]
        counted = tuple(at for at, one in enumerate(special) if not one)
        found.append(Split(tuple(ids), counted, tuple(spans)))
    return found


def shared_places(splits: Sequence[Split]) -> list[tuple[int, ...]]:
    """Places of the tokens that several sentences share, in each of them.

    The longest common blocks of tokens, as in the released code of CrowS-Pairs; with three sentences, what
    the first shares with both others.
    """
    first, *others = splits
    ways = []
    for other in others:
        blocks = SequenceMatcher(None, first.ids, other.ids).get_matching_blocks()
        ways.append({block.a + i: block.b + i for block in blocks for i in range(block.size)})
    shared = [at for at in first.counted if all(at in way for way in ways)]
    return [tuple(shared), *(tuple(way[at] for at in shared) for way in ways)]


def texts_of(
    splits: Sequence[Split], score: str, mask: int | None, blanks: Sequence[Filled] = ()
) -> list[list[Text]] | str:
    """The texts of the sentences of an item, or why it cannot be scored.

    ``mask`` is None for causal models; ``blanks`` are the words that are scored, for ``blank``.
    """
    if score == "pll":
        places = shared_places(splits)
        if not places[0]:
            return NOTHING_SHARED
        return [
            [Text((*s.ids[:at], int(mask or 0), *s.ids[at + 1 :]), (at,), (s.ids[at],)) for at in some]
            for s, some in zip(splits, places, strict=True)
        ]
    if score == "blank":
        found = [_unmasked(s, one, int(mask or 0)) for s, one in zip(splits, blanks, strict=True)]
    else:
        found = [_bare(s) if score == "bare" else _whole(s, shift=int(mask is None)) for s in splits]
    return found if all(found) else NO_TOKEN


def _whole(split: Split, *, shift: int) -> list[Text]:
    """The sentence itself, read at every token, or before it; empty where no token is read."""
    some = tuple(at for at in split.counted if at >= shift)
    tokens = tuple(split.ids[at] for at in some)
    return [Text(split.ids, tuple(at - shift for at in some), tokens)] if some else []


def _bare(split: Split) -> list[Text]:
    """What begins a text, read for the first token; then the sentence without it, read for the others."""
    first = split.counted[0] if split.counted else len(split.ids)
    begin, rest = split.ids[:first], split.ids[first:]
    opening = [Text(begin, (first - 1,), rest[:1])] if begin and rest else []
    return [*opening, *_whole(Split(rest, tuple(at - first for at in split.counted)), shift=1)]


def _unmasked(split: Split, one: Filled, mask: int) -> list[Text]:
    """The tokens of the words in a blank, each masked after those before it, with none of those behind it."""
    spaced = len(one.text[: one.start].rstrip())
    # characters of the words, or only the space before them; one without width is where the words begin
    spans = ((at, *split.spans[at]) for at in split.counted)
    inside = [
        at
        for at, start, end in spans
        if start < one.end and end > spaced and (start < end or start <= one.start)
    ]
    places = range(inside[0], inside[-1] + 1) if inside else range(0)
    rest = split.ids[places.stop :]
    return [Text((*split.ids[:at], mask, *rest), (at,), (split.ids[at],)) for at in places]


class AskedItems(NamedTuple):
    """Items that can be scored, the texts of each of their sentences, and why others cannot be scored."""

    items: list[SentenceItem]
    texts: list[list[list[Text]]]
    left_out: dict[str, str]

    @property
    def flat(self) -> list[tuple[Text, tuple[int, int]]]:
        """Every text, with its item and its sentence."""
        owned = ((i, j, some) for i, item in enumerate(self.texts) for j, some in enumerate(item))
        return [(text, (i, j)) for i, j, some in owned for text in some]


def asked_of(
    items: Sequence[SentenceItem],
    splits: Sequence[Split],
    score: str,
    tokenizer: Any,
    mask: int | None,
    longest: int,
    blanks: Sequence[tuple[Filled, ...] | str],
) -> AskedItems:
    """What a model is asked.

    ``splits`` are the sentences of all items, one after the other; ``blanks``, for the score ``blank``, the
    words of each item that are scored, or why they are not known.
    """
    rest, asked = iter(splits), AskedItems([], [], {})
    for item, blank in zip(items, blanks, strict=True):
        own = list(islice(rest, len(item.sentences)))
        if isinstance(blank, str):
            texts: list[list[Text]] | str = blank
        elif score == "released":
            texts = _released(item, tokenizer, longest)
        else:
            texts = _too_long(own, longest) or texts_of(own, score, mask, blank)
        if isinstance(texts, str):
            asked.left_out[item.sentences[0]] = texts
        else:
            asked.items.append(item)
            asked.texts.append(texts)
    return asked


def _released(item: SentenceItem, tokenizer: Any, longest: int) -> list[list[Text]] | str:
    """What the released code of StereoSet asks a masked model.

    A word is split into tokens without its sentence; for each, the text of those before it and a mask are
    written into the context, which is then split.
    """
    words, texts = released_words(item), []
    if isinstance(words, str):
        return words
    for word in words:
        tokens = tokenizer.encode(word, add_special_tokens=False)
        begun = [tokenizer.decode(tokens[:at]) + tokenizer.mask_token for at in range(len(tokens))]
        ids = [tuple(tokenizer.encode(item.columns[CONTEXT].replace(BLANK, one))) for one in begun]
        places = [one.index(tokenizer.mask_token_id) for one in ids]
        texts.append([Text(*one) for one in zip(ids, zip(places), zip(tokens), strict=True)])
    if not all(texts):
        return NO_TOKEN
    return _too_long([text for some in texts for text in some], longest) or texts


def _too_long(texts: Sequence[Split] | Sequence[Text], longest: int) -> str:
    """Why a model cannot take all of some texts; empty where it can."""
    size = max(len(one.ids) for one in texts)
    return f"it has {size} tokens, and the model takes {longest}" if size > longest else ""
