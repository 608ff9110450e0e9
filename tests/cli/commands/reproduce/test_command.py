"""``crossroads reproduce``, as a shell sees it."""

from __future__ import annotations

import csv
import json
import pickle
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest

from crossroads import catalog
from crossroads.cli.commands.intersections import intersectional_words
from crossroads.cli.commands.reproduce.command import KNOWN
from crossroads.cli.commands.reproduce.material import ml_eat_words
from crossroads.papers.cells import VERDICTS, Reproduction
from crossroads.papers.fidelity import fidelity


class Run(Protocol):
    """What a command did."""

    status: int
    out: str
    err: str


class Command(Protocol):
    """Run ``crossroads`` with the given arguments."""

    def __call__(self, *arguments: object) -> Run: ...


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random vectors of every word that the papers ask about."""
    words = list(dict.fromkeys([*ml_eat_words(), *intersectional_words()]))
    file = tmp_path_factory.mktemp("vectors") / "random.txt"
    rows = np.random.default_rng(0).normal(size=(len(words), 6))
    lines = (f"{w} {' '.join(f'{x:.5f}' for x in row)}" for w, row in zip(words, rows, strict=True))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def histwords(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of decades in the layout of HistWords."""
    folder = tmp_path_factory.mktemp("sgns")
    words = list(catalog().design("weat7", "histwords").words)
    for decade in range(1800, 2000, 10):
        rng = np.random.default_rng(decade)
        np.save(folder / f"{decade}-w.npy", rng.normal(size=(len(words), 300)).astype(np.float32))
        (folder / f"{decade}-vocab.pkl").write_bytes(pickle.dumps(words, protocol=2))
    return folder


def test_without_a_paper_every_paper_is_summed_up(command: Command, vectors: Path) -> None:
    run = command("reproduce", "--vectors", vectors)
    assert run.status == 0, run.err
    assert max(map(len, run.out.splitlines())) <= 80
    for name in KNOWN:
        assert f"every cell: crossroads reproduce {name}" in run.out
    assert "1,918 cells: 280 other model, 1,638 model absent" in run.out
    assert "536 cells: 536 model absent" in run.out
    assert "1,261 cells: 116 equal, 4 differs" in run.out


def test_the_document_holds_every_cell_and_every_badge(command: Command, vectors: Path) -> None:
    data = json.loads(command("reproduce", "--vectors", vectors, "--json").out)
    results = [Reproduction.from_dict(one) for one in data["results"]]
    assert [one.paper for one in results] == ["ceat-ibd", "rsa", "ml-eat", "ceat", "abc"]
    assert {cell.verdict for one in results for cell in one.cells} <= set(VERDICTS)
    assert all(cell.reason for one in results for cell in one.cells)
    assert len(data["fidelity"]) == len(fidelity())


@pytest.mark.slow
def test_vectors_that_are_said_to_be_the_papers_are_judged_cell_by_cell(
    command: Command, vectors: Path
) -> None:
    run = command("reproduce", "ml-eat", "--vectors", vectors, "--model", "gpt-2-medium")
    assert run.status == 0, run.err
    assert max(map(len, run.out.splitlines())) <= 80
    assert "Table 6, GPT-2 Medium" in run.out
    line = next(line for line in run.out.splitlines() if line.split()[:2] == ["weat9", "level1"])
    published, ours, difference, verdict = line.split()[2:]
    assert (published, verdict) == ("−1.40", "differs")
    number = [float(text.replace("−", "-")) for text in (published, ours, difference)]
    assert number[1] - number[0] == pytest.approx(number[2], abs=0.0011)
    assert "tried without success: population standard deviation" in run.out.replace("\n", " ")
    assert "glove.840B.300d.zip" in run.out


@pytest.mark.slow
def test_a_folder_of_decades_stands_beside_the_text_on_histwords(command: Command, histwords: Path) -> None:
    run = command("reproduce", "ml-eat", "--vectors", histwords)
    assert run.status == 0, run.err
    assert "Text on Figure 3, HistWords" in run.out
    assert "weat7:histwords 1990" in run.out
    data = json.loads(command("reproduce", "ml-eat", "--vectors", histwords, "--json").out)
    assert data["results"][0]["conventions"]["model"] == "HistWords"


