"""Resampling: weights, intervals and effect sizes of resamples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.errors import InputError
from crossroads.geometry import effect_size
from crossroads.inference.bootstrap import percentile_interval, resampled_weights, weighted_effects


@given(st.integers(1, 9), st.integers(1, 20), st.integers(0, 1000))
def test_weights_are_shares_of_samples_of_the_same_size(n: int, resamples: int, seed: int) -> None:
    weights = resampled_weights(n, resamples, np.random.default_rng(seed))
    assert weights.shape == (resamples, n)
    assert np.array_equal(weights * n, np.rint(weights * n))
    assert weights.sum(axis=1) == pytest.approx(np.ones(resamples), abs=1e-12)
    assert np.array_equal(weights, resampled_weights(n, resamples, np.random.default_rng(seed)))


def test_an_item_is_drawn_as_often_as_sampling_with_replacement_says() -> None:
    # of n items, one is left out of a sample with chance (1 - 1/n)^n, and its count has variance 1 - 1/n
    counts = resampled_weights(5, 20_000, np.random.default_rng(1)) * 5
    assert (counts == 0).mean() == pytest.approx(0.8**5, abs=0.01)
    assert counts.mean() == pytest.approx(1)
    assert counts.var() == pytest.approx(0.8, abs=0.02)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 10_000), st.sampled_from([0, 1]), st.booleans())
def test_weighted_effects_equal_those_of_the_items_drawn(
    n_x: int, n_y: int, seed: int, ddof: int, one_row: bool
) -> None:
    rng = np.random.default_rng(seed)
    rows = 1 if one_row else 7
    first, second = rng.normal(size=(rows, n_x)), rng.normal(size=(rows, n_y))
    w_x, w_y = resampled_weights(n_x, 7, rng), resampled_weights(n_y, 7, rng)
    found = weighted_effects(first, second, w_x, w_y, ddof=ddof)
    for i in range(7):
        x = np.repeat(first[i % rows], np.rint(w_x[i] * n_x).astype(int))
        y = np.repeat(second[i % rows], np.rint(w_y[i] * n_y).astype(int))
        assert found[i] == pytest.approx(effect_size(x, y, ddof=ddof), rel=1e-9, abs=1e-12)


def test_a_resample_of_equal_scores_has_no_effect_size() -> None:
    scores = np.array([[0.3, 0.1]])
    weights = np.array([[1.0, 0.0], [0.5, 0.5]])
    found = weighted_effects(scores, scores, weights, np.array([[1.0, 0.0], [1.0, 0.0]]), ddof=1)
    assert np.isnan(found[0])
    # x holds .3 and .1, y holds .3 twice: means .2 and .3, squares 3 * .05² + .15² = .03 over 3
    assert found[1] == pytest.approx(-0.1 / np.sqrt(0.03 / 3), rel=1e-12)


def test_an_interval_holds_its_share_of_the_values() -> None:
    # the 2.5 % and 97.5 % points of 0, 1, ..., 1000
    low, high = percentile_interval(np.arange(1001.0)[::-1], 0.95)
    assert (low, high) == pytest.approx((25.0, 975.0))
    assert percentile_interval(np.arange(5.0), 0.5) == pytest.approx((1.0, 3.0))


def test_impossible_resamples_and_levels_are_refused() -> None:
    with pytest.raises(InputError, match="resamples is 0"):
        resampled_weights(4, 0, np.random.default_rng(0))
    with pytest.raises(InputError, match="level is"):
        percentile_interval(np.arange(5.0), 95.0)
