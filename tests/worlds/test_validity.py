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
FAIR = [kind for kind in study.NULLS if kind != "sub-clusters"]
ROUGH = ("exchangeable", "unequal spreads", "anisotropy")
"""Worlds in which words hardly vary and single cosines do: the crossed interval is wider than it says."""


def rate(count: int | None, n: int, *, at_most: float = 1.0, at_least: float = 0.0) -> None:
    """Fail where a share lies beyond bounds by more than chance, one time in a thousand."""
    assert count is not None
    low, high = binomial_interval(count, n, 0.998)
    assert low <= at_most, f"{count} of {n}"
    assert high >= at_least, f"{count} of {n}"


@pytest.mark.parametrize("sizes", study.SIZES, ids=str)
@pytest.mark.parametrize("kind", FAIR)
def test_the_crossed_p_holds_its_level_and_its_interval_the_truth(
    kind: Any, sizes: tuple[int, int, int, int]
) -> None:
    n, (n_x, _, n_a, _) = 2000, sizes
    tables = cr.worlds.vector_worlds(kind, worlds=n, sizes=sizes, seed=13).cosines()
    for some in (tables, tables[:, :n_x]):  # Levels 1 and 2
        p, held = by.crossed_rows(some, n_x, n_a, 0.0)
        rate(int((p < 0.05).sum()), n, at_most=0.06)
        rate(int((p < 0.01).sum()), n, at_most=0.015)
        rate(int(held.sum()), n, at_least=0.93)
    _, held = by.crossed_rows(tables, n_x, n_a, 0.0)
    if kind not in ROUGH and min(sizes) > 4:
        rate(int(held.sum()), n, at_most=0.98)


@pytest.mark.parametrize("design", ["weat1", "weat6", "weat7", "i1"])
def test_the_crossed_p_holds_its_level_where_real_targets_meet_dealt_attributes(design: str) -> None:
    pytest.importorskip("pyarrow", reason="the embedded default vectors: extra 'default'")
    worlds = cr.worlds.dealt_worlds(design, worlds=2000, seed=7)
    n_x, _, n_a, _ = worlds.sizes
    p, held = by.crossed_rows(worlds.cosines(), n_x, n_a, 0.0)
    rate(int((p < 0.05).sum()), 2000, at_most=0.06)
    rate(int((p < 0.01).sum()), 2000, at_most=0.015)
    rate(int(held.sum()), 2000, at_least=0.93, at_most=0.98)


@pytest.mark.parametrize("kind", ["exchangeable", "both topical", "frequency in both"])
@pytest.mark.parametrize("size", [8, 16])
def test_the_interval_holds_an_association_that_is_there(kind: Any, size: int) -> None:
    effect = 0.0 if kind == "frequency in both" else 0.4
    worlds = cr.worlds.vector_worlds(kind, worlds=2000, sizes=size, effect=effect, seed=3)
    true = worlds.truth.difference
    assert true is not None
    assert not worlds.truth.null
    p, held = by.crossed_rows(worlds.cosines(), size, size, true)
    rate(int(held.sum()), 2000, at_least=0.93, at_most=0.98)
    assert (p < 0.05).mean() > 0.7


def test_worlds_tell_procedures_apart() -> None:
    # exchanged targets err where targets have topics, and everything errs where words come in clusters
    topical = run(Cell("vectors", "topical targets", 1000, 0), seed=1)
    assert (topical[by.TARGETS].at_05 or 0) > 300
    clusters = run(Cell("vectors", "sub-clusters", 1000, 0), seed=1)
    assert all(
        (clusters[name].at_05 or 0) > 100 for name in (by.TARGETS, by.ATTRIBUTES, by.LARGER, by.CROSSED)
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
