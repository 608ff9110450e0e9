"""``crossroads sentences``: what is scored, kept and shown, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossroads.evidence.sentences import SentenceScores

Command = Callable[..., Any]
ROWS = [
    {
        "sent_more": f"{a} are {what}.",
        "sent_less": f"{b} are {what}.",
        "bias_type": kind,
        "writer": str(i % 3),
    }
    for i, what in enumerate(["warm", "cold"])
    for a, b, kind in [("women", "men", "gender"), ("elderly people", "teenagers", "age")]
]
TRIPLE = {"stereotype": "women are warm.", "anti-stereotype": "women are cold.", "unrelated": "women are a."}


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def test_scores_are_kept_measured_and_measured_again(
    command: Command, small_bert: Path, pairs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    run = command("sentences", small_bert, pairs, "-o", out)
    assert run.status == 0, run.err
    assert "Preferred sentences" in run.out
    assert "Blodgett et al. (2021)" in " ".join(run.out.split())
    assert "gender" in run.out
    assert max(map(len, run.out.splitlines())) <= 80
    (kept,) = out.iterdir()
    assert kept.name == "pairs-auto.json"
    assert SentenceScores.open(kept).score == "pll"
    saved = command("sentences", kept)
    assert (saved.status, saved.out, saved.err) == (0, run.out, "")
    again = command("sentences", small_bert, pairs, "-o", out)
    assert again.out == run.out
    page = tmp_path / "page.html"
    (tmp_path / "s.json").write_text(command("sentences", kept, "--json").out, encoding="utf-8")
    assert command("report", tmp_path / "s.json", "-o", page).status == 0
    assert "stereotypes more scores higher" in page.read_text(encoding="utf-8")


def test_json_is_one_document_with_the_ladder(command: Command, small_bert: Path, pairs: Path) -> None:
    run = command("sentences", small_bert, pairs, "--score", "aul", "--cluster", "writer", "--json")
    document = json.loads(run.out)
    (result,) = document["results"]
    assert (result["type"], result["score"], result["cluster"]) == ("SentencePairsResult", "aul", ["writer"])
    assert result["overall"]["pairs"] == len(ROWS)
    assert set(document["ladder"]["tests"]) == {"pairs aul"}


def test_triples_have_their_own_table(command: Command, small_bert: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps([TRIPLE]), encoding="utf-8")
    run = command("sentences", small_bert, file, "--score", "aul", "--cluster", "none", "--json")
    assert json.loads(run.out)["results"][0]["overall"]["triples"] == 1
    shown = command("sentences", small_bert, file, "--score", "aul")
    assert "icat" in shown.out
    twice = command("sentences", small_bert, file, "--cluster", "a", "--cluster", "b")
    assert (twice.status, "triples share one thing" in twice.err) == (2, True)


def test_bad_input_is_told(command: Command, small_bert: Path, pairs: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("sent_mor,sent_less\na,b\n", encoding="utf-8")
    out = tmp_path / "out"
    for arguments, said in [
        ((small_bert,), "no file of sentences is given"),
        ((small_bert, wrong), "there is no column 'sent_more'"),
        ((small_bert, tmp_path / "none.csv"), "there is no such file"),
        ((small_bert, pairs, "--score", "likelihood"), "it gives no score 'likelihood'"),
        ((small_bert, pairs, "--score", "pl"), "pll"),
        ((small_bert, pairs, "--cluster", "writr"), "'writer'"),
        (("https://api.example.org/v1", pairs), "is a service"),
    ]:
        run = command("sentences", *arguments, "-o", out)
        assert run.status == 2, arguments
        assert said in run.err
        assert run.out == ""
    assert not out.exists()
    assert command("sentences", small_bert, pairs, "-o", out).status == 0
    kept = next(out.glob("*.json"))
    both = command("sentences", kept, pairs)
    assert (both.status, "already has scores" in both.err) == (2, True)


def test_bad_input_is_told_before_a_model_is_asked_and_leaves_nothing(
    command: Command, small_bert: Path, pairs: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    out = tmp_path / "new" / "out"
    before = sorted(tmp_path.rglob("*"))
    for arguments, said in [
        ((small_bert, tmp_path / "empty.csv", "-o", out), "there are no sentences"),
        (("no-such-model", pairs, "-o", out), "there is no folder 'no-such-model'"),
        (("no-such-model", pairs, "--cluster", "writr"), "'writer'"),  # before the model is looked for
        (("no-such-model", pairs, "--seed", "-1"), "seed is -1"),
        (("no-such-model", pairs, "-o", pairs), "is a file"),
        (("no-such-model", pairs, "-o", pairs / "below"), "cannot be"),
        ((tmp_path / "broken.json",), "it holds no scores of sentences"),
    ]:
        run = command("sentences", *arguments)
        assert (run.status, run.out) == (2, ""), arguments
        assert said in " ".join(run.err.split()), arguments
    assert sorted(tmp_path.rglob("*")) == before
    assert command("sentences", small_bert, pairs, "-o", out, "--cluster", "auto").status == 0
    assert [path.name for path in out.iterdir()] == ["pairs-auto.json"]


def test_blanks_are_scored_by_their_name(command: Command, small_bert: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "t.json", tmp_path / "out"
    file.write_text(json.dumps([{**TRIPLE, "context": "women are BLANK."}]), encoding="utf-8")
    run = command("sentences", small_bert, file, "--score", "stereoset", "-o", out, "--json")
    (result,) = json.loads(run.out)["results"]
    assert (result["score"], result["per"]) == ("blank", "probability")
    assert SentenceScores.open(out / "t-stereoset.json").score == "blank"
    file.write_text(json.dumps([TRIPLE]), encoding="utf-8")
    bare = command("sentences", small_bert, file, "--score", "blank")
    assert (bare.status, bare.out) == (2, "")
    assert "add a column 'context'" in " ".join(bare.err.split())
    assert "--score aul" in bare.err