def test_cells_are_written_as_a_document_or_a_table(command: Command, vectors: Path, tmp_path: Path) -> None:
    file = tmp_path / "cells.json"
    run = command("reproduce", "rsa", "--vectors", vectors, "-o", file)
    assert run.status == 0, run.err
    assert "black-names-female" in run.out  # shown as well
    document = json.loads(file.read_text(encoding="utf-8"))
    saved = Reproduction.from_dict(document["results"][0])
    assert len(saved.cells) == 14
    table = tmp_path / "cells.csv"
    assert command("reproduce", "rsa", "--vectors", vectors, "-o", table).status == 0
    with table.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["verdict"] for row in rows] == [cell.verdict for cell in saved.cells]
    assert rows[0]["paper"] == "rsa"
    assert float(rows[0]["difference"]) == saved.cells[0].difference
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cells.csv", "cells.json"]


def test_badges_are_shown_and_written(command: Command, tmp_path: Path) -> None:
    run = command("reproduce", "--fidelity")
    assert run.status == 0, run.err
    assert max(map(len, run.out.splitlines())) <= 80
    for word in ("set_distance", "ours", "8.3", "replace_concept=True"):
        assert word in run.out
    data = json.loads(command("reproduce", "--fidelity", "--json").out)
    assert data["results"] == []
    assert data["fidelity"] == [one.to_dict() for one in fidelity()]
    assert command("reproduce", "--fidelity", "-o", tmp_path / "badges.csv").status == 0
    with (tmp_path / "badges.csv").open(encoding="utf-8", newline="") as lines:
        assert len(list(csv.DictReader(lines))) == len(fidelity())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("reproduce", "mleat"), "'ml-eat'"),
        (("reproduce", "ml-eat", "--vectors", "{vectors}", "--model", "gpt2-xl"), "'gpt-2-xl'"),
        (("reproduce", "ml-eat", "--vectors", "{vectors}", "--model", "histwords"), "not decades"),
        (("reproduce", "rsa", "--vectors", "{histwords}"), "reproduce ml-eat"),
        (("reproduce", "rsa", "--model", "bert"), "ceat, abc and ml-eat take it; rsa takes --vectors"),
        (("reproduce", "ml-eat", "--samples", "20"), "hint: ceat takes it; ml-eat takes --vectors, --images"),
        (("reproduce", "abc", "--samples", "1000"), "--samples was given, and 'abc' does not take it"),
        (("reproduce", "ml-eat", "--seed", "1"), "ceat-ibd, rsa, ceat and abc take it"),
        (("reproduce", "abc", "--format", "npz"), "--format was given, and 'abc'"),
        (("reproduce", "rsa", "--pair-scores", "x.json"), "--pair-scores was given, and 'rsa'"),
        (("reproduce", "ceat", "--samples", "20"), "--samples was given without a store"),
        (("reproduce", "--samples", "20"), "--samples was given without a store"),
        (("reproduce", "--model", "bert"), "without a paper"),
        (("reproduce", "--images", "{folder}"), "name one that takes it: ml-eat"),
        (("reproduce", "abc", "--truth", "x.csv"), "give --pair-scores as well"),
        (("reproduce", "abc", "--model", "bert"), "in abc the column gives the model"),
        (("reproduce", "abc", "--scores", "SeT BERT"), "names no file"),
        (("reproduce", "abc", "--scores", "SeT Brt=x.json"), "'SeT BERT'"),
        (("reproduce", "--fidelity", "--vectors", "{vectors}"), "--vectors was given with --fidelity"),
        (("reproduce", "abc", "--fidelity"), "abc was given with --fidelity"),
        (
            ("reproduce", "rsa", "--vectors", "{vectors}", "-o", "{folder}/cells.txt"),
            "neither .json nor .csv",
        ),
        (
            ("reproduce", "rsa", "--vectors", "{vectors}", "-o", "{folder}/none/cells.json"),
            "there is no folder",
        ),
        (("reproduce", "ml-eat", "--vectors", "{folder}/nowhere.txt"), "nowhere.txt"),
    ],
)
def test_bad_input_ends_with_status_2(
    command: Command, vectors: Path, histwords: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {"vectors": vectors, "histwords": histwords, "folder": tmp_path}
    run = command(*(part.format(**places) for part in arguments))
    assert run.status == 2
    assert run.out == ""
    assert words in run.err.replace("\n", " ")
    assert list(tmp_path.iterdir()) == []
