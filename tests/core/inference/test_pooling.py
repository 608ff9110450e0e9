"""Means over members whose words may be shared: against other software, brute force and single tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest
from scipy import stats

from crossroads.core.inference.copies import Near
from crossroads.core.inference.crossed import agreement, crossed, spread
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.pooling import Measured, covariances, pool, variance

SIZES = {"x": 4, "y": 3, "a": 5, "b": 6}
WORDS = {key: tuple(f"{key}{i}" for i in range(n)) for key, n in SIZES.items()}
VARIANCES = [0.0025, 0.0016, 0.0049, 0.0064, 0.0036, 0.0020]


def tables(k: int, seed: int = 4) -> Floats:
    """Tables of the same words in several models, much alike, with an association."""
    rng, block = np.random.default_rng(seed), np.zeros((7, 11))
    block[:4, :5] = 0.3
    return np.asarray(0.8 * rng.normal(size=(7, 11)) + 0.2 * rng.normal(size=(k, 7, 11)) + block)


def member(table: Floats, words: Mapping[str, tuple[str, ...]] = WORDS, near: Near | None = None) -> Measured:
    n_x, n_a = len(words["x"]), len(words["a"])
    return Measured(
        words, crossed(table, n_x, n_a, alternative="two-sided", near=near, exchange=False), table
    )


def given(values: Sequence[float], variances: Sequence[float]) -> list[Measured]:
    """Members without a word in common, of which only this is known."""
    known = member(tables(1)[0]).crossed
    return [
        Measured({key: (f"{key} of {i}",) for key in "xyab"}, replace(known, difference=y, se=v**0.5), None)
        for i, (y, v) in enumerate(zip(values, variances, strict=True))
    ]


def test_members_without_shared_words_have_the_numbers_of_statsmodels() -> None:
    # statsmodels 0.15.0, 2026-11-20, with y and v as given below:
    # r = statsmodels.stats.meta_analysis.combine_effects(y, v, method_re="iterated", use_t=True)
    # r.mean_effect_re, r.tau2, r.q, r.i2, r.sd_eff_w_re_hksj, *r.conf_int(use_t=True)[3], r.weights_rel_re[0]
    found = pool(given([0.10, 0.02, 0.17, 0.31, 0.05, 0.22], VARIANCES), np.ones(6))
    told = (
        found.mean,
        found.tau2,
        found.cochran_q,
        found.i2,
        found.se,
        found.low,
        found.high,
        found.weights[0],
    )
    expected = (0.136456060, 0.008139910, 18.921938901, 0.735756466, 0.043605400, 0.02436481, 0.24854731)
    assert told == pytest.approx((*expected, 0.17870743), abs=1e-8)
    assert (found.df, found.shared) == (5, 0)
    # where tau2 is 0: sd_eff_w_re and conf_int(use_t=True)[1], below which no interval is
    flat = pool(given([0.10, 0.12, 0.09], VARIANCES[:3]), np.ones(3))
    assert (flat.mean, flat.cochran_q, flat.se) == pytest.approx(
        (0.108509755, 0.181403072, 0.028523948), abs=1e-9
    )
    assert (flat.low, flat.high) == pytest.approx((-0.01421889, 0.23123840), abs=1e-8)
    assert (flat.tau2, flat.i2) == (0, 0)


def test_the_variance_of_a_mean_over_the_same_words_is_that_of_the_mean_table() -> None:
    some, weights = tables(3), np.array([0.2, 0.3, 0.5])
    mean = spread(np.einsum("k,kij->ij", weights, some), 4, 5)
    assert variance(weights, covariances([member(one) for one in some])) == pytest.approx(mean.total)


def error(one: Measured, *moved: str) -> float:
    """What words add to the difference: its derivative by their weights, as if drawn from their sets."""
    total, n = 0.0, {word: len(some) for some in one.words.values() for word in some}
    for signs in product((1, -1), repeat=len(moved)):
        heavy = {word: 1 + 1e-4 * sign for word, sign in zip(moved, signs, strict=True)}
        weights = [np.array([heavy.get(word, 1.0) for word in some]) for some in one.words.values()]
        x, y, a, b = (some / some.sum() for some in weights)
        total += prod(signs) * float(np.concatenate([x, -y]) @ one.table @ np.concatenate([a, -b]))
    return float(total / 2e-4 ** len(moved) * prod((n[word] / (n[word] - 1)) ** 0.5 for word in moved))


def test_lists_covary_through_the_words_and_pairs_of_words_that_they_share() -> None:
    other = {"x": ("x1", "x9", "x0"), "y": ("y9", "y2"), "a": WORDS["a"], "b": ("b3", "b9", "b4")}
    one, two = member(tables(1)[0]), member(np.random.default_rng(5).normal(size=(5, 8)), other)
    both = {key: sorted({*WORDS[key]} & {*other[key]}) for key in "xyab"}
    targets, attributes = [*both["x"], *both["y"]], [*both["a"], *both["b"]]
    shared = [product(targets), product(attributes), product(targets, attributes)]
    expected = [sum(error(one, *some) * error(two, *some) for some in every) for every in shared]
    assert covariances([one, two])[:, 0, 1] == pytest.approx(expected, rel=1e-5)


def test_near_copies_widen_the_error_of_a_member_as_they_do_in_its_test() -> None:
    copies = [np.eye(n) for n in SIZES.values()]
    copies[0][0, 1] = copies[0][1, 0] = copies[3][2, 4] = copies[3][4, 2] = 1
    members = [member(one, near=Near(tuple(copies), {})) for one in tables(3)]
    plain = [member(one).crossed.se for one in tables(3)]
    own = variance(np.eye(3), covariances(members))
    assert own == pytest.approx([(one.crossed.se or 0) ** 2 for one in members])
    assert (np.sqrt(own) > plain).all()


def test_copies_of_one_model_tell_no_more_than_that_model() -> None:
    one = member(tables(1)[0])
    found, alone = pool([one] * 5, np.ones(5)), one.crossed
    assert (found.mean, found.se) == pytest.approx((alone.difference, alone.se))
    assert (found.tau2, found.i2) == (0, 0)
    assert found.shared == pytest.approx(0.8)
    assert alone.statistic is not None
    # as agreement of the test, which differs in its degrees of freedom alone
    assert found.agreement == pytest.approx(agreement(alone.statistic, found.df, [*SIZES.values()]))


def test_numbers_of_the_mean_are_those_of_the_formula() -> None:
    members, units = [member(one) for one in tables(4)], np.array([0.5, 1.0, 2.0, 1.5])
    found, over = pool(members, units), covariances(members) / np.outer(units, units)
    values = np.array([one.crossed.difference for one in members]) / units
    own, w = variance(np.eye(4), over), np.array(found.weights)
    assert found.tau2 > 0
    assert w == pytest.approx(1 / (own + found.tau2) / (1 / (own + found.tau2)).sum())
    assert found.mean == pytest.approx(w @ values)
    noise = variance(np.eye(4) - w, over) + found.tau2 * (1 - 2 * w + w @ w)
    assert w @ (values - found.mean) ** 2 == pytest.approx(w @ noise)  # what defines τ²
    assert found.se**2 == pytest.approx(variance(w, over) + found.tau2 * w @ w)
    assert found.pvalue == pytest.approx(2 * stats.t.sf(abs(found.mean) / found.se, found.df))
    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, found.df) * found.se)
    reach = stats.t.ppf(0.975, 3) * np.sqrt(found.tau2 + found.se**2)
    assert found.prediction_interval == pytest.approx((found.mean - reach, found.mean + reach))


def test_without_cosines_errors_of_members_that_share_a_word_are_taken_for_equal() -> None:
    members = [member(one) for one in tables(4)]
    known, bound = pool(members, np.ones(4)), pool([one._replace(table=None) for one in members], np.ones(4))
    assert bound.se > known.se and bound.tau2 >= known.tau2
    errors = np.array([one.crossed.se for one in members])
    assert bound.se**2 == pytest.approx(
        (bound.weights @ errors) ** 2 + bound.tau2 * np.sum(np.square(bound.weights))
    )
