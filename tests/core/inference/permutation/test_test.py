"""The permutation test: theory, agreement of its methods, and other software."""

from __future__ import annotations

import json
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.inference.permutation.test import permutation_test as cr_permutation_test
from tests.core.inference.permutation.tables import permutation_rows

# counted by hand below: one tail
permutation_test = partial(cr_permutation_test, alternative="greater")

COIN = json.loads((Path(__file__).parents[3] / "references" / "coin.json").read_text(encoding="utf-8"))


def scores_with_effect(n: int, d: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two groups of n scores whose effect size is d (pooled standard deviation, ddof 1)."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.normal(size=n)
    x, y = x - x.mean(), y - y.mean()
    within = float((x**2).sum() + (y**2).sum())
    # d = 2a / sqrt((within + 2 n a^2) / (2n - 1)), solved for a
    a = d * np.sqrt(within / (2 * n - 1)) / np.sqrt(4 - d**2 * 2 * n / (2 * n - 1))
    return 0.05 * (x + a), 0.05 * (y - a)


def test_the_largest_possible_effect_has_the_smallest_p() -> None:
    result = permutation_test(np.arange(8.0) + 10, np.arange(8.0))
    assert result.pvalue == result.min_pvalue == 1 / comb(16, 8)
    assert result.tails["less"][0] == 1.0
    assert permutation_test(np.arange(8.0) + 10, np.arange(8.0), ties="strict").pvalue == 0.0
    # separated sets of any size are exact, and their p-values are not rounded to zero
    large = permutation_test(np.arange(300.0) + 1000, np.arange(300.0))
    assert large.method == "exact"
    assert 0 < large.pvalue < 1e-170
    result = permutation_test(np.arange(1000.0) + 5000, np.arange(1000.0))
    assert result.pvalue == result.min_pvalue == 5e-324


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=12), st.integers(1, 11))
def test_tails_fit_together(values: list[float], cut: int) -> None:
    n_x = min(cut, len(values) - 1)
    weak = permutation_test(values[:n_x], values[n_x:])
    strict = permutation_test(values[:n_x], values[n_x:], ties="strict")
    assert weak.tied is not None
    total = weak.total
    assert weak.tails["greater"][0] == pytest.approx(strict.tails["greater"][0] + weak.tied / total)
    assert weak.tails["greater"][0] + strict.tails["less"][0] == pytest.approx(1)
    assert weak.tails["two-sided"][0] == min(1.0, 2 * min(weak.tails["greater"][0], weak.tails["less"][0]))
    assert weak.pvalue >= weak.min_pvalue > 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 13, 16])
@pytest.mark.parametrize("d", [-1.2, 0.0, 0.4, 1.3])
def test_exact_p_lies_inside_every_other_method(n: int, d: float) -> None:
    x, y = scores_with_effect(n, d, seed=n)
    exact = permutation_test(x, y)
    assert exact.method == "exact"
    for method in ("bracket", "monte-carlo") + (("saddlepoint",) if n >= 13 else ()):
        other = permutation_test(x, y, method=method, seed=3)
        for tail, (p, _, _) in exact.tails.items():
            _, low, high = other.tails[tail]
            assert low <= p <= high, (method, tail)


def skovgaard(x: np.ndarray, y: np.ndarray) -> float:
    """The double saddlepoint approximation of the upper tail, given that x has as many scores as it has.

    Skovgaard (1987): the tail is Φ(−w) + φ(w)(1/v − 1/w), with w of the likelihoods and v of the curvatures.
    """
    z = np.concatenate([x, y])
    z = (z - z.mean()) / z.std()
    n, m, observed = len(z), len(x), z[: len(x)].sum()

    def moments(at: Any) -> list[float]:
        p = 1 / (1 + np.exp(-(at[0] + at[1] * z)))
        return [p.sum() - m, (p * z).sum() - observed]

    def likelihood(u: float, t: float) -> float:
        return float(np.log1p(np.exp(u + t * z)).sum() - u * m - t * observed)

    alone = np.log(m / (n - m))
    u, t = optimize.root(moments, [alone, 0.1 * np.sign(observed)]).x
    p = 1 / (1 + np.exp(-(u + t * z)))
    own = p * (1 - p)
    curvature = own.sum() * (own * z * z).sum() - (own * z).sum() ** 2
    w = np.sign(t) * np.sqrt(2 * (likelihood(alone, 0.0) - likelihood(u, t)))
    v = t * np.sqrt(curvature / (m * (n - m) / n))
    return float(stats.norm.sf(w) + stats.norm.pdf(w) * (1 / v - 1 / w))


