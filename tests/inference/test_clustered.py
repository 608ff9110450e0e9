"""Means of values in clusters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossroads.errors import InputError
from crossroads.inference import clustered
from crossroads.inference.clustered import (
    cluster_exchange,
    cluster_mean,
    cluster_sign_flip,
    detectable_mean,
    items_needed,
    ratio_values,
)

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "references" / "clustered.json").read_text(encoding="utf-8")
)
Few = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=12)


@pytest.mark.parametrize("case", CASES, ids=[one["name"] for one in CASES])
def test_means_are_those_of_clubsandwich(case: dict[str, Any]) -> None:
    # lm(y ~ 1) with CR2 and Satterthwaite's degrees of freedom; tests/references/clustered.R
    found = cluster_mean(case["values"], case["clusters"])
    assert found.mean == pytest.approx(case["mean"], rel=1e-12)
    assert found.se == pytest.approx(case["se"], rel=1e-10)
    assert found.df == pytest.approx(case["df"], rel=1e-8)
    assert found.pvalue == pytest.approx(case["pvalue"], rel=1e-7)


@given(seed=st.integers(0, 999), sizes=st.lists(st.integers(1, 6), min_size=2, max_size=8))
def test_the_variance_is_that_of_the_matrices_that_define_it(seed: int, sizes: list[int]) -> None:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    values, n = np.random.default_rng(seed).normal(size=codes.size), codes.size
    made = np.eye(n) - np.ones((n, n)) / n
    scaled = []
    for one in range(len(sizes)):
        inside = codes == one
        roots, vectors = np.linalg.eigh(made[np.ix_(inside, inside)])
        half = vectors @ np.diag(1 / np.sqrt(roots)) @ vectors.T  # (I - H)^(-1/2)
        weights = np.zeros(n)
        weights[inside] = half @ np.ones(inside.sum()) / n
        scaled.append(made @ weights)
    quadratic = np.array(scaled)
    found = cluster_mean(values, codes)
    assert found.se is not None and found.df is not None
    assert found.se**2 == pytest.approx(float(((quadratic @ values) ** 2).sum()))
    inner = quadratic @ quadratic.T  # Satterthwaite: 2 E(V)^2 / var(V) for independent values
    assert found.df == pytest.approx(np.trace(inner) ** 2 / (inner**2).sum())


def test_without_clusters_it_is_students_t() -> None:
    values = np.random.default_rng(1).normal(size=9)
    found, known = cluster_mean(values, null=0.3), stats.ttest_1samp(values, 0.3)
    assert [found.pvalue, found.df] == pytest.approx([known.pvalue, 8])
    ends = known.confidence_interval()
    assert [found.low, found.high] == pytest.approx([ends.low, ends.high])
    assert found.design_effect == pytest.approx(1)


def test_copies_of_items_in_their_cluster_change_nothing() -> None:
    # ten copies of each item are no more evidence than one: with clusters as drawn the interval stays
    values = np.random.default_rng(2).normal(size=8)
    once, often = cluster_mean(values), cluster_mean(np.repeat(values, 10), np.repeat(np.arange(8), 10))
    assert often.low == pytest.approx(once.low) and often.pvalue == pytest.approx(once.pvalue)
    assert often.design_effect == pytest.approx(10 * 79 / 80 * 8 / 7)


def test_where_nothing_varies_there_is_no_interval() -> None:
    assert cluster_mean([1.0, 2.0], ["a", "a"]).reason == "all items belong to one cluster"
    assert cluster_mean([0.1] * 7).reason == "all items have the same mean"
    assert cluster_mean([0, 1, 1, 0], [1, 1, 2, 2]).reason == "all clusters have the same mean"
    assert cluster_mean([0, 1, 1, 0], [1, 1, 2, 2]).pvalue is None


def totals(sums: Sequence[float]) -> list[float]:
    """The distance from zero of the sum for every choice of signs."""
    return [
        abs(sum(sign * one for sign, one in zip(signs, sums, strict=True)))
        for signs in product((1, -1), repeat=len(sums))
    ]


@given(Few)
def test_sign_flips_are_counted_as_they_are_defined(items: list[tuple[int, int]]) -> None:
    values, codes = np.array([one[0] for one in items]), [one[1] for one in items]
    sums = [sum(v for v, c in items if c == code) for code in sorted(set(codes))]
    every = totals(sums)
    share = sum(one >= abs(sum(sums)) for one in every) / len(every)
    assert cluster_sign_flip(values, codes).pvalue == pytest.approx(share)
    assert cluster_sign_flip(values / 3, codes).pvalue == pytest.approx(share)  # thirds are counted too
    assert cluster_sign_flip(values + 5, codes, null=5).pvalue == pytest.approx(share)


@given(
    st.lists(
        st.floats(-1, 1, width=32).filter(lambda one: one == 0 or abs(one) > 1e-6), min_size=1, max_size=9
    )
)
def test_values_on_no_grid_are_counted_too(values: list[float]) -> None:
    share = float(np.mean(np.array(totals(values)) >= abs(sum(values)) * (1 - 1e-12)))
    found = cluster_sign_flip(values)
    assert found.method == "exact"
    assert found.pvalue == pytest.approx(share, abs=1e-9)


def test_of_single_0_1_items_it_is_the_exact_mcnemar_test() -> None:
    # 15 items right in the first model only, 5 in the second only, 300 in both or neither
    values = [1] * 15 + [-1] * 5 + [0] * 300
    assert cluster_sign_flip(values).pvalue == pytest.approx(stats.binomtest(5, 20).pvalue)


def test_p_is_never_zero_and_many_equal_clusters_take_no_time() -> None:
    found = cluster_sign_flip(np.ones(200_000))
    assert 0 < found.pvalue < 1e-300 and found.method == "exact"
    assert cluster_sign_flip([1, -1] * 50_000).pvalue == 1
    uneven = cluster_sign_flip([1] * 3000 + [2])  # counted sum by sum
    assert 0 < uneven.pvalue < 1e-300


def test_many_clusters_on_no_grid_are_drawn_and_say_so() -> None:
    values = np.random.default_rng(3).normal(0.3, size=40)
    found = cluster_sign_flip(values, draws=999)
    assert (found.method, found.min_pvalue) == ("monte-carlo", 0.001)
    t = cluster_mean(values).pvalue
    assert t is not None and found.pvalue == pytest.approx(t, abs=0.02)
    assert cluster_sign_flip(values, draws=999, seed=1) != found


def test_exchanges_of_ratios_are_counted_as_they_are_defined() -> None:
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(5), 3)
    first, second = ((rng.integers(0, 2, 15) * bottom, bottom) for bottom in rng.integers(0, 2, (2, 15)))

    def gap(swapped: tuple[bool, ...]) -> float:
        there = np.array(swapped)[codes]
        one = [np.where(there, b, a).sum() for a, b in zip(first, second, strict=True)]
        two = [np.where(there, a, b).sum() for a, b in zip(first, second, strict=True)]
        return float(abs(one[0] / one[1] - two[0] / two[1]))

    every = [gap(one) for one in product((False, True), repeat=5)]
    share = np.mean(np.array(every) >= every[0] - 1e-12)
    assert cluster_exchange(first, second, codes).pvalue == pytest.approx(share)


def test_exchanges_without_denominators_are_sign_flips() -> None:
    rng = np.random.default_rng(5)
    one, two = rng.integers(0, 2, (2, 24))
    codes = np.repeat(np.arange(8), 3)
    ones = np.ones(24)
    found = cluster_exchange((one, ones), (two, ones), codes)
    assert found == cluster_sign_flip(one - two, codes)


def test_values_of_a_ratio_have_its_mean_and_the_spread_of_its_jackknife() -> None:
    rng = np.random.default_rng(6)
    bottoms = rng.integers(1, 5, 200)
    tops = rng.binomial(bottoms, 0.3)
    values = ratio_values(tops, bottoms)
    assert values is not None
    assert values.mean() == pytest.approx(tops.sum() / bottoms.sum())
    left = [(tops.sum() - a) / (bottoms.sum() - b) for a, b in zip(tops, bottoms, strict=True)]
    jackknife = np.sqrt(199 / 200 * ((left - np.mean(left)) ** 2).sum())
    assert cluster_mean(values).se == pytest.approx(jackknife, rel=0.01)
    assert ratio_values([0, 0], [0, 0]) is None


@pytest.mark.parametrize(("df", "power"), [(4, 0.8), (30, 0.8), (11.5, 0.95), (200, 0.5)])
def test_what_can_be_detected_is_detected_with_the_power_promised(df: float, power: float) -> None:
    shift, bar = detectable_mean(2.0, df, power=power) / 2, stats.t.isf(0.025, df)
    reached = stats.nct.sf(bar, df, shift) + np.nan_to_num(stats.nct.cdf(-bar, df, shift))
    assert reached == pytest.approx(power, abs=1e-6)


def test_as_many_items_as_are_needed_can_detect_the_difference_and_no_fewer() -> None:
    values, codes = np.random.default_rng(7).normal(size=60), np.repeat(np.arange(20), 3)
    found = cluster_mean(values, codes)
    assert found.se is not None
    needed = items_needed(found, 0.2)
    assert needed is not None and needed[0] == 3 * needed[1]
    for clusters, enough in ((needed[1], True), (needed[1] - 1, False)):
        se = found.se * np.sqrt(20 / clusters)
        assert (detectable_mean(se, clusters - 1) <= 0.2) is enough
    assert items_needed(cluster_mean([1, 1, 1]), 0.1) is None


@pytest.mark.slow
@pytest.mark.parametrize("unequal", [False, True])
def test_true_nulls_are_rejected_as_often_as_the_level_says(unequal: bool) -> None:
    # 15 clusters of 0/1 items: what makes an item hard is shared by both models, and each cluster suits one
    # of them better. In 2,000 worlds: t test .050 and .056, exchanges .037 and .032, t over items .18 and .21
    rng = np.random.default_rng(8)
    found: dict[str, list[bool]] = {"t": [], "flip": [], "items": [], "held": []}
    for _ in range(400):
        drawn = np.maximum(1, np.round(5 * np.exp(0.8 * rng.normal(size=15)))).astype(int)
        codes = np.repeat(np.arange(15), drawn if unequal else [8] * 15)
        hard = rng.normal(size=codes.size) + rng.normal(size=15)[codes]
        one, two = (
            rng.random(codes.size) < 1 / (1 + np.exp(-(hard + rng.normal(size=15)[codes]))) for _ in range(2)
        )
        gaps = one.astype(float) - two
        mean = cluster_mean(gaps, codes)
        assert mean.pvalue is not None and mean.low is not None and mean.high is not None
        found["t"].append(mean.pvalue < 0.05)
        found["held"].append(mean.low <= 0 <= mean.high)
        found["flip"].append(cluster_sign_flip(gaps, codes).pvalue < 0.05)
        found["items"].append((cluster_mean(gaps).pvalue or 1) < 0.05)
    rates = {name: float(np.mean(some)) for name, some in found.items()}
    assert 0.02 <= rates["t"] <= 0.085
    assert rates["flip"] <= 0.07
    assert rates["held"] == pytest.approx(1 - rates["t"])
    assert rates["items"] > 0.12


@pytest.mark.slow
def test_a_detectable_difference_is_found_as_often_as_the_power_says() -> None:
    # ten clusters of five with variance 1 between and 2 within: the mean has variance (1 + 2 / 5) / 10
    rng, codes = np.random.default_rng(9), np.repeat(np.arange(10), 5)
    shift = detectable_mean(np.sqrt(0.14), 9)
    worlds = shift + rng.normal(size=(600, 10))[:, codes] + np.sqrt(2) * rng.normal(size=(600, 50))
    found = [cluster_mean(values, codes).pvalue for values in worlds]
    assert np.mean([p is not None and p < 0.05 for p in found]) == pytest.approx(0.8, abs=0.05)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="nan or infinite"):
        cluster_mean([1.0, float("nan")])
    with pytest.raises(InputError, match="3 values and 2 clusters"):
        cluster_sign_flip([1, 2, 3], ["a", "b"])
    with pytest.raises(InputError, match="shape"):
        cluster_mean([])
    with pytest.raises(InputError, match="difference is 0"):
        items_needed(cluster_mean([1, 2]), 0)


def test_sums_are_counted_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(1, 13)
    exact = cluster_sign_flip(values).pvalue
    monkeypatch.setattr(clustered, "COUNTED_SUMS", 3)
    assert cluster_sign_flip(values).pvalue == pytest.approx(exact)  # flip by flip
    monkeypatch.setattr(clustered, "COUNTED_CLUSTERS", 3)
    assert cluster_sign_flip(values).method == "monte-carlo"
