"""Rates, areas and thresholds of detectors, against scipy and against naive loops."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, mannwhitneyu

from crossroads.inference.bootstrap import resampled_weights
from crossroads.inference.detection import (
    area_interval,
    area_under_curve,
    best_threshold,
    exact_interval,
    plug_in_qvalues,
)


@settings(deadline=None, max_examples=60)
@given(trials=st.integers(1, 120), share=st.floats(0, 1), level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_exact_interval_equals_scipy(trials: int, share: float, level: float) -> None:
    hits = round(share * trials)
    expected = binomtest(hits, trials).proportion_ci(level, method="exact")
    assert exact_interval(hits, trials, level) == pytest.approx((expected.low, expected.high), abs=1e-9)


@settings(deadline=None, max_examples=60)
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


@settings(deadline=None, max_examples=80)
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
def test_the_interval_equals_its_definition_and_holds_no_table_of_pairs(n: int, resamples: int) -> None:
    # four million weights are held at once: eight resamples of half a million false cases
    rng = np.random.default_rng(3)
    positive, negative = rng.normal(0.4, 1, size=14).round(1), rng.normal(size=n).round(1)
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    draw = np.random.default_rng(1)
    first, second = resampled_weights(14, resamples, draw), resampled_weights(n, resamples, draw)
    areas = [float(p @ wins @ q) for p, q in zip(first, second, strict=True)]
    found = area_interval(positive, negative, resamples=resamples, level=0.9, seed=1)
    assert found == pytest.approx(tuple(np.quantile(areas, [0.05, 0.95])), rel=1e-12)
    many = rng.normal(size=3000)
    tracemalloc.start()
    area_interval(many, many + 0.1, resamples=5, level=0.9, seed=1)
    area_under_curve(many, many + 0.1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6  # all pairs would take 72 MB
