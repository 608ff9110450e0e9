"""Comparisons put together: one family of p-values, every convention, and what each model was read from."""

from __future__ import annotations

import numpy as np

from crossroads import Contexts, Design, Embeddings, battery, ceat
from crossroads.comparison.battery import (
    CompareBatteryResult,
    compare_battery,
    comparison_name,
    join_comparisons,
)
from crossroads.core.inference.multiplicity import benjamini_hochberg, holm
from crossroads.sources import Provenance

SETS = {role: [f"{role}{i}" for i in range(4)] for role in "xyab"}
DESIGN = Design(name="both", **SETS)  # type: ignore[arg-type]


def vectors(seed: int, name: str) -> Embeddings:
    rows = np.random.default_rng(seed).normal(size=(16, 5))
    return Embeddings(list(DESIGN.words), rows, provenance=Provenance(source=name))


def contexts(seed: int, name: str) -> Contexts:
    rng = np.random.default_rng(seed)
    rows = {word: rng.normal(size=(3, 5)) for word in DESIGN.words}
    return Contexts.from_dict(rows, provenance=Provenance(source=name))


def joined() -> tuple[CompareBatteryResult, CompareBatteryResult, CompareBatteryResult]:
    static = compare_battery({n: vectors(i, n) for i, n in enumerate("pq")}, DESIGN)
    stores = {name: contexts(i, f"{name} store") for i, name in enumerate("pqr")}
    over = compare_battery(stores, DESIGN, ddof=0)
    return join_comparisons([static, over], "pqr", skipped={"more": "no words."}), static, over


def test_p_values_of_both_kinds_are_adjusted_as_one_family() -> None:
    whole, static, over = joined()
    assert whole.tests == (*static.tests, *over.tests)
    assert whole.pairs == (("p", "q"), ("p", "q"), ("p", "r"), ("q", "r"))
    pvalues = [test.pvalue for test in whole.tests]
    assert whole.adjusted["holm"] == tuple(holm(pvalues).tolist())
    assert whole.adjusted["bh"] == tuple(benjamini_hochberg(pvalues).tolist())
    assert whole.intervals == (*static.intervals, *over.intervals)
    assert CompareBatteryResult.from_json(whole.to_json()) == whole


def test_conventions_sources_and_what_was_skipped_are_those_of_all() -> None:
    whole, static, over = joined()
    assert (whole.conventions["ddof"], whole.conventions["ddof over contexts"]) == (1, 0)
    assert whole.conventions["unit over contexts"] == over.conventions["unit over contexts"]
    assert "unit over contexts" not in static.conventions
    assert [one.source for one in whole.provenance] == ["p", "p store", "q", "q store", "r store"]
    assert whole.skipped == {"more": "no words."}
    assert len(whole.notes) == 3  # one for every two stores


def test_batteries_of_ceats_are_compared_test_by_test() -> None:
    stores = {name: contexts(i, name) for i, name in enumerate("pq")}
    turned = Design(name="turned", **{**SETS, "x": SETS["a"], "a": SETS["x"]})  # type: ignore[arg-type]
    saved = {
        "p": battery(stores["p"], [DESIGN, turned], samples=3),
        "q": battery(stores["q"], DESIGN, samples=3),
    }
    result = compare_battery(saved, [DESIGN, turned])
    assert result.tests == compare_battery(stores, DESIGN).tests
    assert result.intervals == compare_battery(stores, DESIGN).intervals
    missed = comparison_name("turned", "p", "q", measure="ceat")
    assert result.skipped == {missed: "q has no test 'turned' over contexts."}
    assert missed == "turned CEAT: p / q"
    single = {name: ceat(one, DESIGN, samples=3) for name, one in stores.items()}
    assert compare_battery(single, DESIGN) == compare_battery(stores, DESIGN)


def test_a_model_of_which_nothing_is_said_to_be_measured_is_not_compared() -> None:
    stores = {name: contexts(i, name) for i, name in enumerate("pqr")}
    result = compare_battery(stores, DESIGN, measured={"p": ["both"], "q": ["both"]})
    assert result.pairs == (("p", "q"),)
