"""The WEAT against a naive transcription of its formulas, its symmetries, and the mistakes of other tools."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import Design, Embeddings
from crossroads import weat as cr_weat
from crossroads.core.errors import CrossroadsWarning, DesignError, EvidenceError
from tests.words.measures.plain import cosine, design_of, effect, mean, scores, space

# counted by hand below: one tail
weat = partial(cr_weat, alternative="greater")


def enumerated(x: list[float], y: list[float], *, strict: bool = False) -> float:
    """Share of all divisions that score at least as high, by going through them."""
    pooled, hits = x + y, 0
    for chosen in combinations(range(len(pooled)), len(x)):
        excess = sum(pooled[i] for i in chosen) - sum(x)
        hits += excess > 1e-12 if strict else excess >= -1e-12
    return hits / comb(len(pooled), len(x))


SMALL = (4, 4, 3, 3)


@settings(deadline=None, max_examples=40)
@given(
    sizes=st.tuples(st.integers(2, 5), st.integers(2, 5), st.integers(1, 4), st.integers(1, 4)),
    dim=st.integers(3, 40),
    seed=st.integers(0, 10_000),
    kind=st.sampled_from([np.float64, np.float32]),
    ddof=st.sampled_from([0, 1]),
)
def test_it_equals_a_transcription_of_the_formulas(
    sizes: tuple[int, int, int, int], dim: int, seed: int, kind: Any, ddof: int
) -> None:
    emb, words = space(sizes, dim, seed, kind=kind)
    x, y = scores(emb, words)
    result = weat(emb, design_of(words), ddof=ddof)
    assert result.effect_size == pytest.approx(effect(x, y, ddof), rel=1e-12, abs=1e-12)
    assert result.exchange.statistic == pytest.approx(sum(x) - sum(y), abs=1e-12)
    assert list(result.associations) == words["x"] + words["y"]
    assert list(result.associations.values()) == pytest.approx(x + y, abs=1e-12)
    assert result.pvalue == enumerated(x, y)
    assert result.pvalue_low == result.pvalue == result.pvalue_high
    total = comb(sizes[0] + sizes[1], sizes[0])
    assert (result.min_pvalue, result.exchange.divisions) == (1 / total, total)


def test_a_small_example_worked_out_by_hand() -> None:
    # On the axes cosines are 0, 1 or the cosine of 3-4-5: s(x1) = 1 - 0 = 1, s(x2) = .8 - .6 = .2,
    # s(y1) = .6 - .8 = -.2, s(y2) = 0 - 1 = -1. Means .6 and -.6; squares 1 + .04 + .04 + 1 = 2.08, so
    # d = 1.2 / sqrt(2.08 / 3). Of the 6 divisions only the observed one has the two largest scores in X.
    emb = Embeddings.from_dict(
        {"x1": [1, 0], "x2": [4, 3], "y1": [3, 4], "y2": [0, 1], "a1": [2, 0], "b1": [0, 5]}
    )
    result = weat(emb, Design(name="hand", x=["x1", "x2"], y=["y1", "y2"], a=["a1"], b=["b1"]))
    assert result.effect_size == pytest.approx(1.2 / sqrt(2.08 / 3), rel=1e-14)
    assert result.exchange.statistic == pytest.approx(2.4, rel=1e-14)
    assert (result.pvalue, result.exchange.divisions, result.ties) == (1 / 6, 6, 1)
    assert result.associations == pytest.approx({"x1": 1, "x2": 0.2, "y1": -0.2, "y2": -1})


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), power=st.integers(-150, 150))
def test_the_length_of_vectors_does_not_matter(seed: int, power: int) -> None:
    emb, words = space(SMALL, 8, seed)
    lengths = np.random.default_rng(seed).uniform(0.1, 9, size=(len(emb), 1)) * 10.0**power
    scaled = Embeddings(emb.labels, emb.vectors * lengths)
    one, other = weat(emb, design_of(words)), weat(scaled, design_of(words))
    assert other.effect_size == pytest.approx(one.effect_size, rel=1e-9, abs=1e-12)
    assert (other.pvalue, other.ties) == (one.pvalue, one.ties)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_exchanging_one_pair_of_sets_negates_the_effect(seed: int) -> None:
    emb, words = space(SMALL, 8, seed)
    one = weat(emb, design_of(words))
    targets = weat(emb, design_of({**words, "x": words["y"], "y": words["x"]}))
    attributes = weat(emb, design_of({**words, "a": words["b"], "b": words["a"]}))
    both = weat(emb, design_of({"x": words["y"], "y": words["x"], "a": words["b"], "b": words["a"]}))
    for turned in (targets, attributes):
        assert turned.effect_size == pytest.approx(-one.effect_size, rel=1e-9, abs=1e-12)
        assert turned.exchange.tails["less"] == one.exchange.tails["greater"]
        assert turned.exchange.tails["greater"] == one.exchange.tails["less"]
        assert turned.exchange.tails["two-sided"] == one.exchange.tails["two-sided"]
    assert both.effect_size == pytest.approx(one.effect_size, rel=1e-9, abs=1e-12)
    assert both.exchange.tails == one.exchange.tails


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(4)))
def test_the_order_of_words_in_a_set_does_not_matter(seed: int, order: list[int]) -> None:
    emb, words = space(SMALL, 8, seed)
    other = {**words, "x": [words["x"][i] for i in order], "y": [words["y"][i] for i in order]}
    one, turned = weat(emb, design_of(words)), weat(emb, design_of(other))
    assert turned.effect_size == pytest.approx(one.effect_size, rel=1e-9, abs=1e-12)
    assert turned.exchange.tails == one.exchange.tails


@pytest.mark.parametrize("method", ["exact", "bracket", "monte-carlo", "normal"])
def test_a_method_that_is_asked_for_is_used_and_recorded(method: Any) -> None:
    emb, words = space((6, 6, 3, 3), 10, 5)
    exact, result = weat(emb, design_of(words)), weat(emb, design_of(words), method=method)
    assert (result.method, result.conventions["method"]) == (method, method)
    assert result.effect_size == exact.effect_size
    assert (result.ties is None) == (method != "exact")
    if method != "normal":
        assert result.pvalue_low <= exact.pvalue <= result.pvalue_high


def test_an_exact_count_may_look_at_as_much_as_it_likes() -> None:
    emb, words = space((6, 6, 3, 3), 10, 5)
    free = weat(emb, design_of(words), max_work=float("inf"))
    bound = weat(emb, design_of(words), max_work=1)
    assert (free.method, free.conventions["max_work"]) == ("exact", "unlimited")
    assert (bound.method, bound.conventions["max_work"]) == ("bracket", 1)
    assert bound.pvalue_low <= free.pvalue <= bound.pvalue_high


# Single-target designs


@settings(deadline=None, max_examples=25)
@given(
    sizes=st.tuples(st.integers(1, 5), st.integers(2, 5), st.integers(2, 5)),
    seed=st.integers(0, 10_000),
    ddof=st.sampled_from([0, 1]),
)
def test_without_y_the_attributes_are_permuted(sizes: tuple[int, int, int], seed: int, ddof: int) -> None:
    emb, words = space((sizes[0], 1, sizes[1], sizes[2]), 8, seed)
    single = Design(name="single", x=words["x"], a=words["a"], b=words["b"])
    a = [mean([cosine(emb[x], emb[c]) for x in words["x"]]) for c in words["a"]]
    b = [mean([cosine(emb[x], emb[c]) for x in words["x"]]) for c in words["b"]]
    result = weat(emb, single, ddof=ddof)
    assert result.effect_size == pytest.approx(effect(a, b, ddof), rel=1e-12, abs=1e-12)
    assert result.pvalue == enumerated(a, b)
    assert weat(emb, single, ties="strict").pvalue == enumerated(a, b, strict=True)
    assert result.min_pvalue == 1 / comb(sizes[1] + sizes[2], sizes[1])
    assert result.conventions["measure"] == "single-target weat"
    assert list(result.associations) == words["a"] + words["b"]
    assert set(result.sets) == {"x", "a", "b"}


# What other tools get wrong


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), dim=st.integers(2, 60))
def test_ties_do_not_depend_on_the_order_of_float_sums(seed: int, dim: int) -> None:
    # x1 and y1 have the same vector up to its length, so exchanging them changes nothing; in floats the
    # re-summed statistic often comes out a hair below the observed one, and the tie is lost
    rng = np.random.default_rng(seed)
    vectors = {name: rng.normal(size=dim) for name in ("x1", "x2", "x3", "y2", "y3", "a1", "a2", "b1")}
    vectors["y1"] = vectors["x1"] * 0.3
    emb = Embeddings.from_dict(vectors)
    design = Design(name="tie", x=["x1", "x2", "x3"], y=["y1", "y2", "y3"], a=["a1", "a2"], b=["b1"])
    weak, strict = weat(emb, design), weat(emb, design, ties="strict")
    assert weak.ties == strict.ties
    assert weak.ties is not None
    assert weak.ties >= 2
    assert weak.pvalue - strict.pvalue == pytest.approx(weak.ties / 20)


def test_a_word_in_both_targets_counts_as_two_items_and_warns() -> None:
    # s(p) = 1, s(q) = (1 - .5) / sqrt(1.25) = .447, s(r) = -1. A tool that makes a set of X and Y keeps three
    # items. With four, the sums of the six divisions are 1.447 twice (one is observed), 0, .894 and -.553
    # twice: p = 2 / 6.
    emb = Embeddings.from_dict({"p": [1, 0], "q": [1, 0.5], "r": [0, 1], "a": [1, 0], "b": [0, 1]})
    design = Design(name="shared", x=["p", "q"], y=["q", "r"], a=["a"], b=["b"])
    with pytest.warns(CrossroadsWarning, match="'q' in both targets"):
        result = weat(emb, design)
    assert (result.exchange.divisions, result.ties, result.pvalue) == (6, 2, 2 / 6)
    x, y = scores(emb, {"x": ["p", "q"], "y": ["q", "r"], "a": ["a"], "b": ["b"]})
    assert result.effect_size == pytest.approx(effect(x, y, 1), rel=1e-12)


def test_a_word_in_both_attributes_counts_in_both_means_and_warns() -> None:
    emb, words = space(SMALL, 6, 11)
    shared = {**words, "b": [*words["b"], words["a"][0]]}
    with pytest.warns(CrossroadsWarning, match="'a0' in both attributes"):
        result = weat(emb, design_of(shared))
    x, y = scores(emb, shared)
    assert result.effect_size == pytest.approx(effect(x, y, 1), rel=1e-10)


# Bad input


def test_sets_of_one_word() -> None:
    emb, words = space((4, 4, 1, 1), 6, 1)
    assert weat(emb, design_of(words)).exchange.divisions == 70
    with pytest.raises(DesignError, match="a has 1 stimulus"):
        weat(emb, Design(name="single", x=words["x"], a=words["a"], b=words["b"]))
    with pytest.raises(DesignError, match="y has 1 stimulus: 'y0'"):
        weat(emb, design_of({**words, "y": words["y"][:1]}))


@pytest.mark.parametrize("dim", [2, 7, 300])
def test_equal_associations_have_no_effect_size(dim: int) -> None:
    # one direction, eight lengths: in exact arithmetic all associations are equal, in floats almost
    rng = np.random.default_rng(dim)
    direction = rng.normal(size=dim)
    vectors = {f"{s}{i}": direction * rng.uniform(0.1, 9) for s in "xy" for i in range(4)}
    vectors |= {f"{s}{i}": rng.normal(size=dim) for s in "ab" for i in range(3)}
    words = {s: [w for w in vectors if w[0] == s] for s in "xyab"}
    with pytest.raises(EvidenceError, match="every association of the design 'test' equals"):
        weat(Embeddings.from_dict(vectors), design_of(words))


def test_designs_with_more_divisions_than_json_can_say_are_written() -> None:
    n = 1200
    rng = np.random.default_rng(0)
    emb = Embeddings([f"w{i}" for i in range(2 * n + 4)], rng.normal(size=(2 * n + 4, 3)))
    names = list(emb.labels)
    design = Design(name="large", x=names[:n], y=names[n : 2 * n], a=names[-4:-2], b=names[-2:])
    result = weat(emb, design)
    assert result.exchange.divisions is None
    assert type(result).from_json(result.to_json()) == result
