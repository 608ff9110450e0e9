"""``crossroads reproduce``, as a shell sees it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from crossroads import catalog
from crossroads.intersections.audit import intersectional_words
from crossroads.papers.cells import VERDICTS, Reproduction
from crossroads.papers.commands import ml_eat_words
from crossroads.papers.published import KNOWN, fidelity
from tests.fixtures.commands import Command, write_decades, write_vectors


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random vectors of every word that the papers ask about."""
    words = dict.fromkeys([*ml_eat_words(), *intersectional_words()])
    return write_vectors(tmp_path_factory.mktemp("vectors") / "random.txt", words)


@pytest.fixture(scope="module")
def histwords(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of decades in the layout of HistWords."""
    words = list(catalog().design("weat7", "histwords").words)
    return write_decades(tmp_path_factory.mktemp("sgns"), words, range(1800, 2000, 10), dim=300)


def test_without_a_paper_every_paper_is_summed_up(command: Command, vectors: Path) -> None:
    run = command("reproduce", "--vectors", vectors)
    assert run.status == 0, run.err
    for name in KNOWN:
        assert f"every cell: crossroads reproduce {name}" in run.out
    data = json.loads(command("reproduce", "--vectors", vectors, "--json").out)
    results = [Reproduction.from_dict(one) for one in data["results"]]
    assert [one.paper for one in results] == ["ceat-ibd", "rsa", "ml-eat", "ceat", "abc"]
    assert {cell.verdict for one in results for cell in one.cells} <= set(VERDICTS)
    assert all(cell.reason for one in results for cell in one.cells)
    for one in results:
        assert f"{len(one.cells):,} cells: " in run.out
    assert data["fidelity"] == [*fidelity()]


@pytest.mark.slow
def test_vectors_that_are_said_to_be_the_papers_are_judged_cell_by_cell(
    command: Command, vectors: Path
) -> None:
    ask = ("reproduce", "ml-eat", "--vectors", vectors, "--model", "gpt-2-medium")
    result = Reproduction.from_dict(json.loads(command(*ask, "--json").out)["results"][0])
    cells = {(one.table, one.row, one.column): one for one in result.cells}
    cell = cells["Table 6, GPT-2 Medium", "weat9", "level1"]
    assert (cell.published, cell.verdict) == (-1.4, "differs")
    assert cell.ours is not None
    assert cell.difference == pytest.approx(cell.ours - cell.published)
    line = next(one for one in command(*ask).out.splitlines() if one.split()[:2] == ["weat9", "level1"])
    assert line.split()[2::3] == ["−1.40", "differs"]


@pytest.mark.slow
def test_a_folder_of_decades_stands_beside_the_text_on_histwords(command: Command, histwords: Path) -> None:
    run = command("reproduce", "ml-eat", "--vectors", histwords)
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
    assert "set_distance" in command("reproduce", "--fidelity").out
    data = json.loads(command("reproduce", "--fidelity", "--json").out)
    assert data["results"] == []
    assert data["fidelity"] == [*fidelity()]
    assert command("reproduce", "--fidelity", "-o", tmp_path / "badges.csv").status == 0
    with (tmp_path / "badges.csv").open(encoding="utf-8", newline="") as lines:
        assert len(list(csv.DictReader(lines))) == len(fidelity())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mleat",), "'ml-eat'"),
        (("ml-eat", "--vectors", "{vectors}", "--model", "gpt2-xl"), "'gpt-2-xl'"),
        (("ml-eat", "--vectors", "{vectors}", "--model", "histwords"), "not decades"),
        (("rsa", "--vectors", "{histwords}"), "reproduce ml-eat"),
        (("rsa", "--model", "bert"), "ceat, abc and ml-eat take it; rsa takes --vectors"),
        (("ml-eat", "-C", "samples=20"), "hint: ceat takes it; ml-eat takes --vectors, --images"),
        (("ceat", "-C", "samples=20"), "-C samples was given without a store"),
        (("--images", "{folder}"), "name one that takes it: ml-eat"),
        (("abc", "--truth", "x.csv"), "give --pair-scores as well"),
        (("abc", "--model", "bert"), "in abc the column gives the model"),
        (("abc", "--scores", "SeT BERT"), "names no file"),
        (("abc", "--scores", "SeT Brt=x.json"), "'SeT BERT'"),
        (("--fidelity", "--vectors", "{vectors}"), "--vectors was given with --fidelity"),
        (("abc", "--fidelity"), "abc was given with --fidelity"),
        (("rsa", "--vectors", "{vectors}", "-o", "{folder}/cells.txt"), "cells.txt ends in .txt"),
        (("rsa", "--vectors", "{vectors}", "-o", "{folder}/none/cells.json"), "there is no folder"),
    ],
)
def test_bad_input_ends_with_status_2(
    command: Command, vectors: Path, histwords: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    places = {"vectors": vectors, "histwords": histwords, "folder": tmp_path}
    run = command("reproduce", *(part.format(**places) for part in arguments))
    assert (run.status, run.out) == (2, "")
    assert words in run.told
    assert list(tmp_path.iterdir()) == []
