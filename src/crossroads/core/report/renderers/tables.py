"""An audit as tables in files: one kind of number each as CSV, and all numbers as CSV and Parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crossroads.core.errors import require
from crossroads.core.report.audit import Audit
from crossroads.core.results import Row
from crossroads.core.stimuli.files.text import write_rows
from crossroads.core.wording import phrases

COVERAGE = ("design", "set", "word", "status", "detail")  # columns of the table of coverage


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: tuple[str, ...] | None = None) -> None:
    """Write rows as CSV for spreadsheets, with the columns of the first row unless others are named."""
    rows = list(rows)
    names = columns or (tuple(rows[0]) if rows else ())
    with path.open("w", encoding="utf-8", newline="") as file:
        write_rows(file, names, rows)


def write_tables(folder: Path, audit: Audit) -> None:
    """Write a CSV for each kind of result of the audit, and always one of coverage."""
    for kind, results in audit.by_type():
        named = ((name, row) for name, one in results.items() for row in one._rows())
        rows = [row if {"design", "concept"} & row.keys() else {"result": name, **row} for name, row in named]
        if kind._stem and rows:
            write_csv(folder / f"{kind._stem}.csv", rows)
    for one in audit.values():
        for stem, rows in one._other_files().items():
            write_csv(folder / f"{stem}.csv", rows)
    write_csv(folder / "coverage.csv", coverage_rows(audit), columns=COVERAGE)


def coverage_rows(audit: Audit) -> Iterator[Row]:
    """Coverage of every stimulus of every test; intervals and influences use the words of their test."""
    for name, coverage in audit.coverages().items():
        for part, words in coverage.dropped.items():
            for word, why in words.items():
                yield {"design": name, "set": part, "word": word, "status": "left out", "detail": why}
        for part, used in coverage.used.items():
            for word in used:
                how = coverage.respelled.get(word)
                status = "found" if how is None else "respelled"
                yield {"design": name, "set": part, "word": word, "status": status, "detail": how or ""}


_PLACE = ("model", "measure", "test", "part", "statistic")
COLUMNS = (*_PLACE, "value", "low", "high", "p", "exact_p", f"p_{phrases.ADJUSTMENT}", "method", "n")
"""Columns of the table.

``part`` is what a number refers to (a level, a set, a word), ``low`` and ``high`` are the ends of its
interval or bounds, ``p`` is its p-value for other words (groups, sentences), ``p_bh`` that p-value adjusted
for the number of tests, ``exact_p`` the one of exchanging just these words, ``method`` how the number was
found, or ``exact_p`` next to it, and ``n`` counts what it was computed from: permuted stimuli, pairs of
words, resamples or cases.
"""


def tidy_rows(audit: Audit) -> list[Row]:
    """Every number of an audit, one per row.

    Draws of RSA, effect sizes of single samples of contexts, cosines of single pairs of words, scores of
    single templates, ROC curves and dissimilarities are left to ``results.json``; their means, intervals and
    p-values are here.
    """
    blank = dict.fromkeys(COLUMNS) | {"model": audit.model}
    return [
        blank | {column: value for column, value in row.items() if column in blank}
        for name, one in audit.items()
        for row in one._long_rows(name)
    ]


def write_tidy_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table as CSV for spreadsheets; numbers as Python writes them, missing ones empty."""
    write_csv(path, rows, columns=COLUMNS)


def write_tidy_parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table as Parquet; needs pyarrow (the extra ``parquet``).

    All values are doubles, which are exact for counts up to 2**53; the CSV is exact for any count.
    """
    arrow = require("pyarrow", extra="parquet", purpose="writing results.parquet")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="writing results.parquet")
    kinds = dict.fromkeys(COLUMNS, arrow.float64()) | {"n": arrow.int64()}
    kinds |= dict.fromkeys((*_PLACE, "method"), arrow.string())
    rows = list(rows)
    columns = [_column(arrow, kind, [row[name] for row in rows]) for name, kind in kinds.items()]
    table = arrow.Table.from_arrays(columns, names=list(kinds))
    with path.open("wb") as raw:  # pyarrow accepts only paths in UTF-8
        parquet.write_table(table, raw, compression="zstd")


def _column(arrow: Any, kind: Any, values: Sequence[Any]) -> Any:
    """A column of Arrow; of lists it would make one itself, but load pandas first."""
    known = np.array([value is not None for value in values], dtype=bool)
    if kind == arrow.string():
        texts = [b"" if value is None else value.encode() for value in values]
        data = [np.cumsum([0, *map(len, texts)], dtype=np.int32), b"".join(texts)]
    else:
        whole = np.int64 if kind == arrow.int64() else np.float64
        data = [np.array([0 if value is None else value for value in values], dtype=whole)]
    buffers = [arrow.py_buffer(one) for one in (np.packbits(known, bitorder="little"), *data)]
    return arrow.Array.from_buffers(kind, len(values), buffers)
