"""Rates, areas, thresholds and resamples, against scipy and against naive loops."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, mannwhitneyu

from crossroads.core.errors import InputError
from crossroads.core.inference.bootstrap import percentile_interval, resampled_weights
from crossroads.core.inference.detection import (
    area_interval,
    area_under_curve,
    best_threshold,
    exact_interval,
    plug_in_qvalues,
)


@given(trials=st.integers(1, 120), share=st.floats(0, 1), level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_exact_interval_equals_scipy(trials: int, share: float, level: float) -> None:
    hits = round(share * trials)
    expected = binomtest(hits, trials).proportion_ci(level, method="exact")
    assert exact_interval(hits, trials, level) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(n=st.integers(1, 15), m=st.integers(1, 15), values=st.integers(1, 20), seed=st.integers(0, 9999))
def test_the_area_is_the_mann_whitney_statistic_also_with_ties(
    n: int, m: int, values: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    positive, negative = rng.integers(0, values, n) / 7, rng.integers(0, values, m) / 7
    expected = mannwhitneyu(positive, negative).statistic / (n * m) if values > 1 else 0.5
    assert area_under_curve(positive, negative) == pytest.approx(expected, abs=1e-12)
    assert area_under_curve(negative, positive) == pytest.approx(1 - expected, abs=1e-12)


def naive_choice(flags: list[list[bool]], truth: list[bool], cases: list[int], balanced: bool) -> int:
    """The threshold with the largest accuracy, or tpr − fpr, on some cases: the last of several."""
    positives = [i for i in cases if truth[i]]
    negatives = [i for i in cases if not truth[i]]
    merits = []
    for row in flags:
        if balanced:
            tpr = Fraction(sum(row[i] for i in positives), len(positives)) if positives else Fraction(0)
            fpr = Fraction(sum(row[i] for i in negatives), len(negatives)) if negatives else Fraction(0)
            merits.append(tpr - fpr)
        else:
            merits.append(Fraction(sum(row[i] == truth[i] for i in cases), len(cases)))
    return max(range(len(merits)), key=lambda k: (merits[k], k))


@given(
    n=st.integers(2, 14),
    thresholds=st.integers(1, 9),
    balanced=st.booleans(),
    seed=st.integers(0, 9999),
)
def test_the_threshold_and_its_honest_accuracy_equal_a_loop(
    n: int, thresholds: int, balanced: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.3
    truth[0], truth[1] = True, False
    flags = rng.random((thresholds, n)) < rng.random((thresholds, 1))
    grid = np.arange(thresholds) / 10
    chosen, honest = best_threshold(flags, truth, grid, balanced=balanced)
    rows, wanted, every = flags.tolist(), truth.tolist(), list(range(n))
    assert chosen == grid[naive_choice(rows, wanted, every, balanced)]
    right = 0
    for case in every:
        without = naive_choice(rows, wanted, [i for i in every if i != case], balanced)
        right += rows[without][case] == wanted[case]
    assert honest == right / n


def test_plug_in_qvalues_worked_out_by_hand() -> None:
    # Rates 0.1/1, 0.1/2, 0.6/3, 4/4; a q-value is the smallest rate from there on: .05, .05, .2, 1.
    q = plug_in_qvalues(np.array([4.0, 3.0, 2.0, 1.0]), np.array([0.1, 0.1, 0.6, 4.0]))
    assert q.tolist() == pytest.approx([0.05, 0.05, 0.2, 1.0])


@settings(deadline=None, max_examples=40)
@given(n=st.integers(1, 30), seed=st.integers(0, 9999))
def test_qvalues_rise_with_rank_and_are_never_above_one(n: int, seed: int) -> None:
    exceeding = np.sort(np.random.default_rng(seed).uniform(0, 40, n))
    q = plug_in_qvalues(np.arange(n, 0.0, -1), exceeding)
    assert (np.diff(q) >= 0).all()
    assert ((q > 0) & (q <= 1)).all()
    assert (q <= np.minimum(1, exceeding / np.arange(1, n + 1)) + 1e-15).all()


@pytest.mark.parametrize(("n", "resamples"), [(84, 50), (1 << 19, 10)], ids=["at once", "in parts"])
def test_the_interval_equals_its_definition(n: int, resamples: int) -> None:
    # four million weights are held at once: eight resamples of half a million false cases
    rng = np.random.default_rng(3)
    positive, negative = rng.normal(0.4, 1, size=14).round(1), rng.normal(size=n).round(1)
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    draw = np.random.default_rng(1)
    first, second = resampled_weights(14, resamples, draw), resampled_weights(n, resamples, draw)
    areas = [float(p @ wins @ q) for p, q in zip(first, second, strict=True)]
    found = area_interval(positive, negative, resamples=resamples, level=0.9, seed=1)
    assert found == pytest.approx(tuple(np.quantile(areas, [0.05, 0.95])), rel=1e-12)


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
