"""Work in processes of this machine, each watched by a thread of this one.

A worker gets, pickled on its standard input, a setup and then questions, and answers on its standard output:
``"progress"`` with a number, any number of times, then ``"done"`` with the answer or ``"failed"`` with the
error. One that dies (killed, out of memory) is replaced and its question asked again; the others are not
affected. If the parent ends, for whatever reason, the input of the workers ends.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from crossroads.core.errors import CrossroadsError

TRIES = 3
"""How often a question may end its worker."""

Tell = Callable[[int], None]
"""Called with how much more is done; negative if a question is asked again."""
Task = Callable[[Any, Tell], Any]
"""Answers a question."""
_Answer = tuple[int, Any] | int | BaseException
_SECONDS = 0.2
_PACKAGE = Path(__file__).resolve().parents[1] / "__init__.py"
_START = """\
import importlib.util, sys
spec = importlib.util.spec_from_file_location("crossroads", sys.argv[2])
sys.modules["crossroads"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["crossroads"])
importlib.import_module("crossroads.core.workers").serve(sys.argv[1])
"""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_processes(
    prepare: Callable[[Any], Task],
    setup: Any,
    question: Callable[[int], Any],
    numbers: Iterable[int],
    *,
    workers: int,
    name: Callable[[int], str],
    hint: str,
    progress: Tell | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[tuple[int, Any]]:
    """Send questions to several processes; the answers are yielded in any order.

    ``prepare`` is called once per worker with the setup and gives the function that answers; workers must be
    able to import its module. ``question`` gives the question of a number, just before it is sent, in any
    thread. ``name`` and ``hint`` are for the error if a question ends every worker, ``progress`` is called
    with what workers report, and the variables of ``environment`` are added to those of this process.
    """
    command, todo = worker_command(prepare), list(numbers)
    # bounded, so that a slow reader slows the workers down instead of filling the memory
    done: queue.Queue[_Answer] = queue.Queue(workers + 1)
    team = _Team(lambda: _Worker(command, setup, environment), question, iter(todo), done, name, hint)
    threads = [threading.Thread(target=team.serve, daemon=True) for _ in range(workers)]
    left = len(todo)
    try:
        for thread in threads:
            thread.start()
        while left:
            answer = done.get()
            if isinstance(answer, BaseException):
                raise answer
            if isinstance(answer, tuple):
                left -= 1
                yield answer
            elif progress is not None:
                progress(answer)
    finally:
        team.over.set()
        for worker in list(team.workers):
            worker.kill()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


@dataclass(eq=False)
class _Team:
    """The workers, the remaining questions, which their threads share, and the answers received."""

    start: Callable[[], _Worker]
    question: Callable[[int], Any]
    numbers: Iterator[int]
    done: queue.Queue[_Answer]
    name: Callable[[int], str]
    hint: str
    over: threading.Event = field(default_factory=threading.Event)
    workers: set[_Worker] = field(default_factory=set)

    def serve(self) -> None:
        worker: _Worker | None = None
        try:
            for number in self.numbers:
                if self.over.is_set():
                    break
                worker, answer = self._ask(worker, number)
                self._put((number, answer))
        except Exception as error:
            self._put(error)
        finally:
            if worker is not None:
                self._dismiss(worker)

    def _ask(self, worker: _Worker | None, number: int) -> tuple[_Worker, Any]:
        """The answer to a question, and the worker that gave it: a new one if the first dies."""
        last = ""
        for _ in range(TRIES):
            if worker is None:
                worker = self.start()
                self.workers.add(worker)
            reported = 0
            try:
                if self.over.is_set():  # started too late to be stopped with the others
                    raise EOFError
                worker.ask(self.question(number))
                while (reply := worker.answer())[0] == "progress":
                    reported += reply[1]
                    self._put(reply[1])
            except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # a closed pipe is a ValueError
                last = worker.last_words()
                self._dismiss(worker)
                worker = None
                self._put(-reported)
                if self.over.is_set():
                    break
                continue
            if reply[0] == "failed":
                raise reply[1]
            return worker, reply[1]
        hint = self.hint
        raise CrossroadsError(f"{self.name(number)} ended its worker {TRIES} times: {last}.", hint=hint)

    def _dismiss(self, worker: _Worker) -> None:
        worker.kill()
        self.workers.discard(worker)

    def _put(self, answer: _Answer) -> None:
        while not self.over.is_set():
            with contextlib.suppress(queue.Full):
                self.done.put(answer, timeout=_SECONDS)
                break


class _Worker:
    """The handle of a process that answers questions."""

    def __init__(self, command: list[str], setup: Any, environment: Mapping[str, str] | None) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in kill)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **(environment or {})},
        )
        self._questions = cast("IO[bytes]", self._process.stdin)
        self._answers = cast("IO[bytes]", self._process.stdout)
        self._setup = [setup]
        self._ending = threading.Lock()

    def ask(self, question: Any) -> None:
        """Send a question, the first time with the setup before it."""
        for data in (*self._setup, question):
            pickle.dump(data, self._questions, protocol=5)
        self._setup = []
        self._questions.flush()

    def answer(self) -> Any:
        return pickle.load(self._answers)

    def last_words(self) -> str:
        """How it ended, and its last output."""
        try:
            status = self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            return "it does not answer"
        lines: list[str] = []
        with contextlib.suppress(ValueError):  # closed, because all are stopped
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = f" ({lines[-1][:200]})" if lines else ""
        return (f"signal {-status}" if status < 0 else f"exit status {status}") + said

    def kill(self) -> None:
        """End it at once; it has nothing to save. Its own thread and that of the team may both call this."""
        with self._ending:
            self._process.kill()
            self._process.wait()
            for stream in (self._questions, self._answers, self._errors):
                # discard the buffer; a thread that reads finds the pipe closed
                with contextlib.suppress(OSError, ValueError):
                    stream.close()


def worker_command(prepare: Callable[[Any], Task]) -> list[str]:
    """The command that starts a worker: a process of this Python with a function of a module.

    The current folder is not on its path (``-P``), so that no file in it is taken for a module. The package
    is the one that runs here, wherever it is installed; other modules are found in the usual way.
    """
    flags = ["-E"] if sys.flags.ignore_environment else []
    flags += ["-s"] if sys.flags.no_user_site else []
    name = f"{prepare.__module__}:{prepare.__qualname__}"
    return [sys.executable, "-P", *flags, "-c", _START, name, str(_PACKAGE)]


def serve(name: str) -> None:
    """Run a worker: answer the process that started this one, until its questions end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interrupts
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the answers
    questions = sys.stdin.buffer
    module, _, function = name.partition(":")
    prepare = getattr(importlib.import_module(module), function)

    def tell(kind: str, what: Any) -> None:
        try:
            pickle.dump((kind, what), answers, protocol=5)
            answers.flush()
        except BrokenPipeError:
            os._exit(0)

    task: Task | None = None
    with contextlib.suppress(EOFError, pickle.UnpicklingError):  # the parent may be killed while it writes
        setup = pickle.load(questions)
        while True:
            question = pickle.load(questions)
            try:
                task = task or prepare(setup)
                answer = task(question, lambda more: tell("progress", more))
            except MemoryError:  # another worker may have more memory
                raise
            except Exception as error:
                tell("failed", _portable(error))
                return
            tell("done", answer)


def _portable(error: Exception) -> Exception:
    """An error that the parent can unpickle."""
    if isinstance(error, CrossroadsError | OSError):
        return error
    said = next((line.strip() for line in str(error).splitlines() if line.strip()), "no reason given")
    hint = "please report this."
    return CrossroadsError(f"a worker failed: {type(error).__name__}: {said[:200]}", hint=hint)
