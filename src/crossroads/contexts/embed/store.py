"""Assembly of parts into the finished store, and its provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.corpus import StoredContexts
from crossroads.contexts.embed.plan import Plan
from crossroads.contexts.embed.settings import Settings
from crossroads.core.evidence import Provenance
from crossroads.core.evidence.contexts import write_store
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.storage.cache import STAGED, Parts, record_fingerprint
from crossroads.core.storage.files import disk_errors, settle

_GATHERED_BYTES = 256 << 20
"""How many bytes of a store are gathered in memory at once; a single word may need more."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """The progress of an extraction."""

    stage: str
    """``"loading"``, ``"splitting"`` (texts into tokens), ``"encoding"``, ``"assembling"``; or ``"present"``,
    if there is nothing to do."""
    done: int = 0
    """Texts split, tokens encoded or words assembled so far."""
    total: int = 0
    """Their total."""
    contexts: int = 0
    """Contexts whose vectors are computed, in the stage ``"encoding"``."""
    kept: int = 0
    """Tokens that an earlier run encoded."""


Progress = Callable[[Step], None]
"""Called now and then with the progress."""


def provenance_of(
    contexts: StoredContexts, plan: Plan, settings: Settings, record: dict[str, Any]
) -> Provenance:
    """Where the vectors came from, and which contexts are not among them."""
    dropped = sum(number for reasons in plan.dropped.values() for number in reasons.values())
    return Provenance(
        source=recorded_path(settings.files.name),
        format=settings.files.format,
        revision=settings.files.revision,
        sha256=settings.files.sha256,
        details={
            "class": settings.model_class,
            "layer": str(settings.layers),
            "piece": settings.piece,
            "fingerprint": record_fingerprint(record),
            "record": record,
            "sample": dict(contexts.manifest["settings"]),
            "contexts": sum(plan.counts),
            "sentences": len(plan.bounds) - 1,
            "tokens": int(plan.tokens.sum()),
            "dropped": dropped,
            "dropped_by_word": plan.dropped,
            "words_without_contexts": [word for word in contexts.words if word not in set(plan.words)],
        },
    )


def assemble(
    store: Path, plan: Plan, parts: Parts, provenance: Provenance, dtype: str, report: Progress
) -> None:
    """Put the parts together in the order of the words, and move the store into place in one step."""
    staged = parts.folder / STAGED
    first = np.load(parts.finished[0], mmap_mode="r", allow_pickle=False)
    with disk_errors(store, parts=parts.folder):
        write_store(
            staged,
            plan.words,
            plan.counts,
            _by_word(plan, parts, first.shape[1], first.dtype, report),
            dim=first.shape[1],
            dtype=dtype,
            provenance=provenance,
        )
        if store.is_dir():
            store.rmdir()  # empty, or it would have been refused
        staged.replace(store)
        settle(store.parent)


def _by_word(
    plan: Plan, parts: Parts, dim: int, dtype: np.dtype[Any], report: Progress
) -> Iterator[NDArray[Any]]:
    """The vectors of each word, gathered for several words at a time."""
    ends = np.cumsum(plan.counts)
    most = max(1, _GATHERED_BYTES // (dim * dtype.itemsize))
    word = row = 0
    while word < len(ends):
        last = max(word + 1, int(np.searchsorted(ends, row + most, side="right")))
        block = _gathered(plan, parts, plan.vector_of[row : ends[last - 1]], dim, dtype)
        for position in range(word, last):
            begin = int(ends[position]) - plan.counts[position] - row
            yield block[begin : int(ends[position]) - row]
        word, row = last, int(ends[last - 1])
        report(Step(stage="assembling", done=word, total=len(ends)))


def _gathered(
    plan: Plan, parts: Parts, wanted: NDArray[np.int64], dim: int, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Some vectors of the parts; each part is opened once."""
    units = np.searchsorted(plan.wanted_cuts, wanted, side="right") - 1
    order = np.argsort(units, kind="stable")
    block = np.empty((len(wanted), dim), dtype)
    present, begins = np.unique(units[order], return_index=True)
    for unit, rows in zip(present.tolist(), np.split(order, begins[1:]), strict=True):
        part = np.load(parts.finished[unit], mmap_mode="r", allow_pickle=False)
        block[rows] = part[wanted[rows] - plan.wanted_cuts[unit]]
    return block
