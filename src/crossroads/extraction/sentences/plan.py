"""The texts that a language model is given to score sentences, and which of their tokens count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.extraction.probe.plan import LOGITS_AT_ONCE, batch_cuts, unit_cuts
from crossroads.extraction.sentences.blanks import BLANK, CONTEXT, Filled, place_of, released_words
from crossroads.stimuli.files.sentences import SentenceItem

Integers = NDArray[np.int64]
NOTHING_SHARED = "its sentences share no token"
NO_TOKEN = "no token of it can be scored"


class Split(NamedTuple):
    """A sentence in tokens."""

    ids: tuple[int, ...]
    """The tokens, special ones included."""
    counted: tuple[int, ...]
    """Places of those that are no special tokens."""
    spans: tuple[tuple[int, int], ...] = ()
    """First character and end of each token."""


class Text(NamedTuple):
    """What a model is given, and what is read of it."""

    ids: tuple[int, ...]
    """The tokens."""
    places: tuple[int, ...]
    """Where the model is read."""
    tokens: tuple[int, ...]
    """The token that is read at each place."""


class Batch(NamedTuple):
    """Texts of one length that are given at once."""

    ids: Integers
    """Tokens, one text per row."""
    text: Integers
    """Row of each reading."""
    place: Integers
    """Column of each reading."""
    token: Integers
    """The token that is read."""
    weighed: Integers
    """Column of the token that the reading is about."""


@dataclass(frozen=True, kw_only=True)
class SentencePlan:
    """All texts, sorted by length and cut into batches and units."""

    texts: tuple[Text, ...]
    """The texts, shortest first."""
    owner: Integers
    """Item and sentence of each text."""
    batches: Integers
    """Where batches begin, and the end."""
    units: Integers
    """Where units begin among the batches, and the end."""
    shift: int
    """How far before a token the model is read for it: 1 in causal models, else 0."""

    def batches_of(self, unit: int) -> Iterator[Batch]:
        """The batches of a unit."""
        for at in range(self.units[unit], self.units[unit + 1]):
            some = self.texts[self.batches[at] : self.batches[at + 1]]
            sizes = [len(one.places) for one in some]
            place = np.array([p for one in some for p in one.places], np.int64)
            yield Batch(
                ids=np.array([one.ids for one in some], np.int64),
                text=np.repeat(np.arange(len(some)), sizes).astype(np.int64),
                place=place,
                token=np.array([t for one in some for t in one.tokens], np.int64),
                weighed=place + self.shift,
            )

    def sizes(self) -> Integers:
        """Number of texts of each unit."""
        return np.diff(self.batches[self.units])


def split_sentences(tokenizer: Any, sentences: Sequence[str], *, begin: int | None = None) -> list[Split]:
    """Sentences in tokens.

    Parameters
    ----------
    tokenizer
        A fast tokenizer.
    sentences
        The sentences.
    begin
        Token with which a text begins, put before sentences whose tokenizer does not; special tokens at the
        end are then left off. None keeps all as the tokenizer has it.
    """
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    found = []
    for encoding in backend.encode_batch(list(sentences)):
        ids, special = list(encoding.ids), list(encoding.special_tokens_mask)
        spans = list(encoding.offsets)
        if begin is not None:
            while special and special[-1] and len(special) > 1:
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

    Examples
    --------
    >>> pair = [Split((1, 5, 6, 7, 2), (1, 2, 3)), Split((1, 8, 9, 6, 7, 2), (1, 2, 3, 4))]
    >>> shared_places(pair)
    [(2, 3), (3, 4)]
    """
    first, *others = splits
    ways = [_common(first.ids, other.ids) for other in others]
    kept = [at for at in first.counted if all(at in way for way in ways)]
    return [tuple(kept), *(tuple(way[at] for at in kept) for way in ways)]


def _common(one: Sequence[int], other: Sequence[int]) -> dict[int, int]:
    """Place of each common token in the first sentence, to that in the second."""
    blocks = SequenceMatcher(None, one, other).get_matching_blocks()
    return {block.a + i: block.b + i for block in blocks for i in range(block.size)}


