"""Exact counts against full enumeration, against themselves, and numpy against the compiled kernels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.core.inference.permutation.bracket import bracket
from crossroads.core.inference.permutation.counting import Counts, TooMuchWork, count_exactly, overlaps
from crossroads.core.inference.permutation.scores import Scores, as_scores

values = st.one_of(
    st.integers(-4, 4).map(float),  # many ties
    st.floats(-1, 1, allow_nan=False).map(lambda v: round(v, 9)),
)
groups = st.tuples(st.lists(values, min_size=1, max_size=7), st.lists(values, min_size=1, max_size=7))


def enumerate_divisions(scores: Scores) -> Counts:
    """Look at every division, with Python integers."""
    pooled = [int(v) for v in np.concatenate([scores.x, scores.y])]
    observed = sum(int(v) for v in scores.x)
    above = tied = total = 0
    for chosen in combinations(range(len(pooled)), scores.x.size):
        excess = sum(pooled[i] for i in chosen) - observed
        above += excess > scores.tie
        tied += abs(excess) <= scores.tie
        total += 1
    return Counts(above=above, tied=tied, total=total)


@pytest.mark.slow
@given(groups, st.sampled_from([0.0, 1e-14, 0.2]), st.sampled_from([1, 3, 1 << 19]))
def test_counts_equal_full_enumeration_and_are_mirrored_by_exchanging_the_groups(
    pair: tuple[list[float], list[float]], error: float, window: int
) -> None:
    scores = as_scores(*pair, score_error=error)
    one, other = count_exactly(scores, window=window), count_exactly(scores.swapped)
    assert one == enumerate_divisions(scores)
    assert (one.above, one.tied, one.below) == (other.below, other.tied, other.above)


@given(groups, st.sampled_from([2, 7, 50, 1000]))
def test_brackets_hold_the_exact_share(pair: tuple[list[float], list[float]], cells: int) -> None:
    scores = as_scores(*pair)
    counts = enumerate_divisions(scores)
    found = bracket(scores, cells=cells)
    shares = {
        "above": counts.above,
        "not_below": counts.above + counts.tied,
        "below": counts.below,
        "not_above": counts.below + counts.tied,
    }
    for name, count in shares.items():
        low, high = getattr(found, name)
        assert low <= count / counts.total <= high


@pytest.mark.slow
@pytest.mark.parametrize(("n_x", "n_y"), [(14, 14), (13, 16), (17, 13), (20, 18)])
@pytest.mark.parametrize("shift", [-0.5, 0.0, 1.0])
def test_small_windows_change_nothing(n_x: int, n_y: int, shift: float) -> None:
    rng = np.random.default_rng(n_x * n_y)
    scores = as_scores(rng.normal(shift, 1, n_x), rng.normal(0, 1, n_y), score_error=1e-14)
    assert count_exactly(scores, window=1 << 10) == count_exactly(scores)


@pytest.mark.slow
@pytest.mark.parametrize(("n_x", "n_y"), [(5, 5), (14, 14), (13, 16), (17, 13), (20, 20)])
@pytest.mark.parametrize("kind", ["continuous", "tied"])
@pytest.mark.parametrize("error", [0.0, 1e-14, 1e-5])
def test_compiled_counts_are_the_same(n_x: int, n_y: int, kind: str, error: float) -> None:
    """The first one compiles the kernels, where no compiled ones are kept."""
    pytest.importorskip("numba", reason="the compiled kernels need the extra 'fast'")
    rng = np.random.default_rng(n_x + n_y)
    draw = rng.normal if kind == "continuous" else lambda size: rng.integers(0, 30, size).astype(float)
    scores = as_scores(draw(size=n_x), draw(size=n_y), score_error=error)
    assert count_exactly(scores, compiled=True) == count_exactly(scores, compiled=False)


def test_the_work_is_known_before_it_is_done() -> None:
    rng = np.random.default_rng(1)
    scores = as_scores(rng.normal(size=16), rng.normal(size=16))
    work = sum(part.work for part in overlaps(scores, max_work=float("inf")))
    assert count_exactly(scores, max_work=work).total == scores.total
    with pytest.raises(TooMuchWork):
        count_exactly(scores, max_work=work - 1)


@settings(max_examples=30)
@given(st.permutations(range(9)))
def test_the_order_of_the_scores_does_not_matter(order: list[int]) -> None:
    # 0.1 + 0.2 + 0.3 differs from 0.3 + 0.2 + 0.1 in float64: sums must not depend on their order
    x = np.array([0.1, 0.2, 0.3, 0.7, 0.9, 0.1, 0.6, 0.4, 0.5])
    y = np.array([0.3, 0.2, 0.1, 0.5, 0.4, 0.6, 0.1, 0.9, 0.7])
    counts = count_exactly(as_scores(x[list(order)], y))
    assert counts == count_exactly(as_scores(np.sort(x), np.sort(y)))
    assert counts.above == counts.below


@pytest.mark.parametrize("compiled", [False, True])
def test_a_wide_tie_is_counted_in_bulk_too(compiled: bool) -> None:
    if compiled:
        pytest.importorskip("numba", reason="the compiled kernels need the extra 'fast'")
    rng = np.random.default_rng(5)
    scores = as_scores(rng.normal(size=16), rng.normal(size=17), score_error=0.05)
    found = count_exactly(scores, compiled=compiled)
    assert found == count_exactly(scores, compiled=False, window=1 << 12)
    assert found.tied > found.total / 10


def test_one_small_group_against_a_large_one_is_counted() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=2), rng.normal(size=60)
    scores = as_scores(x, y)
    assert count_exactly(scores) == enumerate_divisions(scores)
    assert count_exactly(as_scores(x[:1], y)).total == 61


def test_sums_that_do_not_overlap_are_not_read() -> None:
    # every score of X is above every score of Y: whatever is exchanged lowers the statistic
    scores = as_scores(np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 3.0]))
    found = overlaps(scores, max_work=np.inf)
    assert [one.work for one in found[1:]] == [0, 0, 0]
    assert all(one.x_blocks == one.y_blocks == [] for one in found[1:])
    apart = count_exactly(scores, compiled=False)
    assert (apart.above, apart.tied) == (0, 1)
