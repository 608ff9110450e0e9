"""What the library says is spelled as the shell does, where the command has such an option."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.cli.spelling import hint_in_the_shell, message_in_the_shell

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
        ('give duplicates="first".', 'give duplicates="first". (No option sets duplicates; Python does.)'),
        ('write test = "weat6" there.', 'write test = "weat6" there.'),  # TOML
        ("pass missing='drop'; see a/seed=1/b.txt.", "use --missing drop; see a/seed=1/b.txt."),
    ],
)
def test_hints_name_options(said: str, spelled: str) -> None:
    assert hint_in_the_shell(said, OPTIONS) == spelled


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
    assert "--served-model goes with an embedding service; --as says what a model is." in said


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
    assert "has no ending" in command("weat", "vectors.txt", "--design", "weat1").err
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
