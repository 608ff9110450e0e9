"""Audits that are killed, in a process of their own: the next run gives the very same bytes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from crossroads.stimuli import Design

PROGRAM = [sys.executable, "-c", "from crossroads.cli import main; main()", "audit"]


@pytest.fixture
def arguments(
    tmp_path: Path, make_vectors: Callable[..., Path], make_design: Callable[..., Design]
) -> list[str]:
    """Sixty designs of one's own: parts enough to be interrupted among them."""
    designs = [make_design(f"d{number}", 10) for number in range(60)]
    file = make_vectors(designs)
    rows = [{"name": one.name, **{role: list(one.sets[role]) for role in "xyab"}} for one in designs]
    files: list[str] = []
    for row in rows:
        path = tmp_path / f"{row['name']}.json"
        path.write_text(json.dumps(row), encoding="utf-8")
        files += ["-d", str(path)]
    return [str(file), *files, "--no-figures", "--json"]


def finished(folder: Path) -> int:
    return len(list(folder.glob("part-*.json")))


def killed_after(arguments: list[str], output: Path, parts: int) -> int:
    """Start an audit, kill it once so many parts are finished, and count what it left."""
    folder = output.with_name(f".{output.name}.parts")
    with subprocess.Popen([*PROGRAM, *arguments, "-o", str(output)], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and finished(folder) < parts:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "it was finished before it could be killed"
    return finished(folder)


def test_a_killed_audit_goes_on_and_ends_in_the_same_bytes(tmp_path: Path, arguments: list[str]) -> None:
    whole, again = tmp_path / "whole", tmp_path / "again"
    subprocess.run([*PROGRAM, *arguments, "-o", str(whole)], check=True, stdout=subprocess.DEVNULL)
    first = killed_after(arguments, again, 20)
    second = killed_after(arguments, again, first + 20)
    assert 20 <= first < second < 180  # three parts a design
    assert not again.exists()  # nothing half-written
    junk = again.with_name(".again.parts")
    torn = sorted(junk.glob("part-*.json"))[0]
    torn.write_bytes(torn.read_bytes()[:100])
    (junk / ".writing-part-of-something").write_bytes(b"half a part")
    subprocess.run([*PROGRAM, *arguments, "-o", str(again)], check=True, stdout=subprocess.DEVNULL)
    for name in ("results.json", "results.csv", "vectors.npz", "report.html", "methods.md"):
        assert (again / name).read_bytes() == (whole / name).read_bytes(), name
    assert not (junk / ".writing-part-of-something").exists()
    assert finished(junk) == 180


def test_a_second_audit_of_the_same_folder_is_refused_meanwhile(tmp_path: Path, arguments: list[str]) -> None:
    output = tmp_path / "out"
    with subprocess.Popen([*PROGRAM, *arguments, "-o", str(output)], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and finished(output.with_name(".out.parts")) < 1:
            time.sleep(0.002)
        process.send_signal(signal.SIGSTOP)  # alive, and at work
        other = subprocess.run(
            [*PROGRAM, *arguments, "-o", str(output)], check=False, capture_output=True, text=True
        )
        process.send_signal(signal.SIGKILL)
    assert other.returncode == 2
    assert "another audit is at work on out" in other.stderr
