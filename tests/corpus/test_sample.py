"""Samples that do not depend on order or division, and are fair."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossroads.corpus.sample import Reservoirs

CONTEXTS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 60)), max_size=120)
Offered = list[tuple[int, int]]


def filled(offered: Offered, limit: int, seed: int = 0) -> Reservoirs:
    reservoirs = Reservoirs(["a", "b"], limit=limit, seed=seed)
    for form, number in offered:
        reservoirs.add(form, f"text {number}", 0, 4)
    return reservoirs


@given(offered=CONTEXTS, limit=st.integers(1, 20), cut=st.integers(0, 120), seed=st.integers(-3, 3))
def test_samples_of_parts_merge_into_the_sample_of_all(
    offered: Offered, limit: int, cut: int, seed: int
) -> None:
    whole = filled(offered, limit, seed)
    merged = Reservoirs(["a", "b"], limit=limit, seed=seed)
    first, second = filled(offered[cut:], limit, seed), Reservoirs(["a", "b"], limit=limit, seed=seed)
    merged.merge(first.contents(), np.array([1, 2]))
    second.restrict(merged.thresholds())  # what the first part makes needless is left out
    for form, number in reversed(offered[:cut]):
        second.add(form, f"text {number}", 0, 4)
    merged.merge(second.contents(), np.array([3, 4]))
    for form in (0, 1):
        assert merged.sample(form) == whole.sample(form)
        assert merged.count(form) == min(limit, len({n for f, n in offered if f == form}))
    assert merged.occurrences.tolist() == [4, 6]


def test_equal_contexts_are_kept_once() -> None:
    assert len(filled([(0, 1), (0, 1), (0, 2), (0, 1)], 10).sample(0)) == 2


class Counted(str):
    """A text that counts how often it is encoded or made part of another, as it must be to be hashed."""

    times = 0

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        self.times += 1
        return super().encode(encoding, errors)

    def __format__(self, how: str) -> str:
        self.times += 1
        return super().__format__(how)


def test_a_text_with_many_targets_is_not_hashed_for_each() -> None:
    text = Counted("b a " * 50)
    reservoirs = Reservoirs(["a", "b"], limit=1000, seed=0)
    for start in range(0, 200, 4):
        reservoirs.add(1, text, start, start + 1)
        reservoirs.add(0, text, start + 2, start + 3)
    assert text.times == 2  # for the first target, and for all others
    # and nothing depends on whether it is the same object
    others = Reservoirs(["a", "b"], limit=1000, seed=0)
    for start in range(0, 200, 4):
        others.add(0, "b a " * 50 + "", start + 2, start + 3)
        others.add(1, "other", 0, 1)
        others.add(1, "".join(["b a "] * 50), start, start + 1)
    assert others.sample(0) == reservoirs.sample(0)
    assert len(reservoirs.sample(0)) == 50
    assert [c for c in others.sample(1) if c.text != "other"] == list(reservoirs.sample(1))


def test_other_seeds_draw_other_samples() -> None:
    offered = [(0, number) for number in range(500)]
    assert filled(offered, 50, seed=1).sample(0) != filled(offered, 50, seed=2).sample(0)
    assert filled(offered, 50, seed=1).sample(0) == filled(offered[::-1], 50, seed=1).sample(0)


def test_every_context_has_the_same_chance() -> None:
    # 2,000 contexts, 100 of them kept, for each of 40 seeds: 4,000 draws over 20 bins of positions.
    # Under fairness the count of a bin is hypergeometric with mean 200; the chi-square of the bins, at most
    # slightly conservative without replacement, has 19 degrees of freedom. The seeds are fixed.
    offered = [(0, number) for number in range(2000)]
    random.Random(0).shuffle(offered)
    bins = np.zeros(20)
    for seed in range(40):
        for context in filled(offered, 100, seed).sample(0):
            bins[int(context.text.split()[1]) // 100] += 1
    assert bins.sum() == 4000
    assert stats.chisquare(bins).pvalue > 0.01


def test_the_order_of_a_sample_is_random_too() -> None:
    numbers = [int(c.text.split()[1]) for c in filled([(0, n) for n in range(300)], 300).sample(0)]
    assert sorted(numbers) == list(range(300))
    assert abs(stats.spearmanr(numbers, range(300)).statistic) < 0.15
