"""Comparing two models: what must come out, how often it errs under the null, and that it finds a change."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossroads as cr
from crossroads import Design, Embeddings, compare, weat
from crossroads.errors import (
    CrossroadsWarning,
    DesignError,
    EvidenceError,
    InputError,
    MissingStimuliError,
    UnknownNameError,
)
from crossroads.measures import CompareBatteryResult, compare_battery
from crossroads.measures.comparison.models import Attributes

WORDS = {name: [f"{name}{i}" for i in range(8)] for name in "xyab"}
DESIGN = Design(name="test", **WORDS)  # type: ignore[arg-type]
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
    small = Design(name="small", **{name: words[:4] for name, words in WORDS.items()})  # type: ignore[arg-type]
    first, second = model(rng, lean=0.3), model(rng, lean=0.1, dim=5)
    z = []
    for emb in (first, second):
        s = np.array(list(weat(emb, small).associations.values()))
        z.append((s - s.mean()) / s.std(ddof=ddof))
    changes = z[0] - z[1]
    observed = changes[:4].sum()
    sums = np.array([changes[list(chosen)].sum() for chosen in combinations(range(8), 4)])
    up, down = (sums >= observed - 1e-12).mean(), (sums <= observed + 1e-12).mean()
    result = compare(first, second, small, ddof=ddof, attributes="given")
    assert result.pvalue == pytest.approx(min(1.0, 2 * min(up, down)), rel=1e-12)
    assert list(result.changes.values()) == pytest.approx(changes.tolist(), abs=1e-10)
    d = [weat(emb, small, ddof=ddof).effect_size for emb in (first, second)]
    assert result.effect_sizes == pytest.approx(tuple(d), rel=1e-10)
    assert result.difference == pytest.approx(d[0] - d[1], abs=1e-10)
    assert (result.method, result.min_pvalue) == ("exact", 2 / comb(8, 4))


def test_a_model_does_not_differ_from_itself() -> None:
    emb = model(np.random.default_rng(1), lean=0.3)
    for alternative in ("two-sided", "greater", "less", "observed"):
        result = compare(emb, emb, DESIGN, alternative=alternative)
        assert (result.difference, result.pvalue) == (0.0, 1.0)
        assert set(result.changes.values()) == {0.0}


@pytest.mark.parametrize("seed", range(5))
def test_a_turned_or_stretched_copy_of_a_model_does_not_differ_from_it(seed: int) -> None:
    # cosines do not change under rotation and scaling, but their last digits do: rounding is no change
    rng = np.random.default_rng(seed)
    emb = model(rng, lean=0.3)
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    copy = Embeddings(LABELS, emb.vectors @ rotation * rng.uniform(0.1, 9, size=(32, 1)))
    for alternative in ("two-sided", "greater", "less"):
        result = compare(emb, copy, DESIGN, alternative=alternative)
        assert result.difference == pytest.approx(0, abs=1e-12)
        assert result.pvalue == 1.0


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_exchanging_the_models_turns_the_difference_around(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = model(rng, lean=0.4), model(rng, lean=0.1)
    one, other = compare(first, second, DESIGN), compare(second, first, DESIGN)
    assert other.difference == -one.difference
    assert other.pvalue == one.pvalue
    greater = compare(first, second, DESIGN, alternative="greater")
    assert greater.pvalue == compare(second, first, DESIGN, alternative="less").pvalue
    assert one.provenance == (first.provenance, second.provenance)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lean", "attributes", "least"),
    [(0.0, "drawn", 4), (0.6, "drawn", 4), (0.0, "given", 5), (0.6, "given", 0)],
)
def test_equal_models_seldom_differ(lean: float, attributes: Any, least: int) -> None:
    # One planted association, two models that add noise of their own: the difference is noise. Of 300 draws
    # at 5 %, 15 are rejected on average, and fewer than 5 or more than 26 have a chance below 0.5 %; at 4 %,
    # which is nearer to what drawn attributes give here, fewer than 4. Where changes in standard deviations
    # are exchanged as they are, the stronger the association, the fewer are rejected.
    rng = np.random.default_rng(2024)
    rejected = 0
    for _ in range(300):
        word = rng.normal(size=16) * 0.3  # what a word adds to the association in both models
        pair = []
        for _ in range(2):
            vectors = np.array(model(rng, lean=lean).vectors)
            vectors[:16, 0] += word
            pair.append(Embeddings(LABELS, vectors))
        rejected += compare(pair[0], pair[1], DESIGN, attributes=attributes).pvalue < 0.05
    assert least <= rejected <= 26


def test_changes_of_cosines_keep_their_level_given_the_attributes() -> None:
    # The same attributes in both models, words of one distribution: labels of the changes are exchangeable
    # by construction, so the rejection rate is at most 5 % (300 draws: a standard deviation of 1.3 points).
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(300):
        first, second = np.array(model(rng, lean=1.5).vectors), np.array(model(rng, lean=1.5).vectors)
        second[16:] = first[16:]
        unit = [v / np.linalg.norm(v, axis=1, keepdims=True) for v in (first, second)]
        pair = [Embeddings(LABELS, v) for v in unit]
        rejected += compare(pair[0], pair[1], DESIGN, scale="cosine", attributes="given").pvalue < 0.05
    assert 0.01 <= rejected / 300 <= 0.08


def test_changes_of_cosines_equal_the_difference_of_associations() -> None:
    rng = np.random.default_rng(3)
    first, second = model(rng, lean=0.3), model(rng, lean=0.1)
    result = compare(first, second, DESIGN, scale="cosine")
    one, two = weat(first, DESIGN).associations, weat(second, DESIGN).associations
    assert result.changes == pytest.approx({word: one[word] - two[word] for word in one}, abs=1e-12)
    assert result.conventions["scale"] == "cosine"
    with pytest.raises(UnknownNameError, match="'cosine'"):
        compare(first, second, DESIGN, scale="cosin")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "given", "drawn"), [("cosine", (25, 60), (4, 24)), ("sd", (0, 2), (4, 24))]
)
def test_attributes_that_two_models_place_differently_are_no_difference(
    scale: Any, given: tuple[int, int], drawn: tuple[int, int]
) -> None:
    # A strong association, the same in the populations of words of both models; each model draws vectors for
    # its attributes too. Exchanged changes of cosines take the luck of eight attributes for a difference in
    # some 15 % of worlds, those in standard deviations never reject. With attributes drawn, of 250 worlds at
    # 5 % 12.5 are rejected on average; fewer than 4 or more than 24 have a chance below 0.2 %.
    rng = np.random.default_rng(31)
    rejected: dict[Attributes, int] = {"given": 0, "drawn": 0}
    for _ in range(250):
        pair = []
        for _ in range(2):
            vectors = np.array(model(rng, lean=0.0).vectors)
            vectors[:, 0] = 0.5 * rng.normal(size=32) + np.repeat([1.0, -1.0, 1.0, -1.0], 8)
            pair.append(Embeddings(LABELS, vectors))
        for attributes in rejected:
            found = compare(pair[0], pair[1], DESIGN, scale=scale, attributes=attributes)
            rejected[attributes] += found.pvalue < 0.05
    assert given[0] <= rejected["given"] <= given[1]
    assert drawn[0] <= rejected["drawn"] <= drawn[1]


def test_a_difference_between_strong_associations_is_found() -> None:
    # d is 1.8 in one model and 1.4 in the other, where little room is left to differ: exchanged changes find
    # it in some 7 %
    rng = np.random.default_rng(8)
    found: dict[Attributes, int] = {"given": 0, "drawn": 0}
    for _ in range(100):
        shared = 0.35 * rng.normal(size=(32, 12))
        pair = []
        for lean in (1.0, 0.5):
            vectors = shared + 0.35 * rng.normal(size=(32, 12))
            vectors[:, 0] += np.repeat([lean, -lean, 1.0, -1.0], 8)
            pair.append(Embeddings(LABELS, vectors))
        for attributes in found:
            found[attributes] += compare(pair[0], pair[1], DESIGN, attributes=attributes).pvalue < 0.05
    assert found["drawn"] >= 30
    assert found["given"] <= 20


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


def test_a_planted_change_is_found() -> None:
    rng = np.random.default_rng(7)
    found = [
        compare(model(rng, lean=1.0), model(rng, lean=0.0), DESIGN, alternative="greater").pvalue < 0.05
        for _ in range(40)
    ]
    assert sum(found) >= 32
    turned = compare(model(rng, lean=1.0), model(rng, lean=-1.0), DESIGN)
    assert turned.difference > 2
    assert turned.pvalue < 0.001


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
    assert result.coverage.policy == "drop"
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
    assert {name: len(words) for name, words in balanced.coverage.used.items()} == {
        "x": 7,
        "y": 7,
        "a": 7,
        "b": 7,
    }
    assert balanced.coverage.missing["b7"] == "left out to balance the sets"


@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_respellings_in_either_model_are_recorded(missing: Any) -> None:
    rng = np.random.default_rng(3)
    first, second = model(rng, lean=0.3), model(rng, lean=0.1)
    capital = Embeddings([label.upper() for label in LABELS], second.vectors)
    asked = Design(name="capitals", **{k: [w.upper() for w in v] for k, v in WORDS.items()})  # type: ignore[arg-type]
    for pair in ((first.with_fallback("lower"), capital), (capital, first.with_fallback("lower"))):
        result = compare(*pair, asked, missing=missing)
        assert result.coverage is not None
        assert result.coverage.respelled["X0"] == "x0 (lower)"
        assert len(result.coverage.respelled) == 32


def test_options_are_recorded_and_checked() -> None:
    rng = np.random.default_rng(3)
    first, second = model(rng, lean=0.3), model(rng, lean=0.1)
    result = compare(
        first, second, DESIGN, method="monte-carlo", seed=4, max_work=float("inf"), ties="strict"
    )
    expected = {
        "measure": "compare", "scale": "sd", "attributes": "drawn",
        "alternative": "two-sided", "ties": "strict", "ddof": 1, "missing": "raise",
        "method": "monte-carlo", "max_work": "unlimited", "seed": 4,
    }  # fmt: skip
    assert result.conventions == expected
    assert result.method == "monte-carlo"
    bad: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"alternative": "two sided"}, UnknownNameError, "did you mean 'two-sided'"),
        ({"missing": "dorp"}, UnknownNameError, "did you mean 'drop'"),
        ({"attributes": "draw"}, UnknownNameError, "did you mean 'drawn'"),
        ({"ddof": 2}, InputError, "ddof is 2"),
    ]
    for options, kind, message in bad:
        with pytest.raises(kind, match=message):
            compare(first, second, DESIGN, **options)
    with pytest.raises(DesignError, match="single target"):
        compare(first, second, Design(name="single", x=WORDS["x"], a=WORDS["a"], b=WORDS["b"]))


def test_a_model_without_any_spread_cannot_be_compared() -> None:
    emb = model(np.random.default_rng(3), lean=0.3)
    vectors = np.array(emb.vectors)
    vectors[:16] = vectors[0]
    with pytest.raises(EvidenceError, match=r"every association .* in one of the models"):
        compare(emb, Embeddings(LABELS, vectors), DESIGN)


def test_shared_words_warn() -> None:
    emb = model(np.random.default_rng(3), lean=0.3)
    with pytest.warns(CrossroadsWarning, match="'x0' in both targets"):
        compare(
            emb, emb, Design(name="shared", x=WORDS["x"], y=[*WORDS["y"], "x0"], a=WORDS["a"], b=WORDS["b"])
        )


def test_the_frame_shows_both_models() -> None:
    pytest.importorskip("pandas", reason="data frames need the extra 'frames'")
    rng = np.random.default_rng(3)
    frame = compare(model(rng, lean=0.3), model(rng, lean=0.1), DESIGN).to_frame()
    assert list(frame.columns) == [
        "design", "effect_size_1", "effect_size_2", "difference", "p", "exact_p", "method",
        "alternative", "min_p",
    ]  # fmt: skip


@pytest.mark.parametrize("lean", [30.0, 1e3, 1e5])
def test_a_turned_copy_of_a_model_does_not_differ_from_it_where_targets_hardly_vary(lean: float) -> None:
    # The variation within targets is a thousandth of the association, and less: rounding is more of it.
    rng = np.random.default_rng(3)
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    for _ in range(5):
        vectors = rng.normal(size=(32, 12))
        vectors[:, 0] += lean * np.repeat([1, -1, 1, -1], 8)
        first, second = Embeddings(LABELS, vectors), Embeddings(LABELS, vectors @ rotation)
        assert compare(first, second, DESIGN).pvalue == 1.0


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


def test_thousands_of_targets_are_left_out_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    first, second = model(rng, lean=0.3), model(rng, lean=0.1)
    expected = compare(first, second, DESIGN).pvalue
    monkeypatch.setattr("crossroads.measures.comparison.jackknife._AT_A_TIME", 3 * 16)
    assert compare(first, second, DESIGN).pvalue == expected


@pytest.mark.slow
@pytest.mark.parametrize("attributes", ["given", "drawn"])
def test_a_model_does_not_differ_from_itself_in_other_coordinates(attributes: Any) -> None:
    # turned vectors have the same cosines but for rounding; sets of 62 words are too large to be counted
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(2 * 62 + 2 * 40)]
    vectors = rng.normal(size=(len(words), 300)) + 3 * rng.normal(size=300)
    turned = vectors @ np.linalg.qr(rng.normal(size=(300, 300)))[0]
    design = cr.Design(name="t", x=words[:62], y=words[62:124], a=words[124:164], b=words[164:])
    one, two = cr.Embeddings(words, vectors), cr.Embeddings(words, turned)
    for alternative in ("two-sided", "greater", "less"):
        found = cr.compare(one, two, design, alternative=alternative, attributes=attributes)
        assert abs(found.difference) < 1e-12
        assert (found.pvalue, found.method) == (1.0, "exact")


@pytest.mark.slow
def test_models_whose_targets_differ_in_frequency_alone_seldom_differ() -> None:
    # Attributes lie on either side of the direction of frequency by chance, so that d is far from 0 with
    # either sign. With Fisher's z throughout, 19 of these pairs were called different; of 150 at 5 % 7.5 are
    # expected, and more than 16 have a chance of .1 %.
    both = [cr.worlds.vector_worlds("frequency", worlds=150, seed=seed) for seed in (5, 10_005)]
    rejected = sum(
        compare(one, two, design).pvalue < 0.05 for (one, design, _), (two, _, _) in zip(*both, strict=True)
    )
    assert rejected <= 16
