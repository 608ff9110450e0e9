"""Tables of results, defined once and printed in every output.

A :class:`Table` contains values, not formatted text: a number, a p-value with its mark, an interval. The
terminal, Markdown, LaTeX, HTML and CSV print the same values by the same rules.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, Literal

from crossroads.core.errors import require
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import in_latex, in_markdown, one_line
from crossroads.core.wording.numbers import P, Style, between, number, of_hundred, percent, pvalue

Kind = Literal["", "share", "chance", "count"]
_FEW_ROWS = 12


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends of an interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of cases, and the counts that it is made of."""

    value: float
    hits: int
    cases: int


Cell = str | int | float | P | Interval | Rate | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of a table: the key of its values, and their format."""

    key: str
    """Key of the values in the rows; the name of the column in CSV files."""
    head: str
    """Header of the column."""
    note: str = ""
    """Description of the values, as the end of a sentence that begins with the header."""
    digits: int | None = None
    """Decimals of its numbers: by default two, and none of shares."""
    kind: Kind = ""
    """``share`` for shares that are printed in per cent, ``chance`` for those of at most 99 %, ``count`` for
    whole numbers."""
    spare: int = 0
    """Where space is short, columns are removed in the order of this number; 0 stays."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of values under columns, with a title and notes."""

    name: str
    """Short and unique: the stem of the CSV file and of the LaTeX label."""
    title: str
    """What the table shows."""
    columns: tuple[Column, ...]
    """The columns, in order."""
    rows: tuple[Mapping[str, Any], ...]
    """The rows: values by key of a column."""
    notes: tuple[str, ...] = ()
    """Sentences below the table, beyond what the columns say."""
    most: int | None = None
    """Largest number of rows printed; files have them all."""

    def cells(self, style: Style = "text") -> list[list[str]]:
        """Every value as text, row by row."""
        return [[shown(row.get(one.key), one, style) for one in self.columns] for row in self.rows]

    def right(self) -> list[bool]:
        """Whether each column is right-aligned, as all columns without words are."""
        return [not any(isinstance(row.get(one.key), str) for row in self.rows) for one in self.columns]

    def reading(self) -> list[str]:
        """Sentences that explain the columns and the marks."""
        said = [f"{one.head}: {one.note}." for one in self.columns if one.note]
        return [*said, *self.marks(), *self.notes]

    def marks(self) -> list[str]:
        """Sentences that say what the marks before its p-values mean."""
        found = (row.get(one.key) for row in self.rows for one in self.columns)
        return phrases.marks_used((one.mark, one.method) for one in found if isinstance(one, P))

    def heads(self) -> list[str]:
        """Names of the columns of :meth:`records`, also without a row."""
        return list(_record({}, self.columns, self._split))

    def records(self) -> list[dict[str, Any]]:
        """Rows for CSV files: nothing rounded, marks and ends of intervals in separate columns."""
        split = self._split
        return [_record(row, self.columns, split) for row in self.rows]

    @property
    def _split(self) -> dict[str, type]:
        """Columns that hold p-values, intervals or rates, which take more than one column in a file."""
        cells = ((key, cell) for row in self.rows for key, cell in row.items())
        return {key: type(cell) for key, cell in cells if isinstance(cell, tuple(_SPLIT))}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """The rows of :meth:`records` for any reader of Arrow, such as ``polars.DataFrame(table)``."""
        return arrow_stream(self.records(), requested_schema)

    def without(self, keys: Iterable[str]) -> Table:
        """The table without some columns."""
        gone = set(keys)
        return replace(self, columns=tuple(one for one in self.columns if one.key not in gone))

    def shortened(self) -> Table:
        """The table with the rows to print, and a note on the others."""
        if self.most is None or len(self.rows) <= self.most:
            return self
        more = f"The first {self.most} of {len(self.rows):,} rows."
        return replace(self, rows=self.rows[: self.most], notes=(*self.notes, more))

    def __str__(self) -> str:
        """A small table for a terminal or a notebook without HTML."""
        head, right = [one_line(one.head) for one in self.columns], self.right()
        cells = [[one_line(text) for text in row] for row in self.cells()[:_FEW_ROWS]]
        rest = len(self.rows) - _FEW_ROWS
        widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
        lines = [
            "  ".join(
                text.rjust(width) if side else text.ljust(width)
                for text, width, side in zip(row, widths, right, strict=True)
            ).rstrip()
            for row in (head, *cells)
        ]
        more = [f"… and {rest:,} more rows"] if rest > 0 else []
        marks = replace(self, rows=self.rows[:_FEW_ROWS]).marks()
        return "\n".join([one_line(self.title), *lines, *more, *marks])


