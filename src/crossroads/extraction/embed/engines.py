"""Engines that encode: processes of this machine, or actors of Ray; each holds the model, none writes."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from crossroads.errors import CrossroadsError, InputError
from crossroads.extraction.embed.elmo import ElmoEncoder
from crossroads.extraction.embed.encoder import Encoder
from crossroads.extraction.embed.plan import Plan
from crossroads.extraction.embed.settings import Settings
from crossroads.sources.models.files import find_model
from crossroads.workers.cluster import on_cluster
from crossroads.workers.processes import Task, in_processes


def encode_locally(
    plan: Plan, numbers: Iterable[int], settings: Settings, *, workers: int
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Encode units on this machine, in any order.

    Parameters
    ----------
    plan
        All the work.
    numbers
        The units to encode.
    settings
        The settings of every worker.
    workers
        Number of processes.
    """
    threads = str(settings.threads)
    return in_processes(
        encoding,
        settings,
        plan.unit,
        numbers,
        workers=workers,
        name=lambda number: f"unit {number} of {plan.units}",
        hint="if memory ran out, use fewer workers or smaller batches; finished units are kept.",
        environment={
            "OMP_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "TOKENIZERS_PARALLELISM": "false",
        },
    )


def encoding(settings: Settings) -> Task:
    """The task of a worker: from a unit to its vectors."""
    with _plain_errors():
        encoder = ElmoEncoder(settings) if settings.files.elmo else Encoder(settings)

    def encode(unit: Any, _: object) -> NDArray[Any]:
        with _plain_errors():
            return encoder(unit)

    return encode


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn unexpected exceptions of a model into an error with a hint."""
    try:
        yield
    except (CrossroadsError, MemoryError):
        raise
    except Exception as error:
        said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        hint = "try device='cpu', another transformers, or smaller batches; finished units are kept."
        if isinstance(error, IndexError):
            hint = "its tokenizer may allow more tokens or longer texts than it: try a smaller max_length."
        kind = type(error).__name__
        raise CrossroadsError(
            f"the model failed: {kind}: {said[:200]}" if said else f"the model failed: {kind}.",
            hint=hint,
            option="device",
        ) from error


def encode_on_ray(
    plan: Plan,
    numbers: Iterable[int],
    settings: Settings,
    *,
    workers: int | None,
    address: str | None = None,
    runtime_env: Mapping[str, Any] | None = None,
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Encode units on Ray, in any order.

    Parameters
    ----------
    plan, numbers, settings
        As for :func:`encode_locally`.
    workers
        Number of actors; ``None`` for as many as fit on the cluster.
    address, runtime_env
        As for :func:`crossroads.workers.cluster.on_cluster`.
    """
    return on_cluster(
        unit_encoder,
        (settings, settings.files.place, plan),
        numbers,
        workers=workers,
        address=address,
        hint="run the same command again; finished units are kept.",
        processors=settings.threads,
        graphics=settings.device == "cuda",
        runtime_env=runtime_env,
    )


def unit_encoder(setup: tuple[Settings, str, Plan]) -> Task:
    """The task of a Ray actor: from the number of a unit to its vectors.

    A model of the hub is fetched if it is not on the machine.
    """
    settings, place, plan = setup
    found = find_model(place, revision=settings.files.revision)
    if found.sha256 != settings.files.sha256:
        raise InputError(
            f"the model {settings.files.name!r} has different files on a worker than here.",
            hint="put the same files on every machine.",
        )
    encode = encoding(dataclasses.replace(settings, files=found))
    return lambda number, tell: encode(plan.unit(number), tell)
