"""Flipped signs: against plain counting and against the binomial."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from crossroads.sentences.flips import flipped_mean, flipped_signs, widening

SIGNS = st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.integers(0, 5)), min_size=1, max_size=12)


def all_sums(sums: np.ndarray) -> np.ndarray:
    """Sums of all flips of clusters, one after the other."""
    return np.asarray(np.array(list(product([1, -1], repeat=len(sums)))) @ sums)


@given(SIGNS)
def test_the_count_is_that_of_all_flips(rows: list[tuple[int, int]]) -> None:
    signs, clusters = np.array(rows, dtype=np.int64).T
    sums = np.bincount(clusters, signs)
    wanted = (np.abs(all_sums(sums)) >= abs(sums.sum()) - 1e-9).mean()
    assert flipped_signs(signs, clusters).pvalue == pytest.approx(wanted)


@pytest.mark.parametrize(("more", "less"), [(0, 0), (1, 0), (7, 2), (30, 30), (900, 608), (4000, 3000)])
def test_without_clusters_it_is_the_exact_sign_test(more: int, less: int) -> None:
    signs = np.repeat([1, -1, 0], [more, less, 5]).astype(np.int64)
    wanted = binomtest(more, more + less).pvalue if more + less else 1.0
    assert flipped_signs(signs).pvalue == pytest.approx(wanted, rel=1e-9)
    assert flipped_signs(-signs) == flipped_signs(signs)


def test_no_p_value_is_zero_and_the_smallest_is_that_of_the_clusters() -> None:
    signs = np.ones(3000, np.int64)
    assert 0 < flipped_signs(signs).pvalue < 1e-200
    few = flipped_signs(signs, np.arange(3000) % 4)
    assert few.pvalue == few.min_pvalue == 2 / 2**4


@settings(max_examples=40)
@given(st.lists(st.integers(-20, 20).map(lambda i: i / 4), min_size=3, max_size=8), st.floats(-1, 1))
def test_the_interval_holds_what_flips_do_not_reject(values: list[float], null: float) -> None:
    some = np.array(values)
    found = flipped_mean(some, np.arange(len(some)), null=null, level=0.8)
    assert found.pvalue == pytest.approx(
        (np.abs(all_sums(some - null)) >= abs((some - null).sum()) - 1e-7).mean()
    )
    if found.low is None or found.high is None:
        assert len(some) < 4  # of 4 flips, one in four rejects nothing
        return
    assert found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high
    step = 0.001
    for inside, outside in ((found.low + step, found.low - step), (found.high - step, found.high + step)):
        if found.low < inside < found.high:
            sums = all_sums(some - inside)
            assert (np.abs(sums) >= abs((some - inside).sum()) - 1e-7).mean() > 0.2 - 1e-9
        sums = all_sums(some - outside)
        assert (np.abs(sums) >= abs((some - outside).sum()) + 1e-7).mean() <= 0.2 + 1e-9


def test_drawn_flips_agree_with_counted_ones_and_follow_the_seed() -> None:
    rng = np.random.default_rng(0)
    values, clusters = rng.normal(0.5, 1, 60), np.arange(60) % 12
    counted, drawn = (flipped_mean(values, clusters, draws=draws) for draws in (2**11, 2**11 - 1))
    assert flipped_mean(values, clusters, draws=2**11, seed=1) == counted
    assert drawn.pvalue == pytest.approx(counted.pvalue, abs=0.02)
    assert (drawn.low, drawn.high) == pytest.approx((counted.low, counted.high), abs=0.05)
    assert flipped_mean(values, clusters, draws=2**11 - 1) == drawn
    assert flipped_mean(values, clusters, draws=2**11 - 1, seed=1) != drawn


def test_crossed_groupings_are_wider_and_nested_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(12), 10), np.tile(np.arange(10), 12)
    values = rng.normal(size=12)[rows] + rng.normal(size=10)[columns] + 0.1 * rng.normal(size=120)
    # the sums of squares of both less that of the cells, over that of each
    off = (values - values.mean()).reshape(12, 10)
    parts = (off.sum(axis=1) ** 2).sum(), (off.sum(axis=0) ** 2).sum()
    whole = sum(parts) - (off**2).sum()
    wanted = [max(1.0, whole / part) ** 0.5 for part in parts]
    assert widening(values, [rows, columns]) == pytest.approx(wanted)
    assert min(wanted) > 1.1
    assert widening(values, [rows, np.arange(120)])[0] == pytest.approx(1.0)
    assert widening(values, [rows]) == [1.0]
    signs = np.sign(values).astype(np.int64)
    assert flipped_signs(signs, rows, widened=1.3).pvalue > flipped_signs(signs, rows).pvalue
