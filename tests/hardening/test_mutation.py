"""That mutants are drawn, made, judged and counted as they should be, on a package of two functions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from tests.hardening import mutation

pytest.importorskip("cosmic_ray", reason="cosmic-ray makes the changes: extra 'test'")
pytest.importorskip("resource", reason="processes are forked and limited as on POSIX")

ROOT = Path(__file__).parents[2]
FILE = "src/crossroads/inference/middle.py"
SOURCE = '''\
"""A formula, a comparison and a loop."""

from __future__ import annotations


def middle(values: list[float] | tuple[float, ...]) -> float | None:
    """The mean.

    >>> middle([1.0, 3.0])
    2.0
    """
    return sum(values) / len(values)


def larger(a: float, b: float) -> float:
    """Either, if they are equal: >= and > are the same function."""
    return a if a >= b else b


def emptied(number: int) -> int:
    """Count down."""
    while number > 0:
        number = number - 1
    return number


def unwatched(number: int) -> int:
    """No test calls this."""
    return number + number
'''
TESTS = """\
from crossroads.inference.middle import emptied, larger


def test_larger():
    assert [larger(1, 2), larger(2, 1), larger(3, 3)] == [2, 2, 3]


def test_emptied():
    assert emptied(3) == 0
"""
JUDGE = f"""\
import json, sys
from pathlib import Path
from tests.hardening import mutation

mutation.PROCESSOR_SECONDS = 8
root, asked = Path(sys.argv[1]), json.loads(sys.argv[2])
source = (root / "{FILE}").read_text()
known = {{(one.operator, one.line): one for place in mutation.places("{FILE}", source) for one in place}}
with mutation.copied(root) as folder:
    order = mutation.stages(folder, "{FILE}")
    found = [mutation.judged(folder, known[tuple(one)], order, set()).outcome for one in asked]
print(json.dumps(found))
"""
BREAK = f"""\
import sys
from pathlib import Path
from tests.hardening import mutation

def tell(verdict):
    raise KeyboardInterrupt

mutation.run(Path(sys.argv[1]), ["{FILE}"], 1, order=lambda root, file: [], tell=tell)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of a package with one file and its tests."""
    root = tmp_path / "checkout"
    for name, text in (
        (FILE, SOURCE),
        ("src/crossroads/__init__.py", ""),
        ("src/crossroads/inference/__init__.py", ""),
        ("tests/inference/test_middle.py", TESTS),
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib", "--doctest-modules"]\n',
        ),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def ran(script: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script that may start copies of itself, with a folder for what it leaves."""
    folder.mkdir()
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "TMPDIR": str(folder)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )


