"""Files with hostile values in any place, given to the commands that read them: sentences, no tracebacks."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.evidence.logits import Logits
from tests import audits
from tests.audits import WORDS
from tests.cli.conftest import Command, Run

TRIES = 15
"""Changes to each file; the generator is seeded, so that they are the same in every run."""
VALUES: list[Any] = [
    10**4000, -1, 1e308, None, True, [], {}, "A" * 50_000, "\ud800", "", [[[[1]]]], {"a": {"b": 1}}, 1.5,
    "x\ny", ["a"] * 3000, 0, float("nan"), float("inf"), 2**70, [None], [1, "a"], "WeatResult",
    "=1+1", "\u202e",
]  # fmt: skip
TOKENS = [
    "9" * 5000, "0x" + "f" * 9000, "-1", "1e999", "nan", "true", "[" * 3000, "{" * 2000, f'"{"A" * 50_000}"',
    "[]", "{}", "2024-01-01", "[[[1]]]", '""', "inf", '"a\\nb"', "0", '"{trait} {word} {"', "a." * 1500 + "a",
]  # fmt: skip
DESIGN = {"name": "mine", **WORDS}
DESIGN_TOML = 'name = "mine"\n' + "".join(f"{role} = {json.dumps(words)}\n" for role, words in WORDS.items())
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


def in_json(rng: random.Random, text: str) -> str:
    """A JSON document with another value somewhere."""
    document = json.loads(text)
    node: Any = document
    parent: Any = None
    key: Any = None
    for _ in range(rng.randint(1, 8)):
        if not node or not isinstance(node, dict | list):
            break
        parent, key = node, rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
        node = node[key]
    if isinstance(parent, dict | list):
        if rng.random() < 0.2:
            del parent[key]
        else:
            parent[key] = copy.deepcopy(rng.choice(VALUES))
    return json.dumps(document)


def in_text(rng: random.Random, text: str) -> str:
    """Any text with another token somewhere, or cut."""
    if rng.random() < 0.15:
        return text[: rng.randrange(len(text))]
    found = rng.choice([match.span() for match in re.finditer(r'"[^"\n]*"|[-\w.]+', text)])
    return text[: found[0]] + rng.choice(TOKENS) + text[found[1] :]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with everything that commands need and that is in order."""
    audits.vectors(tmp_path / "v.txt", 1)
    (tmp_path / "design.json").write_text(json.dumps(DESIGN), encoding="utf-8")
    (tmp_path / "scores.json").write_text(json.dumps(SCORES), encoding="utf-8")
    (tmp_path / "people.json").write_text(json.dumps(PEOPLE), encoding="utf-8")
    return tmp_path


ALIGN = ("--permutations", "9", "--bootstrap", "9")
AUDIT = ("audit", "v.txt", "-d", "design.json", "--no-figures", "-o", "out")
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    # name of the file: what it holds when it is in order, and the command that reads it
    "mine.json": (json.dumps(DESIGN), ("weat", "v.txt", "-d", "mine.json")),
    "mine.jsonl": (json.dumps(DESIGN) + "\n" + json.dumps(DESIGN), ("weat", "v.txt", "-d", "mine.jsonl")),
    "mine.toml": (DESIGN_TOML, ("weat", "v.txt", "-d", "mine.toml")),
    "detect.toml": (GROUPS, ("ibd", "v.txt", "-d", "detect.toml")),
    "compare.toml": (GROUPS, ("rsa", "v.txt", "-d", "compare.toml", "--n", "2", "--samples", "3")),
    "rules.toml": (RULES, (*AUDIT, "--fail-on", "rules.toml")),
    "mine-scores.json": (json.dumps(SCORES), ("align", "mine-scores.json", "--human", "people.json", *ALIGN)),
    "judged.json": (json.dumps(PEOPLE), ("align", "scores.json", "--human", "judged.json", *ALIGN)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("default::crossroads.errors.CrossroadsWarning")
def test_no_value_in_a_file_makes_a_command_fall_over(
    name: str, place: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    text, arguments = CASES[name]
    rng = random.Random(name)
    for _ in range(TRIES):
        changed = (in_json if name.endswith(".json") and rng.random() < 0.7 else in_text)(rng, text)
        (place / name).write_text(changed, encoding="utf-8")
        _check(command(*arguments), changed)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::crossroads.errors.CrossroadsWarning")
def test_no_value_in_results_makes_a_report_fall_over(
    place: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    assert command(*AUDIT).status == 0
    text = (place / "out" / "results.json").read_text(encoding="utf-8")
    rng = random.Random(0)
    for _ in range(2 * TRIES):
        changed = in_json(rng, text)
        (place / "out" / "results.json").write_text(changed, encoding="utf-8")
        _check(command("report", "out", "-o", "page.html"), changed)


def _check(run: Run, changed: str) -> None:
    assert run.status in (0, 1, 2), changed[:2000]
    assert "Traceback" not in run.err, changed[:2000]
    assert "Aborted" not in run.err, changed[:2000]
    assert len(run.err) < 6000, changed[:2000]


@pytest.mark.slow
def test_an_array_that_is_none_is_refused_though_its_checksum_fits(place: Path, command: Command) -> None:
    arrays: dict[str, Any] = {
        "logit": np.zeros((1, 1, 2, 1)), "slot": np.array([[[[0], [1]]]]),
        "chain_logit": np.zeros((1, 1, 2, 1)), "chain_slot": np.array([[[[0], [1]]]]),
        "head": np.zeros((2, 1)), "log_sum_exp": np.ones(2),
        "hidden_sq_norm": np.ones(2), "log_sum_initial": np.ones(2), "log_sum_continuation": np.ones(2),
    }  # fmt: skip
    Logits.from_arrays(
        groups=["women"], priors=[], templates=["{capitalised} are {trait}."], traits=[("cold", "warm")],
        vocabulary=9, **arrays,
    ).save(place / "logits")  # fmt: skip
    manifest = json.loads((place / "logits" / "manifest.json").read_text(encoding="utf-8"))
    name = next(iter(manifest["arrays"]))
    whole = (place / "logits" / f"{name}.npy").read_bytes()
    damaged = (
        b"", b"PK\x03\x04" + bytes(90), b"\x80\x04N.", whole[:40], whole[:-1], b"\x93NUMPY\x01\0\x04\0((((",
        whole.replace(b"'shape'", b"'shape\""), whole.replace(b"<f", b"|O"),
    )  # fmt: skip
    for data in damaged:
        (place / "logits" / f"{name}.npy").write_bytes(data)
        manifest["arrays"][name]["sha256"] = hashlib.sha256(data).hexdigest()
        (place / "logits" / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        run = command("probe", place / "logits")
        assert (run.status, "Traceback" in run.err) == (2, False), data[:50]
        assert f"{name}.npy" in run.err.replace("\n", "")
