"""Unit vectors, associations and effect sizes, against loops and known angles."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.core.errors import EvidenceError
from crossroads.core.inference.geometry import (
    affinities,
    associations,
    cosines,
    effect_size,
    rounding_error,
    unit,
)


def groups(seed: int, dim: int, *sizes: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [unit(rng.normal(size=(n, dim))) for n in sizes]


@given(
    st.integers(0, 10_000),
    st.integers(1, 50),
    st.integers(-300, 300),
    st.sampled_from([np.float64, np.float32]),
)
@settings(deadline=None, max_examples=40)
def test_rows_have_length_one_and_keep_their_direction(seed: int, dim: int, power: int, kind: Any) -> None:
    # lengths near the ends of the range of floats must not overflow or vanish when squared
    exponent = power if kind is np.float64 else power // 10
    given = (np.random.default_rng(seed).uniform(0.5, 2, size=(3, dim)) * 10.0**exponent).astype(kind)
    rows = unit(given)
    assert rows.dtype == np.float64
    assert np.sqrt((rows**2).sum(axis=1)) == pytest.approx(np.ones(3), abs=1e-14)
    ratio = rows / (given.astype(np.float64) / given.max())
    assert ratio == pytest.approx(np.repeat(ratio[:, :1], dim, axis=1), rel=1e-12)


def test_small_integers_and_half_precision_are_measured_in_double() -> None:
    for kind in (np.int8, np.float16):
        assert unit(np.array([[3, 4], [-128, 0]], dtype=kind)) == pytest.approx(
            np.array([[0.6, 0.8], [-1, 0]])
        )


def test_cosines_of_known_angles() -> None:
    rows = unit(np.array([[1.0, 0.0], [1.0, 1.0], [-2.0, 0.0]]))
    assert cosines(rows, rows) == pytest.approx(
        np.array([[1, sqrt(0.5), -1], [sqrt(0.5), 1, -sqrt(0.5)], [-1, -sqrt(0.5), 1]])
    )


@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
@settings(deadline=None, max_examples=40)
def test_associations_are_differences_of_mean_cosines(
    seed: int, dim: int, n: int, n_a: int, n_b: int
) -> None:
    targets, a, b = groups(seed, dim, n, n_a, n_b)
    s = associations(targets, a, b)
    for i, w in enumerate(targets):
        expected = sum(float(w @ c) for c in a) / n_a - sum(float(w @ c) for c in b) / n_b
        assert abs(s[i] - expected) <= rounding_error(dim)
    u = affinities(targets, a)
    for j, c in enumerate(a):
        assert abs(u[j] - sum(float(w @ c) for w in targets) / n) <= rounding_error(dim)


def test_an_effect_size_worked_out_by_hand() -> None:
    # means 2 and 0; all scores 1, 3, -1, 1 have mean 1 and squares 0 + 4 + 4 + 0 = 8
    x, y = np.array([1.0, 3.0]), np.array([-1.0, 1.0])
    assert effect_size(x, y, ddof=1) == pytest.approx(2 / sqrt(8 / 3), rel=1e-15)
    assert effect_size(x, y, ddof=0) == pytest.approx(2 / sqrt(8 / 4), rel=1e-15)


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=6),
    st.lists(st.integers(-50, 50), min_size=2, max_size=6),
)
def test_no_effect_size_exceeds_its_bound(x: list[int], y: list[int]) -> None:
    # the population effect size is at most n / sqrt(n_x n_y), which two separate points reach
    n = len(x) + len(y)
    if len(set(x + y)) > 1:
        d = effect_size(np.array(x, float), np.array(y, float), ddof=0)
        assert abs(d) <= n / sqrt(len(x) * len(y)) + 1e-9
    top = effect_size(np.ones(len(x)), np.zeros(len(y)), ddof=0)
    assert top == pytest.approx(n / sqrt(len(x) * len(y)))


def test_the_rounding_bound_covers_the_same_cosines_computed_in_long_double() -> None:
    rng = np.random.default_rng(1)
    for dim in (2, 50, 300, 1024):
        targets, a, b = (rng.normal(size=(n, dim)) for n in (40, 9, 7))
        found = associations(unit(targets), unit(a), unit(b))
        exact = [rows.astype(np.longdouble) for rows in (targets, a, b)]
        long = [rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)) for rows in exact]
        truth = (long[0] @ long[1].T).mean(axis=1) - (long[0] @ long[2].T).mean(axis=1)
        assert 0 < float(np.abs(found - truth).max()) <= rounding_error(dim)


def test_equal_scores_have_no_effect_size() -> None:
    with pytest.raises(EvidenceError, match=r"all scores equal 0\.25, so there is no effect size"):
        effect_size(np.full(3, 0.25), np.full(2, 0.25), ddof=1)