@pytest.mark.parametrize(("n", "d"), [(16, -0.5), (16, 0.4), (16, 1.0), (61, 0.4), (61, 1.0)])
def test_the_saddlepoint_is_that_of_skovgaard(n: int, d: float) -> None:
    x, y = scores_with_effect(n, d, seed=n)
    found = permutation_test(x[2:], y, method="saddlepoint")  # groups of two sizes
    assert found.tails["greater"][0] == pytest.approx(skovgaard(x[2:], y), rel=1e-8)
    assert found.tails["less"][0] == pytest.approx(skovgaard(-x[2:], -y), rel=1e-8)
    assert found.pvalue_low == pytest.approx(found.pvalue / 1.02)
    assert found.pvalue_high == pytest.approx(min(1.0, found.pvalue * 1.02))
    with_rows = permutation_rows(np.concatenate([x[2:], y])[None], n - 2, method="saddlepoint")
    both = 2 * min(found.tails["greater"][0], found.tails["less"][0])
    assert with_rows.pvalue[0] == pytest.approx(both, rel=1e-8)


def test_a_bracket_of_the_most_extreme_division_holds_its_p() -> None:
    x = np.random.default_rng(8).normal(size=12)
    found = permutation_test(x + 9, -x, method="bracket")
    assert found.pvalue_low <= 1 / comb(24, 12) <= found.pvalue_high < 1e-5


def test_the_planner_brackets_what_it_cannot_count_and_draws_where_one_score_is_far_out() -> None:
    x, y = scores_with_effect(40, 0.3, seed=2)
    result = permutation_test(x, y)
    assert (result.method, result.bound) == ("bracket", "certain")
    assert result.pvalue == result.pvalue_high
    assert 0 < result.pvalue_high - result.pvalue_low <= 0.011 * result.pvalue_high
    assert permutation_test(*scores_with_effect(61, 0.6, seed=61)).method == "saddlepoint"
    assert permutation_test(*scores_with_effect(32, 1.4, seed=32)).method == "exact"
    # one score a million standard deviations out: whichever group has it, half of all divisions look alike
    z = np.random.default_rng(0).normal(size=200)
    z[100] = 1e6
    drawn = permutation_test(z[:100], z[100:])
    assert drawn.method == "monte-carlo"
    assert 0.4 < drawn.pvalue < 1
    with pytest.raises(InputError, match="saddlepoint"):
        permutation_test(z[:100], z[100:], method="saddlepoint")
    # with replacement a division could hold the 100 twice and exceed the observed sum; without, never
    few: dict[str, Any] = {"method": "monte-carlo", "ties": "strict", "resamples": 5000}
    assert permutation_test([100.0, 1.0, 1.0, 1.0], [0.0] * 4, **few).pvalue == 1 / 5001


@pytest.mark.parametrize(("n", "d"), [(8, 1.0), (16, 0.5), (25, 1.5)])
def test_normal_method_is_the_published_star_rule(n: int, d: float) -> None:
    # for equal sets z = d * sqrt(n / 2)
    x, y = scores_with_effect(n, d, seed=n)
    result = permutation_test(x, y, method="normal", alternative="observed")
    assert result.pvalue == pytest.approx(stats.norm.sf(abs(d) * np.sqrt(n / 2)), rel=1e-9)


