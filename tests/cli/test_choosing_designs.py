"""Designs of one's own chosen by name, gaps of several designs, and words in two sets, in the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pytest

from crossroads.evidence import Contexts

SETS = {role: [f"{role}{i}" for i in range(4)] for role in "xyab"}


class Run(Protocol):
    status: int
    out: str
    err: str


class Command(Protocol):
    def __call__(self, *arguments: object) -> Run: ...


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Vectors of made-up words, all in lower case."""
    rng = np.random.default_rng(1)
    labels = [*(word for words in SETS.values() for word in words), "ann", "bea", "cid", "dan", "chief_cook"]
    path = tmp_path / "vectors.txt"
    rows = rng.normal(size=(len(labels), 5))
    lines = [f"{label} {' '.join(map(str, row))}" for label, row in zip(labels, rows, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def written(path: Path, *designs: dict[str, Any]) -> Path:
    path.write_text(json.dumps([{**SETS, **one} for one in designs]), encoding="utf-8")
    return path


@pytest.fixture
def several(tmp_path: Path) -> Path:
    return written(tmp_path / "several.json", {"name": "Doctors"}, {"name": "nurses"}, {"name": "cooks"})


def names_of(run: Run) -> list[str]:
    assert run.status == 0, run.err
    return [one["design"] for one in json.loads(run.out)["results"]]


@pytest.mark.parametrize("measure", ["weat", "mleat"])
def test_some_designs_of_a_file_are_chosen_by_name(
    command: Command, vectors: Path, several: Path, measure: str
) -> None:
    ask = (measure, vectors, "--design", several, "--json")
    assert names_of(command(*ask)) == ["Doctors", "nurses", "cooks"]
    assert names_of(command(*ask, "-t", "nurses")) == ["nurses"]
    assert names_of(command(*ask, "-t", "cooks", "-t", "doctors")) == ["Doctors", "cooks"]


def test_one_design_of_several_gives_the_attributes_of_sc_weat(
    command: Command, vectors: Path, several: Path
) -> None:
    run = command("sc-weat", vectors, "-d", several)
    assert run.status == 2
    assert "3 tests were given: Doctors, nurses and cooks." in run.err
    assert "--test" in run.err
    assert command("sc-weat", vectors, "-d", several, "-t", "nurses").status == 0


def test_designs_of_a_file_are_chosen_for_contexts_ceat_and_audits(
    command: Command, vectors: Path, several: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(f"we saw {word} there" for words in SETS.values() for word in words))
    run = command("contexts", corpus, "-o", tmp_path / "found", "-d", several, "-t", "nurses", "--json")
    assert run.status == 0, run.err
    assert "cooks" not in run.out
    rng = np.random.default_rng(1)
    store = tmp_path / "store"
    words = [word for words in SETS.values() for word in words]
    Contexts.from_dict({word: rng.normal(size=(2, 4)) for word in words}).save(store)
    assert names_of(command("ceat", store, "-d", several, "-t", "cooks", "--samples", "9", "--json")) == [
        "cooks"
    ]
    run = command(
        *("audit", vectors, "-d", several, "-t", "nurses", "--no-figures", "-o", tmp_path / "out", "--json")
    )
    assert run.status == 0, run.err
    document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in document["designs"]] == ["nurses"]


def test_a_wrong_name_is_told_with_the_nearest_of_the_file(
    command: Command, vectors: Path, several: Path
) -> None:
    run = command("weat", vectors, "-d", several, "-t", "nurse")
    assert run.status == 2
    assert "unknown test 'nurse'" in run.err
    assert "did you mean 'nurses'? the files contain 'Doctors', 'nurses' and 'cooks'." in run.err


def test_a_name_of_the_catalogue_adds_to_the_designs_of_a_file(
    command: Command, vectors: Path, several: Path, tmp_path: Path
) -> None:
    run = command("weat", vectors, "-d", several, "-t", "weat6", "--missing", "drop")
    assert "weat6: not tested" in run.out
    assert "Doctors" in run.out
    # a design of one's own goes before one of the catalogue of the same name
    own = written(tmp_path / "own.json", {"name": "weat6"}, {"name": "other"})
    assert names_of(command("weat", vectors, "-d", own, "-t", "weat6", "--json")) == ["weat6"]


def test_comparisons_of_geometry_are_chosen_by_their_concept(command: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    groups = {name: [f"{name}{i}" for i in range(6)] for name in ("red", "blue")}
    concepts = {name: [f"{name}{i}" for i in range(6)] for name in ("warm", "cold")}
    labels = [word for words in (*groups.values(), *concepts.values()) for word in words]
    rows = [f"{label} {' '.join(map(str, rng.normal(size=5)))}\n" for label in labels]
    (tmp_path / "v.txt").write_text("".join(rows), encoding="utf-8")
    sheet = tmp_path / "sheet.json"
    sheet.write_text(json.dumps({"groups": groups, "concepts": concepts}), encoding="utf-8")
    ask = ("rsa", tmp_path / "v.txt", "-d", sheet, "--n", "3", "--samples", "5", "--json")
    run = command(*ask, "-t", "cold")
    assert run.status == 0, run.err
    assert [one["names"][2] for one in json.loads(run.out)["results"]] == ["cold"]
    assert len(json.loads(command(*ask).out)["results"]) == 2
    run = command(*ask, "-t", "colt")
    assert run.status == 2
    assert "did you mean 'cold'?" in run.err


def test_every_gap_of_every_design_is_told_at_once(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = written(
        tmp_path / "gaps.json",
        {"name": "one", "x": ["x0", "x1", "gone"]},
        {"name": "two", "y": ["y0", "y1", "lost"], "b": ["b0", "b1", "chief cok"]},
        {"name": "three", "a": ["a0", "a1", "chief cook"]},
    )
    for measure in ("weat", "mleat"):
        run = command(measure, vectors, "--design", file, "--fallback", "none")
        assert run.status == 2
        assert "3 stimuli of 2 designs have no usable vector:" in run.err
        assert "one: x: gone" in run.err
        assert "two: y: lost; b: chief cok" in run.err
        assert "for chief cok: chief_cook" in run.err
        assert "--missing drop" in run.err


def test_phrases_are_found_and_the_table_says_how(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "cooks.json", {"name": "cooks", "a": ["a0", "a1", "chief cook"]})
    run = command("weat", vectors, "--design", file)
    assert run.status == 0
    assert "chief cook as chief_cook (phrase)" in run.out


@pytest.mark.parametrize("measure", ["weat", "mleat"])
def test_tests_that_are_skipped_name_the_fallback(
    command: Command, vectors: Path, tmp_path: Path, measure: str
) -> None:
    names = {"name": "names", "x": ["Ann", "Bea"], "y": ["Cid", "Dan"]}
    file = written(tmp_path / "names.json", names, {"name": "whole"})
    ask = (measure, vectors, "-d", file, "--missing", "drop", "--fallback", "none")
    run = command(*ask)
    assert run.status == 0
    assert "names: not tested: x has 0 of 2 stimuli left" in run.out
    assert "(--fallback lower)" in run.out.replace("\n", " ")
    assert "(--fallback lower)" in json.loads(command(*ask, "--json").out)["skipped"]["names"]
    assert "not tested" not in command(measure, vectors, "-d", file, "--missing", "drop").out


@pytest.mark.slow
def test_audits_keep_the_hint_where_tests_are_skipped(
    command: Command, vectors: Path, tmp_path: Path
) -> None:
    names = {"name": "names", "x": ["Ann", "Bea"], "y": ["Cid", "Dan"]}
    file = written(tmp_path / "names.json", names, {"name": "whole"})
    ask = ("audit", vectors, "-d", file, "--fallback", "none", "--no-figures", "-o", tmp_path / "out")
    for _ in range(2):  # also where it goes on with what was read before
        run = command(*ask)
        assert run.status == 0, run.err
        assert "(--fallback lower)" in run.out.replace("\n", " ")
        document = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
        assert "(--fallback lower)" in document["skipped"]["names"]
        page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
        assert "(--fallback lower)" in page


@pytest.mark.filterwarnings("always::crossroads.errors.CrossroadsWarning")
def test_a_word_in_two_sets_is_warned_of(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "both.json", {"name": "both", "x": ["x0", "x1", "a1"]})
    for measure in ("weat", "mleat", "sc-weat"):
        run = command(measure, vectors, "-d", file)
        assert run.status == 0
        assert "warning:" in run.err
        assert "'a1'" in run.err
        assert "since no word is compared with itself" in " ".join(run.err.split())
        assert "note: 'a1'" in run.out
