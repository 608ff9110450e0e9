"""Worlds of the study of docs/validity.md are what they say: lengths, sizes, and their truths."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from benchmarks.validity.worlds import (
    context_worlds,
    dealt_worlds,
    name_worlds,
    pair_worlds,
    planned_worlds,
    vector_worlds,
)
from benchmarks.validity.worlds.blocks import BlockKind, block_worlds
from benchmarks.validity.worlds.names import TARGET
from benchmarks.validity.worlds.vectors import Kind

import crossroads as cr
from crossroads.core.inference.crossed import spread
from crossroads.traits.people.agreement import kendall
from crossroads.traits.people.alignment import align

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


@pytest.mark.parametrize("kind", get_args(BlockKind))
def test_tables_in_blocks_share_what_they_are_said_to_share(kind: Any) -> None:
    worlds = list(block_worlds(kind, worlds=40, strength=4.0, effect=0.5, seed=1))
    taus = [
        kendall(*(np.ravel([[*row.values()] for row in table.values()]) for table in world[:2]))[0]
        for world in worlds
    ]
    assert abs(np.mean(taus) - worlds[0].tau) < 4 * np.std(taus) / np.sqrt(len(taus))
    named = align(worlds[0].model, worlds[0].people, draws=0, splits=0)
    assert named.blocks == {"groups": 6, "traits": 3}


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


@pytest.mark.slow
@pytest.mark.parametrize(("words", "twice"), [(8, False), (16, True)])
def test_pilots_foresee_the_error_of_longer_sets_and_how_many_words_are_needed(
    words: int, twice: bool
) -> None:
    # 300 pilots: the standard deviation of the share is .023, that of the mean ratio about .01
    found = planned_worlds("topical attributes", effect=0.3, worlds=300, words=words, twice=twice)
    assert 0.93 < found.ratios.mean() < 1.07
    assert 0.6 < np.quantile(found.ratios, 0.05) < np.quantile(found.ratios, 0.95) < 1.4
    assert len(found.found) == 300
    assert 0.73 < np.mean(found.found) < 0.87
