"""Compiled kernels beside other threads; that they count right is tested with what they are twins of."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
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
