"""Context vectors of a model: from a folder of contexts to a store, resumable at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.cluster import on_cluster
from crossroads.contexts.corpus import StoredContexts, read_contexts
from crossroads.contexts.corpus.search import EngineName
from crossroads.contexts.embed.encoder import encoding, unit_encoder
from crossroads.contexts.embed.plan import AUTO, Piece, Plan, Settings, Stored, make_plan, resolve
from crossroads.core.errors import InputError, one_of
from crossroads.core.evidence import Contexts, Provenance
from crossroads.core.evidence.contexts import write_store
from crossroads.core.evidence.model_names import recorded_path
from crossroads.core.models.opening import ProbeStep, is_finished, unfinished
from crossroads.core.models.transformers import Device
from crossroads.core.storage.cache import STAGED, Parts, record_fingerprint
from crossroads.core.storage.files import disk_errors, settle
from crossroads.core.storage.staging import usable_place
from crossroads.core.workers import in_processes, processors

_GATHERED_BYTES = 256 << 20
"""How many bytes of a store are gathered in memory at once; a single word may need more."""


@dataclass(frozen=True, kw_only=True)
class Step(ProbeStep):
    """The progress of an extraction: texts split, tokens encoded or words assembled (the last stages)."""

    contexts: int = 0  # contexts whose vectors are computed, in the stage "encoding"


Progress = Callable[[Step], None]  # called now and then with the progress


def provenance_of(
    contexts: StoredContexts, plan: Plan, settings: Settings, record: dict[str, Any]
) -> Provenance:
    """Where the vectors came from, and which contexts are not among them."""
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
            "dropped": sum(number for reasons in plan.dropped.values() for number in reasons.values()),
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
    rows, dim = _by_word(plan, parts, first.shape[1], first.dtype, report), first.shape[1]
    with disk_errors(store, parts=parts.folder):
        write_store(staged, plan.words, plan.counts, rows, dim=dim, dtype=dtype, provenance=provenance)
        if store.is_dir():
            store.rmdir()  # empty, or it would have been refused
        staged.replace(store)
        settle(store.parent)


def _by_word(
    plan: Plan, parts: Parts, dim: int, dtype: np.dtype[Any], report: Progress
) -> Iterator[NDArray[Any]]:
    ends = np.cumsum(plan.counts)
    most = max(1, _GATHERED_BYTES // (dim * dtype.itemsize))
    word = row = 0
    while word < len(ends):
        last = max(word + 1, int(np.searchsorted(ends, row + most, side="right")))
        wanted = plan.vector_of[row : ends[last - 1]]
        block = np.empty((len(wanted), dim), dtype)
        units = np.searchsorted(plan.wanted_cuts, wanted, side="right") - 1
        order = np.argsort(units, kind="stable")
        present, begins = np.unique(units[order], return_index=True)
        for unit, rows in zip(present.tolist(), np.split(order, begins[1:]), strict=True):
            part = np.load(parts.finished[unit], mmap_mode="r", allow_pickle=False)  # each is opened once
            block[rows] = part[wanted[rows] - plan.wanted_cuts[unit]]
        for position in range(word, last):
            begin = int(ends[position]) - plan.counts[position] - row
            yield block[begin : int(ends[position]) - row]
        word, row = last, int(ends[last - 1])
        report(Step(stage="assembling", done=word, total=len(ends)))


def embed(
    contexts: str | Path,
    model: str | Path,
    folder: str | Path,
    *,
    revision: str | None = None,
    layer: int | str = AUTO,
    piece: Piece = "last",
    dtype: Stored = "float32",
    batch_size: int = 64,
    batch_tokens: int = 16_384,
    unit_tokens: int = 16_384,
    max_length: int | None = None,
    device: Device = "auto",
    threads: int = 1,
    workers: int | None = None,
    engine: EngineName = "local",
    ray_address: str | None = None,
    ray_runtime_env: Mapping[str, Any] | None = None,
    restart: bool = False,
    progress: Progress | None = None,
) -> Contexts:
    """Compute the vector of every context, and store them.

    Parameters
    ----------
    contexts
        A folder that ``crossroads contexts`` has written.
    model
        A folder, a ``.gguf`` file, or a name on the Hugging Face hub; or the folder of an ELMo.
    folder
        The store to create. An interrupted run is continued; a finished store that was made with the same
        settings is opened.
    layer
        ``-1`` is the top layer; see :func:`crossroads.contexts.embed.plan.parse_layers`. By default as
        in the CEAT: the top layer, and of an ELMo the sum of all three.
    piece
        Of a word split into several tokens the ``"last"``, the ``"first"`` or the ``"mean"``.
    batch_size, batch_tokens, unit_tokens
        Most sentences and most tokens (with padding) that go through the model at once, and tokens of a work
        unit, which is the most that each worker loses when a run is killed.
    max_length
        Most tokens of a sentence, if fewer than the model takes. Of longer ones a window around the word
        is kept.
    threads
        Threads of each worker. Part of the settings, because more than one may change last bits.
    workers
        Number of processes; by default one for each processor, or one on a GPU.
    ray_address, ray_runtime_env
        A running cluster, and the environment of its workers.
    restart
        Whether to discard an unfinished store that was made with other settings.

    Returns
    -------
    Contexts
        The finished store, memory-mapped. Its bytes depend on the contexts and the settings alone.
    """
    one_of("engine", engine, EngineName)
    if workers is not None and workers < 1:
        raise InputError(f"workers={workers} is too small.", hint="give a number from 1 up.")
    place, report = usable_place(folder), progress or (lambda _: None)
    report(Step(stage="loading"))
    found = read_contexts(contexts)
    settings, tokenizer = resolve(
        model,
        revision=revision,
        layer=layer,
        piece=piece,
        dtype=dtype,
        batch_size=batch_size,
        batch_tokens=batch_tokens,
        unit_tokens=unit_tokens,
        max_length=max_length,
        device=device,
        threads=threads,
        elsewhere=engine == "ray",
    )
    record = settings.record(found.sha256, found.sample)
    if is_finished(place, record, partial(Contexts.open, verify=False), what="store"):
        report(Step(stage="present"))
        return Contexts.open(place)
    with unfinished(place, record, restart=restart) as parts:
        split = partial(Step, stage="splitting")
        plan = make_plan(found, tokenizer, settings, lambda at, of: report(split(done=at, total=of)))
        # the longest sentences first, so that a lack of memory shows at once
        todo = [number for number in reversed(range(plan.units)) if number not in parts.finished]
        results: Iterable[tuple[int, NDArray[Any]]] = ()
        if todo and engine == "local":
            usual = processors() // settings.threads if settings.device == "cpu" else 1
            results = encode_locally(plan, todo, settings, workers=min(workers or max(1, usual), len(todo)))
        elif todo:
            results = on_cluster(
                unit_encoder,
                (settings, settings.files.place, plan),
                todo,
                workers=workers,
                address=ray_address,
                hint="run the same command again; finished units are kept.",
                processors=settings.threads,
                graphics=settings.device == "cuda",
                runtime_env=ray_runtime_env,
            )
        _collect(plan, parts, results, report)
        assemble(place, plan, parts, provenance_of(found, plan, settings, record), settings.dtype, report)
    return Contexts.open(place)


def encode_locally(
    plan: Plan, numbers: Iterable[int], settings: Settings, *, workers: int
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Encode units in processes of this machine, each of which holds the model."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(settings.threads))
    return in_processes(
        encoding,
        settings,
        plan.unit,
        numbers,
        workers=workers,
        name=lambda number: f"unit {number} of {plan.units}",
        hint="if memory ran out, use fewer workers or smaller batches; finished units are kept.",
        environment={**limits, "TOKENIZERS_PARALLELISM": "false"},
    )


def _collect(plan: Plan, parts: Parts, results: Iterable[tuple[int, NDArray[Any]]], report: Progress) -> None:
    units = np.searchsorted(plan.wanted_cuts, plan.vector_of, side="right") - 1
    contexts = np.bincount(units, minlength=plan.units)
    finished = list(parts.finished)
    tokens, rows = int(plan.tokens[finished].sum()), int(contexts[finished].sum())
    kept, total = tokens, int(plan.tokens.sum())
    report(Step(stage="encoding", done=tokens, total=total, contexts=rows, kept=kept))
    for number, vectors in results:
        parts.save(number, vectors)
        tokens, rows = tokens + int(plan.tokens[number]), rows + int(contexts[number])
        report(Step(stage="encoding", done=tokens, total=total, contexts=rows, kept=kept))
