"""Permutation tests of many rows: each must be what the test of that row alone gives."""

from __future__ import annotations

from functools import partial
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.inference.permutation import rows as module
from crossroads.core.inference.permutation.test import permutation_test as cr_permutation_test
from tests.core.inference.permutation import tables

# counted by hand below: one tail
permutation_rows = partial(tables.permutation_rows, alternative="greater")
permutation_test = partial(cr_permutation_test, alternative="greater")

ALTERNATIVES = ["greater", "less", "two-sided", "observed"]


def table(n_rows: int, n: int, seed: int, *, scale: float | None = None) -> Any:
    rng = np.random.default_rng(seed)
    # few values tie often, with each other and between divisions; tenths do so but for rounding
    return rng.normal(size=(n_rows, n)) * 0.1 if scale is None else rng.integers(-3, 4, (n_rows, n)) * scale


@settings(deadline=None, max_examples=30)
@given(
    n_x=st.integers(1, 6),
    n_y=st.integers(1, 6),
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([None, 0.0, 0.1, 0.125]),
    alternative=st.sampled_from(ALTERNATIVES),
    ties=st.sampled_from(["weak", "strict"]),
)
def test_every_row_is_tested_as_if_alone(
    n_x: int, n_y: int, seed: int, scale: float | None, alternative: Any, ties: Any
) -> None:
    scores = table(5, n_x + n_y, seed, scale=scale)
    found = permutation_rows(scores, n_x, alternative=alternative, ties=ties)
    assert found.method == "exact"
    for i, row in enumerate(scores):
        alone = permutation_test(row[:n_x], row[n_x:], alternative=alternative, ties=ties)
        assert found.pvalue[i] == alone.pvalue
        assert found.min_pvalue == alone.min_pvalue
    assert np.array_equal(found.pvalue_low, found.pvalue)
    assert np.array_equal(found.pvalue_high, found.pvalue)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [None, 0.125])
@pytest.mark.parametrize(("n_x", "n_y"), [(8, 8), (3, 9), (7, 1), (1, 1)])
def test_compiled_and_numpy_counts_are_the_same(n_x: int, n_y: int, scale: float | None) -> None:
    pytest.importorskip("numba", reason="the compiled kernels need the extra 'fast'")
    scores = table(200, n_x + n_y, 3, scale=scale)
    for ties in ("weak", "strict"):
        fast, plain = (
            permutation_rows(scores, n_x, ties=ties, compiled=compiled, score_error=1e-15)
            for compiled in (True, False)
        )
        assert np.array_equal(fast.pvalue, plain.pvalue)


