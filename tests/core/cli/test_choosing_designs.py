"""Designs of one's own chosen by name, gaps of several designs, and words in two sets, in the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.core.evidence import Contexts
from tests.audits import WORDS as SETS
from tests.fixtures.commands import Command, Run, write_vectors

ALL = [word for words in SETS.values() for word in words]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Vectors of made-up words, all in lower case."""
    return write_vectors(tmp_path / "vectors.txt", [*ALL, "ann", "bea", "cid", "dan", "chief_cook"])


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
    ask = (measure, vectors, "--words", several, "--json")
    assert names_of(command(*ask)) == ["Doctors", "nurses", "cooks"]
    assert names_of(command(*ask, "-t", "nurses")) == ["nurses"]
    assert names_of(command(*ask, "-t", "cooks", "-t", "doctors")) == ["Doctors", "cooks"]
    run = command(*ask, "-t", "nurse")
    assert run.status == 2
    assert "did you mean 'nurses'? the files contain 'Doctors', 'nurses' and 'cooks'." in run.told


def test_one_design_of_several_gives_the_attributes_of_sc_weat(
    command: Command, vectors: Path, several: Path
) -> None:
    run = command("sc-weat", vectors, "-d", several)
    assert run.status == 2
    assert "3 tests were given: Doctors, nurses and cooks." in run.err
    assert command("sc-weat", vectors, "-d", several, "-t", "nurses").status == 0


def test_designs_of_a_file_are_chosen_for_contexts_ceat_and_audits(
    command: Command, vectors: Path, several: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(f"we saw {word} there" for word in ALL))
    run = command("contexts", corpus, "-o", tmp_path / "found", "-d", several, "-t", "nurses", "--json")
    assert run.status == 0, run.err
    assert "cooks" not in run.out
    rng = np.random.default_rng(1)
    store = tmp_path / "store"
    Contexts.from_dict({word: rng.normal(size=(2, 4)) for word in ALL}).save(store)
    asked = command("ceat", store, "-d", several, "-t", "cooks", "-C", "samples=9", "--json")
    assert names_of(asked) == ["cooks"]
    out = tmp_path / "out"
    run = command("audit", vectors, "-d", several, "-t", "nurses", "--no-figures", "-o", out)
    assert run.status == 0, run.err
    document = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in document["designs"]] == ["nurses"]


def test_a_name_of_the_catalogue_adds_to_the_designs_of_a_file(
    command: Command, vectors: Path, several: Path, tmp_path: Path
) -> None:
    run = command("weat", vectors, "-d", several, "-t", "weat6", "--missing", "drop", "--json")
    assert names_of(run) == ["Doctors", "nurses", "cooks"]
    assert list(json.loads(run.out)["skipped"]) == ["weat6"]
    # a design of one's own goes before one of the catalogue of the same name
    own = written(tmp_path / "own.json", {"name": "weat6"}, {"name": "other"})
    assert names_of(command("weat", vectors, "-d", own, "-t", "weat6", "--json")) == ["weat6"]


def test_comparisons_of_geometry_are_chosen_by_their_concept(command: Command, tmp_path: Path) -> None:
    groups = {name: [f"{name}{i}" for i in range(6)] for name in ("red", "blue")}
    concepts = {name: [f"{name}{i}" for i in range(6)] for name in ("warm", "cold")}
    words = [word for some in (*groups.values(), *concepts.values()) for word in some]
    vectors, sheet = write_vectors(tmp_path / "v.txt", words), tmp_path / "sheet.json"
    sheet.write_text(json.dumps({"groups": groups, "concepts": concepts}), encoding="utf-8")
    ask = ("rsa", vectors, "-d", sheet, "-C", "n=3", "-C", "samples=5", "--json")
    run = command(*ask, "-t", "cold")
    assert run.status == 0, run.err
    assert [one["names"][2] for one in json.loads(run.out)["results"]] == ["cold"]
    assert len(json.loads(command(*ask).out)["results"]) == 2
    run = command(*ask, "-t", "colt")
    assert (run.status, "did you mean 'cold'?" in run.err) == (2, True)


def test_every_gap_of_every_design_is_told_at_once(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = written(
        tmp_path / "gaps.json",
        {"name": "one", "x": ["x0", "x1", "gone"]},
        {"name": "two", "y": ["y0", "y1", "lost"], "b": ["b0", "b1", "chief cok"]},
        {"name": "three", "a": ["a0", "a1", "chief cook"]},
    )
    for measure in ("weat", "mleat"):
        run = command(measure, vectors, "--words", file, "--spelling", "none")
        assert run.status == 2
        for part in ("one: x: gone", "two: y: lost; b: chief cok", "for chief cok: chief_cook"):
            assert part in run.err
        assert "--missing drop" in run.err


@pytest.mark.parametrize("measure", ["weat", "mleat", "audit"])
def test_spellings_follow_the_option_and_tests_that_are_skipped_name_it(
    command: Command, vectors: Path, tmp_path: Path, measure: str
) -> None:
    names = {"name": "names", "x": ["Ann", "Bea"], "y": ["Cid", "Dan"]}
    cooks = {"name": "cooks", "a": ["a0", "a1", "chief cook"]}
    file = written(tmp_path / "names.json", names, cooks)
    ask: tuple[Any, ...] = (measure, vectors, "-d", file, "--missing", "drop", "--json")
    if measure == "audit":
        ask = (*ask, "--no-figures", "-o", tmp_path / "out")
    for _ in range(2):  # an audit goes on with what was read before
        run = command(*ask, "--spelling", "none")
        assert run.status == 0, run.err
        skipped = json.loads(run.out)["skipped"]
        assert list(skipped) == ["names"]
        assert "(--spelling lower)" in skipped["names"]
    found = json.loads(command(*ask).out)
    assert "names" not in found["skipped"]
    assert "chief_cook (phrase)" in json.dumps(found)


@pytest.mark.filterwarnings("always::crossroads.core.errors.CrossroadsWarning")
def test_a_word_in_two_sets_is_warned_of(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = written(tmp_path / "both.json", {"name": "both", "x": ["x0", "x1", "a1"]})
    for measure in ("weat", "mleat", "sc-weat"):
        run = command(measure, vectors, "-d", file)
        assert run.status == 0
        assert "warning:" in run.err
        assert "'a1'" in run.err
        assert "note: 'a1'" in run.out
