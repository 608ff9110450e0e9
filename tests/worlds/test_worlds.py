"""What worlds promise: seeds, shapes, truths, and errors that say what to do."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossroads as cr
from crossroads.inference.crossed import spread
from crossroads.worlds.corpora import trained
from crossroads.worlds.names import NameKind
from crossroads.worlds.tables import PairKind, TraitKind
from crossroads.worlds.vectors import SAYS, Kind

KINDS = get_args(Kind)


def test_every_kind_says_what_it_is() -> None:
    assert set(SAYS) == set(KINDS)


@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 2**40), sizes=st.tuples(*[st.integers(2, 7)] * 4))
def test_vectors_have_length_one_and_the_sizes_asked_for(
    kind: Any, seed: int, sizes: tuple[int, ...]
) -> None:
    worlds = cr.worlds.vector_worlds(kind, worlds=2, sizes=sizes, dim=8, seed=seed)
    assert worlds.sizes == sizes
    for rows in worlds.vectors.values():
        np.testing.assert_allclose(np.linalg.norm(rows, axis=-1), 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_one_seed_makes_one_world_and_another_seed_another(kind: Any) -> None:
    one, again, other = (cr.worlds.vector_worlds(kind, seed=seed).cosines() for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one != other).any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_worlds_are_the_same_however_many_are_drawn(kind: Any) -> None:
    few, many = (cr.worlds.vector_worlds(kind, worlds=n, seed=3).cosines() for n in (2, 5))
    np.testing.assert_array_equal(few, many[:2])
    clouds = [cr.worlds.context_worlds(kind, worlds=n, contexts=2, seed=3).cosines() for n in (2, 5)]
    np.testing.assert_array_equal(clouds[0], clouds[1][:2])


def test_a_single_world_holds_what_the_arrays_hold() -> None:
    worlds = cr.worlds.vector_worlds("both topical", worlds=3, sizes=(4, 5, 3, 2), seed=1)
    emb, design, truth = worlds[2]
    assert [len(words) for words in design.sets.values()] == [4, 5, 3, 2]
    np.testing.assert_array_equal(emb["a2"], worlds.vectors["a"][2, 1])
    found = cr.weat(emb, design, alternative="two-sided").crossed
    assert found is not None
    assert found.difference == pytest.approx(float(spread(worlds.cosines(), 4, 3).difference[2]))
    assert truth is worlds.truth
    assert len(list(worlds)) == 3


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


@pytest.mark.parametrize("kind", KINDS)
def test_without_strength_every_kind_is_exchangeable(kind: Any) -> None:
    worlds = cr.worlds.vector_worlds(kind, worlds=400, strength=0.0, seed=3)
    assert worlds.truth.null
    assert abs(worlds.cosines().mean()) < 0.005


def test_topics_make_words_of_a_set_alike_and_spreads_do_not() -> None:
    def within(kind: Any, name: str) -> float:
        rows = cr.worlds.vector_worlds(kind, worlds=300, seed=1).vectors[name]
        return float((rows @ rows.transpose(0, 2, 1))[:, ~np.eye(8, dtype=bool)].mean())

    assert within("topical targets", "x") == pytest.approx(0.5, abs=0.03)
    assert within("topical targets", "a") == pytest.approx(0.0, abs=0.01)
    assert within("topical attributes", "a") == pytest.approx(0.5, abs=0.03)
    assert within("unequal spreads", "x") == pytest.approx(0.0, abs=0.01)
    assert within("anisotropy", "b") > 0.6


def test_frequencies_are_told_where_they_matter() -> None:
    worlds = cr.worlds.vector_worlds("frequency in both", worlds=200, seed=1)
    means = {name: float(logs.mean()) for name, logs in worlds.log_frequencies.items()}
    assert means["x"] - means["y"] == pytest.approx(2.0, abs=0.2)
    assert means["a"] - means["b"] == pytest.approx(2.0, abs=0.2)
    one = worlds.frequencies(3)
    assert np.log(one["x2"]) == pytest.approx(float(worlds.log_frequencies["x"][3, 1]))
    assert cr.worlds.vector_worlds("exchangeable").frequencies(0) == {}
    same = cr.worlds.vector_worlds("frequency", worlds=200, seed=1).log_frequencies
    assert abs(float(same["a"].mean() - same["b"].mean())) < 0.2


def test_contexts_without_noise_are_the_words_themselves() -> None:
    clouds = cr.worlds.context_worlds("both topical", worlds=2, contexts=3, noise=0.0, seed=4)
    words = cr.worlds.vector_worlds("both topical", worlds=2, seed=4)
    np.testing.assert_allclose(clouds.vectors["x"][:, :, 0], words.vectors["x"])
    assert (clouds.vectors["b"][:, :, 0] == clouds.vectors["b"][:, :, 2]).all()
    contexts, design, truth = clouds[1]
    assert (contexts.count("y3"), len(design.words), truth.null) == (3, 32, True)
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
    from crossroads.inference.agreement import kendall

    worlds = cr.worlds.trait_worlds(kind, worlds=300, groups=12, traits=9, effect=effect, seed=1)
    taus = [kendall(m.ravel(), h.ravel())[0] for m, h in zip(worlds.model, worlds.human, strict=True)]
    assert abs(np.mean(taus) - worlds.truth.tau) < 4 * np.std(taus) / np.sqrt(len(taus))
    assert worlds.truth.null == (effect == 0)
    assert 0 < worlds.human.min() < worlds.human.max() < 100


def test_domains_of_groups_are_told() -> None:
    *_, domains = cr.worlds.trait_worlds("domains", groups=6, domains=3)[0]
    assert list(domains.values()) == ["domain 1"] * 2 + ["domain 2"] * 2 + ["domain 3"] * 2


@pytest.mark.parametrize("kind", get_args(PairKind))
def test_pairs_join_groups_of_different_domains(kind: Any) -> None:
    scores, pairs, truth = next(cr.worlds.pair_worlds(kind, groups=3, domains=3, planted=2, seed=1))
    assert len(pairs) == 27
    assert all(pair.domains[0] != pair.domains[1] for pair in pairs)
    assert len(scores.groups) == 9 + 27
    assert len(truth.planted) == 2
    assert {pair for pair, _ in truth.planted} <= {pair.name for pair in pairs}


def test_a_lean_makes_pairs_follow_the_first_domain() -> None:
    scores, pairs, _ = next(cr.worlds.pair_worlds(lean=2.0, seed=1))
    found = cr.pairs.domain_dominance(scores, pairs)
    assert found.domain_pairs[0].difference > 0.3


@pytest.mark.parametrize("kind", get_args(NameKind))
def test_planted_words_lie_nearest_to_their_names(kind: Any) -> None:
    world = next(cr.worlds.name_worlds(kind, words=60, planted=3, seed=1))
    names = np.mean([world.emb[name] for name in world.groups[world.target]], axis=0)
    near = {word: world.emb[word] @ names / np.linalg.norm(world.emb[word]) for word in world.words}
    assert set(sorted(near, key=lambda word: -near[word])[:3]) == set(world.planted)


def test_dealt_attributes_are_like_in_rank_and_never_twice() -> None:
    rng = np.random.default_rng(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    labels = [f"{a}{b}{c}" for a in letters for b in letters for c in letters[:6]]
    emb = cr.Embeddings(labels, rng.normal(size=(len(labels), 20)))
    design = cr.Design(name="d", x=labels[10:14], y=labels[20:24], a=labels[3000:3006], b=labels[1000:1006])
    worlds = cr.worlds.dealt_worlds(design, emb=emb, worlds=50, seed=1)
    assert worlds.sizes == (4, 4, 6, 6)
    assert worlds[7].design.x == design.x
    unit = emb.vectors / np.linalg.norm(emb.vectors, axis=1, keepdims=True)
    for i in range(50):
        rows = np.concatenate([worlds.vectors["a"][i], worlds.vectors["b"][i]])
        places = (unit @ rows.T).argmax(axis=0)
        assert len(set(places.tolist())) == 12
        assert ((np.abs(places - 3000) <= 306) | (np.abs(places - 1000) <= 106)).all()
        assert not {labels[place] for place in places} & set(design.words)
        assert (np.abs(places - 3000) <= 306).sum() == 6
    first = (unit @ worlds.vectors["a"][:, 0].T).argmax(axis=0)
    assert 10 < (first > 2000).sum() < 40  # dealt: A holds words that stand for A and for B


def test_dealing_needs_a_vocabulary() -> None:
    emb = cr.Embeddings([f"w {i}" for i in range(40)], np.random.default_rng(1).normal(size=(40, 5)))
    with pytest.raises(cr.InputError, match="0 of 40 labels are plain words"):
        cr.worlds.dealt_worlds("weat1", emb=emb)
    with pytest.raises(cr.InputError, match="not a design with two targets"):
        cr.worlds.dealt_worlds(cr.Design(name="one", x=["p"], a=["q"], b=["r"]))


def test_a_corpus_is_text_and_its_vectors_find_what_is_planted() -> None:
    corpus = cr.worlds.planted_corpus(effect=1.0, sentences=3000, seed=3)
    lines = list(corpus.sentences())
    assert len(lines) == 3000
    together = {
        (t, a): sum(t in line and a in line for line in map(str.split, lines))
        for t in ("x1", "y1")
        for a in ("a1", "b1")
    }
    assert together["x1", "a1"] > together["x1", "b1"]
    assert together["y1", "b1"] > together["y1", "a1"]
    emb, design, truth = corpus.world()
    assert cr.weat(emb, design, alternative="two-sided").effect_size > 1
    assert (truth.null, truth.difference) == (False, None)


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


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    ("vector_worlds", {"kind": "topical target"}, "topical targets"),
    ("vector_worlds", {"worlds": 0}, "worlds is 0"),
    ("vector_worlds", {"sizes": 1}, "sizes is 1"),
    ("vector_worlds", {"sizes": (3, 3)}, "four of them"),
    ("vector_worlds", {"dim": 5}, "dim is 5"),
    ("vector_worlds", {"effect": float("nan")}, "effect is nan"),
    ("vector_worlds", {"strength": -1}, "strength is -1"),
    ("vector_worlds", {"seed": -1}, "seed is -1"),
    ("context_worlds", {"contexts": 0}, "contexts is 0"),
    ("context_worlds", {"noise": -1}, "noise is -1"),
    ("trait_worlds", {"effect": 1.5}, "effect is 1.5"),
    ("trait_worlds", {"traits": 2}, "traits is 2"),
    ("planted_corpus", {"sentences": 10}, "sentences is 10"),
    ("corpus_worlds", {"dim": 1}, "dim is 1"),
    ("dealt_worlds", {"design": "weat1", "within": 0}, "within is 0"),
]


@pytest.mark.parametrize(("name", "options", "told"), WRONG, ids=lambda one: str(one)[:40])
def test_what_cannot_be_used_is_named(name: str, options: dict[str, Any], told: str) -> None:
    with pytest.raises(cr.InputError, match=told.replace("(", r"\(")):
        getattr(cr.worlds, name)(**options)


def test_generators_check_before_the_first_world() -> None:
    with pytest.raises(cr.InputError, match="groups is 1"):
        next(cr.worlds.pair_worlds(groups=1))
    with pytest.raises(cr.InputError, match="names is 1"):
        next(cr.worlds.name_worlds(names=1))
