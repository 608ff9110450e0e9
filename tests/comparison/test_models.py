"""Comparing two models: what must come out, that it finds a change, and what is refused."""

from __future__ import annotations

from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crossroads import Design, Embeddings, catalog, compare, weat
from crossroads.comparison.battery import CompareBatteryResult, compare_battery
from crossroads.comparison.jackknife import effect_jackknife, jackknife
from crossroads.comparison.words import shared_words
from crossroads.core.errors import CrossroadsError, CrossroadsWarning, EvidenceError, MissingStimuliError

WORDS = {name: [f"{name}{i}" for i in range(8)] for name in "xyab"}
DESIGN = Design(name="test", **WORDS)  # type: ignore[arg-type]
SMALL = Design(name="small", **{name: words[:4] for name, words in WORDS.items()})  # type: ignore[arg-type]
LABELS = list(DESIGN.words)


def model(rng: np.random.Generator, *, lean: float, strength: float = 1.0, dim: int = 12) -> Embeddings:
    """Targets that lean to the side of their attribute along one axis, and noise of this model's own."""
    vectors = rng.normal(size=(32, dim)) * 0.5
    vectors[:8, 0] += lean * strength
    vectors[8:16, 0] -= lean * strength
    vectors[16:24, 0] += 2
    vectors[24:, 0] -= 2
    return Embeddings(LABELS, vectors)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), ddof=st.sampled_from([0, 1]))
def test_it_equals_an_enumeration_of_the_standardised_changes(seed: int, ddof: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = model(rng, lean=0.3), model(rng, lean=0.1, dim=5)
    z = []
    for emb in (first, second):
        s = np.array(list(weat(emb, SMALL).associations.values()))
        z.append((s - s.mean()) / s.std(ddof=ddof))
    changes = z[0] - z[1]
    observed = changes[:4].sum()
    sums = np.array([changes[list(chosen)].sum() for chosen in combinations(range(8), 4)])
    up, down = (sums >= observed - 1e-12).mean(), (sums <= observed + 1e-12).mean()
    result = compare(first, second, SMALL, ddof=ddof, attributes="given")
    assert result.pvalue == pytest.approx(min(1.0, 2 * min(up, down)), rel=1e-12)
    assert list(result.changes.values()) == pytest.approx(changes.tolist(), abs=1e-10)
    d = [weat(emb, SMALL, ddof=ddof).effect_size for emb in (first, second)]
    assert result.effect_sizes == pytest.approx(tuple(d), rel=1e-10)
    assert result.difference == pytest.approx(d[0] - d[1], abs=1e-10)
    assert (result.method, result.min_pvalue) == ("exact", 2 / comb(8, 4))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("scale", "leans"), [("cosine", (1.0, 0.5)), ("sd", (1.0, 0.5)), ("sd", (0.1, 0.0))])
def test_p_with_attributes_drawn_is_that_of_changes_as_rare_as_the_difference(
    seed: int, scale: Any, leans: tuple[float, float]
) -> None:
    # tables of the two models and their jackknife are compared with definitions in test_jackknife.py
    rng = np.random.default_rng(seed)
    first, second = (model(rng, lean=lean) for lean in leans)
    both = shared_words(first, second, SMALL, "raise")
    found = effect_jackknife(both) if scale == "sd" else jackknife(both, scale)
    tail = stats.t.sf(abs(found.difference) / found.variance.total**0.5, found.variance.df)
    x, y = found.influence
    kept = stats.t.isf(tail, 6) * sqrt((sum(x**2) + sum(y**2)) / 6 * (1 / 4 + 1 / 4))
    if scale == "cosine" or found.linear:
        kept = min(kept, abs(found.difference))
    shift = np.copysign(kept, found.difference) / 2
    changes = np.concatenate([x + shift, y - shift])
    sums = np.array([changes[list(chosen)].sum() for chosen in combinations(range(8), 4)])
    up, down = ((side * sums >= side * sums[0] - 1e-9).mean() for side in (1, -1))
    expected = {"two-sided": min(1.0, 2 * min(up, down)), "greater": up, "less": down}
    for alternative, p in expected.items():
        result = compare(first, second, SMALL, scale=scale, alternative=alternative)  # type: ignore[call-overload]
        assert result.pvalue == pytest.approx(p, rel=1e-12)
        assert result.conventions["attributes"] == "drawn"


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), lean=st.sampled_from([0.0, 0.5, 2.0]))
def test_drawn_attributes_never_make_a_change_of_cosines_surer(seed: int, lean: float) -> None:
    # a difference that was made smaller is exchanged, so that its own tail is at least as large
    rng = np.random.default_rng(seed)
    first, second = model(rng, lean=lean), model(rng, lean=0.0)
    drawn, given_ = (
        compare(first, second, DESIGN, scale="cosine", alternative="observed", attributes=one).pvalue
        for one in ("drawn", "given")
    )
    assert drawn >= given_


