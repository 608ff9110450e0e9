"""Crossed inference: the variance against a plain transcription, tails, bad tables and rates."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from crossroads.core.inference.crossed import (
    crossed,
    degrees_of_freedom,
    facing,
    mean_cosine,
    spread,
    spread_at_equal,
    tail_probability,
)
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.permutation.test import Alternative
from crossroads.core.inference.unbalanced import clustered_mean, clustered_spread, sparse_mean

SIZES = st.tuples(*[st.integers(2, 5)] * 4)


def variance_in_loops(table: Floats, n_x: int, n_a: int) -> tuple[float, float, float]:
    """Δ, V and its degrees of freedom, word by word as the formulas are written."""
    rows = {"x": range(n_x), "y": range(n_x, table.shape[0])}
    columns = {"a": range(n_a), "b": range(n_a, table.shape[1])}

    def mean(some: list[float]) -> float:
        return sum(some) / len(some)

    def var(some: list[float]) -> float:
        return sum((v - mean(some)) ** 2 for v in some) / (len(some) - 1)

    s = {
        i: mean([table[i, j] for j in columns["a"]]) - mean([table[i, j] for j in columns["b"]])
        for i in range(len(table))
    }
    t = {
        j: mean([table[i, j] for i in rows["x"]]) - mean([table[i, j] for i in rows["y"]])
        for j in range(table.shape[1])
    }
    parts = {k: (var([s[i] for i in some]) / len(some), len(some)) for k, some in rows.items()}
    parts |= {k: (var([t[j] for j in some]) / len(some), len(some)) for k, some in columns.items()}
    cells = 0.0
    for one, two in product(rows.values(), columns.values()):
        whole = mean([table[i, j] for i in one for j in two])
        rest = [
            table[i, j] - mean([table[i, k] for k in two]) - mean([table[k, j] for k in one]) + whole
            for i in one
            for j in two
        ]
        n, m = len(one), len(two)
        cells += sum(r * r for r in rest) / ((n - 1) * (m - 1)) / (n * m)
    targets, attributes = parts["x"][0] + parts["y"][0], parts["a"][0] + parts["b"][0]
    total = max(targets + attributes - cells, targets, attributes)
    df = total**2 / sum(v**2 / (n - 1) for v, n in parts.values()) if total > 0 else np.inf
    if total > 0 and 2 in [n for _, n in parts.values()]:  # a variance of two values is hardly known
        df = min(df, 1.0)
    return mean([s[i] for i in rows["x"]]) - mean([s[i] for i in rows["y"]]), total, df


@given(sizes=SIZES, data=st.data())
def test_the_variance_is_that_of_the_formulas(sizes: tuple[int, int, int, int], data: st.DataObject) -> None:
    n_x, n_y, n_a, n_b = sizes
    table = data.draw(arrays(np.float64, (n_x + n_y, n_a + n_b), elements=st.floats(-1, 1, width=16)))
    found = spread(table, n_x, n_a)
    difference, total, df = variance_in_loops(table, n_x, n_a)
    assert float(found.difference) == pytest.approx(difference, abs=1e-12)
    assert float(found.total) == pytest.approx(total, abs=1e-14, rel=1e-9)
    if total > 1e-12:
        assert float(found.df) == pytest.approx(df, rel=1e-6)


@pytest.mark.parametrize(("n_x", "n_y", "n_a", "n_b"), [(4, 5, 3, 4), (3, 7, 2, 5), (6, 3, 4, 2)])
def test_at_equal_covariate_the_difference_and_its_variance_are_those_of_a_regression(
    n_x: int, n_y: int, n_a: int, n_b: int
) -> None:
    rng = np.random.default_rng(n_x)
    table, f = rng.normal(size=(n_x + n_y, n_a + n_b)), rng.normal(size=n_x + n_y)
    in_x = np.repeat([1.0, 0.0], [n_x, n_y])
    design = np.column_stack([in_x, 1 - in_x, f])
    fit = np.linalg.lstsq(design, table, rcond=None)[0]
    found = spread_at_equal(table, facing(n_x, n_x + n_y, f), facing(n_a, n_a + n_b), n_x, n_a)
    # Δ is the difference of intercepts of A less that of B
    contrast = fit[0] - fit[1]
    assert found.difference == pytest.approx(contrast[:n_a].mean() - contrast[n_a:].mean())
    # per set of targets: residual variance of s (n − 1 − S_g/S degrees of freedom) times squared weights
    rest = table - design @ fit
    s = rest[:, :n_a].mean(axis=1) - rest[:, n_a:].mean(axis=1)
    # weights of the targets in the difference of intercepts: what it is for a 1 at one target and 0 elsewhere
    weights = np.array([np.linalg.lstsq(design, one, rcond=None)[0] for one in np.eye(n_x + n_y)])
    weights = weights[:, 0] - weights[:, 1]
    sets = {"x": slice(0, n_x), "y": slice(n_x, n_x + n_y)}
    squares = {name: float(((f[cut] - f[cut].mean()) ** 2).sum()) for name, cut in sets.items()}
    df = {n: cut.stop - cut.start - 1 - squares[n] / sum(squares.values()) for n, cut in sets.items()}
    parts = [(s[cut] ** 2).sum() / df[name] * (weights[cut] ** 2).sum() for name, cut in sets.items()]
    parts += [contrast[:n_a].var(ddof=1) / n_a, contrast[n_a:].var(ddof=1) / n_b]
    assert found.parts == pytest.approx(parts)
    cells = 0.0
    for name, cut in sets.items():
        for block in (rest[cut, :n_a], rest[cut, n_a:]):
            m = block.shape[1]
            single = ((block - block.mean(axis=1, keepdims=True)) ** 2).sum() / (df[name] * (m - 1))
            cells += single / m * (weights[cut] ** 2).sum()
    assert found.cells == pytest.approx(cells)
    total = max(sum(parts) - cells, parts[0] + parts[1], parts[2] + parts[3])
    assert found.total == pytest.approx(total)
    inverse = sum((v / total) ** 2 / d for v, d in zip(parts, [*df.values(), n_a - 1, n_b - 1], strict=True))
    assert found.df == pytest.approx(min(1.0, 1 / inverse) if 2 in (n_a, n_b) else 1 / inverse)


def test_attributes_are_exchanged_at_equal_covariate() -> None:
    rng = np.random.default_rng(8)
    f = np.tile(np.linspace(-1.0, 1.0, 8), 2) + np.repeat([2.0, 0.0], 8)
    table = np.outer(np.repeat([0.5, -0.5], 8), 0.3 * f) + 0.1 * rng.normal(size=(16, 16))
    of_targets = facing(8, 16)
    plain = crossed(table, 8, 8, alternative="two-sided")
    equal = crossed(table, 8, 8, alternative="two-sided", equal=(of_targets, facing(8, 16, f)))
    assert plain.attribute_pvalue is not None and plain.attribute_pvalue < 0.001
    assert equal.attribute_pvalue is not None and equal.attribute_pvalue > 0.05
    away = crossed(table + np.outer(of_targets.weights, np.repeat([4.0, 0.0], 8)), 8, 8,
                   alternative="two-sided", equal=(of_targets, facing(8, 16, f)))  # fmt: skip
    assert away.attribute_pvalue == pytest.approx(2 / 12870)


def test_one_target_word_gives_the_test_of_welch() -> None:
    table = np.random.default_rng(3).normal(size=(1, 11))
    found = crossed(table, 1, 4, alternative="two-sided")
    welch = stats.ttest_ind(table[0, :4], table[0, 4:], equal_var=False)
    assert found.pvalue == pytest.approx(welch.pvalue, rel=1e-12)
    ends = welch.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-10)
    assert found.df == pytest.approx(welch.df, rel=1e-12)
    assert found.shares == {"targets": 0.0, "attributes": 1.0, "cells": 0.0}


def test_tails_belong_together_and_the_interval_agrees_with_them() -> None:
    rng = np.random.default_rng(5)
    tails: tuple[Alternative, ...] = ("greater", "less", "two-sided", "observed")
    for shift in rng.uniform(-1, 1, 60):
        table = rng.normal(size=(10, 10))
        table[:5, :5] += shift
        found = {tail: crossed(table, 5, 5, alternative=tail) for tail in tails}
        p = {tail: one.pvalue or 0.0 for tail, one in found.items()}
        assert p["greater"] + p["less"] == pytest.approx(1)
        assert p["observed"] == pytest.approx(min(p["greater"], p["less"]))
        assert p["two-sided"] == pytest.approx(2 * p["observed"])
        both = found["two-sided"]
        assert found["less"].tail("two-sided") == both.pvalue
        assert both.low is not None and both.high is not None
        assert (p["two-sided"] < 0.05) == (both.low > 0 or both.high < 0)
        assert sum(both.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("shape", "n_x", "n_a", "reason"),
    [
        ((6, 2), 3, 1, "A and B have a single word, and one word has no spread"),
        ((4, 4), 3, 2, "Y has a single word, and one word has no spread"),
        ((4, 4), 2, 2, "the words of each set do not differ"),
    ],
)
def test_sets_without_a_spread_have_no_crossed_p(
    shape: tuple[int, int], n_x: int, n_a: int, reason: str
) -> None:
    table = np.full(shape, 0.3)
    table[:n_x, :n_a] = 0.9
    found = crossed(table, n_x, n_a, alternative="two-sided", score_error=1e-15)
    assert found.reason == reason
    assert (found.pvalue, found.low, found.high, found.df, found.tail("less")) == (None,) * 5
    assert found.difference == pytest.approx(0.6)


REFERENCES = json.loads(
    (Path(__file__).parents[2] / "references" / "crossed.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", REFERENCES, ids=lambda case: case["name"])
def test_the_standard_error_is_that_of_a_mixed_model(case: dict[str, Any]) -> None:
    # lmerTest with random intercepts and slopes of targets and attributes; tests/references/crossed.R
    assert not case["singular"]
    found = crossed(np.array(case["table"]), case["n_x"], case["n_a"], alternative="two-sided")
    assert found.difference == pytest.approx(case["difference"], abs=1e-11)
    assert found.se == pytest.approx(case["se"], rel=1e-5)
    # lmerTest pools the variances of both sets of a facet, which adds degrees of freedom
    assert found.df is not None and found.pvalue is not None
    assert 0.6 * case["df"] < found.df <= case["df"]
    assert case["pvalue"] <= found.pvalue < case["pvalue"] + 0.02


def test_two_values_have_one_degree_of_freedom_beside_larger_sets() -> None:
    # V = .1 + .3 with 1 and 7: by the formula .4² / (.1²/1 + .3²/7) = 7
    parts, total = np.array([0.1, 0.3]), np.array(0.4)
    assert float(degrees_of_freedom(parts, [1, 7], total)) == 1.0
    assert float(degrees_of_freedom(parts, [2, 7], total)) == pytest.approx(0.16 / (0.005 + 0.09 / 7))
    assert float(degrees_of_freedom(parts, [0, 7], total)) == pytest.approx(0.16 / (0.09 / 7))
    assert float(degrees_of_freedom(np.zeros(2), [1, 7], np.array(0.0))) == np.inf


def test_a_mean_of_cells_has_the_variance_of_rows_and_columns_less_that_of_cells() -> None:
    table = np.random.default_rng(9).normal(size=(4, 5)) + np.arange(4)[:, None]
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    rows, columns = np.var(table.mean(axis=1), ddof=1) / 4, np.var(table.mean(axis=0), ddof=1) / 5
    total = max(rows + columns - (rest**2).sum() / (3 * 4) / 20, rows, columns)
    df = total**2 / (rows**2 / 3 + columns**2 / 4)
    found = mean_cosine(table, level=0.9)
    half = stats.t.ppf(0.95, df) * total**0.5
    assert found == pytest.approx((table.mean(), total**0.5, table.mean() - half, table.mean() + half))
    i, j = (one.ravel() for one in np.indices(table.shape))
    assert sparse_mean(table.ravel(), i, j) == pytest.approx((table.mean(), total**0.5, df))
    twice = sparse_mean(np.repeat(table.ravel(), 2), np.repeat(i, 2), np.repeat(j, 2))  # nothing is learnt
    assert twice == pytest.approx((table.mean(), total**0.5, df))
    assert (mean_cosine(table[:1]), sparse_mean(table[0], i[:5], j[:5])) == (None, None)


def test_a_mean_of_a_table_that_lacks_cells_has_the_variance_of_an_additive_fit() -> None:
    rng = np.random.default_rng(10)
    i, j = (one.ravel() for one in np.indices((4, 4)))
    kept = np.flatnonzero((i + j) % 4 != 3)
    i, j = np.append(i[kept], 0), np.append(j[kept], 0)  # the first cell holds two values
    values = rng.normal(size=4)[i] + 0.5 * rng.normal(size=13)
    cells = sorted(set(zip(i.tolist(), j.tolist(), strict=True)))
    means = np.array([values[(i == a) & (j == b)].mean() for a, b in cells])
    design = np.array([[*np.eye(4)[a], *np.eye(4)[b]] for a, b in cells])
    left = means - design @ np.linalg.pinv(design) @ means
    single = (left**2).sum() / (12 - 7) * (11 * 1 + 4) / 13**2
    off = values - values.mean()
    left_out = [[off[at != k].mean() for k in range(4)] for at in (i, j)]  # means without a row, or a column
    parts = [3 / 4 * sum(mean**2 for mean in one) for one in left_out]
    total = max(sum(parts) - single, *parts)
    free = [169 / sum((at == k).sum() ** 2 for k in range(4)) - 1 for at in (i, j)]
    df = total**2 / sum(part**2 / one for part, one in zip(parts, free, strict=True))
    assert sparse_mean(values, i, j) == pytest.approx((values.mean(), total**0.5, df))


class TestClusters:
    """Tables of answers by words that may lack cells, and answers that share a label."""

    @given(st.integers(2, 8), st.integers(2, 5), st.integers(2, 5), st.integers(0, 99))
    def test_a_whole_table_without_clusters_is_one_target(self, n: int, a: int, b: int, seed: int) -> None:
        table = np.random.default_rng(seed).normal(size=(n, a + b))
        want, found = spread(table, n, a), clustered_spread(table, a)
        for one, other in zip(want, found, strict=True):
            np.testing.assert_allclose(other, one, atol=1e-12)

    def test_rows_that_say_the_same_are_one_row(self) -> None:
        # three labels, each asked four times with the same answer: as sure as three answers, not twelve
        table = np.random.default_rng(1).normal(size=(3, 6))
        repeated, labels = np.repeat(table, 4, axis=0), np.repeat(np.arange(3), 4)
        one, found = clustered_spread(table, 3), clustered_spread(repeated, 3, [labels])
        assert found.difference == pytest.approx(one.difference)
        assert found.parts == pytest.approx(one.parts)
        assert clustered_spread(repeated, 3).parts[0] < 0.4 * one.parts[0]

    def test_clusters_of_unlike_sizes_are_left_out_one_after_the_other_and_count_as_fewer(self) -> None:
        labels, rng = np.repeat(np.arange(4), (9, 4, 2, 1)), np.random.default_rng(4)
        table = rng.normal(size=(16, 6)) + rng.normal(size=4)[labels, None] * np.repeat([1, -1], 3)
        scores = table[:, :3].mean(axis=1) - table[:, 3:].mean(axis=1)
        without = [scores[labels != k].mean() - scores.mean() for k in range(4)]
        found = clustered_spread(table, 3, [labels])
        assert found.parts[0] == pytest.approx(3 / 4 * np.dot(without, without))
        assert found.effective == pytest.approx((256 / (81 + 16 + 4 + 1), 3, 3))

    def test_a_mean_over_clusters_of_unlike_sizes_is_seldom_found(self) -> None:
        # the k-th of 20 clusters has about a k-th of the rows of the first: 10 % where clusters count alike
        labels = np.repeat(np.arange(20), np.ceil(56 / np.arange(1, 21)).astype(int))
        rng, flagged = np.random.default_rng(5), 0
        for _ in range(600):
            values = rng.normal(size=20)[labels] + rng.normal(size=len(labels))
            found = clustered_mean(values, np.arange(len(labels)), [labels])
            p = tail_probability(found.difference / found.total**0.5, found.df, "two-sided")
            flagged += float(p) < 0.05
        assert flagged <= 0.055 * 600

    def test_a_row_that_lacks_words_counts_as_much_as_another(self) -> None:
        table = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, np.nan, 0.0, np.nan], [0.0, 0.0, np.nan, 1.0]])
        assert clustered_spread(table, 2).difference == pytest.approx((0.5 + 1.0 - 1.0) / 3)

    def test_two_crossed_things_have_the_variance_of_both(self) -> None:
        first, second = (one.ravel() for one in np.meshgrid(np.arange(6), np.arange(5)))
        rng = np.random.default_rng(2)
        values = rng.normal(size=6)[first] + rng.normal(size=5)[second]
        found = clustered_mean(values, np.arange(30), [first, second])
        alone = [clustered_mean(values, np.arange(30), [one]).parts[0] for one in (first, second)]
        assert max(alone) < found.parts[:2].sum() <= sum(alone) + 1e-12
        # sums of deviations by either, times n / (n − 1); what single rows have in common is subtracted once
        off = (values - values.mean()).reshape(5, 6) / 30
        single = (off**2).sum() * 30 / 29
        parts = (off.sum(axis=0) ** 2).sum() * 6 / 5, (off.sum(axis=1) ** 2).sum() * 5 / 4
        assert alone == pytest.approx(parts)
        once = min(single, sum(parts) - max(*parts, single))
        assert found.parts[:2] == pytest.approx([part * (1 - once / sum(parts)) for part in parts])
        assert (found.parts[2], found.cells) == pytest.approx((single, single))
        total = max(sum(parts) - once, single)
        assert found.total == pytest.approx(total)
        free = zip(found.parts, (5, 4, 29), strict=True)
        assert found.df == pytest.approx(total**2 / sum(part**2 / n for part, n in free))
