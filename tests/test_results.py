"""What all results share: they are written and read back whole, shown safely, and cannot be changed."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import (
    Contexts,
    Design,
    Embeddings,
    Provenance,
    battery,
    bootstrap,
    ceat,
    ceat_battery,
    ceat_bootstrap,
    compare,
    discover,
    eibd,
    group_ceat,
    ibd,
    influence,
    mleat,
    multilevel_ceat,
    rsa,
    rsa_grid,
    sc_weat,
    series,
    weat,
    wefat,
)
from crossroads import results as module
from crossroads.errors import FormatError, InputError
from crossroads.evidence import Judgements, Logits
from crossroads.measures import (
    Answers,
    ScWeatResult,
    TraitScores,
    against,
    align,
    align_table,
    choose_templates,
    compare_battery,
    compare_traits,
    domain_dominance,
    emergent,
    order_sensitivity,
    screen,
    set_test,
)
from crossroads.measures.alignment import AlignmentResult
from crossroads.measures.score_files import TraitTable
from crossroads.papers import Cell, Reproduction
from crossroads.results import Coverage, Result, describe_coverage, read_only, versions
from crossroads.stimuli import paired_groups

WORDS = {name: [f"{name}{i}" for i in range(4)] for name in "xyab"}
LABELS = [word for words in WORDS.values() for word in words]
DESIGN = Design(name="Zoë <script>alert(1)</script>", **WORDS)  # type: ignore[arg-type]
GROUPS = {("p", "s"): WORDS["x"], ("p", "t"): WORDS["y"], ("q", "s"): WORDS["b"]}
STRANGE = Design(name="strange", x=["p", "q"], y=["r", "s"], a=WORDS["a"], b=WORDS["b"])


def model(seed: int) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(16, 5))
    vectors[3] = 0
    about = Provenance(source=f"model {seed}", sha256="ab", details={"decade": 1900, "layers": [1, 2]})
    return Embeddings(
        [label.upper() if label == "y0" else label for label in LABELS], vectors, provenance=about
    )


def contexts() -> Contexts:
    rows = {
        w.upper() if w == "y0" else w: np.random.default_rng(1).normal(size=(2, 4)) * (i + 1)
        + i * np.eye(4)[i % 4]
        for i, w in enumerate(LABELS)
        if w != "x3"
    }
    return Contexts.from_dict(rows, provenance=model(1).provenance, fallback="title")


def alignment() -> AlignmentResult:
    rng = np.random.default_rng(1)
    traits = ("<t>", "u", "v", "w")
    human = Judgements(
        groups=("<g>", "h", "i", "dropped"),
        traits=traits,
        annotators=("p", "q", "r"),
        ratings=rng.uniform(0, 100, size=(3, 4, 4)),
        respelled={"hs": "h"},
    )
    table = TraitTable(
        measure="m",
        groups=("<g>", "h", "i"),
        traits=traits,
        scores=rng.normal(size=(3, 4)),
        provenance=(model(1).provenance,),
    )
    return align(table, human, permutations=9, bootstrap=9, splits=3)


CROSSED = ["teenager", "elderly", "Black", "White", "Catholic", "Muslim"]


def paired(about: Provenance) -> TraitScores:
    """Scores of six groups and of all their pairs but one."""
    rng = np.random.default_rng(1)
    names = [*CROSSED, *(pair.name for pair in paired_groups(CROSSED))][:-1]
    rows = {name: {f"<b>{i}": float(rng.normal()) for i in range(12)} for name in names}
    return TraitScores.from_table(rows, provenance=(about,))


def asked(provenance: Provenance) -> Logits:
    full = np.random.default_rng(1).normal(size=(6, 4))
    return Logits.from_arrays(
        groups=["<b>", "g"],
        priors=["mask"],
        templates=["<script>", "t"],
        traits=[("p", "q"), ("r", "s")],
        logit=full.reshape(3, 2, 4, 1),
        slot=np.repeat(np.arange(6), 4).reshape(3, 2, 4, 1),
        head=-np.sort(-full, axis=1),
        log_sum_exp=np.log(np.exp(full).sum(axis=1)),
        hidden_sq_norm=np.ones(6),
        vocabulary=4,
        provenance=provenance,
    )


def made() -> dict[str, Result]:
    """A result of every type, each with a dropped word, a respelled word and a name that HTML must escape."""
    one, two = model(1).with_fallback("title"), model(2).with_fallback("title")
    options: dict[str, Any] = {"missing": "drop"}
    crossed, pairs = paired(one.provenance), paired_groups(CROSSED)
    return {
        "align": alignment(),
        "align_table": align_table({("<m>", "n"): alignment()}),
        "screen": screen([Answers(annotator="<p>", ratings={"women": {"cold-warm": 80.0}})]),
        "order_sensitivity": order_sensitivity(crossed, pairs, resamples=20, **options),
        "order_sensitivity of one order": order_sensitivity(
            crossed, {"Black teenager": ("Black", "teenager")}, resamples=20
        ),
        "domain_dominance": domain_dominance(crossed, pairs, permutations=50, resamples=20, **options),
        "emergent": emergent(crossed, pairs, on="traits", **options),
        "emergent without a null": emergent(crossed, pairs, on="traits", null="none", **options),
        "against": against(
            emergent(crossed, pairs, on="traits", **options), {("Black", "Muslim"): ["<b>0"]}, permutations=9
        ),
        "set_test": set_test(asked(one.provenance)),
        "choose_templates": choose_templates(
            set_test(asked(one.provenance)),
            {"<b>": {"p-q": 1.0, "r-s": 2.0}, "g": {"p-q": 3.0, "r-s": 0.0}},
        ),
        "weat": weat(one, DESIGN, **options),
        "single-target weat": weat(one, Design(name="single", x=["x0"], a=WORDS["a"], b=WORDS["b"])),
        "monte-carlo weat": weat(one, DESIGN, method="monte-carlo", max_work=float("inf"), **options),
        "mleat": mleat(one, DESIGN, resamples=20, **options),
        "mleat without shares": mleat(one, DESIGN, resamples=0, **options),
        "sc_weat": sc_weat(one, "*", WORDS["a"], WORDS["b"]),
        "sc_weat without p": sc_weat(one, ["x0", "x1"], WORDS["a"], WORDS["b"], method="none"),
        "bootstrap": bootstrap(one, DESIGN, resamples=20, **options),
        "influence": influence(one, DESIGN, **options),
        "compare": compare(one, two, DESIGN, **options),
        "compare_battery": compare_battery({"<m>": one, "n": two}, [DESIGN, STRANGE], resamples=10),
        "compare_traits": compare_traits(crossed, crossed, permutations=9, resamples=9),
        "battery": battery(one, [DESIGN, STRANGE], resamples=10),
        "ceat": ceat(contexts(), DESIGN, samples=5, **options),
        "ceat_bootstrap": ceat_bootstrap(contexts(), DESIGN, resamples=5, **options),
        "ceat_battery": ceat_battery(contexts(), [DESIGN, STRANGE], samples=5, resamples=4),
        "multilevel_ceat": multilevel_ceat(contexts(), DESIGN, samples=5, **options),
        "group_ceat": group_ceat(
            contexts(), {"<g>": WORDS["x"]}, {"t": (WORDS["a"], WORDS["b"]), "u": (["q"], ["r"])}, **options
        ),
        "wefat": wefat(one, GROUPS, WORDS["a"], "p / s", **options),
        "ibd": ibd(
            wefat(one, GROUPS, WORDS["a"], "p / s", **options).pairs, threshold="accuracy", truth=["a1"]
        ),
        "eibd without truth": eibd({"1": {"<b>": 1.0}}, {"2": {"<b>": 0.5}}, threshold=0.7),
        "discover": discover(one, GROUPS, "p / s", fdr=0.9, permutations=5, **options),
        "rsa": rsa(one, WORDS["y"], WORDS["a"], WORDS["b"], n=3, samples=5, permutations=9),
        "rsa_grid": rsa_grid(one, {"<y>": WORDS["y"], "a": WORDS["a"]}, {"b": WORDS["b"]}, n=3, samples=2),
        "reproduction": Reproduction(
            paper="p",
            title="t",
            citation="c",
            doi="10.1/1",
            published_vectors="<v>",
            vectors="w",
            same_vectors=False,
            cells=(Cell(row="<r>", column="c", published=0.1, ours=None, verdict="model absent"),),
            notes=("n",),
            conventions={"measure": "reproduction"},
            provenance=(one.provenance,),
        ),
        "series": series({1900: one, 1950: two, 1810: Embeddings(["p"], [[1.0]])}, DESIGN, resamples=0),
    }


RESULTS = made()
every_result = pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())


def subclasses(kind: type[Result]) -> Iterator[type[Result]]:
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


def test_every_type_of_result_is_tested_here() -> None:
    ours = {kind for kind in subclasses(Result) if kind.__module__.startswith("crossroads.")}
    assert {type(result) for result in RESULTS.values()} == ours


@every_result
def test_a_result_is_written_and_read_back_whole(result: Result) -> None:
    again = type(result).from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()
    assert type(result).from_dict(result.to_dict()) == result
    assert again.rows() == result.rows()
    for field in dataclasses.fields(result):
        one, other = getattr(result, field.name), getattr(again, field.name)
        if isinstance(one, np.ndarray):
            assert other.dtype == one.dtype
            assert np.array_equal(one, other)
        elif field.name not in ("conventions", "provenance"):  # whose open values JSON keeps as lists
            assert other == one
            assert type(other) is type(one)


@every_result
def test_nothing_is_rounded(result: Result) -> None:
    plain = json.loads(result.to_json())
    for field in dataclasses.fields(result):
        value = getattr(result, field.name)
        if isinstance(value, float):
            assert plain[field.name].hex() == value.hex()
        if isinstance(value, np.ndarray):
            assert plain[field.name] == value.tolist()


@every_result
def test_the_document_is_plain_and_says_what_it_is(result: Result) -> None:
    text = result.to_json(indent=2)
    data = json.loads(text)
    assert (data["type"], data["schema"]) == (type(result).__name__, 1)
    assert data["versions"]["crossroads"] == versions()["crossroads"]
    assert set(data["versions"]) == {"python", "crossroads", "numpy"}
    assert set(data) == {"type", "schema", *(field.name for field in dataclasses.fields(result))}
    assert data["conventions"]["measure"]
    if result not in (
        RESULTS["eibd without truth"],
        RESULTS["screen"],
    ):  # from bare scores, which come from nowhere
        details = data["provenance"][0]["details"]
        assert details == {"decade": 1900, "layers": [1, 2]} or len(data["provenance"]) == 3
    assert "\\u" not in text


@every_result
def test_a_result_cannot_be_changed(result: Result) -> None:
    kind: Any = type(result)
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable
            assert not getattr(type(result).from_json(result.to_json()), field.name).flags.writeable
    with pytest.raises(TypeError):
        kind(1)  # fields are given by name only


@every_result
def test_a_result_can_be_copied_and_sent_to_another_process(result: Result) -> None:
    assert pickle.loads(pickle.dumps(result)) == result
    assert copy.deepcopy(result) == result


@every_result
def test_results_are_equal_by_what_they_hold(result: Result) -> None:
    assert result == result
    assert result != dataclasses.replace(result, conventions={**result.conventions, "seed": -1})
    assert result != "a result"
    others = [other for other in RESULTS.values() if other is not result]
    assert result not in others
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)
    assert type(result).__eq__ is Result.__eq__  # a dataclass would compare arrays element by element


@every_result
def test_a_frame_has_the_rows_of_the_result(result: Result) -> None:
    pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    frame = result.to_frame()
    rows = result.rows()
    assert len(frame) == len(rows) > 0
    assert list(frame.columns) == list(rows[0])
    assert all(list(row) == list(rows[0]) for row in rows)
    assert frame.iloc[0].dropna().to_dict().items() <= rows[0].items()


@every_result
def test_html_is_escaped(result: Result) -> None:
    shown = result._repr_html_()
    assert "<script>" not in shown
    assert shown.startswith(f"<p><b>{type(result).__name__}</b></p><table>")
    assert shown.count("<tr>") == shown.count("</tr>") == min(len(result.rows()), 50) + 1


def test_html_shows_names_as_text_and_counts_what_it_leaves_out() -> None:
    assert "Zoë &lt;script&gt;alert(1)&lt;/script&gt;" in RESULTS["weat"]._repr_html_()
    emb = Embeddings([f"<b>{i}" for i in range(60)], np.random.default_rng(1).normal(size=(60, 5)))
    shown = sc_weat(emb, "*", ["<b>0", "<b>1"], ["<b>2", "<b>3"])._repr_html_()
    assert "<td>&lt;b&gt;0</td>" in shown
    assert shown.endswith("<p>… 10 more rows</p>")


# Documents that are not results


def changed(**changes: Any) -> dict[str, Any]:
    return {**RESULTS["weat"].to_dict(), **changes}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: not a JSON document"),
        ("", "not a JSON document"),
        ("[1, 2]", "expected a JSON object, found list"),
        ("null", "expected a JSON object, found NoneType"),
        ("{}", "key 'type': this is a None, not a 'WeatResult'"),
        (json.dumps(changed(type="MleatResult")), "this is a 'MleatResult', not a 'WeatResult'"),
        (json.dumps(changed(schema=99)), "key 'schema': written with schema 99; this version reads 1"),
        (json.dumps(changed(colour="red")), r"unknown field\(s\) \['colour'\] in a WeatResult"),
        (json.dumps(changed(tails=5)), "key 'tails': 5 is not a value of this field"),
        (json.dumps(changed(tails={"greater": [0.1]})), "key 'tails'"),
        (json.dumps(changed(effect_size="large")), "key 'effect_size': 'large' is not a value"),
        (json.dumps(changed(effect_size=None)), "key 'effect_size': None is not a value"),
        (json.dumps(changed(effect_size=True)), "key 'effect_size': True is not a value"),
        (json.dumps(changed(divisions=1.5)), "key 'divisions': 1.5 is not a value"),
        (json.dumps(changed(design=3)), "key 'design': 3 is not a value"),
        (json.dumps(changed(associations=[1, 2])), "key 'associations'"),
        (json.dumps(changed(coverage="all")), "key 'coverage': 'all' is not a value"),
        (json.dumps(changed(sets={"x": "rose"})), "key 'sets'"),
        (json.dumps(changed(provenance=[{"colour": 1}])), r"unknown field\(s\) \['colour'\] in a Provenance"),
    ],
)
def test_documents_that_are_not_results_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        type(RESULTS["weat"]).from_json(text)


def test_a_missing_field_is_named() -> None:
    data = RESULTS["weat"].to_dict()
    del data["effect_size"], data["ties"]
    with pytest.raises(
        FormatError, match=r"field\(s\) \['effect_size', 'ties'\] are missing from a WeatResult"
    ):
        type(RESULTS["weat"]).from_dict(data)


def test_a_field_that_is_younger_than_the_file_has_its_default() -> None:
    data = RESULTS["weat"].to_dict()
    del data["titles"]
    assert type(RESULTS["weat"]).from_dict(data).to_dict()["titles"] == {}


def test_a_wrong_result_inside_a_result_is_refused() -> None:
    data = RESULTS["mleat"].to_dict()
    data["level1"]["type"] = "MleatResult"
    with pytest.raises(FormatError, match="this is a 'MleatResult', not a 'WeatResult'"):
        type(RESULTS["mleat"]).from_dict(data)
    data = RESULTS["sc_weat"].to_dict()
    data["effect_size"] = ["a", "b"]
    with pytest.raises(FormatError, match="key 'effect_size'"):
        type(RESULTS["sc_weat"]).from_dict(data)


# A result of one's own


@dataclass(frozen=True, kw_only=True, eq=False)
class Own(Result):
    """A result with every kind of field that the encoder knows."""

    value: float
    table: NDArray[np.float64]
    counts: NDArray[np.int64]
    points: Mapping[int, tuple[float, str]]
    maybe: float | None
    parts: tuple[tuple[str, ...], int]
    yes: bool


def own(**changes: Any) -> Own:
    values: dict[str, Any] = {
        "value": np.float64(0.1),
        "table": read_only(np.array([[0.1, 0.2], [0.3, 1e-300]])),
        "counts": read_only(np.array([1, 2**60])),
        "points": {1900: (0.5, "a")},
        "maybe": None,
        "parts": (("a", "b"), 2),
        "yes": True,
    }
    return Own(**{**values, **changes})


def test_arrays_years_and_nested_tuples_survive() -> None:
    again = Own.from_json(own().to_json())
    assert again == own()
    assert again.table.shape == (2, 2)
    assert again.counts.tolist() == [1, 2**60]
    assert again.points == {1900: (0.5, "a")}
    assert again.parts == (("a", "b"), 2)
    assert own(maybe=0.5) == Own.from_json(own(maybe=0.5).to_json())
    assert own() != own(table=read_only(np.array([[0.1, 0.2], [0.3, 2e-300]])))


def test_the_default_row_holds_what_is_neither_list_nor_mapping() -> None:
    assert own().rows() == [
        {"type": "Own", "schema": 1, "coverage": None, "value": 0.1, "maybe": None, "yes": True}
    ]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), np.float64("nan")])
def test_numbers_that_json_cannot_say_are_refused(bad: float) -> None:
    with pytest.raises(InputError, match=r"a result holds (nan|inf)"):
        own(value=bad).to_json()
    with pytest.raises(InputError, match=r"a result holds (nan|inf)"):
        own(table=np.array([[0.0, bad]])).to_json()


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
        "x: left out w0, w1 and 8 more (not in the vocabulary)",
        "found under another spelling: John as john (lower)",
    ]
    assert not coverage().complete
    assert len(coverage().missing) == 10
    whole = Coverage(policy="raise", used={"x": ("p",)}, dropped={"x": {}}, respelled={})
    assert whole.complete
    assert describe_coverage(whole) == []


def test_words_of_a_long_result_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = [f"w{i}" for i in range(5000)]
    emb = Embeddings(labels, np.random.default_rng(0).normal(size=(5000, 3)))
    result = sc_weat(emb, "*", labels[:3], labels[3:6], method="none")
    decode, encode = module._decode, module.encode
    calls = itertools.count()
    monkeypatch.setattr(module, "_decode", lambda hint, value: (next(calls), decode(hint, value))[1])
    monkeypatch.setattr(module, "encode", lambda value: (next(calls), encode(value))[1])
    assert ScWeatResult.from_json(result.to_json()) == result
    assert next(calls) < 500


@pytest.mark.parametrize("words", [["a", 1], ["a", None], [["a"]]])
def test_one_wrong_word_among_many_is_refused(words: list[object]) -> None:
    emb = Embeddings(list("abcdefg"), np.random.default_rng(0).normal(size=(7, 3)))
    data = sc_weat(emb, "g", ["a", "b"], ["c", "d"]).to_dict()
    with pytest.raises(FormatError, match="not a value of this field"):
        ScWeatResult.from_dict({**data, "words": words})
