"""RSA against a transcription of the paper with scipy, its symmetries, and the calibration of its tests."""

from __future__ import annotations

from itertools import combinations
from math import sqrt
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata, spearmanr
from scipy.stats import t as student

from crossroads import Embeddings, checks, rsa
from crossroads.core.errors import DesignError, EvidenceError, InputError, MissingStimuliError
from crossroads.core.inference.crossed import spread
from crossroads.intersections.geometry import Dissimilarity
from crossroads.sources import StimulusSet
from crossroads.stats import benjamini_hochberg, holm

Sets = list[list[str]]
Sizes = tuple[int, int, int]


def world(
    seed: int, sizes: Sizes = (6, 6, 6), dim: int = 12, *, lean: float = 0.0, ties: bool = False
) -> tuple[Embeddings, Sets]:
    """Items of two groups and a concept that has a direction of its own; the first group leans to it."""
    rng = np.random.default_rng(seed)
    sets = [[f"{name}{i}" for i in range(n)] for name, n in zip("abc", sizes, strict=True)]
    if ties:
        vectors = rng.integers(0, 3, (sum(sizes), dim)).astype(float)
        vectors[:, 0], vectors[:, 1] = -1, 4  # no item is constant
        return Embeddings(everything(sets), vectors), sets
    vectors = rng.normal(size=(sum(sizes), dim))
    direction = rng.normal(size=dim)
    vectors[: sizes[0]] += lean * direction
    vectors[sizes[0] + sizes[1] :] += direction
    return Embeddings(everything(sets), vectors), sets


def naive_distance(u: Any, v: Any, kind: str) -> float:
    u, v = np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64)
    if kind == "spearman":
        return 1 - float(spearmanr(u, v).statistic)
    if kind == "correlation":
        return 1 - float(np.corrcoef(u, v)[0, 1])
    if kind == "cosine":
        return 1 - float(u @ v / np.linalg.norm(u) / np.linalg.norm(v))
    return float(np.linalg.norm(u - v))


def naive_fits(
    emb: Embeddings,
    items: list[str],
    labels: list[int],
    kind: str = "spearman",
    known: dict[frozenset[str], float] | None = None,
) -> list[float]:
    """Section 2 of the paper: dissimilarities of all pairs, rank-correlated with two hypotheses.

    Dissimilarities are rounded to ten digits, because equal ones must not be told apart by rounding.
    """
    pairs = list(combinations(range(len(items)), 2))
    known = {} if known is None else known
    for i, j in pairs:
        if frozenset((items[i], items[j])) not in known:
            distance = naive_distance(emb[items[i]], emb[items[j]], kind)
            known[frozenset((items[i], items[j]))] = round(distance, 10)
    reference = [known[frozenset((items[i], items[j]))] for i, j in pairs]
    fits = []
    for apart in (2, 1):  # the first hypothesis sets group 2 apart from group 1 and the concept
        model = [float((labels[i] == apart) != (labels[j] == apart)) for i, j in pairs]
        fits.append(float(spearmanr(reference, model).statistic))
    return fits


def draw(sizes: Sizes, n: int, samples: int, replace: bool, rng: np.random.Generator) -> Any:
    """The first n of a random order of each set; items of the concept may be drawn one by one instead."""
    parts = []
    for first, size, again in zip((0, sizes[0], sizes[0] + sizes[1]), sizes, (0, 0, replace), strict=True):
        places = (
            rng.integers(0, size, (samples, n)) if again else rng.random((samples, size)).argsort()[:, :n]
        )
        parts.append(first + places)
    return np.concatenate(parts, axis=1)


def labels_of(sizes: Sizes) -> list[int]:
    return [1] * sizes[0] + [2] * sizes[1] + [0] * sizes[2]


def everything(sets: Sets) -> list[str]:
    return [item for listed in sets for item in listed]


