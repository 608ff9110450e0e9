"""Work on a Ray cluster, or on Ray on this machine."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import tempfile
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crossroads.core.errors import CrossroadsError, InputError, require
from crossroads.core.workers import TRIES, Task

_LEVEL = "RAY_BACKEND_LOG_LEVEL"
_SECONDS = 10.0
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
"""First bytes of a Ray client, to which other servers at an address do not answer."""


def on_cluster(
    prepare: Callable[[Any], Task],
    setup: Any,
    numbers: Iterable[int],
    *,
    workers: int | None,
    address: str | None,
    hint: str,
    processors: int = 1,
    graphics: bool = False,
    runtime_env: Mapping[str, Any] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Send numbers to Ray actors; the answers are yielded in any order.

    ``prepare`` is called once per actor with the setup, which is put into Ray's object store once, and gives
    the function that answers numbers. An actor that dies is started again by Ray, and its number is sent
    again. Without ``workers`` there are as many actors as fit on the cluster, each with some ``processors``,
    and a GPU if ``graphics``. The ``address`` is ``"auto"``, ``"host:port"`` or ``"ray://host:port"``; if
    there is none, the cluster in use is taken, or one is started here and stopped at the end. ``runtime_env``
    is for clusters on which this package is not installed, ``hint`` for the error if Ray gives up.
    """
    todo = deque(numbers)
    if not todo:
        return
    with _connected(address, None if workers is None else workers * processors, runtime_env) as ray:
        there = ray.cluster_resources()
        room = int(there.get("GPU", 0)) if graphics else int(there.get("CPU", 1)) // processors
        needs = {"num_cpus": processors, "num_gpus": int(graphics)}
        actor_type = ray.remote(**needs, max_restarts=-1, max_task_retries=TRIES - 1)(_Actor)
        reference = ray.put(setup)  # held here as long as an actor may be started
        count = min(workers or max(1, room), len(todo))
        actors = [actor_type.remote(prepare, reference) for _ in range(count)]
        try:
            yield from _answers(ray, actors, todo)
        except ray.exceptions.RayError as error:
            lines = [line.strip() for line in str(error).splitlines() if line.strip()]
            reason = (lines or [type(error).__name__])[-1][:300]
            raise CrossroadsError(f"Ray gave up: {reason}", hint=hint) from error
        finally:
            for actor in actors:
                ray.kill(actor)


def _answers(ray: Any, actors: list[Any], todo: deque[int]) -> Iterator[tuple[int, Any]]:
    """Keep every actor busy; nothing is sent to one that has not started."""
    left = len(todo)
    waiting: dict[Any, tuple[Any, int | None]] = {actor.ready.remote(): (actor, None) for actor in actors}
    while left:
        (ready, *_), _ = ray.wait(list(waiting), num_returns=1)
        answer = ray.get(ready)
        actor, number = waiting.pop(ready)
        if todo:
            following = todo.popleft()
            waiting[actor.answer.remote(following)] = actor, following
        if number is not None:
            left -= 1
            if isinstance(answer, Exception):
                raise answer
            yield number, answer


class _Actor:
    """The actor on a Ray worker. Expected errors are answers; Ray would not pass them on whole."""

    def __init__(self, prepare: Callable[[Any], Task], setup: Any) -> None:
        self._prepare, self._setup = prepare, setup
        self._task: Task | None = None

    def ready(self) -> None:
        """Answer as soon as the actor has started."""

    def answer(self, number: int) -> Any:
        """Answer a number."""
        try:
            self._task = self._task or self._prepare(self._setup)
            return self._task(number, lambda _: None)
        except (CrossroadsError, OSError) as error:
            return error


@contextlib.contextmanager
def _connected(
    address: str | None, processors: int | None, runtime_env: Mapping[str, Any] | None
) -> Iterator[Any]:
    """Connect to Ray: the cluster in use, or one that is left at the end, or stopped if started here."""
    ray = require("ray", extra="ray", purpose="the engine 'ray'")
    if ray.is_initialized():
        yield ray
        return
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None:
        options["include_dashboard"] = False
        if processors is not None:
            options["num_cpus"] = processors
    level = _variable(_LEVEL, os.environ.get(_LEVEL, "fatal"))  # the C++ part of Ray has its own log
    try:
        _check_address(address)
        with warnings.catch_warnings(), _without_stderr(), level, _elsewhere(runtime_env) as environment:
            warnings.simplefilter("ignore")
            ray.init(address=address or "local", runtime_env=environment, **options)
    except (ConnectionError, ValueError, RuntimeError, OSError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        where = "can be started on this machine" if address is None else f"answers at {address!r}"
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        hint = "start one with `ray start --head`, or leave out the address to use this machine."
        raise InputError(f"no Ray cluster {where} ({reason[:200]}).", hint=hint) from error
    try:
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _elsewhere(environment: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield a Ray environment whose workers run in an empty folder, with the import path of this process.

    Without it Ray puts the current folder before the standard library on the path of every worker, so that
    any ``random.py`` in it is run. A folder that the environment names stays.
    """
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)  # they may be relative to this folder
    absolute = os.pathsep.join(str(Path(path).absolute()) for path in paths if path)
    with tempfile.TemporaryDirectory(prefix="crossroads-") as empty, _variable("PYTHONPATH", absolute):
        yield {"working_dir": empty, **(environment or {})}


@contextlib.contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """Silence standard error, also that of C++ code, where Ray announces that it will be silent."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)


def _check_address(address: str | None) -> None:
    """Check that a cluster answers at an address; Ray itself would try for minutes."""
    scheme, _, place = (address or "auto").rpartition("://")
    if place in ("auto", "local") or scheme not in ("", "ray"):  # other schemes belong to plug-ins of Ray
        return
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal():
        hint = "write host:port, ray://host:port or auto; or leave it out to use this machine."
        raise InputError(f"{address!r} is not the address of a Ray cluster.", hint=hint)
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS) as connection:
        if os.environ.get("RAY_USE_TLS", "0") == "0":
            connection.sendall(_GREETING)
            if not connection.recv(1):
                raise ConnectionError("something else listens there")