def test_a_single_attribute_word_is_taken_as_given() -> None:
    rng = np.random.default_rng(3)
    first, second = model(rng, lean=0.3), model(rng, lean=0.1)
    lone = Design(name="lone", x=WORDS["x"], y=WORDS["y"], a=WORDS["a"][:1], b=WORDS["b"])
    result = compare(first, second, lone)
    assert result.conventions["attributes"] == "given"
    assert result == compare(first, second, lone, attributes="given")


def test_words_that_either_model_lacks_are_left_out_of_both() -> None:
    rng = np.random.default_rng(3)
    one, two = model(rng, lean=0.3), model(rng, lean=0.1)
    vectors = np.array(two.vectors)
    vectors[LABELS.index("y5")] = 0
    first = one.select([w for w in LABELS if w != "x1"])
    second = Embeddings(LABELS, vectors).select([w for w in LABELS if w != "a7"])
    with pytest.raises(MissingStimuliError):
        compare(first, second, DESIGN)
    result = compare(first, second, DESIGN, missing="drop")
    assert result.coverage is not None
    assert result.coverage.missing == {
        "x1": "not in the vocabulary of the first model",
        "y5": "zero vector of the second model",
        "a7": "not in the vocabulary of the second model",
    }
    kept = DESIGN.replace({"x1": None, "y5": None, "a7": None})
    same = compare(one, two, kept)
    assert (result.difference, result.pvalue) == (same.difference, same.pvalue)

    balanced = compare(first, second, DESIGN, missing="balance")
    assert balanced.coverage is not None
    assert {name: len(words) for name, words in balanced.coverage.used.items()} == dict.fromkeys("xyab", 7)
    assert balanced.coverage.missing["b7"] == "left out to balance the sets"


def test_a_target_that_is_an_attribute_of_one_model_is_left_out_of_both() -> None:
    rng = np.random.default_rng(3)
    one, two = model(rng, lean=0.3), model(rng, lean=0.1)
    first = one.with_fallback("lower")  # which finds A1 as the attribute a1
    second = Embeddings([*LABELS, "A1"], np.vstack([two.vectors, two["x1"]]))
    for missing in ("raise", "drop"):
        with pytest.warns(CrossroadsWarning):
            result = compare(first, second, DESIGN.replace({"x1": "A1"}), missing=missing)
        assert result.coverage is not None
        assert result.coverage.missing == {"A1": "also in a, and no word is compared with itself"}
        assert result.difference == compare(one, two, DESIGN.replace({"x1": None})).difference


