"""Planned numbers of words: plain transcriptions, and pilots of which the truth is known."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from crossroads.core.inference.crossed import crossed, reach, spread
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.planning import Pilot, pilot, pilot_of

TRUE = Pilot(np.array([0.05, 0.03]), np.array([0.02, 0.04]), np.full((2, 2), 0.01), (1.0, 1.0))


def drawn(rng: np.random.Generator, targets: int, attributes: int, difference: float) -> Floats:
    """A table with the variances of ``TRUE``: the contrast of a word is that of its cells."""
    t = [np.sqrt(v) * rng.normal(size=targets) for v in TRUE.targets]
    a = [np.sqrt(v) * rng.normal(size=attributes) for v in TRUE.attributes]
    table = np.empty((2 * targets, 2 * attributes))
    for i, j in product((0, 1), (0, 1)):
        block = 0.1 * rng.normal(size=(targets, attributes)) + difference / 4 * (1 if i == j else -1)
        block += (1 if j == 0 else -1) / 2 * t[i][:, None] + (1 if i == 0 else -1) / 2 * a[j]
        table[i * targets : (i + 1) * targets, j * attributes : (j + 1) * attributes] = block
    return table


def test_what_a_design_reaches_is_the_formula() -> None:
    n, m = 9, 14
    cells = 0.04 / (n * m)
    parts = [(v + 0.02 / m) / n for v in (0.05, 0.03)] + [(v + 0.02 / n) / m for v in (0.02, 0.04)]
    total = sum(parts) - cells
    df = total**2 / sum(part**2 / k for part, k in zip(parts, (n - 1, n - 1, m - 1, m - 1), strict=True))
    expected = (stats.t.ppf(0.975, df) + stats.t.ppf(0.8, df)) * total**0.5
    assert TRUE.reach(n, m) == pytest.approx(expected)
    assert reach(total, df) == pytest.approx(expected)


def test_a_pilot_knows_its_own_variance() -> None:
    table = drawn(np.random.default_rng(0), 8, 8, 0.3)
    found, known = pilot(table, 8, 8), spread(table, 8, 8)
    if min(*found.targets, *found.attributes) > 0:
        assert found.reach(8, 8) == pytest.approx(reach(float(known.total), float(known.df)), rel=1e-9)
    assert found.words == (1.0, 1.0)
    copies = [np.kron(np.eye(4), np.ones((2, 2))).astype(np.float64)] * 4
    assert pilot(table, 8, 8, copies).words == (2.0, 2.0)


@pytest.mark.parametrize("difference", [0.1, 0.2, 0.5])
def test_a_result_plans_as_its_table_does(difference: float) -> None:
    # sets of one facet count as alike: that moves the degrees of freedom alone
    table = drawn(np.random.default_rng(3), 8, 8, 0.3)
    found = pilot_of(crossed(table, 8, 8, alternative="two-sided", exchange=False))
    assert min(*found.targets, *found.attributes) > 0
    words, own = found.needed(difference), pilot(table, 8, 8).needed(difference)
    assert words is not None and own is not None
    assert abs(words - own) <= 1 + own / 20


@pytest.mark.parametrize("difference", [0.05, 0.2, 0.5])
def test_the_number_needed_is_the_smallest(difference: float) -> None:
    words = TRUE.needed(difference)
    assert words is not None
    assert TRUE.reach(words, words) <= difference < TRUE.reach(words - 1, words - 1)
    targets, attributes = TRUE.cheapest(difference) or (0, 0)
    assert TRUE.reach(targets, attributes) <= difference
    assert targets + attributes <= 2 * words


def test_nothing_is_planned_beyond_a_million_words() -> None:
    assert TRUE.needed(1e-6) is None
    assert TRUE.cheapest(1e-6) is None


def test_as_many_words_as_planned_find_the_difference_as_often_as_planned() -> None:
    words = TRUE.needed(0.25)
    assert words is not None
    rng, found = np.random.default_rng(2), 0
    for _ in range(400):
        p = crossed(
            drawn(rng, words, words, 0.25), words, words, alternative="two-sided", exchange=False
        ).pvalue
        found += p is not None and p < 0.05
    assert 0.74 < found / 400 < 0.9


def test_a_set_that_is_one_word_many_times_is_planned_as_if_its_words_were_independent() -> None:
    table = drawn(np.random.default_rng(0), 8, 8, 0.3)
    copies = [np.eye(8), np.eye(8), np.ones((8, 8)), np.eye(8)]
    one, other = pilot(table, 8, 8, copies), pilot(table, 8, 8)
    assert one.words == other.words
    assert one.reach(20, 20) == pytest.approx(other.reach(20, 20), rel=1e-12)
