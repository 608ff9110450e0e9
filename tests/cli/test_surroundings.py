"""The program on other machines: other locales, file names, homes and settings of the shell."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads

PROGRAM = "from crossroads.cli import main; main()"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
WORDS = {name: [f"{name}{i}ü" for i in range(4)] for name in "xyab"}
Shell = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """``shell(argument, …, NAME=value)``: the program in a folder with made-up vectors and a design."""
    rng = np.random.default_rng(3)
    rows = [" ".join([w, *map(str, rng.normal(size=5))]) for words in WORDS.values() for w in words]
    (tmp_path / "vectors.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "mine.json").write_text(json.dumps({"name": "mïne", **WORDS}), encoding="utf-8")

    def run(*arguments: str | bytes, **settings: str) -> subprocess.CompletedProcess[bytes]:
        kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=tmp_path,
            env={**kept, **settings},
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
        return done

    return run


@pytest.mark.slow
def test_the_package_runs_as_the_program(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-m", "crossroads", *arguments]
        return subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("--version").stdout == f"crossroads {crossroads.__version__}\n"
    wrong = run("weat", "none.txt")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: ")
    assert "Usage: python -m crossroads weat" in run("weat", "--help").stdout


@pytest.mark.slow
def test_a_minus_is_a_minus_in_a_terminal_without_one(shell: Shell) -> None:
    settings = ("mleat", "vectors.txt", "-d", "mine.json", "--resamples", "0")
    plain, usual = shell(*settings, **ASCII), shell(*settings, PYTHONUTF8="1")
    assert plain.returncode == usual.returncode == 0
    wanted = [line for line in usual.stdout.decode("utf-8").splitlines() if line.startswith(" mïne")]
    found = [line for line in plain.stdout.decode("ascii").splitlines() if "m?ne" in line]
    for one, other in zip(wanted, found, strict=True):
        cells = other.replace("|", " ").split()
        assert cells[1:] == one.replace("−", "-").replace("–", "-").split()[1:]
    assert "-" in "".join(found)


@pytest.mark.slow
def test_a_document_is_whole_in_a_terminal_of_ascii(shell: Shell) -> None:
    for arguments in (("weat", "vectors.txt", "-d", "mine.json", "--json"), ("catalog", "weat1", "--json")):
        plain, usual = shell(*arguments, **ASCII), shell(*arguments, PYTHONUTF8="1")
        assert plain.returncode == 0
        assert json.loads(plain.stdout.decode("ascii")) == json.loads(usual.stdout.decode("utf-8"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="every file name is text here")
def test_names_of_files_that_are_no_text_are_read_and_written(shell: Shell, tmp_path: Path) -> None:
    name, folder = b"caf\xe9.txt", b"o\xe9 \xff"
    os.rename(os.fsencode(tmp_path / "vectors.txt"), os.path.join(os.fsencode(tmp_path), name))  # noqa: PTH104, PTH118
    for settings in ({"PYTHONUTF8": "1"}, ASCII):
        run = shell("audit", name, "-d", "mine.json", "--no-figures", "-o", folder, **settings)
        assert run.returncode == 0, run.stderr.decode(errors="replace")
        assert b"written to " + folder + b"; open" in run.stdout
        report = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), folder)))  # noqa: PTH118
        data = json.loads((report / "results.json").read_text(encoding="utf-8"))
        assert "caf\\udce9" in json.dumps(data, ensure_ascii=False).replace("\\\\", "\\")
        assert (report / "report.html").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"HOME": "/nonexistent/home", "XDG_CACHE_HOME": "/proc/nothing", "XDG_CONFIG_HOME": "/proc/nothing"},
        {"TZ": "Asia/Kathmandu"},
        {"PYTHONWARNINGS": "error"},
        {"PYTHONHASHSEED": "7", "NO_COLOR": "1", "TERM": "dumb", "CI": "true"},
        {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
    ],
    ids=["home", "zone", "warnings", "plain", "locale"],
)
def test_surroundings_change_no_number(shell: Shell, tmp_path: Path, settings: dict[str, str]) -> None:
    arguments = ("audit", "vectors.txt", "-d", "mine.json", "--no-figures", "-o")
    usual, other = shell(*arguments, "run-1"), shell(*arguments, "run-2", **settings)
    assert usual.returncode == other.returncode == 0
    assert other.stdout.replace(b"run-2", b"run-1") == usual.stdout
    documents = [
        json.loads((tmp_path / name / "results.json").read_text(encoding="utf-8"))
        for name in ("run-1", "run-2")
    ]
    results: list[Any] = [one["results"] for one in documents]
    assert results[0] == results[1]


@pytest.mark.slow
def test_a_folder_with_spaces_and_other_letters_and_one_nobody_else_may_read(
    shell: Shell, tmp_path: Path
) -> None:
    old = os.umask(0o077)
    try:
        folder = "aus gabe 空白"
        run = shell(
            "audit", "vectors.txt", "-d", "mine.json", "--no-figures", "-o", folder, TMPDIR=str(tmp_path)
        )
    finally:
        os.umask(old)
    assert run.returncode == 0, run.stderr.decode()
    assert (tmp_path / folder / "report.html").is_file()


@pytest.mark.slow
def test_colours_are_kept_out_of_numbers(shell: Shell) -> None:
    run = shell("weat", "vectors.txt", "-d", "mine.json", FORCE_COLOR="1", COLUMNS="40", PYTHONUTF8="1")
    assert run.returncode == 0
    usual = shell("weat", "vectors.txt", "-d", "mine.json", COLUMNS="40", PYTHONUTF8="1").stdout.decode()
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", run.stdout.decode())
    assert text == usual
