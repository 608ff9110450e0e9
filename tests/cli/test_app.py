"""Lists of commands load none of them; errors name options as the shell does, and wrong values of them."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crossroads.cli import app as program
from tests.cli.conftest import Command

CODE = """
import atexit, sys
from crossroads.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main()
"""


def test_lists_of_commands_have_the_first_sentences_of_their_help() -> None:
    helps = {one.name: inspect.getdoc(one.callback) or "" for one in program.app.registered_commands}
    shown = {name: sentence for name, (_, sentence) in program.COMMANDS.items()}
    assert {name: " ".join(text.partition("\n\n")[0].split()) for name, text in helps.items()} == shown


@pytest.mark.parametrize(
    ("arguments", "typed", "said"),
    [
        (["--help"], "", "Compare the audits"),
        (["--version"], "", "crossroads"),
        ([], "crossroads we", "weat"),
    ],
)
def test_neither_help_nor_completion_loads_a_command(arguments: list[str], typed: str, said: str) -> None:
    completion = {"_CROSSROADS_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": "1"}
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'crossroads'{CODE}", *arguments],
        capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "COLUMNS": "80", **(completion if typed else {})},
    )  # fmt: skip
    assert said in run.stdout
    assert {"numpy", "crossroads.cli.commands", "crossroads.results"} & set(run.stderr.split()) == set()
    assert "crossroads.cli.app" in run.stderr


def test_a_file_for_a_name_and_a_name_for_a_file_are_told_by_the_option_that_takes_them(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.toml", "notes.txt"):
        Path(name).write_text("nothing of the kind\n", encoding="utf-8")
    for arguments, said in (
        (("weat", "vectors.txt", "--design", "WEAT1"), "hint: --test WEAT1"),
        (("audit", "vectors.txt", "--test", "mine.toml"), "hint: --design mine.toml"),
        (("weat", "notes.txt"), "any other --format if you know it: glove-text"),
    ):
        run = command(*arguments)
        assert run.status == 2
        assert said in run.told
    Path("weat1").write_text("", encoding="utf-8")  # a file of that name is a file, and a test is a test
    assert "has no extension" in command("weat", "vectors.txt", "--design", "weat1").err
    assert "mine" not in command("weat", "vectors.txt", "--test", "weat1").err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--seed", "1.5", "'1.5': a whole number was expected."),
        ("--workers", "0", "'0': a number of at least 1 was expected."),
        ("--device", "gpu", "'gpu' is not one of 'auto', 'cpu', 'cuda', 'mps'. Did you mean 'cpu'?"),
    ],
)
def test_a_wrong_value_of_an_option_is_named(command: Command, option: str, value: str, said: str) -> None:
    run = command("audit", "vectors.txt", option, value)
    assert run.status == 2
    assert f"Invalid value for '{option}': {said}" in run.told
