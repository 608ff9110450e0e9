"""The SC-WEAT: one word or a whole vocabulary, against its formula and against the single-target WEAT."""

from __future__ import annotations

import sys
import tracemalloc
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crossroads import Design, Embeddings, sc_weat, weat
from crossroads.core.errors import CrossroadsError, EvidenceError, MissingStimuliError
from tests.words.measures.plain import cosine

module = sys.modules["crossroads.words.measures.sc_weat"]  # the function hides it


def vocabulary(n: int, dim: int, seed: int, *, kind: Any = np.float64) -> Embeddings:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, dim)) + 0.5 * rng.normal(size=dim)
    return Embeddings([f"w{i}" for i in range(n)], vectors.astype(kind))


def words(first: int, last: int) -> list[str]:
    return [f"w{i}" for i in range(first, last)]


@settings(deadline=None, max_examples=30)
@given(
    n_a=st.integers(2, 5),
    n_b=st.integers(2, 5),
    dim=st.integers(3, 40),
    seed=st.integers(0, 10_000),
    kind=st.sampled_from([np.float64, np.float32]),
    ddof=st.sampled_from([0, 1]),
)
def test_it_equals_a_transcription_of_the_formula(
    n_a: int, n_b: int, dim: int, seed: int, kind: Any, ddof: int
) -> None:
    emb = vocabulary(14, dim, seed, kind=kind)
    a, b = words(0, n_a), words(n_a, n_a + n_b)
    result = sc_weat(emb, words(10, 14), a, b, ddof=ddof)
    for i, word in enumerate(words(10, 14)):
        near = [cosine(emb[word], emb[c]) for c in a]
        far = [cosine(emb[word], emb[c]) for c in b]
        difference = sum(near) / n_a - sum(far) / n_b
        centre = sum(near + far) / (n_a + n_b)
        spread = sqrt(sum((c - centre) ** 2 for c in near + far) / (n_a + n_b - ddof))
        assert result.effect_size[i] == pytest.approx(difference / spread, rel=1e-12, abs=1e-12)
        assert result.association[i] == pytest.approx(difference, abs=1e-12)
    assert result.words == tuple(words(10, 14))
    assert result.attributes == (tuple(a), tuple(b))


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided", "observed"])
@pytest.mark.parametrize("ties", ["weak", "strict"])
def test_p_is_that_of_the_single_target_weat(alternative: Any, ties: Any) -> None:
    emb = vocabulary(30, 20, 3)
    a, b = words(0, 6), words(6, 11)
    result = sc_weat(emb, words(11, 30), a, b, alternative=alternative, ties=ties)
    assert (result.method, result.alternative) == ("exact", alternative)
    smallest = (2 if alternative == "two-sided" else 1) / comb(11, 6)
    assert result.min_pvalue == pytest.approx(smallest, rel=1e-15)
    for word, d, p in zip(result.words, result.effect_size, result.pvalue, strict=True):
        single = weat(emb, Design(name=word, x=[word], a=a, b=b), alternative=alternative, ties=ties)
        assert p == single.pvalue
        assert d == pytest.approx(single.effect_size, rel=1e-12, abs=1e-12)


@pytest.mark.filterwarnings("ignore:there is 'w")
def test_the_whole_vocabulary_equals_word_by_word() -> None:
    emb = vocabulary(60, 12, 5)
    a, b = words(0, 4), words(4, 9)
    whole = sc_weat(emb, "*", a, b)
    assert whole.words == emb.labels[9:]  # no attribute word is measured by itself
    for i, word in enumerate(whole.words):
        one = sc_weat(emb, word, a, b)
        assert one.effect_size[0] == pytest.approx(whole.effect_size[i], rel=1e-12, abs=1e-13)
        assert one.pvalue[0] == whole.pvalue[i]


