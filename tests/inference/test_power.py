"""What sets of given sizes can detect, against simulations of the exact permutation test."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from crossroads import minimum_detectable
from crossroads.errors import InputError, UnknownNameError
from crossroads.geometry import effect_size
from crossroads.inference.rows import permutation_rows


def some(value: float | None) -> float:
    """A figure that must be there."""
    assert value is not None
    return value


def shift_of(d: float, n_x: int, n_y: int) -> float:
    """Difference of means, in units of the spread within sets, whose WEAT effect size is d.

    d = D / sqrt(((n - 2) + D² n_x n_y / n) / (n - 1)), solved for D.
    """
    n = n_x + n_y
    return d * sqrt((n - 2) / (n - 1 - d**2 * n_x * n_y / n))


@pytest.mark.parametrize(
    ("n_x", "n_y", "alternative", "power"),
    [(8, 8, "greater", 0.8), (8, 8, "two-sided", 0.8), (6, 9, "greater", 0.6), (10, 5, "two-sided", 0.9)],
)
def test_the_exact_test_finds_the_detectable_effect_as_often_as_wanted(
    n_x: int, n_y: int, alternative: str, power: float
) -> None:
    # 1,500 data sets: the standard deviation of the share is at most 1.3 points
    found = minimum_detectable(n_x, n_y, alternative=alternative, power=power)
    rng = np.random.default_rng(n_x * 100 + n_y)
    scores = rng.normal(size=(1500, n_x + n_y))
    scores[:, :n_x] += shift_of(some(found.detectable), n_x, n_y)
    p = permutation_rows(scores, n_x, alternative=alternative).pvalue
    assert (p <= 0.05).mean() == pytest.approx(power, abs=0.05)


def test_the_critical_effect_is_where_the_exact_p_crosses_the_level() -> None:
    critical = some(minimum_detectable(8, 8).critical)
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(1500, 16))
    scores[:, :8] += 0.9
    p = permutation_rows(scores, 8).pvalue
    d = np.array([effect_size(row[:8], row[8:], ddof=1) for row in scores])
    assert (p[d > critical + 0.05] < 0.06).all()
    assert (p[d < critical - 0.05] > 0.04).all()
    near = np.abs(d - critical) < 0.03
    assert near.sum() > 20
    assert p[near].mean() == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize(("n_x", "n_y"), [(8, 8), (5, 12), (25, 25)])
def test_the_critical_effect_is_that_of_the_t_test(n_x: int, n_y: int) -> None:
    # scores with exactly the critical effect size have a t test p of exactly 5 per cent
    rng = np.random.default_rng(1)
    x, y = stats.zscore(rng.normal(size=n_x)), stats.zscore(rng.normal(size=n_y))
    within = sqrt((n_x + n_y) / (n_x + n_y - 2))  # squares add up to n_x and n_y
    for alternative in ("greater", "two-sided"):
        d = some(minimum_detectable(n_x, n_y, alternative=alternative).critical)
        shifted = x + shift_of(d, n_x, n_y) * within
        assert effect_size(shifted, y, ddof=1) == pytest.approx(d, rel=1e-9)
        assert stats.ttest_ind(shifted, y, alternative=alternative).pvalue == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_larger_sets_detect_smaller_effects(alternative: str) -> None:
    found = [minimum_detectable(n, n, alternative=alternative) for n in (4, 5, 8, 12, 20, 40, 100)]
    critical, detectable = [some(one.critical) for one in found], [some(one.detectable) for one in found]
    assert all(large < small for values in (critical, detectable) for small, large in pairwise(values))
    for one, least, power in zip(found, critical, detectable, strict=True):
        assert 0 < least < power < one.largest


def test_sets_too_small_for_any_significant_result_detect_nothing() -> None:
    # 3 and 3 words: the smallest p is 1/20, two-sided 1/10
    assert minimum_detectable(3, 3).critical is not None
    found = minimum_detectable(3, 3, alternative="two-sided")
    assert (found.critical, found.detectable) == (None, None)
    assert minimum_detectable(2, 2).detectable is None


def test_more_power_and_a_lower_level_ask_for_more() -> None:
    usual = minimum_detectable(8, 8)
    critical, detectable = some(usual.critical), some(usual.detectable)
    assert some(minimum_detectable(8, 8, power=0.95).detectable) > detectable
    assert minimum_detectable(8, 8, power=0.95).critical == critical
    assert some(minimum_detectable(8, 8, alpha=0.01).critical) > critical
    assert some(minimum_detectable(8, 8, alternative="two-sided").critical) > critical
    assert minimum_detectable(8, 8, alternative="less").critical == critical
    assert minimum_detectable(5, 11).detectable == pytest.approx(minimum_detectable(11, 5).detectable)
    assert minimum_detectable(8, 8, power=0.04).detectable == 0.0  # the level itself gives as much


@pytest.mark.parametrize(("n_x", "n_y"), [(2, 2), (8, 8), (5, 12)])
def test_no_effect_size_exceeds_the_largest(n_x: int, n_y: int) -> None:
    separated = effect_size(np.ones(n_x), np.zeros(n_y), ddof=1)
    assert minimum_detectable(n_x, n_y).largest == pytest.approx(separated, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"n_x": 1}, InputError, "n_x is 1"),
        ({"n_y": 0}, InputError, "n_y is 0"),
        ({"alpha": 0.0}, InputError, "alpha is 0.0"),
        ({"alpha": 5.0}, InputError, "alpha is 5.0"),
        ({"power": 1.0}, InputError, "power is 1.0"),
        ({"alternative": "greter"}, UnknownNameError, "did you mean 'greater'"),
    ],
)
def test_impossible_questions_are_refused(
    change: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        minimum_detectable(**{"n_x": 8, "n_y": 8, **change})


@pytest.mark.parametrize(("n_x", "n_y"), [(2, 2), (5, 9), (6, 7), (25, 25)])
@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05])
def test_the_far_tail_of_a_two_sided_test_counts_for_nothing(n_x: int, n_y: int, alpha: float) -> None:
    # scipy gives no number for the far tail of a noncentral t with a large shift. It adds nothing to a high
    # power, so that two sides at a level detect what one side does at half of it.
    two = minimum_detectable(n_x, n_y, alpha=alpha, power=0.99, alternative="two-sided")
    one = minimum_detectable(n_x, n_y, alpha=alpha / 2, power=0.99)
    if two.detectable is None:
        assert one.detectable is None
    else:
        assert two.detectable == pytest.approx(some(one.detectable), rel=1e-6)
        assert two.critical == pytest.approx(some(one.critical), rel=1e-12)
