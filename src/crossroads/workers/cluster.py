"""Work on a Ray cluster, or on Ray on this machine, through Ray Data."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from crossroads.errors import CrossroadsError, InputError, require
from crossroads.workers.processes import Task

_PURPOSE = "the engine 'ray'"
_LEVEL = "RAY_BACKEND_LOG_LEVEL"
_MOST_BLOCKS = 20_000
_SECONDS = 10.0
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
"""First bytes of a Ray client, to which other servers at an address do not answer."""
_QUIET = {
    "enable_progress_bars": False,
    "print_on_execution_start": False,
    "enable_rich_progress_bars": False,
}

T = TypeVar("T")


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

    The setup is put into Ray's object store once. An actor that dies is started again by Ray, and its number
    is sent again.

    Parameters
    ----------
    prepare
        Called once per actor with the setup; returns the function that answers numbers; see
        :func:`crossroads.workers.processes.in_processes`.
    setup
        Data that every actor needs.
    numbers
        The questions.
    workers
        Number of actors; ``None`` for as many as fit on the cluster.
    address
        A running cluster: ``"auto"``, ``"host:port"`` or ``"ray://host:port"``; ``None`` takes the one in
        use, or starts one here and stops it at the end.
    hint
        What to do if Ray gives up.
    processors, graphics
        Resources of an actor: processors, and whether it takes a GPU.
    runtime_env
        Environment of the workers, for clusters on which this package is not installed.
    """
    todo = list(numbers)
    if not todo:
        return
    with _connected(address, None if workers is None else workers * processors, runtime_env) as ray:
        data = require("ray.data", extra="ray", purpose=_PURPOSE)
        reference = ray.put(setup)  # held here as long as an actor may be started
        there = ray.cluster_resources()
        room = int(there.get("GPU", 0)) if graphics else int(there.get("CPU", 1)) // processors

        def rows() -> Iterator[dict[str, Any]]:
            items = data.from_items(todo, override_num_blocks=min(len(todo), _MOST_BLOCKS))
            answers = items.map_batches(
                _Actor,
                batch_size=1,
                concurrency=min(workers or max(1, room), len(todo)),
                num_cpus=processors,
                num_gpus=1 if graphics else None,
                fn_constructor_kwargs={"prepare": prepare, "setup": reference},
            )
            return iter(answers.iter_rows())

        with _quiet(data), _plain_errors(ray, hint):
            found = _silently(rows)
            while (row := _silently(lambda: next(found, None))) is not None:
                answer = pickle.loads(row["answer"])
                if isinstance(answer, Exception):
                    raise answer
                yield int(row["number"]), answer


class _Actor:
    """The actor on a Ray worker. Expected errors are returned as answers; Ray would not pass them on whole.

    Parameters
    ----------
    prepare
        Returns the function that answers, from the setup.
    setup
        Reference to the setup in the object store.
    """

    def __init__(self, prepare: Callable[[Any], Task], setup: Any) -> None:
        self._prepare, self._setup = prepare, setup
        self._task: Task | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Answer a batch, which is a single number."""
        answers = [pickle.dumps(self._answer(int(number)), protocol=5) for number in batch["item"]]
        return {"number": batch["item"], "answer": answers}

    def _answer(self, number: int) -> Any:
        try:
            if self._task is None:
                self._task = self._prepare(require("ray", extra="ray", purpose=_PURPOSE).get(self._setup))
            return self._task(number, _ignore)
        except (CrossroadsError, OSError) as error:
            return error


def _ignore(_: int) -> None:
    """Ignore the progress of an actor."""


@contextlib.contextmanager
def _connected(
    address: str | None, processors: int | None, runtime_env: Mapping[str, Any] | None
) -> Iterator[Any]:
    """Connect to Ray: the cluster in use, or one that is left at the end, or stopped if started here."""
    ray = require("ray", extra="ray", purpose=_PURPOSE)
    if ray.is_initialized():
        yield ray
        return
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None:
        options["include_dashboard"] = False
        if processors is not None:
            options["num_cpus"] = processors + 1  # one for tasks of Ray Data itself
    level = os.environ.get(_LEVEL)
    os.environ.setdefault(_LEVEL, "fatal")  # the C++ part of Ray has its own log
    try:
        _check_address(address)
        with _without_stderr(), _elsewhere(runtime_env) as environment:
            _silently(lambda: ray.init(address=address or "local", runtime_env=environment, **options))
    except (ConnectionError, ValueError, RuntimeError, OSError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
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
        yield ray
    finally:
        ray.shutdown()


def _silently(call: Callable[[], T]) -> T:
    """Call a function of Ray without warnings about its own settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


@contextlib.contextmanager
def _elsewhere(environment: Mapping[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield a Ray environment whose workers run in an empty folder, with the import path of this process.

    Without it Ray puts the current folder before the standard library on the path of every worker, so that
    any ``random.py`` in it is run. A folder that the environment names stays.
    """
    given = os.environ.get("PYTHONPATH")
    with tempfile.TemporaryDirectory(prefix="crossroads-") as empty:
        if given:  # its paths may be relative to this folder
            os.environ["PYTHONPATH"] = os.pathsep.join(
                str(Path(path).absolute()) for path in given.split(os.pathsep) if path
            )
        try:
            yield {"working_dir": empty, **(environment or {})}
        finally:
            if given:
                os.environ["PYTHONPATH"] = given


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
        raise InputError(
            f"{address!r} is not the address of a Ray cluster.",
            hint="write host:port, ray://host:port or auto; or leave it out to use this machine.",
        )
    with socket.create_connection((host.strip("[]"), int(port)), timeout=_SECONDS) as connection:
        if os.environ.get("RAY_USE_TLS", "0") == "0":
            connection.sendall(_GREETING)
            if not connection.recv(1):
                raise ConnectionError("something else listens there")


@contextlib.contextmanager
def _quiet(data: Any) -> Iterator[None]:
    """Silence the progress bars, notices and log of Ray Data within the context."""
    context, logger = _silently(data.DataContext.get_current), logging.getLogger("ray.data")
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
def _plain_errors(ray: Any, hint: str) -> Iterator[None]:
    """Turn fatal exceptions of Ray into one error."""
    try:
        yield
    except ray.exceptions.RayError as error:
        reason = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise CrossroadsError(
            f"Ray gave up: {(reason or [type(error).__name__])[-1][:300]}", hint=hint
        ) from error
