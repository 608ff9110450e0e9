"""Files with hostile values in any place, given to the commands that read them: sentences, no tracebacks."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests import audits
from tests.fixtures.commands import Command, Run
from tests.hardening.fuzzing import changed_value

TRIES = 15
"""Changes to each file; the generator is seeded, so that they are the same in every run."""
DESIGN = {"name": "mine", **audits.WORDS}
DESIGN_TOML = "".join(f"{key} = {json.dumps(value)}\n" for key, value in DESIGN.items())
GROUPS = """words = ["a0", "a1", "a2", "b0"]
truth = ["a0"]
[groups.Black]
female = ["x0", "x1"]
male = ["x2", "x3"]
[groups.White]
female = ["y0", "y1"]
male = ["y2", "y3"]
[concepts]
A = ["a0", "a1"]
B = ["b0", "b1"]
"""
RULES = """[[rule]]
test = "mine"
statistic = "effect_size"
above = 0.5
unless_adjusted_above = 0.05
"""
SCORES = {
    "type": "TraitScores", "measure": "set", "groups": ["women", "man"],
    "traits": ["cold-warm", "wealthy-poor"], "scores": [[0.5, 1.0], [0.25, -2.0]],
}  # fmt: skip
PEOPLE = {
    "women": {"cold-warm": 50.0, "wealthy-poor": 20},
    "man": {"cold-warm": 40, "wealthy-poor": 70},
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with everything that commands need and that is in order."""
    audits.vectors(tmp_path / "v.txt", 1)
    for name, data in (("design", DESIGN), ("scores", SCORES), ("people", PEOPLE)):
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


ALIGN = ("-C", "draws=9", "-C", "resamples=9")
AUDIT = ("audit", "v.txt", "-d", "design.json", "--no-figures", "-o", "out")
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    # name of the file: what it holds when it is in order, and the command that reads it
    "mine.json": (json.dumps(DESIGN), ("weat", "v.txt", "-d", "mine.json")),
    "mine.jsonl": (json.dumps(DESIGN) + "\n" + json.dumps(DESIGN), ("weat", "v.txt", "-d", "mine.jsonl")),
    "mine.toml": (DESIGN_TOML, ("weat", "v.txt", "-d", "mine.toml")),
    "detect.toml": (GROUPS, ("ibd", "v.txt", "-d", "detect.toml")),
    "compare.toml": (GROUPS, ("rsa", "v.txt", "-d", "compare.toml", "-C", "n=2", "-C", "samples=3")),
    "rules.toml": (RULES, (*AUDIT, "--rules", "rules.toml")),
    "mine-scores.json": (json.dumps(SCORES), ("align", "mine-scores.json", "--human", "people.json", *ALIGN)),
    "judged.json": (json.dumps(PEOPLE), ("align", "scores.json", "--human", "judged.json", *ALIGN)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("default::crossroads.core.errors.CrossroadsWarning")
def test_no_value_in_a_file_makes_a_command_fall_over(name: str, place: Path, command: Command) -> None:
    text, arguments = CASES[name]
    rng = random.Random(name)
    for _ in range(TRIES):
        changed = changed_value(text.encode(), rng)
        (place / name).write_bytes(changed)
        _check(command(*arguments), changed)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::crossroads.core.errors.CrossroadsWarning")
def test_no_value_in_results_makes_a_report_fall_over(place: Path, command: Command) -> None:
    assert command(*AUDIT).status == 0
    whole = (place / "out" / "results.json").read_bytes()
    rng = random.Random(0)
    for _ in range(2 * TRIES):
        changed = changed_value(whole, rng)
        (place / "out" / "results.json").write_bytes(changed)
        _check(command("report", "out", "-o", "page.html"), changed)


def _check(run: Run, changed: bytes) -> None:
    assert run.status in (0, 1, 2), changed[:2000]
    assert "Traceback" not in run.err, changed[:2000]
    assert "Aborted" not in run.err, changed[:2000]
    assert len(run.err) < 6000, changed[:2000]
