"""Who does the work on this machine: this process, or several others.

An engine takes parts and gives back their tables in whatever order they are done.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from crossroads.corpus.files import Part
from crossroads.corpus.opening import Progress
from crossroads.corpus.tasks import Search, Table, attempt, checked
from crossroads.errors import CrossroadsError

TRIES = 3
"""How often a part is begun before it is given up."""

Thresholds = Callable[[], Sequence[bytes]]
"""Tells the priorities above which nothing is needed any more."""
Engine = Callable[[Search, Sequence[Part], Thresholds, Progress], Iterator[Table]]
"""Searches parts."""
_PACKAGE = Path(__file__).resolve().parents[1] / "__init__.py"
_START = """\
import importlib.util, sys
spec = importlib.util.spec_from_file_location("crossroads", sys.argv[2])
sys.modules["crossroads"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["crossroads"])
importlib.import_module(sys.argv[1]).main()
"""


def local(
    search: Search, parts: Sequence[Part], thresholds: Thresholds, progress: Progress, *, workers: int | None
) -> Iterator[Table]:
    """Search parts on this machine, in this process if one worker is enough."""
    workers = min(default_workers() if workers is None else workers, len(parts))
    if workers <= 1:
        return here(search, parts, thresholds, progress)
    return processes(search, parts, thresholds, progress, workers=workers)


def here(
    search: Search, parts: Sequence[Part], thresholds: Thresholds, progress: Progress
) -> Iterator[Table]:
    """Search one part after the other in this process."""
    for part in parts:
        yield checked(attempt(search, part, thresholds(), progress))


class _Worker:
    """A process that searches parts, and the number of the one it is at.

    Parameters
    ----------
    search
        What it looks for.
    answers
        Gets the worker with each of its answers, and with ``None`` when there will be no more.
    """

    def __init__(self, search: Search, answers: queue.SimpleQueue[tuple[_Worker, Any]]) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in stop
        self._process = subprocess.Popen(
            worker_command("crossroads.corpus.working"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self.part: int | None = None
        self.taken = 0
        self._listener = threading.Thread(target=self._listen, args=(answers,), daemon=True)
        self._listener.start()
        self._say(search)

    def begin(self, number: int, part: Part, thresholds: Sequence[bytes]) -> None:
        """Ask for a part."""
        self.part, self.taken = number, 0
        self._say((part, thresholds))

    def _say(self, question: Any) -> None:
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):  # it has died, which its listener tells
                pickle.dump(question, self._process.stdin, protocol=5)
                self._process.stdin.flush()

    def _listen(self, answers: queue.SimpleQueue[tuple[_Worker, Any]]) -> None:
        answer: Any = 0
        while answer is not None:
            try:
                answer = None if self._process.stdout is None else pickle.load(self._process.stdout)
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):
                answer = None
            answers.put((self, answer))

    def stop(self) -> str:
        """End the process, whatever it is doing; returns the last it said."""
        self._process.kill()
        self._listener.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        status = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode("utf-8", "replace").split("\n")
        self._errors.close()
        return next((line.strip() for line in reversed(said) if line.strip()), f"status {status}")


def processes(
    search: Search, parts: Sequence[Part], thresholds: Thresholds, progress: Progress, *, workers: int
) -> Iterator[Table]:
    """Search parts in several processes; one that dies is replaced, and its part begun again.

    Parameters
    ----------
    search, parts
        What to look for, and where.
    thresholds
        Is asked before each part.
    progress
        Is told how many more bytes have been taken; fewer than none, when a part is begun again.
    workers
        How many processes.
    """
    waiting = deque(range(len(parts)))
    tries: Counter[int] = Counter()
    answers: queue.SimpleQueue[tuple[_Worker, Any]] = queue.SimpleQueue()
    team: list[_Worker] = []
    try:
        while waiting or any(worker.part is not None for worker in team):
            while waiting and len(team) < workers:
                team.append(_Worker(search, answers))
            for worker in [one for one in team if one.part is None][: len(waiting)]:
                number = waiting.popleft()
                tries[number] += 1
                worker.begin(number, parts[number], thresholds())
            worker, answer = answers.get()
            if answer is None:
                team.remove(worker)
                last = worker.stop()
                progress(-worker.taken)
                if worker.part is not None:
                    _check_tries(parts[worker.part], tries[worker.part], last)
                    waiting.appendleft(worker.part)
            elif isinstance(answer, int):
                worker.taken += answer
                progress(answer)
            else:
                worker.part, worker.taken = None, 0
                yield checked(answer)
    finally:
        for worker in team:
            worker.stop()


def _check_tries(part: Part, tries: int, last: str) -> None:
    if tries >= TRIES:
        raise CrossroadsError(
            f"{part.source.path}: {TRIES} workers have died reading this file ({last}).",
            hint="was memory short? use fewer workers; with workers=1 this process reads by itself.",
        )


def worker_command(module: str) -> list[str]:
    """How to start a worker: a process of this Python that runs ``main`` of a module of this package.

    The current folder is not on its path (``-P``), so that no file in it is taken for a module. The package
    is the one that runs here, wherever it was found; anything else the worker finds as every Python does.

    Parameters
    ----------
    module
        Full name of the module.
    """
    flags = ["-E"] if sys.flags.ignore_environment else []
    flags += ["-s"] if sys.flags.no_user_site else []
    return [sys.executable, "-P", *flags, "-c", _START, module, str(_PACKAGE)]


def default_workers() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
