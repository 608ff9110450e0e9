"""Near copies among words: plain transcriptions, worlds of copies, and the chance that other words agree."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from crossroads.core.inference.copies import facet, groups, linked, near, near_copies
from crossroads.core.inference.crossed import agreement, crossed, spread
from crossroads.core.inference.geometry import Floats, unit

RNG = np.random.default_rng(1)


def doubled(words: int, *, copies: int, dim: int = 60, apart: float = 0.1, seed: int = 0) -> Floats:
    """Unit vectors of random words and of near copies of them."""
    rng = np.random.default_rng(seed)
    centres = np.repeat(rng.normal(size=(words, dim)), copies, axis=0)
    return unit(centres + apart * rng.normal(size=centres.shape))


@pytest.mark.parametrize("vocabulary", [None, np.cov(unit(RNG.normal(size=(1000, 60))).T)])
def test_copies_are_found_and_independent_words_are_not(vocabulary: Floats | None) -> None:
    found = near_copies(doubled(4, copies=2), vocabulary)
    assert found.tolist() == np.kron(np.eye(4), np.ones((2, 2))).tolist()
    assert groups(found, tuple("aabbccdd")) == (("a", "a"), ("b", "b"), ("c", "c"), ("d", "d"))
    assert near_copies(doubled(8, copies=1), vocabulary).tolist() == np.eye(8).tolist()
    assert groups(np.eye(3), ("he", "she", "they")) == ()


def test_profiles_are_compared_as_the_formula_is_written() -> None:
    words, others = unit(RNG.normal(size=(7, 5))), unit(RNG.normal(size=(50, 5)))
    profiles = np.array([[one @ other for other in others] for one in words])
    expected = np.corrcoef(profiles - profiles.mean(axis=0)) > 0.6 - 1 / 6
    assert (
        near_copies(words, np.cov(others.T)).tolist()
        == (expected | np.eye(7, dtype=bool)).astype(float).tolist()
    )
    centred = unit(words - words.mean(axis=0))
    alone = centred @ centred.T > 0.5 - 1 / 6
    assert near_copies(words).tolist() == (alone | np.eye(7, dtype=bool)).astype(float).tolist()


def test_copies_are_named_by_set_and_a_target_alone_keeps_its_own() -> None:
    vectors = {
        "x": doubled(4, copies=1),
        "y": doubled(3, copies=2, seed=1),
        "a": doubled(5, copies=1, seed=2),
    }
    words = {"x": tuple("abcd"), "y": tuple("efghij"), "a": tuple("klmno")}
    found = near(vectors, words)
    assert found.words == {"y": (("e", "f"), ("g", "h"), ("i", "j"))}
    assert found.alone(0).words == {} and found.alone(1).words == {"x": found.words["y"]}
    assert [len(one) for one in found.alone(1).copies] == [6, 5]
    assert linked(words["y"], found.words["y"]).tolist() == found.copies[1].tolist()


def test_two_words_are_copies_if_they_have_one_vector_and_one_word_has_no_variance() -> None:
    assert near_copies(unit(np.array([[1.0, 0.0], [1.0, 0.01]]))).tolist() == np.eye(2).tolist()
    for n in (2, 3):  # of which the deviations from their mean are 0
        assert near_copies(0.9 * np.ones((n, 4))).tolist() == np.ones((n, n)).tolist()
    assert facet(np.eye(1)) == (1.0, 0.0, 0.0)
    assert facet(np.ones((4, 4))) == (1.0, 0.0, 0.0)  # one word, written four ways


def test_a_facet_is_that_of_the_formulas() -> None:
    copies = np.kron(np.eye(3), np.ones((2, 2))).astype(np.float64)
    copies[0, 2] = copies[2, 0] = 1.0
    n, total, centring = 6, copies.sum(), np.eye(6) - 1 / 6
    found, values = facet(copies), RNG.normal(size=6)
    rest = values - values.mean()
    s2 = (rest @ rest) / (n - total / n)
    assert found.factor * (rest @ rest) == pytest.approx(s2 * total / n**2)
    product = centring @ copies
    assert found.free == pytest.approx(np.trace(product) ** 2 / np.trace(product @ product))
    assert found.effective == pytest.approx(n**2 / total)
    plain = facet(np.eye(6))
    assert plain == pytest.approx((6.0, 1 / 30, 5.0))


def test_the_order_of_words_decides_nothing() -> None:
    """Three words, two of them copies: one degree of freedom, wherever the copies are among the words."""
    table, found = RNG.normal(size=(8, 8)), []
    for order in ([0, 1, 2], [2, 0, 1], [0, 2, 1]):
        copies = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]])[np.ix_(order, order)]
        rows = np.concatenate([table[order], table[3:]])
        found.append(float(spread(rows, 3, 4, [copies, np.eye(5), np.eye(4), np.eye(4)]).df))
    assert found == [1.0] * 3


def test_copies_written_twice_add_nothing() -> None:
    once = RNG.normal(size=(8, 10))
    twice = np.repeat(np.repeat(once, 2, axis=0), 2, axis=1)
    pairs = [np.kron(np.eye(k), np.ones((2, 2))).astype(np.float64) for k in (4, 4, 5, 5)]
    plain, counted = spread(once, 4, 5), spread(twice, 8, 10, pairs)
    assert counted.effective == pytest.approx([4, 4, 5, 5])
    assert counted.difference == pytest.approx(plain.difference)
    assert counted.parts == pytest.approx(plain.parts)
    assert counted.total >= spread(twice, 8, 10).total
    assert spread(once, 4, 5, [np.eye(k) for k in (4, 4, 5, 5)]).total == plain.total


def test_worlds_of_copies_hold_their_level_only_where_copies_are_counted() -> None:
    rejected = np.zeros(2)
    for world in range(300):
        sets = [doubled(2, copies=4, seed=4 * world + i) for i in range(4)]
        table = np.concatenate(sets[:2]) @ np.concatenate(sets[2:]).T
        vectors = dict(zip("xyab", sets, strict=True))
        for i, near_ in enumerate((None, near(vectors, dict.fromkeys("xyab", tuple("abcdefgh"))))):
            p = crossed(table, 8, 8, alternative="two-sided", near=near_, exchange=False).pvalue
            rejected[i] += p is not None and p < 0.05
    assert rejected[0] > 0.15 * 300  # words as independent
    assert rejected[1] <= 0.05 * 300


def test_the_chance_of_agreement_is_that_of_its_formula() -> None:
    n = 4 / (1 / 8 + 1 / 6 + 1 / 3 + 1 / 12)
    b = n / (n + 2)
    assert agreement(-1.7, 9.3, [8, 6, 3, 12]) == pytest.approx(stats.t.cdf(1.7 * b / (1 + b) ** 0.5, 9.3))
    assert agreement(0.0, 5.0, [8, 8, 8]) == 0.5


def test_the_chance_of_agreement_is_as_often_right_as_it_says() -> None:
    """Two samples of words of each association: are their signs the same?

    Associations vary by half as much as four words do, as those of topics in real vectors: 4 · .4² / 2.
    """
    rng, chances, same = np.random.default_rng(4), [], []
    for _ in range(1500):
        strength = 0.32**0.5 * rng.normal()
        both = []
        for _ in (0, 1):
            targets, attributes = rng.normal(size=(16, 2)), rng.normal(size=(16, 2))
            g, h = np.repeat([0.5, -0.5], 8), np.repeat([0.5, -0.5], 8)
            cells = strength * np.outer(g, h) + 0.4 * np.outer(targets[:, 0], h)
            cells += 0.4 * np.outer(g, attributes[:, 0]) + 0.1 * rng.normal(size=(16, 16))
            both.append(crossed(cells, 8, 8, alternative="two-sided", exchange=False))
        chances.append(both[0].agreement)
        same.append(both[0].difference * both[1].difference > 0)
    found, agreed = np.array(chances, dtype=float), np.array(same)
    for low in (0.5, 0.6, 0.7, 0.8, 0.9):
        here = (found >= low) & (found < low + 0.1)
        assert abs(found[here].mean() - agreed[here].mean()) < 0.05
