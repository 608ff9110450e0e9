"""The least change of an output matrix: the closed form against its definitions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize

from crossroads.core.errors import EvidenceError, InputError
from crossroads.core.inference.permutation.compiled import kernels
from crossroads.traits.measures import least_change as sensitivity
from crossroads.traits.measures.least_change import (
    changes_from_head,
    changes_from_heads,
    least_changes,
    set_distance,
)

Floats = NDArray[np.float64]


@pytest.fixture(params=["compiled", "numpy"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways to compute it."""
    if request.param == "numpy":
        monkeypatch.setattr(sensitivity, "kernels", lambda: None)
    elif kernels() is None:
        pytest.skip("the compiled kernels need the extra 'fast'")
    yield request.param


def cost(logits: Floats, target: int, gamma: float, tau: float) -> float:
    """What is minimised over τ, as it stands in the definition."""
    others = np.delete(logits, target)
    return float((tau - logits[target]) ** 2 + (np.maximum(0, others + gamma - tau) ** 2).sum())


def least_cost(logits: Floats, target: int, gamma: float) -> float:
    """The least cost: it is convex and quadratic between the points l_i + γ, so its least value is taken
    where the derivative 2(τ − l_t) − 2 Σ max(0, l_i + γ − τ) changes its sign, in one of these pieces."""
    others = np.delete(logits.astype(np.float64), target)
    own = float(logits[target])
    points = np.unique(np.concatenate([[own], others[others + gamma > own] + gamma]))
    for low, high in zip(points, [*points[1:], np.inf], strict=True):
        moving = others[others + gamma > low]
        tau = (own + (moving + gamma).sum()) / (moving.size + 1)
        if low <= tau <= high:
            return cost(logits.astype(np.float64), target, gamma, tau)
    return cost(logits.astype(np.float64), target, gamma, points[-1])


values = st.one_of(st.floats(-50, 50, allow_nan=False, width=32), st.integers(-3, 3).map(float), st.just(0.0))
vocabularies = st.lists(values, min_size=1, max_size=12)
margins = st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 20))


@pytest.mark.slow
@settings(max_examples=80)
@given(vocabularies, st.data(), margins)
def test_the_closed_form_is_the_minimum_of_its_definition(
    logits: list[float], data: st.DataObject, gamma: float
) -> None:
    target = data.draw(st.integers(0, len(logits) - 1))
    array = np.array(logits)
    wanted = least_cost(array, target, gamma)
    for found in (
        set_distance(array, 1.0, target, gamma=gamma),
        float(least_changes(array, array[[target]], gamma)[0]),
    ):
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)
        for tau in np.linspace(array[target] - 1, array.max() + gamma + 1, 20):
            assert found <= cost(array, target, gamma, float(tau)) + 1e-9 * (1 + found)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_a_convex_solver_on_the_whole_matrix_finds_the_same(path: str, seed: int, bias: bool) -> None:
    """min ‖A' − A‖² over all entries of a 5 × 3 matrix (and its bias) with the margins as constraints."""
    rng = np.random.default_rng(seed)
    matrix, hidden, offset = rng.normal(size=(5, 3)), rng.normal(size=3) * 2, rng.normal(size=5)
    target = seed % 5
    logits = matrix @ hidden + offset
    inputs = np.append(hidden, 1.0) if bias else hidden
    rivals = [i for i in range(5) if i != target]

    def slack(change: Floats) -> Floats:
        moved = logits + change.reshape(5, -1) @ inputs
        return np.asarray(moved[target] - moved[rivals] - 1.0)

    # derivative of each margin by each entry: the inputs for the target, less the inputs for the rival
    signs = np.array([np.eye(5)[target] - np.eye(5)[rival] for rival in rivals])
    slope = np.kron(signs, inputs)

    solved = minimize(
        lambda change: change @ change,
        np.zeros(5 * inputs.size),
        jac=lambda change: 2 * change,
        constraints={"type": "ineq", "fun": slack, "jac": lambda _: slope},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert solved.success
    found = set_distance(logits, hidden @ hidden, target, bias=bias)
    assert found == pytest.approx(solved.fun, rel=1e-6)


def test_numbers_that_can_be_done_by_hand(path: str) -> None:
    # one rival 2 above, margin 1: both move half of 3
    assert set_distance([3.0, 1.0, -9.0], 1.0, 1) == 2 * 1.5**2
    # two rivals level with the target: it rises by 2/3, they fall by 1/3 each
    assert set_distance([0.0, 0.0, 0.0], 1.0, 2) == pytest.approx(4 / 9 + 2 / 9)
    # the target leads by 0.25, so the gap is 0.75
    assert set_distance([1.0, 0.75, -9.0], 1.0, 0) == pytest.approx(0.75**2 / 2)
    # ‖h‖² divides, and a movable bias adds 1 to it
    assert set_distance([3.0, 1.0], 2.0, 1) == 4.5 / 2
    assert set_distance([3.0, 1.0], 2.0, 1, bias=True) == 4.5 / 3
    # tokens that are ruled out do not count
    assert set_distance([3.0, -np.inf, 1.0], 2.0, 2) == 4.5 / 2


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int64])
def test_nothing_has_to_change_where_the_target_leads_by_the_margin(path: str, dtype: Any) -> None:
    logits = np.array([2, 5, 4, -3], dtype=dtype)
    assert set_distance(logits, 7.0, 1) == 0.0  # by exactly 1
    assert set_distance(logits, 7.0, 1, gamma=0.5) == 0.0
    assert set_distance(logits, 7.0, 1, gamma=1.5) == pytest.approx(0.5**2 / 2 / 7)
    assert set_distance([1.0], 1.0, 0, gamma=5.0) == 0.0  # alone


