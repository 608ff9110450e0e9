"""Workers on this machine: one process each, watched by one thread each.

A worker that dies (killed, out of memory) is replaced and its unit done again; the others do not notice.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import IO, Any

from numpy.typing import NDArray

from crossroads.corpus.engines import worker_command
from crossroads.errors import CrossroadsError, InputError
from crossroads.extraction.planning import Plan, Unit
from crossroads.extraction.settings import Settings

TRIES = 3
"""How often a unit may take its worker with it."""
_SECONDS = 0.2


def encode_locally(
    plan: Plan, numbers: Iterable[int], settings: Settings, *, workers: int
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Encode units on this machine, in whatever order they are done.

    Parameters
    ----------
    plan
        All the work.
    numbers
        The units to encode.
    settings
        What every worker is told.
    workers
        Number of processes.
    """
    crew = _Crew(plan, list(numbers), settings, workers)
    try:
        yield from crew.results()
    finally:
        crew.stop()


class _Crew:
    """The workers, the units that are left, and the answers that have come."""

    def __init__(self, plan: Plan, numbers: list[int], settings: Settings, workers: int) -> None:
        self._plan, self._settings, self._count = plan, settings, len(numbers)
        self._todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in numbers:
            self._todo.put(number)
        # bounded, so that a slow disk slows the workers down instead of filling the memory
        self._done: queue.Queue[tuple[int, NDArray[Any]] | BaseException] = queue.Queue(workers + 1)
        self._over = threading.Event()
        self._workers: set[_Worker] = set()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(workers)]

    def results(self) -> Iterator[tuple[int, NDArray[Any]]]:
        for thread in self._threads:
            thread.start()
        for _ in range(self._count):
            answer = self._done.get()
            if isinstance(answer, BaseException):
                raise answer
            yield answer

    def stop(self) -> None:
        self._over.set()
        for worker in list(self._workers):
            worker.kill()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _serve(self) -> None:
        """Keep one worker busy."""
        worker: _Worker | None = None
        try:
            while not self._over.is_set():
                try:
                    number = self._todo.get_nowait()
                except queue.Empty:
                    return
                worker, vectors = self._encode(worker, number)
                self._put((number, vectors))
        except Exception as error:
            self._put(error)
        finally:
            if worker is not None:
                self._dismiss(worker)

    def _encode(self, worker: _Worker | None, number: int) -> tuple[_Worker, NDArray[Any]]:
        unit, ends = self._plan.unit(number), []
        for _ in range(TRIES):
            if worker is None:
                worker = _Worker(self._settings)
                self._workers.add(worker)
            try:
                if self._over.is_set():  # begun too late to be among those that are stopped
                    raise EOFError
                return worker, worker.ask(unit)
            except CrossroadsError:
                raise
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # a closed pipe is a ValueError
                ends.append(worker.last_words())
                self._dismiss(worker)
                worker = None
            if self._over.is_set():
                break
        raise CrossroadsError(
            f"unit {number} of {self._plan.units} ended its worker {TRIES} times: {ends[-1]}.",
            hint="if memory ran out, use fewer workers or smaller batches; no finished unit is done again.",
        )

    def _dismiss(self, worker: _Worker) -> None:
        worker.kill()
        self._workers.discard(worker)

    def _put(self, answer: tuple[int, NDArray[Any]] | BaseException) -> None:
        while not self._over.is_set():
            try:
                self._done.put(answer, timeout=_SECONDS)
                return
            except queue.Full:
                continue


class _Worker:
    """A process that encodes, seen from outside."""

    def __init__(self, settings: Settings) -> None:
        threads = str(settings.threads)
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "TOKENIZERS_PARALLELISM": "false",
        }
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in kill)
        self._process = subprocess.Popen(
            worker_command("crossroads.extraction.working"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
        )
        self._settings: Settings | None = settings
        self._ending = threading.Lock()

    def ask(self, unit: Unit) -> NDArray[Any]:
        """Send a unit, and wait for its vectors."""
        questions, answers = self._process.stdin, self._process.stdout
        if questions is None or answers is None:
            raise EOFError
        if self._settings is not None:
            pickle.dump(self._settings, questions, protocol=5)
            self._settings = None
        pickle.dump(unit, questions, protocol=5)
        questions.flush()
        kind, answer = pickle.load(answers)
        if kind == "vectors":
            vectors: NDArray[Any] = answer
            return vectors
        message, hint = answer
        raise (InputError if kind == "input" else CrossroadsError)(message, hint=hint)

    def last_words(self) -> str:
        """How it ended, and what it said last."""
        try:
            status = self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "it does not answer"
        try:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        except ValueError:  # closed, because the crew is stopped
            lines = []
        said = f" ({lines[-1][:200]})" if lines else ""
        return (f"signal {-status}" if status < 0 else f"exit status {status}") + said

    def kill(self) -> None:
        """End it at once; it has nothing to save. Its own thread and that of the crew may both ask."""
        with self._ending:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._errors):
                # what is still in the buffer has nobody to go to; a thread that reads finds it closed
                with contextlib.suppress(OSError, ValueError):
                    if stream is not None:
                        stream.close()