@settings(deadline=None, max_examples=15)
@given(
    seed=st.integers(0, 9999),
    sizes=st.tuples(st.integers(4, 7), st.integers(4, 7), st.integers(4, 6)),
    n=st.integers(2, 4),
    dim=st.integers(5, 12),
    ties=st.booleans(),
    replace=st.booleans(),
    kind=st.sampled_from(get_args(Dissimilarity)),
)
def test_every_sample_equals_a_loop_over_scipy(
    seed: int, sizes: Sizes, n: int, dim: int, ties: bool, replace: bool, kind: Any
) -> None:
    emb, sets = world(seed, sizes, dim, ties=ties)
    options: dict[str, Any] = {"n": n, "samples": 7, "seed": seed, "draws": 9, "splits": 1}
    result = rsa(emb, *sets, replace_concept=replace, dissimilarity=kind, **options)
    items = everything(sets)
    drawn = draw(sizes, n, 7, replace, np.random.default_rng(seed))
    for s, rows in enumerate(drawn):
        expected = naive_fits(emb, [items[i] for i in rows], labels_of((n, n, n)), kind)
        assert [result.samples1[s], result.samples2[s]] == pytest.approx(expected, abs=1e-12)
    assert result.similarity1 == pytest.approx(result.samples1.mean(), abs=1e-15)
    assert result.sd2 == pytest.approx(float(np.std(result.samples2, ddof=1)), abs=1e-15)
    # fits that tie exactly, as sums of integer ranks do, differ by rounding after they were scaled
    difference = (result.samples1 - result.samples2).round(12)
    above, below = int((difference > 0).sum()), int((difference < 0).sum())
    sign = binomtest(above, above + below).pvalue if above + below else 1.0
    assert result.sign_pvalue == pytest.approx(sign, rel=1e-9)
    # the statistic is of all items, and the geometry their matrix of dissimilarities
    first, second = naive_fits(emb, items, labels_of(sizes), kind)
    assert result.statistic == pytest.approx(first - second, abs=1e-12)
    apart = np.zeros((len(items), len(items)))
    for i, j in combinations(range(len(items)), 2):
        apart[i, j] = apart[j, i] = naive_distance(emb[items[i]], emb[items[j]], kind)
    assert result.geometry == pytest.approx(apart, abs=1e-12)
    assert not np.diag(result.geometry).any()


@pytest.mark.parametrize("kind", get_args(Dissimilarity))
def test_ties_survive_a_large_common_offset(kind: Any) -> None:
    # Permutations of the same coordinates: many pairs are exactly as far apart as others.
    rng = np.random.default_rng(0)
    vectors = np.array([rng.permutation(6) for _ in range(12)], dtype=np.float64) + 1000
    items = [f"i{k}" for k in range(12)]
    emb = Embeddings(items, vectors)
    result = rsa(emb, items[:4], items[4:8], items[8:], n=4, samples=1, dissimilarity=kind)
    if kind == "cosine":  # cosines all lie within 1e-5, so that ten digits are not enough to compare with
        distances = [
            round(float(np.sum((vectors[i] - vectors[j]) ** 2))) for i, j in combinations(range(12), 2)
        ]
        model = [float((4 <= i < 8) != (4 <= j < 8)) for i, j in combinations(range(12), 2)]
        expected = float(spearmanr(distances, model).statistic)  # of equal lengths, so in the same order
    else:
        expected = naive_fits(emb, items, labels_of((4, 4, 4)), kind)[0]
    assert result.similarity1 == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=6)
