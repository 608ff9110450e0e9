"""Kendall's τ-b in matrix form, exchanges of rows, and precision at the top."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau

from crossroads.inference.agreement import (
    exchanged_sums,
    exchanged_taus,
    kendall,
    kendall_many,
    row_pair_sums,
    top_shares,
    two_sided,
    weighted_taus,
)

tied = st.integers(-3, 3).map(float)  # few values, so that most examples have ties
pairs = st.integers(3, 12).flatmap(
    lambda n: st.tuples(arrays(np.float64, n, elements=tied), arrays(np.float64, n, elements=tied))
)
tables = st.tuples(st.integers(2, 5), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(
        arrays(np.float64, shape, elements=tied), arrays(np.float64, shape, elements=tied)
    )
)


@given(pairs)
def test_tau_is_that_of_scipy_with_any_ties(both: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = both
    ours = kendall_many(x[None], y[None])[0]
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(ours)
        assert np.isnan(kendall(x, y)[0])
    else:
        assert ours == pytest.approx(kendalltau(x, y).statistic, abs=1e-6)


@given(tables)
@settings(max_examples=50)
def test_sums_by_pairs_of_rows_add_up_to_tau(both: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = both
    ours = weighted_taus(row_pair_sums(x, y), np.ones((1, len(x))))[0]
    if np.ptp(x) > 0 and np.ptp(y) > 0:
        assert ours == pytest.approx(kendalltau(x.ravel(), y.ravel()).statistic, abs=1e-6)


@given(tables, st.integers(0, 10))
@settings(max_examples=50)
def test_exchanging_rows_by_table_equals_exchanging_them(
    both: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    x, y = both
    order = np.random.default_rng(seed).permutation(len(x))
    ours = exchanged_taus(x, y, order[None])[0]
    if np.ptp(x) > 0 and np.ptp(y) > 0:
        assert ours == pytest.approx(kendalltau(x.ravel(), y[order].ravel()).statistic, abs=1e-6)


def test_many_rows_are_exchanged_one_by_one_with_the_same_answer() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(70, 2)), rng.normal(size=(70, 2))
    order = rng.permutation(70)
    assert exchanged_taus(x, y, order[None])[0] == pytest.approx(
        kendalltau(x.ravel(), y[order].ravel()).statistic
    )


def test_a_group_drawn_twice_counts_as_two_groups() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(4, 5)), rng.normal(size=(4, 5))
    weights = np.array([[2.0, 0.0, 1.0, 1.0]])
    drawn = [0, 0, 2, 3]
    by_hand = kendalltau(x[drawn].ravel(), y[drawn].ravel()).statistic
    assert weighted_taus(row_pair_sums(x, y), weights)[0] == pytest.approx(by_hand)


def test_cells_that_are_missing_on_either_side_are_left_out() -> None:
    x = np.array([[1.0, 2.0, np.nan], [4.0, 0.0, 3.0]])
    y = np.array([[2.0, 1.0, 9.0], [np.nan, 0.0, 5.0]])
    # (1,2), (2,1), (0,0), (3,5) are left: five pairs agree, and 1-2 against 2-1 disagrees
    assert weighted_taus(row_pair_sums(x, y), np.ones((1, 2)))[0] == pytest.approx((5 - 1) / 6)
    assert kendall_many(x.reshape(1, -1), y.reshape(1, -1))[0] == pytest.approx(4 / 6)
    assert kendall(x.ravel(), y.ravel())[0] == pytest.approx(4 / 6)


def test_the_published_style_pvalue_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=40), rng.normal(size=40)
    found = kendalltau(x, y)
    assert kendall(x, y) == pytest.approx((found.statistic, found.pvalue))


def test_ties_share_the_last_places() -> None:
    scores = np.array([[9.0, 5.0, 5.0, 5.0, 1.0]])
    # one place is taken, two are left for three of equal score
    assert top_shares(scores, 3)[0] == pytest.approx([1, 2 / 3, 2 / 3, 2 / 3, 0])


@given(arrays(np.float64, (3, 6), elements=tied), st.integers(1, 6))
def test_shares_of_the_top_add_up_to_k(scores: np.ndarray, k: int) -> None:
    assert top_shares(scores, k).sum(axis=1) == pytest.approx([k] * 3)


def test_a_row_with_too_few_scores_has_no_top() -> None:
    shares = top_shares(np.array([[1.0, np.nan, np.nan], [1.0, 2.0, np.nan]]), 2)
    assert np.isnan(shares[0]).all()
    assert shares[1].tolist() == [1.0, 1.0, 0.0]


def test_sums_of_an_order_pick_one_cell_a_row() -> None:
    table = np.array([[1.0, 10.0], [100.0, 1000.0]])
    assert exchanged_sums(table, np.array([[0, 1], [1, 0]])).tolist() == [1001.0, 110.0]


def test_a_two_sided_p_counts_the_observed_arrangement_and_never_is_zero() -> None:
    others = np.linspace(-1, 1, 99)
    assert two_sided(5.0, others) == pytest.approx(2 * 1 / 100)
    assert two_sided(-5.0, others) == pytest.approx(2 * 1 / 100)
    assert two_sided(0.0, others) == 1.0
    # ties count on both sides: 1.0 itself is among the others
    assert two_sided(1.0, others) == pytest.approx(2 * 2 / 100)
