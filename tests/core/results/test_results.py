"""What all results share: they are written and read back whole, shown safely, and cannot be changed."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import html
import json
import pickle
import re
import string
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Design, Embeddings, battery, checks, frequency, sc_weat, series
from crossroads.core.errors import CrossroadsWarning, FormatError, InputError
from crossroads.core.results import Coverage, Result, describe_coverage, read_only, result_kinds, versions
from crossroads.core.results import plain as module
from crossroads.core.results.stats import NAME, follow, pairs
from crossroads.core.wording import phrases
from crossroads.core.wording.escaping import one_line
from crossroads.core.wording.numbers import P
from crossroads.core.wording.table import Interval, Rate
from crossroads.words.checks.corrections import measured_anisotropy
from crossroads.words.measures.sc_weat import ScWeatResult
from tests.results import MAKERS, aliases


@pytest.fixture(params=MAKERS)
def result(request: pytest.FixtureRequest, every_result: dict[str, Result]) -> Result:
    """One result after another."""
    return every_result[request.param]


def test_every_type_of_result_is_tested_here(every_result: dict[str, Result]) -> None:
    assert {type(result) for result in every_result.values()} == set(result_kinds())


def test_readers_of_arrow_get_the_rows(result: Result) -> None:
    arrow = pytest.importorskip("pyarrow", reason="extra 'parquet'")
    polars = pytest.importorskip("polars", reason="extra 'test'")
    found = arrow.table(result)
    assert found.num_rows == len(result._rows())
    for read, row in zip(found.to_pylist(), result._rows(), strict=True):
        assert read == {name: row.get(name) for name in found.column_names}
    assert polars.DataFrame(result).to_dicts() == found.to_pylist()
    assert arrow.table(result._table()).num_rows == len(result._table().rows)


def test_a_result_is_written_and_read_back_whole(result: Result) -> None:
    again = type(result).from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()
    assert type(result).from_dict(result.to_dict()) == result
    assert again._rows() == result._rows()
    for each in dataclasses.fields(result):
        one, other = getattr(result, each.name), getattr(again, each.name)
        if isinstance(one, np.ndarray):
            assert other.dtype == one.dtype
            assert np.array_equal(one, other)
        elif each.name not in ("conventions", "provenance"):  # whose open values JSON keeps as lists
            assert other == one
            assert type(other) is type(one)


def test_the_document_is_plain_and_says_what_it_is(result: Result) -> None:
    text = result.to_json(indent=2)
    data = json.loads(text)
    assert (data["type"], data["schema"]) == (type(result).__name__, 1)
    assert data["versions"]["crossroads"] == versions()["crossroads"]
    names = [each.name.removeprefix("_") for each in dataclasses.fields(result)]
    assert set(data) == {"type", "schema", *names}
    assert data["conventions"]["measure"]
    assert "\\u" not in text


def test_a_result_cannot_be_changed(result: Result) -> None:
    kind: Any = type(result)
    for each in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, each.name, None)
        value = getattr(result, each.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable
            assert not getattr(type(result).from_json(result.to_json()), each.name).flags.writeable
    with pytest.raises(TypeError):
        kind(1)  # fields are given by name only


def test_results_are_equal_by_what_they_hold(result: Result, every_result: dict[str, Result]) -> None:
    assert pickle.loads(pickle.dumps(result)) == copy.deepcopy(result) == result
    assert result != dataclasses.replace(result, conventions={**result.conventions, "seed": -1})
    assert result != "a result"
    others = [other for other in every_result.values() if other is not result]
    assert result not in others
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)
    assert type(result).__eq__ is Result.__eq__  # a dataclass would compare arrays element by element


def test_a_frame_has_the_rows_of_the_result(result: Result) -> None:
    pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    frame = result.to_frame()
    rows = result._rows()
    assert len(frame) == len(rows) > 0
    assert list(frame.columns) == list(rows[0])
    assert all(list(row) == list(rows[0]) for row in rows)
    assert frame.iloc[0].dropna().to_dict().items() <= rows[0].items()


def test_html_is_escaped(result: Result) -> None:
    shown = result._repr_html_()
    assert "<script>" not in shown
    assert not re.search(r"<(b>\d|m>|g>|p>\s*<p>|r>|y>|v>)", shown)
    assert html.escape(result._table().title) in shown
    assert shown.count("<tr>") == shown.count("</tr>") == min(len(result._table().rows), 50) + 1


def test_html_shows_names_as_text_and_counts_what_it_leaves_out(every_result: dict[str, Result]) -> None:
    assert "Zoë &lt;script&gt;alert(1)&lt;/script&gt;" in every_result["weat"]._repr_html_()
    emb = Embeddings([f"<b>{i}" for i in range(60)], np.random.default_rng(1).normal(size=(60, 5)))
    shown = sc_weat(emb, "*", ["<b>0", "<b>1"], ["<b>2", "<b>3"])._repr_html_()
    assert re.search(r"<td [^>]*>&lt;b&gt;4</td>", shown)
    assert "<p>… and 6 more rows</p>" in shown


# What people meet first


def test_a_result_prints_as_a_line_and_as_a_small_table(result: Result) -> None:
    said = repr(result)
    assert said.startswith(f"<{type(result).__name__}")
    assert len(said) < 200
    assert not re.search(r"\n|= [≤≈<]", said)
    lines, table = str(result).splitlines(), result._small()
    shown = dataclasses.replace(table, rows=table.rows[:12])
    at = lines.index(one_line(table.title))
    assert all(one.head in lines[at + 1] for one in table.columns)
    for line, cells in zip(lines[at + 2 :], shown.cells(), strict=False):
        assert [one for one in cells if one_line(one) not in line] == []
    marks = shown.marks()
    assert lines[len(lines) - len(marks) :] == marks  # what a sign means is said where it is shown
    assert len(str(result)) < 4000


def test_what_results_say_of_themselves_holds_together(result: Result) -> None:
    kind, table = type(result), result._table()
    assert result._label
    assert result._section in phrases.SECTIONS
    assert table.rows
    known = {one.key for one in table.columns}
    assert len(known) == len(table.columns)
    assert all(one.head for one in table.columns)
    for row in table.rows:
        assert all(isinstance(one, (str, int, float, P, Interval, Rate, type(None))) for one in row.values())
    # two of one type stand in one table, under their names
    assert len(kind._tabulate({"first": result, "second": result}).rows) == 2 * len(table.rows)
    if kind._columns:
        assert known <= {one.key for one in kind._columns}
        assert len(table.rows) == len(list(result._members()))
    if kind._file_names:
        assert len(result._rows()) == len(list(result._members()))
    for name, test_kind, values in result._readings("r"):
        assert name
        assert set(values) == set(kind._asked[test_kind])
    for one in result._long_rows("r"):
        assert {"measure", "test", "part", "statistic", "value"} <= set(one)


def _fuller(examples: Mapping[str, Any]) -> list[Result]:
    """Results that have numbers which the examples lack."""
    given = {"attributes": "given"}
    alone, compared = examples["compare"], examples["compare_battery"]
    both = [dataclasses.replace(one, conventions=given, same_contexts=True) for one in compared.tests]
    followed = {"correlation1": 0.9, "correlation2": 0.1, "low": 0.5, "high": 1.0}
    domains = [dataclasses.replace(one, **followed) for one in examples["domain_dominance"].domain_pairs]
    cells = [
        dataclasses.replace(one, column="d", table="Table 1", ours=1.0)
        for one in examples["reproduction"].cells
    ]
    adjusted = {"bh": {"groups": 0.5, "traits": 0.5}}
    changed = [
        *(
            dataclasses.replace(chat, reading=dataclasses.replace(chat.reading, first_share=0.5))
            for name, chat in examples.items()
            if name == "chat_association"
        ),
        dataclasses.replace(alone, conventions=given),
        dataclasses.replace(compared, tests=tuple(both)),
        dataclasses.replace(examples["compare_traits"], adjusted=adjusted),
        dataclasses.replace(examples["domain_dominance"], domain_pairs=tuple(domains)),
        dataclasses.replace(examples["reproduction"], cells=tuple(cells)),
    ]
    rng, letters = np.random.default_rng(1), string.ascii_lowercase
    labels = [a + b + c for a in letters[:10] for b in letters[10:20] for c in letters[:12]]
    emb = Embeddings(labels, rng.normal(1, 1, size=(1200, 6)), ranks=range(1, 1201))
    sets = {key: labels[100 + 8 * at : 108 + 8 * at] for at, key in enumerate("xyab")}
    design = Design(name="d", **sets)  # type: ignore[arg-type]
    tests = battery(emb, [design])
    years = {year: Embeddings(labels, rng.normal(size=(1200, 6))) for year in range(1900, 1905)}
    frequencies = frequency(emb, design, draws=20)
    return [
        *changed,
        checks([tests, frequencies, dataclasses.replace(examples["placebo"], design="d")]),
        tests,
        measured_anisotropy(emb),
        frequencies,
        series(years, design),
    ]


def test_every_name_leads_to_a_value_in_some_example(every_result: dict[str, Result]) -> None:
    """A path that is wrong behind something that is None would not be seen."""

    def followed(item: Any, path: str) -> Any:
        # names of rules lead from a result, those of columns from its members
        with contextlib.suppress(AttributeError, TypeError):
            return follow(item, path)

    examples = [*every_result.values(), *_fuller(every_result)]
    for kind in result_kinds():
        items = [x for one in examples if type(one) is kind for x in (one, *one._members())]
        texts = (kind._file_names, kind._long_names, *kind._rule_names.values())
        paths = {path for text in texts for _, path in pairs(text)} | {one.path for one in kind._columns}
        for path in paths - {NAME}:
            assert any(followed(item, path) is not None for item in items), (kind, path)


# Figures


def test_a_figure_is_drawn_of_every_result_that_has_one(
    result: Result, every_result: dict[str, Result]
) -> None:
    pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")
    from matplotlib import pyplot
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if not result._figure:
        with pytest.raises(InputError, match=f"there is no figure of a {type(result).__name__}"):
            result.plot()
        return
    if result in [every_result.get(name) for name in ("eibd without truth", "chat of refusals")]:
        with pytest.raises(InputError):  # a curve needs true words, and a word has to be given to a label
            result.plot()
        return
    drawn = result.plot()
    try:
        assert isinstance(drawn, (Axes, Figure))
    finally:
        pyplot.close("all")


# Files with other fields


def test_fields_that_are_not_known_are_ignored_with_a_warning(result: Result) -> None:
    with pytest.warns(CrossroadsWarning, match="does not know: 'new'; they are ignored"):
        again = type(result).from_dict({**result.to_dict(), "new": {"a": 1}})
    assert again == result


def test_they_are_ignored_inside_parts() -> None:
    here = Place(at="x")
    made = own(place=(1, here), places={"a": (here, here)}, years={1900: here})
    data = json.loads(made.to_json())
    for place in (data["place"][1], data["places"]["a"][1], data["years"]["1900"]):
        place["new"] = 1
    with pytest.warns(CrossroadsWarning, match="a Place has fields that") as caught:
        assert Own.from_dict(data) == made
    assert len(caught) == 3


def test_fields_with_defaults_may_be_absent(result: Result) -> None:
    data = result.to_dict()
    given = [
        one.name
        for one in dataclasses.fields(result)
        if one.default is not dataclasses.MISSING or one.default_factory is not dataclasses.MISSING
    ]
    assert {"coverage", "conventions", "provenance", "versions"} <= set(given)
    younger = [one for one in given if one not in ("versions", "conventions", "provenance")]
    less = type(result).from_dict({key: value for key, value in data.items() if key not in younger})
    for one in dataclasses.fields(result):
        if one.name in younger:
            made: Any = one.default_factory
            expected = one.default if made is dataclasses.MISSING else made()
            assert module.encode(getattr(less, one.name)) == module.encode(expected)
    assert {**less.to_dict(), **{name: data[name] for name in younger}} == data


# Documents that are not results


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("{", "line 1: not a JSON document"),
        ("[1, 2]", "expected a JSON object, found list"),
        ("{}", "key 'type': this is a None, not a 'WeatResult'"),
        ({"type": "MleatResult"}, "this is a 'MleatResult', not a 'WeatResult'"),
        ({"schema": 99}, "key 'schema': written with schema 99; this version reads 1"),
        ({"exchange": {"tails": {"greater": [0.1]}}}, r"field\(s\) .* are missing from a WeatExchange"),
        ({"effect_size": "large"}, "key 'effect_size': 'large' is not a value"),
        ({"effect_size": True}, "key 'effect_size': True is not a value"),
        ({"ties": 1.5}, "key 'ties': 1.5 is not a value"),
        ({"associations": [1, 2]}, "key 'associations'"),
        ({"coverage": "all"}, "key 'coverage': 'all' is not a value"),
        ({"sets": {"x": "rose"}}, "key 'sets'"),
        ({"provenance": [{"colour": 1}]}, r"\['source'\] are missing from a Provenance"),
    ],
)
def test_documents_that_are_not_results_are_refused(
    given: str | dict[str, Any], message: str, every_result: dict[str, Result]
) -> None:
    one = every_result["weat"]
    text = given if isinstance(given, str) else json.dumps({**one.to_dict(), **given})
    with pytest.raises(FormatError, match=message):
        type(one).from_json(text)


def test_a_missing_field_is_named(every_result: dict[str, Result]) -> None:
    data = every_result["weat"].to_dict()
    del data["effect_size"], data["ties"]
    with pytest.raises(
        FormatError, match=r"field\(s\) \['effect_size', 'ties'\] are missing from a WeatResult"
    ):
        type(every_result["weat"]).from_dict(data)


def test_a_wrong_result_inside_a_result_is_refused(every_result: dict[str, Result]) -> None:
    data = every_result["mleat"].to_dict()
    data["level1"]["type"] = "MleatResult"
    with pytest.raises(FormatError, match="this is a 'MleatResult', not a 'WeatResult'"):
        type(every_result["mleat"]).from_dict(data)
    words = every_result["sc_weat"].to_dict()
    for key, value in (("effect_size", ["a", "b"]), ("words", ["a", 1]), ("words", [["a"]])):
        with pytest.raises(FormatError, match=f"key '{key}': .*not a value of this field"):
            ScWeatResult.from_dict({**words, key: value})


# A result of one's own


@dataclass(frozen=True, kw_only=True)
class Place:
    """Something inside a result."""

    at: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Own(Result):
    """A result with every kind of field that the encoder knows."""

    value: float
    numbers: NDArray[np.float64]
    counts: NDArray[np.int64]
    points: Mapping[int, tuple[float, str]]
    maybe: float | None
    pieces: tuple[tuple[str, ...], int]
    yes: bool
    place: tuple[int, Place] = (0, Place(at="here"))
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)
    years: Mapping[int, Place] = field(default_factory=dict)


def own(**changes: Any) -> Own:
    values: dict[str, Any] = {
        "value": np.float64(0.1),
        "numbers": read_only(np.array([[0.1, 0.2], [0.3, 1e-300]])),
        "counts": read_only(np.array([1, 2**60])),
        "points": {1900: (0.5, "a")},
        "maybe": None,
        "pieces": (("a", "b"), 2),
        "yes": True,
    }
    return Own(**{**values, **changes})


def test_arrays_years_and_nested_tuples_survive() -> None:
    again = Own.from_json(own().to_json())
    assert again == own()
    assert again.numbers.shape == (2, 2)
    assert again.counts.tolist() == [1, 2**60]
    assert again.points == {1900: (0.5, "a")}
    assert again.pieces == (("a", "b"), 2)
    assert own(maybe=0.5) == Own.from_json(own(maybe=0.5).to_json())
    assert own() != own(numbers=read_only(np.array([[0.1, 0.2], [0.3, 2e-300]])))


def test_arrays_survive_under_the_alias_that_numpy_gives_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since numpy 2.5 ``NDArray`` is a TypeAliasType on Python 3.12 and newer."""
    array, floats = aliases()
    hints = {**typing.get_type_hints(Own), "numbers": floats, "counts": array[np.int64] | None}
    inner = module._hints
    monkeypatch.setattr(module, "_hints", lambda kind: hints if kind is Own else inner(kind))
    again = Own.from_json(own().to_json())
    assert again == own()
    assert (str(again.numbers.dtype), str(again.counts.dtype)) == ("float64", "int64")
    assert not again.numbers.flags.writeable


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), np.float64("nan")])
def test_numbers_that_json_cannot_say_are_refused(bad: float) -> None:
    with pytest.raises(InputError, match=r"a result contains (nan|inf)"):
        own(value=bad).to_json()
    with pytest.raises(InputError, match=r"a result contains (nan|inf)"):
        own(numbers=np.array([[0.0, bad]])).to_json()


# Coverage


def coverage() -> Coverage:
    return Coverage(
        policy="drop",
        used={"x": ("p",), "y": ("q",)},
        dropped={"x": {f"w{i}": "not in the vocabulary" for i in range(10)}, "y": {}},
        respelled={"John": "john (lower)"},
    )


def test_coverage_is_told_in_sentences() -> None:
    told = describe_coverage(coverage(), most=2)
    assert told == [
        "left out of x: w0, w1 and 8 more (not in the vocabulary)",
        "found under another spelling: John as john (lower)",
    ]
    assert not coverage().complete
    assert len(coverage().missing) == 10
    whole = Coverage(policy="raise", used={"x": ("p",)}, dropped={"x": {}}, respelled={})
    assert whole.complete
    assert describe_coverage(whole) == []
