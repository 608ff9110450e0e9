"""Real processes that die, fail, print or are left alone; what is asked of them is answered all the same."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.corpus.search import searcher
from crossroads.core.errors import (
    CrossroadsError,
    DiskFullError,
    FormatError,
    InputError,
    MissingStimuliError,
    UnknownNameError,
    UnsafeFileError,
)
from crossroads.core.workers import TRIES, in_processes, worker_command

ODD_JOBS = """
import os, pathlib, signal, sys
from crossroads.core.errors import FormatError

def prepare(folder):
    started = pathlib.Path(folder, f"started-{os.getpid()}")
    started.write_text(os.environ.get("FOR_WORKERS", ""))
    def task(question, tell):
        what, number = question
        print("a library that prints", flush=True)
        tell(3)
        tell(4)
        if what == "exit":
            sys.stderr.write("first\\nlast words\\n")
            os._exit(9)
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "die once":
            try:
                pathlib.Path(folder, f"died-{number}").touch(exist_ok=False)
            except FileExistsError:
                return number
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "format":
            raise FormatError("broken.", path="a.gz", line=7, hint="fetch it.")
        if what == "missing file":
            raise FileNotFoundError(2, "No such file", "b.txt")
        if what == "divide":
            return 1 / 0
        return number
    return task
"""
Ask = Callable[..., list[tuple[int, Any]]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """``ask("what", numbers, workers=2)``: answers of workers that run the code above."""
    (tmp_path / "odd_jobs.py").write_text(ODD_JOBS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    module = importlib.import_module("odd_jobs")
    monkeypatch.delitem(sys.modules, "odd_jobs")

    def ask(what: str, numbers: range = range(6), *, workers: int = 2, **options: Any) -> Any:
        return in_processes(
            module.prepare, str(tmp_path), lambda number: (what, number), numbers, workers=workers,
            name=lambda number: f"job {number}", hint="use fewer workers.", **options,
        )  # fmt: skip

    return ask


def children() -> str:
    command = ["ps", "-ww", "-o", "args=", "--ppid", str(os.getpid())]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_every_question_is_answered_once_and_workers_are_prepared_once(ask: Ask, tmp_path: Path) -> None:
    told: list[int] = []
    found = list(ask("work", progress=told.append, environment={"FOR_WORKERS": "yes"}))
    assert sorted(found) == [(number, number) for number in range(6)]
    assert sum(told) == 6 * 7
    started = [path.read_text(encoding="utf-8") for path in tmp_path.glob("started-*")]
    assert started in (["yes"], ["yes"] * 2)  # the second may find nothing left to do
    assert list(ask("work", range(0))) == []


def test_a_worker_that_dies_is_replaced_and_its_question_asked_again(ask: Ask) -> None:
    told: list[int] = []
    assert sorted(ask("die once", progress=told.append)) == [(number, number) for number in range(6)]
    assert told.count(-7) == 6  # what was told of the first attempt is taken back
    assert sum(told) == 6 * 7


@pytest.mark.parametrize(
    ("what", "end"), [("exit", r"exit status 9 \(last words\)"), ("kill", r"signal 9( \(.*\))?")]
)
def test_a_question_that_ends_every_worker_is_given_up_and_named(ask: Ask, what: str, end: str) -> None:
    with pytest.raises(CrossroadsError, match=rf"job 4 ended its worker {TRIES} times: {end}\.\n") as caught:
        list(ask(what, range(4, 5)))
    assert not isinstance(caught.value, InputError)  # the work failed, not the input
    assert caught.value.hint == "use fewer workers."


def test_errors_of_workers_arrive_whole(ask: Ask) -> None:
    with pytest.raises(FormatError, match=r"^a\.gz, line 7: broken\.") as caught:
        list(ask("format"))
    assert (caught.value.path, caught.value.line, caught.value.hint) == (Path("a.gz"), 7, "fetch it.")
    with pytest.raises(FileNotFoundError) as missing:
        list(ask("missing file"))
    assert missing.value.filename == "b.txt"
    with pytest.raises(CrossroadsError, match="a worker failed: ZeroDivisionError: division by zero"):
        list(ask("divide"))


@pytest.mark.parametrize(
    "error",
    [
        UnsafeFileError("wrong.", path="a", key="b"),
        UnknownNameError("test", "waet", ["weat", "rsa"]),
        MissingStimuliError("no rose.", gaps={"mine": {"x": {"rose": "not there"}}}, design="mine"),
        DiskFullError("full.", place=Path("a"), needed=7),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_keep_what_they_carry_when_they_travel(error: CrossroadsError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.skipif(sys.platform == "win32", reason="asks ps")
def test_an_iteration_that_is_left_early_leaves_no_worker(ask: Ask) -> None:
    answers: Any = ask("work", range(100))
    next(answers)
    assert "odd_jobs:prepare" in children()
    answers.close()
    assert "odd_jobs:prepare" not in children()


def test_the_trap_itself_is_sprung_by_a_worker_that_has_the_folder_on_its_path(traps: Path) -> None:
    command = [word for word in worker_command(searcher) if word != "-P"]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert traps.exists()


def test_an_interrupt_ends_every_worker(corpus: Path) -> None:
    script = (  # a script without a guard, which is run once: workers do not import it
        "import crossroads.contexts.corpus.search as search, signal\n"
        "search.PART_BYTES = 200\n"
        "def progress(*_):\n"
        "    print('on', flush=True)\n"
        "    signal.pause()\n"  # in the middle of the work, until the interrupt comes
        f"search.find_contexts({str(corpus)!r}, ['Anna'], workers=2, progress=progress)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"on\n"
    inside = Path(f"/proc/{process.pid}/task").glob("*/children")
    pids = [pid for one in inside for pid in one.read_text(encoding="ascii").split()]
    assert len(pids) == 2 or sys.platform != "linux"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=300)
    assert errors.strip().endswith(b"KeyboardInterrupt")
    for pid in pids:
        for _ in range(2000):
            if not Path(f"/proc/{pid}").exists():
                break
            time.sleep(0.05)
        assert not Path(f"/proc/{pid}").exists()