def arrow_stream(rows: Iterable[Mapping[str, Any]], requested: object | None = None) -> Any:
    """A stream of rows for ``__arrow_c_stream__``; needs pyarrow (the extra ``parquet``).

    Every column has one type. Counts beyond 64 bits become doubles, as in ``results.parquet``; a column of
    words and numbers becomes one of texts. A column that a row lacks is empty there.
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


def shown(value: Cell, column: Column, style: Style = "text") -> str:
    """One value as text."""
    digits = 2 if column.digits is None else column.digits
    if value is None:
        return "--" if style == "latex" else "–"
    if isinstance(value, P):
        return pvalue(value, style)
    if isinstance(value, Interval):
        return between(value.low, value.high, digits, style=style)
    if isinstance(value, Rate):
        return f"{number(value.value, digits, style=style)} {value.hits:,}/{value.cases:,}"
    if isinstance(value, str):
        return in_latex(value) if style == "latex" else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if column.kind in ("share", "chance"):
        chance = column.kind == "chance"
        text = percent(of_hundred(value) / 100 if chance else value, column.digits or 0)
        return text.replace("%", r"\%") if style == "latex" else text
    if isinstance(value, int):
        return f"{value:,}"
    return number(value, digits, style=style)


_SPLIT: Mapping[type, Mapping[str, str]] = {
    P: {"": "value", "_sign": "sign"},
    Interval: {"_low": "low", "_high": "high"},
    Rate: {"": "value", "_hits": "hits", "_cases": "cases"},
}
"""Ends of the names of columns in files, and the attributes that they have, by type of cell."""


def _record(row: Mapping[str, Cell], columns: Sequence[Column], split: Mapping[str, type]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for one in columns:
        value = row.get(one.key)
        if (kind := split.get(one.key)) is None:
            record[one.key] = value
            continue
        for end, field in _SPLIT[kind].items():
            record[f"{one.key}{end}"] = getattr(value, field) if isinstance(value, kind) else None
    return record


def distinct(tables: Iterable[Table]) -> dict[str, Table]:
    """Tables by names for files and labels: the first has none, and equal names are numbered."""
    found: dict[str, Table] = {}
    for table in tables:
        names = chain([table.name if found else ""], (f"{table.name}-{at}" for at in count(2)))
        found[next(name for name in names if name not in found)] = table
    return found


def in_html(table: Table, *, most: int = 50, inline: bool = True) -> str:
    """The table as HTML, with inline styles for notebooks or with the classes of the page."""
    right = table.right()
    looks = ('style="text-align:left"', 'style="text-align:right"') if inline else ('class="t"', 'class="n"')

    def line(tag: str, cells: Iterable[str]) -> str:
        inner = "".join(
            f"<{tag} {looks[side]}>{html.escape(text)}</{tag}>"
            for text, side in zip(cells, right, strict=True)
        )
        return f"<tr>{inner}</tr>"

    cells = table.cells()
    body = "".join(line("td", row) for row in cells[:most])
    rest = len(cells) - most
    more = f"<p>… and {rest:,} more rows</p>" if rest > 0 else ""
    notes = html.escape(" ".join(table.reading()))
    return (
        f"<p><b>{html.escape(table.title)}</b></p><table><thead>{line('th', [c.head for c in table.columns])}"
        f"</thead><tbody>{body}</tbody></table>{more}<p><small>{notes}</small></p>"
    )


def in_markdown_table(table: Table, *, most: int | None = None) -> str:
    """The table in GitHub's Markdown, with an explanation of its columns below."""
    rule = ["---:" if side else "---" for side in table.right()]
    head = [in_markdown(one.head) for one in table.columns]
    cells = [
        [in_markdown(text) if isinstance(row.get(one.key), str) else text for one, text in printed]
        for row, printed in zip(
            table.rows[:most], (zip(table.columns, row, strict=True) for row in table.cells()), strict=False
        )
    ]
    grid = "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *cells))
    reading = " ".join(in_markdown(one) for one in table.reading())
    return f"{grid}\n\n{reading}" if reading else grid


_SYMBOLS = re.compile(r"\b([dps])\b(\([XY]\))?")


def latex_head(head: str) -> str:
    """The header of a column with its symbols in math mode."""
    return _SYMBOLS.sub(lambda found: f"${found[1]}{found[2] or ''}$", in_latex(head))


