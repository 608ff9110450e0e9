"""Deleting a subject is deleting a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import crossroads

HERE = Path(__file__).parents[1]
OF_ALL = (
    "test_gate.py::test_the_rules_in_the_guide_can_be_used_and_it_names_every_key_and_statistic",
    "test_gate.py::test_every_statistic_that_is_offered_is_there",
    "methods/test_citations.py::test_measures_cite_known_publications",
)
"""Tests of the report that are about every subject."""
LOADED = """
import pkgutil, crossroads.core, crossroads.core.subjects as s
for one in pkgutil.walk_packages(crossroads.core.__path__, "crossroads.core."):
    __import__(one.name)
s.load_results()
from crossroads.core.cli.app import COMMANDS
print(*COMMANDS, *s.subjects(), *dir(crossroads))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and its tests without the subject chat."""
    without = shutil.ignore_patterns("__pycache__", "chat")
    shutil.copytree(Path(crossroads.__file__).parent, tmp_path / "src" / "crossroads", ignore=without)
    return tmp_path


def run(copy: Path, *command: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    environment = {**kept, "PYTHONPATH": str(copy / "src"), "CROSSROADS_FORBID_SKIP": "0"}
    return subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


@pytest.mark.slow
def test_everything_else_is_loaded_without_a_subject(copy: Path) -> None:
    found = run(copy, "-c", LOADED)
    assert found.returncode == 0, found.stderr
    names = found.stdout.split()
    assert {"weat", "words", "probe"} <= set(names)
    assert {"chat", "ask_chat", "chat_test"}.isdisjoint(names)


@pytest.mark.full
def test_the_tests_of_the_core_pass_without_a_subject(copy: Path) -> None:
    shutil.copytree(HERE / "tests", copy / "tests", ignore=shutil.ignore_patterns("__pycache__", "chat"))
    for folder in ("reference", "guides"):
        shutil.copytree(HERE / "docs" / folder, copy / "docs" / folder)
    shutil.copy(HERE / "pyproject.toml", copy)
    found = run(
        copy,
        *("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "tests/core"),
        *(f"--deselect=tests/core/report/{test}" for test in OF_ALL),
        "--ignore=tests/core/test_workers.py",  # which sends signals, and has tests of its own
        *("-m", "not models and not browser and not slow and not full"),
    )
    assert found.returncode == 0, found.stdout[-3000:]
