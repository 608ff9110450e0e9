"""The program on other machines: other locales, file names, homes and settings of the shell."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import crossroads
from tests.fixtures.commands import write_vectors

PROGRAM = "from crossroads.core.cli import main; main()"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
WORDS = {name: [f"{name}{i}ü" for i in range(4)] for name in "xyab"}
WEAT = ("weat", "vectors.txt", "-d", "mine.json")
AUDIT = ("audit", "vectors.txt", "-d", "mine.json", "--no-figures", "-o")
Shell = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with made-up vectors and a design."""
    folder = tmp_path_factory.mktemp("surroundings")
    write_vectors(folder / "vectors.txt", [word for words in WORDS.values() for word in words], seed=3)
    (folder / "mine.json").write_text(json.dumps({"name": "mïne", **WORDS}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def shell(place: Path) -> Shell:
    """``shell(argument, …, NAME=value)``: the program in that folder."""

    def run(*arguments: str | bytes, **settings: str) -> subprocess.CompletedProcess[bytes]:
        kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=place,
            env={**kept, **settings},
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done

    return run


@pytest.fixture(scope="module")
def document(shell: Shell) -> str:
    """The document of a test where nothing is unusual."""
    return shell(*WEAT, "--json", PYTHONUTF8="1").stdout.decode("utf-8")


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
    settings = ("mleat", *WEAT[1:])
    plain, usual = shell(*settings, **ASCII), shell(*settings, PYTHONUTF8="1")
    wanted = [line for line in usual.stdout.decode("utf-8").splitlines() if line.startswith(" mïne")]
    found = [line for line in plain.stdout.decode("ascii").splitlines() if re.match(r"[ |]m\?ne", line)]
    for one, other in zip(wanted, found, strict=True):
        cells = other.replace("|", " ").split()
        assert cells[1:] == one.replace("−", "-").replace("–", "-").split()[1:]
    assert "-" in "".join(found)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="every file name is text here")
@pytest.mark.parametrize("settings", [{"PYTHONUTF8": "1"}, ASCII], ids=["utf-8", "ascii"])
def test_names_of_files_that_are_no_text_are_read_and_written(
    shell: Shell, place: Path, settings: dict[str, str]
) -> None:
    shutil.copy(place / "vectors.txt", place / os.fsdecode(b"caf\xe9.txt"))
    found = shell("weat", b"caf\xe9.txt", "-d", "mine.json", "--json", **settings)
    source = json.loads(found.stdout)["results"][0]["provenance"][0]["source"]
    assert source == "caf\\udce9.txt"  # escaped: documents are text
    (place / "found.json").write_bytes(found.stdout)
    run = shell("report", "found.json", "-o", b"o\xe9 \xff.html", **settings)
    assert b"written to o\xe9 \xff.html" in run.stdout
    page = Path(os.fsdecode(os.path.join(os.fsencode(place), b"o\xe9 \xff.html")))  # noqa: PTH118
    assert page.stat().st_size > 10_000


SURROUNDINGS = {
    "home": {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/proc/nothing", "XDG_CONFIG_HOME": "/proc/nothing"},
    "zone": {"TZ": "Asia/Kathmandu"},
    "warnings": {"PYTHONWARNINGS": "error"},
    "plain": {"PYTHONHASHSEED": "7", "NO_COLOR": "1", "TERM": "dumb", "CI": "true"},
    "locale": {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
    "ascii": ASCII,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_change_no_number(shell: Shell, document: str, name: str) -> None:
    other = shell(*WEAT, "--json", **SURROUNDINGS[name]).stdout
    assert json.loads(other.decode("ascii" if name == "ascii" else "utf-8")) == json.loads(document)


@pytest.mark.full
def test_an_audit_in_a_folder_with_other_letters_is_the_same_where_there_is_only_ascii(
    shell: Shell, place: Path
) -> None:
    """Two whole audits."""
    shell(*AUDIT, "usual")
    shell(*AUDIT, "空白", **ASCII)
    one, two = (json.loads((place / at / "results.json").read_bytes()) for at in ("usual", "空白"))
    assert (one["results"], one["shared"]) == (two["results"], two["shared"])


@pytest.mark.slow
def test_colours_are_kept_out_of_numbers(shell: Shell) -> None:
    run = shell(*WEAT, FORCE_COLOR="1", COLUMNS="40", PYTHONUTF8="1").stdout.decode()
    usual = shell(*WEAT, COLUMNS="40", PYTHONUTF8="1").stdout.decode()
    assert re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", run) == usual != run
