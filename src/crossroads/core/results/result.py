"""The base class of all results: numbers with their conventions, names, display and storage."""

from __future__ import annotations

import html
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from math import isnan
from typing import Any, ClassVar, Self

import numpy as np

from crossroads.core import VERSION
from crossroads.core.errors import FormatError, WrongKindError, in_short, join_words, require, without_middle
from crossroads.core.evidence.embeddings import Provenance
from crossroads.core.evidence.model_names import model_name
from crossroads.core.inference.multiplicity import ADJUSTED_P
from crossroads.core.results.checks import Check, Checked
from crossroads.core.results.conclusion import Conclusion
from crossroads.core.results.plain import decode_fields, encode_fields
from crossroads.core.results.stats import Stat, follow, named, pairs
from crossroads.core.stimuli.files.text import load_json
from crossroads.core.subjects import load_results
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import one_line
from crossroads.core.wording.numbers import P
from crossroads.core.wording.table import Table, arrow_stream, in_html

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


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """Which stimuli were measured, and why others were left out."""

    policy: str
    """Requested treatment of missing stimuli: ``raise``, ``drop`` or ``balance``."""
    used: Mapping[str, tuple[str, ...]]
    """The stimuli measured, by set."""
    dropped: Mapping[str, Mapping[str, str]]
    """The stimuli left out and why, by set."""
    respelled: Mapping[str, str]
    """Stimuli found under another spelling, with the spelling and the rule that found it."""
    notes: tuple[str, ...] = ()
    """Notes on the stimuli: words in two sets, and their effect on the statistic."""

    @property
    def complete(self) -> bool:
        """Whether every stimulus was measured."""
        return not any(self.dropped.values())

    @property
    def missing(self) -> dict[str, str]:
        """Every stimulus left out, with its reason."""
        return {word: why for words in self.dropped.values() for word, why in words.items()}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result:
    """Fields and views that every result has.

    Results are equal if they have the same type and data; they have no hash. Subclasses are dataclasses with
    ``eq=False, repr=False``. A subclass says once what its numbers are called in tables (``_columns``), in
    files (``_file_names``) and in rules (``_rule_names``); see :mod:`crossroads.core.results.stats`. Every
    output derives from these lists. A subclass defines a view itself only where it says something special.
    """

    _section: ClassVar[str] = "other"
    """Section of the result: a key of :data:`~crossroads.core.wording.phrases.SECTIONS`."""
    _stem: ClassVar[str] = ""
    """Stem of the CSV file that an audit writes for results of this type; none without."""
    _figure: ClassVar[str] = ""
    """The figure that :meth:`plot` draws: a name of :mod:`crossroads.plots`, such as ``"forest"``."""
    _cites: ClassVar[tuple[str, ...]] = ()
    """Keys of the publications behind the measure, and behind the methods it always uses."""
    _asked: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Names of the statistics that rules can use, by kind of test; derived from ``_rule_names``."""
    _columns: ClassVar[tuple[Stat, ...]] = ()
    """Columns of the table."""
    _file_names: ClassVar[str] = ""
    """Names of the values in data frames and files."""
    _rule_names: ClassVar[Mapping[str, str]] = {}
    """Names of the values that rules can use, by kind of test."""
    _long_table: ClassVar[tuple[str, str, str]] = ("", "", "")
    """In the long table: measure, path of the number of cases, and part; none without a measure."""
    _long_names: ClassVar[str] = ""
    """Names of the numbers in the long table; by default those in files."""
    _label_format: ClassVar[str] = ""
    """Label with fields in braces, such as ``"{design} placebo"``; by default the design."""
    _table_title: ClassVar[str] = ""
    _table_name: ClassVar[str] = ""
    """Name of the table; by default :attr:`stem`."""
    _most_rows: ClassVar[int | None] = None
    """Largest number of rows printed."""
    _printed: ClassVar[bool] = True
    """Whether an audit prints the table; others are too long for a terminal, and only in its files."""
    _about_test: ClassVar[bool] = False
    """Whether the result is a check of the test that its field ``design`` names, and uses its words."""
    _tests_on: ClassVar[str] = ""
    """What the tests of a battery are measured on: ``words`` or ``contexts``."""
    _judged: ClassVar[bool] = False
    """Whether human judgements are the last of its sources."""
    _words_for_rules: ClassVar[Iterable[str]] = ()
    """Words that rules can forbid."""

    coverage: Coverage | None = None
    """Which stimuli were measured."""
    conventions: Mapping[str, Any] = field(default_factory=dict)
    """Every option that the numbers depend on, as resolved."""
    provenance: tuple[Provenance, ...] = ()
    """Where the evidence came from; one entry for each model."""
    versions: Mapping[str, str] = field(default_factory=lambda: dict(versions()))
    """Versions of the software that computed the result."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_rule_names" in vars(cls):
            cls._asked = cls._known_names()

    @classmethod
    def _known_names(cls) -> dict[str, tuple[str, ...]]:
        return {
            # adjusted p-values are named by their methods
            kind: tuple(one for name, _ in pairs(names) for one in (ADJUSTED_P if name == "*" else [name]))
            for kind, names in cls._rule_names.items()
        }

    # ---- names

    @property
    def _label(self) -> str:
        """Name of the result in tables and rules."""
        if self._label_format:
            return self._label_format.format_map(vars(self))
        return str(getattr(self, "design", None) or type(self).__name__)

    @property
    def _question(self) -> str:
        """The question of the test, in a few words; empty where the label is enough."""
        titles = getattr(self, "titles", None)
        return phrases.question(titles) if isinstance(titles, Mapping) else ""

    def _parts(self, name: str) -> Iterator[tuple[str, Result]]:
        """Named results within this one; their names begin with ``name`` where that is needed."""
        yield from ()

    # ---- tables and figures

    def _members(self) -> Iterable[Any]:
        """What the rows of the result are about: the result itself, or things inside it."""
        return (self,)

    def _rows(self) -> list[Row]:
        """The result as tidy rows, as in :meth:`to_frame`."""
        return [named(one, self._file_names) for one in self._members()]

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One table of results of this type, by name, for every output."""
        every = list(results.values())
        columns = [one for one in cls._columns if len(every) > 1 or not one.look.get("several")]
        return Table(
            name=cls._table_name or cls._stem,
            title=cls._table_title,
            columns=tuple(one.column(every) for one in columns),
            rows=tuple(
                {one.key: one.cell(member, name) for one in columns}
                for name, result in results.items()
                for member in result._members()
            ),
            notes=tuple(cls._table_notes(results)),
            most=cls._most_rows,
        )

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterable[str]:  # noqa: ARG003
        """Sentences below the table."""
        return ()

    def _table(self) -> Table:
        """The result as a small table, as every output prints it."""
        return type(self)._tabulate({self._label: self})

    def plot(self, **options: Any) -> Any:
        """Draw the figure of the result, with its options; needs matplotlib (the extra ``plots``).

        Returns matplotlib axes, which a notebook shows. For the options see :mod:`crossroads.plots`.
        """
        if not self._figure:
            kinds = sorted(one.__name__.removesuffix("Result") for one in result_kinds() if one._figure)
            raise WrongKindError(
                f"there is no figure of a {type(self).__name__}.",
                hint=f"these results have one: {join_words(kinds)}.",
            )
        draw = getattr(import_module("crossroads.plots"), self._figure)
        return draw(self._to_draw(), **options)

    def _to_draw(self) -> Any:
        return self

    # ---- other outputs

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number, one per row, for the long table of an audit; see :func:`long_row`."""
        measure, cases, part = self._long_table
        if not measure:
            return
        test, more = getattr(self, "design", "") or self._label, {"n": follow(self, cases)} if cases else {}
        for statistic, path in pairs(self._long_names or self._file_names):
            values = named(self, f"{statistic}={path}") if path != cases else {}
            for key, value in values.items():
                if not isinstance(value, (str, bool)):
                    yield long_row(measure, test, part, key, value, **more)

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Statistics for rules: name of a test, its kind (a key of :attr:`asked`) and its statistics."""
        for kind, names in self._rule_names.items():
            yield self._label, kind, named(self, names)

    def _pvalue_methods(self) -> Iterator[tuple[str, str]]:
        """The method of each p-value over stimuli, after the part of the result that it belongs to."""
        yield from ()

    def _other_files(self) -> Mapping[str, list[Row]]:
        """Rows of other CSV files of an audit, by the stems of their names."""
        return {}

    @classmethod
    def _warnings(cls, results: Mapping[str, Self]) -> list[str]:  # noqa: ARG003
        """What a reader must know before the tables of these results."""
        return []

    def _unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        """Tests that could not be measured: name, kind, and why."""
        yield from ()

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """What the result comes to, a sentence per test; none where a table says it better."""
        yield from ()

    def _checks(self) -> Iterator[Checked]:
        """Tests within the result whose robustness can be checked; see :func:`~crossroads.checks`."""
        yield from ()

    def _check(self) -> Check | None:
        """The check that the result is, of the test of its design."""
        return None

    @property
    def _ordinary(self) -> float | None:
        """The ordinary association of the model, if that is what was measured."""
        return None

    def _adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        """Adjusted p-values with their marks, by method and place; none where nothing was adjusted."""
        return {}

    def _left_out(self) -> float:
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
        return pandas.DataFrame(self._rows())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """The rows of :meth:`to_frame` for any reader of Arrow, such as ``polars.DataFrame(result)``."""
        return arrow_stream(self._rows(), requested_schema)

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

    def _headline(self) -> str:
        """The main numbers in one line, as ``repr`` shows them."""
        table = self._table()
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
        kind, names = type(self).__name__, [self._label, self._where]
        head = ", ".join(without_middle(one_line(one), 60) for one in names if one and one != kind)
        said = without_middle(one_line(self._headline()), 190 - len(kind) - len(head))
        return f"<{kind}{' ' if head else ''}{head}: {said}>"

    def __str__(self) -> str:
        return "\n".join([*self._above(), str(self._small())])

    @property
    def _where(self) -> str:
        model = model_of(self)
        return "" if model in _UNNAMED else f"in {model}"

    def _small(self) -> Table:
        """The table without empty columns, and without the question of a single test."""
        table = self._table()
        empty = [one.key for one in table.columns if all(row.get(one.key) is None for row in table.rows)]
        said = len(table.rows) == 1 and self._question  # above the table
        return table.without([*empty, "question"] if said else empty)

    def _above(self) -> list[str]:
        said = [one for one in (self._question, self._where) if one]
        return [one_line(", ".join(said))] if said else []

    def _repr_html_(self) -> str:
        above = "".join(f"<p>{html.escape(one)}</p>" for one in self._above())
        return f"<div>{above}{in_html(self._small())}</div>"


def result_kinds() -> tuple[type[Result], ...]:
    """Every type of result of this package, by name; bases of others are none."""
    load_results()
    found = {one for one in _below(Result) if one.__module__.startswith("crossroads.")}
    found = {one for one in found if not one.__subclasses__()}
    return tuple(sorted(found, key=lambda one: one.__name__))


def _below(base: type[Result]) -> Iterator[type[Result]]:
    for one in base.__subclasses__():
        yield one
        yield from _below(one)


def label_for(kind: type[Result], design: str = "", **fields: object) -> str:
    """Label of results of a type with these fields, such as ``label_for(PlaceboResult, "weat6")``."""
    return kind._label_format.format_map({"design": design, **fields})


def long_row(measure: str, test: str, part: str, statistic: str, value: float | None, **more: Any) -> Row:
    """One number with its place; NaN is omitted, and counts stay integers."""
    given = value if value is None or isinstance(value, int) else float(value)
    if isinstance(given, float) and isnan(given):
        given = None
    return {"measure": measure, "test": test, "part": part, "statistic": statistic, "value": given, **more}


def model_of(result: Result) -> str | None:
    """Name of the first model of a result, if its provenance is known."""
    return model_name(result.provenance[0]) if result.provenance else None


def describe_coverage(coverage: Coverage, *, most: int = 8) -> list[str]:
    """Sentences on stimuli that were left out or found under another spelling."""
    sentences = []
    for name, words in coverage.dropped.items():
        by_reason: dict[str, list[str]] = {}
        for word, why in words.items():
            by_reason.setdefault(why, []).append(word)
        for why, left in by_reason.items():
            sentences.append(f"left out of {name}: {_listed(left, most)} ({why})")
    if coverage.respelled:
        shown = [f"{word} as {how}" for word, how in coverage.respelled.items()]
        sentences.append(f"found under another spelling: {_listed(shown, most)}")
    return [*sentences, *(f"note: {note}" for note in coverage.notes)]


def _listed(words: Sequence[str], most: int) -> str:
    rest = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + rest