def test_single_precision_is_close_and_recorded() -> None:
    emb = vocabulary(500, 100, 6, kind=np.float32)
    a, b = words(0, 8), words(8, 16)
    exact = sc_weat(emb, "*", a, b, precision="float64", method="none")
    fast = sc_weat(emb, "*", a, b, precision="float32", method="none")
    error = np.abs(fast.effect_size - exact.effect_size).max()
    assert 0 < error < 1e-5
    assert (fast.conventions["precision"], exact.conventions["precision"]) == ("float32", "float64")
    assert fast.crossed.pvalue == pytest.approx(exact.crossed.pvalue, abs=1e-4)
    assert sc_weat(emb, "*", a, b, method="none").conventions["precision"] == "float64"  # not worth it
    many = vocabulary(100_007, 3, 6, kind=np.float32)
    large = sc_weat(many, "*", words(0, 3), words(3, 6), method="none")
    assert large.conventions["precision"] == "float32"
    assert large.effect_size.dtype == np.float64
    # with p-values everything is computed in float64, and the result says so
    tested = sc_weat(emb, words(20, 30), a, b, precision="float32")
    assert tested.conventions["precision"] == "float64"
    assert tested.effect_size == pytest.approx(exact.effect_size[4:14], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("method", ["none", "auto"])
def test_the_length_of_vectors_does_not_matter(method: Any) -> None:
    emb = vocabulary(40, 10, 1)
    for factor in (1e-200, 1e-20, 1e20, 1e200):
        scaled = Embeddings(emb.labels, emb.vectors * factor)
        one, other = (sc_weat(e, "*", words(0, 4), words(4, 8), method=method) for e in (emb, scaled))
        assert other.effect_size == pytest.approx(one.effect_size, rel=1e-12, abs=1e-13)
        assert other.association == pytest.approx(one.association, rel=1e-12, abs=1e-15)
        assert np.array_equal(other.pvalue, one.pvalue)


def test_many_words_take_the_saddlepoint_and_stay_within_2_per_cent() -> None:
    emb = vocabulary(600, 30, 4)
    a, b = words(0, 25), words(25, 50)
    result = sc_weat(emb, "*", a, b)
    assert result.method == "saddlepoint"
    certain = sc_weat(emb, words(100, 110), a, b, method="bracket")
    assert certain.method == "bracket"
    assert np.abs(result.pvalue[50:60] / certain.pvalue - 1).max() < 0.02
    assert np.array_equal(result.pvalue_high, np.minimum(1, result.pvalue * 1.02))


def test_rows_of_zeros_are_left_out_of_a_vocabulary_but_missed_when_asked_for() -> None:
    emb = vocabulary(30, 10, 1)
    vectors = np.array(emb.vectors)
    vectors[[12, 20]] = 0
    holed = Embeddings(emb.labels, vectors)
    whole = sc_weat(holed, "*", words(0, 4), words(4, 8))
    assert whole.words == tuple(w for w in emb.labels[8:] if w not in ("w12", "w20"))
    full = sc_weat(emb, "*", words(0, 4), words(4, 8))
    assert whole.effect_size[-1] == pytest.approx(full.effect_size[-1], rel=1e-12)
    with pytest.raises(MissingStimuliError) as caught:
        sc_weat(holed, ["w11", "w12", "nowhere"], words(0, 4), words(4, 8))
    assert caught.value.missing == {"w12": "zero vector", "nowhere": "not in the vocabulary"}
    dropped = sc_weat(holed, ["w11", "w12", "nowhere"], words(0, 4), words(4, 8), missing="drop")
    assert dropped.words == ("w11",)
    assert dropped.coverage is not None
    assert dropped.coverage.dropped["words"] == {"nowhere": "not in the vocabulary", "w12": "zero vector"}


def test_the_strongest_words_are_those_at_either_end() -> None:
    emb = vocabulary(50, 10, 1)
    result = sc_weat(emb, "*", words(0, 4), words(4, 8), method="none")
    up, down = result.strongest(3)
    ordered = [word for _, word in sorted(zip(result.effect_size, result.words, strict=True))]
    assert down == tuple(ordered[:3])
    assert up == tuple(ordered[::-1][:3])


@pytest.mark.parametrize(
    ("precision", "method"), [("float32", "none"), ("float64", "none"), ("auto", "auto")]
)
def test_a_word_with_equal_cosines_has_no_effect_size(precision: Any, method: Any) -> None:
    # (1, 1, 1) makes the same angle with every permutation of (1, 2, 3); rounding must not pass for an effect
    emb = Embeddings(
        ["w", "p", "q", "r", "s", "t", "u"],
        [[1, 1, 1], [1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]],
    )
    with pytest.raises(EvidenceError, match=r"'w' .*has the same cosine with every attribute"):
        sc_weat(emb, "w", ["p", "q", "r"], ["s", "t", "u"], precision=precision, method=method)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": "w1"}, "a is one string, 'w1'"),
        ({"b": []}, "b is empty"),
        ({"words": ["w9", "w9"]}, "words lists 'w9' twice"),
        ({"words": [1, 2]}, "words"),
        ({"a": ["w1"]}, "a has 1 stimulus"),
        ({"alternative": "greter", "method": "none"}, "did you mean 'greater'"),
        ({"method": "saddlepoint"}, "13 scores per group"),
        ({"words": "nowhere"}, "words: nowhere"),
    ],
)
def test_bad_input_is_refused(change: dict[str, Any], message: str) -> None:
    emb = vocabulary(20, 10, 1)
    given: dict[str, Any] = {"words": words(10, 12), "a": words(0, 4), "b": words(4, 8), **change}
    with pytest.raises(CrossroadsError, match=message):
        sc_weat(emb, given.pop("words"), given.pop("a"), given.pop("b"), **given)


