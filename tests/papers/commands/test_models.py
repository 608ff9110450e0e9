"""``crossroads reproduce`` on small models of language and of images, with the commands that it prints."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.papers.abc.reproduction import reproduce_abc
from crossroads.papers.cells import Reproduction
from crossroads.papers.printing import typed
from tests.fixtures.commands import Command, Run

pytest.importorskip("torch", reason="extra 'models'")
pytest.importorskip("transformers", reason="extra 'models'")
FEW = ("-g", "Black,White,woman,man,teenager", "-M", "threads=1")


def steps_of(reason: str) -> list[list[str]]:
    """The commands of a sentence that says how to get a model, as a shell would split them."""
    commands = re.split(r",(?: and)? (?=crossroads )", reason.partition(", then: ")[2])
    return [shlex.split(one) for one in commands]


def typed_in(command: Command, words: list[str], places: dict[str, Path], more: tuple[str, ...] = ()) -> Run:
    """Run a command of such a sentence, with real files for its names; its output goes where it says."""
    target = words.index(">") if ">" in words else len(words)
    given = []
    for word in words[1:target]:
        head, sep, tail = word.rpartition("=")
        given.append(f"{head}{sep}{places.get(tail, tail)}")
    run = command(*given, *more)
    if target < len(words):
        places[words[target + 1]].write_text(run.out, encoding="utf-8")
    return run


def test_the_commands_for_pairs_can_be_typed(command: Command, small_bert: Path, tmp_path: Path) -> None:
    reason = next(c.reason for c in reproduce_abc().cells if c.column == "precision of emergent traits")
    truth = tmp_path / "TRUTH.csv"
    truth.write_text("pair,trait\nBlack | woman,low Communion\nWhite | man,high Agency\n", encoding="utf-8")
    places = {"FOLDER": small_bert, "pairs.json": tmp_path / "pairs.json", "TRUTH.csv": truth}
    probe, compare = steps_of(reason)
    assert probe[:2] == ["crossroads", "probe"]
    assert typed_in(command, probe, places, FEW).status == 0
    run = typed_in(command, compare, places, ("--model", "none", "--json"))
    assert run.status == 0, run.err
    result = Reproduction.from_dict(json.loads(run.out)["results"][0])
    cells = {(c.row, c.column): c for c in result.cells if c.table in ("Table A9", "Text of 5.2")}
    race = cells["Table A9, gender and race", "correlation with race"]
    assert race.verdict == "other model"
    assert race.ours is not None and -1 <= race.ours <= 1
    assert "pairs of gender and race are scored" in race.reason
    assert cells["Text of 5.2, SeT RoBERTa", "precision of emergent traits"].verdict == "other model"
    shown = typed_in(command, compare, places)
    assert (shown.status, "not covered" in shown.out) == (0, True)


def test_the_commands_for_a_column_can_be_typed(command: Command, small_bert: Path, tmp_path: Path) -> None:
    cells = reproduce_abc().cells
    reason = next(c.reason for c in cells if (c.row, c.column) == ("Table 6, τ", "ILPS* RoBERTa"))
    human, lines = tmp_path / "human.csv", ["group,trait,score"]
    groups = ("Asian", "Black", "Hispanic", "immigrant", "woman")
    traits = ("poor-wealthy", "cold-warm", "traditional-modern", "powerless-powerful")
    for at, group in enumerate(groups):
        lines += [f"{group},{trait},{(17 * at + 31 * n) % 100}" for n, trait in enumerate(traits)]
    human.write_text("\n".join(lines) + "\n", encoding="utf-8")
    places = {"FOLDER": small_bert, "scores.json": tmp_path / "scores.json", "HUMAN": human}
    probe, compare = steps_of(reason)
    few = ("-g", ",".join(groups), "--traits", ",".join(traits), "-t", "singular", "-t", "plural")
    assert typed_in(command, probe, places, (*few, "-M", "threads=1")).status == 0
    run = typed_in(command, compare, places, ("--json",))
    assert run.status == 0, run.err
    result = Reproduction.from_dict(json.loads(run.out)["results"][0])
    found = {c.row: c for c in result.cells if c.column == "ILPS* RoBERTa"}
    pilot = found["Table 5, τ of the pilot"]
    assert (pilot.verdict, pilot.reason) == ("not covered", "scored with 8 of 35 templates")
    assert pilot.ours is not None
    tau = found["Table 6, τ"]
    assert (tau.verdict, tau.ours is None) == ("not covered", False)
    assert tau.reason == "0 of 25 groups are scored and judged on all 16 traits"
    assert found["Table A11, woman"].reason == "4 of 16 traits are scored and judged"
    assert found["Table A11, man"].reason == "the scores or the judgements lack this group"


def test_of_all_measures_in_a_file_the_one_of_the_column_is_taken(
    command: Command, small_bert: Path, tmp_path: Path
) -> None:
    few = (*FEW, "--traits", "poor-wealthy,cold-warm", "-t", "singular")
    data = json.loads(command("probe", small_bert, *few, "--json").out)
    file, one = tmp_path / "all.json", tmp_path / "one.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    one.write_text(json.dumps({**data, "results": data["results"][:1]}), encoding="utf-8")
    assert command("reproduce", "abc", "--scores", f"ILPS BERT={file}").status == 0
    for arguments, said in (
        (("--scores", f"CEAT BERT={file}"), "of which 0 are for CEAT BERT"),
        (("--pair-scores", one), "has scores of ilps; the column is SeT RoBERTa"),
    ):
        run = command("reproduce", "abc", *arguments)
        assert (run.status, said in run.told) == (2, True)


def pictures(root: Path, names: tuple[str, ...]) -> Path:
    image: Any = pytest.importorskip("PIL.Image", reason="extra 'vision'")
    rng = np.random.default_rng(0)
    for name in names:
        (root / name).mkdir(parents=True)
        for i in range(4):
            pixels = rng.integers(0, 255, (40, 40, 3)).astype(np.uint8)
            image.fromarray(pixels).save(root / name / f"{i}.png")
    return root


def test_a_clip_and_folders_of_images_stand_beside_its_tables(
    command: Command, small_clip: Path, tmp_path: Path
) -> None:
    flowers = ("insect-flower/flower", "insect-flower/insect")
    nested = (*flowers, "arab-muslim/arab-muslim", "arab-muslim/other-people")
    for number, (names, measured) in enumerate(
        (
            (("Flower", "insects", "male", "FEMALE", "pets"), {"flower-insect", "male-female-career"}),
            (nested, {"flower-insect", "other-arab-muslim"}),  # as the repository ieat has them
        )
    ):
        images = pictures(tmp_path / str(number), names)
        run = command("reproduce", "ml-eat", "--vectors", small_clip, "--images", images, "--json")
        assert run.status == 0, run.err
        result = Reproduction.from_dict(json.loads(run.out)["results"][0])
        assert result.vectors == "small-clip"
        cells = [one for one in result.cells if one.table == "Table 12, CLIP-ViT-L14-336"]
        assert {one.row for one in cells if one.verdict == "other model"} == measured


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--vectors", "{clip}"), "the tests of the paper need images"),
        (("--images", "{images}"), "--images was given without a model"),
        (("--vectors", "{file}", "--images", "{images}"), "which is not a model folder"),
        (("--vectors", "{clip}", "--images", "{odd}"), "no subfolder"),
        (("--vectors", "{clip}", "--images", "{twice}"), "two subfolders for Flower"),
        (("--vectors", "{clip}", "--images", "{images}", "--model", "glove-840b"), "none of whose tests"),
    ],
)
def test_images_and_models_that_do_not_go_together(
    command: Command, small_clip: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {
        "clip": small_clip,
        "images": pictures(tmp_path / "images", ("Flower", "Insect")),
        "odd": pictures(tmp_path / "odd", ("pets",)),
        "twice": pictures(tmp_path / "twice", ("Flower", "flowers")),
        "file": tmp_path / "vectors.txt",
    }
    places["file"].write_text("love 1 2\n", encoding="utf-8")
    run = command("reproduce", "ml-eat", *(part.format(**places) for part in arguments))
    assert (run.status, run.out) == (2, "")
    assert words in run.told


def test_a_broken_command_is_the_same_for_a_shell() -> None:
    command = "crossroads probe FOLDER --templates 'That {singular} is {trait}.' --json > pairs.json"
    for width in (30, 80, 200):
        text = typed(command, width)
        assert shlex.split(text.replace("\\\n", " ")) == shlex.split(command)
        assert all(len(line) <= width or "'" in line for line in text.splitlines())
