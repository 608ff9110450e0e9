"""``ibd``, ``eibd``, ``rsa`` and ``reproduce``, as a shell sees them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossroads as cr

Command = Callable[..., Any]

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
    found = cr.stimuli.read_sheet(sheet)
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
    run = command("ibd", small, "--design", sheet, "--test", "black/female", "--threshold", "1.0", "--json")
    assert run.status == 0, run.err
    data = json.loads(run.out)
    assert data["targets"] == ["Black / female"]
    assert {"loud", "proud"} <= set(data["results"][0]["words"])
    assert data["results"][0]["tpr"] == 1.0
    shown = command("eibd", small, "--design", sheet, "--test", "Black / female", "--threshold", "null")
    assert shown.status == 0, shown.err
    assert "1.00" in shown.out


def test_json_equals_the_library(command: Command, small: Path, sheet: Path) -> None:
    found = cr.stimuli.read_sheet(sheet)
    scores = cr.wefat(cr.load(small), found.groups, found.words, "Black / female")
    expected = cr.eibd(scores.pairs, scores.constituents, threshold="youden", truth=found.truth)
    run = command("eibd", small, "--design", sheet, "--json")
    assert json.loads(run.out)["results"][0]["scores"] == expected.scores
    for remove in ("any", "none"):
        expected = cr.eibd(scores.pairs, scores.constituents, threshold=0.5, truth=found.truth, remove=remove)
        run = command("eibd", small, "--design", sheet, "--remove", remove, "--threshold", "0.5", "--json")
        data = json.loads(run.out)["results"][0]
        assert (data["words"], data["scores"]) == ([*expected.words], expected.scores)
        assert data["conventions"] == expected.conventions


def test_a_vocabulary_is_searched(command: Command, small: Path, sheet: Path) -> None:
    run = command("ibd", small, "--design", sheet, "--vocabulary", "--fdr", "0.5", "--json")
    assert run.status == 0, run.err
    data = json.loads(run.out)["results"][0]
    assert data["type"] == "DiscoveryResult"
    assert data["candidates"] == 9  # all words but the twelve names
    assert command("ibd", small, "--design", sheet, "--vocabulary").status == 0


def test_rsa_takes_groups_and_concepts(command: Command, small: Path, sheet: Path) -> None:
    run = command("rsa", small, "--design", sheet, "--n", "3", "--samples", "5", "--json")
    assert run.status == 0, run.err
    results = json.loads(run.out)["results"]
    assert len(results) == 6  # pairs of four groups, one concept
    assert results[0]["conventions"]["n"] == 3
    shown = command("rsa", small, "--design", sheet, "--n", "3", "--samples", "5")
    assert "career" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


@pytest.mark.slow
def test_figures_are_drawn(command: Command, small: Path, sheet: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    for name, more in (("ibd", ()), ("eibd", ()), ("rsa", ("--n", "3", "--samples", "5"))):
        file = tmp_path / f"{name}.svg"
        assert command(name, small, "--design", sheet, *more, "--figure", file).status == 0
        assert file.stat().st_size > 1000


@pytest.mark.slow
def test_published_groups_run_on_the_default(command: Command) -> None:
    pytest.importorskip("pyarrow", reason="the embedded default needs the extra 'default'")
    for arguments in (("ibd", "default"), ("eibd", "default", "-t", "mf"), ("rsa", "default")):
        run = command(*arguments)
        assert run.status == 0, run.err
        assert max(map(len, run.out.splitlines())) <= 80
        if arguments[0] != "rsa":
            said = " ".join(run.out.split())
            assert "no words are listed, since the detection is no better than chance" in said
            results = json.loads(command(*arguments, "--json").out)["results"]
            chance = [one for one in results if one["auc_interval"][0] <= 0.5]
            assert chance and all(len(one["words"]) > 3 for one in chance)
            assert not any(", ".join(one["words"][:3]) in said for one in chance)
    run = command("reproduce")
    assert run.status == 0
    assert "detecting nothing would be right in 85.7%" in run.out.replace("\n", " ").replace("  ", " ")
    data = json.loads(command("reproduce", "rsa", "--json").out)
    assert data["results"][0]["paper"] == "rsa"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("ibd", "{small}", "--test", "AFF"), "'AF'"),
        (("ibd", "{small}", "--design", "{sheet}", "--test", "black/femal"), "female"),
        (("ibd", "{small}", "--design", "{sheet}", "--threshold", "acuracy"), "'accuracy'"),
        (("ibd", "{small}", "--remove", "none"), "--remove none is given to ibd, which removes no words"),
        (("eibd", "{small}", "--remove", "any", "--vocabulary"), "--remove any is given with --vocabulary"),
        (("eibd", "{small}", "--remove", "non"), "'none'"),
        (("rsa", "{small}", "--test", "black-names-femal"), "black-names-female"),
        (("rsa", "{small}", "--design", "{sheet}"), "3 items, and 10 are drawn"),
        (("rsa", "{small}", "--design", "{sheet}", "--n", "3", "--dissimilarity", "cosin"), "'cosine'"),
        (("reproduce", "rsaa"), "'rsa'"),
        (("ibd", "{small}", "--design", "{folder}"), "folder"),
        (("ibd", "{small}", "--design", "{folder}/none.toml"), "no such file"),
    ],
)
def test_bad_input_ends_with_status_2(
    command: Command, small: Path, sheet: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {"small": small, "sheet": sheet, "folder": small.parent}
    run = command(*(part.format(**places) for part in arguments))
    assert run.status == 2
    assert run.out == ""
    assert words in run.err.replace("\n", " ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no groups"),
        ("[grups]\na = ['b']", "'groups'"),
        ("words = ['a']", "no groups"),
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
    run = command("ibd", small, "--design", sheet)
    assert run.status == 2
    assert words in run.err.replace("\n", " ")


@pytest.mark.parametrize("kind", ["ibd", "eibd"])
def test_detections_fit_80_columns_with_their_counts_and_say_once_what_was_left_out(
    kind: str, command: Command, small: Path, sheet: Path
) -> None:
    sheet.write_text(SHEET.replace('"Todd"', '"Todd", "Absent"'), encoding="utf-8")
    groups = ("--test", "Black / female", "--test", "White / male")
    run = command(kind, small, "--design", sheet, *groups)
    assert run.status == 0, run.err
    lines = run.out.splitlines()
    (head,) = [line for line in lines if "TPR" in line and "AUC" in line]  # one line of heads: no blocks
    assert head.split()[0] == "group"
    assert "rule" not in head
    assert max(map(len, lines)) <= 80
    told = " ".join(run.out.split())
    data = json.loads(command(kind, small, "--design", sheet, *groups, "--json").out)
    for one in data["results"]:
        for name in ("tpr", "fpr"):
            rate = one["intervals"][name]
            assert f"{rate['value']:.2f} {rate['hits']}/{rate['cases']}" in told
    assert told.count("the one with the largest TPR − FPR") == 1
    assert told.count("left out of White / male: Absent (not in the vocabulary)") == 1
    assert told.count("Absent") == 1


def test_what_chose_a_threshold_has_a_column_where_it_differs() -> None:
    pairs = {"1": {"p": 0.9, "q": 0.2, "r": -0.4}}
    given, chosen = (cr.ibd(pairs, threshold=one, truth=["p"]) for one in (0.5, "youden"))
    both = type(given).tabulate({"one": given, "two": chosen})
    assert [row[2] for row in both.cells()] == ["given", "youden"]
    unjudged = cr.ibd(pairs, threshold=0.5).table()
    heads = [one.head for one in unjudged.columns]
    assert unjudged.cells()[0][heads.index("found")] == "1"
    assert "found: of 3 words." in unjudged.reading()
