"""``crossroads align``: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.cli.app import app
from crossroads.cli.commands.align import align_command
from crossroads.stimuli import catalog
from crossroads.wording.numbers import P, p_equals

TRAITS = [pair.name for pair in catalog().traits("abc-traits")]
GROUPS = ["women", "men", "Blacks/African Americans", "elderly people", "teenagers"]


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The command is there, whether or not the program lists it."""
    known = [one.name for one in app.registered_commands]
    if "align" not in known:
        app.command("align")(align_command)
    yield
    if "align" not in known:
        app.registered_commands.pop()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Scores of two measures, and judgements of six people."""
    rng = np.random.default_rng(0)
    truth = 50 + rng.normal(size=(5, 16)) * 12
    people = {
        f"annotator{i}": {
            group: {t: str(round(v)) for t, v in zip(TRAITS, row, strict=True)}
            for group, row in zip(
                GROUPS, np.clip(truth + rng.normal(size=truth.shape) * 10, 0, 100), strict=True
            )
        }
        for i in range(6)
    }
    results = [
        {
            "type": "TraitScores",
            "measure": measure,
            "groups": [*GROUPS, "Martian"],
            "traits": TRAITS,
            "scores": [*(truth - 50 + rng.normal(size=truth.shape) * noise).tolist(), [0.0] * 16],
        }
        for measure, noise in (("set", 5), ("ilps", 50))
    ]
    scores, human = tmp_path / "scores.json", tmp_path / "human.json"
    scores.write_text(json.dumps({"command": "probe", "results": results}), encoding="utf-8")
    human.write_text(json.dumps(people), encoding="utf-8")
    return scores, human


Run = Callable[..., Any]
QUICK = ("--permutations", 99, "--bootstrap", 50)


def test_a_table_for_people_fits_eighty_columns(command: Run, files: tuple[Path, Path]) -> None:
    run = command("align", files[0], "--human", files[1], *QUICK)
    assert run.status == 0, run.err
    assert max(len(line) for line in run.out.splitlines()) <= 80
    for part in (
        "set beside people",
        "ilps beside people",
        "Kendall's τ",
        "precision at 3",
        "ceiling",
        "elderly",
    ):
        assert part in run.out
    assert "Martian" in run.out
    assert run.err == ""


def test_correlations_have_two_decimals_as_in_every_other_output(
    command: Run, files: tuple[Path, Path]
) -> None:
    run = command("align", files[0], "--human", files[1], *QUICK)
    lines = [line for line in run.out.splitlines() if "Kendall's τ" in line or "precision at 3" in line]
    assert len(lines) == 4
    assert not any(re.search(r"\d\.\d{3}", line) for line in lines)


@pytest.mark.slow
def test_json_is_one_document_of_results(command: Run, files: tuple[Path, Path]) -> None:
    run = command("align", files[0], "--human", files[1], "--json", *QUICK)
    data = json.loads(run.out)
    assert data["command"] == "align"
    first, second = data["results"]
    assert (first["type"], first["measure"], second["measure"]) == ("AlignmentResult", "set", "ilps")
    assert first["kendall_tau"] > second["kendall_tau"]
    assert set(first["by_group"]) == {"woman", "man", "Black", "elderly", "teenager"}


def test_groups_can_be_chosen(command: Run, files: tuple[Path, Path]) -> None:
    run = command("align", files[0], "--human", files[1], "--groups", "men, Women", "--json", *QUICK)
    assert set(json.loads(run.out)["results"][0]["by_group"]) == {"woman", "man"}
    wrong = command("align", files[0], "--human", files[1], "--groups", "wmen")
    assert wrong.status == 2
    assert "unknown group 'wmen'" in wrong.err


@pytest.mark.slow
@pytest.mark.parametrize("groups", [(), ("--groups", "women")])
def test_a_figure_is_drawn(
    command: Run, files: tuple[Path, Path], tmp_path: Path, groups: tuple[str, ...]
) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    figure = tmp_path / "f.png"
    run = command("align", files[0], "--human", files[1], "--figure", figure, *groups, *QUICK)
    assert run.status == 0, run.err
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_scores_may_be_a_table(command: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text(
        "group,cold-warm,poor-wealthy,powerless-powerful\nmen,1,2,3\nwomen,3,2,1\n", encoding="utf-8"
    )
    run = command("align", table, "--human", files[1], *QUICK)
    assert run.status == 0, run.err
    assert "mine beside people: 2 groups, 6 scores" in run.out


@pytest.mark.parametrize(
    ("which", "text", "said"),
    [
        (0, "", "the file is empty"),
        (0, "{", "not a JSON document"),
        (0, '{"results": [{"type": "WeatResult"}]}', "no scores of groups on traits"),
        (0, "group,trait,score\nMartian,cold-warm,1\n", "no group in common"),
        (0, "group,trait,score\nmen,cold-wram,1\n", "did you mean 'cold-warm'"),
        (1, "", "the file is empty"),
        (1, '{"women": {"cold-warm": "x"}}', "is not a number"),
        (1, '{"women": {"cold-warm": "130"}}', "the score is 130"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(
    command: Run, files: tuple[Path, Path], which: int, text: str, said: str
) -> None:
    files[which].write_text(text, encoding="utf-8")
    run = command("align", files[0], "--human", files[1])
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err
    assert run.out == ""


def test_files_that_are_not_there_are_refused(command: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    for scores, human in ((tmp_path / "no.json", files[1]), (files[0], tmp_path / "no.json")):
        run = command("align", scores, "--human", human)
        assert run.status == 2
        assert "there is no such file" in run.err


def test_traits_of_ones_own_are_compared_on_demand(command: Run, tmp_path: Path) -> None:
    scores, human = tmp_path / "s.csv", tmp_path / "h.csv"
    scores.write_text("group,slow-fast,old-new\nmen,1,2\nwomen,3,1\n", encoding="utf-8")
    human.write_text("group,slow-fast,old-new\nmen,10,20\nwomen,30,40\n", encoding="utf-8")
    assert "unknown trait 'slow-fast'" in command("align", scores, "--human", human).err
    run = command("align", scores, "--human", human, "--own-traits", "-k", 1)
    assert run.status == 0, run.err
    assert "2 groups, 4 scores" in run.out


def test_p_values_of_random_exchanges_are_marked_and_the_published_one_is_not(
    command: Run, files: tuple[Path, Path]
) -> None:
    arguments = ("align", files[0], "--human", files[1], "--bootstrap", "0", "--permutations", "19")
    told = " ".join(command(*arguments).out.split())
    for one in json.loads(command(*arguments, "--json").out)["results"]:
        assert f"{p_equals(one['kendall_pvalue'])} for τ as published" in told
        for exchange in one["exchanges"].values():
            assert f"{p_equals(P(exchange['pvalue'], '≈'))} if" in told
    assert "≈: an estimate from labels exchanged at random, not a count." in told
