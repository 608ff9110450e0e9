"""Interrupted at any moment, in processes of their own: one line, the right status, nothing half-written."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.cli.terminal import interrupts as interrupting
from crossroads.cli.terminal import interrupts as promising

if sys.platform == "win32":
    pytest.skip("signals are sent in another way", allow_module_level=True)

Files = dict[str, bytes]
UNTOUCHED = [interrupting.UNTOUCHED]
KEPT = ["interrupted: finished parts of out are kept; the same command resumes from them."]
NOTHING = [promising.NOTHING]
WRITTEN = ["interrupted: the audit was already finished, and is written to out."]
MOMENTS = str(Path(__file__).parents[2] / "moments.py")
FULL = pytest.mark.full  # two places are tried in every run of the suite, the others in ``make full``
PLAIN = "from crossroads.cli import main; main()"


def made(folder: Path, number: int, size: int) -> list[str]:
    """Arguments for an audit of designs with so many words a set, and a vector for each word."""
    rng, lines, options = np.random.default_rng(2), [], []
    for name in (f"d{i}" for i in range(number)):
        sets = {role: [f"{name}{role}{i}" for i in range(size)] for role in "xyab"}
        (folder / f"{name}.json").write_text(json.dumps({"name": name, **sets}), encoding="utf-8")
        options += ["-d", f"{name}.json"]
        lines += [
            " ".join([word, *map(str, rng.normal(size=5))]) for words in sets.values() for word in words
        ]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ["audit", "vectors.txt", *options, "-o", "out", "--no-figures"]


def run(
    arguments: list[str], cwd: Path, moment: Sequence[str] = (), code: str = PLAIN
) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own; the time limit only keeps a failure from lasting forever."""
    return subprocess.run(
        [sys.executable, *(moment or ["-c"]), code, *arguments],
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
    [
        pytest.param("typer", "SIGINT", 130, marks=pytest.mark.full),
        ("numpy", "SIGINT", 130),
        ("crossroads.measures", "SIGTERM", 143),
        pytest.param("crossroads.cli.commands.audit.output", "SIGINT", 130, marks=pytest.mark.full),
    ],
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
        pytest.param("open", "d0.json", "SIGINT", UNTOUCHED, set(), marks=FULL),
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


@pytest.mark.full
def test_who_measures_afresh_is_told_how_to_keep_what_is_finished(tmp_path: Path) -> None:
    done = run([*made(tmp_path, 1, 4), "--fresh"], tmp_path, at("os.rename", "part-mleat"))
    assert done.returncode == 130
    assert "are kept; the same command without --fresh resumes from them." in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workers", "sent"),
    [
        pytest.param("1", signal.SIGINT, marks=FULL),
        pytest.param("2", signal.SIGINT, marks=FULL),
        ("2", signal.SIGTERM),
    ],
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
        while process.poll() is None and not list(tmp_path.glob(".out.parts/vectors-*.npz")):
            time.sleep(0.01)
        time.sleep(0.5)  # among the counts by now, or still about to begin: both must end
        process.send_signal(sent)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 128 + sent
    assert (out, err.splitlines()) == ("", KEPT)
    assert beside(tmp_path) == {".out.parts"}


@pytest.mark.slow
def test_a_signal_that_is_ignored_on_purpose_stays_ignored(tmp_path: Path) -> None:
    # as nohup and shells that run a command in the background have it
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    done = run(["--version"], tmp_path, at("import", "'typer'"), ignoring + PLAIN)
    assert done.returncode == 0
    assert done.stdout.startswith("crossroads ")


def test_signals_are_as_they_were_when_the_program_is_done(command: Callable[..., Any]) -> None:
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    assert command("--version").status == 0
    assert [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.slow
def test_what_a_program_around_ours_has_decided_about_signals_holds_until_its_end(tmp_path: Path) -> None:
    host = (
        "import atexit, os, signal, sys\n"
        "atexit.register(lambda: signal.raise_signal(signal.SIGTERM))\n"  # registered first: the last to run
        "signal.signal(signal.SIGTERM, lambda *_: os._exit(7))\n"
        "from crossroads.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    pass\n"
    )
    assert run(["--version"], tmp_path, code=host).returncode == 7


@pytest.mark.slow
def test_the_line_goes_nowhere_if_there_never_was_a_place_for_it(tmp_path: Path) -> None:
    # a program that was started without stderr opens files under its number: here one of the reader's own
    opening = "import os\nassert os.open('own', os.O_WRONLY | os.O_CREAT) == 2\n"
    moment = at("import", "'crossroads.cli.commands.audit.output'")
    command = shlex.join([sys.executable, *moment, opening + PLAIN, "audit", "nowhere.txt"])
    done = subprocess.run(["sh", "-c", f"exec {command} 2>&-"], cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 130
    assert (tmp_path / "own").read_text(encoding="utf-8") == ""


def test_who_interrupts_does_not_wait_until_all_memory_is_given_back(tmp_path: Path) -> None:
    # a loaded model takes seconds; here something tells when its turn comes
    program = (
        "import os, signal\n"
        "class Loaded:\n"
        "    def __del__(self, write=os.write): write(1, b'given back')\n"
        "loaded = Loaded()\n"
        "from crossroads.cli.terminal import interrupts as interrupting\n"
        "with interrupting.guarded():\n"
        "    interrupting.started()\n"
        "    print('said before')\n"
        "    {}\n"
    )
    done = run([], tmp_path, code=program.format("pass"))
    assert (done.returncode, done.stdout) == (0, "said before\ngiven back")
    done = run([], tmp_path, code=program.format("signal.raise_signal(signal.SIGINT)"))
    assert (done.returncode, done.stdout, done.stderr.splitlines()) == (130, "said before\n", UNTOUCHED)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_while_a_package_is_loaded_later_on_is_one_line(name: str, tmp_path: Path) -> None:
    # compiled packages make an ImportError of whatever is raised while they are loaded
    (tmp_path / "compiled.py").write_text(
        f"import signal\ntry:\n    signal.raise_signal(signal.{name})\n"
        "except KeyboardInterrupt:\n    raise ImportError('initialization failed') from None\n",
        encoding="utf-8",
    )
    program = (
        "from crossroads.cli.terminal import interrupts as interrupting\n"
        "with interrupting.guarded():\n"
        "    interrupting.started()\n"
        "    interrupting.promise('interrupted.')\n"
        "    try:\n"
        "        import compiled\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    done = run([], tmp_path, code=program)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.Signals[name], "", "interrupted.\n")
