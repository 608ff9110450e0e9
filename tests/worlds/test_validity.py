"""What the study of docs/validity.md counts."""

from __future__ import annotations

import pytest
from benchmarks.validity.tally import Tally, binomial_interval
from scipy import stats


@pytest.mark.parametrize(("count", "n"), [(0, 20), (3, 50), (50, 50), (113, 2000)])
def test_binomial_intervals_are_exact(count: int, n: int) -> None:
    expected = stats.binomtest(count, n).proportion_ci(0.95, "exact")
    assert binomial_interval(count, n) == pytest.approx((expected.low, expected.high))


def test_tallies_count_and_add_up() -> None:
    one = Tally.of([0.001, 0.03, 0.2], [True, False, True])
    assert one == Tally(3, 2, 1, 2)
    assert one + one == Tally(6, 4, 2, 4)
    assert one + Tally.flagged([True, False]) == Tally(5, 3, None, None)