def texts_of(
    splits: Sequence[Split], score: str, mask: int | None, blanks: Sequence[Filled] = ()
) -> list[list[Text]] | str:
    """The texts of the sentences of an item, or why it cannot be scored.

    Parameters
    ----------
    splits
        Its sentences in tokens.
    score
        One of :data:`~crossroads.evidence.sentences.Score`.
    mask
        The mask token; None for causal models.
    blanks
        The sentences with the places of the words that are scored, for ``blank``.
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
    elif score == "bare":
        found = [_bare(s) for s in splits]
    else:
        found = [_whole(s, shift=1 if mask is None else 0) for s in splits]
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
    inside = place_of(split.spans, split.counted, one)
    rest = split.ids[inside.stop :]
    return [Text((*split.ids[:at], mask, *rest), (at,), (split.ids[at],)) for at in inside]


class AskedItems(NamedTuple):
    """Items that can be scored, and those that cannot."""

    items: tuple[SentenceItem, ...]
    """Those that can."""
    texts: tuple[list[list[Text]], ...]
    """Texts of each of their sentences."""
    left_out: dict[str, str]
    """First sentence of those that cannot, with the reason."""


def asked_of(
    items: Sequence[SentenceItem],
    splits: Sequence[Split],
    score: str,
    mask: int | None,
    longest: int,
    *,
    blanks: Sequence[tuple[Filled, ...] | str] = (),
) -> AskedItems:
    """What a model is asked.

    Parameters
    ----------
    items
        The pairs or triples.
    splits
        All their sentences in tokens, one after the other.
    score, mask
        As in :func:`texts_of`.
    longest
        Most tokens of a text.
    blanks
        For ``blank``, the sentences of each item with the places of the words that are scored, or why they
        are not known.
    """
    kept, texts, left_out = [], [], {}
    place = 0
    for item, blank in zip(items, blanks or [()] * len(items), strict=True):
        mine = splits[place : place + len(item.sentences)]
        place += len(item.sentences)
        found = _too_long(mine, longest)
        given = blank if isinstance(blank, str) else found or texts_of(mine, score, mask, blank)
        if isinstance(given, str):
            left_out[item.sentences[0]] = given
            continue
        kept.append(item)
        texts.append(given)
    return AskedItems(tuple(kept), tuple(texts), left_out)


def asked_as_released(items: Sequence[SentenceItem], tokenizer: Any, longest: int) -> AskedItems:
    """What the released code of StereoSet asks a masked model.

    A word is split into tokens without its sentence; for each, the text of those before it and a mask are
    written into the context, which is then split.

    Parameters
    ----------
    items
        The pairs or triples.
    tokenizer
        A fast tokenizer.
    longest
        Most tokens of a text.
    """
    kept, texts, left_out = [], [], {}
    for item in items:
        words, some = released_words(item), []
        for word in () if isinstance(words, str) else words:
            tokens = tokenizer.encode(word, add_special_tokens=False)
            begun = [tokenizer.decode(tokens[:at]) + tokenizer.mask_token for at in range(len(tokens))]
            ids = [tuple(tokenizer.encode(item.columns[CONTEXT].replace(BLANK, one))) for one in begun]
            places = [one.index(tokenizer.mask_token_id) for one in ids]
            some.append([Text(*one) for one in zip(ids, zip(places), zip(tokens), strict=True)])
        flat = [text for one in some for text in one]
        why = words if isinstance(words, str) else "" if all(some) else NO_TOKEN
        if why := why or _too_long(flat, longest):
            left_out[item.sentences[0]] = why
            continue
        kept.append(item)
        texts.append(some)
    return AskedItems(tuple(kept), tuple(texts), left_out)


def _too_long(texts: Sequence[Split] | Sequence[Text], longest: int) -> str:
    """Why a model cannot take all of some texts; empty where it can."""
    size = max(len(one.ids) for one in texts)
    return f"it has {size} tokens, and the model takes {longest}" if size > longest else ""


def make_plan(
    texts: Sequence[list[list[Text]]], *, shift: int, vocabulary: int, batch_size: int, unit_texts: int
) -> SentencePlan:
    """Sort texts by length and cut them into batches.

    Parameters
    ----------
    texts
        Texts of each sentence of each item.
    shift
        1 for causal models, 0 for masked ones.
    vocabulary
        Number of logits per place.
    batch_size
        Most texts of a batch.
    unit_texts
        Texts after which a work unit ends.
    """
    flat = [(text, (i, j)) for i, item in enumerate(texts) for j, some in enumerate(item) for text in some]
    flat.sort(key=lambda one: len(one[0].ids))
    lengths = [(0, len(text.ids)) for text, _ in flat]
    reads = np.array([len(text.places) for text, _ in flat], np.int64)
    batches = batch_cuts(lengths, reads, batch_size, max(1, LOGITS_AT_ONCE // vocabulary))
    return SentencePlan(
        texts=tuple(text for text, _ in flat),
        owner=np.array([owner for _, owner in flat], np.int64),
        batches=batches,
        units=unit_cuts(np.diff(batches), unit_texts),
        shift=shift,
    )
