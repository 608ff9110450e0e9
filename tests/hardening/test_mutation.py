"""That mutants are drawn, made, judged and counted as they should be, on a package of two functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from tests.hardening import mutation
from tests.hardening.reach import Reached

pytest.importorskip("cosmic_ray", reason="cosmic-ray makes the changes: extra 'test'")

ROOT = Path(__file__).parents[2]
FILE = "src/crossroads/core/inference/middle.py"
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
from crossroads.core.inference.middle import emptied, larger


def test_larger():
    assert [larger(1, 2), larger(2, 1), larger(3, 3)] == [2, 2, 3]


def test_emptied():
    assert emptied(3) == 0
"""
OPTIONS = """\
[tool.pytest.ini_options]
pythonpath = ["."]
addopts = ["--import-mode=importlib", "--doctest-modules"]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of a package with one file and its tests."""
    root = tmp_path / "checkout"
    for name, text in (
        (FILE, SOURCE),
        ("src/crossroads/__init__.py", ""),
        ("src/crossroads/core/__init__.py", ""),
        ("src/crossroads/core/inference/__init__.py", ""),
        ("tests/core/inference/test_middle.py", TESTS),
        ("tests/hardening/reach.py", (ROOT / "tests/hardening/reach.py").read_text(encoding="utf-8")),
        ("pyproject.toml", OPTIONS),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def bytes_of(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file with what is in it and when it was written."""
    return {str(one): (one.read_bytes(), one.stat().st_mtime_ns) for one in root.rglob("*") if one.is_file()}


def line(text: str) -> int:
    """The number of the line of the source that has a text."""
    return next(number for number, one in enumerate(SOURCE.splitlines(), 1) if text in one)


@pytest.mark.slow
def test_tests_and_examples_kill_what_they_notice_and_nothing_else(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts pytest as often as there are mutants, which is what is tested."""
    asked = {
        # the example of the docstring: sum times length is 8
        ("core/ReplaceBinaryOperator_Div_Mul", line("sum(values)")): "failed",
        # equivalent: it differs where both are equal, and then either is right
        ("core/ReplaceComparisonOperator_GtE_Gt", line("a >= b")): "survived",
        # never ends: the limit of time
        ("core/ReplaceBinaryOperator_Sub_Add", line("number - 1")): "stopped",
        # 2 n and n² differ, but nobody looks
        ("core/ReplaceBinaryOperator_Add_Mul", line("number + number")): "survived",
    }
    monkeypatch.setattr(mutation, "LIMIT", 8)
    monkeypatch.setattr(mutation, "ROOT", ROOT)
    before = bytes_of(checkout)
    known = {(one.operator, one.line): one for place in mutation.places(FILE, SOURCE) for one in place}
    reached = mutation.reached(checkout, None, workers=1)
    assert bytes_of(checkout) == before
    found = mutation.run(checkout, [known[one] for one in asked], reached)
    assert [one.outcome for one in found] == list(asked.values())
    assert bytes_of(checkout) == before


def test_a_mutant_is_judged_by_the_tests_that_run_its_statement_the_quickest_first(tmp_path: Path) -> None:
    tests: dict[str, Any] = {
        "tests/a.py::test_slow": {"seconds": 2.0, "fixtures": []},
        "tests/a.py::test_two[1]": {"seconds": 0.2, "fixtures": []},
        "tests/a.py::test_two[2]": {"seconds": 0.2, "fixtures": []},
        "tests/b.py::test_shared": {"seconds": 0.1, "fixtures": ["made"]},
        "other/b.py::test_other": {"seconds": 0.1, "fixtures": ["made"]},
        "tests/c.py::test_long": {"seconds": 99.0, "fixtures": []},
    }
    found = {
        "tests": tests,
        "lines": {f"{tmp_path}/{FILE}": {
            line("return a if"): [name for name in tests if "shared" not in name and "other" not in name],
            line("return number"): ["fixture:made:tests"],
            line("def emptied"): [""],
        }},
    }  # fmt: skip
    (tmp_path / "gw0.json").write_text(json.dumps(found), encoding="utf-8")
    reached = Reached(tmp_path, tmp_path)

    def judges(text: str) -> list[str]:
        mutant = mutation.Mutant(file=FILE, line=line(text), operator="o", occurrence=0)
        return mutation.chosen(reached, mutant, SOURCE)

    assert judges("return a if") == ["tests/a.py::test_two", "tests/a.py::test_slow"]
    assert judges("return number") == ["tests/b.py::test_shared"]
    # what runs on import only is judged by all tests of the file
    everything = ["tests/b.py::test_shared", "tests/a.py::test_two", "tests/a.py::test_slow"]
    assert judges("def emptied") == everything


def test_a_statement_has_all_its_lines_and_a_block_those_of_its_heading() -> None:
    source = "if (\n  a\n):\n  b = f(\n    1,\n    2,\n  )\n"
    lines = [mutation.statement(source, line) for line in (1, 2, 3, 4, 6)]
    assert lines == [range(1, 4)] * 3 + [range(4, 8)] * 2


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


@pytest.mark.parametrize(("part", "whole"), [(0, 7), (15, 20), (97, 100), (7, 7)])
def test_intervals_are_those_of_wilson(part: int, whole: int) -> None:
    expected = stats.binomtest(part, whole).proportion_ci(method="wilson")
    assert mutation.wilson(part, whole) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_scores_count_by_room_and_in_total() -> None:
    rows = []
    for room, outcome in (("core", "failed"), ("core", "survived"), ("words", "stopped")):
        mutant = mutation.Mutant(file=f"src/crossroads/{room}/x.py", line=1, operator="o", occurrence=0)
        rows.append(mutation.Verdict(mutant=mutant, outcome=outcome, change="", seconds=0))
    counts = {name: (one["killed"], one["mutants"]) for name, one in mutation.scores(rows).items()}
    assert counts == {"core": (1, 2), "words": (1, 1), "total": (2, 3)}
