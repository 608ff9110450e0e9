"""Trends and changes along a series."""

from __future__ import annotations

from collections.abc import Iterator

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
    years = sorted(years)
    tables = np.random.default_rng(seed).normal(size=(len(years), 7, 6))
    n, at = len(years), np.array(years) - np.mean(years)
    squares = (at**2).sum()
    # a line through each cosine; the words' variance is that of the table of slopes
    slopes = np.array([[stats.linregress(at, tables[:, i, j]).slope for j in range(6)] for i in range(7)])
    differences = spread(tables, 3, 3).difference
    words, line = spread(slopes, 3, 3), stats.linregress(at, differences)
    # deviations of years are autocorrelated, so that the line leaves as much of it as they have, and more
    rho = trend(tables, years, 3, 3).autocorrelation
    assert rho is not None
    design = np.stack([np.ones(n), at], axis=1)
    leaves = np.eye(n) - design @ np.linalg.pinv(design)
    alike = rho ** (np.abs(at[:, None] - at) / np.diff(at).min())
    deviations = differences - line.intercept - line.slope * at
    goal = sum(deviations[t] * deviations[t + 1] for t in range(n - 1)) / (deviations**2).sum()
    covariance = leaves @ alike @ leaves
    expected = np.diag(covariance, 1).sum() / np.trace(covariance) - 0.4 / n**0.5
    assert expected == pytest.approx(goal, abs=1e-5) or (rho == 0 or rho > 0.98)
    assert expected >= goal - 1e-5 or rho > 0.98
    left = leaves @ alike
    years_part = line.stderr**2 * (n - 2) / np.trace(left) * (at @ alike @ at) / squares
    # what single cosines are off their lines is noise of words at single points, and is in both variances
    off = [tables[t] - tables.mean(axis=0) - at[t] * slopes for t in range(n)]
    noise = sum((at[t] / squares) ** 2 * float(spread(off[t], 3, 3).total) for t in range(n)) * n / (n - 2)
    noise *= years_part / line.stderr**2
    parts = [*map(float, words.parts), years_part]
    for drawn in (True, False):
        found = trend(tables, years, 3, 3, drawn=drawn, level=0.9)
        total = float(words.total)
        if drawn:
            total = max(total + years_part - noise, total, years_part)
        free = (2, 3, 2, 2, np.trace(left) ** 2 / np.trace(left @ left))
        df = total**2 / sum(part**2 / one for part, one in zip(parts[: 4 + drawn], free, strict=False))
        assert found.slope == pytest.approx(line.slope, rel=1e-9, abs=1e-12)
        assert (found.se, found.df) == pytest.approx((total**0.5, df), rel=1e-6)
        assert found.statistic is not None and found.se is not None and found.df is not None
        assert found.statistic == pytest.approx(line.slope / found.se, rel=1e-6)
        assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(found.statistic), found.df), rel=1e-6)
        half = stats.t.ppf(0.95, found.df) * found.se
        assert (found.low, found.high) == pytest.approx((line.slope - half, line.slope + half), rel=1e-6)
        assert (found.words, found.points) == ({"x": 3, "y": 4, "a": 3, "b": 3}, n)
        assert (found.autocorrelation is not None) == drawn


def lasting_years(rho: float, worlds: int, points: int) -> Iterator[np.ndarray]:
    """Tables without a trend whose words all deviate together, by an autoregression over the years."""
    rng, sides = np.random.default_rng(11), np.repeat([1.0, -1.0], 2)
    for _ in range(worlds):
        shocks = rng.normal(size=points)
        for t in range(1, points):
            shocks[t] = rho * shocks[t - 1] + (1 - rho**2) ** 0.5 * shocks[t]
        yield shocks[:, None, None] * np.outer(sides, sides) + 0.1 * rng.normal(size=(points, 4, 4))


@pytest.mark.parametrize(("rho", "most"), [(0.0, 0.055), (0.3, 0.065), (0.6, 0.09)])
def test_deviations_that_last_are_seldom_taken_for_a_trend(rho: float, most: float) -> None:
    # a rate of .05 in 400 worlds has a standard error of .011; without autocorrelation 28 % of the last
    found = [trend(tables, range(10), 2, 2) for tables in lasting_years(rho, 400, 10)]
    assert np.mean([one.pvalue is not None and one.pvalue < 0.05 for one in found]) <= most
    alike = np.mean([one.autocorrelation for one in found if one.autocorrelation is not None])
    assert rho < alike < rho + 0.35  # it is raised, so as to be seldom too small


def test_words_written_twice_add_nothing_to_a_trend() -> None:
    once = np.random.default_rng(3).normal(size=(5, 10, 9))
    twice = np.repeat(np.repeat(once, 2, axis=1), 2, axis=2)
    pairs = [np.kron(np.eye(k), np.ones((2, 2))).astype(np.float64) for k in (4, 6, 4, 5)]
    years = [1, 2, 3, 4, 6]
    for drawn in (False, True):
        plain, counted = (
            trend(once, years, 4, 4, drawn=drawn),
            trend(twice, years, 8, 8, drawn=drawn, copies=pairs),
        )
        assert counted.slope == pytest.approx(plain.slope)
        assert counted.se >= trend(twice, years, 8, 8, drawn=drawn).se  # type: ignore[operator]
        assert plain.se <= counted.se <= 1.15 * plain.se  # type: ignore[operator]
        assert counted.df < trend(twice, years, 8, 8, drawn=drawn).df  # type: ignore[operator]


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
