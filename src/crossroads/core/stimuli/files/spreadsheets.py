"""CSV tables that are safe for spreadsheet programs, which read some words as formulas.

A word or name that begins with ``=``, ``+``, ``-`` or ``@``, also in full width or after blanks, or with a
control character, is written with an apostrophe before it. So is one that has such an apostrophe already, so
that removing the first restores every word. Numbers are never changed, nor is a lone ``=``, which is not a
formula and marks exact p-values in tables.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_FORMULA = re.compile(r"'*(?:[\x00-\x1f\x7f-\x9f]|[\s\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠])")


def in_cell(value: Any) -> Any:
    """Write a value as a cell of a CSV file; words that would be formulas get an apostrophe.

    Examples
    --------
    >>> in_cell("=1+1"), in_cell("-ness"), in_cell("it's"), in_cell(-0.3), in_cell("=")
    ("'=1+1", "'-ness", "it's", -0.3, '=')
    """
    formula = isinstance(value, str) and value != "=" and _FORMULA.match(value)
    return f"'{value}" if formula else value


def from_cell(text: str) -> str:
    """Restore the word that :func:`in_cell` wrote.

    Examples
    --------
    >>> from_cell("'=1+1"), from_cell("'tis"), from_cell(in_cell("'-"))
    ('=1+1', "'tis", "'-")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def write_rows(
    file: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], *, end: str = "\r\n"
) -> None:
    """Write a table as CSV, with headers and words passed to :func:`in_cell`; missing values are empty."""
    rows = list(rows)
    writer = csv.writer(file, lineterminator=end)
    writer.writerow(_in_cells(columns))
    writer.writerows(zip(*(_in_cells([row.get(name) for row in rows]) for name in columns), strict=True))


def _in_cells(column: Sequence[Any]) -> Sequence[Any]:
    """A column, each of its words guarded once: most of them are in many rows."""
    words = {word: in_cell(word) for word in {cell for cell in column if isinstance(cell, str)}}
    return [words[cell] if isinstance(cell, str) else cell for cell in column] if words else column
