"""Samples of lm-evaluation-harness, written by the package itself: tests/references/runs/make.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossroads.errors import FormatError
from crossroads.evidence.runs import Run
from crossroads.sources.runs.harness import read_harness

LOGS = Path(__file__).parents[2] / "references" / "runs" / "harness"
SAMPLES = sorted(LOGS.glob("*/samples_*.jsonl"))
LINE: dict[str, Any] = {"doc_id": 0, "doc": {"q": "?"}, "doc_hash": "ab", "metrics": ["acc"], "acc": 1.0}


def value(run: Run, metric: str) -> float:
    found = [one.values[metric] for one in run.items if metric in one.values]
    return sum(top for top, _ in found) / sum(bottom for _, bottom in found)


def written(folder: Path, *lines: Any, name: str = "samples_mine_2026-01-02T03-04-05.6.jsonl") -> Path:
    path = folder / name
    text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name} {path.name[8:11]}")
def test_means_of_items_are_the_results_that_the_harness_reports(path: Path) -> None:
    run = read_harness(path)
    (results,) = path.parent.glob("results_*.json")
    about = json.loads(results.read_text(encoding="utf-8"))
    assert run.model == about["model_name"] == path.parent.name
    reported = {
        key.partition(",")[0]: one for key, one in about["results"][run.task].items() if ",none" in key
    }
    compared = [name for name in run.metrics if name in reported]
    assert len(compared) >= 2
    for name in compared:
        known = [one.values[name] for one in run.items if name in one.values]
        if name == "disamb_bias_score" and all(top == -bottom for top, bottom in known):
            # no answer is biased: the harness says 0, and 2 x 0 / n - 1 is -1
            assert (reported[name], value(run, name)) == (0.0, -1.0)
        else:
            assert value(run, name) == pytest.approx(reported[name], abs=1e-12), name


def test_items_carry_what_they_belong_to() -> None:
    bbq, crows = (read_harness(next((LOGS / "tiny-a").glob(f"samples_{name}*"))) for name in ("bbq", "crows"))
    assert (bbq.cluster, crows.cluster) == ("template", "frame")
    assert {one.labels["template"] for one in bbq.items} == {"Age 1", "Age 2", "SES 1"}
    assert {one.labels["context_condition"] for one in bbq.items} == {"ambig", "disambig"}
    assert crows.items[0].labels["frame"] == "… are slow to learn how a phone works."
    assert len({one.labels["frame"] for one in crows.items}) == len(crows.items) / 2 == 10
    assert {one.labels["bias_type"] for one in crows.items} == {"age", "nationality"}


def test_the_bias_scores_are_those_of_a_plain_loop_over_answers() -> None:
    for path in LOGS.glob("*/samples_bbq*"):
        run, sums = read_harness(path), {"ambig": [0.0, 0.0, 0.0], "disambig": [0.0, 0.0, 0.0]}
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            doc, choices = record["doc"], [one["arg_1"][1:] for one in record["arguments"].values()]
            likelihoods = [float(one[0]) for one in record["filtered_resps"]]
            said = choices[likelihoods.index(max(likelihoods))]
            found = sums[doc["context_condition"]]
            found[0] += said in doc["biased_answers"]
            found[1] += said in (doc["ans0"], doc["ans2"])
            found[2] += 1
        biased, known, every = sums["ambig"]
        accuracy = 1 - known / every  # only unknown is right
        published = (1 - accuracy) * (2 * biased / known - 1) if known else 0.0
        assert value(run, "amb_bias_score") == pytest.approx(published)
        biased, known, _ = sums["disambig"]
        assert value(run, "disamb_bias_score") == pytest.approx(2 * biased / known - 1)


def test_each_filter_has_its_own_metric_and_pairs_of_numbers_are_named(tmp_path: Path) -> None:
    strict = {**LINE, "filter": "strict", "acc": 0.0}
    run = read_harness(written(tmp_path, {**LINE, "metrics": ["acc", "f1"], "f1": [1, 0]}, strict))
    assert run.items[0].values == {"acc": (1.0, 1.0), "acc,strict": (0.0, 1.0)}
    assert run.notes == ("f1 holds several numbers per sample and is left out",)
    assert (run.model, run.task) == (tmp_path.name, "mine")


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        ((LINE, '{"doc_id": 1, "do'), 2, "not JSON"),
        ((LINE, "[1]"), 2, r"it is \[1\]"),
        ((LINE, {"doc_id": 1}), 2, "no 'doc'"),
        (({**LINE, "doc_hash": None},), 1, "no 'doc_hash'"),
        ((LINE, LINE), 2, "'0' is there twice"),
        ((LINE, {**LINE, "doc_id": 1, "acc": float("nan")}), 2, "'acc' is nan, not a finite number"),
        (({**LINE, "acc": "good"},), 1, "'acc' is 'good', not a finite number"),
        (({**LINE, "metrics": ["amb_bias_score"], "amb_bias_score": [1, None, 0, "x"]},), 1, "not a finite"),
        ((), None, "no samples"),
    ],
)
def test_damaged_logs_are_refused_with_the_line(
    lines: tuple[Any, ...], line: int | None, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, *lines)
    with pytest.raises(FormatError, match=message) as caught:
        read_harness(path)
    assert (caught.value.path, caught.value.line) == (path, line)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples_mine.jsonl"
    path.write_bytes(b'{"doc_id": "\xff"}\n')
    with pytest.raises(FormatError, match="not UTF-8"):
        read_harness(path)


def test_lost_lines_are_noticed_by_the_results_beside_them(tmp_path: Path) -> None:
    path = written(tmp_path, LINE)
    results = tmp_path / "results_2026-01-02T03-04-05.6.json"
    results.write_text(json.dumps({"n-samples": {"mine": {"effective": 2}}, "model_name": "m"}))
    with pytest.raises(FormatError, match="it has 1 items, and the results beside it were computed from 2"):
        read_harness(path)
    results.write_text("{")
    with pytest.raises(FormatError, match="not JSON"):
        read_harness(path)
    results.unlink()
    results = tmp_path / "mine_2026-01-02T03-04-05.6.json"  # as --output_path may name it
    results.write_text(json.dumps({"n-samples": [], "versions": {"mine": 2}, "model_name": "org/m"}))
    assert read_harness(path).model == "org/m"