@pytest.mark.reference
@pytest.mark.parametrize("case", COIN["cases"], ids=lambda case: str(case["name"]))
def test_p_equals_the_exact_test_of_coin(case: dict[str, object]) -> None:
    for alternative in ("greater", "less", "two-sided"):
        if alternative == "two-sided" and len(case["x"]) != len(case["y"]):  # type: ignore[arg-type]
            continue  # coin doubles nothing: with unequal sets it adds the two unequal tails
        ours = permutation_test(case["x"], case["y"], alternative=alternative, score_error=1e-14)  # type: ignore[arg-type]
        assert ours.method == "exact"
        assert ours.pvalue == pytest.approx(case[alternative], rel=1e-9)


@pytest.mark.parametrize("method", ["auto", "exact", "bracket", "saddlepoint", "monte-carlo", "normal"])
@pytest.mark.parametrize("n", [3, 14, 70])
@pytest.mark.parametrize("noise", [0.0, 1e-17])
def test_scores_that_are_equal_but_for_rounding_are_all_ties(method: str, n: int, noise: float) -> None:
    # every division equals the observed one, so that as many are as extreme as there are, and none beyond it
    x, y = np.random.default_rng(n).normal(scale=noise, size=(2, n)) + 0.3
    for alternative in ("greater", "less", "two-sided", "observed"):
        options: dict[str, Any] = {"alternative": alternative, "method": method, "score_error": 1e-15}
        weak, strict = (permutation_test(x, y, ties=ties, **options) for ties in ("weak", "strict"))
        assert (weak.pvalue, weak.pvalue_low, weak.pvalue_high, weak.method) == (1.0, 1.0, 1.0, "exact")
        assert (strict.pvalue, weak.tied) == (0.0, weak.total)


def test_decimals_tie_where_their_sums_do() -> None:
    # tenths are no floats: 0.1 + 0.2 is not 0.3 in binary, and still the sums of these scores tie. Of the 20
    # divisions in tenths, counted by hand: x = {3, 2, 1} sums to 6, as do {1, 2, 3} with either 1 or either 2
    # and {4, 1, 1}, and so on; the integers say how many.
    x, y = [3, 2, 1], [1, 2, 4]
    whole = permutation_test(x, y)
    assert (whole.tied, whole.total) == (5, 20)
    for scale in (0.1, 1 / 3, 3e307, 1e-310):
        found = permutation_test(np.array(x) * scale, np.array(y) * scale)
        assert (found.tied, found.pvalue) == (whole.tied, whole.pvalue)
    for tenths in np.random.default_rng(3).integers(-20, 21, (20, 18)):
        whole = permutation_test(tenths[:9], tenths[9:])
        found = permutation_test(tenths[:9] / 10, tenths[9:] / 10)
        assert (found.tied, found.pvalue) == (whole.tied, whole.pvalue)


def test_groups_that_touch_are_not_separated() -> None:
    # 30 ones against 29 ones and a zero: the statistic is as high whenever the zero stays in y, in half of
    # all divisions; 1 / C(60, 30), the share of separated groups, would be wrong by sixteen powers of ten
    x, y = np.ones(30), np.array([0.0, *[1.0] * 29])
    found = permutation_test(x, y, method="saddlepoint")
    assert found.pvalue == pytest.approx(0.5, rel=1e-9)
    apart = permutation_test(np.arange(30.0) + 30, np.arange(30.0), method="saddlepoint")
    assert apart.pvalue == pytest.approx(1 / comb(60, 30), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["repeated", "two clouds"])
