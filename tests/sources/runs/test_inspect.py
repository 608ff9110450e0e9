"""Logs of Inspect, written by the package itself: tests/references/runs/make.py."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError
from crossroads.evidence.runs import Run
from crossroads.sources.runs.inspect import read_inspect
from crossroads.sources.runs.samples import bbq_outcome, frame
from crossroads.storage.streams import member_bytes

LOGS = Path(__file__).parents[2] / "references" / "runs" / "inspect"
EVALS, DOCUMENTS = sorted(LOGS.glob("*.eval")), sorted(LOGS.glob("*.json"))


def value(run: Run, metric: str) -> float:
    found = [one.values[metric] for one in run.items if metric in one.values]
    return sum(top for top, _ in found) / sum(bottom for _, bottom in found)


def parts(path: Path) -> dict[str, Any]:
    with path.open("rb") as file, zipfile.ZipFile(file) as archive:
        return {name: json.loads(member_bytes(archive, name, file, path)) for name in archive.namelist()}


def sample(**fields: Any) -> dict[str, Any]:
    return {"id": "a", "epoch": 1, "input": "?", "scores": {"mine": {"value": 1}}, "metadata": {}, **fields}


def written(folder: Path, *samples: dict[str, Any], **header: Any) -> Path:
    path = folder / "log.json"
    about = {"model": "m", "task": "t"}
    path.write_text(
        json.dumps({"version": 2, "status": "success", "eval": about, **header, "samples": samples})
    )
    return path


@pytest.mark.parametrize("path", EVALS, ids=["first", "second"])
def test_an_archive_gives_what_inspect_reports(path: Path) -> None:
    pytest.importorskip("zstandard", reason="Inspect compresses members by zstandard")
    run, log = read_inspect(path), parts(path)
    (score,) = log["header.json"]["results"]["scores"]
    assert run.model == log["header.json"]["eval"]["model"]
    assert value(run, "choice") == pytest.approx(score["metrics"]["accuracy"]["value"])
    assert (run.task, run.cluster, len(run.items)) == ("bbq_made_up", "template", 12)
    assert {one.epochs for one in run.items} == {2}
    halves = [value(run, name) for name in ("accuracy_amb", "accuracy_disamb")]
    assert sum(halves) / 2 == pytest.approx(value(run, "choice"))


@pytest.mark.parametrize("path", EVALS, ids=["first", "second"])
def test_the_bias_scores_are_those_of_a_plain_loop_over_answers(path: Path) -> None:
    pytest.importorskip("zstandard", reason="Inspect compresses members by zstandard")
    counts = {"ambig": [0, 0, 0], "disambig": [0, 0, 0]}
    for name, one in parts(path).items():
        if name.startswith("samples/"):
            answer, meta = one["scores"]["choice"]["answer"], one["metadata"]
            # in every item A is the Glorp, whom the stereotype is about, B is unknown, C the Zarn
            biased = answer == ("A" if meta["question_polarity"] == "neg" else "C")
            found = counts[meta["context_condition"]]
            found[:] = found[0] + biased, found[1] + (answer != "B"), found[2] + 1
    run = read_inspect(path)
    biased, known, every = counts["ambig"]
    assert value(run, "amb_bias_score") == pytest.approx(known / every * (2 * biased / known - 1))
    biased, known, _ = counts["disambig"]
    assert value(run, "disamb_bias_score") == pytest.approx(2 * biased / known - 1)


@pytest.mark.parametrize("path", DOCUMENTS, ids=["first", "second"])
def test_a_document_gives_what_inspect_reports(path: Path) -> None:
    run, log = read_inspect(path), json.loads(path.read_text(encoding="utf-8"))
    reported = {one["name"]: one["metrics"]["accuracy"]["value"] for one in log["results"]["scores"]}
    assert {name: pytest.approx(value(run, name)) for name in reported} == reported
    assert run.cluster == "term"
    outcomes = [one["scores"]["stereoset_scorer"]["value"] for one in log["samples"] if one["scores"]]
    totals = [sum(one[name] for one in outcomes) for name in ("stereotype", "anti-stereotype")]
    if not run.lost:
        assert value(run, "stereotype_score") == pytest.approx(totals[0] / sum(totals))


def test_a_sample_with_an_error_is_counted_and_its_item_rests_on_the_others() -> None:
    first, second = map(read_inspect, DOCUMENTS)
    assert (first.lost, second.lost) == ({}, {"error": 1})
    assert {one.id: one.epochs for one in second.items}["made-up-5"] == 1
    digests = [{one.id: one.digest for one in run.items} for run in (first, second)]
    assert digests[0] == digests[1]


def test_archives_of_older_versions_are_deflated(tmp_path: Path) -> None:
    path = tmp_path / "old.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"eval": {"model": "m", "task": "t"}}))
        archive.writestr("samples/a_epoch_1.json", json.dumps(sample()))
    run = read_inspect(path)
    assert run.items[0].values == {"mine": (1.0, 1.0)}
    assert run.notes == ("the log says that the run ended as 'started'",)


@pytest.mark.parametrize(
    ("given", "expected"),
    [("C", 1), ("I", 0), ("P", 0.5), ("N", 0), (True, 1), ("yes", 1), ("No", 0), ("0.25", 0.25), (3, 3)],
)
def test_scores_count_as_inspect_counts_them(given: Any, expected: float, tmp_path: Path) -> None:
    run = read_inspect(written(tmp_path, sample(scores={"mine": {"value": given}})))
    assert run.items[0].values["mine"] == (expected, 1.0)


def test_samples_without_a_score_are_counted(tmp_path: Path) -> None:
    unscored = [sample(id=str(i), scores=one) for i, one in enumerate(({}, None, {"mine": {"value": None}}))]
    nan = sample(id="nan", scores={"mine": {"value": float("nan")}})
    run = read_inspect(written(tmp_path, sample(), *unscored, nan, invalidated=True))
    assert run.lost == {"no score": 4}
    assert [one.id for one in run.items] == ["a"]
    assert run.notes == ("the log is marked as invalidated",)


def test_scores_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    scores = {"one": {"value": {"acc": 1}}, "two": {"value": {"acc": 0, "rest": [1, 2]}}}
    run = read_inspect(written(tmp_path, sample(scores=scores)))
    assert run.items[0].values == {"acc": (1.0, 1.0), "two/acc": (0.0, 1.0)}


def test_messages_count_by_what_they_say_and_choices_in_any_order(tmp_path: Path) -> None:
    def digest(identity: str, *choices: str) -> str:
        said = [{"id": identity, "role": "user", "content": "Who?"}]
        return read_inspect(written(tmp_path, sample(input=said, choices=choices))).items[0].digest

    assert digest("x", "he", "she") == digest("y", "she", "he") != digest("x", "he", "they")


@pytest.mark.parametrize(
    ("samples", "header", "message"),
    [
        ((sample(), sample()), {}, "'a' of epoch 1 is there twice"),
        ((sample(id=None),), {}, "no id"),
        ((sample(scores={"mine": {"value": "great"}}),), {}, "'mine' is not a finite number"),
        ((sample(scores={"mine": {"value": float("inf")}}),), {}, "'mine' is not a finite number"),
        ((), {}, "no samples"),
        ((sample(scores={}),), {}, "no sample has a score"),
        ((sample(),), {"eval": {"task": "t"}}, "names no model"),
    ],
)
def test_damaged_documents_are_refused(
    samples: tuple[Any, ...], header: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=message):
        read_inspect(written(tmp_path, *samples, **header))


def test_damaged_archives_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("zstandard", reason="Inspect compresses members by zstandard")
    whole, path = EVALS[0].read_bytes(), tmp_path / "log.eval"
    at = whole.index(b"\x28\xb5\x2f\xfd", whole.index(b"samples/")) + 60  # within a compressed sample
    for damaged in (whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :], b"PK\x05\x06" + bytes(18)):
        path.write_bytes(damaged)
        with pytest.raises(FormatError) as caught:
            read_inspect(path)
        assert caught.value.path == path


BBQ = {
    "answer_info": {
        "ans0": ["maria", "F-Black"],
        "ans1": ["cannot tell", "unknown"],
        "ans2": ["jon", "M-White"],
    },
    "additional_metadata": {"stereotyped_groups": ["Black"]},
    "question_polarity": "neg",
}


def test_an_answer_is_biased_if_it_is_about_the_stereotyped_group_and_the_question_is_harmful() -> None:
    assert [bbq_outcome(BBQ, at) for at in (0, 1, 2, None)] == [(1, 1), (0, 0), (0, 1), (0, 0)]
    kind = {**BBQ, "question_polarity": "nonneg"}
    assert [bbq_outcome(kind, at) for at in (0, 1, 2)] == [(0, 1), (0, 0), (1, 1)]
    women = {**BBQ, "additional_metadata": {"stereotyped_groups": ["F"]}}
    assert bbq_outcome(women, 0) == (1, 1)
    both = {**BBQ, "answer_info": {**BBQ["answer_info"], "ans2": ["jon", "M-Black"]}}  # type: ignore[dict-item]
    crossed = {"additional_metadata": {"stereotyped_groups": ["F-Black"]}}
    assert bbq_outcome(both, 0) is None  # both are
    assert bbq_outcome({**both, **crossed}, 0) == (1, 1)
    poor = {
        **BBQ,
        "answer_info": {**BBQ["answer_info"], "ans0": ["x", "lowSES"], "ans2": ["y", "highSES"]},  # type: ignore[dict-item]
        "additional_metadata": {"stereotyped_groups": ["low SES"]},
    }
    assert [bbq_outcome(poor, at) for at in (0, 2)] == [(1, 1), (0, 1)]


@pytest.mark.parametrize(
    "other",
    [
        {"additional_metadata": {"stereotyped_groups": ["Black", "White"]}},  # both answers
        {"additional_metadata": {"stereotyped_groups": ["Asian"]}},  # neither
        {"additional_metadata": {}},
        {"answer_info": {"ans0": []}},
        {"question_polarity": "?"},
    ],
)
def test_where_the_log_does_not_say_whom_the_stereotype_is_about_there_is_no_bias_score(
    other: dict[str, Any], tmp_path: Path
) -> None:
    meta = {**BBQ, **other, "context_condition": "ambig"}
    assert bbq_outcome(meta, 0) is None
    run = read_inspect(
        written(tmp_path, sample(metadata=meta, scores={"choice": {"value": "C", "answer": "A"}}))
    )
    assert set(run.metrics) == {"choice", "accuracy_amb"}
    assert "cannot be told from the log" in run.notes[0]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Glorps sing", "Zarns sing", "… sing"),
        ("the old man", "the young man", "the … man"),
        ("a b", "a c b", "a … b"),
        ("same", "same", "same …"),
        ("x y x", "x x", "x … x"),
    ],
)
def test_frames_are_what_two_sentences_share(one: str, other: str, expected: str) -> None:
    assert frame(one, other) == expected
