"""Plan of a probe: distinct texts, the positions in them that are read, and the tokens read there.

The plan is a function of the prompts and the settings alone. Batches hold texts of one length and one number
of masks, so nothing is ever padded, and which texts share a batch does not depend on interruptions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError
from crossroads.extraction.probe.pieces import Split

Integers = NDArray[np.int64]
Tokens = tuple[int, ...]
LOGITS_AT_ONCE = 1 << 25
"""Most logits of a batch: 128 MB in float32."""


@dataclass(frozen=True, kw_only=True)
class Batch:
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
class ProbePlan:
    """All the work, and where its answers belong."""

    texts: tuple[Tokens, ...]
    """Distinct texts, by number of masks and length."""
    slot_text: Integers
    """For each slot its text, in ascending order."""
    slot_place: Integers
    """For each slot the token at which it is read."""
    asked_slot: Integers
    """For each token that is read the slot, in ascending order."""
    asked_token: Integers
    """The token."""
    cells: Integers
    """Rows × templates × adjectives × pieces: what is read with all masks empty; −1 for no piece."""
    chain: Integers | None
    """The same with earlier pieces filled in; None for causal models, which have no other way."""
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


def make_probe_plan(
    splits: Mapping[tuple[int, int, int], Split],
    shape: tuple[int, int, int],
    *,
    mask: int | None,
    vocabulary: int,
    longest: int,
    batch_size: int,
    unit_texts: int,
) -> ProbePlan:
    """Plan the work.

    Parameters
    ----------
    splits
        For each row, template and adjective the tokens around and of the adjective.
    shape
        Number of rows, templates and adjectives.
    mask
        The mask token; ``None`` for causal models.
    vocabulary
        Number of logits per position.
    longest
        Most tokens of a text.
    batch_size
        Most texts of a batch.
    unit_texts
        Texts after which a work unit ends, which is the most that is lost when a run is killed.
    """
    deepest = max(len(split.pieces) for split in splits.values())
    cells = np.full((*shape, deepest), -1, np.int64)
    chain = None if mask is None else cells.copy()
    asked = _Readings()
    for at, split in splits.items():
        for number, piece in enumerate(split.pieces):
            if mask is None or chain is None:
                seen = (*split.before, *split.pieces[:number])
                cells[(*at, number)] = asked.number(seen, len(seen) - 1, piece)
                continue
            place, empty = len(split.before) + number, len(split.pieces) - number
            text = (*split.before, *(mask,) * len(split.pieces), *split.after)
            cells[(*at, number)] = asked.number(text, place, piece)
            filled = (*split.before, *split.pieces[:number], *(mask,) * empty, *split.after)
            chain[(*at, number)] = asked.number(filled, place, piece)
    if mask is None:
        asked.join_prefixes()
    too_long = max((len(text) for text, _, _ in asked.numbers), default=0)
    if too_long > longest:
        raise InputError(
            f"a prompt has {too_long} tokens; the model takes {longest}.", hint="use shorter templates."
        )
    return _arranged(asked, cells, chain, mask, vocabulary, batch_size, unit_texts)


class _Readings:
    """The readings: text, position and token, numbered in order of appearance."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[Tokens, int, int], int] = {}

    def number(self, text: Tokens, place: int, token: int) -> int:
        return self.numbers.setdefault((text, place, token), len(self.numbers))

    def join_prefixes(self) -> None:
        """Read a text that is the beginning of a longer one in the longer one: one pass serves both."""
        seen = dict.fromkeys(text for text, _, _ in self.numbers)
        holder: dict[Tokens, Tokens] = {}
        for text in sorted(seen, key=lambda one: -len(one)):
            if text not in holder:
                for length in range(1, len(text) + 1):
                    if text[:length] in seen:
                        holder.setdefault(text[:length], text)
        self.numbers = {
            (holder[text], place, token): number for (text, place, token), number in self.numbers.items()
        }


def _arranged(
    asked: _Readings,
    cells: Integers,
    chain: Integers | None,
    mask: int | None,
    vocabulary: int,
    batch_size: int,
    unit_texts: int,
) -> ProbePlan:
    """Sort texts by masks and length, number slots and readings in that order, and cut."""
    first_seen = list(dict.fromkeys(text for text, _, _ in asked.numbers))
    order = sorted(first_seen, key=lambda text: (text.count(mask) if mask is not None else 0, len(text)))
    rank = {text: at for at, text in enumerate(order)}
    table = np.array([(rank[text], place, token) for text, place, token in asked.numbers], np.int64)
    wanted, reading_of = np.unique(table, axis=0, return_inverse=True)
    slots, slot_of = np.unique(wanted[:, :2], axis=0, return_inverse=True)
    by_number = np.empty(len(table), np.int64)
    by_number[list(asked.numbers.values())] = reading_of.reshape(-1)
    counts = np.bincount(slots[:, 0], minlength=len(order))
    keys = [(text.count(mask) if mask is not None else 0, len(text)) for text in order]
    batches = batch_cuts(keys, counts, batch_size, max(1, LOGITS_AT_ONCE // vocabulary))
    return ProbePlan(
        texts=tuple(order),
        slot_text=slots[:, 0].copy(),
        slot_place=slots[:, 1].copy(),
        asked_slot=slot_of.reshape(-1),
        asked_token=wanted[:, 2].copy(),
        cells=_renumbered(cells, by_number),
        chain=None if chain is None else _renumbered(chain, by_number),
        batches=batches,
        units=unit_cuts(np.diff(batches), unit_texts),
    )


def _renumbered(cells: Integers, numbers: Integers) -> Integers:
    return np.where(cells < 0, -1, numbers[np.maximum(cells, 0)])


def batch_cuts(
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


def unit_cuts(sizes: Integers, unit_texts: int) -> Integers:
    """Whole batches, until there are enough texts."""
    cuts, filled = [0], 0
    for at, size in enumerate(sizes.tolist()):
        if filled >= unit_texts:
            cuts.append(at)
            filled = 0
        filled += size
    return np.array([*cuts, len(sizes)], np.int64)
