"""One long table: every number is there, unrounded, in CSV as in Parquet."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads.contexts.measures.battery import CeatBatteryResult
from crossroads.core.inference.multiplicity import ADJUSTMENTS
from crossroads.core.report.audit import Audit
from crossroads.core.report.renderers.tables import COLUMNS, tidy_rows, write_tidy_csv, write_tidy_parquet
from crossroads.intersections.detection import DetectionResult
from crossroads.intersections.rsa import RsaResult
from crossroads.traits.measures.scores import TraitScores
from crossroads.traits.pairs.emergent import EmergentResult
from crossroads.traits.people.alignment_result import AlignmentResult
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.series import SeriesResult
from crossroads.words.measures.stability import InfluenceResult


def picked(rows: list[dict[str, Any]], **wanted: str) -> list[dict[str, Any]]:
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def test_an_effect_size_stands_with_its_p_values(audit: Audit, tested: BatteryResult) -> None:
    rows = tidy_rows(audit)
    (row,) = picked(rows, test="plain", part="level 1", statistic="effect_size")
    level = tested.tests[1].level1
    assert row["value"] == level.effect_size
    assert (row["exact_p"], row["p"]) == (level.pvalue, level.crossed.pvalue)
    assert (row["p_bh"], row["method"]) == (tested.adjusted["bh"][1], "exact")
    assert row["n"] == 6  # x0, x1 and four words of y: "gone" was left out
    assert set(tested.adjusted) == set(ADJUSTMENTS)
    for how, some in tested.adjusted.items():
        for test, value in zip(tested.tests, some, strict=True):
            (row,) = picked(rows, test=test.design, part="level 1", statistic=f"p_{how}")
            assert (row["value"], row["method"]) == (value, "crossed")


def test_all_levels_words_detections_and_fits_are_there(audit: Audit, tested: BatteryResult) -> None:
    rows = tidy_rows(audit)
    assert {tuple(row) for row in rows} == {COLUMNS}
    assert {row["model"] for row in rows} == {"vectors & co_1.txt"}
    places = {(row["measure"], row["test"], row["part"], row["statistic"]) for row in rows}
    assert len(places) == len(rows)
    test = tested.tests[0]
    (mean,) = picked(rows, test=test.design, part="level 3 by", statistic="mean")
    assert (mean["value"], mean["n"]) == (test.level3["by"].mean, 16)
    (word,) = picked(rows, test=test.design, part="level 2 x a a2", statistic="association")
    assert word["value"] == test.level2["x"].associations["a2"]
    (without,) = picked(rows, measure="influence", test="plain", part="y y3")
    assert without["value"] == list(audit.of(InfluenceResult).values())[1].without["y"]["y3"]
    (accuracy,) = picked(rows, test="p IBD", statistic="accuracy")
    share = audit.of(DetectionResult)["p IBD"].intervals["accuracy"]
    assert (accuracy["low"], accuracy["value"], accuracy["n"]) == (share.low, share.value, share.cases)
    assert len(picked(rows, test="p EIBD", statistic="score")) == len(
        audit.of(DetectionResult)["p EIBD"].scores
    )
    (fit,) = audit.of(RsaResult).values()
    (row,) = picked(rows, measure="rsa", part="", statistic="similarity_difference")
    assert row["value"] == fit.similarity1 - fit.similarity2


def test_csv_reads_back_to_the_last_bit(audit: Audit, tmp_path: Path) -> None:
    rows = tidy_rows(audit)
    write_tidy_csv(tmp_path / "results.csv", rows)
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == len(rows)
    for one, other in zip(read, rows, strict=True):
        for column in ("value", "low", "high", "p", "exact_p", "p_bh", "n"):
            assert (None if one[column] == "" else float(one[column])) == other[column]
        assert one["test"] == other["test"]


def test_parquet_holds_the_same(audit: Audit, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra 'parquet'")
    rows = tidy_rows(audit)
    write_tidy_parquet(tmp_path / "results.parquet", rows)
    table = parquet.read_table(tmp_path / "results.parquet")
    assert table.column_names == list(COLUMNS)
    assert table.to_pylist() == rows


def test_every_number_of_contexts_traits_and_alignment_has_a_row_of_its_own(whole: Audit) -> None:
    rows = tidy_rows(whole)
    places = [(row["measure"], row["test"], row["part"], row["statistic"]) for row in rows]
    assert len(set(places)) == len(places)
    assert {row["measure"] for row in rows} == {
        "series", "ceat", "multilevel-ceat", "m&m", "ilps", "alignment",
        "order_sensitivity", "domain_dominance", "emergent",
    }  # fmt: skip
    (contexts,) = whole.of(CeatBatteryResult).values()
    (aligned,) = whole.of(AlignmentResult).values()
    (emerged,) = whole.of(EmergentResult).values()
    (decades,) = whole.of(SeriesResult).values()
    hard = contexts.tests[0]
    (stimuli,) = picked(rows, measure="ceat", test=hard.design, part="stimuli", statistic="effect_size")
    assert (stimuli["value"], stimuli["exact_p"]) == (hard.stimulus_effect_size, hard.stimulus_pvalue)
    assert stimuli["p_bh"] == contexts.adjusted["bh"][0]
    (score,) = picked(rows, measure="ilps", part="g, r-s", statistic="score")
    assert score["value"] == whole.of(TraitScores)["ilps scores"].row("g")["r-s"]
    (tau,) = picked(rows, measure="alignment", part="all groups", statistic="kendall_tau")
    assert (tau["value"], (tau["low"], tau["high"])) == (aligned.kendall_tau, aligned.interval)
    increases = picked(rows, measure="emergent", statistic="increase")
    assert [row["value"] for row in increases] == emerged.increase.tolist()
    (d,) = picked(rows, measure="series", test="plain 1900", part="level 1", statistic="effect_size")
    assert d["value"] == decades.points[1900].level1.effect_size


LEFT_TO_THE_DOCUMENT = {
    "effect_sizes", "sample_effect_sizes", "sample_effect_sizes_x", "sample_effect_sizes_y",
    "sample_variances", "samples1", "samples2", "template_scores", "curve", "geometry",
    "pair_index", "trait_index", "cosines", "least",
}  # fmt: skip
"""Draws, single templates, curves, dissimilarities, single cosines, and places in lists: see tidy_rows."""
ABOUT = {"conventions", "versions", "provenance", "coverage"}


def numbers_of(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """Every number of a result, with the names on the way to it."""
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from numbers_of(inside, (*place, str(key)))
    elif isinstance(value, list):
        for inside in value:
            yield from numbers_of(inside, place)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield place, float(value)


@pytest.mark.parametrize("kind", ["audit", "whole"])
def test_every_number_of_the_results_is_in_the_table(kind: str, request: pytest.FixtureRequest) -> None:
    # whatever a result may hold one day: a number outside the list above that has no row fails here
    one: Audit = request.getfixturevalue(kind)
    columns = ("value", "low", "high", "p", "exact_p", "p_bh", "n")
    there = np.sort([float(row[key]) for row in tidy_rows(one) for key in columns if row[key] is not None])
    absent = set()
    for result in one.values():
        for place, number in numbers_of(json.loads(result.to_json())):
            if {*place} & (ABOUT | LEFT_TO_THE_DOCUMENT):
                continue
            near = there[np.clip(np.searchsorted(there, number), 1, len(there) - 1) + np.array([-1, 0])]
            if np.abs(near - number).min() > 1e-12 * max(1.0, abs(number)):
                absent.add((type(result).__name__, *place))
    assert absent == set()


def test_what_is_not_a_number_is_absent_from_the_table(whole: Audit) -> None:
    scores = whole.of(TraitScores)["m&m scores"]
    table = np.array(scores.scores)
    table[0, 0] = np.nan
    hole = dataclasses.replace(scores, scores=table)
    rows = tidy_rows(Audit({**whole, "m&m scores": hole}))
    (row,) = picked(rows, measure="m&m", part=f"{scores.groups[0]}, {scores.traits[0]}", statistic="score")
    assert row["value"] is None
