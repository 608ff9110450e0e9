"""``ibd``, ``eibd``, ``rsa`` and ``reproduce``, as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.stimuli import read_sheet
from tests.fixtures.commands import Command

SHEET = """
words = ["loud", "quiet", "kind", "proud", "tall", "shy"]
truth = ["loud", "proud"]

[groups.Black]
female = ["Aisha", "Keisha", "Tamika"]
male = ["Jamal", "Leroy", "Tyrone"]

[groups.White]
female = ["Emily", "Anne", "Jill"]
male = ["Brad", "Greg", "Todd"]

[concepts]
career = ["office", "salary", "business"]
"""


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Groups, words and a concept of one's own."""
    path = tmp_path / "mine.toml"
    path.write_text(SHEET, encoding="utf-8")
    return path


@pytest.fixture
def small(tmp_path: Path, sheet: Path) -> Path:
    """Vectors in which loud and proud belong to Black women only."""
    found = read_sheet(sheet)
    rng = np.random.default_rng(1)
    names = [name for row in found.groups.values() for part in row.values() for name in part]
    words = [*names, *found.words, *found.concepts["career"]]
    rows = {word: 0.1 * rng.normal(size=6) + np.eye(6)[1] for word in words}
    for word in ("Aisha", "Keisha", "Tamika", "loud", "proud"):
        rows[word] = rows[word] + 2 * np.eye(6)[0]
    path = tmp_path / "small.txt"
    lines = [" ".join([word, *(f"{v:.5f}" for v in row)]) for word, row in rows.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_sheet_of_ones_own_is_detected(command: Command, small: Path, sheet: Path) -> None:
    run = command("ibd", small, "--words", sheet, "--test", "black/female", "-C", "threshold=1.0", "--json")
    assert run.status == 0, run.err
    data = json.loads(run.out)
    assert data["targets"] == ["Black / female"]
    assert {"loud", "proud"} <= set(data["results"][0]["words"])
    assert data["results"][0]["tpr"] == 1.0
    run = command("eibd", small, "--words", sheet, "--test", "Black / female", "-C", "threshold=null")
    assert run.status == 0, run.err


def test_json_equals_the_library(command: Command, small: Path, sheet: Path) -> None:
    found = read_sheet(sheet)
    scores = cr.stats.wefat(cr.load(small), found.groups, found.words, "Black / female")
    tables = (scores.pairs, scores.constituents)
    expected = cr.stats.eibd(*tables, threshold="youden", truth=found.truth)
    measured = (cr.load(small), found.groups, "Black / female", found.words)
    assert cr.ibd(*measured, emergent=True, truth=found.truth) == expected
    assert cr.ibd(*measured, threshold=0.5) == cr.ibd(scores.pairs, threshold=0.5)
    run = command("eibd", small, "--words", sheet, "--json")
    assert json.loads(run.out)["results"][0]["scores"] == expected.scores
    for remove in ("any", "none"):
        expected = cr.stats.eibd(*tables, threshold=0.5, truth=found.truth, remove=remove)
        run = command(
            "eibd", small, "--words", sheet, "-C", f"remove={remove}", "-C", "threshold=0.5", "--json"
        )
        data = json.loads(run.out)["results"][0]
        assert (data["words"], data["scores"]) == ([*expected.words], expected.scores)
        assert data["conventions"] == expected.conventions


def test_a_vocabulary_is_searched(command: Command, small: Path, sheet: Path) -> None:
    run = command("ibd", small, "--words", sheet, "--vocabulary", "-C", "fdr=0.5", "--json")
    assert run.status == 0, run.err
    data = json.loads(run.out)["results"][0]
    assert data["type"] == "DiscoveryResult"
    assert data["candidates"] == 9  # all words but the twelve names
    assert command("ibd", small, "--words", sheet, "--vocabulary").status == 0


def test_rsa_takes_groups_and_concepts(command: Command, small: Path, sheet: Path) -> None:
    ask = ("rsa", small, "--words", sheet, "-C", "n=3", "-C", "samples=5", "--json")
    run = command(*ask)
    assert run.status == 0, run.err
    results = json.loads(run.out)["results"]
    assert len(results) == 6  # pairs of four groups, one concept
    assert results[0]["conventions"]["n"] == 3
    other = json.loads(command(*ask, "-C", "dissimilarity=cosine").out)["results"]
    assert {one["similarity1"] for one in other}.isdisjoint(one["similarity1"] for one in results)


@pytest.mark.slow
def test_figures_are_drawn(command: Command, small: Path, sheet: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    for name, more in (("ibd", ()), ("eibd", ()), ("rsa", ("-C", "n=3", "-C", "samples=5"))):
        file = tmp_path / f"{name}.svg"
        assert command(name, small, "--words", sheet, *more, "-o", file).status == 0
        assert file.stat().st_size > 1000


@pytest.mark.slow
def test_published_groups_run_on_the_default_and_words_found_by_chance_are_not_listed(
    command: Command,
) -> None:
    for arguments in (("ibd", "default"), ("eibd", "default", "-t", "mf")):
        said = " ".join(command(*arguments).out.split())
        results = json.loads(command(*arguments, "--json").out)["results"]
        chance = [one for one in results if one["auc_interval"][0] <= 0.5]
        assert chance and all(len(one["words"]) > 3 for one in chance)
        assert not any(", ".join(one["words"][:3]) in said for one in chance)
    assert command("rsa", "default").status == 0
    assert command("reproduce").status == 0
    assert json.loads(command("reproduce", "rsa", "--json").out)["results"][0]["paper"] == "rsa"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ibd", "{small}", "--test", "AFF"), "'AF'"),
        (("ibd", "{small}", "--words", "{sheet}", "--test", "black/femal"), "female"),
        (("ibd", "{small}", "--words", "{sheet}", "-C", "threshold=acuracy"), "'accuracy'"),
        (("ibd", "{small}", "-C", "remove=none"), "-C remove=none is given to ibd, which removes no words"),
        (("eibd", "{small}", "-C", "remove=any", "--vocabulary"), "-C remove=any is given with --vocabulary"),
        (
            ("ibd", "{small}", "-C", "threshold=.5", "--vocabulary"),
            "-C threshold=.5 is given with --vocabulary",
        ),
        (("rsa", "{small}", "--test", "black-names-femal"), "black-names-female"),
        (("rsa", "{small}", "--words", "{sheet}"), "3 items, and 10 are drawn"),
        (("ibd", "{small}", "--words", "{folder}"), "folder"),
        (("ibd", "{small}", "--words", "{folder}/none.toml"), "no such file"),
    ],
)
def test_bad_input_ends_with_status_2(
    command: Command, small: Path, sheet: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {"small": small, "sheet": sheet, "folder": small.parent}
    run = command(*(part.format(**places) for part in arguments))
    assert (run.status, run.out) == (2, "")
    assert words in run.told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no groups"),
        ("[grups]\na = ['b']", "'groups'"),
        ("words = 'a'\n[groups]\na = ['b']", "list of words"),
        ("[groups\n", "mine.toml"),
        ("[groups]\na = ['x', 'y']\nb = ['x', 'z']", "share the name 'x'"),
        ("[groups]\na = ['x', 'y']\nb = ['u', 'z']", "no candidate words"),
    ],
)
def test_a_broken_sheet_names_what_is_wrong(
    command: Command, small: Path, sheet: Path, text: str, words: str
) -> None:
    sheet.write_text(text, encoding="utf-8")
    run = command("ibd", small, "--words", sheet)
    assert (run.status, words in run.told) == (2, True)


@pytest.mark.parametrize("kind", ["ibd", "eibd"])
def test_detections_have_their_counts_and_say_once_what_was_left_out(
    kind: str, command: Command, small: Path, sheet: Path
) -> None:
    sheet.write_text(SHEET.replace('"Todd"', '"Todd", "Absent"'), encoding="utf-8")
    several = command(kind, small, "--words", sheet, "--test", "Black / female", "--test", "White / male")
    assert (several.status, "lists the words of one group" in several.err) == (2, True)
    groups = ("--test", "White / male")
    told = " ".join(command(kind, small, "--words", sheet, *groups).out.split())
    data = json.loads(command(kind, small, "--words", sheet, *groups, "--json").out)
    for one in data["results"]:
        for name in ("tpr", "fpr"):
            rate = one["intervals"][name]
            assert f"{rate['value']:.2f} {rate['hits']}/{rate['cases']}" in told
    assert told.count("Absent") == told.count("left out of White / male: Absent") == 1
