"""The permutation test for many rows of scores at once, such as every word of a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, one_of
from crossroads.core.inference.options import seed_of, work
from crossroads.core.inference.permutation.compiled import kernels
from crossroads.core.inference.permutation.saddlepoint import (
    RELATIVE_ERROR,
    SMALLEST,
    TINIEST,
    saddlepoint_rows,
)
from crossroads.core.inference.permutation.scores import WRITING_ERROR, Floats, Integers
from crossroads.core.inference.permutation.test import MAX_WORK, Alternative, Method, Ties, permutation_test

BRUTE_FORCE = 50_000
"""Number of divisions up to which all are enumerated, for all rows together."""
FEW_ROWS = 512
"""Number of rows up to which each is planned separately where enumeration is out of reach."""

WORTH_COMPILING = 100_000_000
"""Number of divisions of all rows from which loading the compiled kernel pays off."""
SADDLEPOINT_FROM = 25
"""Smallest group for which the saddlepoint approximation is chosen for many rows."""

_BITS = 60
_MASKED = 16
_PAIRS_AT_A_TIME = 1 << 23


@dataclass(frozen=True, kw_only=True)
class RowsResult:
    """p-values of many tests of the same sizes."""

    pvalue: Floats
    """One p-value per row."""
    pvalue_low: Floats
    """Lower bounds."""
    pvalue_high: Floats
    """Upper bounds."""
    method: str
    """How they were found."""
    min_pvalue: float
    """The smallest p-value that groups of these sizes can give."""


def permutation_blocks(
    blocks: Iterable[Floats],
    shape: tuple[int, ...],
    n_x: int,
    *,
    alternative: Alternative = "two-sided",
    ties: Ties = "weak",
    method: Method = "auto",
    seed: int = 0,
    score_error: float = 0.0,
    max_work: float = MAX_WORK,
    compiled: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> RowsResult:
    """Test every row of a table, given in blocks: the first ``n_x`` columns against the others.

    Groups with up to 50,000 divisions are counted exactly for all rows. Beyond that, up to 512 rows are
    planned one by one as :func:`~crossroads.stats.permutation_test` does, and more rows
    take the saddlepoint approximation, if the groups have at least 13 scores.

    Parameters
    ----------
    blocks, shape
        Rows of the table, one per test, and its shape.
    n_x
        Number of columns in the first group.
    alternative, ties, method, seed, score_error, max_work
        As in :func:`~crossroads.stats.permutation_test`.
    compiled
        Whether to use the compiled kernel; by default where it is installed and worth loading.
    progress
        Called with the number of rows done.
    """
    one_of("alternative", alternative, Alternative)
    one_of("ties", ties, Ties)
    one_of("method", method, Method)
    seed_of(seed)
    work(max_work)
    n_rows, n = shape
    if not 0 < n_x < n:
        raise InputError(f"the first group has {n_x} of {n} columns.", hint="both groups need at least one.")
    total = comb(n, n_x)
    one_by_one: dict[str, Any] = {
        "alternative": alternative,
        "ties": ties,
        "seed": seed,
        "score_error": score_error,
        "max_work": max_work,
    }
    many = n_rows > FEW_ROWS and min(n_x, n - n_x) >= SADDLEPOINT_FROM
    if method == "saddlepoint" and min(n_x, n - n_x) < SMALLEST:
        raise InputError(
            f"the saddlepoint method needs {SMALLEST} scores per group; there are {n_x} and {n - n_x}.",
            hint="use method='exact'.",
            option="method",
        )
    test: Callable[[Floats, Callable[[int], None]], _Found]
    if method in ("auto", "exact") and total <= BRUTE_FORCE:
        worth = bool(compiled or (compiled is None and n_rows * total >= WORTH_COMPILING))
        test = partial(_exactly, n_x=n_x, worth=worth, options=one_by_one)
    elif method == "saddlepoint" or (method == "auto" and many):
        test = partial(_saddlepoint, n_x=n_x, options=one_by_one)
    else:
        test = partial(_one_by_one, n_x=n_x, options={**one_by_one, "method": method})
    return _assembled(test, blocks, n_rows, progress)


@dataclass(frozen=True)
class _Found:
    values: Floats
    """The p-values, their lower and their upper bounds."""
    methods: set[str]
    """How they were found."""
    smallest: float
    """The smallest possible p-value."""


def _assembled(
    test: Callable[[Floats, Callable[[int], None]], _Found],
    blocks: Iterable[Floats],
    n_rows: int,
    progress: Callable[[int], None] | None,
) -> RowsResult:
    values, methods, done = np.empty((3, n_rows)), set[str](), 0
    least: list[float] = []
    for block in blocks:
        before = done

        def tell(some: int, before: int = before) -> None:
            if progress is not None:
                progress(before + some)

        found = test(block, tell)
        done += len(block)
        values[:, before:done] = found.values
        methods |= found.methods
        least.append(found.smallest)
    p, low, high = values
    return RowsResult(
        pvalue=p,
        pvalue_low=low,
        pvalue_high=high,
        method=", ".join(sorted(methods)),
        min_pvalue=min(least),
    )


def _one_by_one(
    scores: Floats, progress: Callable[[int], None], *, n_x: int, options: Mapping[str, Any]
) -> _Found:
    values, methods = np.empty((3, len(scores))), set[str]()
    least = _smallest(comb(scores.shape[1], n_x), options["alternative"])
    for i, row in enumerate(scores):
        one = permutation_test(row[:n_x], row[n_x:], **options)
        values[:, i] = one.pvalue, one.pvalue_low, one.pvalue_high
        methods.add(one.method)
        least = min(least, one.min_pvalue) if i else one.min_pvalue
        progress(i + 1)
    return _Found(values, methods, least)


def _exactly(
    scores: Floats, progress: Callable[[int], None], *, n_x: int, worth: bool, options: Mapping[str, Any]
) -> _Found:
    above, tied = _count_rows(scores, n_x, options["score_error"], worth, progress)
    total = comb(scores.shape[1], n_x)
    up, down = _shares(above, tied, total, options["ties"])
    p = _tail(
        up, down, scores, n_x=n_x, alternative=options["alternative"], score_error=options["score_error"]
    )
    return _Found(np.stack([p, p, p]), {"exact"}, _smallest(total, options["alternative"]))


def _smallest(total: int, alternative: str) -> float:
    smallest = (2 if alternative == "two-sided" else 1) / total
    return min(1.0, max(smallest, TINIEST))


def _shares(above: Integers, tied: Integers, total: int, ties: str) -> tuple[Floats, Floats]:
    below = total - above - tied
    if ties == "weak":
        above, below = above + tied, below + tied
    return above / total, below / total


def _tail(
    up: Floats, down: Floats, scores: Floats, *, n_x: int, alternative: str, score_error: float
) -> Floats:
    if alternative == "greater":
        return up
    if alternative == "less":
        return down
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * np.minimum(up, down)))
    error = score_error + WRITING_ERROR * np.abs(scores).max(axis=1)
    difference = scores[:, :n_x].mean(axis=1) - scores[:, n_x:].mean(axis=1)
    return np.where(difference >= -2 * error, up, down)  # rounding turns no side


def _saddlepoint(
    scores: Floats, progress: Callable[[int], None], *, n_x: int, options: Mapping[str, Any]
) -> _Found:
    alternative, score_error = options["alternative"], options["score_error"]
    up = saddlepoint_rows(scores, n_x)
    down = saddlepoint_rows(-scores, n_x) if alternative != "greater" else 1 - up
    p = _tail(up, down, scores, n_x=n_x, alternative=alternative, score_error=score_error)
    p = np.where(_tied(scores, score_error), np.nan, p)
    values = np.stack([p, p / (1 + RELATIVE_ERROR), np.minimum(1.0, p * (1 + RELATIVE_ERROR))])
    methods = {"saddlepoint"}
    for i in np.flatnonzero(~np.isfinite(p)):  # no reliable saddlepoint: rare, so one by one
        one = permutation_test(scores[i, :n_x], scores[i, n_x:], **options)
        values[:, i] = one.pvalue, one.pvalue_low, one.pvalue_high
        methods.add(one.method)
    progress(len(scores))
    return _Found(values, methods, _smallest(comb(scores.shape[1], n_x), alternative))


def _tied(chunk: Floats, score_error: float) -> NDArray[np.bool_]:
    """Rows whose scores are equal but for rounding."""
    largest, smallest = chunk.max(axis=1), chunk.min(axis=1)
    writing = WRITING_ERROR * np.maximum(np.abs(largest), np.abs(smallest))
    return np.asarray(largest - smallest <= 2 * (score_error + writing))


@cache
def _by_size(n: int, largest: int) -> tuple[Integers, Integers]:
    """Subsets of n items up to a size, one column of zeros and ones each, and where each size begins."""
    columns, bounds = [], [0]
    for size in range(largest + 1):
        for chosen in combinations(range(n), size):
            column = np.zeros(n, np.int64)
            column[list(chosen)] = 1
            columns.append(column)
        bounds.append(len(columns))
    return np.stack(columns, axis=1), np.array(bounds, np.int64)


def _quantised(scores: Floats, n_x: int, score_error: float) -> tuple[Integers, Integers]:
    """Each row on its own integer grid, and the difference below which its sums tie."""
    n = scores.shape[1]
    shifted = scores - scores.min(axis=1, keepdims=True)
    largest = shifted.max(axis=1)
    exponent = np.floor(_BITS - np.log2(n) - np.log2(np.where(largest > 0, largest, 1.0))).astype(np.int64)
    grid = np.rint(np.ldexp(shifted, exponent[:, None])).astype(np.int64)
    swaps = min(n_x, n - n_x)
    error = score_error + WRITING_ERROR * np.abs(scores).max(axis=1)
    tie = np.ceil(2 * swaps * (np.ldexp(error, exponent) + 0.5))
    return grid, np.minimum(tie, grid.max(axis=1) * float(swaps)).astype(np.int64)


def _count_rows(
    scores: Floats,
    n_x: int,
    score_error: float,
    worth: bool,
    progress: Callable[[int], None],
) -> tuple[Integers, Integers]:
    n_rows, n = scores.shape
    largest = min(n_x, n - n_x)
    x_members, x_bounds = _by_size(n_x, largest)
    y_members, y_bounds = _by_size(n - n_x, largest)
    found = kernels() if worth and max(n_x, n - n_x) <= _MASKED else None
    kernel = None if found is None else found.count_small_rows
    masks = [(1 << np.arange(len(m))) @ m for m in (x_members, y_members)] if kernel else []
    step = max(1, n_rows if kernel else _PAIRS_AT_A_TIME // comb(n, n_x))
    above, tied = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64)
    for start in range(0, n_rows, step):
        part = slice(start, min(start + step, n_rows))
        grid, tie = _quantised(np.asarray(scores[part], dtype=np.float64), n_x, score_error)
        if kernel:
            above[part], tied[part] = kernel(grid, n_x, masks[0], masks[1], x_bounds, y_bounds, tie)
        else:
            x, y = grid[:, :n_x] @ x_members, grid[:, n_x:] @ y_members
            above[part], tied[part] = _compare(x, y, x_bounds, y_bounds, tie)
        progress(part.stop)
    return above, tied


def _compare(
    x: Integers, y: Integers, x_bounds: Integers, y_bounds: Integers, tie: Integers
) -> tuple[Integers, Integers]:
    above, reaching = np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    for size in range(min(x_bounds.size, y_bounds.size) - 1):
        u = x[:, x_bounds[size] : x_bounds[size + 1], None]
        v = y[:, None, y_bounds[size] : y_bounds[size + 1]]
        difference = v - u
        above += (difference > tie[:, None, None]).sum(axis=(1, 2))
        reaching += (difference >= -tie[:, None, None]).sum(axis=(1, 2))
    return above, reaching - above
