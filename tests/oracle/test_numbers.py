"""The numbers of one result of every type, against those that are frozen: a change of a number is meant."""

from __future__ import annotations

import json
import lzma
import re
from typing import Any

import pytest

from crossroads.core.report.audit import Audit
from crossroads.core.report.renderers.tables import tidy_rows
from crossroads.core.results import Result
from tests.oracle.__main__ import FROZEN, MASKED
from tests.oracle.comparing import compared
from tests.results import MAKERS


@pytest.fixture(scope="module")
def frozen() -> dict[str, Any]:
    """Every view of every example, as it was."""
    return dict(json.loads(lzma.decompress(FROZEN.read_bytes()))["views"])


def numbers(value: Any, key: str = "") -> dict[str, float]:
    """Every number of a document, by its key."""
    if isinstance(value, bool) or key.rpartition("/")[2] in MASKED:
        return {}
    if isinstance(value, int | float):
        return {key: value}
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {name: one for at, part in inside for name, one in numbers(part, f"{key}/{at}").items()}


@pytest.mark.parametrize("name", MAKERS)
def test_numbers_are_those_that_were_frozen(
    name: str, frozen: dict[str, Any], every_result: dict[str, Result]
) -> None:
    now = numbers(json.loads(every_result[name].to_json()))
    found = compared(numbers(frozen[name]["data"]), now)
    assert (found.changed, found.gone) == ([], []), "if that is meant: make oracle FREEZE=--freeze"
    assert bool(now) == bool(numbers(frozen[name]["data"]))


@pytest.mark.parametrize("name", MAKERS)
def test_tables_print_the_digits_that_were_frozen(
    name: str, frozen: dict[str, Any], every_result: dict[str, Result]
) -> None:
    """Numbers only, in the order of the table: words around them may change."""
    one = every_result[name]
    for view, now in {"html": one._repr_html_(), "str": str(one), "repr": repr(one)}.items():
        digits = [re.findall(r"[−-]?\d[\d.,]*", text) for text in (frozen[name][view], now)]
        assert digits[1] == digits[0], "if that is meant: make oracle FREEZE=--freeze"


@pytest.mark.parametrize("name", MAKERS)
def test_files_have_the_numbers_that_were_frozen(
    name: str, frozen: dict[str, Any], every_result: dict[str, Result]
) -> None:
    rows = frozen[name]["rows"]
    if isinstance(rows, list):
        now = [dict(row) for row in tidy_rows(Audit({"example": every_result[name]}))]
        found = compared(numbers(rows), numbers(now))
        assert (found.changed, found.gone) == ([], []), "if that is meant: make oracle FREEZE=--freeze"
        assert bool(now) == bool(rows)


def test_results_are_shown_and_compared_in_one_way(every_result: dict[str, Result]) -> None:
    """``dataclass`` would write a repr of all fields, and compare arrays by truth."""
    kinds = {kind for one in every_result.values() for kind in type(one).mro() if issubclass(kind, Result)}
    assert [kind for kind in kinds - {Result} if {"__repr__", "__eq__"} & vars(kind).keys()] == []
    assert all(kind.__dataclass_params__.frozen for kind in kinds)  # type: ignore[attr-defined]
