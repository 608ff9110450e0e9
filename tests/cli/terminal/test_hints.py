"""What the library says is spelled as the shell does, where the command has such an option."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import crossroads
from crossroads.cli.app import app
from crossroads.cli.terminal.hints import hint_in_the_shell, message_in_the_shell

OPTIONS = {
    "missing": "--missing", "format": "--format", "as": "--as", "served_model": "--served-model",
    "fallback": "--fallback", "synonyms": "--synonyms", "workers": "--workers", "seed": "--seed",
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "spelled"),
    [
        ("pass missing='drop' to leave them out.", "use --missing drop to leave them out."),
        ('text without a header is format="glove-text".', "text without a header is --format glove-text."),
        ("name it: format=...; or not.", "name it: --format; or not."),
        (
            "kind= says what it is; served= goes with it.",
            "--as says what it is; --served-model goes with it.",
        ),
        ("with workers=1 this process reads.", "with --workers 1 this process reads."),
        ("more words: synonyms=True.", "more words: --synonyms."),
        ("try fallback=['lower', 'title'].", "try --fallback lower,title."),
        ('give duplicates="first".', ""),  # nobody can at a shell
        ('give duplicates="first" to keep one, or remove a row.', "remove a row."),
        ("list every word once, or read with duplicates='drop'.", "list every word once."),
        ('name one, as in member="..."; or extract it.', "extract it."),
        (
            "raise max_work (now 3), or use missing='drop', which is quick.",
            "use --missing drop, which is quick.",
        ),
        ("was it short? use pooling='mean'; with workers=1 one reads.", "with --workers 1 one reads."),
        ('write test = "weat6" there.', 'write test = "weat6" there.'),  # TOML
        ("pass missing='drop'; see a/seed=1/b.txt.", "use --missing drop; see a/seed=1/b.txt."),
    ],
)
def test_hints_name_options(said: str, spelled: str) -> None:
    assert hint_in_the_shell(said, OPTIONS) == spelled


def hints_of_the_library() -> Iterator[str]:
    """Every hint in the source, with 3 for what is put in."""
    for file in sorted(Path(crossroads.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "hint":
                yield from filter(None, _literals(node.value))


def _literals(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_literals(node.body), *_literals(node.orelse))
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(one.value) if isinstance(one, ast.Constant) else "3" for one in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


@pytest.mark.slow
def test_no_hint_of_the_library_names_what_the_command_cannot_set() -> None:
    program: Any = typer.main.get_command(app)
    hints = list(hints_of_the_library())
    assert len(hints) > 300
    assert sum("=" in hint for hint in hints) > 30
    argument = re.compile(r"(?<![\w.(])[a-z][a-z_]*=(?=['\".\[]|True|False|\d|\s|;)")
    for command in program.commands.values():
        options = {one.name.rstrip("_"): max(one.opts, key=len) for one in command.params}
        options = {name: text for name, text in options.items() if text.startswith("--")}
        for hint in hints:
            said = hint_in_the_shell(hint, options)
            assert "Python does" not in said
            assert not argument.search(said), (command.name, hint, said)
            assert said == said.strip()
            assert not said.startswith(("or ", ",", ";"))


def test_formats_are_listed_where_python_would_be_asked() -> None:
    said = hint_in_the_shell("name the format: format=...; known_sources() lists them.", OPTIONS)
    assert said.startswith("name the format: --format; known: glove-text, ")
    assert "known_sources" not in said


@pytest.mark.parametrize(
    ("said", "spelled"),
    [
        ("workers=0 is too small.", "--workers 0 is too small."),
        ("seed=1/vectors.txt: there is no such file.", "seed=1/vectors.txt: there is no such file."),
        ("batch_size=0 is too small.", "batch_size=0 is too small."),
    ],
)
def test_messages_name_options_and_leave_paths_alone(said: str, spelled: str) -> None:
    assert message_in_the_shell(said, OPTIONS) == spelled


def test_a_file_of_no_known_kind_is_answered_with_the_option(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("nothing of the kind\n", encoding="utf-8")
    for arguments in (
        ("audit", tmp_path / "notes.txt", "-o", tmp_path / "out"),
        ("weat", tmp_path / "notes.txt"),
    ):
        run = command(*arguments)
        assert run.status == 2
        hint = run.err.replace("\n", " ")
        assert "--format; known: glove-text" in hint
        assert "format=" not in hint
        assert "known_sources" not in hint


def test_an_option_that_a_model_has_no_use_for_is_named_as_it_was_typed(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    run = command("audit", "default", "--served-model", "x", "-o", tmp_path / "out")
    assert run.status == 2
    said = run.err.replace("\n", " ")
    assert "--served-model was given, but default is" in said
    assert "--served-model goes with an embedding service; --as sets the kind of a model." in said


def test_a_file_for_a_name_and_a_name_for_a_file_are_told_by_the_option_that_takes_them(
    command: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = command("weat", "vectors.txt", "--design", "WEAT1")
    assert run.status == 2
    assert "'WEAT1' is of the catalogue, not a file.\n\nhint: --test WEAT1" in run.err
    Path("mine.toml").write_text("", encoding="utf-8")
    run = command("audit", "vectors.txt", "--test", "mine.toml")
    assert run.status == 2
    assert "'mine.toml' is a file, not a test of the catalogue.\n\nhint: --design mine.toml" in run.err
    Path("weat1").write_text("", encoding="utf-8")  # a file of that name is a file, and a test is a test
    assert "has no extension" in command("weat", "vectors.txt", "--design", "weat1").err
    assert "mine" not in command("weat", "vectors.txt", "--test", "weat1").err


def test_a_mistyped_value_of_an_option_is_told_with_the_nearest(command: Callable[..., Any]) -> None:
    run = command("weat", "vectors.txt", "--alternative", "twosided")
    assert run.status == 2
    said = " ".join(run.err.replace("│", " ").split())
    assert "Invalid value for '--alternative': 'twosided' is not one of 'greater', 'less'," in said
    assert "Did you mean 'two-sided'?" in said
    assert "Did you mean" not in command("weat", "vectors.txt", "--alternative", "qqq").err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--seed", "x", "'x': a whole number was expected."),
        ("--seed", "1.5", "'1.5': a whole number was expected."),
        ("--workers", "0", "'0': a number of at least 1 was expected."),
        ("--device", "gpu", "'gpu' is not one of 'auto', 'cpu', 'cuda', 'mps'. Did you mean 'cpu'?"),
    ],
)
def test_a_wrong_value_of_an_option_is_named(
    command: Callable[..., Any], option: str, value: str, said: str
) -> None:
    run = command("audit", "vectors.txt", option, value)
    assert run.status == 2
    assert f"Invalid value for '{option}': {said}" in " ".join(run.err.replace("│", " ").split())