@pytest.mark.parametrize("method", ["auto", "none"])
def test_blocks_of_words_do_not_show(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    emb = vocabulary(70, 9, 5)
    options: dict[str, Any] = {"method": method, "alternative": "two-sided"}
    asked = [*words(8, 40), *words(41, 70)]
    whole = [sc_weat(emb, some, words(0, 4), words(4, 8), **options) for some in ("*", asked)]
    monkeypatch.setattr(module, "_CHUNK", 7)
    seen: list[int] = []
    options["progress"] = seen.append
    parts = [sc_weat(emb, some, words(0, 4), words(4, 8), **options) for some in ("*", asked)]
    for one, other in zip(whole, parts, strict=True):
        assert one.words == other.words
        assert other.effect_size == pytest.approx(one.effect_size, rel=1e-12)
        assert np.array_equal(other.pvalue, one.pvalue)
    assert method == "none" or seen[:10] == [*range(7, 62, 7), 62, 7]


@pytest.mark.parametrize("method", ["saddlepoint", "none"])
def test_memory_is_that_of_the_results_and_a_few_blocks(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # 10,000 words of 400 dimensions: their unit vectors would take 32 MB
    monkeypatch.setattr(module, "_CHUNK", 1 << 9)
    emb = vocabulary(10_000, 400, 7, kind=np.float32)
    a, b, some = words(0, 20), words(20, 40), words(100, 10_000)
    tracemalloc.start()
    found = sc_weat(emb, some, a, b, method=method)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16e6
    assert method != "none" or found.pvalue.size == found.pvalue_low.size == found.pvalue_high.size == 0


@settings(deadline=None, max_examples=30)
@given(
    n_a=st.integers(3, 6),
    n_b=st.integers(3, 6),
    seed=st.integers(0, 10_000),
    tail=st.sampled_from(["two-sided", "greater", "less"]),
    method=st.sampled_from(["auto", "none"]),
)
def test_with_attributes_drawn_it_is_welchs_test(
    n_a: int, n_b: int, seed: int, tail: Any, method: Any
) -> None:
    emb = vocabulary(16, 12, seed)
    a, b = words(0, n_a), words(n_a, n_a + n_b)
    result = sc_weat(emb, words(12, 16), a, b, alternative=tail, method=method, copies="independent")
    for i, word in enumerate(result.words):
        sides = [[cosine(emb[word], emb[one]) for one in some] for some in (a, b)]
        theirs = stats.ttest_ind(*sides, equal_var=False, alternative=tail)
        assert result.crossed.pvalue[i] == pytest.approx(theirs.pvalue, rel=1e-6)
        assert result.df[i] == pytest.approx(theirs.df, rel=1e-6)
        both = stats.ttest_ind(*sides, equal_var=False).confidence_interval(0.95)
        ends = [some[i] for some in result.crossed[:2]]
        assert ends == pytest.approx([both.low, both.high], abs=1e-8)


def test_an_attribute_of_two_words_leaves_one_degree_of_freedom() -> None:
    # words that have nothing to do with either attribute: Welch's formula gives 12 % below .05
    emb = vocabulary(3027, 400, 5)
    result = sc_weat(emb, words(27, 3027), words(0, 2), words(2, 27), method="none")
    assert (result.df <= 1).all()
    assert (result.crossed.pvalue < 0.05).mean() < 0.01


def test_attributes_that_do_not_differ_have_no_crossed_p() -> None:
    emb = Embeddings(["w", "p", "q", "r", "s"], [[1, 0], [1, 1], [2, 2], [1, -3], [2, -6]])
    result = sc_weat(emb, "w", ["p", "q"], ["r", "s"])
    assert result.se[0] == 0.0
    assert np.isnan(result.crossed.pvalue[0])
    assert result._rows()[0]["p"] is None
    assert result._rows()[0]["low"] is None
    assert type(result).from_dict(result.to_dict()) == result