def test_a_lattice_is_not_left_to_the_saddlepoint(kind: str) -> None:
    # sums of scores that repeat, or lie in two heaps, take few values: the approximation, which takes them
    # for continuous, was off by up to 60 % and 200 % where it states 2 %
    rng = np.random.default_rng(8)
    z = rng.normal(size=140).round() if kind == "repeated" else rng.choice([-1.0, 1.0], 140)
    if kind == "two clouds":
        z += 0.05 * rng.normal(size=140)
    z[:70] += 0.3 * (kind == "two clouds")
    with pytest.raises(InputError, match="repeat, or form two clusters"):
        permutation_test(z[:70], z[70:], method="saddlepoint")
    assert permutation_test(z[:70], z[70:], max_work=1e3).method in ("monte-carlo", "bracket")
    few = np.random.default_rng(8).normal(size=140)
    few[:3] = few[70:73]  # words that stand in both groups do not make a lattice
    assert permutation_test(few[:70], few[70:], method="saddlepoint").method == "saddlepoint"


@given(st.integers(2, 5), st.integers(2, 6), st.integers(0, 1000), st.sampled_from(["greater", "less"]))
def test_the_studentised_p_equals_scipys_over_all_divisions(n: int, m: int, seed: int, tail: Any) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), 3 * rng.normal(size=m)

    def welch(one: Any, other: Any, axis: int = -1) -> Any:
        se = one.var(axis=axis, ddof=1) / one.shape[axis] + other.var(axis=axis, ddof=1) / other.shape[axis]
        return (one.mean(axis=axis) - other.mean(axis=axis)) / np.sqrt(se)

    theirs = stats.permutation_test((x, y), welch, alternative=tail, n_resamples=np.inf, vectorized=True)
    ours = cr_permutation_test(x, y, alternative=tail, statistic="studentised")
    assert ours.method == "exact"
    assert ours.pvalue == pytest.approx(theirs.pvalue, abs=1e-12)


def test_studentising_changes_nothing_with_groups_of_one_size_and_draws_many_divisions() -> None:
    # the spread of all scores is fixed, so that t grows with the difference of the means
    x, y = scores_with_effect(7, 0.8, 3)
    plain, studentised = cr_permutation_test(x, y), cr_permutation_test(x, y, statistic="studentised")
    assert (studentised.tails, studentised.tied) == (plain.tails, plain.tied)
    x, y = scores_with_effect(12, 0.5, 4)
    drawn = cr_permutation_test(x, y, statistic="studentised")
    assert drawn.method == "monte-carlo"
    assert drawn.pvalue_low < cr_permutation_test(x, y).pvalue < drawn.pvalue_high
    # of all divisions only the observed one and, in the other tail, its mirror have no spread
    found = cr_permutation_test([1.0] * 4, [0.0] * 4, statistic="studentised")
    assert found.pvalue == 2 / comb(8, 4)
    assert found.tails["less"][0] == 1.0


FEW, SOME, MANY = [1.0, 2.0], [3.0, 4.0], np.arange(600.0)


@pytest.mark.parametrize(
    ("x", "y", "options", "words"),
    [
        ([[1.0]], SOME, {}, "x has shape"),
        ([1.0, np.nan], SOME, {}, "nan"),
        (FEW, [np.inf], {}, "infinite"),
        ([[1.0], [1.0, 2.0]], SOME, {}, r"x is .*\n\nhint: give real numbers"),
        ([True, False], SOME, {}, r"x is .*\n\nhint: give real numbers"),
        (FEW, SOME, {"method": "saddlepoint"}, "13 scores per group"),
        (*scores_with_effect(20, 0.0, seed=1), {"method": "exact", "max_work": 1000}, "raise max_work"),
        (MANY[:50], MANY[:50] + 0.5, {"method": "exact"}, "too many divisions"),
        (MANY, MANY + 0.5, {"method": "bracket"}, "too large to bracket"),
        ([1.0], MANY[:20], {"statistic": "studentised"}, "two scores per group; there are 1 and 20"),
        (FEW, MANY[:20], {"statistic": "studentised", "method": "bracket"}, "cannot compare studentised"),
        (MANY[:10], MANY[:20], {"statistic": "studentised", "method": "exact"}, "than 200,000 divisions"),
    ],
)
def test_what_cannot_be_tested_is_refused(x: Any, y: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises((InputError, UnknownNameError), match=words):
        permutation_test(x, y, **options)
