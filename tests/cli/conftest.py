"""Running the program inside the test process, and made-up models for it to audit."""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import typer.main

from crossroads.cli import main
from crossroads.cli.terminal import tables as printing
from tests import audits


class Run(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """What it said beside its results, on one line."""
        return " ".join(self.err.replace("│", " ").split())


Command = Callable[..., Run]


def write_vectors(path: Path, words: Iterable[str], seed: int = 1, dim: int = 5) -> Path:
    """A text file with a random vector for every word."""
    rng = np.random.default_rng(seed)
    lines = [" ".join([word, *map(str, rng.normal(size=dim))]) for word in words]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_decades(folder: Path, words: list[str], decades: Iterable[int], dim: int = 6) -> Path:
    """Random vectors of some words in every decade, in the layout of HistWords."""
    folder.mkdir(exist_ok=True)
    for decade in decades:
        rows = np.random.default_rng(decade).normal(size=(len(words), dim))
        np.save(folder / f"{decade}-w.npy", rows.astype(np.float32))
        (folder / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(words, protocol=2))
    return folder


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
    vectors = audits.vectors(tmp_path / "vectors.txt", 1)
    design = audits.design(tmp_path / "design.json")
    return ("audit", vectors, "-d", design, "--no-figures", "-o", tmp_path / "out")


@pytest.fixture
def second(own: tuple[Any, ...], tmp_path: Path) -> tuple[Any, ...]:
    """The same for two made-up models."""
    return (*own[:2], audits.vectors(tmp_path / "other.txt", 2), *own[2:])


@pytest.fixture
def rules(tmp_path: Path) -> Callable[[str], Path]:
    """``rules(text)``: a file of rules."""

    def write(text: str) -> Path:
        (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
        return tmp_path / "rules.toml"

    return write