def test_small_gaps_are_not_lost_in_large_logits(path: str) -> None:
    gap = 2.0**-20
    for shift in (0.0, 1e6, -1e9):
        # the second is 1 − gap below the first: a margin of 1 lacks just that gap
        logits = np.array([0.0, gap - 1, -5.0]) + shift
        exact = logits[1] + 1.0 - logits[0]
        assert set_distance(logits, 1.0, 0) == pytest.approx(exact**2 / 2, rel=1e-9)
    for size in (1e8, 1e30, 1e120):
        # half-way up is 0: the one in the middle stays below it, and the first and the last meet
        far = set_distance(np.array([size, -size / 2, -size]), 1.0, 2)
        assert far == pytest.approx((2 * size + 1) ** 2 / 2, rel=1e-12)


def test_contexts_and_targets_keep_their_dimensions(path: str) -> None:
    rng = np.random.default_rng(1)
    logits, norms = rng.normal(size=(2, 3, 40)) * 3, rng.uniform(1, 9, size=(2, 3))
    targets = [4, 0, 39, 4]
    found = set_distance(logits, norms, targets)
    assert found.shape == (2, 3, 4)
    assert set_distance(logits, norms, 4).shape == (2, 3)
    assert isinstance(set_distance(logits[0, 0], norms[0, 0], 4), float)
    for i, j in np.ndindex(2, 3):
        wanted = [least_cost(logits[i, j], t, 1.0) / norms[i, j] for t in targets]
        assert found[i, j] == pytest.approx(wanted, rel=1e-10)
    assert np.allclose(set_distance(logits, 2.0, targets), found * norms[..., None] / 2.0, rtol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [0.1, 3.0, 40.0])
