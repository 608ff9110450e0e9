"""What leaving out words says: the definition, and a test and an interval that follow from it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from crossroads.comparison.jackknife import (
    Jackknife,
    Variance,
    difference_interval,
    effect_jackknife,
    jackknife,
    tempered_changes,
)
from crossroads.comparison.words import SharedWords, shared_words
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.crossed import spread
from crossroads.core.inference.geometry import Floats, effect_size
from crossroads.core.stimuli import Design

SIZES = {"x": 5, "y": 7, "a": 4, "b": 6}
WORDS = {name: [f"{name}{i}" for i in range(n)] for name, n in SIZES.items()}
DESIGN = Design(name="test", **WORDS)  # type: ignore[arg-type]


def shared(
    rng: np.random.Generator, leans: tuple[float, float], design: Design = DESIGN, words: Any = "independent"
) -> SharedWords:
    """Two models whose targets lean to the side of their attribute, with much that a word does in both."""
    sizes = [len(words) for words in design.sets.values()]
    common = rng.normal(size=(sum(sizes), 8))
    pair = []
    for lean in leans:
        vectors = 0.4 * (common + rng.normal(size=common.shape))
        vectors[:, 0] += np.repeat([lean, -lean, 1.0, -1.0], sizes)
        pair.append(Embeddings(design.words, vectors))
    return shared_words(pair[0], pair[1], design, "raise", words)


def number(table: Floats, places: dict[str, list[int]], scale: str) -> float:
    """The number of chosen words, by its definition; p and q are shares of all words."""
    s = table[:, places["a"]].mean(axis=1) - table[:, places["b"]].mean(axis=1)
    x, y = s[places["x"]], s[places["y"]]
    delta = float(x.mean() - y.mean())
    if scale == "cosine":
        return delta
    p, q = 5 / 12, 7 / 12
    correlation = np.sqrt(p * q) * delta / np.sqrt(p * x.var() + q * y.var() + p * q * delta**2)
    return float(np.arctanh(correlation))


def slopes(table: Floats, places: dict[str, list[int]], scale: str) -> Floats:
    """How the number changes with the association of each target, by trying."""
    found = []
    for row in (*places["x"], *places["y"]):
        moved = [table.copy(), table.copy()]
        for one, step in zip(moved, (1e-6, -1e-6), strict=True):
            one[row, places["a"]] += step
        found.append((number(moved[0], places, scale) - number(moved[1], places, scale)) / 2e-6)
    return np.array(found)


def single_cells(tables: list[Floats], places: dict[str, list[int]], scale: str) -> float:
    """The variance of single cells, which is in the shares of targets and of attributes; it counts once."""
    total = 0.0
    for target, attribute in product("xy", "ab"):
        n, m = SIZES[target], SIZES[attribute]
        parts = []
        for table in tables:
            cut = table[np.ix_(places[target], places[attribute])]
            rest = cut - cut.mean(axis=0) - cut.mean(axis=1)[:, None] + cut.mean()
            parts.append(slopes(table, places, scale)[places[target], None] * rest / m)
        change = parts[0] - parts[1] if len(parts) == 2 else parts[0]
        total += n / (n - 1) * m / (m - 1) * float((change**2).sum())
    return total


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 10_000), scale=st.sampled_from(["sd", "cosine"]))
def test_every_word_is_left_out_of_both_models(seed: int, scale: str) -> None:
    found = shared(np.random.default_rng(seed), (0.8, 0.2))
    starts = {"x": 0, "y": 5, "a": 0, "b": 4}
    places = {name: list(range(starts[name], starts[name] + n)) for name, n in SIZES.items()}
    result = jackknife(found, scale)
    assert result.values == pytest.approx([number(table, places, scale) for table in found.tables], abs=1e-12)
    left = {
        name: np.array(
            [
                [number(table, {**places, name: [p for p in places[name] if p != gone]}, scale)
                 for table in found.tables]
                for gone in places[name]
            ]
        )
        for name in SIZES
    }  # fmt: skip
    one, two = found.tables
    cases = [
        (result.variance, {name: theta[:, 0] - theta[:, 1] for name, theta in left.items()}, [one, two]),
        (result.variances[0], {name: theta[:, 0] for name, theta in left.items()}, [one]),
        (result.variances[1], {name: theta[:, 1] for name, theta in left.items()}, [two]),
    ]
    for variance, theta, tables in cases:
        shares = {n: (v.size - 1) / v.size * float(((v - v.mean()) ** 2).sum()) for n, v in theta.items()}
        least = max(shares["x"] + shares["y"], shares["a"] + shares["b"])
        total = max(sum(shares.values()) - single_cells(tables, places, scale), least)
        assert variance.total == pytest.approx(total, rel=1e-5)
        df = variance.total**2 / sum(share**2 / (SIZES[name] - 1) for name, share in shares.items())
        assert variance.df == pytest.approx(df, rel=1e-9)
    for k, (name, side) in enumerate((("x", 1), ("y", -1))):
        change = cases[0][1][name]
        expected = -side * (SIZES[name] - 1) * (change - change.mean())
        assert result.influence[k] == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    leans=st.tuples(st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.0, 0.3, 1.0])),
    level=st.sampled_from([0.5, 0.9, 0.95]),
)
def test_an_interval_leaves_out_zero_where_the_difference_is_that_many_standard_errors(
    seed: int, leans: tuple[float, float], level: float
) -> None:
    found = shared(np.random.default_rng(seed), leans)
    result = effect_jackknife(found)
    ends = difference_interval(found, ddof=1, level=level)
    assert ends is not None
    p = 2 * stdtr(result.variance.df, -abs(result.difference) / np.sqrt(result.variance.total))
    assert (ends.low > 0 or ends.high < 0) == (p < 1 - level)
    d = [effect_size(s[:5], s[5:], ddof=1) for s in found.scores]
    assert ends.low < d[0] - d[1] < ends.high
    wider = difference_interval(found, ddof=1, level=0.99)
    assert wider is not None
    assert wider.low <= ends.low < ends.high <= wider.high


def test_the_ends_are_the_extremes_of_an_ellipse() -> None:
    # the definition: pairs (z1, z2) with (z - ẑ)' Σ⁻¹ (z - ẑ) = t², thousands of them
    found = shared(np.random.default_rng(3), (1.0, 0.4))
    result = jackknife(found, "sd")
    one, two, both = (v.total for v in (*result.variances, result.variance))
    covariance = np.array([[one, (one + two - both) / 2], [(one + two - both) / 2, two]])
    angles = np.linspace(0, 2 * np.pi, 200_001)
    t = 2.0
    level = 1 - 2 * float(stdtr(result.variance.df, -t))
    z = np.array(result.values)[:, None] + t * np.linalg.cholesky(covariance) @ [
        np.cos(angles),
        np.sin(angles),
    ]
    differences = np.sqrt(11 * 12 / 35) * (np.tanh(z[0]) - np.tanh(z[1]))
    ends = difference_interval(found, ddof=1, level=level)
    assert ends is not None
    assert (ends.low, ends.high) == pytest.approx((differences.min(), differences.max()), abs=1e-8)


def test_targets_without_any_spread_have_a_number_of_finite_size() -> None:
    # two points, x on one and y on the other: the correlation is 1, and its Fisher's z would be infinite
    table = np.repeat([[0.5, -0.5], [-0.5, 0.5]], [3, 3], axis=0)[:, [0, 0, 1, 1]]
    words = {name: tuple(f"{name}{i}" for i in range(3 if name in "xy" else 2)) for name in "xyab"}
    s = table[:, 0] - table[:, 2]
    known = shared(np.random.default_rng(5), (0.0, 0.0))
    made = SharedWords(
        words=words, scores=(s, s), errors=(0.0, 0.0), tables=(table, table), coverage=known.coverage,
        provenance=(),
    )  # fmt: skip
    result = jackknife(made, "sd")
    assert np.isfinite(result.values).all()
    assert (result.difference, result.variance.total) == (0.0, 0.0)
    ends = difference_interval(made, ddof=1, level=0.95)
    assert ends is not None
    assert (ends.low, ends.high) == (0.0, 0.0)


def test_a_difference_of_cosines_is_never_enlarged() -> None:
    # t = 0.5 / 0.1 on 100 degrees of freedom is so rare that targets alone, two a set with a standard error
    # of √2, would have to differ by far more than they do to be as surprising.
    rare = Variance(total=0.01, df=100.0, effective=[2, 2, 2, 2])
    targets = np.array([1.0, -1.0])
    found = Jackknife(
        values=(0.5, 0.0), variances=(rare, rare), variance=rare, influence=(targets, targets),
        undefined=0, within=(1.0, 1.0),
    )  # fmt: skip
    moved = {scale: tempered_changes(found, scale) for scale in ("cosine", "sd")}
    differences = {scale: float(x.mean() - y.mean()) for scale, (x, y) in moved.items()}
    assert differences["cosine"] == pytest.approx(0.5)
    assert differences["sd"] > 10


@pytest.mark.parametrize("ddof", [0, 1])
def test_an_effect_that_other_words_might_not_show_varies_as_its_difference_of_means(ddof: int) -> None:
    both = shared(np.random.default_rng(2), (0.02, -0.02))
    n_x, n_a = SIZES["x"], SIZES["a"]
    scaled, d = [], []
    for table, s in zip(both.tables, both.scores, strict=True):
        found = spread(table, n_x, n_a)
        assert abs(found.difference) < stdtrit(found.df, 0.975) * found.total**0.5  # in neither model
        scaled.append(table / s.std(ddof=ddof))
        d.append(effect_size(s[:n_x], s[n_x:], ddof=ddof))
    drawn = spread(scaled[0] - scaled[1], n_x, n_a)
    half = stdtrit(drawn.df, 0.975) * drawn.total**0.5
    ends = difference_interval(both, ddof=ddof, level=0.95)
    assert ends is not None
    assert (ends.low, ends.high) == pytest.approx((d[0] - d[1] - half, d[0] - d[1] + half), rel=1e-9)
    assert effect_jackknife(both).linear


def test_effects_that_other_words_would_show_too_are_those_of_fisher() -> None:
    both = shared(np.random.default_rng(2), (2.0, 1.5))
    assert not effect_jackknife(both).linear
    assert effect_jackknife(both).difference == jackknife(both, "sd").difference


def test_thousands_of_targets_are_left_out_some_at_a_time() -> None:
    # more words than weights are made for at a time; for cosines the influence of a target is its change
    sizes = {"x": 2500, "y": 3, "a": 2, "b": 2}
    words = {name: [f"{name}{i}" for i in range(n)] for name, n in sizes.items()}
    many = Design(name="many", **words)  # type: ignore[arg-type]
    found = shared(np.random.default_rng(1), (0.5, 0.2), many)
    change = (found.scores[0] - found.scores[1])[:2500]
    assert jackknife(found, "cosine").influence[0] == pytest.approx(change - change.mean(), abs=1e-9)
