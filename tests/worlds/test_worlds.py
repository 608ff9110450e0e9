"""Worlds of the study of docs/validity.md are what they say: lengths, sizes, and their truths."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from benchmarks.validity.worlds import (
    context_worlds,
    corpus_worlds,
    dealt_worlds,
    meta_worlds,
    name_worlds,
    pair_worlds,
    trait_worlds,
    vector_worlds,
)
from benchmarks.validity.worlds.corpora import trained
from benchmarks.validity.worlds.meta import MetaKind
from benchmarks.validity.worlds.names import TARGET
from benchmarks.validity.worlds.tables import TraitKind
from benchmarks.validity.worlds.vectors import Kind

import crossroads as cr
from crossroads.core.inference.crossed import spread
from crossroads.traits.people.agreement import kendall

FOURS = (4, 4, 4, 4)


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("effect", [0.0, 0.4])
def test_the_mean_difference_of_many_worlds_is_the_true_one(kind: Any, effect: float) -> None:
    # Words of a set are drawn independently of those of others, so that the expected difference of a world is
    # that of the populations, whatever the sizes.
    worlds = vector_worlds(kind, worlds=3000, sizes=FOURS, effect=effect, seed=5)
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
        rows = vector_worlds(kind, worlds=300, seed=1).vectors[name]
        return float((rows @ rows.transpose(0, 2, 1))[:, ~np.eye(8, dtype=bool)].mean())

    assert within("topical targets", "x") == pytest.approx(0.5, abs=0.03)
    assert within("topical targets", "a") == pytest.approx(0.0, abs=0.01)
    assert within("unequal spreads", "x") == pytest.approx(0.0, abs=0.01)


def test_one_of_many_worlds_has_the_cosines_of_its_arrays() -> None:
    worlds = vector_worlds("both topical", worlds=2, sizes=(3, 4, 5, 6), seed=4)
    emb, design = worlds[1]
    assert design.y is not None
    a, b = (np.array([emb[word] for word in words]) for words in (design.a, design.b))
    rows = np.array([emb[word] for word in (*design.x, *design.y)])
    np.testing.assert_allclose(rows @ np.concatenate([a, b]).T, worlds.cosines()[1])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0)


@pytest.mark.slow
def test_contexts_know_what_noise_makes_of_a_difference() -> None:
    clouds = context_worlds("exchangeable", worlds=400, effect=0.5, sizes=FOURS, seed=2)
    found = spread(clouds.means().cosines(), 4, 4).difference
    true = clouds.truth.difference
    assert true is not None
    assert abs(found.mean() - true) < 4 * found.std() / 20 + 1e-3
    assert true < (vector_worlds("exchangeable", effect=0.5).truth.difference or 0.0)
    contexts, design = next(iter(clouds))
    expected = cr.ceat(contexts, design, samples=10)._cosines
    assert expected is not None
    np.testing.assert_allclose(expected, clouds.means().cosines()[0], atol=1e-12)


@pytest.mark.parametrize("kind", get_args(TraitKind))
@pytest.mark.parametrize("effect", [0.0, 0.5])
def test_model_and_people_agree_as_much_as_they_are_told_to(kind: Any, effect: float) -> None:
    worlds = list(trait_worlds(kind, worlds=200, effect=effect, seed=1))
    tables = [[[[*row.values()] for row in table.values()] for table in world[:2]] for world in worlds]
    taus = [kendall(np.ravel(model), np.ravel(people))[0] for model, people in tables]
    assert abs(np.mean(taus) - worlds[0].tau) < 4 * np.std(taus) / np.sqrt(len(taus))


def test_a_pair_is_the_mean_of_its_groups_and_noise() -> None:
    scores, pairs = next(pair_worlds("ordinary", seed=1))
    rows = [[[*scores.row(name).values()] for name in (p.name, p.first, p.second)] for p in pairs]
    both, first, second = np.moveaxis(np.array(rows), 1, 0)
    assert (both - (first + second) / 2).std() == pytest.approx(0.5, abs=0.05)


def test_only_shifted_names_are_closer_to_the_vocabulary() -> None:
    def lean(kind: Any) -> float:
        emb, groups, words = next(name_worlds(kind, seed=1))
        means = {key: np.mean([emb[name] for name in names], axis=0) for key, names in groups.items()}
        vocabulary, target = np.mean([emb[word] for word in words], axis=0), means.pop(TARGET)
        return float(vocabulary @ (target - np.mean([*means.values()], axis=0)))

    assert lean("shift") == pytest.approx(1.0, abs=0.2)
    assert lean("topics") == pytest.approx(0.0, abs=0.2)


@pytest.mark.slow
def test_dealt_attributes_are_other_words_each_time() -> None:
    worlds = dealt_worlds("weat1", worlds=20)
    assert worlds.sizes == (24, 25, 25, 25)
    rows = np.concatenate([worlds.vectors["a"], worlds.vectors["b"]], axis=1)
    assert all(len(np.unique(world, axis=0)) == 50 for world in rows)
    found = spread(worlds.cosines(), 24, 25).difference
    assert abs(found.mean()) < 4 * found.std() / np.sqrt(20)


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
    emb, design = corpus_worlds("plain", effect=1.0, seed=3)[0]
    assert cr.weat(emb, design, alternative="two-sided").effect_size > 1


@pytest.mark.parametrize("kind", get_args(MetaKind))
def test_members_have_the_difference_that_is_said_of_them_and_its_mean(kind: Any) -> None:
    off, means = [], []
    for world in meta_worlds(kind, worlds=200, members=2, sizes=FOURS, effect=0.3, between=0.1, seed=3):
        tests = world.models if len(world.models) > 1 else next(iter(world.models.values()))
        found = cr.meta(tests, world.designs).tests.values()
        measured = [one.difference for one in (*found, cr.weat(*world.further).crossed)]
        off.append(np.mean(np.subtract(measured, world.differences)))
        means.append(np.mean(world.differences) - world.difference)
    for some in (off, means):
        assert abs(np.mean(some)) < 4 * np.std(some) / np.sqrt(len(some))
