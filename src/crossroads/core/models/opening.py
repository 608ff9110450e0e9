"""What resumable runs share: options, the model, the loop over texts, finished parts, the progress.

A plan is a function of the texts and the limits alone. Batches hold texts of one length and one number of
masks, so nothing is ever padded, and which texts share a batch does not depend on interruptions.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, OnMissing, one_of, require
from crossroads.core.evidence.contexts import cuts
from crossroads.core.evidence.embeddings import Provenance
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.models.files import find_model
from crossroads.core.models.language import Asked, LanguageModel
from crossroads.core.models.transformers import Device, resolve_device, versions
from crossroads.core.storage.arrays import MANIFEST
from crossroads.core.storage.cache import Parts, differences, record_fingerprint, remove_leftovers
from crossroads.core.storage.files import disk_errors
from crossroads.core.workers import processors

AT_ONCE = 8
"""Most batches that are computed at a time: each may hold
:data:`LOGITS_AT_ONCE` logits."""
Floats = NDArray[np.float64]
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
    enough. ``offsets`` are the first and last-plus-one character of each token, ``(0, 0)`` of special ones.
    """
    inside = [at for at, (left, right) in enumerate(offsets) if left < end and right > start and right > left]
    return Span(inside[0], inside[-1] + 1) if inside else None


class Batch(NamedTuple):
    """Texts of one length that go through the model together: their tokens (``ids``), one text per row.

    The rest is as in :class:`TextPlan`, counted from the first text and slot of the batch.
    """

    ids: Integers
    text: Integers
    place: Integers
    asked_slot: Integers
    asked_token: Integers


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
        bounds, found = self.batches[self.units[unit] : self.units[unit + 1] + 1].tolist(), []
        for first, last in pairwise(bounds):
            left, right = np.searchsorted(self.slot_text, [first, last])
            low, high = np.searchsorted(self.asked_slot, [left, right])
            slots, asked = slice(left, right), slice(low, high)
            text, asked_slot = self.slot_text[slots] - first, self.asked_slot[asked] - left
            ids = np.array(self.texts[first:last], np.int64)
            found.append(Batch(ids, text, self.slot_place[slots], asked_slot, self.asked_token[asked]))
        return found


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
        units=np.array([0, *cuts(np.diff(batches).tolist(), unit_texts)], np.int64),
    )


def _batch_cuts(
    keys: Sequence[tuple[int, int]], slots: Integers, batch_size: int, most_slots: int
) -> Integers:
    """Where batches begin: texts of one kind and length, within the limits on texts and slots."""
    starts, filled = [0], 0
    for at, count in enumerate(slots.tolist()):
        full = at - starts[-1] == batch_size or filled + count > most_slots
        if at > starts[-1] and (full or keys[at] != keys[at - 1]):
            starts.append(at)
            filled = 0
        filled += count
    return np.array([*starts, len(keys)], np.int64)


@dataclass(frozen=True, kw_only=True)
class ProbeStep:
    """The progress of a run."""

    stage: str
    """``"loading"``, ``"splitting"`` (texts into tokens), ``"asking"``; or ``"present"``, if there is nothing
    to do."""
    done: int = 0
    """Texts answered so far."""
    total: int = 0
    """Their total."""
    kept: int = 0
    """Texts that an earlier run answered."""


Progress = Callable[[ProbeStep], None]
Answer = TypeVar("Answer")


class _Stored(Protocol):
    """The result of a run, which records how it was made."""

    @property
    def provenance(self) -> Provenance: ...
    def save(self, path: str | Path) -> None: ...


