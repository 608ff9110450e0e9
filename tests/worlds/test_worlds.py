"""Worlds of the study of docs/validity.md are what they say: lengths, sizes, and their truths."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from benchmarks.validity.crossing import crossed_tests
from benchmarks.validity.worlds import (
    context_worlds,
    dealt_worlds,
    frequency_worlds,
    meta_worlds,
    name_worlds,
    pair_worlds,
    planned_worlds,
    vector_worlds,
)
from benchmarks.validity.worlds.blocks import BlockKind, block_worlds
from benchmarks.validity.worlds.meta import MetaKind
from benchmarks.validity.worlds.names import TARGET
from benchmarks.validity.worlds.real import copies_worlds, population_worlds
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


@pytest.mark.slow
def test_tests_on_topics_differ_as_their_populations_do() -> None:
    drawn = [*population_worlds("GloVe", "topics", worlds=500, sizes=FOURS, seed=1)]
    true, found = (
        np.concatenate(some) for some in zip(*((d.true, _differences(d)) for d in drawn), strict=True)
    )
    assert abs((found - true).mean()) < 4 * (found - true).std() / np.sqrt(len(true))
    assert np.corrcoef(found, true)[0, 1] > 0.5
    assert drawn[0].others is not None
    first, others = drawn[0].worlds.vectors["x"], drawn[0].others.vectors["x"]
    assert not (first[:, :, None] == others[:, None]).all(axis=-1).any()


def _differences(drawn: Any) -> Any:
    return spread(drawn.worlds.cosines(), 4, 4).difference


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least"), [("none", 7), ("twos", 3.5), ("plurals", 3.5), ("fours", 1.8)])
def test_near_copies_are_in_one_set_and_count_as_about_one_word(kind: str, least: float) -> None:
    drawn = next(copies_worlds("GloVe", kind, worlds=50, sizes=(8, 8, 8, 8), seed=1))
    every = np.concatenate([*drawn.worlds.vectors.values()], axis=1)
    assert all(len(np.unique(world, axis=0)) == 32 for world in every)
    effective = np.median(crossed_tests(drawn.worlds).effective)
    assert least <= effective <= {"none": 8, "fours": 3}.get(kind, 5)
    emb, design = drawn.worlds[0]
    told = cr.weat(emb, design, method="normal").crossed
    assert [*told.effective.values()] == pytest.approx(crossed_tests(drawn.worlds).effective[0])


def test_a_frequency_list_is_as_reliable_as_it_is_said_to_be() -> None:
    sizes = (4000, 2, 2, 2)
    (emb, design, listed), (_, _, own) = (
        next(frequency_worlds(name, worlds=1, sizes=sizes, seed=1))
        for name in ("reliability 0.7", "own ranks")
    )
    assert own is None and emb.ranks is not None and listed is not None
    true, given = ([np.log(of[word]) for word in design.x] for of in (emb.ranks, listed))
    assert np.corrcoef(true, given)[0, 1] ** 2 == pytest.approx(0.7, abs=0.03)


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
