"""What the library says is spelled as the shell does, and wrong values of options are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossroads.cli.terminal.hints import hint_in_the_shell, message_in_the_shell
from tests.cli.conftest import Command

OPTIONS = {"missing": "--missing", "as": "--as", "fallback": "--fallback", "workers": "--workers"}


def test_messages_and_hints_name_options_of_the_command() -> None:
    for said, spelled in (
        ("pass missing='drop' to leave them out.", "use --missing drop to leave them out."),
        ("kind= says what it is.", "--as says what it is."),
        ("try fallback=['lower', 'title'].", "try --fallback lower,title."),
        ('give duplicates="first" to keep one, or remove a row.', "remove a row."),  # nobody can at a shell
    ):
        assert hint_in_the_shell(said, OPTIONS) == spelled
    assert message_in_the_shell("workers=0 is too small.", OPTIONS) == "--workers 0 is too small."
    path = "workers=1/vectors.txt: there is no such file."
    assert message_in_the_shell(path, OPTIONS) == path


def test_a_file_for_a_name_and_a_name_for_a_file_are_told_by_the_option_that_takes_them(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.toml", "notes.txt"):
        Path(name).write_text("nothing of the kind\n", encoding="utf-8")
    for arguments, said in (
        (("weat", "vectors.txt", "--design", "WEAT1"), "hint: --test WEAT1"),
        (("audit", "vectors.txt", "--test", "mine.toml"), "hint: --design mine.toml"),
        (("weat", "notes.txt"), "--format; known: glove-text"),
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