@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_respellings_in_either_model_are_recorded(missing: Any) -> None:
    rng = np.random.default_rng(3)
    lenient = model(rng, lean=0.3).with_fallback("lower")
    capital = Embeddings(["X0", *LABELS[1:]], model(rng, lean=0.1).vectors)
    for pair in ((lenient, capital), (capital, lenient)):
        coverage = compare(*pair, DESIGN.replace({"x0": "X0"}), missing=missing).coverage
        assert coverage is not None
        assert coverage.respelled == {"X0": "x0 (lower)"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"design": Design(name="single", x=WORDS["x"], a=WORDS["a"], b=WORDS["b"])}, "single target"),
        ({"second": Embeddings(LABELS, [[1, 0]] * 16 + [[1, 1]] * 16)}, "every association .* in one of the"),
    ],
)
def test_what_cannot_be_compared_is_refused(changes: dict[str, Any], message: str) -> None:
    rng = np.random.default_rng(3)
    given = {"first": model(rng, lean=0.3), "second": model(rng, lean=0.1), "design": DESIGN, **changes}
    with pytest.raises(CrossroadsError, match=message):
        compare(**given)


@pytest.mark.parametrize("lean", [0.0, 1e3, 1e5])
def test_a_turned_and_stretched_copy_of_a_model_does_not_differ_from_it(lean: float) -> None:
    # Cosines do not change under rotation and scaling, but their last digits do: rounding is no change. With
    # a large lean the variation within targets is a thousandth of the association, and less.
    rng = np.random.default_rng(3)
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    for _ in range(5):
        vectors = rng.normal(size=(32, 12))
        vectors[:, 0] += lean * np.repeat([1, -1, 1, -1], 8)
        turned = vectors @ rotation * rng.uniform(0.1, 9, size=(32, 1))
        first, second = Embeddings(LABELS, vectors), Embeddings(LABELS, turned)
        for alternative in ("two-sided", "greater", "less"):
            result = compare(first, second, DESIGN, alternative=alternative)
            assert (result.difference, result.pvalue) == pytest.approx((0.0, 1.0), abs=1e-10)


def test_associations_that_are_all_but_equal_have_no_test_over_the_choice_of_attributes() -> None:
    # Associations vary by 1e-13: more than rounding makes of cosines, less than leaving out words can tell.
    rng = np.random.default_rng(5)
    vectors = np.array(model(rng, lean=0.3).vectors)
    other = model(rng, lean=0.3)
    vectors[:16] = vectors[0] + 1e-13 * rng.normal(size=(16, 12))
    flat = Embeddings(LABELS, vectors)
    with pytest.raises(EvidenceError, match="nearly equal in one of the models"):
        compare(flat, other, DESIGN)
    found = compare_battery({"flat": flat, "other": other}, DESIGN)
    assert "nearly equal" in next(iter(found.skipped.values()))
    given = compare_battery({"flat": flat, "other": other}, DESIGN, attributes="given")
    assert given.intervals == (None,)
    assert CompareBatteryResult.from_json(given.to_json()) == given


@pytest.mark.parametrize("attributes", ["given", "drawn"])
def test_a_turned_model_does_not_differ_where_sets_are_too_large_to_be_counted(attributes: Any) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(2 * 62 + 2 * 40)]
    vectors = rng.normal(size=(len(words), 300)) + 3 * rng.normal(size=300)
    turned = vectors @ np.linalg.qr(rng.normal(size=(300, 300)))[0]
    design = Design(name="t", x=words[:62], y=words[62:124], a=words[124:164], b=words[164:])
    found = compare(Embeddings(words, vectors), Embeddings(words, turned), design, attributes=attributes)
    assert abs(found.difference) < 1e-12
    assert (found.pvalue, found.method) == (1.0, "exact")


def test_the_chance_is_that_of_the_difference_over_its_error() -> None:
    design, rng = catalog("weat7"), np.random.default_rng(1)
    one, two = (Embeddings(design.words, rng.normal(size=(32, 9))) for _ in range(2))
    found = compare(one, two, design, scale="cosine", words="independent")
    left = jackknife(shared_words(one, two, design, "raise", "independent"), "cosine")
    t = left.difference / left.variance.total**0.5
    b = 8 / (8 + 2)
    assert found.agreement == pytest.approx(stats.t.cdf(abs(t) * b / (1 + b) ** 0.5, left.variance.df))
    assert left.difference == pytest.approx(found.differences[0] - found.differences[1])
    assert compare(one, two, design, attributes="given").agreement is None
