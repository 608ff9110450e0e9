"""The study of docs/validity.md with fewer worlds: crossed p-values and intervals keep what they promise."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.validity import document, study
from benchmarks.validity import procedures as by
from benchmarks.validity.procedures import Cell, run
from benchmarks.validity.tally import Tally, binomial_interval
from scipy import stats

import crossroads as cr

pytestmark = pytest.mark.slow


def rate(count: int | None, n: int, *, at_most: float = 1.0, at_least: float = 0.0) -> None:
    """Fail where a share lies beyond bounds by more than chance, one time in a thousand."""
    assert count is not None
    low, high = binomial_interval(count, n, 0.998)
    assert low <= at_most, f"{count} of {n}"
    assert high >= at_least, f"{count} of {n}"


@pytest.mark.parametrize(
    ("kind", "size", "effect"),
    [("exchangeable", 4, 0.0), ("both topical", 16, 0.0), ("both topical", 16, 0.4)],
)
def test_the_crossed_p_holds_its_level_and_its_interval_the_truth(
    kind: Any, size: int, effect: float
) -> None:
    # make validity has all worlds, sizes and real targets, with ten thousand draws of each
    worlds = cr.worlds.vector_worlds(kind, worlds=200, sizes=size, effect=effect, seed=13)
    true = worlds.truth.difference
    assert true is not None
    p, held = by.crossed_rows(worlds.cosines(), size, size, true)
    rate(int(held.sum()), 200, at_least=0.93)
    if effect:
        assert (p < 0.05).mean() > 0.7
    else:
        rate(int((p < 0.05).sum()), 200, at_most=0.06)


def test_worlds_tell_procedures_apart() -> None:
    # exchanged targets err where targets have topics, and everything errs where words come in clusters
    topical = run(Cell("vectors", "topical targets", 200, 0), seed=1)
    assert (topical[by.TARGETS].at_05 or 0) > 60
    clusters = run(Cell("vectors", "sub-clusters", 200, 0), seed=1)
    assert all(
        (clusters[name].at_05 or 0) > 20 for name in (by.TARGETS, by.ATTRIBUTES, by.LARGER, by.CROSSED)
    )


@pytest.mark.parametrize(("count", "n"), [(0, 20), (3, 50), (50, 50), (113, 2000)])
def test_binomial_intervals_are_exact(count: int, n: int) -> None:
    expected = stats.binomtest(count, n).proportion_ci(0.95, "exact")
    assert binomial_interval(count, n) == pytest.approx((expected.low, expected.high))


def test_tallies_count_and_add_up() -> None:
    one = Tally.of([0.001, 0.03, 0.2], [True, False, True])
    assert one == Tally(3, 2, 1, 2)
    assert one + one == Tally(6, 4, 2, 4)
    assert one + Tally.flagged([True, False]) == Tally(5, 3, None, None)


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
    assert [row["key"] for _, _, row in study.run_study(0.005, **options)] == []
    rows = study.rows(0.005, kept)
    assert sorted(row["key"] for row in rows) == sorted(done)
    page = document.write(rows, 0.005, tmp_path / "validity.md", tmp_path / "validity")
    text = page.read_text(encoding="utf-8")
    assert "0.5 % of the worlds" in text
    assert "| exchangeable, 8 |" in text
    assert {file.name for file in (tmp_path / "validity").iterdir()} >= {"power.svg", "false-positives.svg"}
    assert (
        json.loads((tmp_path / "validity" / "cells.json").read_text(encoding="utf-8"))[0]["world"]
        == "exchangeable"
    )


@pytest.mark.full
def test_every_family_of_the_study_has_cells_that_run() -> None:
    seen = set()
    for cell in study.cells(0.001):
        if cell.family not in seen:
            seen.add(cell.family)
            if cell.family == "dealt":
                pytest.importorskip("pyarrow", reason="the embedded default vectors: extra 'default'")
            found = run(cell, seed=1)
            assert found
            assert all(one.worlds > 0 for one in found.values()), cell.key
    assert seen == set(by.FAMILIES)
