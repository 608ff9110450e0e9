"""What is told while a command is at work, and where nobody is watching."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import TextColumn

from crossroads.core.audit.progress import Event
from crossroads.core.cli import audit as audit_progress
from crossroads.core.cli.terminal import progress as waiting
from crossroads.core.cli.terminal import tables as printing
from tests.fixtures.commands import Command


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_span_of_time_is_said_as_people_say_it() -> None:
    said = {59.4: "59 s", 90: "1 min 30 s", 630: "10 min", 3599.6: "1 h", 7530: "2 h 6 min"}
    assert {seconds: waiting.span(seconds) for seconds in said} == said


def test_a_line_says_what_is_done_how_far_it_is_and_how_long_it_will_take() -> None:
    clock = Clock()
    with waiting.Bar(TextColumn("{task.description}"), clock=clock) as bar:
        assert waiting.line("probe", 0) == "probe, 0 s: at work"
        task = bar.add_task("asking \\[the] model", total=200)
        assert waiting.line("probe", 0) == "probe, 0 s: asking [the] model, 0 %"
        for done in (20, 40, 60):
            clock.now += 30
            bar.update(task, completed=done)
        # 140 are left of 200, and 20 take 30 seconds
        assert waiting.line("probe", 90).endswith("asking [the] model, 30 %, about 3 min 30 s left")
    assert waiting.line("probe", 95) == "probe, 1 min 35 s: at work"


def test_what_an_earlier_run_has_done_does_not_make_an_audit_look_fast(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(waiting.Bar.__init__, "__kwdefaults__", {"clock": clock})
    with audit_progress.watching() as watch:
        watch(Event(doing="reading", done=0, total=4, kept=0, share=0.0, seconds=600))
        assert waiting.line("audit", 0) == "audit, 0 s: reading, 0 %, about 10 min left"  # as weighed
        clock.now += 1
        watch(Event(doing="reading", done=2, total=4, kept=2, share=0.5, seconds=600))
        assert waiting.line("audit", 1) == "audit, 1 s: reading, 50 %, about 5 min 30 s left"
        clock.now += 229
        watch(Event(doing="asking", done=2, total=4, kept=2, share=0.7, seconds=600, worked=120))
        # 120 seconds of work took 230: with the ten that are taken as weighed, 240 to 130. 180 are left.
        assert waiting.line("audit", 230) == "audit, 3 min 50 s: asking, 70 %, about 5 min 30 s left"
        clock.now += 100  # and no news
        assert waiting.line("audit", 330) == "audit, 5 min 30 s: asking, 70 %, about 3 min 50 s left"
        clock.now += 1000
        assert waiting.line("audit", 1330) == "audit, 22 min: asking, 70 %"


@pytest.mark.parametrize(("seconds", "terminal"), [("0", False), ("0.01", True)])
def test_no_lines_are_written_where_none_are_wanted_or_a_bar_is_seen(
    seconds: str, terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "err", Console(file=io.StringIO(), force_terminal=terminal))
    monkeypatch.setenv(waiting.VARIABLE, seconds)
    before = threading.active_count()
    with waiting.telling(["audit"]):
        assert threading.active_count() == before


@pytest.mark.parametrize("given", ["soon", "-1", "nan", "9" * 400])
def test_seconds_that_are_none_are_refused_by_name(
    given: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(waiting.VARIABLE, given)
    run = command("catalog")
    assert run.status == 2
    assert run.err.startswith(f"error: {waiting.VARIABLE}='{given[:40]}' is not a number of seconds.")
    assert len(run.err) < 300


@pytest.mark.slow
def test_a_command_is_told_of_in_a_log(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("A rose is a tulip.\n" * 20_000, encoding="utf-8")
    arguments = ["contexts", "corpus.txt", "-t", "weat1", "-o", "found", "--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-c", "from crossroads.core.cli import main; main()", *arguments],
        capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
        env={**os.environ, waiting.VARIABLE: "0.005"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines
    assert all(one.startswith("contexts, ") for one in lines), lines
