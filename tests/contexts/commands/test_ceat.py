"""``ceat`` and ``reproduce ceat``, as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from tests.fixtures.commands import Command

WORDS = {
    "x": ["rose", "lily", "tulip", "daisy"],
    "y": ["wasp", "gnat", "flea", "moth"],
    "a": ["love", "peace", "joy", "honour"],
    "b": ["filth", "abuse", "crash", "hatred"],
}
SHEET = "\n".join(['name = "mine"', *(f"{k} = {json.dumps(v)}" for k, v in WORDS.items())]) + "\n"


def rows(words: list[str], seed: int = 0, *, dim: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        word: rng.normal(size=dim) + 0.4 * rng.normal(size=(4 + i % 9, dim)) for i, word in enumerate(words)
    }


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Flowers and insects, and the words of C6 and I1, of which one is missing."""
    words = [word for group in WORDS.values() for word in group]
    words += [word for name in ("c6", "i1") for word in cr.catalog(name).words if word != "bigbutt"]
    cr.Contexts.from_dict(rows(list(dict.fromkeys(words))), provenance="tiny").save(tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(SHEET, encoding="utf-8")
    return path


def test_the_default_battery_goes_as_far_as_the_store(command: Command, store: Path, tmp_path: Path) -> None:
    run = command("ceat", store, "-C", "samples=50")
    assert run.status == 0, run.err
    said = " ".join(run.out.split())
    for words in ("c6", "i1", "c2: not tested", "bigbutt", "Fewer than 10 contexts"):
        assert words in said
    cr.Contexts.from_dict({"nothing": np.ones((2, 3))}).save(tmp_path / "empty")
    run = command("ceat", tmp_path / "empty")
    assert run.status == 2
    assert "other tests) cannot be measured on this store" in run.told


def test_json_equals_the_library(command: Command, store: Path, sheet: Path) -> None:
    options = ("-C", "samples=40", "--seed", 3, "-C", "ddof=0", "-C", "variance=hedges", "--json")
    run = command("ceat", store, "--words", sheet, "--test", "c6", *options, "--levels")
    assert run.status == 0, run.err
    data = json.loads(run.out)
    contexts = cr.Contexts.open(store)
    design = cr.read_designs(sheet)[0]
    settings: dict[str, Any] = {"samples": 40, "seed": 3, "ddof": 0, "variance": "hedges"}
    wanted = {
        "c6": cr.ceat(contexts, cr.catalog("c6"), **settings),
        "mine": cr.ceat(contexts, design, **settings),
    }
    found = {one["design"]: one for one in data["results"]}
    for name, result in wanted.items():
        assert found[name]["sample_effect_sizes"] == result.sample_effect_sizes.tolist()
        assert found[name]["stimulus_pvalue"] == result.stimulus_pvalue
    pvalues = [one["crossed"]["pvalue"] for one in data["results"]]
    assert data["adjusted"]["holm"] == cr.stats.holm(pvalues).tolist()
    assert data["adjusted"]["bh"] == cr.stats.benjamini_hochberg(pvalues).tolist()
    assert data["adjusted_for"] == "other words, two-sided"
    level = cr.mleat(contexts, design, **settings)
    assert [one["pattern"] for one in data["levels"] if one["design"] == "mine"] == [level.pattern]


@pytest.mark.slow
def test_figures_are_drawn(command: Command, store: Path, sheet: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    for name, more in (
        ("one", ("--words", sheet)),
        ("several", ()),
        ("levels", ("--words", sheet, "--levels")),
    ):
        file = tmp_path / f"{name}.svg"
        run = command("ceat", store, "-C", "samples=20", *more, "-o", file)
        assert run.status == 0, run.err
        assert file.stat().st_size > 1000


def test_spellings_follow_the_option(command: Command, tmp_path: Path) -> None:
    words = [word.lower() for word in cr.catalog("c6").words]
    cr.Contexts.from_dict(rows(words)).save(tmp_path / "small")
    run = command("ceat", tmp_path / "small", "--test", "c6", "-C", "samples=10")
    assert run.status == 0, run.err
    assert "found under another spelling: John as john" in run.out.replace("\n", " ")
    run = command("ceat", tmp_path / "small", "--test", "c6", "-C", "samples=10", "--spelling", "none")
    assert run.status == 2
    assert "--spelling lower" in run.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ceat", "{store}", "--test", "c2"), "no usable vector"),
        (("ceat", "{store}", "--test", "c2", "--missing", "drop"), "c2 cannot be measured on this store"),
        (("ceat", "{store}", "--test", "c66"), "'c6'"),
        (("ceat", "{store}", "--test", "c6", "-C", "variance=hedge"), "hedges"),
        (("ceat", "{store}", "--test", "c6", "-C", "samples=2"), "samples"),
        (("ceat", "{folder}/nowhere", "--test", "c6"), "nowhere"),
        (("ceat", "{folder}", "--test", "c6"), "manifest"),
        (("reproduce", "ceat", "--model", "bert"), "without a store"),
        (("reproduce", "ceat", "--store", "{store}", "--model", "brt"), "'bert'"),
        (("reproduce", "caet"), "'ceat'"),
        (("reproduce", "rsa", "--store", "{store}"), "does not take it"),
    ],
)
def test_bad_input_ends_with_status_2(
    command: Command, store: Path, arguments: tuple[str, ...], words: str
) -> None:
    run = command(*(part.format(store=store, folder=store.parent) for part in arguments))
    assert (run.status, run.out) == (2, "")
    assert words in run.told
    assert "Traceback" not in run.err


@pytest.mark.slow
def test_published_numbers_stand_beside_those_of_a_store(command: Command, store: Path) -> None:
    run = command("reproduce", "ceat", "--store", store, "--model", "gpt-2", "-C", "samples=20")
    assert run.status == 0, run.err
    line = next(line for line in run.out.splitlines() if line.split()[:1] == ["c6"])
    assert line.split()[1] == "0.34"
    assert line.split()[-1] in ("equal", "near", "differs")
    shown = command("reproduce", "ceat", "--store", store, "-C", "samples=20")
    line = next(line for line in shown.out.splitlines() if line.split()[:1] == ["c6"])
    assert line.split()[1:5] == ["1.28", "0.91", "0.21", "0.34"]
    assert "No store given" in command("reproduce", "ceat").out
