"""Workers of a Ray cluster, or of a Ray on this machine, through Ray Data.

The plan is put into Ray's object store once; numbers of units stream to actors that hold the model, and
vectors stream back to this process, which alone writes. An actor that dies is started anew by Ray, and its
unit sent again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.corpus.clusters import elsewhere
from crossroads.errors import CrossroadsError, InputError, require
from crossroads.extraction.encoding import Encoder
from crossroads.extraction.planning import Plan
from crossroads.extraction.settings import Settings
from crossroads.sources.model_files import find_model

_MOST_BLOCKS = 20_000
_SECONDS = 10
_QUIET = {
    "enable_progress_bars": False,
    "print_on_execution_start": False,
    "enable_rich_progress_bars": False,
}
_PURPOSE = "the engine 'ray'"


class EncodingActor:
    """What runs on a worker of Ray: the model, loaded once.

    Parameters
    ----------
    settings
        Which model, layers and pieces.
    model
        Where to find the model; one of the hub is fetched where it is not on the machine.
    plan
        Reference to the plan in the object store.
    """

    def __init__(self, settings: Settings, model: str, plan: Any) -> None:
        found = find_model(model, revision=settings.files.revision)
        if found.sha256 != settings.files.sha256:
            raise InputError(
                f"the model {settings.files.name!r} has other files on a worker than here.",
                hint="put the same files on every machine.",
            )
        self._plan: Plan = require("ray", extra="ray", purpose=_PURPOSE).get(plan)
        self._encode = Encoder(dataclasses.replace(settings, files=found))

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Encode a batch of units, which is one."""
        vectors = [self._encode(self._plan.unit(int(number))) for number in batch["item"]]
        return {
            "number": batch["item"],
            "dim": np.array([rows.shape[1] for rows in vectors]),
            "vectors": [rows.tobytes() for rows in vectors],
        }


def encode_on_ray(
    plan: Plan,
    numbers: Iterable[int],
    settings: Settings,
    *,
    workers: int | None,
    address: str | None = None,
    runtime_env: Mapping[str, Any] | None = None,
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Encode units on Ray, in whatever order they are done.

    Parameters
    ----------
    plan, numbers, settings
        As for :func:`crossroads.extraction.local_engine.encode_locally`.
    workers
        Number of actors; ``None`` for as many as the cluster has room for.
    address
        A running cluster, such as ``"auto"`` or ``"ray://head:10001"``; ``None`` starts one here.
    runtime_env
        Environment of the workers, for clusters on which this package is not installed.
    """
    todo, dtype = list(numbers), np.dtype(settings.dtype)
    with _cluster(address, workers, settings, runtime_env) as ray:
        reference = ray.put(plan)  # held here as long as an actor may be started
        data = require("ray.data", extra="ray", purpose=_PURPOSE)
        actors = min(workers or _room(ray, settings), len(todo))
        with _quietly(data):
            results = data.from_items(todo, override_num_blocks=min(len(todo), _MOST_BLOCKS)).map_batches(
                EncodingActor,
                batch_size=1,
                concurrency=actors,
                num_cpus=settings.threads,
                num_gpus=1 if settings.device == "cuda" else None,
                fn_constructor_kwargs={
                    "settings": settings,
                    "model": settings.files.place,
                    "plan": reference,
                },
            )
            with _told_plainly(ray):
                for row in results.iter_rows():
                    flat: NDArray[Any] = np.frombuffer(row["vectors"], dtype)
                    yield int(row["number"]), flat.reshape(-1, int(row["dim"]))


@contextlib.contextmanager
def _cluster(
    address: str | None, workers: int | None, settings: Settings, runtime_env: Mapping[str, Any] | None
) -> Iterator[Any]:
    """Ray, connected; what was started here is shut down."""
    ray = require("ray", extra="ray", purpose=_PURPOSE)
    if ray.is_initialized():
        yield ray
        return
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None:
        options["include_dashboard"] = False
        if workers is not None:
            # Ray hands out processors by count; one more for the driver's own tasks
            options["num_cpus"] = workers * settings.threads + 1
    # the part of Ray that is not Python says unasked what concerns nobody here
    level = os.environ.get("RAY_BACKEND_LOG_LEVEL")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    try:
        _knock(address)
        with _without_stderr(), elsewhere(runtime_env) as environment:
            ray.init(address=address or "local", runtime_env=environment, **options)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        where = "on this machine" if address is None else f"at {address!r}"
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(
            f"no Ray cluster can be reached {where}: {reason[0][:200]}",
            hint="start one with `ray start --head`, or leave the address out.",
        ) from error
    finally:
        if level is None:
            del os.environ["RAY_BACKEND_LOG_LEVEL"]
    try:
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Nothing on standard error, also of what is not Python: Ray says there that it will be silent."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)


def _knock(address: str | None) -> None:
    """Try the door of a cluster; Ray itself would stand before a closed one for a quarter of an hour."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS).close()


def _room(ray: Any, settings: Settings) -> int:
    """How many actors the cluster has room for."""
    there = ray.cluster_resources()
    if settings.device == "cuda":
        return max(1, int(there.get("GPU", 0)))
    return max(1, int(there.get("CPU", 1)) // settings.threads)


@contextlib.contextmanager
def _quietly(data: Any) -> Iterator[None]:
    """No bars and notices of Ray Data between ours."""
    context, logger = data.DataContext.get_current(), logging.getLogger("ray.data")
    before, level = {name: getattr(context, name) for name in _QUIET if hasattr(context, name)}, logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        for name in before:
            setattr(context, name, _QUIET[name])
        yield
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            setattr(context, name, value)


@contextlib.contextmanager
def _told_plainly(ray: Any) -> Iterator[None]:
    """Errors of workers as sentences."""
    try:
        yield
    except ray.exceptions.RayError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, CrossroadsError):
            cause = getattr(cause, "cause", None) or cause.__cause__
        if isinstance(cause, CrossroadsError):
            raise cause from error
        reason = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        raise CrossroadsError(
            f"Ray gave up: {reason[-1].strip()[:300]}",
            hint="run the same command again; no finished unit is done again.",
        ) from error
