"""Rows as columns of Arrow: every reader of the protocol gets the same values."""

from __future__ import annotations

from typing import Any

import pytest

from crossroads.core.wording.table import Column, Interval, Table, arrow_stream

arrow = pytest.importorskip("pyarrow", reason="extra 'parquet'")


class Rows:
    """Something that gives rows as Arrow."""

    def __init__(self, *rows: dict[str, Any]) -> None:
        self.rows = rows

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return arrow_stream(self.rows, requested_schema)


def test_columns_that_some_rows_lack_are_empty_there() -> None:
    found = arrow.table(Rows({"a": 1}, {"b": "x"}, {"a": 3, "b": None}))
    assert found.to_pydict() == {"a": [1, None, 3], "b": [None, "x", None]}
    assert arrow.table(Rows()).num_rows == 0


def test_a_column_has_one_type_whatever_is_in_it() -> None:
    found = arrow.table(Rows({"n": 2**80, "m": "word", "x": 1}, {"n": 1, "m": 0.5, "x": 0.25}))
    assert found.to_pydict() == {"n": [float(2**80), 1.0], "m": ["word", "0.5"], "x": [1.0, 0.25]}


def test_intervals_of_a_table_take_two_columns() -> None:
    table = Table(
        name="one",
        title="One",
        columns=(Column(key="ci", head="CI"),),
        rows=({"ci": Interval(0.1, 0.2)}, {"ci": None}),
    )
    assert arrow.table(table).to_pylist() == [
        {"ci_low": 0.1, "ci_high": 0.2},
        {"ci_low": None, "ci_high": None},
    ]
