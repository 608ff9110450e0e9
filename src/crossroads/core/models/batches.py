"""Texts in tokens: where a word is in them, what a model is asked about them, and which share a batch.

A plan is a function of the texts and the limits alone. Batches hold texts of one length and one number of
masks, so nothing is ever padded, and which texts share a batch does not depend on interruptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Tokens = tuple[int, ...]
LOGITS_AT_ONCE = 1 << 25
"""Most logits of a batch: 128 MB in float32."""


class Span(NamedTuple):
    """Positions of the tokens of a word, ``first`` up to but without ``stop``."""

    first: int
    stop: int


def find_pieces(offsets: Sequence[tuple[int, int]], start: int, end: int) -> Span | None:
    """The tokens that overlap the characters ``start`` up to ``end``, or ``None``.

    Tokens are found by offsets, never by comparing ids: the same id may occur elsewhere in the sentence, and
    a word is split differently at its beginning. Byte-level tokenizers count the space before a word to its
    first token, and give tokens that share one character the whole of it each; so one common character is
    enough.

    ``offsets`` are the first and last-plus-one character of each token; special tokens are left out or
    ``(0, 0)``.
    """
    inside = [at for at, (left, right) in enumerate(offsets) if left < end and right > start and right > left]
    return Span(inside[0], inside[-1] + 1) if inside else None


class Batch(NamedTuple):
    """Texts of one length that go through the model together."""

    ids: Integers
    """Tokens, one text per row."""
    text: Integers
    """For each slot its row, in ascending order."""
    place: Integers
    """For each slot its column."""
    asked_slot: Integers
    """For each token that is read the slot, counted from the first of the batch; ascending."""
    asked_token: Integers
    """The token."""


@dataclass(frozen=True, kw_only=True)
class TextPlan:
    """Texts for a model, sorted and cut into batches and units; a *slot* is a position that is read."""

    texts: tuple[Tokens, ...]
    """The texts, by number of masks and length."""
    order: tuple[int, ...]
    """Where each of them was among the texts as they were given."""
    slot_text: Integers
    """For each slot its text, in ascending order."""
    slot_place: Integers
    """For each slot the token at which it is read."""
    asked_slot: Integers
    """For each token that is read the slot, in ascending order."""
    asked_token: Integers
    """The token."""
    reading_of: Integers
    """For each reading as it was given its place among those that are read."""
    batches: Integers
    """Where each batch begins among the texts, and where the last one ends."""
    units: Integers
    """Where each work unit begins among the batches, and where the last one ends."""

    @property
    def sizes(self) -> Integers:
        """Texts of each unit."""
        return np.diff(self.batches[self.units])

    def batches_of(self, unit: int) -> list[Batch]:
        """The batches of a unit."""
        numbers = range(int(self.units[unit]), int(self.units[unit + 1]))
        return [self._batch(int(self.batches[n]), int(self.batches[n + 1])) for n in numbers]

    def _batch(self, first: int, last: int) -> Batch:
        left, right = np.searchsorted(self.slot_text, [first, last])
        low, high = np.searchsorted(self.asked_slot, [left, right])
        return Batch(
            ids=np.array(self.texts[first:last], np.int64),
            text=self.slot_text[left:right] - first,
            place=self.slot_place[left:right],
            asked_slot=self.asked_slot[low:high] - left,
            asked_token=self.asked_token[low:high],
        )


def plan_texts(
    texts: Sequence[Tokens],
    readings: Sequence[tuple[int, int, int]],
    *,
    mask: int | None = None,
    vocabulary: int,
    batch_size: int,
    unit_texts: int,
) -> TextPlan:
    """Sort texts, number slots and readings in that order, and cut.

    ``readings`` are number of the text, position in it, and token. With ``mask``, texts with different
    numbers of masks do not share a batch. ``vocabulary`` is the number of logits of a slot; ``unit_texts``
    are the texts after which a work unit ends, which is the most that is lost when a run is killed.
    """
    keys = [(0 if mask is None else text.count(mask), len(text)) for text in texts]
    order = sorted(range(len(texts)), key=keys.__getitem__)
    rank = np.empty(len(texts), np.int64)
    rank[order] = np.arange(len(texts))
    table = np.array(readings, np.int64).reshape(-1, 3)
    table[:, 0] = rank[table[:, 0]]
    wanted, reading_of = np.unique(table, axis=0, return_inverse=True)
    slots, slot_of = np.unique(wanted[:, :2], axis=0, return_inverse=True)
    counts = np.bincount(slots[:, 0], minlength=len(texts))
    most_slots = max(1, LOGITS_AT_ONCE // vocabulary)
    batches = _batch_cuts([keys[at] for at in order], counts, batch_size, most_slots)
    return TextPlan(
        texts=tuple(texts[at] for at in order),
        order=tuple(order),
        slot_text=slots[:, 0].copy(),
        slot_place=slots[:, 1].copy(),
        asked_slot=slot_of.reshape(-1),
        asked_token=wanted[:, 2].copy(),
        reading_of=reading_of.reshape(-1),
        batches=batches,
        units=_unit_cuts(np.diff(batches), unit_texts),
    )


def _batch_cuts(
    keys: Sequence[tuple[int, int]], slots: Integers, batch_size: int, most_slots: int
) -> Integers:
    """Where batches begin: texts of one kind and length, within the limits on texts and slots."""
    cuts, filled = [0], 0
    for at, count in enumerate(slots.tolist()):
        full = at - cuts[-1] == batch_size or filled + count > most_slots
        if at > cuts[-1] and (full or keys[at] != keys[at - 1]):
            cuts.append(at)
            filled = 0
        filled += count
    return np.array([*cuts, len(keys)], np.int64)


def _unit_cuts(sizes: Integers, unit_texts: int) -> Integers:
    """Whole batches, until there are enough texts."""
    cuts, filled = [0], 0
    for at, size in enumerate(sizes.tolist()):
        if filled >= unit_texts:
            cuts.append(at)
            filled = 0
        filled += size
    return np.array([*cuts, len(sizes)], np.int64)
