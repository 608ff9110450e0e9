"""One long table of every number of an audit, as CSV and as Parquet; nothing is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from crossroads.errors import require
from crossroads.report.audit import Audit
from crossroads.results import Row
from crossroads.stimuli.files.spreadsheets import write_rows
from crossroads.wording import phrases

_TEXT = ("model", "measure", "test", "part", "statistic", "method")
COLUMNS = (
    *("model", "measure", "test", "part", "statistic"),
    *("value", "low", "high", "p", "exact_p", f"p_{phrases.ADJUSTMENT}", "method", "n"),
)
"""Columns of the table.

``part`` is what a number refers to (a level, a set, a word), ``low`` and ``high`` are the ends of its
interval or bounds, ``p`` is its p-value for other words (groups, sentences), ``p_bh`` that p-value adjusted
for the number of tests, ``exact_p`` the one of exchanging just these words, ``method`` how the number was
found, or ``exact_p`` next to it, and ``n`` counts what it was computed from: permuted stimuli, pairs of
words, resamples or cases.
"""


def tidy_rows(audit: Audit) -> list[Row]:
    """Every number of an audit, one per row.

    Draws of the bootstrap and of RSA, effect sizes of single samples of contexts, cosines of single pairs of
    words, scores of single templates, ROC curves and dissimilarities are left to ``results.json``; their
    means, intervals and p-values are here.
    """
    blank = dict.fromkeys(COLUMNS) | {"model": audit.model}
    return [
        blank | {column: value for column, value in row.items() if column in blank}
        for name, one in audit.items()
        for row in one.long_rows(name)
    ]


def write_tidy_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table as CSV for spreadsheets; numbers as Python writes them, missing ones empty."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, COLUMNS, rows)


def write_tidy_parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table as Parquet; needs pyarrow (the extra ``parquet``).

    All values are doubles, which are exact for counts up to 2**53; the CSV is exact for any count.
    """
    arrow = require("pyarrow", extra="parquet", purpose="writing results.parquet")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="writing results.parquet")
    kinds = {column: arrow.string() if column in _TEXT else arrow.float64() for column in COLUMNS}
    kinds["n"] = arrow.int64()
    plain = [{**row, "value": None if row["value"] is None else float(row["value"])} for row in rows]
    table = arrow.Table.from_pylist(plain, schema=arrow.schema(list(kinds.items())))
    with path.open("wb") as raw:  # pyarrow accepts only paths in UTF-8
        parquet.write_table(table, raw, compression="zstd")
