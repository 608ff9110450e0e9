"""Lists of commands load none of them; errors name options as the shell does, and wrong values of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.cli import app as program
from crossroads.core.cli import options as o
from crossroads.core.cli.runner import keys_of
from crossroads.core.errors import CrossroadsError
from crossroads.core.report.gate import GateError
from tests.fixtures.commands import Command

CODE = """
import atexit, sys
from crossroads.core.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main()
"""


EVERYWHERE = {"json", "verbose", "seed", "help"}


def loaded() -> dict[str, Any]:
    """Every command by its name, second names as well."""
    return {name: program._command(name) for name in (*program.COMMANDS, *program.SECOND)}


def test_lists_of_commands_have_the_first_sentences_of_their_help() -> None:
    helps = {name: program._command(name).help or "" for name in program.COMMANDS}
    firsts = {name: " ".join(text.partition("\n\n")[0].split()) for name, text in helps.items()}
    assert firsts == {name: one.sentence for name, one in program.COMMANDS.items()}


def test_there_are_few_commands_options_and_lines_of_help(command: Command) -> None:
    shown = command("--help").out
    assert len(program.COMMANDS) <= 15  # and mleat and sc-weat, which are names of one of them
    assert len(shown.splitlines()) <= 29
    options = EVERYWHERE | {
        f"{name} {one.name}"
        for name in program.COMMANDS
        for one in program._command(name).params
        if one.opts[0].startswith("-") and not one.hidden and one.name not in EVERYWHERE
    }
    assert len(options) <= 147
    for name in loaded():
        short, whole = command(name, "--help").out, command(name, "--help-all").out
        assert len(short.splitlines()) <= (45 if name == "audit" else 60), name
        assert max(map(len, whole.splitlines())) <= 80
        for sign in ("<", "list[", "--design", "--fallback", "--served-model", "--engine", "--fail-on"):
            assert sign not in whole, name


def test_help_all_lists_every_key_with_a_line(command: Command) -> None:
    for name, one in loaded().items():
        whole = command(name, "--help-all").out
        for keys in keys_of(one.callback).values():
            assert {key for key in keys if f"\n  {key}" not in whole} == set(), name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("weat", "--ties", "weak"), "--ties is now: -C ties=VALUE"),
        (("rsa", "--as", "vectors"), "--as is now: -M as=VALUE"),
        (("weat", "--figure", "a.svg"), "--figure is now: -o FILE.svg"),
        (("audit", "--overwrite"), "--overwrite is now: --fresh"),
        (("catalog", "--overwrite"), "No such option: --overwrite"),  # nothing is written there
        (("audit", "--pairs"), "--pairs is now: crossroads probe MODEL --pairs --answers DIR, then"),
        (("weat", "-C", "tise=weak"), "unknown key of --convention 'tise'. hint: did you mean 'ties'?"),
        (("weat", "-C", "ties=week"), "unknown value of ties 'week'. hint: did you mean 'weak'?"),
        (("weat", "-C", "ties"), "--convention 'ties' has no value. hint: give it as ties=VALUE."),
        (("ceat", "s", "-C", "samples=-1"), "samples=-1: a number of at least 3 was expected."),
        (("ceat", "s", "-C", "samples=x"), "samples='x': a whole number was expected."),
        (("rsa", "-C", "replace_concept=perhaps"), "true or false was expected."),
        (("weat", "--levels", "--each"), "use one of them."),
        (("weat", "--top", "3"), "--top was given without --each."),
    ],
)
def test_what_moved_and_what_is_wrong_is_told_with_status_2(
    command: Command, arguments: tuple[str, ...], said: str
) -> None:
    run = command(*arguments)
    assert (run.status, run.out) == (2, "")
    assert said in run.told


@pytest.mark.parametrize(
    ("text", "argument", "option", "said"),
    [
        ("use fallback=['lower', 'title'].", "fallback", "--spelling", "use --spelling lower,title."),
        ("use method='exact'.", "method", "-C method=", "use -C method=exact."),
        ("a new folder as output=.", "output", "--output", "a new folder as --output."),
        ("pass restart=True to begin", "restart", "--fresh", "pass --fresh to begin"),
        ("or replace_concept=True.", "replace_concept", "-C replace_concept=", "or -C replace_concept=true."),
        ("layer=3 was given", "layer", "-M layer=", "-M layer=3 was given"),
        ("top=3 was given", "top", "--top", "--top 3 was given"),
    ],
)
def test_arguments_of_python_are_spelled_as_they_are_typed(
    text: str, argument: str, option: str, said: str
) -> None:
    assert program._spelled(text, argument, option) == said


def test_an_address_of_ray_may_be_left_out() -> None:
    given = ["corpus.txt", "--ray", "-o", "out", "--ray", "ray://host:10001", "--ray"]
    expected = ["corpus.txt", "--ray=", "-o", "out", "--ray", "ray://host:10001", "--ray="]
    assert list(program._with_addresses(given)) == expected
    assert o.Cluster(ray_address="").options["engine"] == o.Cluster(engine="ray").options["engine"] == "ray"
    assert o.Cluster(ray_address="host:1").options["ray_address"] == "host:1"


def test_a_failure_of_the_program_is_not_a_broken_rule(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error in (RuntimeError("no"), OSError("no"), MemoryError(), BrokenPipeError(), CrossroadsError("no")):

        def fail(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr("crossroads.core.cli.catalog._list", fail)
        assert command("catalog").status == 2
    assert (GateError.exit_status, CrossroadsError.exit_status) == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "typed", "said"),
    [
        (["--help"], "", "Compare the audits"),
        (["--version"], "", "crossroads"),
        ([], "crossroads cat", "catalog"),
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
    assert {"numpy", "crossroads.core.cli.audit", "crossroads.core.results"} & set(
        run.stderr.split()
    ) == set()
    assert "crossroads.core.cli.app" in run.stderr


def test_a_file_for_a_name_and_a_name_for_a_file_are_told_by_the_option_that_takes_them(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.toml", "notes.txt"):
        Path(name).write_text("nothing of the kind\n", encoding="utf-8")
    for arguments, said in (
        (("weat", "vectors.txt", "--words", "WEAT1"), "hint: --test WEAT1"),
        (("audit", "vectors.txt", "--test", "mine.toml"), "hint: --words mine.toml"),
        (("weat", "notes.txt"), "any other -M format if you know it: glove-text"),
    ):
        run = command(*arguments)
        assert run.status == 2
        assert said in run.told
    Path("weat1").write_text("", encoding="utf-8")  # a file of that name is a file, and a test is a test
    assert "has no extension" in command("weat", "vectors.txt", "--words", "weat1").err
    assert "mine" not in command("weat", "vectors.txt", "--test", "weat1").err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--seed", "1.5", "'1.5': a whole number was expected."),
        ("--workers", "0", "'0': a number of at least 1 was expected."),
        ("--missing", "rise", "'rise' is not one of 'raise', 'drop', 'balance'. Did you mean 'raise'?"),
    ],
)
def test_a_wrong_value_of_an_option_is_named(command: Command, option: str, value: str, said: str) -> None:
    run = command("audit", "vectors.txt", option, value)
    assert run.status == 2
    assert f"Invalid value for '{option}': {said}" in run.told