def bytes_of(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with what is in it and when it was written."""
    return {str(one): (one.read_bytes(), one.stat().st_mtime_ns) for one in root.rglob("*") if one.is_file()}


def line(text: str) -> int:
    """The number of the line of the source that has a text."""
    return next(number for number, one in enumerate(SOURCE.splitlines(), 1) if text in one)


@pytest.mark.slow
def test_tests_and_examples_kill_what_they_notice_and_nothing_else(checkout: Path, tmp_path: Path) -> None:
    asked: list[tuple[str, int, str]] = [
        # the example of the docstring: sum times length is 8
        ("core/ReplaceBinaryOperator_Div_Mul", line("sum(values)"), "failed"),
        # the smaller one: a test
        ("core/ReplaceComparisonOperator_GtE_Lt", line("a >= b"), "failed"),
        # equivalent: it differs where both are equal, and then either is right
        ("core/ReplaceComparisonOperator_GtE_Gt", line("a >= b"), "survived"),
        # never ends: the limit of time
        ("core/ReplaceBinaryOperator_Sub_Add", line("number - 1"), "stopped"),
        # 2 n and n² differ, but nobody looks
        ("core/ReplaceBinaryOperator_Add_Mul", line("number + number"), "survived"),
    ]
    before = bytes_of(checkout)
    done = ran(JUDGE, str(checkout), json.dumps([one[:2] for one in asked]), folder=tmp_path / "left")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [one[2] for one in asked]
    assert bytes_of(checkout) == before
    assert list((tmp_path / "left").glob("mutation-*")) == []


@pytest.mark.slow
def test_tests_that_fail_anyway_kill_nothing(checkout: Path, tmp_path: Path) -> None:
    (checkout / "tests/inference/test_middle.py").write_text(
        "def test_false():\n    assert 0\n", encoding="utf-8"
    )
    asked = [("core/ReplaceBinaryOperator_Add_Mul", line("number + number"))]
    done = ran(JUDGE, str(checkout), json.dumps(asked), folder=tmp_path / "left")
    assert done.returncode != 0
    assert "tests fail before anything is changed" in done.stderr


@pytest.mark.slow
def test_an_interrupt_leaves_the_checkout_as_it_was(checkout: Path, tmp_path: Path) -> None:
    before = bytes_of(checkout)
    done = ran(BREAK, str(checkout), folder=tmp_path / "left")
    assert "KeyboardInterrupt" in done.stderr
    assert bytes_of(checkout) == before
    assert list((tmp_path / "left").glob("mutation-*")) == []


def test_a_changed_file_is_as_it_was_afterwards(checkout: Path) -> None:
    file = checkout / FILE
    before = bytes_of(checkout)
    with pytest.raises(ZeroDivisionError), mutation.changed(file, "other = 1\n"):
        assert file.read_text(encoding="utf-8") == "other = 1\n"
        assert file.stat().st_mtime_ns != before[str(file)][1]
        _ = 1 / 0
    assert bytes_of(checkout) == before


def test_draws_are_seeded_and_change_the_program(checkout: Path) -> None:
    first, again, other = (mutation.drawn(checkout, [FILE], 6, seed) for seed in (1, 1, 2))
    assert first == again != other
    everything = mutation.drawn(checkout, [FILE], 1000, 0)
    assert len({(one.line, one.operator) for one in everything}) == len(everything) >= 6
    # nothing of the annotations is drawn: they are never evaluated
    assert line("def middle") not in {one.line for one in everything}
    for one in everything:
        code = one.code(SOURCE)
        assert code is not None
        compile(code, FILE, "exec")
        assert code != SOURCE


def test_tests_of_a_file_come_first_then_those_of_its_folder_and_then_all() -> None:
    file = "src/crossroads/measures/association/weat.py"
    first, slow, around, last = mutation.stages(ROOT, file)
    assert first.paths[0] == "tests/measures/association/test_weat.py"
    assert first.paths[-1] == file
    assert slow.paths == first.paths[:-1]
    assert around.paths == ("tests/measures/association",)
    assert last.paths == mutation.EVERYTHING
    unnamed = mutation.stages(ROOT, "src/crossroads/inference/permutation/scores.py")
    assert [one.paths for one in unnamed] == [
        ("src/crossroads/inference/permutation/scores.py",),
        ("tests/inference/permutation",),
        mutation.EVERYTHING,
    ]


@pytest.mark.parametrize(("part", "whole"), [(0, 7), (15, 20), (97, 100), (7, 7)])
def test_intervals_are_those_of_wilson(part: int, whole: int) -> None:
    expected = stats.binomtest(part, whole).proportion_ci(method="wilson")
    assert mutation.wilson(part, whole) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_scores_count_by_room_and_in_total() -> None:
    def verdict(room: str, outcome: str) -> Any:
        mutant = mutation.Mutant(file=f"src/crossroads/{room}/x.py", line=1, operator="o", occurrence=0)
        return mutation.Verdict(mutant=mutant, outcome=outcome, change="", seconds=0)

    rows = [verdict("inference", "failed"), verdict("inference", "survived"), verdict("measures", "stopped")]
    found = mutation.scores(rows)
    counts = {name: (one["killed"], one["mutants"]) for name, one in found.items()}
    assert counts == {"inference": (1, 2), "measures": (1, 1), "total": (2, 3)}
    assert "total         2 of    3 killed: 66.7% (20.8% to 93.9%)" in mutation.table(found)
