"""``crossroads align``: what it measures, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.traits.measures.files import read_trait_tables
from crossroads.traits.people.alignment import align
from crossroads.traits.people.files import read_judgements
from tests import docs_material
from tests.fixtures.commands import Command

QUICK = ("-C", "draws=99", "-C", "resamples=50")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Scores of two measures, one of a group that nobody judged, and judgements of six people."""
    scores, human = tmp_path / "scores.json", tmp_path / "human.json"
    docs_material.scores(scores)
    docs_material.judgements(human)
    data = json.loads(scores.read_text(encoding="utf-8"))
    first = data["results"][0]
    first["groups"].append("Martian")
    first["scores"].append([0.0] * len(first["traits"]))
    turned = [[-score for score in row] for row in first["scores"]]
    data["results"].append({**first, "measure": "ilps", "scores": turned})
    scores.write_text(json.dumps(data), encoding="utf-8")
    return scores, human


def test_json_equals_the_library(command: Command, files: tuple[Path, Path]) -> None:
    options = ("-C", "draws=19", "-C", "resamples=20", "-C", "threshold=40", "-C", "k=2", "--seed", 3)
    run = command("align", files[0], "--human", files[1], *options, "--json")
    settings: dict[str, Any] = {"draws": 19, "resamples": 20, "threshold": 40.0, "k": 2, "seed": 3}
    judged = read_judgements(files[1])
    expected = [align(table, judged, **settings) for table in read_trait_tables(files[0])]
    assert json.loads(run.out)["results"] == [json.loads(one.to_json()) for one in expected]
    shown = command("align", files[0], "--human", files[1], *options)
    assert shown.err == ""
    for part in ("ilps and people: 6 groups, 96 scores", "Martian", "p ≈ "):
        assert part in shown.out


def test_groups_can_be_chosen(command: Command, files: tuple[Path, Path]) -> None:
    run = command("align", files[0], "--human", files[1], "--groups", "men, Women", "--json", *QUICK)
    assert set(json.loads(run.out)["results"][0]["by_group"]) == {"woman", "man"}
    wrong = command("align", files[0], "--human", files[1], "--groups", "wmen")
    assert wrong.status == 2
    assert "unknown group 'wmen'" in wrong.err


@pytest.mark.slow
@pytest.mark.parametrize("groups", [(), ("--groups", "women")])
def test_a_figure_is_drawn(
    command: Command, files: tuple[Path, Path], tmp_path: Path, groups: tuple[str, ...]
) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    figure = tmp_path / "f.png"
    run = command("align", files[0], "--human", files[1], "-o", figure, *groups, *QUICK)
    assert run.status == 0, run.err
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_scores_may_be_a_table_and_of_traits_of_ones_own(command: Command, tmp_path: Path) -> None:
    scores, human = tmp_path / "s.csv", tmp_path / "h.csv"
    scores.write_text("group,slow-fast,old-new\nmen,1,2\nwomen,3,1\n", encoding="utf-8")
    human.write_text("group,slow-fast,old-new\nmen,10,20\nwomen,30,40\n", encoding="utf-8")
    assert "unknown trait 'slow-fast'" in command("align", scores, "--human", human).err
    run = command("align", scores, "--human", human, "-C", "own_traits", "-C", "k=1")
    assert run.status == 0, run.err
    assert "2 groups, 4 scores" in run.out


@pytest.mark.parametrize(
    ("which", "text", "said"),
    [
        (0, None, "there is no such file"),
        (0, '{"results": [{"type": "WeatResult"}]}', "no scores of groups on traits"),
        (0, "group,trait,score\nMartian,cold-warm,1\n", "no group in common"),
        (0, "group,trait,score\nmen,cold-wram,1\n", "did you mean 'cold-warm'"),
        (1, None, "there is no such file"),
        (1, '{"women": {"cold-warm": "130"}}', "the score is 130"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(
    command: Command, files: tuple[Path, Path], which: int, text: str | None, said: str
) -> None:
    if text is None:
        files[which].unlink()
    else:
        files[which].write_text(text, encoding="utf-8")
    run = command("align", files[0], "--human", files[1])
    assert (run.status, run.out) == (2, "")
    assert said in run.err
    assert "Traceback" not in run.err
