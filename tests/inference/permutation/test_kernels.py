"""Compiled kernels beside other threads; that they count right is tested with what they are twins of."""

from __future__ import annotations

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

from crossroads.inference.permutation.compiled import kernels

numba = pytest.importorskip("numba", reason="extra 'fast'")


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


TWINS = (
    "tests/inference/permutation/test_counting.py",
    "tests/inference/permutation/test_rows.py",
    "tests/inference/test_least_change.py",
    "tests/measures/contextual/test_draws.py",
)
"""Tests that compare kernels with what they are twins of."""


@pytest.mark.slow
def test_kernels_count_the_same_as_plain_python() -> None:
    # The compiler may treat types and overflows in another way than Python, and coverage sees only Python.
    # numpy warns of overflows that compiled code does not tell of, and that the kernels expect.
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow and not models",
        "-W",
        "ignore::RuntimeWarning",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *TWINS],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
