"""What the study of docs/validity.md counts, and that it goes on where it stopped."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.validity import document, study
from benchmarks.validity.tally import Tally, binomial_interval
from scipy import stats


@pytest.mark.parametrize(("count", "n"), [(0, 20), (3, 50), (50, 50), (113, 2000)])
def test_binomial_intervals_are_exact(count: int, n: int) -> None:
    expected = stats.binomtest(count, n).proportion_ci(0.95, "exact")
    assert binomial_interval(count, n) == pytest.approx((expected.low, expected.high))


def test_tallies_count_and_add_up() -> None:
    one = Tally.of([0.001, 0.03, 0.2], [True, False, True])
    assert one == Tally(3, 2, 1, 2)
    assert one + one == Tally(6, 4, 2, 4)
    assert one + Tally.flagged([True, False]) == Tally(5, 3, None, None)


@pytest.mark.slow
def test_the_study_goes_on_where_it_stopped_and_writes_its_page(tmp_path: Path) -> None:
    """One cell of each of five families: the page draws its figures from all of them."""
    gc.collect()  # what Ray has left ends here, and not while code is parsed
    kept = tmp_path / "cells.jsonl"
    options: dict[str, Any] = {"processes": 1, "file": kept, "only": "| exchangeable | 8×8×8×8 |"}
    done = [row["key"] for _, _, row in study.run_study(0.005, **options)]
    assert {key.split(" | ")[0] for key in done} == {"vectors", "contexts", "compare", "names", "series"}
    lines = kept.read_text(encoding="utf-8").splitlines()
    kept.write_text("\n".join([*lines[1:], lines[0][:50]]) + "\n", encoding="utf-8")  # killed while it wrote
    again = [row["key"] for _, _, row in study.run_study(0.005, **options)]
    assert again == [json.loads(lines[0])["key"]]
    rows = study.rows(0.005, kept)
    assert sorted(row["key"] for row in rows) == sorted(done)
    page = document.write(rows, 0.005, tmp_path / "validity.md", tmp_path / "validity")
    assert "| exchangeable, 8 |" in page.read_text(encoding="utf-8")
