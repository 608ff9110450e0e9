"""The bootstrap over words and contexts: against slow loops, coverage of a known truth, bad input."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crossroads as cr
from crossroads import Contexts, Design, Embeddings, ceat
from crossroads.core.inference.bootstrap import percentile_interval
from crossroads.stats import bootstrap, ceat_bootstrap

World = dict[str, NDArray[np.float64]]
DIM = 12


def design(n: int) -> Design:
    words = {k: [f"{k}{i}" for i in range(n)] for k in "xyab"}
    return Design(name="t", **words)  # type: ignore[arg-type]


def centre(name: str, shift: float) -> NDArray[np.float64]:
    """Where the words of a set scatter: targets apart by twice the shift, attributes far apart."""
    sides = {"x": shift, "y": -shift, "a": 3.0, "b": -3.0}
    return np.asarray(sides[name] * np.eye(DIM)[0] + 3 * np.eye(DIM)[1])


def world(seed: int, n: int, contexts: int, *, shift: float = 0.3, noise: float = 1.0) -> World:
    rng = np.random.default_rng(seed)
    made = {}
    for name in "xyab":
        places = centre(name, shift) + rng.normal(size=(n, DIM))
        for i in range(n):
            made[f"{name}{i}"] = places[i] + noise * rng.normal(size=(contexts, DIM))
    return made


def unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True))


def effect(means: dict[str, NDArray[np.float64]]) -> float:
    """Effect size of mean vectors stacked by set."""
    s = {k: means[k] @ (means["a"].mean(axis=0) - means["b"].mean(axis=0)) for k in "xy"}
    together = np.concatenate([s["x"], s["y"]])
    return float((s["x"].mean() - s["y"].mean()) / together.std(ddof=1))


def test_the_effect_size_is_that_of_the_stimuli_in_a_ceat() -> None:
    contexts = Contexts.from_dict(world(1, 6, 5))
    result = ceat_bootstrap(contexts, design(6), resamples=50)
    assert result.effect_size == pytest.approx(ceat(contexts, design(6), samples=3).stimulus_effect_size)
    assert (result.low, result.high) == percentile_interval(result.effect_sizes, 0.95)
    assert result.undefined == 0


def test_words_alone_are_the_bootstrap_of_their_mean_vectors() -> None:
    # one context a word: means are the vectors themselves, and contexts drawn anew are the same ones
    made = world(2, 7, 1)
    slow = bootstrap(Embeddings.from_dict({w: r[0] for w, r in made.items()}), design(7), resamples=4000)
    for drawn in ("words", "both"):
        fast = ceat_bootstrap(Contexts.from_dict(made), design(7), resamples=4000, drawn=drawn)
        assert fast.effect_size == pytest.approx(slow.effect_size)
        assert fast.effect_sizes.std() == pytest.approx(slow.effect_sizes.std(), rel=0.08)
        assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high), abs=0.12)
    fixed = ceat_bootstrap(Contexts.from_dict(made), design(7), resamples=20, drawn="contexts")
    assert fixed.effect_sizes == pytest.approx(np.full(20, fixed.effect_size))


def test_contexts_alone_have_the_distribution_of_all_resamples() -> None:
    # two words a set and two contexts a word: a resample of two contexts has one of three means, with the
    # shares 1/4, 1/2, 1/4; all 3^8 combinations are enumerated
    made = world(3, 2, 2)
    words = [f"{k}{i}" for k in "xyab" for i in range(2)]
    means = [(unit(made[word])[0], unit(made[word]).mean(axis=0), unit(made[word])[1]) for word in words]
    values, shares = [], []
    for picks in product(range(3), repeat=8):
        stacked = np.stack([means[w][i] for w, i in enumerate(picks)])
        values.append(effect({k: stacked[2 * j : 2 * j + 2] for j, k in enumerate("xyab")}))
        shares.append(float(np.prod([(0.25, 0.5, 0.25)[i] for i in picks])))
    mean = float(np.dot(shares, values))
    sd = float(np.sqrt(np.dot(shares, (np.array(values) - mean) ** 2)))
    found = ceat_bootstrap(Contexts.from_dict(made), design(2), resamples=20_000, drawn="contexts")
    assert found.effect_sizes.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(20_000))
    assert found.effect_sizes.std() == pytest.approx(sd, rel=0.04)


def test_both_stages_equal_a_slow_loop_in_distribution() -> None:
    made = world(4, 4, 3)
    rng = np.random.default_rng(0)
    slow = []
    for _ in range(2000):
        means = {}
        for k in "xyab":
            drawn = [unit(made[f"{k}{i}"]) for i in rng.integers(0, 4, 4)]
            means[k] = np.stack([rows[rng.integers(0, 3, 3)].mean(axis=0) for rows in drawn])
        slow.append(effect(means))
    fast = ceat_bootstrap(Contexts.from_dict(made), design(4), resamples=2000, seed=1).effect_sizes
    assert fast.mean() == pytest.approx(np.mean(slow), abs=5 * np.std(slow) * np.sqrt(2 / 2000))
    assert np.quantile(fast, [0.1, 0.5, 0.9]) == pytest.approx(np.quantile(slow, [0.1, 0.5, 0.9]), abs=0.12)


def test_a_resample_of_one_word_alone_is_counted_and_left_out() -> None:
    made = world(7, 2, 1)
    made["y0"] = made["x0"].copy()
    made["y1"] = made["x0"].copy()
    found = ceat_bootstrap(Contexts.from_dict(made), design(2), resamples=400, drawn="words")
    # x is drawn as x0 twice in one resample of four, which leaves four equal targets
    assert 60 <= found.undefined <= 140
    assert found.effect_sizes.size == 400 - found.undefined


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resamples": 0}, "resamples is 0"),
        ({"design": Design(name="s", x=["x0"], a=["a0"], b=["b0"])}, "single target"),
        ({"contexts": Contexts.from_dict(dict.fromkeys(design(3).words, np.ones((2, 3))))}, "no effect size"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], said: str) -> None:
    given = {"contexts": Contexts.from_dict(world(8, 3, 2)), "design": design(3), **options}
    with pytest.raises(cr.CrossroadsError, match=said):
        ceat_bootstrap(**given)
