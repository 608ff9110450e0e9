"""Words alike in one number: which they are, and tests on them against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crossroads.core.inference.geometry import Floats, unit
from crossroads.words.checks.matched import Windows, drawn_targets, drawn_tests, windows

POOL = np.random.default_rng(5).normal(size=(300, 6))
ROWS = np.random.default_rng(6).permutation(300)[:240]


@given(
    st.lists(st.floats(0, 10), min_size=25, max_size=200),
    st.lists(st.floats(-1, 11), min_size=1, max_size=5),
    st.floats(0.1, 3),
)
def test_words_alike_are_the_nearest_within_a_distance(
    pool: list[float], values: list[float], within: float
) -> None:
    ordered = np.sort(np.array(pool))
    found = windows(ordered, np.array(values), within=within)
    for value, low, high in zip(values, found.low.tolist(), found.high.tolist(), strict=True):
        chosen = ordered[low:high]
        assert (np.abs(chosen - value) <= within + 1e-12).all()
        close = ordered[(ordered >= value - within) & (ordered <= value + within)]
        assert len(chosen) == max(0, high - low) <= 20  # a twentieth of a small pool, and at least twenty
        if len(close) <= 10:
            assert chosen.tolist() == close.tolist()


@pytest.mark.parametrize(("size", "count"), [(15, 15), (300, 20), (1000, 50), (1999, 99), (50_000, 100)])
def test_a_twentieth_of_the_pool_is_alike_at_least_twenty_and_at_most_a_hundred(
    size: int, count: int
) -> None:
    middle, first, pool = size // 2, size // 4, np.arange(size, dtype=np.float64)
    found = windows(pool, np.array([middle + 0.25, -5.0, size + 5.0]), within=1e9)
    assert (found.high - found.low).tolist() == [count] * 3
    assert found.low.tolist() == [max(0, min(size - count, middle + 1 - count // 2)), 0, size - count]
    near = windows(pool, np.array([first + 0.25]), within=4.25)  # with both ends
    assert (near.low.tolist(), near.high.tolist()) == ([max(0, first - 4)], [first + 5])
    assert near.lacking.tolist() == [True]
    assert windows(np.arange(10.0), np.array([4.0]), within=9.0).lacking.tolist() == [False]


def test_the_middle_of_equal_numbers_is_drawn_from_and_lonely_words_are_noticed() -> None:
    pool = np.array([0.0] * 100 + [1.0] * 300 + [2.0] * 100 + [5.0, 5.1, 5.2])
    found = windows(pool, np.array([1.0, 5.1, 9.0]), within=0.5)
    assert 100 <= found.low[0] <= found.high[0] <= 400
    assert found.lacking.tolist() == [False, True, True]


def naive(
    chosen: list[list[int]], attributes: Floats | None, n_x: int, n_y: int, n_a: int
) -> tuple[list[float], list[float]]:
    """Effect sizes and differences, test by test, word by word."""
    units = unit(POOL)
    ds, differences = [], []
    for rows in chosen:
        targets = [units[ROWS[row]] for row in rows[: n_x + n_y]]
        if attributes is None:
            a = [units[ROWS[row]] for row in rows[n_x + n_y : n_x + n_y + n_a]]
            b = [units[ROWS[row]] for row in rows[n_x + n_y + n_a :]]
        else:
            a, b = list(attributes[:n_a]), list(attributes[n_a:])
        s = [float(np.mean([w @ one for one in a]) - np.mean([w @ one for one in b])) for w in targets]
        difference = float(np.mean(s[:n_x]) - np.mean(s[n_x:]))
        differences.append(difference)
        assume(np.std(s) > 1e-3)  # a word may be drawn for both attributes
        ds.append(difference / float(np.std(s, ddof=1)))
    return ds, differences


@given(st.integers(0, 1000), st.integers(2, 5), st.integers(2, 5), st.integers(1, 4), st.integers(1, 4))
def test_drawn_tests_are_those_of_plain_loops(seed: int, n_x: int, n_y: int, n_a: int, n_b: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 200, n_x + n_y + n_a + n_b)
    alike = Windows(low, low + rng.integers(10, 40, len(low)))
    numbers = np.random.default_rng(seed).random((7, len(low)))
    chosen = (low + (numbers * (alike.high - low)).astype(int)).tolist()
    found = drawn_tests(POOL, ROWS, alike, n_x, n_y, n_a, draws=7, seed=seed)
    ds, differences = naive(chosen, None, n_x, n_y, n_a)
    assert found.differences.tolist() == pytest.approx(differences, abs=1e-5)
    # float32 units: a d whose scores hardly vary is not known so precisely
    assert found.effect_sizes.tolist() == pytest.approx(ds, abs=2e-3)
    targets = Windows(alike.low[: n_x + n_y], alike.high[: n_x + n_y])
    attributes = unit(rng.normal(size=(n_a + n_b, 6)))
    direction = attributes[:n_a].mean(axis=0) - attributes[n_a:].mean(axis=0)
    numbers = np.random.default_rng(seed).random((7, n_x + n_y))
    chosen = (targets.low + (numbers * (targets.high - targets.low)).astype(int)).tolist()
    held = drawn_targets(POOL, ROWS, targets, n_x, direction, draws=7, seed=seed)
    ds, differences = naive(chosen, attributes, n_x, n_y, n_a)
    assert held.differences.tolist() == pytest.approx(differences, abs=1e-9)
    assert held.effect_sizes.tolist() == pytest.approx(ds, abs=1e-6)


def test_draws_do_not_depend_on_how_many_are_made_at_once() -> None:
    # eight words of 5,000 numbers each: a hundred tests are made at once
    pool, low = np.random.default_rng(7).normal(size=(60, 5000)), np.arange(0, 40, 5)
    found = drawn_tests(pool, np.arange(60), Windows(low, low + 15), 2, 2, 2, draws=205, seed=3)
    words = unit(pool)[low + (np.random.default_rng(3).random((205, 8)) * 15).astype(int)]
    direction = words[:, 4:6].mean(axis=1) - words[:, 6:].mean(axis=1)
    differences = np.einsum("tij,tj->t", words[:, :2] - words[:, 2:4], direction) / 2
    assert found.differences == pytest.approx(differences, abs=1e-5)
