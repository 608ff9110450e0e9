"""No table cuts a number and no help an option, in a terminal of any width."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import crossroads as cr
from crossroads.core.cli.terminal import tables as printing
from crossroads.core.results import Coverage
from crossroads.papers.commands import ml_eat_words
from tests import docs_material
from tests.audits import AuditRun
from tests.fixtures.commands import Command, Run, write_decades, write_vectors
from tests.results import sentences

NUMBER = re.compile(r"[−-]?\d[\d.,]*(?:e[−-]?\d+)?%?")
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
CASES: dict[str, tuple[str, ...]] = {
    "audit": ("vectors.txt", "-t", "weat6", "-t", "weat7", "--no-figures", "-o", "out"),
    "weat": ("vectors.txt", "-t", "weat6", "-t", "weat7"),
    "mleat": ("vectors.txt", "-t", "weat6", "-t", "weat7"),
    "mleat, decades": ("sgns", "-t", "weat7"),
    "sc-weat": ("vectors.txt", "-t", "weat6"),
    "ibd": ("vectors.txt", "--words", "sheet.toml"),
    "ibd, vocabulary": ("vectors.txt", "--words", "sheet.toml", "--vocabulary", "-C", "fdr=0.9"),
    "rsa": ("vectors.txt", "--words", "sheet.toml", "-C", "n=3", "-C", "samples=5"),
    "ceat": ("store", "-t", "c6", "-C", "samples=20", "--levels"),
    "reproduce": ("ml-eat", "--vectors", "vectors.txt"),
    "align": ("scores.json", "--human", "people.json", "-C", "resamples=20", "-C", "draws=20"),
    "chat": ("answers.json", "-d", "age.json"),
    "sentences": ("pairs.json",),
    "sentences, triples": ("triples.json",),
    "catalog": (),
}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, chat_audit: AuditRun) -> Path:
    """Made-up vectors, decades, contexts, scores and answers, one of each."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "sheet.toml").write_text(SHEET, encoding="utf-8")
    words = dict.fromkeys([*ml_eat_words(), *re.findall(r'"(\w+)"', SHEET)])
    write_vectors(folder / "vectors.txt", words, dim=8)
    write_decades(folder / "sgns", list(cr.catalog("weat7").words), (1900, 1990))
    rng = np.random.default_rng(0)
    rows = {word: rng.normal(size=(4 + i % 5, 8)) for i, word in enumerate(cr.catalog("c6").words)}
    cr.Contexts.from_dict(rows, provenance="tiny").save(folder / "store")
    docs_material.scores(folder / "scores.json")
    docs_material.judgements(folder / "people.json")
    for kind in ("pairs", "triples"):
        sentences(kind, cr.sources.Provenance(source="tiny")).save(folder / f"{kind}.json")
    for name in ("answers.json", "age.json"):
        shutil.copy(chat_audit.folder.parent / name, folder)
    return folder


@pytest.fixture
def at_width(command: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """``at_width(columns, *arguments)``: the program in a terminal of some width."""

    def run(columns: int, *arguments: str) -> Run:
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr(printing.out, "_width", columns)
        monkeypatch.setattr(printing.err, "_width", columns)
        done = command(*arguments)
        assert done.status == 0, done.err
        return done

    return run


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_same_numbers_are_printed_at_every_width(
    case: str, at_width: Callable[..., Run], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    arguments = (case.partition(",")[0], *CASES[case])
    whole = Counter(NUMBER.findall(at_width(300, *arguments).out))
    for width in (40, 60, 80, 120):
        text = at_width(width, *arguments).out
        lines = [line for line in text.splitlines() if not line.startswith("written to ")]
        assert max(map(len, lines)) <= width
        found = Counter(NUMBER.findall(text))
        if "Not shown here: " in text:  # columns that readers can do without are named
            assert set(found) <= set(whole), width  # names come again before their questions
        else:  # headings that hold numbers are said with every block
            assert not whole - found, width
            assert set(found) == set(whole), width
        assert not [line for line in lines if re.search(r"\S…(\s|$)", line)], width


def test_where_a_table_has_no_room_each_row_is_a_block_with_its_headings() -> None:
    table = printing.plain_table("A title")
    table.add_column("group")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("τ without\npilot", justify="right", no_wrap=True)
    table.add_row("women", "0.53 (0.32–0.74)", "−0.123")
    table.add_row("men", "0.60 (0.42–0.78)", "")
    console = Console(width=30, highlight=False)
    with console.capture() as text:
        console.print(table)
    assert [line.rstrip() for line in text.get().splitlines()] == [
        "A title",
        " group        women",
        " value        0.53 (0.32–0.74)",
        " τ without    −0.123",
        " pilot",
        "",
        " group        men",
        " value        0.60 (0.42–0.78)",
        "",
    ]


def test_what_only_some_results_lack_is_said_with_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    gone = Coverage(policy="drop", used={}, dropped={"x": {"w": "not there"}}, respelled={})
    whole = Coverage(policy="drop", used={}, dropped={}, respelled={})
    printing.notes([("one", gone), ("two", whole), ("three", gone), ("four", None)])
    assert capsys.readouterr().out == "one, three: left out of x: w (not there)\n"
    printing.notes([("one", gone), ("three", gone), ("four", None)])
    assert capsys.readouterr().out == "left out of x: w (not there)\n"
