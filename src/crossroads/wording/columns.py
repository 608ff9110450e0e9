"""Rows as columns of Arrow, which polars, pandas, DuckDB and R read without copying them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from crossroads.errors import require


def arrow_stream(rows: Iterable[Mapping[str, Any]], requested: object | None = None) -> Any:
    """A stream of rows for ``__arrow_c_stream__``; needs pyarrow (the extra ``parquet``).

    Every column has one type. Counts beyond 64 bits become doubles, as in ``results.parquet``; a column of
    words and numbers becomes one of texts.

    Parameters
    ----------
    rows
        Values by name of the column; a column that a row lacks is empty there.
    requested
        The schema that the reader asks for, as the protocol passes it on.
    """
    arrow = require("pyarrow", extra="parquet", purpose="reading results as Arrow")
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: _column(arrow, [row.get(name) for row in rows]) for name in names}
    return arrow.table(columns).__arrow_c_stream__(requested)


def _column(arrow: Any, values: list[Any]) -> Any:
    try:
        return arrow.array(values)
    except OverflowError:
        return arrow.array([None if one is None else float(one) for one in values])
    except (arrow.ArrowInvalid, arrow.ArrowTypeError):
        return arrow.array([None if one is None else str(one) for one in values], type=arrow.string())