@given(
    seed=st.integers(0, 9999), sizes=st.sampled_from([(4, 4, 3), (3, 5, 4)]), lean=st.sampled_from([0, 0.5])
)
def test_the_pvalue_is_the_share_of_exchanges_that_differ_as_much(
    seed: int, sizes: Sizes, lean: float
) -> None:
    # All 70 or 56 ways to exchange the labels; 2,000 random ones come within five standard errors.
    emb, sets = world(seed, sizes, 8, lean=lean)
    grouped = [*sets[0], *sets[1]]
    differences: list[float] = []
    known: dict[frozenset[str], float] = {}
    for chosen in combinations(grouped, sizes[0]):
        items = [*chosen, *(x for x in grouped if x not in chosen), *sets[2]]
        first, second = naive_fits(emb, items, labels_of(sizes), known=known)
        differences.append(first - second)
    observed = abs(differences[0])
    exact = float(np.mean([abs(d) >= observed - 1e-9 for d in differences]))
    found = rsa(emb, *sets, n=2, samples=2, draws=2000).pvalue
    assert abs(found - exact) <= 5 * sqrt(exact * (1 - exact) / 2000) + 1 / 2001


def test_one_sample_and_many() -> None:
    emb, sets = world(1, (9, 9, 9), 10)
    one = rsa(emb, *sets, n=4, samples=1)
    assert (one.samples1.shape, one.sd1, one.sd2, one.sign_pvalue) == ((1,), 0.0, 0.0, 1.0)
    # samples of everything are the full set, also where they are taken in several parts
    every = rsa(emb, *sets, n=9, samples=100, draws=9)
    fits = naive_fits(emb, everything(sets), labels_of((9, 9, 9)))
    assert [every.samples1, every.samples2] == [pytest.approx(np.full(100, fit), abs=1e-12) for fit in fits]


def test_every_exchange_counts_and_the_observed_labels_too() -> None:
    # three groups of two at the corners of a simplex: all dissimilarities are the same, and every exchange
    # reaches the observed difference, 0; with a group that leans far, few of 9 exchanges reach it
    labels = [f"i{i}" for i in range(6)]
    even = rsa(Embeddings(labels, np.eye(6)), labels[:2], labels[2:4], labels[4:], n=2, draws=7)
    assert (round(even.statistic, 12), even.pvalue) == (0.0, 1.0)
    emb, sets = world(3, (9, 9, 9), 30, lean=2.0)
    assert rsa(emb, *sets, n=4, draws=9).pvalue == 0.1  # 1 of 10
    assert rsa(emb, *sets, n=4, draws=0).pvalue == 1.0  # nothing is claimed


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 9999), sizes=st.tuples(*[st.integers(3, 6)] * 3))
def test_items_drawn_are_a_test_of_one_target_in_ranks(seed: int, sizes: tuple[int, int, int]) -> None:
    emb, sets = world(seed, sizes, 12)
    result = rsa(emb, *sets, n=2, samples=2, draws=0, splits=0, words="independent")
    found = result.crossed
    assert found is not None
    m, (n1, n2, n_c) = sum(sizes), sizes
    upper = np.triu_indices(m, 1)
    ranks = np.zeros((m, m))
    ranks[upper] = rankdata(result.geometry[upper].round(12))
    ranks += ranks.T
    close = -ranks[n1 + n2 :, : n1 + n2]
    drawn = spread(close, n_c, n1)
    one, two = np.split(close.mean(axis=0), [n1])
    common = ((n1 - 1) * one.var(ddof=1) + (n2 - 1) * two.var(ddof=1)) / (n1 + n2 - 2)
    concept, groups = drawn.parts[0], common / n1 + common / n2  # as in the t test of Student
    variance = max(drawn.total, groups, concept + groups - drawn.cells)
    free = [part**2 / (n - 1) for part, n in zip(drawn.parts, (n_c, n1, n2), strict=True)]
    t = float(drawn.difference / np.sqrt(variance))
    assert found.statistic == pytest.approx(t, rel=1e-9)
    assert found.pvalue == pytest.approx(2 * student.sf(abs(t), variance**2 / sum(free)), rel=1e-9)
    assert found.shares["targets"] + found.shares["attributes"] + found.shares["cells"] == pytest.approx(1)
    assert found.attribute_pvalue is None
    if n1 == n2:
        assert found.difference == pytest.approx(result.statistic, rel=1e-9, abs=1e-12)


