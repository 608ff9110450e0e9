"""Ranks with ties, rank correlations and the sign test, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata, spearmanr

from crossroads.inference.ranks import dense_ranks, doubled_midranks, rank_correlations, sign_test


@settings(deadline=None, max_examples=60)
@given(rows=st.integers(1, 4), n=st.integers(1, 12), values=st.integers(1, 6), seed=st.integers(0, 9999))
def test_doubled_midranks_are_twice_the_average_ranks(rows: int, n: int, values: int, seed: int) -> None:
    table = np.random.default_rng(seed).integers(0, values, (rows, n)).astype(np.float64) / 3
    expected = 2 * rankdata(table, axis=1)
    assert doubled_midranks(table).tolist() == expected.tolist()


def test_zero_and_minus_zero_are_tied() -> None:
    assert doubled_midranks(np.array([[0.0, -0.0, 1.0]])).tolist() == [[3, 3, 6]]


@settings(deadline=None, max_examples=40)
@given(n=st.integers(1, 30), values=st.integers(1, 10), seed=st.integers(0, 9999))
def test_dense_ranks_count_the_distinct_values_below(n: int, values: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    exact = rng.integers(0, values, n)
    noisy = exact + rng.uniform(-1e-14, 1e-14, n)
    expected = (rankdata(exact, method="dense") - 1).tolist()
    assert dense_ranks(noisy, tolerance=1e-12).tolist() == expected
    assert dense_ranks(exact.astype(np.float64), tolerance=0.0).tolist() == expected


@settings(deadline=None, max_examples=60)
@given(
    samples=st.integers(1, 5),
    n=st.integers(3, 20),
    classes=st.sampled_from([2, 5, 40, 5000]),
    seed=st.integers(0, 9999),
)
def test_rank_correlations_equal_scipy_with_many_and_with_few_classes(
    samples: int, n: int, classes: int, seed: int
) -> None:
    # Few classes are counted and many are sorted: both must give the average ranks of ties.
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, classes, (samples, n))
    ids[:, :2] = ids[:, 1:2]  # always a tie
    hypotheses = np.array([np.arange(n) % 2, np.arange(n) < 2], dtype=np.float64)
    found = rank_correlations(ids, classes, hypotheses)
    for s in range(samples):
        for h in range(2):
            flat = len(set(ids[s].tolist())) == 1
            expected = 0.0 if flat else float(spearmanr(ids[s], hypotheses[h]).statistic)
            assert found[s, h] == pytest.approx(expected, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(above=st.integers(0, 60), below=st.integers(0, 60), zeros=st.integers(0, 5))
def test_the_sign_test_equals_the_binomial_test_without_the_zeros(above: int, below: int, zeros: int) -> None:
    differences = np.array([0.5] * above + [-2.0] * below + [0.0] * zeros)
    expected = binomtest(above, above + below).pvalue if above + below else 1.0
    assert sign_test(differences) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("above", "below"), [(530, 470), (600, 500), (5100, 4900), (100, 1900)])
def test_the_sign_test_equals_the_binomial_test_on_either_side_of_its_formulas(
    above: int, below: int
) -> None:
    differences = np.array([1.0] * above + [-1.0] * below)
    assert sign_test(differences) == pytest.approx(binomtest(above, above + below).pvalue, rel=1e-9)
    assert sign_test(-differences) == sign_test(differences)


@pytest.mark.parametrize("n", [1, 100, 1000, 1001, 2000, 100_000])
def test_the_sign_test_is_never_zero(n: int) -> None:
    # 2 / 2^n is smaller than any float from n = 1075 on, but not zero.
    p = sign_test(np.ones(n))
    assert 0 < p <= 1
    if n <= 1000:
        assert p == 2.0 ** (1 - n)
