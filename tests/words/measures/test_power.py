"""What sets of given sizes can detect, against simulations of the exact permutation test."""

from __future__ import annotations

from functools import partial
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from crossroads.core.errors import InputError
from crossroads.core.inference.geometry import effect_size
from crossroads.core.inference.permutation.test import Tail
from crossroads.core.inference.permutation.test import permutation_test as cr_permutation_test
from crossroads.stats import minimum_detectable as cr_minimum_detectable
from tests.core.inference.permutation.tables import permutation_rows as cr_permutation_rows

# counted by hand below: one tail
permutation_rows = partial(cr_permutation_rows, alternative="greater")
permutation_test = partial(cr_permutation_test, alternative="greater")
minimum_detectable = partial(cr_minimum_detectable, alternative="greater")


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


def significant(scores: np.ndarray[Any, Any], n_x: int, alternative: Any, alpha: float = 0.05) -> float:
    """Share of rows that the exact test calls significant: a p-value below the level."""
    return float((permutation_rows(scores, n_x, alternative=alternative).pvalue < alpha).mean())


SMALL = [(3, 6), (4, 4), (8, 3), (5, 8), (2, 12)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_x", "n_y", "options"),
    [
        *((n_x, n_y, {"alternative": tail}) for n_x, n_y in SMALL for tail in ("greater", "two-sided")),
        (3, 3, {"alternative": "greater", "ties": "strict"}),  # two of 20 divisions may be as extreme
        (6, 9, {"alternative": "greater", "power": 0.6}),
        (10, 5, {"alternative": "two-sided", "power": 0.9}),
        (5, 5, {"alternative": "less", "power": 0.5, "alpha": 0.01}),
        (7, 8, {"alternative": "two-sided", "alpha": 0.002}),
    ],
)
def test_the_exact_test_finds_the_detectable_effect_as_often_as_it_says(
    n_x: int, n_y: int, options: dict[str, Any]
) -> None:
    # 3,000 to 12,000 data sets: the standard deviation of the share is at most .0073
    found = minimum_detectable(n_x, n_y, **options)
    rng = np.random.default_rng(n_x * 100 + n_y)
    sets = min(12_000, max(3_000, 20_000_000 // comb(n_x + n_y, n_x)))
    scores = rng.normal(size=(sets, n_x + n_y))
    tail, ties = options["alternative"], options.get("ties", "weak")
    scores[:, :n_x] += shift_of(some(found.detectable), n_x, n_y) * (-1 if tail == "less" else 1)
    p = permutation_rows(scores, n_x, alternative=tail, ties=ties).pvalue
    assert (p < found.alpha).mean() == pytest.approx(found.power, abs=0.025)


def with_effect(d: float, n_x: int, n_y: int, sets: int) -> np.ndarray[Any, Any]:
    """Normal scores, moved so that every set of them has an observed effect size of exactly d."""
    rng = np.random.default_rng(n_x + n_y)
    x, y = rng.normal(size=(sets, n_x)), rng.normal(size=(sets, n_y))
    x, y = (z - z.mean(axis=1, keepdims=True) for z in (x, y))
    within = np.sqrt(((x**2).sum(axis=1) + (y**2).sum(axis=1)) / (n_x + n_y - 2))
    scores = np.concatenate([x + (shift_of(d, n_x, n_y) * within)[:, None], y], axis=1)
    assert effect_size(scores[0, :n_x], scores[0, n_x:], ddof=1) == pytest.approx(d, rel=1e-9)
    return scores


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
@pytest.mark.parametrize(("n_x", "n_y"), [(4, 4), (3, 7), (5, 6)])
def test_half_of_normal_scores_are_significant_at_the_critical_effect(
    n_x: int, n_y: int, alternative: Any
) -> None:
    # 6,000 data sets: a standard deviation of .0065 at one half, .0028 at one in twenty; the ends of the
    # range are quantiles of 4,000 others and vary as much again
    found = minimum_detectable(n_x, n_y, alternative=alternative)
    low, high = found.critical_range or (0.0, 0.0)
    for d, share, within in ((low, 0.05, 0.016), (some(found.critical), 0.5, 0.036), (high, 0.95, 0.016)):
        scores = with_effect(d, n_x, n_y, 6_000)
        assert significant(scores, n_x, alternative) == pytest.approx(share, abs=within)


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
@pytest.mark.parametrize(("n_x", "n_y"), [(7, 8), (8, 8), (6, 10), (5, 13), (4, 18), (3, 31), (2, 100)])
def test_where_the_t_test_takes_over_its_power_is_within_one_hundredth(
    n_x: int, n_y: int, alternative: Any
) -> None:
    def found(method: Any, power: float) -> float:
        one = minimum_detectable(n_x, n_y, alternative=alternative, method=method, power=power)
        return some(one.detectable)

    assert minimum_detectable(n_x, n_y, alternative=alternative).method == "t"
    assert found("exact", 0.79) < found("t", 0.8) < found("exact", 0.81)


@pytest.mark.parametrize(("n_x", "n_y"), [(8, 8), (5, 12), (25, 25)])
def test_the_critical_effect_of_larger_sets_is_that_of_the_t_test(n_x: int, n_y: int) -> None:
    # scores with exactly the critical effect size have the largest p that divisions can have below the level
    rng = np.random.default_rng(1)
    x, y = stats.zscore(rng.normal(size=n_x)), stats.zscore(rng.normal(size=n_y))
    within = sqrt((n_x + n_y) / (n_x + n_y - 2))  # squares add up to n_x and n_y
    divisions = comb(n_x + n_y, n_x)
    tails: dict[Tail, int] = {"greater": 1, "two-sided": 2}
    for alternative, sides in tails.items():
        d = some(minimum_detectable(n_x, n_y, alternative=alternative).critical)
        shifted = x + shift_of(d, n_x, n_y) * within
        assert effect_size(shifted, y, ddof=1) == pytest.approx(d, rel=1e-9)
        level = ((divisions // 20) // sides) / divisions * sides
        tested = stats.ttest_ind(shifted, y, alternative=alternative).pvalue
        assert tested == pytest.approx(level, rel=1e-9)


@pytest.mark.parametrize(
    ("n_x", "n_y", "alternative", "smallest"),
    [
        (3, 3, "greater", "0.05"),
        (3, 4, "two-sided", "0.0571"),
        (2, 2, "less", "0.1667"),
        (2, 8, "two-sided", "0.0444"),
    ],
)
def test_sets_too_small_for_any_significant_result_detect_nothing_and_say_why(
    n_x: int, n_y: int, alternative: Any, smallest: str
) -> None:
    # 3 and 3 words: the smallest p is 1/20, which is not below .05; separated sets have it
    found = minimum_detectable(n_x, n_y, alternative=alternative, alpha=0.04 if n_y == 8 else 0.05)
    assert (found.critical, found.critical_range, found.detectable) == (None, None, None)
    assert found.reason is not None
    assert f"the smallest p-value of sets of {n_x} and {n_y} is {smallest}" in found.reason
    scores = np.concatenate([np.arange(n_x) + 100.0, np.arange(n_y)])[None, :]
    side = -1 if alternative == "less" else 1
    assert significant(side * scores, n_x, alternative, found.alpha) == 0
    assert minimum_detectable(8, 8).reason is None


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_a_fitted_normal_curve_is_judged_as_such(alternative: Any) -> None:
    found = minimum_detectable(5, 6, alternative=alternative, method="normal")
    for d, share in ((some(found.critical) - 1e-6, 0), (some(found.critical) + 1e-6, 1)):
        row = with_effect(d, 5, 6, 1)[0]
        p = permutation_test(row[:5], row[5:], alternative=alternative, method="normal").pvalue
        assert (p < 0.05) == share
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(4_000, 11))
    scores[:, :5] += shift_of(some(found.detectable), 5, 6)
    found_often = permutation_rows(scores, 5, alternative=alternative, method="normal").pvalue < 0.05
    assert found_often.mean() == pytest.approx(0.8, abs=0.025)
    # an effect size of 2 against 2 is at most 1.73, and z is as large
    nothing = minimum_detectable(2, 2, alpha=0.04, method="normal")
    assert nothing.critical is None
    assert "cannot have an effect size" in str(nothing.reason)


def test_effect_sizes_are_those_of_the_standard_deviation_asked_for() -> None:
    one, other = minimum_detectable(4, 5), minimum_detectable(4, 5, ddof=0)
    for name in ("critical", "detectable", "largest"):
        assert getattr(other, name) == pytest.approx(getattr(one, name) * sqrt(9 / 8), rel=1e-12)
    assert other.largest == pytest.approx(effect_size(np.ones(4), np.zeros(5), ddof=0), rel=1e-12)


def test_more_power_and_a_lower_level_ask_for_more() -> None:
    usual = minimum_detectable(8, 8)
    assert some(minimum_detectable(8, 8, power=0.95).detectable) > some(usual.detectable)
    assert minimum_detectable(8, 8, power=0.95).critical == usual.critical
    assert some(minimum_detectable(8, 8, alpha=0.01).critical) > some(usual.critical)
    assert minimum_detectable(5, 11).detectable == pytest.approx(minimum_detectable(11, 5).detectable)
    assert minimum_detectable(8, 8, power=0.04).detectable == 0.0  # the level itself gives as much


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(InputError, match="n_x is 1"):
        minimum_detectable(1, 8)
    with pytest.raises(InputError, match=r"power is 1\.0"):
        minimum_detectable(8, 8, power=1.0)
    with pytest.raises(InputError, match="sets of 25 and 25 have too many divisions"):
        minimum_detectable(25, 25, method="exact")


@pytest.mark.slow
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
