"""Saved audits compared: paired where vectors were kept, honest where they were not."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossroads import Contexts, Design, Embeddings, battery, compare
from crossroads.comparison.battery import CompareBatteryResult, compare_battery
from crossroads.comparison.report import (
    Comparison,
    SavedAudit,
    compare_audits,
    saved_audits,
    write_comparison,
)
from crossroads.comparison.texts import (
    comparison_citations,
    comparison_latex,
    comparison_markdown,
    comparison_methods,
)
from crossroads.core.errors import InputError
from crossroads.core.inference.multiplicity import benjamini_hochberg, holm
from crossroads.core.report.audit import Audit, FinishedAudit
from crossroads.core.report.documents.reading import read_records
from crossroads.core.report.documents.records import Record, read_document
from crossroads.core.report.files import write_audits
from crossroads.core.report.folder import check_output, ours
from crossroads.core.results import Result
from crossroads.core.wording.numbers import P, pvalue
from crossroads.sources import Provenance
from crossroads.traits.measures.scores import TraitScores
from crossroads.words.measures.battery import BatteryResult

SETS = {role: [f"{role}{i}" for i in range(5)] for role in "xyab"}
LABELS = [word for words in SETS.values() for word in words]
FIRST = Design(name="first_1", **SETS)  # type: ignore[arg-type]
SECOND = Design(name="second", **{**SETS, "x": SETS["a"], "a": SETS["x"]})  # type: ignore[arg-type]
Saved = Callable[..., list[Record]]


def model(seed: int, name: str, lean: float = 0.0, dim: int = 6) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(20, dim))
    vectors[:5, 0] += lean
    vectors[10:15, 0] += 2
    vectors[15:, 0] -= 2
    about = Provenance(source=name, sha256="ab", details={"dim": dim})
    return Embeddings(LABELS, vectors, provenance=about)


def audited(emb: Embeddings, designs: list[Design], **options: Any) -> FinishedAudit:
    options = {"alternative": "two-sided", **options}
    return FinishedAudit(audit=Audit([battery(emb, designs, **options)]), designs=designs, vectors=emb)


def traits(seed: int, name: str) -> TraitScores:
    rows = np.random.default_rng(seed).normal(size=(4, 5))
    table = {f"g{i}": {f"t{j}": float(rows[i, j]) for j in range(5)} for i in range(4)}
    return TraitScores.from_table(table, measure="ilps", provenance=(Provenance(source=name),))


def also(audit: Audit, *results: Result) -> Audit:
    """An audit with more results, or with others of the same name."""
    return dataclasses.replace(audit, given={**audit, **{one._label: one for one in results}})


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    """Write audits and read them back."""

    def write(*audits: FinishedAudit) -> list[Record]:
        records = []
        for i, one in enumerate(audits):
            place = tmp_path / f"audit {i}"
            write_audits(place, {"model": one}, figures=False)
            records += read_records(place)
        return records

    return write


@pytest.fixture
def pair(saved: Saved) -> list[SavedAudit]:
    """The saved audits of two models on one design."""
    return saved_audits(saved(*(audited(model(i, name), [FIRST]) for i, name in ((1, "one"), (2, "two")))))


def on_both(*names: str) -> dict[str, FinishedAudit]:
    """Audits of vectors and of contexts in one."""
    found = {}
    for i, name in enumerate(names):
        static, over = audited(model(i, name), [FIRST]), contextual(i, name)
        audit = also(over.audit, *static.audit.values())
        found[name] = FinishedAudit(audit=audit, designs=[FIRST], vectors=static.vectors)
    return found


def vectors_of(audits: dict[str, FinishedAudit]) -> dict[str, Embeddings]:
    return {name: one.vectors for name, one in audits.items() if one.vectors is not None}


@pytest.mark.slow
def test_saved_vectors_give_the_very_comparison_of_the_models(saved: Saved) -> None:
    one, two = model(1, "one", 2.0), model(2, "two")
    records = saved(audited(one, [FIRST, SECOND]), audited(two, [FIRST, SECOND]))
    found = compare_audits(saved_audits(records))
    alone = compare_battery({"one": one, "two": two}, [FIRST, SECOND])
    assert found.battery.tests == alone.tests  # to the last bit, provenance included
    assert found.battery.intervals == alone.intervals
    assert found.battery.adjusted["holm"] == alone.adjusted["holm"]
    assert (found.battery.unpaired, found.battery.notes, found.traits) == ((), (), ())


def test_one_name_for_different_words_is_not_compared(saved: Saved) -> None:
    other = Design(name="first_1", **{**SETS, "x": ["x0", "x1", "x2"]})  # type: ignore[arg-type]
    records = saved(
        audited(model(1, "one"), [FIRST, SECOND]),
        audited(model(2, "two"), [other, SECOND]),
        audited(model(3, "three"), [SECOND]),  # and where one was not measured, there is nothing to skip
    )
    found = compare_audits(saved_audits(records), against="first").battery
    assert found.pairs == (("one", "two"), ("one", "three"))
    assert {test.design for test in found.tests} == {"second"}
    assert list(found.skipped) == ["first_1"]
    for said in ("the word lists differ", f"{FIRST.digest[:12]} in one", f"{other.digest[:12]} in two"):
        assert said in found.skipped["first_1"]


def test_conventions_in_which_audits_differ_are_named_and_the_first_holds_for_both(saved: Saved) -> None:
    records = saved(
        audited(model(1, "one"), [FIRST], ddof=0),
        audited(model(2, "two"), [FIRST], ddof=1, alternative="greater"),
    )
    found = compare_audits(saved_audits(records)).battery
    assert found.notes == (
        "the audits differ in alternative (mleat): two-sided in one; greater in two.",
        "the audits differ in ddof (mleat): 0 in one; 1 in two.",
    )
    assert found.tests[0].conventions["ddof"] == 0
    saved_d = [one.results[0]["tests"][0]["level1"]["effect_size"] for one in records]
    assert found.tests[0].effect_sizes[0] == pytest.approx(saved_d[0], rel=1e-12)
    assert found.tests[0].effect_sizes[1] != pytest.approx(saved_d[1], rel=1e-3)
    records = saved(contextual(1, "one", ddof=0), contextual(2, "two"))
    (over,) = compare_audits(saved_audits(records)).battery.tests
    assert over.conventions["ddof"] == 0


def test_without_vectors_numbers_are_compared_without_a_test(saved: Saved) -> None:
    one = audited(model(1, "one"), [FIRST, SECOND])
    two = dataclasses.replace(audited(model(2, "two"), [FIRST]), vectors=None)
    three = dataclasses.replace(audited(model(3, "three"), [FIRST], ddof=0), vectors=None)
    found = compare_audits(saved_audits(saved(one, two, three))).battery
    assert found.tests == ()
    (difference,) = found.unpaired
    assert difference.models == ("one", "two")
    assert difference.reason == "two kept no vectors."
    measured = [result for each in (one, two) for result in each.audit.of(BatteryResult).values()]
    first, second = (result.tests[0].level1.effect_size for result in measured)
    assert difference.effect_sizes == (first, second)
    assert difference.difference == first - second
    # other conventions make another number of it
    assert found.skipped["first_1: one / three"] == "measured differently: ddof is 1 and 0."
    assert found._rows()[0]["p"] is None


def test_paired_and_unpaired_models_stand_side_by_side_and_first_means_first(saved: Saved) -> None:
    bare = dataclasses.replace(audited(model(3, "three"), [FIRST]), vectors=None)
    records = saved(audited(model(1, "one"), [FIRST]), audited(model(2, "two"), [FIRST]), bare)
    every = compare_audits(saved_audits(records)).battery
    assert every.pairs == (("one", "two"),)
    assert [one.models for one in every.unpaired] == [("one", "three"), ("two", "three")]
    first = compare_audits(saved_audits(records), against="first").battery
    assert [one.models for one in first.unpaired] == [("one", "three")]
    assert first.models == ("one", "two", "three")
    bare_first = compare_audits(saved_audits(records[::-1]), against="first").battery
    assert bare_first.tests == ()  # two and one are not compared with each other
    assert [one.models for one in bare_first.unpaired] == [("three", "two"), ("three", "one")]


def store(seed: int, name: str, collection: str | None = None, words: list[str] = LABELS) -> Contexts:
    rng = np.random.default_rng(seed)
    rows = {word: rng.normal(size=(3, 4)) for word in words}
    details = {} if collection is None else {"record": {"contexts": collection}}
    return Contexts.from_dict(rows, provenance=Provenance(source=name, details=details))


def contextual(seed: int, name: str, *, designs: list[Design] | None = None, **options: Any) -> FinishedAudit:
    """The audit of a store of contexts, with scores on traits."""
    chosen = [FIRST] if designs is None else designs
    tested = battery(store(seed, name, "abc"), chosen, samples=5, **options)
    audit = Audit([tested, traits(seed, name)], kind="encoder")
    return FinishedAudit(audit=audit, designs=chosen)


def test_saved_tests_over_contexts_give_the_very_comparison_of_the_stores(saved: Saved) -> None:
    designs = [FIRST, SECOND]
    records = saved(*(contextual(i, name, designs=designs) for i, name in enumerate(("one", "two", "three"))))
    found = compare_audits(saved_audits(records)).battery
    stores = {name: store(i, name, "abc") for i, name in enumerate(("one", "two", "three"))}
    alone = compare_battery(stores, designs)
    assert (found.tests, found.pairs, found.intervals) == (alone.tests, alone.pairs, alone.intervals)
    assert found.notes == alone.notes
    assert found.notes[0] == "one and two read the same contexts, so that differences are between the models."
    assert (found.unpaired, found.skipped) == ((), {})
    first = compare_audits(saved_audits(records), against="first").battery
    assert set(first.pairs) == {("one", "two"), ("one", "three")}


def test_differences_are_adjusted_over_vectors_and_contexts_and_agreement_by_itself(saved: Saved) -> None:
    found = compare_audits(saved_audits(saved(*on_both("one", "two").values())))
    assert [test.measure for test in found.battery.tests] == ["weat", "ceat"]
    (scores,) = found.traits
    differences = [test.pvalue for test in found.battery.tests]
    assert found.battery.adjusted["holm"] == pytest.approx(holm(differences).tolist())
    assert found.battery.adjusted["bh"] == pytest.approx(benjamini_hochberg(differences).tolist())
    agreement = [one.pvalue for one in scores.exchanges.values()]
    assert list(scores.adjusted["holm"].values()) == pytest.approx(holm(agreement).tolist())
    assert list(scores.adjusted["bh"].values()) == pytest.approx(benjamini_hochberg(agreement).tolist())
    assert list(scores.adjusted["holm"]) == list(scores.adjusted["bh"]) == ["groups", "traits"]
    texts = comparison_markdown(found), comparison_latex(found), comparison_methods(found)
    assert all(r"first\_1 CEAT" in text for text in texts)
    assert all("Hochberg's adjustment for 2 comparisons." in text for text in texts[:2])
    assert all("Hochberg's adjustment for 2 exchanges." in text for text in texts[:2])
    assert "A word has 3 contexts in one and 3 contexts in two." in texts[2]
    assert "dersimonian1986meta" not in texts[2]  # means, nothing combined
    shown = [P(one, "≈") for one in (scores.exchanges["groups"].pvalue, scores.adjusted["bh"]["groups"])]
    assert f"| {pvalue(shown[0])} | {pvalue(shown[1])} |" in texts[0]
    assert f"& {pvalue(shown[0], 'latex')} & {pvalue(shown[1], 'latex')} &" in texts[1]


def test_tests_that_were_made_already_are_completed_over_contexts_in_the_same_way(tmp_path: Path) -> None:
    both = on_both("one", "two")
    tested = compare_battery(vectors_of(both), FIRST, alternative="greater", scale="cosine")
    write_audits(tmp_path / "out", both, tested, figures=False)
    data = read_document(tmp_path / "out" / "results.json")
    over = data["results"][0]["tests"][1]
    assert over["contexts"]["x0"] == [3, 3]
    assert (over["alternative"], over["conventions"]["scale"]) == ("greater", "cosine")
    # and where some are over contexts, that is all of them
    again = CompareBatteryResult.from_dict({**data["results"][0], "unpaired": [], "notes": []})
    found = compare_audits(saved_audits(read_records(tmp_path / "out")), tested=again).battery
    assert found.tests == again.tests


def test_traits_are_a_family_without_a_test_of_designs(saved: Saved) -> None:
    audits = [
        FinishedAudit(audit=Audit([traits(i, name)]), designs=[]) for i, name in enumerate(("one", "two"))
    ]
    found = compare_audits(saved_audits(saved(*audits)))
    (agreement,) = found.traits
    assert agreement.models == ("one", "two")
    assert set(agreement.adjusted["holm"]) == {"groups", "traits"}
    assert found.battery.conventions["adjusted"] == "nothing: no paired test was made"


def test_tests_over_contexts_that_share_too_few_words_are_skipped_under_their_name(saved: Saved) -> None:
    audits = []
    for i, name in enumerate(("one", "two")):
        lacking = SETS["x"][:3] if i else SETS["x"][2:]
        words = [word for word in LABELS if word not in lacking]
        tested = battery(store(i, name, words=words), [FIRST, SECOND], samples=5)
        audits.append(FinishedAudit(audit=Audit([tested], kind="contexts"), designs=[FIRST, SECOND]))
    found = compare_audits(saved_audits(saved(*audits)), anything=True).battery
    assert "needs 2" in found.skipped["first_1 CEAT: one / two"]
    assert (found.unpaired, found.tests) == ((), ())


def test_nothing_in_common_is_said(saved: Saved) -> None:
    records = saved(audited(model(1, "one"), [FIRST]), audited(model(2, "two"), [SECOND]))
    with pytest.raises(InputError, match="nothing in common"):
        compare_audits(saved_audits(records))
    assert compare_audits(saved_audits(records), anything=True).battery.tests == ()
    with pytest.raises(InputError, match=r"there is one audit to compare"):
        saved_audits(records[:1])


def test_a_comparison_is_written_escaped_read_and_replaced(saved: Saved, tmp_path: Path) -> None:
    hard = audited(model(1, "a&b_<i>|"), [FIRST, SECOND])
    few = model(2, "two").select([word for word in LABELS if word not in ("x1", "a2")])
    other = audited(few, [FIRST, SECOND], missing="drop")
    bare = dataclasses.replace(audited(model(3, "three"), [FIRST], ddof=0), vectors=None)
    scored = [
        dataclasses.replace(one, audit=also(one.audit, traits(i, str(i))))
        for i, one in enumerate((hard, other))
    ]
    records = saved(*scored, bare)
    found, output = compare_audits(saved_audits(records)), tmp_path / "comparison"
    write_comparison(output, found, records=records, figures=False)
    names = {path.name for path in output.iterdir()}
    assert names == {
        "results.json", "comparison.csv", "comparison.md", "comparison.tex", "trait_comparison.csv",
        "methods.md", "citations.bib", "report.html",
    }  # fmt: skip
    assert names <= ours()
    check_output(output)
    again = read_records(output)
    assert {one.document["kind"] for one in again} == {"results"}
    assert [one for record in again for one in record.results] == [one.to_dict() for one in found.results]
    with (output / "comparison.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["difference"]) == found.battery.tests[0].difference
    tex, page, methods = comparison_latex(found), comparison_markdown(found), comparison_methods(found)
    assert r"a\&b\_\textless{}i\textgreater{}\textbar{} / two" in tex
    assert r"a&amp;b\_&lt;i&gt;\|" in page
    assert "<i>" not in page + methods
    assert "not compared: measured differently: ddof is 1 and 0." in page
    for told in (page, methods):
        assert "left out of both models: x1 and a2 (not in the vocabulary of two)" in told


def test_audits_of_several_models_are_written_together(tmp_path: Path) -> None:
    audits = {name: audited(model(i, name), [FIRST, SECOND]) for i, name in enumerate(("a/m", "b/m"))}
    output = tmp_path / "out"
    write_audits(output, audits, figures=False)
    assert {path.name for path in output.iterdir() if path.is_dir()} == {"a-m", "b-m"}
    data = read_document(output / "results.json")
    (battery_result,) = data["results"]
    assert battery_result["models"] == ["a/m", "b/m"]
    assert len(battery_result["tests"]) == 2
    check_output(output)
    records = read_records(output)
    assert [one.document["kind"] for one in records] == ["vectors", "vectors", "results"]
    again = compare_audits(saved_audits(records))  # the comparison itself is left aside
    assert again.battery.tests == compare_battery(vectors_of(audits), [FIRST, SECOND]).tests
    # paired tests hold also where the vectors are not kept
    tested = compare_battery(vectors_of(audits), FIRST)
    bare = {name: dataclasses.replace(one, vectors=None) for name, one in audits.items()}
    write_audits(output, bare, tested, figures=False)
    data = read_document(output / "results.json")
    assert [len(data["results"][0][key]) for key in ("tests", "unpaired")] == [1, 1]
    assert not (output / "a-m" / "vectors.npz").exists()


def test_how_a_comparison_was_made_is_told(pair: list[SavedAudit]) -> None:
    ways: list[dict[str, Any]] = [
        {}, {"alternative": "greater"}, {"alternative": "less"}, {"scale": "cosine"},
        {"attributes": "given"}, {"against": "first"},
    ]  # fmt: skip
    compared = [compare_audits(pair, **options) for options in ways]
    assert len({comparison_methods(one) for one in compared}) == len(ways)
    for found, size in zip(compared[1:3], ("larger", "smaller"), strict=True):
        for told in (comparison_markdown(found), comparison_latex(found), comparison_methods(found)):
            assert f"one-sided, for a {size} effect size in the first model" in told
    for found in compared:
        for told in (comparison_markdown(found), comparison_latex(found).replace(r"\%", "%")):
            assert "CI: of the difference, 95 %" in told
    tested = compared[0].battery
    rough = dataclasses.replace(tested, tests=(dataclasses.replace(tested.tests[0], method="bracket"),))
    assert "these methods: bracket for all." in comparison_methods(Comparison(battery=rough))


def test_attributes_are_as_asked_for_and_intervals_are_cited(pair: list[SavedAudit]) -> None:
    former = compare_audits(pair, attributes="given")
    usual, given = compare_audits(pair), former.battery
    direct = compare(model(1, "one"), model(2, "two"), FIRST, attributes="given", alternative="two-sided")
    assert given.tests[0].pvalue == direct.pvalue != usual.battery.tests[0].pvalue
    assert "efron1981jackknife" in comparison_citations(usual)
