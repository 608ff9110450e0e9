"""Compiled kernels beside other threads; that they count right is tested with what they are twins of."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

from crossroads import Contexts
from crossroads.contexts.measures.draws import draw_contexts, sample_associations, stack
from crossroads.core.inference.permutation.compiled import kernels
from crossroads.core.inference.permutation.counting import count_exactly
from crossroads.core.inference.permutation.rows import permutation_blocks
from crossroads.core.inference.permutation.scores import as_scores
from crossroads.traits.measures.least_change import changes_from_heads, set_distance

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module", autouse=True)
def numba() -> Any:
    return pytest.importorskip("numba", reason="extra 'fast'")


def dispatchers() -> dict[str, Any]:
    """Every compiled function of the module, without what is around it."""
    found: dict[str, Any] = {**vars(kernels()), **around()}
    return {name: one for name, one in found.items() if hasattr(one, "targetoptions")}


def around() -> dict[str, Any]:
    """Those that something is around, by name."""
    plain = {name: one for name, one in vars(kernels()).items() if isinstance(one, FunctionType)}
    return {name: vars(one)["__wrapped__"] for name, one in plain.items() if "__wrapped__" in vars(one)}


def test_no_kernel_keeps_other_threads_of_python_from_working() -> None:
    # one that does is not interrupted before it ends, which may take many seconds
    found = dispatchers()
    assert len(found) >= 10
    assert [name for name, one in found.items() if not one.targetoptions.get("nogil")] == []


def test_kernels_that_use_all_processors_run_one_at_a_time() -> None:
    parallel = {name for name, one in dispatchers().items() if one.targetoptions.get("parallel")}
    assert parallel
    assert around().keys() >= parallel


@pytest.mark.slow
def test_threads_get_what_one_gets_from_kernels_that_use_all_processors() -> None:
    found = kernels()
    assert found is not None
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(40, 500)).astype(np.float64)
    targets = rng.integers(0, 500, 3)
    alone = found.least_changes(rows, rows.max(axis=1), targets, 1.0)
    ready = threading.Barrier(4)

    def ask(_: int) -> Any:
        ready.wait(60)
        return found.least_changes(rows, rows.max(axis=1), targets, 1.0)

    with ThreadPoolExecutor(4) as pool:
        for one in pool.map(ask, range(4)):
            np.testing.assert_array_equal(one, alone)


def test_means_of_words_are_those_of_their_unit_rows() -> None:
    found, rows = kernels(), np.random.default_rng(2).normal(size=(11, 5))
    assert found is not None
    starts, stops, scale, means = np.array([0, 3, 5]), np.array([3, 5, 11]), np.zeros(11), np.zeros((3, 5))
    found.unit_summaries(rows, starts, stops, scale, means)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    expected = [units[start:stop].mean(axis=0) for start, stop in zip(starts, stops, strict=True)]
    np.testing.assert_allclose(means, expected, rtol=1e-12)


def answers() -> Any:
    """What every kernel answers on small data."""
    rng = np.random.default_rng(7)
    scores = [
        as_scores(rng.integers(-4, 5, 8) / 2, rng.normal(size=9), score_error=error) for error in (0.0, 0.01)
    ]
    counts = [count_exactly(one, compiled=True, window=window) for one in scores for window in (3, 1 << 19)]
    ordered = -np.sort(-rng.normal(size=9))
    heads = changes_from_heads(ordered, np.array([0, 4, 9]), ordered[[1, 8]], np.array([0, 1]), vocabulary=9)
    sets = {role: (f"{role}0", f"{role}1", f"{role}2") for role in "xyab"}
    stacked = stack(
        Contexts.from_dict({word: rng.normal(size=(3, 9)) for words in sets.values() for word in words}), sets
    )
    drawn = draw_contexts(stacked.counts, 9, rng)
    found = kernels()
    assert found is not None
    rows, scale, means = rng.normal(size=(6, 9)), np.zeros(6), np.zeros((2, 9))
    found.unit_summaries(rows, np.array([0, 2]), np.array([2, 6]), scale, means)
    return {
        "counts": [[one.above, one.tied, one.total] for one in counts],
        "rows": permutation_blocks(
            [rng.integers(-3, 4, (5, 9)) / 4], (5, 9), 4, compiled=True
        ).pvalue.tolist(),
        "changes": set_distance(rng.normal(size=(3, 30)) * 3, 1.0, [0, 7, 29]).tolist(),
        "heads": [heads.squared.tolist(), heads.certain.tolist()],
        "associations": sample_associations(stacked, drawn, compiled=True).tolist(),
        "summaries": [scale.tolist(), means.tolist()],
    }


def flat(tree: Any) -> list[float]:
    inside = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else None
    return [float(tree)] if inside is None else [number for one in inside for number in flat(one)]


@pytest.mark.slow
def test_kernels_answer_the_same_as_plain_python() -> None:
    """Runs every kernel uncompiled, in a process of its own."""
    # The compiler may treat types and overflows in another way than Python, and coverage sees only Python.
    # numpy warns of overflows that compiled code does not tell of, and that the kernels expect.
    asked = "import json; from tests.core.inference.permutation.test_kernels import answers; "
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{asked}print(json.dumps(answers()))"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    plain, compiled = json.loads(done.stdout), answers()
    assert plain["counts"] == compiled["counts"]
    assert plain["rows"] == compiled["rows"]
    assert flat(plain) == pytest.approx(flat(compiled), rel=1e-9)