def test_two_items_of_a_group_have_at_most_one_degree_of_freedom() -> None:
    for seed in range(30):
        emb, sets = world(seed, (2, 9, 5), 12)
        df = rsa(emb, *sets, n=2, samples=2, draws=0, splits=0, words="independent").crossed.df
        assert df is not None and df <= 1


def test_a_concept_of_one_item_has_no_p_for_other_items() -> None:
    emb, sets = world(3, (5, 5, 1), 9)
    found = rsa(emb, *sets, n=3, replace_concept=True, draws=9)
    assert (found.crossed.pvalue, found.crossed.low) == (None, None)
    assert found.crossed.reason == "the concept has a single item"
    assert checks(found).tests[found._label][1].answer == "cannot tell"


@pytest.mark.parametrize(
    ("first", "second", "third", "says"),
    [
        (["a0", "a1"], ["a1", "b0"], ["c0", "c1"], "group 1 and group 2 share 'a1'"),
        (["a0", "a1"], ["b0", "b1"], ["c0", "b0"], "group 2 and concept share 'b0'"),
        (["a0", "a1"], ["b0"], ["c0", "c1"], "group 2 has 1 items, and 2 are drawn"),
        (["a0", "a1"], ["b0", "b1"], ["c0"], r"concept has 1 items, and 2(.|\n)*replace_concept=True"),
    ],
)
def test_sets_that_cannot_be_compared_are_refused(first: Any, second: Any, third: Any, says: str) -> None:
    emb, _ = world(1)
    with pytest.raises(DesignError, match=says):
        rsa(emb, first, second, third, n=2)


def test_missing_items_follow_the_policy() -> None:
    emb, (a, b, c) = world(1)
    with pytest.raises(MissingStimuliError) as error:
        rsa(emb, [*a, "nobody"], b, c, n=3)
    assert error.value.missing == {"nobody": "not in the vocabulary"}
    dropped = rsa(emb, [*a, "nobody"], b, c, n=3, missing="drop")
    assert np.array_equal(dropped.samples1, rsa(emb, a, b, c, n=3).samples1)
    with pytest.raises(MissingStimuliError, match="group1 has 5 of 6"):
        rsa(emb, [*a[:5], "nobody"], b, c, n=6, missing="drop")


@pytest.mark.parametrize("kind", get_args(Dissimilarity))
def test_an_item_without_direction_correlates_with_nothing(kind: Any) -> None:
    emb, sets = world(1, dim=300)
    vectors = np.array(emb.vectors)
    vectors[2] = 0.1  # constant: no order of coordinates, and no correlation
    flat = Embeddings(emb.labels, vectors)
    if kind in ("spearman", "correlation"):
        with pytest.raises(EvidenceError, match="same value in every dimension"):
            rsa(flat, *sets, n=3, dissimilarity=kind)
    else:
        assert np.isfinite(rsa(flat, *sets, n=3, dissimilarity=kind).similarity1)


@pytest.mark.parametrize("n", [2, 3, 10, 25])
def test_the_attainable_fit_follows_its_formula(n: int) -> None:
    # Untied ranks of N = 3n(3n − 1)/2 pairs with the k = 2n² pairs set apart on top correlate with the 0/1
    # hypothesis as √(3k(N − k) / (N² − 1)): mean rank difference N/2, variance (N² − 1)/12.
    emb, sets = world(1, (n, n, n), 8)
    pairs, apart = 3 * n * (3 * n - 1) // 2, 2 * n * n
    expected = sqrt(3 * apart * (pairs - apart) / (pairs**2 - 1))
    assert rsa(emb, *sets, n=n, samples=1, draws=1).attainable == pytest.approx(expected, rel=1e-12)


