"""Reliability: known worlds, definitions written out, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import crossroads as cr
from crossroads.errors import DesignError, EvidenceError, InputError
from crossroads.geometry import cosines, unit
from crossroads.measures.association.reliability import _intraclass
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


def test_clean_words_are_reliable_and_noisy_ones_are_not() -> None:
    clean, noisy = (reliability(*world(noise)) for noise in (0.01, 3.0))
    assert clean.attributes is not None and clean.targets is not None
    assert clean.attributes > 0.99
    assert clean.targets > 0.99
    assert noisy.attributes is not None and noisy.attributes < 0.5


def test_the_mean_over_random_halves_is_that_over_all_halves() -> None:
    emb, design = world(0.5, n=4)
    table = _table(emb, design)
    rs = []
    for a in combinations(range(4), 2):
        for b in combinations(range(4), 2):
            s = [
                table[:, list(a)].mean(axis=1) - table[:, [4 + i for i in b]].mean(axis=1),
                table[:, [i for i in range(4) if i not in a]].mean(axis=1)
                - table[:, [4 + i for i in range(4) if i not in b]].mean(axis=1),
            ]
            rs.append(np.corrcoef(s)[0, 1])
    mean = float(np.mean(rs))
    found = reliability(emb, design, splits=4000)
    assert found.attributes == pytest.approx(2 * mean / (1 + mean), abs=0.01)


def test_alpha_is_that_of_the_definition() -> None:
    emb, design = world(0.5, seed=3)
    table = _table(emb, design)
    covariance = np.cov(table[:8])  # items are the words of X, cases all attributes
    expected = 8 / 7 * (1 - np.trace(covariance) / covariance.sum())
    assert reliability(emb, design).alpha["x"] == pytest.approx(expected, rel=1e-12)


def test_single_words_have_no_halves() -> None:
    emb, _ = world(0.5)
    design = cr.Design(name="few", x=["x0"], y=["y0"], a=["a0"], b=["b0", "b1"])
    found = reliability(emb, design)
    assert (found.attributes, found.targets) == (None, None)
    assert found.alpha["x"] is None
    assert "–" not in repr(found)
    with pytest.raises(InputError, match="splits"):
        reliability(emb, design, splits=0)


def _table(emb: cr.Embeddings, design: cr.Design) -> np.ndarray:
    rows = {key: unit(np.stack([emb[word] for word in design.sets[key]])) for key in "xyab"}
    return cosines(np.concatenate([rows["x"], rows["y"]]), np.concatenate([rows["a"], rows["b"]]))


def test_the_icc_is_that_of_shrout_and_fleiss() -> None:
    # their Table 2: six targets, four judges; ICC(2,1) = .29, ICC(3,1) = .71; intervals by McGraw and Wong
    rows = ("9 2 5 8", "6 1 3 2", "8 4 6 8", "7 1 2 6", "10 5 6 9", "6 2 4 7")
    ratings = np.array([row.split() for row in rows], dtype=float)
    found = _intraclass(ratings)
    assert (found["agreement"], found["consistency"]) == pytest.approx((0.2898, 0.7148), abs=5e-5)
    assert found["agreement_interval"] == pytest.approx((0.0188, 0.7611), abs=5e-5)
    assert found["consistency_interval"] == pytest.approx((0.3425, 0.9459), abs=5e-5)


def test_models_that_share_words_agree_the_more_the_less_noise_they_have() -> None:
    rng = np.random.default_rng(2)
    design = cr.catalog("weat7")
    common = rng.normal(size=(len(design.words), 9))
    found = [
        cr.stats.icc(
            {
                str(k): cr.Embeddings(design.words, common + rng.normal(0, noise, common.shape))
                for k in range(4)
            },
            design,
        )
        for noise in (0.05, 0.5, 5.0)
    ]
    assert found[0].agreement > 0.95 > found[1].agreement > 0.3 > found[2].agreement
    for one in found:
        assert one.agreement_interval[0] <= one.agreement <= one.agreement_interval[1]
        assert one.consistency_interval[0] <= one.consistency <= one.consistency_interval[1]
        assert (one.words, len(one.models)) == (16, 4)
    assert type(found[0]).from_json(found[0].to_json()) == found[0]


def test_an_icc_takes_two_models_that_differ() -> None:
    emb, design = world(0.5)
    with pytest.raises(InputError, match="two models"):
        cr.stats.icc({"one": emb}, design)
    with pytest.raises(EvidenceError, match="equal"):
        cr.stats.icc({"one": emb, "same": emb}, design)


def test_a_negative_reliability_is_no_less_than_minus_one() -> None:
    emb, design = world(0.5)
    # both attributes have the same words, so that one half of A less one of B is minus what is left
    found = reliability(emb, cr.Design(name="against", x=design.x, y=design.y or (), a=design.a, b=design.a))
    assert found.attributes is not None and -1 <= found.attributes < -0.9


def test_rounding_errors_have_no_reliability() -> None:
    _, design = world(0.5)
    rows = {word: [1.0, 0.1 * (1 + (word[0] in "xy")), 0.3] for word in design.words}
    found = reliability(cr.Embeddings.from_dict(rows), design)
    assert (found.attributes, found.targets) == (None, None)
    assert set(found.alpha.values()) == {None}


def test_one_target_has_no_reliability() -> None:
    emb, design = world(0.5)
    with pytest.raises(DesignError, match="single target"):
        reliability(emb, cr.Design(name="one", x=design.x, a=design.a, b=design.b))
