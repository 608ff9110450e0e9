"""Samples that do not depend on order or division, and are fair."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from crossroads.contexts.corpus.store import Reservoirs

CONTEXTS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 60)), max_size=120)
Offered = list[tuple[int, int]]


def filled(offered: Offered, limit: int, seed: int = 0) -> Reservoirs:
    reservoirs = Reservoirs(["a", "b"], limit=limit, seed=seed)
    reservoirs.add((form, f"text {number}", 0, 4) for form, number in offered)
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
    second.add((form, f"text {number}", 0, 4) for form, number in reversed(offered[:cut]))
    merged.merge(second.contents(), np.array([3, 4]))
    for form in (0, 1):
        assert merged.sample(form) == whole.sample(form)
        assert merged.count(form) == min(limit, len({n for f, n in offered if f == form}))
    assert merged.occurrences.tolist() == [4, 6]


def test_other_seeds_draw_other_samples() -> None:
    offered = [(0, number) for number in range(500)]
    assert filled(offered, 50, seed=1).sample(0) != filled(offered, 50, seed=2).sample(0)
    assert filled(offered, 50, seed=1).sample(0) == filled(offered[::-1], 50, seed=1).sample(0)
    numbers = [int(context.text.split()[1]) for context in filled(offered, 500).sample(0)]
    assert abs(stats.spearmanr(numbers, range(500)).statistic) < 0.15  # their order is random too


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
