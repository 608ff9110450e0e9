"""``crossroads sentences``: what is scored, kept and shown, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossroads.sentences.evidence import SentenceScores
from tests.fixtures.commands import Command

ROWS = [
    {"sent_more": f"{a} are {what}.", "sent_less": f"{b} are {what}.", "bias_type": kind, "writer": str(i)}
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
    run = command("sentences", small_bert, pairs, "--answers", out)
    assert run.status == 0, run.err
    assert "Preferred sentences" in run.out
    (kept,) = out.iterdir()
    assert kept.name == "pairs-auto.json"
    assert SentenceScores.open(kept).score == "pll"
    saved = command("sentences", kept)
    assert (saved.status, saved.out, saved.err) == (0, run.out, "")
    again = command("sentences", small_bert, pairs, "--answers", out)
    assert again.out == run.out


def test_json_is_one_document_with_the_checks(command: Command, small_bert: Path, pairs: Path) -> None:
    run = command("sentences", small_bert, pairs, "-C", "score=aul", "-C", "cluster=writer", "--json")
    document = json.loads(run.out)
    (result,) = document["results"]
    assert (result["type"], result["score"], result["cluster"]) == ("SentencePairsResult", "aul", ["writer"])
    assert result["overall"]["pairs"] == len(ROWS)
    assert set(document["checks"]["tests"]) == {"pairs aul"}


def test_triples_have_their_own_table(command: Command, small_bert: Path, tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(json.dumps([TRIPLE]), encoding="utf-8")
    run = command("sentences", small_bert, file, "-C", "score=aul", "-C", "cluster=none", "--json")
    assert json.loads(run.out)["results"][0]["overall"]["triples"] == 1
    shown = command("sentences", small_bert, file, "-C", "score=aul")
    assert "icat" in shown.out
    twice = command("sentences", small_bert, file, "-C", "cluster=a", "-C", "cluster=b")
    assert (twice.status, "triples share one thing" in twice.err) == (2, True)


def test_bad_input_is_told_before_a_model_is_asked_and_leaves_nothing(
    command: Command, small_bert: Path, pairs: Path, tmp_path: Path
) -> None:
    for name, text in (
        ("wrong.csv", "sent_mor,sent_less\na,b\n"),
        ("empty.csv", ""),
        ("broken.json", "{"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    for arguments, said in [
        ((small_bert,), "no file of sentences is given"),
        ((small_bert, tmp_path / "wrong.csv"), "there is no column 'sent_more'"),
        ((small_bert, tmp_path / "none.csv"), "there is no such file"),
        ((small_bert, tmp_path / "empty.csv"), "there are no sentences"),
        ((small_bert, pairs, "-C", "score=likelihood"), "it gives no score 'likelihood'"),
        ((small_bert, pairs, "-C", "score=pl"), "pll"),
        (("https://api.example.org/v1", pairs), "is a service"),
        (("no-such-model", pairs), "there is no file or folder 'no-such-model'"),
        (("no-such-model", pairs, "-C", "cluster=writr"), "'writer'"),  # before the model is looked for
        (("no-such-model", pairs, "--seed", "-1"), "seed is -1"),
        (("no-such-model", pairs, "--answers", pairs / "below"), "cannot be"),
    ]:
        run = command("sentences", "--answers", tmp_path / "new" / "out", *arguments)
        assert (run.status, run.out) == (2, ""), arguments
        assert said in run.told, arguments
    assert sorted(tmp_path.rglob("*")) == before
    broken = command("sentences", tmp_path / "broken.json")
    assert (broken.status, "it holds no scores of sentences" in broken.told) == (2, True)
    out = tmp_path / "out"
    assert command("sentences", small_bert, pairs, "--answers", out, "-C", "cluster=auto").status == 0
    both = command("sentences", out / "pairs-auto.json", pairs)
    assert (both.status, "already has scores" in both.err) == (2, True)


def test_blanks_are_scored_by_their_name(command: Command, small_bert: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "t.json", tmp_path / "out"
    file.write_text(json.dumps([{**TRIPLE, "context": "women are BLANK."}]), encoding="utf-8")
    run = command("sentences", small_bert, file, "-C", "score=stereoset", "--answers", out, "--json")
    (result,) = json.loads(run.out)["results"]
    assert (result["score"], result["per"]) == ("blank", "probability")
    assert SentenceScores.open(out / "t-stereoset.json").score == "blank"
    file.write_text(json.dumps([TRIPLE]), encoding="utf-8")
    bare = command("sentences", small_bert, file, "-C", "score=blank")
    assert (bare.status, bare.out) == (2, "")
    assert "add a column 'context'" in " ".join(bare.err.split())
    assert "-C score=aul" in bare.err