def test_compiled_and_plain_agree_on_large_vocabularies(dtype: Any, spread: float) -> None:
    if kernels() is None:
        pytest.skip("the compiled kernels need the extra 'fast'")
    rng = np.random.default_rng(2)
    logits = (rng.normal(size=(6, 5000)) * spread).astype(dtype)
    targets = np.concatenate([[int(logits[0].argmax()), int(logits[0].argmin())], rng.integers(0, 5000, 20)])
    for gamma in (0.0, 1.0, 7.5):
        compiled = set_distance(logits, 1.0, targets, gamma=gamma)
        plain = np.array([least_changes(row, row[targets].astype(float), gamma) for row in logits])
        assert np.allclose(compiled, plain, rtol=1e-11, atol=0)
        exact = [least_cost(logits[0], int(t), gamma) for t in targets[:3]]
        assert np.allclose(compiled[0, :3], exact, rtol=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(vocabularies, st.data(), margins)
@example([3.0, 3.0, 1.0], None, 1.0)
def test_a_head_that_is_certain_gives_the_distance(logits: list[float], data: Any, gamma: float) -> None:
    array = np.array(logits)
    ordered = -np.sort(-array)
    size = 2 if data is None else data.draw(st.integers(1, array.size))
    size = min(size, array.size)
    found = changes_from_head(ordered[:size], array, gamma=gamma, vocabulary=array.size)
    whole = [least_cost(array, t, gamma) for t in range(array.size)]
    for t in np.flatnonzero(found.certain).tolist():
        assert found.squared[t] == pytest.approx(whole[t], rel=1e-9, abs=1e-12)
    assert found.certain.all() or size < array.size
    if data is not None and kernels() is not None:
        edges, contexts = np.array([0, size]), np.zeros(array.size, dtype=np.int64)
        many = changes_from_heads(ordered[:size], edges, array, contexts, gamma=gamma, vocabulary=array.size)
        for t in np.flatnonzero(many.certain).tolist():
            assert many.squared[t] == pytest.approx(whole[t], rel=1e-9, abs=1e-12)
        # a target within rounding of the end of the head is taken for it or not; the head
        # is not enough for either, so that neither answer is used
        told = found.certain | (array >= ordered[size - 1]) | (array < ordered[size - 1] - 1e-9)
        assert np.allclose(many.squared[told], found.squared[told], rtol=1e-9, atol=1e-12)


def test_a_certificate_is_given_as_soon_as_one_of_the_head_stays(path: str) -> None:
    # target 0, rivals 9, 8.5, 7, 2 …: with 9 and 8.5 moving, τ = (0 + 10 + 9.5)/3 = 6.5, so 7 moves as well;
    # τ = (0 + 10 + 9.5 + 8)/4 = 6.875, so 2 + 1 does not
    ordered = np.array([9.0, 8.5, 7.0, 2.0, 1.5, 0.0])
    certain = []
    for size in range(1, 7):
        found = changes_from_heads(
            ordered[:size], np.array([0, size]), np.array([0.0]), np.array([0]), vocabulary=6
        )
        certain.append(bool(found.certain[0]))
        if certain[-1]:
            assert found.squared[0] == pytest.approx(least_cost(ordered, 5, 1.0))
    assert certain == [False, False, False, True, True, True]


@pytest.mark.slow
def test_many_heads_at_once_are_each_head_alone(path: str) -> None:
    rng = np.random.default_rng(3)
    rows = [-np.sort(-rng.normal(size=n).astype(np.float32)) for n in (30, 4, 17)]
    edges = np.cumsum([0, 30, 4, 17])
    contexts = rng.integers(0, 3, size=50)
    targets = np.array([rng.choice(np.append(rows[c], -7.0)) for c in contexts])
    found = changes_from_heads(np.concatenate(rows), edges, targets, contexts, gamma=0.5, vocabulary=30)
    for i, context in enumerate(contexts):
        alone = changes_from_head(rows[context], targets[[i]], gamma=0.5, vocabulary=30)
        assert found.squared[i] == pytest.approx(float(alone.squared[0]), rel=1e-11)
        assert found.certain[i] == alone.certain[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan], 1.0, 0), "logits contain nan or infinity"),
        (([1.0, -np.inf], 1.0, 1), "logits contain nan or infinity"),
        (([], 1.0, 0), r"logits are of shape \(0,\)"),
        ((["a", "b"], 1.0, 0), "and type <U1"),
        (([1.0, 2.0], 0.0, 0), "squared norm of a hidden vector is not positive"),
        (([1.0, 2.0], [1.0, 2.0], 0), r"hidden_sq_norm is of shape \(2,\)"),
        (([1.0, 2.0], 1.0, 2), "target 2 is not in the vocabulary(.|\n)*from 0 to 1"),
        (([1.0, 2.0], 1.0, []), r"target is \[\]"),
    ],
)
def test_bad_input_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((InputError, EvidenceError), match=message):
        set_distance(*arguments)
