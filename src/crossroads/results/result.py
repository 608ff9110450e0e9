"""The base class of all results: numbers with their conventions, names, display and storage."""

from __future__ import annotations

import html
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from math import isnan
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.errors import (
    FormatError,
    WrongKindError,
    in_short,
    join_words,
    require,
    without_middle,
)
from crossroads.evidence.model_names import model_name
from crossroads.evidence.provenance import Provenance
from crossroads.results.checks import Check, Checked
from crossroads.results.conclusion import Conclusion
from crossroads.results.coverage import Coverage
from crossroads.results.plain import decode_fields, encode_fields
from crossroads.stimuli.files.text import load_json
from crossroads.version import VERSION
from crossroads.wording import phrases
from crossroads.wording.columns import arrow_stream
from crossroads.wording.escaping import one_line
from crossroads.wording.numbers import P
from crossroads.wording.table import Column, Table, in_html

SCHEMA = 1
"""Version of the written form of results."""
_UNNAMED = (None, "given as arrays", "given as texts")
"""Models that nothing is known of."""
Row = dict[str, Any]
Values = dict[str, float | str | None]
"""Statistics that gate rules can use, by name."""


@cache
def versions() -> Mapping[str, str]:
    """Versions of the software that computes results."""
    return {"python": platform.python_version(), "crossroads": VERSION, "numpy": np.__version__}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result:
    """Fields and views that every result has.

    Results are equal if they have the same type and data; they have no hash. Subclasses are dataclasses with
    ``eq=False, repr=False``. Besides its numbers, a subclass defines its name (:attr:`label`,
    :attr:`question`), its section (:attr:`section`), its table (:meth:`tabulate`), its citations and the
    statistics for rules; every output uses these.
    """

    section: ClassVar[str] = "other"
    """Section of the result: a key of :data:`~crossroads.wording.phrases.SECTIONS`."""
    stem: ClassVar[str] = ""
    """Stem of the CSV file that an audit writes for results of this type; none without."""
    figure: ClassVar[str] = ""
    """The figure that :meth:`plot` draws, such as ``"association.forest:forest"``."""
    cites: ClassVar[tuple[str, ...]] = ()
    """Keys of the publications behind the measure, and behind the methods it always uses."""
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Names of the statistics that rules can use, by kind of test."""

    coverage: Coverage | None = None
    """Which stimuli were measured."""
    conventions: Mapping[str, Any] = field(default_factory=dict)
    """Every option that the numbers depend on, as resolved."""
    provenance: tuple[Provenance, ...] = ()
    """Where the evidence came from; one entry for each model."""
    versions: Mapping[str, str] = field(default_factory=lambda: dict(versions()))
    """Versions of the software that computed the result."""

    # ---- names

    @property
    def label(self) -> str:
        """Name of the result in tables and rules."""
        return str(getattr(self, "design", None) or type(self).__name__)

    @property
    def question(self) -> str:
        """The question of the test, in a few words; empty where the label is enough."""
        titles = getattr(self, "titles", None)
        return phrases.question(titles) if isinstance(titles, Mapping) else ""

    def parts(self, name: str) -> Iterator[tuple[str, Result]]:
        """Named results within this one; their names begin with ``name`` where that is needed."""
        yield from ()

    # ---- tables and figures

    def rows(self) -> list[Row]:
        """The result as tidy rows, as in :meth:`to_frame`."""
        return [{k: v for k, v in self.to_dict().items() if not isinstance(v, (dict, list))}]

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One table of results of this type, by name, for every output."""
        rows = [{"result": name, **row} for name, one in results.items() for row in one.rows()]
        if len(results) == 1:
            rows = [{k: v for k, v in row.items() if k != "result"} for row in rows]
        plain = [
            {
                k: P(v) if isinstance(v, float) and k.endswith("pvalue") else v
                for k, v in row.items()
                if k not in ("schema", "type") and isinstance(v, (str, int, float))
            }
            for row in rows
        ]
        keys = list(dict.fromkeys(key for row in plain for key in row))
        columns = tuple(Column(key=key, head=key.replace("_", " "), digits=4) for key in keys)
        return Table(name=cls.__name__.lower(), title=cls.__name__, columns=columns, rows=tuple(plain))

    def table(self) -> Table:
        """The result as a small table, as every output prints it."""
        return type(self).tabulate({self.label: self})

    def plot(self, **options: Any) -> Any:
        """Draw the figure of the result; needs matplotlib (the extra ``plots``).

        Parameters
        ----------
        options
            Passed on to the figure; see :mod:`crossroads.plots`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, which a notebook shows.
        """
        if not self.figure:
            kinds = sorted(one.__name__.removesuffix("Result") for one in result_kinds() if one.figure)
            raise WrongKindError(
                f"there is no figure of a {type(self).__name__}.",
                hint=f"these results have one: {join_words(kinds)}.",
            )
        module, _, function = self.figure.partition(":")
        return getattr(import_module(f"crossroads.plots.{module}"), function)(self._to_draw(), **options)

    def _to_draw(self) -> Any:
        """Argument of the figure of the result."""
        return self

    # ---- other outputs

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number, one per row, for the long table of an audit; see :func:`long_row`."""
        yield from ()

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Statistics for rules: name of a test, its kind (a key of :attr:`asked`) and its statistics."""
        yield from ()

    def unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Tests that could not be measured: name, kind, and why."""
        yield from ()

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """What the result comes to, a sentence per test; none where a table says it better."""
        yield from ()

    def _checks(self) -> Iterator[Checked]:
        """Tests within the result whose robustness can be checked; see :func:`~crossroads.checks`."""
        yield from ()

    def _check(self) -> Check | None:
        """The check that the result is, of the test of its design."""
        return None

    def adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values with their marks, by method and place; none where nothing was adjusted."""
        return {}

    def left_out(self) -> float:
        """Number of stimuli left out."""
        return 0.0 if self.coverage is None else float(len(self.coverage.missing))

    # ---- data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return type(self) is type(other) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def to_frame(self) -> Any:
        """The result as a tidy pandas data frame."""
        pandas = require("pandas", extra="frames", purpose="to_frame()")
        return pandas.DataFrame(self.rows())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """The rows of :meth:`to_frame` for any reader of Arrow, such as ``polars.DataFrame(result)``."""
        return arrow_stream(self.rows(), requested_schema)

    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain data, nothing rounded."""
        return {"type": type(self).__name__, "schema": SCHEMA, **encode_fields(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """The whole result as a JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`; fields that are not known are ignored, with a warning."""
        kind = data.get("type")
        if kind != cls.__name__:
            raise FormatError(f"this is a {in_short(kind)}, not a {in_short(cls.__name__)}.", key="type")
        if data.get("schema") != SCHEMA:
            raise FormatError(
                f"written with schema {in_short(data.get('schema'))}; this version reads {SCHEMA}.",
                key="schema",
            )
        return decode_fields(cls, {k: v for k, v in data.items() if k not in ("type", "schema")})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Rebuild a result from :meth:`to_json`."""
        try:
            data = load_json(text, "the result")
        except json.JSONDecodeError as error:
            raise FormatError(f"not a JSON document: {error.msg}.", line=error.lineno) from error
        if not isinstance(data, dict):
            raise FormatError(f"expected a JSON object, found {type(data).__name__}.")
        return cls.from_dict(data)

    # ---- display

    def headline(self) -> str:
        """The main numbers in one line, as ``repr`` shows them."""
        table = self.table()
        if len(table.rows) != 1:
            return f"{len(table.rows):,} rows"
        row, shown = table.rows[0], zip(table.columns, table.cells()[0], strict=True)
        # the label has the name, and the question is long
        numbers = [
            (one.head, text)
            for one, text in shown
            if row.get(one.key) is not None and not isinstance(row[one.key], str)
        ]
        return ", ".join(f"{head} {'' if text[0] in '≤≈' else '= '}{text}" for head, text in numbers)

    def __repr__(self) -> str:
        kind, model = type(self).__name__, model_of(self)
        names = [self.label, "" if model in _UNNAMED else f"in {model}"]
        head = ", ".join(without_middle(one_line(one), 60) for one in names if one and one != kind)
        said = without_middle(one_line(self.headline()), 190 - len(kind) - len(head))
        return f"<{kind}{' ' if head else ''}{head}: {said}>"

    def __str__(self) -> str:
        return "\n".join([*self._above(), str(self._small())])

    def _small(self) -> Table:
        """The table without empty columns, and without the question of a single test."""
        table = self.table()
        empty = [one.key for one in table.columns if all(row.get(one.key) is None for row in table.rows)]
        said = len(table.rows) == 1 and self.question  # above the table
        return table.without([*empty, "question"] if said else empty)

    def _above(self) -> list[str]:
        model = model_of(self)
        where = "" if model in _UNNAMED else f"in {model}"
        said = [one for one in (self.question, where) if one]
        return [one_line(", ".join(said))] if said else []

    def _repr_html_(self) -> str:
        above = "".join(f"<p>{html.escape(one)}</p>" for one in self._above())
        return f"<div>{above}{in_html(self._small())}</div>"


def result_kinds() -> tuple[type[Result], ...]:
    """Every type of result of this package that has been imported, by name."""
    found = {one for one in _below(Result) if one.__module__.startswith("crossroads.")}
    return tuple(sorted(found, key=lambda one: one.__name__))


def _below(base: type[Result]) -> Iterator[type[Result]]:
    for one in base.__subclasses__():
        yield one
        yield from _below(one)


def long_row(measure: str, test: str, part: str, statistic: str, value: float | None, **more: Any) -> Row:
    """One number with its place; NaN is omitted, and counts stay integers."""
    given = value if value is None or isinstance(value, int) else float(value)
    if isinstance(given, float) and isnan(given):
        given = None
    return {"measure": measure, "test": test, "part": part, "statistic": statistic, "value": given, **more}


def model_of(result: Result) -> str | None:
    """Name of the first model of a result, if its provenance is known."""
    return model_name(result.provenance[0]) if result.provenance else None