@pytest.mark.parametrize("compiled", [False, True])
def test_work_is_cut_into_pieces_that_do_not_show(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if compiled:
        pytest.importorskip("numba", reason="the compiled kernels need the extra 'fast'")
    scores = table(50, 8, 3)
    whole = permutation_rows(scores, 4, compiled=compiled)
    monkeypatch.setattr(module, "_PAIRS_AT_A_TIME", 7 * comb(8, 4))
    seen: list[int] = []
    pieces = permutation_rows(scores, 4, compiled=compiled, progress=seen.append)
    assert np.array_equal(pieces.pvalue, whole.pvalue)
    assert seen[-1] == 50
    assert compiled or seen == [7, 14, 21, 28, 35, 42, 49, 50]


def test_many_rows_of_large_groups_take_the_saddlepoint() -> None:
    scores = table(600, 50, 1)
    scores[:, :25] += np.linspace(-0.1, 0.1, 600)[:, None]
    found = permutation_rows(scores, 25)
    assert found.method == "saddlepoint"
    for i in range(0, 600, 40):
        certain = permutation_test(scores[i, :25], scores[i, 25:], method="bracket")
        assert found.pvalue[i] == pytest.approx(certain.pvalue, rel=0.02)
        assert found.pvalue_low[i] <= certain.pvalue_high
        assert certain.pvalue_low <= found.pvalue_high[i]
    two = permutation_rows(scores, 25, alternative="two-sided").pvalue
    less = permutation_rows(scores, 25, alternative="less").pvalue
    assert two == pytest.approx(np.minimum(1, 2 * np.minimum(found.pvalue, less)), rel=1e-9)


@pytest.mark.parametrize(
    ("n", "options", "method"),
    [
        (20, {"max_work": 1e6}, "bracket, exact"),
        (6, {"method": "bracket", "seed": 2}, "bracket"),
        (6, {"method": "monte-carlo", "seed": 2}, "monte-carlo"),
        (6, {"method": "normal"}, "normal"),
    ],
)
def test_few_rows_are_planned_and_tested_one_by_one(n: int, options: dict[str, Any], method: str) -> None:
    scores = table(3, 2 * n, 1)
    scores[0, :n] += 0.2
    found = permutation_rows(scores, n, **options)
    alone = [permutation_test(row[:n], row[n:], **options) for row in scores]
    assert found.pvalue.tolist() == [one.pvalue for one in alone]
    assert found.pvalue_low.tolist() == [one.pvalue_low for one in alone]
    assert found.method == method
    assert found.min_pvalue == alone[0].min_pvalue


def test_impossible_questions_are_refused() -> None:
    for n_x in (0, 10):
        with pytest.raises(InputError, match=f"the first group has {n_x} of 10 columns"):
            permutation_rows(table(2, 10, 1), n_x)
    with pytest.raises(InputError, match="13 scores per group"):
        permutation_rows(table(2, 10, 1), 5, method="saddlepoint")
    with pytest.raises(UnknownNameError, match="did you mean 'greater'"):
        permutation_rows(table(2, 10, 1), 5, alternative="greter")


@pytest.mark.parametrize(("n_x", "n_y"), [(2, 30), (1, 40), (30, 2)])
def test_rows_of_very_unequal_groups_are_counted(n_x: int, n_y: int) -> None:
    # 496 divisions, but two to the thirtieth subsets of the larger group
    scores = np.random.default_rng(0).normal(size=(5, n_x + n_y))
    found = permutation_rows(scores, n_x)
    assert found.method == "exact"
    for row, p in zip(scores, found.pvalue, strict=True):
        assert p == permutation_test(row[:n_x], row[n_x:]).pvalue


def test_rows_without_a_saddlepoint_are_counted_with_bounds_of_their_own() -> None:
    scores = table(600, 50, 1)
    scores[3] = np.random.default_rng(5).normal(size=50).round()  # a lattice
    scores[4, :25], scores[4, 25:] = 1.0, [0.0, *[1.0] * 24]  # groups that touch: half of all divisions tie
    # two scores of either group lie among those of the other: the approximation was off by up to 75 %, where
    # its bounds say 2 %
    for i, row in enumerate(np.sort(np.random.default_rng(6).normal(size=(20, 50)))):
        scores[5 + i] = np.concatenate([row[23:25], row[27:], row[:23], row[25:27]])
    found = permutation_rows(scores, 25, ties="weak", max_work=1e4)
    assert found.method == "bracket, exact, saddlepoint"
    for i in (3, *range(5, 25)):
        alone = permutation_test(scores[i, :25], scores[i, 25:], max_work=1e4)
        assert found.pvalue[i] == alone.pvalue
        assert (found.pvalue_low[i], found.pvalue_high[i]) == (alone.pvalue_low, alone.pvalue_high)
    assert found.pvalue[4] == pytest.approx(0.5, rel=1e-9)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_the_size_of_scores_does_not_matter_to_the_saddlepoint(size: float) -> None:
    # squares of such scores vanish, which made every p-value 1, or overflow
    scores = table(600, 50, 1)
    scores[:, :25] += 0.05
    expected = permutation_rows(scores, 25).pvalue
    assert permutation_rows(scores * size, 25).pvalue == pytest.approx(expected, rel=1e-9)


def test_a_p_value_below_the_smallest_float_is_not_0() -> None:
    scores = np.random.default_rng(7).normal(size=(513, 1600))
    scores[:, :800] += 3.0  # shares of about e to minus 1,000
    scores[0, :800] += 10.0  # apart: one division of 10 to the 480
    found = permutation_rows(scores, 800)
    assert found.method == "saddlepoint"
    assert found.pvalue.min() > 0
    assert found.pvalue_low.min() > 0
    assert found.min_pvalue > 0


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_that_repeat_get_no_saddlepoint(seed: int) -> None:
    # Some ten values for 36 scores, without a gap or outlier. Taken for continuous, the probability of a tie
    # would be missed: by 12 to 24 % of p here, where the bounds would say 2 %.
    scores = np.random.default_rng(seed).normal(size=(1, 36))
    scores[0, :18] += 0.6
    repeated = np.round(scores / 0.5) * 0.5
    found = permutation_rows(repeated, 18, method="saddlepoint")
    exact = permutation_test(repeated[0, :18], repeated[0, 18:], method="exact")
    assert found.pvalue[0] == pytest.approx(exact.pvalue, rel=1e-12)
    assert "saddlepoint" in permutation_rows(scores, 18, method="saddlepoint").method  # the same, unrounded
    with pytest.raises(InputError, match="no reliable saddlepoint"):
        permutation_test(repeated[0, :18], repeated[0, 18:], method="saddlepoint")
