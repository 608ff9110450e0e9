"""``crossroads contexts``, as a shell sees it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.contexts.corpus import find_contexts, read_contexts
from tests.fixtures.commands import Command

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Comments with the words of a test, one of them rare and one absent; one line is broken."""
    path = tmp_path / "dump.jsonl"
    words = ["John", "Amy", "office", "home", "executive"]
    lines = [json.dumps({"body": f"on day {i} {word} was there [{i}]"}) for i in range(30) for word in words]
    lines += ['{"body": "cut', json.dumps({"body": "only one Salary and salary here"}), '{"score": 3}']
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A list of one's own."""
    path = tmp_path / "list.txt"
    path.write_text("\ufeffJohn\nAmy\n\nsalary\nwedding\nJohn\n", encoding="utf-8")
    return path


def test_contexts_are_written_and_coverage_is_shown(
    command: Command, corpus: Path, words: Path, tmp_path: Path
) -> None:
    run = command("contexts", corpus, "-o", tmp_path / "out", "--words", words)
    assert (run.status, run.err) == (0, "")
    assert "61 contexts of 4 words, out of 151 documents" in run.out
    assert "not in the corpus (1)\n  wedding" in run.out
    assert "fewer than 20 contexts (1)\n  salary (1)" in run.out
    assert "1 lines are not JSON objects and were skipped" in run.out
    assert "1 records have no text in the field and were skipped" in run.out
    stored = read_contexts(tmp_path / "out")
    assert stored.words == ("John", "Amy", "salary", "wedding")
    assert stored.contexts == find_contexts(corpus, stored.words).contexts
    low = command("contexts", corpus, "-o", tmp_path / "low", "--words", words, "--limit", "5")
    assert "fewer than 5 contexts (1)\n  salary (1)" in low.out  # a low limit needs no other minimum


def test_tests_are_chosen_beside_lists(command: Command, corpus: Path, tmp_path: Path) -> None:
    run = command("contexts", corpus, "-o", tmp_path / "out", "-t", "c6", "-t", "weat7")
    assert run.status == 0, run.err
    heads = [line.split()[0] for line in run.out.splitlines() if line.startswith((" c6", " weat7", " all"))]
    assert heads == ["c6", "weat7", "all"]
    every = command("contexts", corpus, "-o", tmp_path / "all", "-t", "all", "--json")
    assert len(json.loads(every.out)["coverage"]) > 600
    default = command("contexts", corpus, "-o", tmp_path / "default", "--json")
    assert list(json.loads(default.out)["lists"])[::13] == ["c1", "i4"]
    (tmp_path / "c6").write_text("office\n", encoding="utf-8")  # a list that is called like a test
    run = command("contexts", corpus, "-o", tmp_path / "o", "-t", "c6", "--words", tmp_path / "c6", "--json")
    lists = json.loads(run.out)["lists"]
    assert list(lists) == ["c6", "c6 (--words)"]
    assert lists["c6 (--words)"] == ["office"]


def test_json_is_one_document_that_equals_the_library(
    command: Command, corpus: Path, words: Path, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"window": "4+3", "limit": 10, "minimum": 2, "seed": 7}
    options = ("--window", "4+3", "--limit", 10, "-C", "minimum=2", "--seed", 7)
    ask = ("contexts", corpus, "-o", tmp_path / "out", "--words", words, "--spelling", "lower,title")
    run = command(*ask, *options, "--json")
    data = json.loads(run.out)
    assert data["command"] == "contexts"
    assert data["counts"]["broken"] == 1
    assert data["below"] == ["salary", "wedding"]
    assert data["settings"]["window"] == "4+3"
    asked = ["John", "Amy", "salary", "wedding"]
    found = find_contexts(corpus, asked, fallback=("lower", "title"), **settings)
    assert [row["contexts"] for row in data["coverage"]] == [one.contexts for one in found.coverage]
    assert read_contexts(tmp_path / "out").contexts == found.contexts


def test_a_folder_is_replaced_only_when_asked(
    command: Command, corpus: Path, words: Path, tmp_path: Path
) -> None:
    arguments = ("contexts", corpus, "-o", tmp_path / "out", "--words", words)
    assert command(*arguments, "--limit", "3").status == 0
    again = command(*arguments)
    assert (again.status, "or pass --fresh to replace them" in again.told) == (2, True)
    assert len(read_contexts(tmp_path / "out").contexts["Amy"]) == 3
    assert command(*arguments, "--limit", "5", "--fresh").status == 0
    assert len(read_contexts(tmp_path / "out").contexts["Amy"]) == 5


def test_rows_that_swallow_others_are_told(command: Command, words: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text('id,text\n"1,Amy\n' + "2,Amy\n" * 100 + '3"x,John\n', encoding="utf-8")
    run = command("contexts", table, "-o", tmp_path / "out", "--words", words)
    assert "1 rows have more than 100 lines; is a quotation mark missing?" in run.out


def test_bad_input_is_told_in_a_sentence_and_nothing_is_written(
    command: Command, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cut.txt.gz").write_bytes(gzip.compress(b"John was at home\n" * 999)[:-12])
    Path("empty.txt").write_text("", encoding="utf-8")
    Path("absent.txt").write_text("zebra\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    for arguments, what in (
        (("nothing.jsonl",), "there is no file 'nothing.jsonl'"),
        (("*.parquet",), "no file matches '*.parquet'"),
        (("dump.jsonl", "--field", "boddy"), "did you mean 'body'?"),
        (("dump.jsonl", "--window", "wide"), "the window is 'wide'"),
        (("dump.jsonl", "--spelling", "uper"), "unknown fallback 'uper'"),
        (("dump.jsonl", "-C", "format=text", "-C", "unit=paragraf"), "paragraph"),
        (("dump.jsonl", "--words", "empty.txt"), "empty.txt has no words"),
        (("dump.jsonl", "--words", "no.txt"), "no.txt"),
        (("dump.jsonl", "-o", "empty.txt/sub"), "is not a folder"),
        (("dump.jsonl", "--words", "absent.txt"), "none of the 1 words is in the 151 documents"),
        (("cut.txt.gz",), "cut.txt.gz: the compressed data is broken"),
        (("empty.txt",), "the corpus holds no document"),
    ):
        run = command("contexts", "-o", "out", *arguments)
        assert run.status == 2
        assert what in run.told
        assert "Traceback" not in run.err
        assert sorted(tmp_path.iterdir()) == before