Result = TypeVar("Result", bound=_Stored)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a language model is run, whatever it is asked; see :func:`~crossroads.probe`."""

    asked_as: Asked
    missing: OnMissing
    revision: str | None
    device: Device
    threads: int | None
    batch_size: int
    unit_texts: int
    restart: bool
    progress: Progress | None

    def __post_init__(self) -> None:
        one_of("way to treat what is missing", self.missing, OnMissing)
        for name, value in {**self.limits, "threads": self.threads or 1}.items():
            if value < 1:
                raise InputError(f"{name}={value} is too small.", hint="give a number from 1 up.")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> RunOptions:
        """The options among the arguments of a function."""
        return cls(**{field.name: given[field.name] for field in fields(cls)})

    @property
    def limits(self) -> dict[str, int]:
        """Most texts of a batch, and texts after which a work unit ends."""
        return {"batch_size": self.batch_size, "unit_texts": self.unit_texts}

    def report(self, step: ProbeStep) -> None:
        """Report the progress, if that is wanted."""
        if self.progress is not None:
            self.progress(step)

    def load(self, model: str | Path, *, instead: str, linear: bool = True) -> LanguageModel:
        """The model; ``instead`` is the hint for an ELMo, ``linear`` as in :class:`LanguageModel`."""
        self.report(ProbeStep(stage="loading"))
        files = find_model(model, revision=self.revision)
        if files.elmo:
            message = f"{files.name} is an ELMo, and its published files cannot predict words."
            raise InputError(message, hint=instead)
        loaded = LanguageModel(
            files, asked_as=self.asked_as, device=resolve_device(self.device), linear=linear
        )
        self.report(ProbeStep(stage="splitting"))
        return loaded

    def record(self, model: LanguageModel, scheme: str, asked: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Plain data that determine the answers; ``asked`` are those of the material."""
        return {
            "scheme": scheme,
            "model": model.files.name,
            "revision": model.files.revision,
            "model sha256": model.files.sha256,
            "kind": model.kind,
            **asked,
            "device": model.device,
            **{name.replace("_", " "): value for name, value in {**more, **self.limits}.items()},
            **versions(),
        }

    def run(
        self,
        plan: TextPlan,
        ask: Callable[[Batch], Answer],
        pack: Callable[[Sequence[Answer]], Floats],
        finish: Callable[[list[Floats]], Result],
        *,
        device: str,
        store: Path | None,
        record: dict[str, Any],
    ) -> Result:
        """Ask a model everything in a plan, and save the result.

        ``ask`` answers a batch, and several threads may call it at once; ``pack`` puts the answers of a unit
        into an array; ``finish`` makes the result of the arrays of all units. With a ``store``, finished
        units of an earlier run with the same record are not asked again.
        """
        threads, units = self.threads or processors(), range(plan.sizes.size)
        # on a processor each thread has a batch of its own: those that share one wait for each other often
        workers = min(threads, plan.batches.size - 1, AT_ONCE) if device == "cpu" else 1
        with _model_threads(threads // workers):
            if store is None:
                return finish([values for _, values in self._units(plan, units, ask, pack, workers)])
            with unfinished(store, record, restart=self.restart) as parts:
                left = [unit for unit in units if unit not in parts.finished]
                for unit, values in self._units(plan, left, ask, pack, workers):
                    parts.save(unit, values)
                result = finish([np.load(parts.finished[unit], allow_pickle=False) for unit in units])
                with disk_errors(store, parts=parts.folder):
                    if store.is_dir():
                        store.rmdir()  # empty, or it would have been refused
                    result.save(store)
        return result

    def _units(
        self,
        plan: TextPlan,
        units: Sequence[int],
        ask: Callable[[Batch], Answer],
        pack: Callable[[Sequence[Answer]], Floats],
        workers: int,
    ) -> Iterator[tuple[int, Floats]]:
        """Each unit and its answers, in order; several batches are computed at a time."""
        total = int(plan.sizes.sum())
        kept = total - int(plan.sizes[list(units)].sum())
        step = ProbeStep(stage="asking", done=kept, total=total, kept=kept)
        self.report(step)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="crossroads-model")
        queue: deque[tuple[int, list[tuple[int, Future[Answer]]]]] = deque()

        def first() -> tuple[int, Floats]:
            nonlocal step
            unit, futures = queue.popleft()
            answers = []
            for texts, future in futures:
                answers.append(future.result())
                step = replace(step, done=step.done + texts)
                self.report(step)
            return unit, pack(answers)

        try:
            for unit in units:
                batches = plan.batches_of(unit)
                queue.append((unit, [(len(batch.ids), pool.submit(ask, batch)) for batch in batches]))
                # later units keep all workers busy while the last batches of the first are computed
                if sum(len(answers) for _, answers in queue) - len(queue[0][1]) >= workers:
                    yield first()
            while queue:
                yield first()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextlib.contextmanager
def _model_threads(number: int) -> Iterator[None]:
    torch = require("torch", extra="models", purpose="running transformer models")
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def run_provenance(
    model: LanguageModel, plan: TextPlan, record: dict[str, Any], details: dict[str, Any]
) -> Provenance:
    """The provenance of the answers of a model, with further details."""
    return Provenance(
        source=recorded_path(model.files.name),
        format="transformers",
        revision=model.files.revision,
        sha256=model.files.sha256,
        details={"class": model.architecture, "kind": model.kind, **details, "texts": len(plan.texts)}
        | {"fingerprint": record_fingerprint(record), "record": record},
    )


def is_finished(
    store: Path, record: dict[str, Any], opened: Callable[[Path], _Stored], *, what: str, file: bool = False
) -> bool:
    """Whether a store is finished already; one with other settings, or anything else, is an error.

    ``opened`` opens a finished store, which has the record that it was made with in its provenance; ``what``
    is its name in messages.
    """
    if not store.exists() or (not file and store.is_dir() and not any(store.iterdir())):
        return False
    if not file and not (store / MANIFEST).is_file():
        raise InputError(f"{store} exists and is not a {what}.", hint="name a new folder.")
    details = opened(store).provenance.details
    if details.get("fingerprint") != record_fingerprint(record):
        there = details.get("record")
        shown = differences(record, there) if isinstance(there, dict) else "it was imported"
        state, place = ("has finished", "file") if file else ("is a finished", "folder")
        hint = f"name another {place}, or remove this one."
        raise InputError(f"{store} {state} {what} with other settings: {shown}.", hint=hint)
    remove_leftovers(store)
    return True


@contextlib.contextmanager
def unfinished(store: Path, record: dict[str, Any], *, restart: bool) -> Iterator[Parts]:
    """The finished parts of a store; they are removed at the end, if nothing went wrong."""
    parts = Parts(store, record, restart=restart)
    try:
        yield parts
        parts.remove()
    finally:
        parts.close()
