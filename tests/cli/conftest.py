"""Running the program inside the test process, and made-up models for it to audit."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import typer.main

from crossroads.cli import main
from crossroads.cli.terminal import tables as printing


class Run(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str


Command = Callable[..., Run]


@pytest.fixture(scope="session", autouse=True)
def built_once() -> Iterator[None]:
    """The commands are made of their functions once in a session for each look of the help."""
    make = typer.main.get_command
    made = functools.cache(lambda app, _: make(app))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", lambda app: made(app, app.rich_markup_mode))
        yield


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


@pytest.fixture
def own(tmp_path: Path) -> tuple[Any, ...]:
    """Arguments that audit made-up vectors on a design of one's own."""
    rng = np.random.default_rng(1)
    words = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
    lines = [" ".join([word, *map(str, rng.normal(size=5))]) for names in words.values() for word in names]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "design.json").write_text(json.dumps({"name": "mine", **words}), encoding="utf-8")
    return (
        *("audit", tmp_path / "vectors.txt", "-d", tmp_path / "design.json"),
        *("--no-figures", "-o", tmp_path / "out"),
    )


@pytest.fixture
def second(own: tuple[Any, ...], tmp_path: Path) -> tuple[Any, ...]:
    """The same for two made-up models."""
    text = (tmp_path / "vectors.txt").read_text(encoding="utf-8")
    rng = np.random.default_rng(2)
    lines = [" ".join([line.split()[0], *map(str, rng.normal(size=5))]) for line in text.splitlines()]
    (tmp_path / "other.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return ("audit", tmp_path / "vectors.txt", tmp_path / "other.txt", *own[2:])


@pytest.fixture
def rules(tmp_path: Path) -> Callable[[str], Path]:
    """``rules(text)``: a file of rules."""

    def write(text: str) -> Path:
        (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
        return tmp_path / "rules.toml"

    return write