_MOST_ROWS = 40
"""Number of rows above which only small type fits a page."""
_TEXT_WIDTH = 345.0
"""Width of the text of an ordinary article, in points."""
_BETWEEN = 6.0
"""Space between two columns, in points."""
_LONGEST = 150.0
"""Width of a cell of words beyond which it is set in several lines, in points."""
_SHRINK = 0.85
"""Smallest scale at which all columns are kept; TeX scales what is still too wide."""


def _points(text: str) -> float:
    """About as wide as a text is in footnotesize."""
    wide = dict.fromkeys("iljtfI.,;:' ()[]!|", 2.5) | dict.fromkeys("mwMW%−≤≈×≥→", 7.0)
    return sum(wide.get(sign, 6.0 if sign.isupper() or not sign.isascii() else 4.4) for sign in text)


def breakable(text: str) -> str:
    """Text for LaTeX in which long words without a space may be broken anywhere."""
    parts = [
        r"\allowbreak{}".join(in_latex(word[i : i + 6]) for i in range(0, len(word), 6))
        if len(word) > 18
        else in_latex(word)
        for word in one_line(text).split(" ")
    ]
    return " ".join(parts)


def _printed(value: Cell, column: Column) -> str:
    """A cell for LaTeX; a long text in several lines."""
    if isinstance(value, str) and _points(value) > _LONGEST:
        return rf"\parbox[t]{{{_LONGEST:g}pt}}{{\raggedright {breakable(value)}\strut}}"
    return shown(value, column, "latex")


def _narrowed(table: Table) -> tuple[Table, list[str]]:
    """The table without the columns that have no room on a page, and their headers."""
    gone: list[str] = []
    while True:
        cells = [[one.head for one in table.columns], *table.cells()]
        wide = sum(
            max(min(_points(text), _LONGEST) for text in column) for column in zip(*cells, strict=True)
        )
        spare = [one for one in table.columns if one.spare]
        if (wide + _BETWEEN * len(table.columns)) * _SHRINK <= _TEXT_WIDTH or not spare:
            return table, gone
        least = min(one.spare for one in spare)
        gone += [one.head for one in spare if one.spare == least]
        table = table.without(one.key for one in spare if one.spare == least)


def in_latex_table(table: Table, *, label: str, before: str = "") -> str:
    r"""Format the table for LaTeX, with an explanation of its columns in the caption.

    It needs the packages booktabs and graphicx, and fits the width of the text: columns that can be spared
    are left out, which the caption says, long texts are set in several lines, and ``\crossroadsfit``, which
    :data:`FIT` defines, scales what is still too wide.

    Parameters
    ----------
    table
        The table to print.
    label
        Label for references.
    before
        Text of the caption after the title, such as the name of a model.
    """
    # long texts go below the table: a column of sentences does not fit a page
    below = [one.key for one in table.columns if one.key == "question"]
    narrow, gone = _narrowed(table.without(below))
    rows = [
        " & ".join(_printed(row.get(one.key), one) for one in narrow.columns) + r" \\" for row in table.rows
    ]
    name = table.columns[0].key
    asked = [row for row in table.rows if below and row.get("question")]
    notes = [f"{row.get(name)}: {row['question']}." for row in asked]
    left_out = [f"Not printed, for want of width: {', '.join(gone)}."] if gone else []
    reading = " ".join(breakable(one) for one in [*narrow.reading(), *left_out])
    said = rf" {{\footnotesize {reading}}}" if reading else ""
    lines = [
        r"\begin{table}",
        r"\centering\sloppy",
        rf"\caption{{{breakable(table.title + before)}.{said}}}",
        rf"\label{{{label}}}",
        r"\footnotesize" if len(rows) <= _MOST_ROWS else r"\scriptsize",
        r"\setlength{\tabcolsep}{3pt}",
        r"\crossroadsfit{%",
        rf"\begin{{tabular}}{{{''.join('r' if side else 'l' for side in narrow.right())}}}",
        r"\toprule",
        " & ".join(latex_head(one.head) for one in narrow.columns) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
        *([rf"\par\smallskip{{\raggedright\scriptsize {breakable(' '.join(notes))}\par}}"] if notes else []),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


FIT = r"""\providecommand{\crossroadsfit}[1]{\sbox0{#1}%
  \ifdim\wd0>\linewidth\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi}"""
"""A command that scales a table down to the width of the text where it is wider."""
