"""``crossroads probe`` in a terminal 80 columns wide, and for programs."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.traits.measures.files import read_scores
from crossroads.traits.measures.ilps import ilps_star
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.probe.evidence import Logits
from tests.fixtures.commands import Command

pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")

TRAITS = "poor-wealthy,cold-warm,traditional-modern"
SHORT = ("--traits", TRAITS, "-t", "singular", "-M", "threads=1")


@pytest.fixture(scope="module")
def model(small_models: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random BERT whose tokenizer spells everything, and knows some words."""
    words = "the that a is are most poor wealthy cold warm traditional modern person people woman man"
    return Path(small_models.save_bert(tmp_path_factory.mktemp("models") / "small-bert", words.split()))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """What people say of five groups."""
    file, lines = tmp_path / "people.csv", ["group,trait,score"]
    for at, group in enumerate(["man", "woman", "Asian", "Black", "immigrant"]):
        for number, trait in enumerate(TRAITS.split(",")):
            lines.append(f"{group},{trait},{(17 * at + 31 * number) % 100}")
    file.write_text("\n".join(lines) + "\n")
    return file


def test_the_document_holds_the_scores_and_nothing_else_is_printed(
    command: Command, model: Path, tmp_path: Path
) -> None:
    ask = ("probe", model, "-g", "woman", "-g", "man", *SHORT)
    run = command(*ask, "-C", "measure=ilps-star", "-C", "prior=noun", "--json")
    assert run.status == 0, run.err
    data = json.loads(run.out)
    assert data["command"] == "probe"
    (scores,) = [TraitScores.from_dict(one) for one in data["results"]]
    assert (scores.measure, scores.groups) == ("ilps*", ("woman", "man"))
    assert scores.traits == tuple(TRAITS.split(","))
    assert scores.conventions["prior"] == "noun"
    (tmp_path / "scores.json").write_text(run.out)
    assert read_scores(tmp_path / "scores.json")[0].row("man") == scores.row("man")
    assert "small-bert, a masked model: 2 groups, 3 pairs of traits, 3 templates." in command(*ask).out


def test_answers_that_were_kept_give_the_same_scores(command: Command, model: Path, tmp_path: Path) -> None:
    kept = tmp_path / "answers"
    first = command("probe", model, "-g", "woman,man", *SHORT, "--answers", kept, "--json")
    assert first.status == 0, first.err
    assert Logits.open(kept).groups == ("woman", "man")
    again = command("probe", kept, "--json")
    assert json.loads(again.out)["results"] == json.loads(first.out)["results"]
    star = command(
        "probe", kept, "-C", "measure=ilps-star", "-C", "renormalise", "-C", "special_tokens", "--json"
    )
    expected = ilps_star(Logits.open(kept), renormalise="code")
    assert json.loads(star.out)["results"] == [json.loads(expected.to_json())]
    alone = command("probe", kept, "-C", "special_tokens")
    assert (alone.status, "without -C renormalise" in alone.err) == (2, True)
    some = command("probe", kept, "-g", "man", "-C", "measure=set", "-C", "gamma=2", "--json")
    (scores,) = json.loads(some.out)["results"]
    assert (scores["groups"], scores["conventions"]["gamma"]) == (["man"], 2.0)


def test_people_choose_templates_and_are_compared_with(command: Command, model: Path, people: Path) -> None:
    groups = "man,woman,Asian,Black,immigrant"
    run = command("probe", model, "-g", groups, *SHORT, "-C", "measure=ilps", "--human", people, "--json")
    assert run.status == 0, run.err
    data = json.loads(run.out)
    (choice,), (scores,) = data["choices"], data["results"]
    assert choice["groups"] == ["Asian", "Black", "immigrant"]  # of the pilot those that are there
    assert scores["templates"] == choice["templates"]
    assert 1 <= len(choice["templates"]) <= 2
    assert set(data["alignments"][0]["by_group"]) == set(groups.split(","))
    assert set(data["without_pilot"][0]["by_group"]) == {"man", "woman"}
    shown = command("probe", model, "-g", groups, *SHORT, "--human", people, "-C", "pilot=none")
    assert "Agreement with people" in shown.out
    assert "templates chosen" not in shown.out


def test_pairs_of_groups_are_asked_about_in_both_orders(command: Command, model: Path) -> None:
    run = command("probe", model, "-g", "woman,Asian", "--pairs", *SHORT, "-C", "measure=ilps", "--json")
    assert run.status == 0, run.err
    (scores,) = json.loads(run.out)["results"]
    assert scores["groups"] == ["woman", "Asian", "female Asian person", "Asian woman"]


def test_figures_are_drawn_one_for_each_measure(command: Command, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="extra 'plots'")
    figure = tmp_path / "map.png"
    run = command("probe", model, "-g", "woman,man", *SHORT, "-o", figure)
    assert run.status == 0, run.err
    assert sorted(file.name for file in tmp_path.glob("*.png")) == [
        "map-ilps-star.png", "map-ilps.png", "map-set.png",
    ]  # fmt: skip
    scores = tmp_path / "scores.csv"
    assert command("probe", model, "-g", "woman,man", *SHORT, "-o", scores).status == 0
    rows = csv.DictReader(scores.read_text(encoding="utf-8").splitlines())
    assert {row["scores"] for row in rows} == {"ilps scores", "ilps* scores", "set scores"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-g", "womann"), "unknown group 'womann'"),
        (("--traits", "poor-welthy"), "unknown pair of traits"),
        (("-t", "plurals"), "unknown family of templates"),
        (("-t", "{plural} are nice."), "no place for the trait"),
        (("-g", "own.csv", "--pairs"), "--pairs was given with a file"),
        (("-g", "own.csv"), "no such file"),
        (("-g", ","), "an option names nothing"),
    ],
)
def test_bad_questions_end_with_status_2_and_a_sentence(
    command: Command, model: Path, arguments: tuple[str, ...], said: str
) -> None:
    run = command("probe", model, *arguments)
    assert (run.status, run.out) == (2, "")
    assert said in run.err
    assert "Traceback" not in run.err


def test_a_folder_that_is_no_model_and_answers_with_an_output_are_refused(
    command: Command, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    kept = tmp_path / "answers"
    command("probe", model, "-g", "woman", *SHORT, "--answers", kept)
    for arguments, said in (
        ((tmp_path / "empty",), "no config.json"),
        ((kept, "--answers", tmp_path / "other"), "already has answers"),
        ((kept, "--human", model / "config.json"), "config.json"),
        ((tmp_path / "s.csv", "-C", "measure=set"), "-C measure was given, but"),
        ((tmp_path / "s.csv", "--traits", "cold-warm"), "--traits was given, but"),
        ((tmp_path / "s.csv", "-M", "batch_size=3"), "-M batch_size was given, but"),
    ):
        run = command("probe", *arguments)
        assert (run.status, said in run.err.replace("\n", "")) == (2, True), run.err


def test_traits_that_the_tokenizer_does_not_know_are_named_or_dropped(
    command: Command, model: Path, tmp_path: Path
) -> None:
    own = tmp_path / "traits.csv"
    own.write_text("left,right\ncold,warm\nзлой,добрый\n", encoding="utf-8")
    arguments = ("probe", model, "-g", "woman", "--traits", own, "-t", "singular", "-M", "threads=1")
    run = command(*arguments)
    assert (run.status, "'злой' and 'добрый'" in run.err) == (2, True)
    run = command(*arguments, "--missing", "drop")
    assert run.status == 0, run.err
    assert "dropped: злой" in run.out
