"""The multilevel CEAT: every sample is an ML-EAT, levels against transcriptions, calibration, patterns."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crossroads as cr
from crossroads import Contexts, Design, Embeddings, ceat, mleat
from crossroads.contexts.measures.draws import draw_contexts
from crossroads.core.inference.random_effects import combine
from crossroads.stats import permutation_test
from crossroads.words.measures.mleat import PATTERNS, lean, pattern_of

WORDS = {name: [f"{name}{i}" for i in range(5)] for name in "xyab"}
DESIGN = Design(name="test", **WORDS)  # type: ignore[arg-type]
World = dict[str, NDArray[np.float64]]


def world(seed: int, leans: Mapping[str, float] | None = None, *, n: int = 5, contexts: int = 6) -> World:
    """Words with a place of their own in ten dimensions, contexts around it; sets may lean to one side."""
    rng = np.random.default_rng(seed)
    sides = {"a": 1.0, "b": -1.0, **(leans or {})}
    made = {}
    for name in "xyab":
        for i in range(n):
            place = rng.normal(size=10) + sides.get(name, 0.0) * np.eye(10)[0]
            made[f"{name}{i}"] = place + 0.5 * rng.normal(size=(contexts + i % 2, 10))
    return made


def test_every_sample_is_an_ml_eat_of_the_contexts_drawn() -> None:
    made = world(1, {"x": 1.0})
    result = mleat(Contexts.from_dict(made), DESIGN, samples=25, seed=3)
    words = list(DESIGN.words)
    counts = np.array([len(made[word]) for word in words])
    drawn = draw_contexts(counts, 25, np.random.default_rng(3)).T
    levels: dict[str, list[float]] = {"": [], "_x": [], "_y": []}
    variances: dict[str, list[float]] = {"": [], "_x": [], "_y": []}
    cells: dict[str, list[tuple[float, float]]] = {key: [] for key in ("ax", "bx", "ay", "by")}
    for picked in drawn:
        vectors = np.stack([made[word][i] for word, i in zip(words, picked, strict=True)])
        one = mleat(Embeddings(words, vectors), DESIGN)
        tests = {"": one.level1, "_x": one.level2["x"], "_y": one.level2["y"]}
        for key, test in tests.items():
            levels[key].append(test.effect_size)
            variances[key].append(float(np.var(list(test.associations.values()), ddof=1)))
        for key, plain in one.level3.items():
            cells[key].append((plain.mean, plain.sd))
    combined = {"": result.level1, "_x": result.level2["x"], "_y": result.level2["y"]}
    for key, level in combined.items():
        effects = getattr(result, f"sample_effect_sizes{key}")
        assert effects == pytest.approx(levels[key], rel=1e-10)
        again = combine(levels[key], variances[key])
        assert level.effect_size == pytest.approx(again.effect_size, rel=1e-10)
        assert (level.tau2, level.i2) == pytest.approx((again.tau2, again.i2), rel=1e-8)
        assert level.prediction_interval == pytest.approx(again.prediction_interval, rel=1e-8)
        assert level.sample_interval == pytest.approx(np.quantile(levels[key], [0.025, 0.975]))
        assert level.share_positive == np.mean(np.array(levels[key]) > 0)
    for key, cell in result.level3.items():
        means, sds = np.array(cells[key]).T
        again = combine(means, sds**2 / 25)  # 25 pairs, and the variance of a mean
        assert (cell.mean, cell.tau2) == pytest.approx((again.effect_size, again.tau2), rel=1e-8)
        assert cell.sd == pytest.approx(np.sqrt((sds**2).mean()))
        assert cell.pairs == 25


def test_level_1_is_the_ceat_on_the_same_draws_and_in_single_precision_nearly() -> None:
    made = world(2, {"x": 1.0})
    contexts = Contexts.from_dict(made)
    for variance in ("paper", "hedges"):
        one = ceat(contexts, DESIGN, samples=200, seed=4, variance=variance)
        other = mleat(contexts, DESIGN, samples=200, seed=4, variance=variance)
        assert other.sample_effect_sizes == pytest.approx(one.sample_effect_sizes, rel=1e-9)
        for name in ("effect_size", "se", "tau2", "i2", "log10_pvalue", "stimulus_effect_size"):
            assert getattr(other.level1, name) == pytest.approx(getattr(one, name), rel=1e-8), name
        assert other.level1.stimulus_pvalue == one.stimulus_pvalue
    single = Contexts.from_dict({word: rows.astype(np.float32) for word, rows in made.items()})
    nearly = mleat(single, DESIGN, samples=200, seed=4)
    assert nearly.sample_effect_sizes_x == pytest.approx(other.sample_effect_sizes_x, abs=1e-4)


def test_the_textbook_variance_of_level_2_counts_attributes() -> None:
    made = {word: rows for word, rows in world(3).items() if word != "b4"}
    design = Design(name="s", **{**WORDS, "b": WORDS["b"][:4]})  # type: ignore[arg-type]
    result = mleat(Contexts.from_dict(made), design, samples=50, variance="hedges")
    d = result.sample_effect_sizes_y
    again = combine(d, 9 / 20 + d**2 / 18)  # five and four attributes, though five targets each
    assert result.level2["y"].effect_size == pytest.approx(again.effect_size)


def test_p_values_over_stimuli_permute_attributes_on_expected_cosines() -> None:
    made = world(4, {"x": 0.8})
    result = mleat(Contexts.from_dict(made), DESIGN, samples=5)
    unit = {w: (r / np.linalg.norm(r, axis=1, keepdims=True)).mean(axis=0) for w, r in made.items()}
    for key in "xy":
        u = [np.mean([unit[t] @ unit[c] for t in WORDS[key]]) for c in (*WORDS["a"], *WORDS["b"])]
        wanted = permutation_test(u[:5], u[5:], alternative="two-sided")
        assert result.level2[key].stimulus_pvalue == wanted.pvalue
        d = (np.mean(u[:5]) - np.mean(u[5:])) / np.std(u, ddof=1)
        assert result.level2[key].stimulus_effect_size == pytest.approx(d)
        for attribute in "ab":
            mean = np.mean([unit[t] @ unit[c] for t in WORDS[key] for c in WORDS[attribute]])
            assert result.level3[f"{attribute}{key}"].expected == pytest.approx(mean)
    more = mleat(Contexts.from_dict(made), DESIGN, samples=900, seed=8)
    assert more.level2["x"].stimulus_pvalue == result.level2["x"].stimulus_pvalue


def test_the_pattern_is_that_of_the_rule_on_combined_values() -> None:
    sides = {"x": 3.0, "y": -3.0, "a": 3.0, "b": -3.0}
    result = mleat(Contexts.from_dict(world(5, sides)), DESIGN, samples=100)
    assert result.pattern == "AB-Divergent"
    assert result.pattern_shares["AB-Divergent"] > 0.5
    nothing = mleat(Contexts.from_dict(world(8, {"a": 0.0, "b": 0.0}, contexts=40)), DESIGN, samples=400)
    for field, pvalue in (("pattern", "stimulus_pvalue"), ("published_pattern", "pvalue")):
        x, y = (
            lean(level.effect_size, getattr(level, pvalue), least_effect=0.2, alpha=0.05)
            for level in nothing.level2.values()
        )
        assert getattr(nothing, field) == pattern_of(x, y)
    assert nothing.pattern == "Non-Directional"
    assert nothing.published_pattern != "Non-Directional"


def test_shares_count_samples_by_the_fitted_normal_curve() -> None:
    contexts = Contexts.from_dict(world(6, {"x": 1.5}))
    result = mleat(contexts, DESIGN, samples=300, ddof=0)
    # the divisions of ten attributes into five and five give d the variance (1/5 + 1/5) 10/9 if ddof is 0
    critical = NormalDist().inv_cdf(0.975) * np.sqrt(0.4 * 10 / 9)
    x, y = result.sample_effect_sizes_x, result.sample_effect_sizes_y
    assert result.pattern_shares["AX-Singular"] == np.mean((x > critical) & (np.abs(y) <= critical))
    assert result.pattern_shares["AY-Singular"] == np.mean((y > critical) & (np.abs(x) <= critical))
    assert set(result.pattern_shares) == set(PATTERNS)
    assert sum(result.pattern_shares.values()) == pytest.approx(1.0)
    observed = mleat(contexts, DESIGN, samples=300, ddof=0, alternative="observed")
    assert observed.pattern_shares["Non-Directional"] < result.pattern_shares["Non-Directional"]
    less = mleat(contexts, DESIGN, samples=300, ddof=0, alternative="less")
    assert less.pattern_shares["AX-Singular"] == 0.0


OPPOSITES = {word: np.concatenate([rows, -rows]) for word, rows in world(9).items()}


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (world(9), {"samples": 2}, "samples is 2"),
        (world(9), {"design": Design(name="s", x=["x0"], a=["a0"], b=["b0"])}, "single target"),
        (world(9), {"design": Design(name="s", **{**WORDS, "a": ["a0"]})}, "a needs at least 2"),  # type: ignore[arg-type]
        (dict.fromkeys(DESIGN.words, np.ones((2, 10))), {}, "all associations of a sample are equal"),
        (OPPOSITES, {}, "every expected association"),
    ],
)
def test_bad_input_is_refused(given: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(cr.CrossroadsError, match=said):
        mleat(Contexts.from_dict(given), **{"design": DESIGN, "samples": 3, **options})
