"""Trends and changes along a series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from crossroads.core.inference.crossed import spread
from crossroads.words.measures.trends import alpha_of_each, change, over_splits, trend


@settings(max_examples=40)
@given(seed=st.integers(0, 999), years=st.lists(st.integers(1800, 2000), min_size=4, max_size=7, unique=True))
def test_slope_variance_and_interval_are_those_of_the_formulas(seed: int, years: list[int]) -> None:
    tables = np.random.default_rng(seed).normal(size=(len(years), 7, 6))
    n, at = len(years), np.array(years) - np.mean(years)
    squares = (at**2).sum()
    # a line through each cosine; the words' variance is that of the table of slopes
    slopes = np.array([[stats.linregress(at, tables[:, i, j]).slope for j in range(6)] for i in range(7)])
    words, line = spread(slopes, 3, 3), stats.linregress(at, spread(tables, 3, 3).difference)
    # what single cosines are off their lines is noise of words at single points, and is in both variances
    off = [tables[t] - tables.mean(axis=0) - at[t] * slopes for t in range(n)]
    noise = sum((at[t] / squares) ** 2 * float(spread(off[t], 3, 3).total) for t in range(n)) * n / (n - 2)
    parts = [*map(float, words.parts), line.stderr**2]
    for drawn in (True, False):
        found = trend(tables, years, 3, 3, drawn=drawn, level=0.9)
        total = float(words.total)
        if drawn:
            total = max(total + line.stderr**2 - noise, total, line.stderr**2)
        used = zip(parts[: 4 + drawn], (2, 3, 2, 2, n - 2), strict=False)
        df = total**2 / sum(part**2 / free for part, free in used)
        assert found.slope == pytest.approx(line.slope, rel=1e-9, abs=1e-12)
        assert (found.se, found.df) == pytest.approx((total**0.5, df), rel=1e-6)
        assert found.statistic == pytest.approx(line.slope / total**0.5, rel=1e-6)
        assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(line.slope) / total**0.5, df), rel=1e-6)
        half = stats.t.ppf(0.95, df) * total**0.5
        assert (found.low, found.high) == pytest.approx((line.slope - half, line.slope + half), rel=1e-6)
        assert (found.words, found.points) == ({"x": 3, "y": 4, "a": 3, "b": 3}, n)


def best_split(tables: np.ndarray, n_x: int, n_a: int) -> tuple[float, int]:
    """The smallest p-value of a split and where it is, by the words alone, as the formulas are written."""
    found = []
    for k in range(1, len(tables)):
        one = spread(tables[k:].mean(axis=0) - tables[:k].mean(axis=0), n_x, n_a)
        t = abs(float(one.difference)) / float(one.total) ** 0.5
        found.append((float(2 * stats.t.sf(t, float(one.df))), k))
    return min(found)


@settings(max_examples=40)
@given(seed=st.integers(0, 999), points=st.integers(4, 8))
def test_the_change_is_the_best_of_all_splits(seed: int, points: int) -> None:
    tables = np.random.default_rng(seed).normal(size=(points, 7, 6))
    found = change(tables, 3, 2, drawn=False)
    p, k = best_split(tables, 3, 2)
    assert (found.position, found.splits) == (k, points - 1)
    assert found.split_pvalue == pytest.approx(p, rel=1e-6)
    assert found.pvalue is not None and p <= found.pvalue <= min(1.0, (points - 1) * p) + 1e-12
    after, before = spread(tables[k:], 3, 2).difference, spread(tables[:k], 3, 2).difference
    assert found.difference == pytest.approx(float(np.mean(after) - np.mean(before)))
    assert found.low is not None and found.high is not None and found.difference is not None
    # the interval and the p-value are of the same test
    assert (found.low <= 0 <= found.high) == (found.pvalue >= 0.05)


@pytest.mark.parametrize("points", [3, 4, 6])
@pytest.mark.parametrize("limit", [1.0, 2.0, 2.8])
def test_the_largest_of_all_splits_is_that_of_correlated_normal_numbers(points: int, limit: float) -> None:
    # differences before and after points j < k of n independent ones correlate by √(j (n − k) / (k (n − j)))
    steps = range(1, points)
    alike = [
        [(min(j, k) * (points - max(j, k)) / (max(j, k) * (points - min(j, k)))) ** 0.5 for k in steps]
        for j in steps
    ]
    box = np.full(points - 1, limit)
    inside = stats.multivariate_normal(cov=alike, seed=1).cdf(box, lower_limit=-box)
    assert over_splits(float(2 * stats.norm.sf(limit)), points) == pytest.approx(1 - inside, abs=2e-5)


@settings(max_examples=6)
@given(points=st.integers(4, 40), alpha=st.sampled_from([0.01, 0.05, 0.2]))
def test_the_level_of_each_split_is_adjusted_to_the_level(points: int, alpha: float) -> None:
    assert over_splits(alpha_of_each(alpha, points), points) == pytest.approx(alpha, rel=1e-5)


def test_p_values_have_ends_and_tables_without_any_spread_have_none() -> None:
    assert over_splits(0.0, 10) == 0.0
    assert over_splits(1e-30, 10) == pytest.approx(9e-30)
    assert over_splits(1.0, 10) == 1.0
    same = np.tile(np.random.default_rng(1).normal(size=(6, 6)), (10, 1, 1))  # slopes are rounding errors
    for tables in (np.zeros((10, 6, 6)), same):
        for found in (
            trend(tables, range(10), 3, 3, score_error=1e-14),
            change(tables, 3, 3, score_error=1e-14),
        ):
            assert found.reason == "the words do not differ, or do not change"
