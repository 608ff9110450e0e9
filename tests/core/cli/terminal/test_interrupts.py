"""Interrupted at any moment, in processes of their own: one line, the right status, nothing half-written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.cli.terminal import interrupts as interrupting
from tests.fixtures.commands import Command, write_vectors

if sys.platform == "win32":
    pytest.skip("signals are sent in another way", allow_module_level=True)

Files = dict[str, bytes]
UNTOUCHED = [interrupting.UNTOUCHED]
KEPT = ["interrupted: finished parts of out are kept; the same command resumes from them."]
NOTHING = [interrupting.NOTHING]
WRITTEN = ["interrupted: the audit was already finished, and is written to out."]
MOMENTS = str(Path(__file__).parents[3] / "moments.py")
FULL = pytest.mark.full  # two places are tried in every run of the suite, the others in ``make full``
PLAIN = "from crossroads.core.cli import main; main()"


def made(folder: Path, number: int, size: int) -> list[str]:
    """Arguments for an audit of designs with so many words a set, and a vector for each word."""
    rows: list[dict[str, Any]] = [
        {"name": f"d{at}"} | {role: [f"d{at}{role}{i}" for i in range(size)] for role in "xyab"}
        for at in range(number)
    ]
    (folder / "designs.json").write_text(json.dumps(rows), encoding="utf-8")
    write_vectors(folder / "vectors.txt", [word for row in rows for role in "xyab" for word in row[role]])
    return ["audit", "vectors.txt", "-d", "designs.json", "-o", "out", "--no-figures"]


def run(arguments: list[str], cwd: Path, moment: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own; the time limit only keeps a failure from lasting forever."""
    return subprocess.run(
        [sys.executable, *(moment or ["-c"]), PLAIN, *arguments],
        capture_output=True, text=True, timeout=300, check=False, cwd=cwd,
    )  # fmt: skip


def at(event: str, text: str, name: str = "SIGINT") -> list[str]:
    """The signal comes when an event of the interpreter is about to happen for the first time."""
    return [MOMENTS, event, text, "1", f"{name}:self"]


def beside(folder: Path) -> set[str]:
    """What an audit has left: all but what it was given, and the summary that it was asked for."""
    return {one.name for one in folder.iterdir() if one.suffix not in (".json", ".txt", ".md")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The files of an audit that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    done = run(made(folder, 2, 4), folder)
    assert done.returncode == 0, done.stderr
    return files(folder / "out")


def files(folder: Path) -> Files:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "status"),
    [("numpy", "SIGINT", 130), pytest.param("crossroads.core.subjects", "SIGTERM", 143, marks=FULL)],
)
def test_an_interrupt_while_modules_are_loaded_is_one_line(
    module: str, name: str, status: int, tmp_path: Path
) -> None:
    done = run(made(tmp_path, 1, 4), tmp_path, at("import", f"'{module}'", name))
    assert (done.returncode, done.stderr.splitlines(), done.stdout) == (status, UNTOUCHED, "")
    assert beside(tmp_path) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "text", "name", "said", "left"),
    [
        # while the input is looked at
        pytest.param("open", "designs.json", "SIGINT", UNTOUCHED, set(), marks=FULL),
        # when the first thing that is kept is about to get its name
        pytest.param("os.rename", "vectors-of-words", "SIGINT", NOTHING, set(), marks=FULL),
        # when a finished part is about to get its name
        ("os.rename", "part-mleat", "SIGINT", KEPT, {".out.parts"}),
        # while the folder is written
        pytest.param("open", "summary.md", "SIGTERM", KEPT, {".out.parts"}, marks=FULL),
        # when the folder is about to take its place
        pytest.param("os.rename", ".out.writing-", "SIGINT", KEPT, {".out.parts"}, marks=FULL),
        # when it stands, and everything was measured
        ("os.rename", "said.md", "SIGINT", WRITTEN, {".out.parts", "out"}),
    ],
)
def test_an_interrupted_audit_goes_on_and_ends_in_the_same_bytes(
    event: str, text: str, name: str, said: list[str], left: set[str], whole: Files, tmp_path: Path
) -> None:  # fmt: skip
    """Two processes, for signals reach a process, and what it leaves is read by the next."""
    arguments = [*made(tmp_path, 2, 4), "--summary", "said.md"]
    done = run(arguments, tmp_path, at(event, text, name))
    assert (done.returncode, done.stderr.splitlines()) == (128 + signal.Signals[name], said)
    assert beside(tmp_path) == left
    assert list(tmp_path.rglob(".writing-*")) == []  # nothing half-written
    again = run(arguments, tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert files(tmp_path / "out") == whole
    assert beside(tmp_path) == {".out.parts", "out"}


@pytest.mark.full
def test_an_interrupt_leaves_an_earlier_audit_as_it_was(whole: Files, tmp_path: Path) -> None:
    arguments = made(tmp_path, 2, 4)
    assert run(arguments, tmp_path).returncode == 0
    done = run([*arguments, "--seed", "5"], tmp_path, at("open", "summary.md"))
    assert (done.returncode, done.stderr.splitlines()) == (130, KEPT)
    assert files(tmp_path / "out") == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "sent"), [pytest.param("1", signal.SIGINT, marks=FULL), ("2", signal.SIGTERM)]
)
def test_exact_counts_that_are_running_are_not_waited_for(
    workers: str, sent: signal.Signals, tmp_path: Path
) -> None:
    # 24 words a set: each count goes through millions of sums in compiled code or in numpy, in the main
    # thread with one worker and in others with two. All of it would take minutes.
    arguments = [*made(tmp_path, 40, 24), "--workers", workers]
    with subprocess.Popen(
        [sys.executable, "-c", PLAIN, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    ) as process:  # fmt: skip
        while process.poll() is None and not list(tmp_path.glob(".out.parts/*.vectors")):
            time.sleep(0.01)
        time.sleep(0.5)  # among the counts by now, or still about to begin: both must end
        process.send_signal(sent)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 128 + sent
    assert (out, err.splitlines()) == ("", KEPT)
    assert beside(tmp_path) == {".out.parts"}


def test_a_second_signal_ends_the_program_at_once() -> None:
    code = """
import os, signal
from crossroads.core.cli.terminal.interrupts import guarded, promise
with guarded():
    promise("interrupted.")
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        print("cleaned up", flush=True)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "interrupted.\n")


def test_signals_are_as_they_were_when_the_program_is_done(command: Command) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    assert command("--version").status == 0
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before
