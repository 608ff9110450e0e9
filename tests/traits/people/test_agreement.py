"""Kendall's τ-b in matrix form, exchanges of rows, precision at the top, ranks and the sign test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import binomtest, kendalltau, rankdata, spearmanr
from scipy.stats import t as student

from crossroads.core.inference.ranks import dense_ranks, doubled_midranks, rank_correlations, sign_test
from crossroads.traits.people.agreement import (
    exchanged_taus,
    kendall,
    kendall_many,
    orders_within,
    tau_interval,
    top_shares,
    two_sided,
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


@pytest.mark.slow
@given(pairs)
def test_tau_is_that_of_scipy_with_any_ties(both: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = both
    ours = kendall_many(x[None], y[None])[0]
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(ours)
        assert np.isnan(kendall(x, y)[0])
    else:
        theirs = kendalltau(x, y)
        assert ours == pytest.approx(theirs.statistic, abs=1e-6)
        assert kendall(x, y) == pytest.approx((theirs.statistic, theirs.pvalue))


def left_out(x: np.ndarray, y: np.ndarray, rows: list[int], columns: list[int]) -> float:
    one, two = (np.delete(np.delete(v, rows, axis=0), columns, axis=1).ravel() for v in (x, y))
    return kendall(one, two)[0]


Parts = list[list[int]]


def jackknife(x: np.ndarray, y: np.ndarray, rows: Parts, columns: Parts) -> tuple[list[float], float]:
    """Variance over parts of the rows and over parts of the columns, and what is in both."""
    n, m = len(rows), len(columns)
    tau = left_out(x, y, [], [])
    without_rows = np.array([left_out(x, y, part, []) for part in rows])
    without_columns = np.array([left_out(x, y, [], part) for part in columns])
    both = np.array([[left_out(x, y, one, two) for two in columns] for one in rows])
    pseudo = n * m * tau - (n - 1) * m * without_rows[:, None] - (m - 1) * n * without_columns
    pseudo = pseudo + (n - 1) * (m - 1) * both
    rest = pseudo - pseudo.mean(axis=0) - pseudo.mean(axis=1)[:, None] + pseudo.mean()
    parts = [(len(one) - 1) / len(one) * ((one - tau) ** 2).sum() for one in (without_rows, without_columns)]
    return parts, float((rest**2).sum() / ((n - 1) * (m - 1) * n * m))


@pytest.mark.parametrize("blocked", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("seed", [0, 1, 2, 12])  # with the last, what is in both parts counts
def test_the_interval_of_tau_leaves_out_rows_columns_and_blocks_that_vary_more(
    seed: int, blocked: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(seed)
    n, m = 6, 5
    x, y = rng.integers(0, 6, size=(2, n, m)).astype(float)  # with ties
    y += x
    if seed > 1:
        x[1, 2] = np.nan
    names = ["b", "a", "b", "c", "a", "a"], ["q", "p", "p", "r", "q"]
    single: list[Parts] = [[[i] for i in range(size)] for size in (n, m)]
    whole: list[Parts] = [
        [[i for i, name in enumerate(some) if name == block] for block in set(some)] for some in names
    ]
    chosen = [
        whole[k]
        if k in blocked and jackknife(x, y, *whole)[0][k] > jackknife(x, y, *single)[0][k]
        else single[k]
        for k in (0, 1)
    ]
    parts, cells = jackknife(x, y, *chosen)
    variance = max(sum(parts) - cells, *parts)
    df = variance**2 / sum(part**2 / (len(some) - 1) for part, some in zip(parts, chosen, strict=True))
    if (seed, blocked) == (12, (0, 1)):
        assert variance > max(parts)
    tau = left_out(x, y, [], [])
    half = student.ppf(0.95, df) * np.sqrt(variance) / (1 - tau**2)
    found = tau_interval(x, y, 0.9, [some if k in blocked else () for k, some in enumerate(names)])
    assert found is not None
    assert found == pytest.approx(tuple(np.tanh(np.arctanh(tau) + side * half) for side in (-1, 1)))


def test_two_blocks_leave_one_degree_of_freedom_and_one_block_is_none() -> None:
    rng = np.random.default_rng(3)
    levels = np.repeat([0.0, 3.0], 4)[:, None]
    x, y = rng.normal(size=(2, 8, 6)) + levels
    halves = [str(i // 4) for i in range(8)]
    wide, narrow = (tau_interval(x, y, 0.95, [some, ()]) for some in (halves, ["all"] * 8))
    assert wide is not None
    assert narrow is not None
    assert wide[0] < 0 < wide[1]
    assert narrow == tau_interval(x, y, 0.95)
    assert narrow[0] > 0  # within a domain there is no agreement, and between domains there is


def test_blocks_without_which_a_side_is_constant_leave_no_interval() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 4, 3))
    x[2:] = 1.0
    assert tau_interval(x, y, 0.95) is not None
    assert tau_interval(x, y, 0.95, [list("aabb"), ()]) is None


def test_named_blocks_hold_zero_where_domains_share_levels_on_factors() -> None:
    rng = np.random.default_rng(1)
    rows, columns = np.arange(16) // 4, np.arange(12) // 4
    blocks = [[str(i) for i in some] for some in (rows, columns)]
    held = np.zeros(2)
    for _ in range(100):
        shared = 2 * rng.normal(size=(2, 4, 3))[:, rows][:, :, columns]
        x, y = rng.normal(size=(2, 16, 12)) + shared
        ends = [tau_interval(x, y, 0.95), tau_interval(x, y, 0.95, blocks)]
        held += [one is not None and one[0] <= 0 <= one[1] for one in ends]
    assert held[0] < 85  # about 70
    assert held[1] >= 93


def test_too_few_rows_or_columns_leave_no_interval() -> None:
    x = np.arange(12.0).reshape(2, 6)
    assert tau_interval(x, x, 0.95) is None
    assert tau_interval(x.T, x.T, 0.95) is None
    assert tau_interval(np.ones((3, 3)), np.arange(9.0).reshape(3, 3), 0.95) is None  # no order


def test_orders_within_blocks_keep_every_item_in_its_block() -> None:
    blocks = ("a", "b", "a", "c", "b", "a")
    orders = orders_within(blocks, 200, np.random.default_rng(0))
    assert (np.array(blocks)[orders] == np.array(blocks)).all()
    assert len({tuple(order) for order in orders.tolist()}) == 12  # 3! · 2! · 1!
    # each of 12 orders is as likely as any: 200 / 12 ± 4 standard deviations
    assert max(np.unique(orders, axis=0, return_counts=True)[1]) < 200 / 12 + 16


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


def test_cells_that_are_missing_on_either_side_are_left_out() -> None:
    x = np.array([1.0, 2.0, np.nan, 4.0, 0.0, 3.0])
    y = np.array([2.0, 1.0, 9.0, np.nan, 0.0, 5.0])
    # (1,2), (2,1), (0,0), (3,5) are left: five pairs agree, and 1-2 against 2-1 disagrees
    assert kendall(x, y)[0] == pytest.approx((5 - 1) / 6)
    assert kendall_many(x[None], y[None])[0] == pytest.approx(4 / 6)


def test_ties_share_the_last_places_and_too_few_scores_have_none() -> None:
    # one place is taken, two are left for three of equal score
    assert top_shares(np.array([[9.0, 5.0, 5.0, 5.0, 1.0]]), 3)[0] == pytest.approx([1, *[2 / 3] * 3, 0])
    shares = top_shares(np.array([[1.0, np.nan, np.nan], [1.0, 2.0, np.nan]]), 2)
    assert np.isnan(shares[0]).all()
    assert shares[1].tolist() == [1.0, 1.0, 0.0]


@given(arrays(np.float64, (3, 6), elements=tied), st.integers(1, 6))
def test_shares_of_the_top_add_up_to_k(scores: np.ndarray, k: int) -> None:
    assert top_shares(scores, k).sum(axis=1) == pytest.approx([k] * 3)


def test_a_two_sided_p_counts_the_observed_arrangement_and_never_is_zero() -> None:
    others = np.linspace(-1, 1, 99)
    assert two_sided(5.0, others) == pytest.approx(2 * 1 / 100)
    assert two_sided(-5.0, others) == pytest.approx(2 * 1 / 100)
    assert two_sided(0.0, others) == 1.0
    # ties count on both sides: 1.0 itself is among the others
    assert two_sided(1.0, others) == pytest.approx(2 * 2 / 100)


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


@given(above=st.integers(0, 60), below=st.integers(0, 60), zeros=st.integers(0, 5))
def test_the_sign_test_equals_the_binomial_test_without_the_zeros(above: int, below: int, zeros: int) -> None:
    differences = np.array([0.5] * above + [-2.0] * below + [0.0] * zeros)
    expected = binomtest(above, above + below).pvalue if above + below else 1.0
    assert sign_test(differences) == pytest.approx(expected, rel=1e-10)


def test_the_sign_test_equals_the_binomial_test_on_either_side_of_its_formulas() -> None:
    for above, below in [(530, 470), (600, 500), (5100, 4900), (100, 1900)]:
        differences = np.array([1.0] * above + [-1.0] * below)
        assert sign_test(differences) == pytest.approx(binomtest(above, above + below).pvalue, rel=1e-9)
        assert sign_test(-differences) == sign_test(differences)
    # 2 / 2^n is smaller than any float from n = 1075 on, but not zero
    assert [sign_test(np.ones(n)) for n in (1, 100, 1000)] == [2.0 ** (1 - n) for n in (1, 100, 1000)]
    assert all(0 < sign_test(np.ones(n)) <= 1 for n in (1001, 2000, 100_000))
