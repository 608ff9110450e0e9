"""Worlds are what they say: seeds, lengths, and the truths that they tell."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossroads as cr
from crossroads.inference.agreement import kendall
from crossroads.inference.crossed import spread
from crossroads.worlds.corpora import trained
from crossroads.worlds.names import NameKind
from crossroads.worlds.tables import TraitKind
from crossroads.worlds.vectors import Kind

KINDS = get_args(Kind)


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**40), sizes=st.tuples(*[st.integers(2, 7)] * 4))
def test_vectors_have_length_one_and_the_sizes_asked_for(
    kind: Any, seed: int, sizes: tuple[int, ...]
) -> None:
    worlds = cr.worlds.vector_worlds(kind, worlds=2, sizes=sizes, dim=8, seed=seed)
    assert worlds.sizes == sizes
    for rows in worlds.vectors.values():
        np.testing.assert_allclose(np.linalg.norm(rows, axis=-1), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("effect", [0.0, 0.4])
def test_the_mean_difference_of_many_worlds_is_the_true_one(kind: Any, effect: float) -> None:
    # Words of a set are drawn independently of those of others, so that the expected difference of a world is
    # that of the populations, whatever the sizes.
    worlds = cr.worlds.vector_worlds(kind, worlds=3000, sizes=4, effect=effect, seed=5)
    found = spread(worlds.cosines(), 4, 4).difference
    true = worlds.truth.difference
    assert true is not None
    assert abs(found.mean() - true) < 4 * found.std() / np.sqrt(found.size) + 1e-3
    assert worlds.truth.null == (true == 0.0)
    lean = spread(worlds.cosines()[:, :4], 4, 4).difference
    assert worlds.truth.lean is not None
    assert abs(lean.mean() - worlds.truth.lean) < 4 * lean.std() / np.sqrt(lean.size) + 1e-3


def test_topics_make_words_of_a_set_alike_and_spreads_do_not() -> None:
    def within(kind: Any, name: str) -> float:
        rows = cr.worlds.vector_worlds(kind, worlds=300, seed=1).vectors[name]
        return float((rows @ rows.transpose(0, 2, 1))[:, ~np.eye(8, dtype=bool)].mean())

    assert within("topical targets", "x") == pytest.approx(0.5, abs=0.03)
    assert within("topical targets", "a") == pytest.approx(0.0, abs=0.01)
    assert within("unequal spreads", "x") == pytest.approx(0.0, abs=0.01)


def test_frequencies_are_told_where_they_matter() -> None:
    worlds = cr.worlds.vector_worlds("frequency in both", worlds=200, seed=1)
    means = {name: float(logs.mean()) for name, logs in worlds.log_frequencies.items()}
    assert means["x"] - means["y"] == pytest.approx(2.0, abs=0.2)
    assert means["a"] - means["b"] == pytest.approx(2.0, abs=0.2)
    assert np.log(worlds.frequencies(3)["x2"]) == pytest.approx(float(worlds.log_frequencies["x"][3, 1]))
    assert cr.worlds.vector_worlds("exchangeable").frequencies(0) == {}


def test_contexts_without_noise_are_the_words_themselves() -> None:
    clouds = cr.worlds.context_worlds("both topical", worlds=2, contexts=3, noise=0.0, seed=4)
    words = cr.worlds.vector_worlds("both topical", worlds=2, seed=4)
    np.testing.assert_allclose(clouds.vectors["x"][:, :, 0], words.vectors["x"])
    assert (clouds.vectors["b"][:, :, 0] == clouds.vectors["b"][:, :, 2]).all()
    contexts, design, _ = clouds[1]
    expected = cr.ceat(contexts, design, samples=10).cosines
    assert expected is not None
    np.testing.assert_allclose(expected, clouds.cosines()[1], atol=1e-12)


def test_contexts_know_what_noise_makes_of_a_difference() -> None:
    clouds = cr.worlds.context_worlds("exchangeable", worlds=400, effect=0.5, contexts=4, sizes=4, seed=2)
    found = spread(clouds.cosines(), 4, 4).difference
    true = clouds.truth.difference
    assert true is not None
    assert abs(found.mean() - true) < 4 * found.std() / 20 + 1e-3
    assert true < (cr.worlds.vector_worlds("exchangeable", effect=0.5).truth.difference or 0.0)


@pytest.mark.parametrize("kind", get_args(TraitKind))
@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_model_and_people_agree_as_much_as_they_are_told_to(kind: Any, effect: float) -> None:
    worlds = cr.worlds.trait_worlds(kind, worlds=300, groups=12, traits=9, effect=effect, seed=1)
    taus = [kendall(m.ravel(), h.ravel())[0] for m, h in zip(worlds.model, worlds.human, strict=True)]
    assert abs(np.mean(taus) - worlds.truth.tau) < 4 * np.std(taus) / np.sqrt(len(taus))
    assert worlds.truth.null == (effect == 0)


@pytest.mark.parametrize("kind", get_args(NameKind))
def test_planted_words_lie_nearest_to_their_names(kind: Any) -> None:
    world = next(cr.worlds.name_worlds(kind, words=60, planted=3, seed=1))
    names = np.mean([world.emb[name] for name in world.groups[world.target]], axis=0)
    near = {word: world.emb[word] @ names / np.linalg.norm(world.emb[word]) for word in world.words}
    assert set(sorted(near, key=lambda word: -near[word])[:3]) == set(world.planted)


def test_trained_vectors_put_words_of_one_company_together() -> None:
    # two topics that never meet: words 0–3 and words 4–7
    rng = np.random.default_rng(1)
    half = rng.integers(0, 2, 400)
    tokens = 4 * half[:, None] + rng.integers(0, 4, (400, 5))
    rows = trained(tokens, 8, 2)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = rows @ rows.T
    assert cosines[:4, :4].min() > 0.9
    assert np.abs(cosines[:4, 4:]).max() < 0.2
    emb, design, _ = cr.worlds.planted_corpus(effect=1.0, sentences=3000, seed=3).world()
    assert cr.weat(emb, design, alternative="two-sided").effect_size > 1
