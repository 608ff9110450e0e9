"""In a narrow terminal nothing is cut off: no name of an option, no number."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from crossroads.cli.app import app
from crossroads.cli.terminal import tables as printing

Command = Callable[..., Any]
PROGRAM: Any = typer.main.get_command(app)


@pytest.fixture
def narrow(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The program in a terminal of sixty columns."""
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(printing.out, "_width", 60)
    monkeypatch.setattr(printing.err, "_width", 60)
    return command


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PROGRAM.commands))
def test_help_names_every_option_in_full(name: str, narrow: Command) -> None:
    run = narrow(name, "--help")
    assert run.status == 0
    for parameter in PROGRAM.commands[name].params:
        if parameter.param_type_name == "option":
            assert [option for option in parameter.opts if option not in run.out] == []
    assert "[b]" not in run.out


def test_help_has_no_line_breaks_of_the_source(command: Command) -> None:
    lines = [line.rstrip() for line in command("audit", "--help").out.splitlines()]
    assert " Finished parts are kept beside the folder: an interrupted run resumes where it" in lines


def test_columns_go_before_numbers_are_cut(narrow: Command, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="the embedded default needs the extra 'default'")
    run = narrow("audit", "-t", "weat6", "-t", "weat7", "--no-figures", "-o", tmp_path / "out")
    assert run.status == 0, run.err
    table = run.out.partition("Association tests")[2].partition("Reliability")[0].partition("Not shown")[0]
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= 60
    assert "0.165 to 0.414" in table
    assert re.search(
        r"Not shown here: [\w ,()]*\bexact p\b[\w ,()]*; see report.html", " ".join(run.out.split())
    )


def test_a_long_name_is_broken_and_numbers_are_not(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "a design of one's own with a name that takes more room than all numbers together"
    sets = "\n".join(
        f'{role} = {{name = "{role}s", items = ["{role}1", "{role}2", "{role}3"]}}' for role in "xyab"
    )
    Path("mine.toml").write_text(f'name = "{name}"\n{sets}\n', encoding="utf-8")
    rows = [f"{role}{i} {i} {ord(role)} {i * i}" for role in "xyab" for i in (1, 2, 3)]
    Path("vectors.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    run = command("audit", "vectors.txt", "-d", "mine.toml", "--no-figures", "-o", "out")
    assert run.status == 0, run.err
    table = run.out.partition("d: effect size")[0]
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= 80
    assert "1 test\n" in table
