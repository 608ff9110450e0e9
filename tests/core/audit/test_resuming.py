"""Audits that are killed, in a process of their own: the next run gives the very same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.audit.conftest import MakeVectors, made_design

MOMENTS = str(Path(__file__).parents[2] / "moments.py")
PROGRAM = [sys.executable, "-c", "from crossroads.core.cli import main; main()", "audit"]


@pytest.fixture
def arguments(tmp_path: Path, make_vectors: MakeVectors) -> list[str]:
    """Sixty designs of one's own: parts enough to be interrupted among them."""
    designs = [made_design(f"d{number}", 10) for number in range(60)]
    rows = [{"name": one.name, **{role: list(one.sets[role]) for role in "xyab"}} for one in designs]
    (tmp_path / "designs.json").write_text(json.dumps(rows), encoding="utf-8")
    return [str(make_vectors(designs)), "-d", str(tmp_path / "designs.json"), "--no-figures", "--json"]


def finished(folder: Path) -> int:
    return len(list(folder.glob("part-*.json")))


def started(arguments: list[str], output: Path, *moment: str) -> subprocess.Popen[bytes]:
    """An audit in a process of its own, to which something happens when a part is about to get its name."""
    program = [MOMENTS, "os.rename", "/part-", *moment] if moment else ["-c"]
    command = [sys.executable, *program, "from crossroads.core.cli import main; main()", "audit"]
    return subprocess.Popen([*command, *arguments, "-o", str(output)], stdout=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_killed_audit_goes_on_and_ends_in_the_same_bytes(tmp_path: Path, arguments: list[str]) -> None:
    """Four audits in processes, two of them killed: only a process can be."""
    whole, again = tmp_path / "whole", tmp_path / "again"
    assert started(arguments, whole).wait() == 0
    junk = again.with_name(".again.parts")
    for kept in (20, 40):  # each goes on from where the one before it was killed
        assert started(arguments, again, "21", "SIGKILL:self").wait() == -signal.SIGKILL
        assert finished(junk) == kept
    assert not again.exists()  # nothing half-written
    torn = sorted(junk.glob("part-*.json"))[0]
    torn.write_bytes(torn.read_bytes()[:100])
    (junk / ".writing-part-of-something").write_bytes(b"half a part")
    assert started(arguments, again).wait() == 0
    for name in ("results.json", "results.csv", "vectors.npz", "report.html", "methods.md"):
        assert (again / name).read_bytes() == (whole / name).read_bytes(), name
    assert not (junk / ".writing-part-of-something").exists()
    assert finished(junk) == finished(whole.with_name(".whole.parts"))


@pytest.mark.slow
def test_a_second_audit_of_the_same_folder_is_refused_meanwhile(tmp_path: Path, arguments: list[str]) -> None:
    output = tmp_path / "out"
    with started(arguments, output, "2", "SIGSTOP:self") as process:
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])  # alive, and at work
        other = subprocess.run(
            [*PROGRAM, *arguments, "-o", str(output)], check=False, capture_output=True, text=True
        )
        process.send_signal(signal.SIGKILL)
    assert other.returncode == 2
    assert "another run is working on" in " ".join(other.stderr.split())
