"""Running the program inside the test process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from crossroads.cli import main, printing


class Run(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str


Command = Callable[..., Run]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run ``crossroads`` with the given arguments, in a terminal 80 columns wide."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(printing.out, "_width", 80)
    monkeypatch.setattr(printing.err, "_width", 80)

    def run(*arguments: object) -> Run:
        monkeypatch.setattr(sys, "argv", ["crossroads", *map(str, arguments)])
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
        return Run(status, *capsys.readouterr())

    return run
