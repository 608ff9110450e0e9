"""Reliability: definitions written out, and numbers that were published."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.inference.geometry import cosines, unit
from crossroads.stats import reliability


def world(noise: float, seed: int = 0, n: int = 8) -> tuple[cr.Embeddings, cr.Design]:
    """Words around one direction for each attribute; targets spread between both, and noise on all."""
    rng = np.random.default_rng(seed)
    sets = {key: [f"{key}{i}" for i in range(n)] for key in "xyab"}
    poles = {"a": 1.0, "b": -1.0}
    vectors = {}
    for key, words in sets.items():
        for i, word in enumerate(words):
            side = poles.get(key, (1 if key == "x" else -1) * (i + 1) / n)
            vectors[word] = np.concatenate([[side, 1.0], rng.normal(0, noise, 30)])
    return cr.Embeddings.from_dict(vectors), cr.Design(
        name="world", x=sets["x"], y=sets["y"], a=sets["a"], b=sets["b"]
    )


def cosine_table(emb: cr.Embeddings, design: cr.Design) -> np.ndarray:
    rows = {key: unit(np.stack([emb[word] for word in design.sets[key]])) for key in "xyab"}
    return cosines(np.concatenate([rows["x"], rows["y"]]), np.concatenate([rows["a"], rows["b"]]))


@pytest.mark.parametrize("n", [2, 4])
def test_the_mean_over_random_halves_is_that_over_all_halves(n: int) -> None:
    emb, design = world(0.2, n=n)
    table = cosine_table(emb, design)
    rs = []
    for a in combinations(range(n), n // 2):
        for b in combinations(range(n), n // 2):
            s = [
                table[:, list(a)].mean(axis=1) - table[:, [n + i for i in b]].mean(axis=1),
                table[:, [i for i in range(n) if i not in a]].mean(axis=1)
                - table[:, [n + i for i in range(n) if i not in b]].mean(axis=1),
            ]
            rs.append(np.corrcoef(s)[0, 1])
    mean = float(np.mean(rs))
    found = reliability(emb, design, splits=4000)
    assert found.attributes == pytest.approx(2 * mean / (1 + abs(mean)), abs=0.02)


def test_alpha_is_that_of_the_definition() -> None:
    emb, design = world(0.5, seed=3)
    covariance = np.cov(cosine_table(emb, design)[:8])  # items are the words of X, cases all attributes
    expected = 8 / 7 * (1 - np.trace(covariance) / covariance.sum())
    assert reliability(emb, design).alpha["x"] == pytest.approx(expected, rel=1e-12)


def test_single_words_and_rounding_errors_have_no_reliability() -> None:
    emb, design = world(0.5)
    same = cr.Embeddings.from_dict({w: [1.0, 0.1 * (1 + (w[0] in "xy")), 0.3] for w in design.words})
    few = cr.Design(name="few", x=["x0"], y=["y0"], a=["a0"], b=["b0", "b1"])
    for found in (reliability(emb, few), reliability(same, design)):
        assert (found.attributes, found.targets, found.alpha["x"]) == (None, None, None)


def test_a_negative_reliability_is_no_less_than_minus_one() -> None:
    emb, design = world(0.5)
    # both attributes have the same words, so that one half of A less one of B is minus what is left
    found = reliability(emb, cr.Design(name="against", x=design.x, y=design.y or (), a=design.a, b=design.a))
    assert found.attributes is not None and -1 <= found.attributes < -0.9
