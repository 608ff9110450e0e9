"""``crossroads runs``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

LOGS = Path(__file__).parents[2] / "references" / "runs"
HARNESS = LOGS / "harness"


def test_what_was_found_is_said_before_the_tables(command: Command) -> None:
    done = command("runs", HARNESS, "--metric", "pct_stereotype", "--metric", "likelihood_diff")
    assert done.status == 0, done.err
    first = done.out.splitlines()[0]
    assert first == "2 models on 2 tasks, up to 20 items each: tiny-a and tiny-b"
    assert "Models compared on benchmarks" in done.out
    assert done.out.index("crows_pairs_made_up") < done.out.index("Models on benchmarks")


def test_the_document_has_every_number(command: Command) -> None:
    done = command("runs", HARNESS, "--by", "bias_type", "--difference", "0.1", "--json")
    (result,) = json.loads(done.out)["results"]
    assert result["type"] == "RunsResult"
    assert {one["subset"] for one in result["differences"]} >= {"", "age", "nationality"}
    assert all(one["needed"] for one in result["differences"] if one["found"]["se"])


def test_a_report_is_written_and_can_be_read_again(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    done = command("runs", f"old={HARNESS / 'tiny-a'}", f"new={HARNESS / 'tiny-b'}", "-o", folder)
    assert done.status == 0, done.err
    assert {"report.html", "results.json", "runs.csv"} <= {one.name for one in folder.iterdir()}
    again = command("report", folder, "-o", tmp_path / "page.html")
    assert again.status == 0, again.err
    assert "crows_pairs_made_up pct_stereotype" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ",old,new," in (folder / "runs.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.eval",), "there is no file 'nowhere.eval'"),
        ((HARNESS, "--metric", "pct_stereotypes"), "unknown metric 'pct_stereotypes'"),
        ((HARNESS, "--cluster", "frames"), "unknown cluster label 'frames'"),
        ((HARNESS, "--difference", "0"), "difference is 0"),
        ((f"same={HARNESS}",), "are both of same on"),
    ],
)
def test_bad_input_is_told_in_a_sentence(
    arguments: tuple[str | Path, ...], message: str, command: Command
) -> None:
    done = command("runs", *arguments)
    assert done.status == 2
    assert message in done.err
    assert done.out == ""
