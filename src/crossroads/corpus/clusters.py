"""The same work on Ray Data."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import os
import pickle
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from crossroads.corpus.files import Part
from crossroads.corpus.opening import Progress
from crossroads.corpus.tasks import Search, Table, attempt, checked
from crossroads.errors import CrossroadsError, InputError, require

_PURPOSE = "the engine 'ray'"
_LEVEL = "RAY_BACKEND_LOG_LEVEL"
_MOST_BLOCKS = 20_000
_SECONDS = 10.0

T = TypeVar("T")
Task = Callable[[dict[str, Any]], dict[str, Any]]


def on_ray(
    search: Search,
    parts: Sequence[Part],
    thresholds: Callable[[], Sequence[bytes]],  # noqa: ARG001 - known only when the work is done
    progress: Progress,
    *,
    workers: int | None,
    address: str | None,
) -> Iterator[Table]:
    """Search parts with Ray Data, which begins again what is lost with a worker.

    Parameters
    ----------
    search, parts
        What to look for, and where; every node must see the files under the same paths.
    thresholds
        Not used.
    progress
        Is told the bytes of each part that is done.
    workers
        How many parts are searched at once; by default as many as Ray sees fit.
    address
        Which cluster; by default the one in use, or a new one on this machine.
    """
    ray = require("ray", extra="ray", purpose=_PURPOSE)
    data = require("ray.data", extra="ray", purpose=_PURPOSE)
    task = _task(search, [_absolute(part) for part in parts])
    if not parts:
        return
    with _connected(ray, address, workers), _quiet(data):
        rows = _silently(_rows, data, task, len(parts), workers)
        with _told_plainly(ray):
            while (row := _silently(next, rows, None)) is not None:
                yield checked(pickle.loads(row["table"]))
                progress(parts[int(row["number"])].bytes)


def _rows(data: Any, task: Task, count: int, workers: int | None) -> Iterator[dict[str, Any]]:
    items = [{"number": number} for number in range(count)]
    found = data.from_items(items, override_num_blocks=min(count, _MOST_BLOCKS))
    return iter(found.map(task, concurrency=workers).iter_rows())


def _absolute(part: Part) -> Part:
    """The same part for a process in another folder."""
    return dataclasses.replace(
        part, source=dataclasses.replace(part.source, path=part.source.path.absolute())
    )


def _task(search: Search, parts: Sequence[Part]) -> Task:
    def run(row: dict[str, Any]) -> dict[str, Any]:
        table = attempt(search, parts[int(row["number"])])
        return {"number": row["number"], "table": pickle.dumps(table, protocol=5)}

    return run


def _silently(call: Callable[..., T], *arguments: Any) -> T:
    """Call something of Ray, which warns of its own settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments)


@contextlib.contextmanager
def _connected(ray: Any, address: str | None, workers: int | None) -> Iterator[None]:
    """Use the cluster that is there, or start one and stop it at the end."""
    if ray.is_initialized():
        yield
        return
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None:
        options["include_dashboard"] = False
        if workers is not None:
            options["num_cpus"] = workers + 1  # one for the tasks of Ray Data itself
    level = os.environ.get(_LEVEL)
    os.environ.setdefault(_LEVEL, "fatal")  # the part of Ray that is not Python logs on its own
    try:
        _check_address(address)
        with elsewhere() as environment:
            _silently(
                functools.partial(ray.init, address=address or "local", runtime_env=environment, **options)
            )
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        where = "can be started on this machine" if address is None else f"answers at {address!r}"
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise InputError(
            f"no Ray cluster {where} ({reason[:200]}).",
            hint="start one with `ray start --head`, or leave out the address to use this machine.",
        ) from error
    finally:
        if level is None:
            del os.environ[_LEVEL]
    try:
        yield
    finally:
        ray.shutdown()


@contextlib.contextmanager
def elsewhere(environment: Mapping[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """An environment of Ray whose workers run in an empty folder, and find what this process finds.

    Without it Ray puts the current folder before the standard library on the path of every worker, so that
    any ``random.py`` in it is run.

    Parameters
    ----------
    environment
        What else the workers are to have; a folder that is named there stays.
    """
    given = os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory(prefix="crossroads-") as empty:
        if given:  # the paths in it may begin at this folder
            os.environ["PYTHONPATH"] = os.pathsep.join(
                str(Path(path).absolute()) for path in given.split(os.pathsep) if path
            )
        try:
            yield {"working_dir": empty, **(environment or {})}
        finally:
            if given:
                os.environ["PYTHONPATH"] = given


def _check_address(address: str | None) -> None:
    """Knock at an address of the form ``host:port``; Ray itself would try for minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and "/" not in host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS).close()


@contextlib.contextmanager
def _quiet(data: Any) -> Iterator[None]:
    """No bars and no log of Ray Data, for as long as we use it."""
    context, logger = _silently(data.DataContext.get_current), logging.getLogger("ray.data")
    bars, level = context.enable_progress_bars, logger.level
    context.enable_progress_bars = False
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        context.enable_progress_bars = bars
        logger.setLevel(level)


@contextlib.contextmanager
def _told_plainly(ray: Any) -> Iterator[None]:
    """What Ray cannot mend, in a sentence."""
    try:
        yield
    except ray.exceptions.RayError as error:
        reason = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise CrossroadsError(
            f"Ray gave up: {(reason or [type(error).__name__])[-1][:300]}",
            hint="is crossroads installed on every node, and do all of them see the files?",
        ) from error
