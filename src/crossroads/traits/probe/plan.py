"""Plan of a probe: distinct texts, the positions in them that are read, and the tokens read there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crossroads.core.errors import InputError
from crossroads.core.models.opening import Integers, TextPlan, Tokens, plan_texts
from crossroads.traits.probe.tokens import Cell, Split

Reading = tuple[Tokens, int, int]
"""A text, a position in it, and the token that is read there."""


@dataclass(frozen=True, kw_only=True)
class ProbePlan:
    """All the work, and where its answers belong."""

    work: TextPlan
    """The texts, and what is read of them."""
    cells: Integers
    """Rows × templates × adjectives × pieces: what is read with all masks empty; −1 for no piece."""
    chain: Integers | None
    """The same with earlier pieces filled in; None for causal models, which have no other way."""


def make_probe_plan(
    splits: Mapping[Cell, Split], shape: Cell, *, mask: int | None, longest: int, **limits: int
) -> ProbePlan:
    """Plan the work.

    ``mask`` is None for causal models; ``limits`` are those of
    :func:`~crossroads.core.models.opening.plan_texts`.
    """
    deepest = max(len(split.pieces) for split in splits.values())
    cells = np.full((*shape, deepest), -1, np.int64)
    chain = None if mask is None else cells.copy()
    readings: dict[Reading, int] = {}
    for at, split in splits.items():
        for number, piece in enumerate(split.pieces):
            if mask is None or chain is None:
                seen = (*split.before, *split.pieces[:number])
                cells[(*at, number)] = _number(readings, seen, len(seen) - 1, piece)
                continue
            place, empty = len(split.before) + number, len(split.pieces) - number
            text = (*split.before, *(mask,) * len(split.pieces), *split.after)
            cells[(*at, number)] = _number(readings, text, place, piece)
            filled = (*split.before, *split.pieces[:number], *(mask,) * empty, *split.after)
            chain[(*at, number)] = _number(readings, filled, place, piece)
    if mask is None:
        readings = _joined_prefixes(readings)
    texts = {text: at for at, text in enumerate(dict.fromkeys(text for text, _, _ in readings))}
    too_long = max(map(len, texts), default=0)
    if too_long > longest:
        raise InputError(
            f"a prompt has {too_long} tokens; the model takes {longest}.", hint="use shorter templates."
        )
    table = [(texts[text], place, token) for text, place, token in readings]
    work = plan_texts(list(texts), table, mask=mask, **limits)
    numbers = np.empty(len(table), np.int64)
    numbers[list(readings.values())] = work.reading_of
    return ProbePlan(
        work=work,
        cells=_renumbered(cells, numbers),
        chain=None if chain is None else _renumbered(chain, numbers),
    )


def _renumbered(cells: Integers, numbers: Integers) -> Integers:
    return np.where(cells < 0, -1, numbers[np.maximum(cells, 0)])


def _number(readings: dict[Reading, int], text: Tokens, place: int, token: int) -> int:
    """The number of a reading, in order of appearance."""
    return readings.setdefault((text, place, token), len(readings))


def _joined_prefixes(readings: dict[Reading, int]) -> dict[Reading, int]:
    """Read a text that is the beginning of a longer one in the longer one: one pass serves both."""
    seen = dict.fromkeys(text for text, _, _ in readings)
    holder: dict[Tokens, Tokens] = {}
    for text in sorted(seen, key=len, reverse=True):
        if text not in holder:
            for length in range(1, len(text) + 1):
                if text[:length] in seen:
                    holder.setdefault(text[:length], text)
    return {(holder[text], place, token): number for (text, place, token), number in readings.items()}
