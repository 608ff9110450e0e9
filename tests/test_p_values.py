"""One name for each p-value in every frame, file and figure: ``p`` for other words, ``exact_p`` for these."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossroads.core.report.audit import Audit
from crossroads.core.report.gate import STATISTICS
from crossroads.core.report.renderers.tables import tidy_rows, write_tidy_csv
from crossroads.core.results import Result
from crossroads.intersections.rsa import RsaGridResult
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import MleatResult
from crossroads.words.measures.series import SeriesResult
from tests.results import MAKERS

NAMES = sorted(MAKERS)
UNCLEAR = {"pvalue", "crossed_pvalue", "stimulus_pvalue", "adjusted", "holm", "bh", "by"}
"""Names that do not say which p-value is meant, or which one is adjusted."""


def crossed_in(result: Result) -> Iterator[Any]:
    """The tests of a result that have a p-value for other words, in the order of its rows."""
    if isinstance(result, (BatteryResult, RsaGridResult)) or type(result).__name__ == "CeatBatteryResult":
        yield from (one for test in result.tests for one in crossed_in(test))  # type: ignore[attr-defined]
    elif isinstance(result, SeriesResult):
        yield from (test.level1 for test in result.points.values())
    elif isinstance(result, MleatResult) or type(result).__name__ == "MultilevelCeatResult":
        yield result.level1  # type: ignore[attr-defined]
    elif hasattr(getattr(result, "crossed", None), "difference"):
        yield result


def exact(test: Any) -> float | None:
    """The p-value of just these words; that of CEAT is over samples, next to the one over stimuli."""
    value = getattr(test, "stimulus_pvalue", test.pvalue)
    return None if value is None else float(value)


@pytest.mark.parametrize("name", NAMES)
def test_frames_and_tables_say_which_p_value_is_meant(name: str, every_result: dict[str, Result]) -> None:
    result = every_result[name]
    rows = result._rows()
    assert not UNCLEAR & {key for row in rows for key in row}
    tests = list(crossed_in(result))
    for row, test in zip(rows, tests, strict=True) if tests else ():
        found = test.crossed
        wanted = (found.difference, found.low, found.high, found.pvalue, exact(test))
        assert tuple(row[key] for key in ("difference", "low", "high", "p", "exact_p")) == wanted
    shown = result._table().rows
    for cells, test in zip(shown, tests, strict=True) if tests and "p" in shown[0] else ():
        p = test.crossed.pvalue
        values = tuple(cells[key] and cells[key].value for key in ("p", "exact_p"))
        assert values == (p, exact(test))


def test_results_with_a_p_value_for_other_words_are_among_those_checked(
    every_result: dict[str, Result],
) -> None:
    for name in ("weat", "mleat", "battery", "ceat", "ceat_battery", "rsa", "chat_association"):
        assert list(crossed_in(every_result[name]))


@pytest.mark.parametrize("name", NAMES)
def test_long_rows_say_which_p_value_is_meant(
    name: str, every_result: dict[str, Result], tmp_path: Path
) -> None:
    result = every_result[name]
    if not result.provenance:
        result = dataclasses.replace(result, provenance=every_result["weat"].provenance)
    rows = tidy_rows(Audit({name: result}))
    assert not UNCLEAR & {row["statistic"] for row in rows}
    write_tidy_csv(tmp_path / "results.csv", rows)
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        columns = next(csv.reader(file))
    assert not UNCLEAR & set(columns)
    assert set(columns) >= {"low", "high", "p", "exact_p", "p_bh"}
    drawn = {test.crossed.difference: test for test in crossed_in(result)}
    shown = [row for row in rows if row["statistic"] == "difference" and row["value"] in drawn]
    for row in shown:
        found, test = drawn[row["value"]].crossed, drawn[row["value"]]
        wanted = (found.low, found.high, found.pvalue, exact(test))
        assert tuple(row[key] for key in ("low", "high", "p", "exact_p")) == wanted
    if rows and drawn:
        assert len(shown) >= len(drawn)


@pytest.mark.parametrize("name", ["battery", "ceat_battery", "rsa_grid", "series"])
def test_an_adjusted_value_is_in_the_rows_of_the_p_value_that_it_adjusts(
    name: str, every_result: dict[str, Result]
) -> None:
    result: Any = every_result[name]
    for how, some in result.adjusted.items():
        assert [row[f"p_{how}"] for row in result._rows()] == list(some)
    for row in tidy_rows(Audit({name: result})):
        assert row["p_bh"] is None or row["p"] is not None


def test_rules_use_the_same_names() -> None:
    for names in STATISTICS.values():
        assert not UNCLEAR & set(names)