def test_a_perfect_geometry_reaches_the_attainable_fit_and_a_tied_one_reaches_one() -> None:
    rng = np.random.default_rng(1)
    near, far = rng.normal(size=40), rng.normal(size=40)
    emb, sets = world(1)
    centres = np.repeat([near, far, near], 6, axis=0)
    noisy = Embeddings(emb.labels, centres + 1e-3 * rng.normal(size=centres.shape))
    result = rsa(noisy, *sets, n=5, samples=20, dissimilarity="correlation")
    assert result.samples1 == pytest.approx(np.full(20, result.attainable), abs=1e-12)
    assert result.similarity2 < result.similarity1
    tied = rsa(Embeddings(emb.labels, centres), *sets, n=5, samples=20)
    assert tied.samples1 == pytest.approx(np.ones(20), abs=1e-12)


def test_the_ceiling_is_the_agreement_of_halves_corrected_to_full_length() -> None:
    # Spearman–Brown: 2r / (1 + r), with r between what two halves of the dimensions add to the cosines. Here
    # r is about .5, so that the correction matters; 200 splits of ours and of theirs agree on average.
    rng = np.random.default_rng(3)
    emb, sets = world(1, (8, 8, 8))
    vectors = rng.normal(size=(24, 6)) @ rng.normal(size=(6, 60)) + 2.5 * rng.normal(size=(24, 60))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    upper = np.triu_indices(24, 1)
    expected = []
    for _ in range(200):
        order = rng.permutation(60)
        halves = [(unit[:, part] @ unit[:, part].T)[upper] for part in (order[:30], order[30:])]
        r = float(spearmanr(*halves).statistic)
        expected.append(2 * r / (1 + r))
    found = rsa(Embeddings(emb.labels, vectors), *sets, n=4, dissimilarity="cosine", splits=200).halves
    assert found == pytest.approx(np.mean(expected), abs=0.02)
    assert 0.4 < np.mean(expected) < 0.9
    assert rsa(Embeddings(emb.labels, vectors), *sets, n=4, splits=0).halves is None


def grid_world() -> tuple[Embeddings, dict[str, list[str]], dict[str, list[str]]]:
    rng = np.random.default_rng(8)
    groups = {name: [f"{name}{i}" for i in range(6)] for name in ("BF", "BM", "WF", "WM")}
    concepts = {name: [f"{name}{i}" for i in range(5)] for name in ("female", "Black")}
    labels = [label for listed in (*groups.values(), *concepts.values()) for label in listed]
    return Embeddings(labels, rng.normal(size=(len(labels), 12))), groups, concepts


def test_a_grid_holds_every_pair_of_groups_with_every_concept() -> None:
    emb, groups, concepts = grid_world()
    options: dict[str, Any] = {"n": 4, "samples": 20, "draws": 99, "seed": 5}
    result = rsa(emb, groups, concepts, **options)
    assert [test.names for test in result.tests] == [
        (first, second, concept) for concept in concepts for first, second in combinations(groups, 2)
    ]
    single, same = rsa(emb, groups["BF"], groups["WF"], concepts["female"], **options), result.tests[1]
    assert np.array_equal(same.samples1, single.samples1)
    assert (same.pvalue, same.sign_pvalue) == (single.pvalue, single.sign_pvalue)
    assert same.halves == single.halves
    pvalues = [test.crossed.pvalue for test in result.tests if test.crossed.pvalue]
    assert list(result.adjusted["holm"]) == holm(pvalues).tolist()
    assert list(result.adjusted["bh"]) == benjamini_hochberg(pvalues).tolist()
    named = {name: StimulusSet(f"names of {name}", tuple(items)) for name, items in groups.items()}
    once = {name: iter(items) for name, items in concepts.items()}
    assert rsa(emb, named, once, **options) == result


def test_a_grid_of_one_group_or_no_concept_is_refused() -> None:
    emb, groups, concepts = grid_world()
    with pytest.raises(InputError, match=r"1 group\(s\) and 2 concept\(s\)"):
        rsa(emb, {"BF": groups["BF"]}, concepts)
    with pytest.raises(InputError, match=r"4 group\(s\) and 0 concept\(s\)"):
        rsa(emb, groups, {})
    with pytest.raises(DesignError, match="'BF' is one string"):
        rsa(emb, {**groups, "BF": "BF0"}, concepts)
