"""Agreement of two tables of numbers: Kendall's τ-b in matrix form, and precision at the top.

A table has one row per group and one column per trait. Comparing every cell with every other gives a matrix
of signs; all that τ-b needs are sums over products of two such matrices. Sums by pairs of rows and columns
make leaving one out a subtraction and the exchange of rows a table look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.inference.crossed import combined, half_width
from crossroads.core.inference.permutation.scores import Floats

Integers = NDArray[np.int64]
_TABLE = 64
"""Rows up to which the sums for every pair of pairs of rows are kept: 67 MB."""
_CELLS = 1 << 22
_IN_CACHE = 1 << 17
_TOLERANCE = 1e-9


def kendall(x: Floats, y: Floats) -> tuple[float, float]:
    """Kendall's τ-b and its two-sided p-value, as scipy computes them; NaN where a side is constant.

    Pairs in which either is NaN are left out.
    """
    from scipy.stats import kendalltau  # scipy.stats is slow to import

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan"), float("nan")
    found = kendalltau(x, y)
    return float(found.statistic), float(found.pvalue)


def kendall_many(x: Floats, y: Floats) -> Floats:
    """Compute Kendall's τ-b of each row of one table with the same row, or the only one, of another.

    Cells that are NaN on either side are left out.
    """
    x, y = np.broadcast_arrays(np.atleast_2d(x), np.atleast_2d(y))
    gone = np.isnan(x) | np.isnan(y)
    x, y = np.where(gone, np.nan, x), np.where(gone, np.nan, y)
    one, two = np.triu_indices(x.shape[1], 1)
    taus = np.full(len(x), np.nan)
    step = max(1, _IN_CACHE // max(1, len(one)))
    for start in range(0, len(x), step):
        part = slice(start, start + step)
        sx, sy = (_sign(v[part].take(one, axis=1), v[part].take(two, axis=1)) for v in (x, y))
        parts = [np.einsum("ij,ij->i", p, q) for p, q in ((sx, sy), (sx, sx), (sy, sy))]
        taus[part] = _ratio(*parts)
    return taus


def _sign(first: Floats, second: Floats) -> NDArray[np.float32]:
    """Sign of a difference; 0 where either is NaN."""
    return (first > second).astype(np.float32) - (first < second)


def _ratio(agreement: Floats, x_pairs: Floats, y_pairs: Floats) -> Floats:
    scale = np.sqrt(np.asarray(x_pairs, dtype=np.float64) * y_pairs)
    return np.where(scale > 0, agreement / np.where(scale > 0, scale, 1.0), np.nan)


def _pair_signs(table: Floats) -> NDArray[np.float32]:
    """Signs of all pairs of cells: one row per pair of rows, one column per pair of columns."""
    rows, columns = table.shape
    flat = table.reshape(-1)
    signs = _sign(flat[:, None], flat[None, :]).reshape(rows, columns, rows, columns)
    return signs.transpose(0, 2, 1, 3).reshape(rows * rows, columns * columns)


def tau_interval(x: Floats, y: Floats, level: float) -> tuple[float, float] | None:
    """Interval of τ-b over all cells, had other rows and other columns been drawn.

    A jackknife: rows, columns and both are left out in turn; the variance is that over rows plus that over
    columns, minus that of single cells, and the interval is of a t with Satterthwaite's degrees of freedom.
    None for fewer than three rows or columns, or where τ-b is undefined without one of them.
    """
    rows, columns = x.shape
    if min(rows, columns) < 3:
        return None
    gone = np.isnan(x) | np.isnan(y)
    signs = [_pair_signs(np.where(gone, np.nan, v)).reshape(rows, rows, columns, columns) for v in (x, y)]
    products = ((signs[0], signs[1]), (signs[0], signs[0]), (signs[1], signs[1]))
    whole, by_row, by_column, by_both = (
        _ratio(*parts) for parts in zip(*(_deletions(p * q) for p, q in products), strict=True)
    )
    if any(np.isnan(taus).any() for taus in (whole, by_row, by_column, by_both)):
        return None
    tau, kept_rows, kept_columns = float(whole), rows - 1, columns - 1
    one, two = rows * tau - kept_rows * by_row, columns * tau - kept_columns * by_column
    single = (
        rows * columns * tau
        - kept_rows * columns * by_row[:, None]
        - kept_columns * rows * by_column
        + kept_rows * kept_columns * by_both
    )
    single = single - single.mean(axis=0) - single.mean(axis=1)[:, None] + single.mean()
    cells = float((single**2).sum()) / (kept_rows * kept_columns * rows * columns)
    parts = np.array([one.var(ddof=1) / rows, two.var(ddof=1) / columns])
    variance, df = combined(parts, [rows, columns], 1, cells)
    half = float(half_width(np.sqrt(variance), df, level)) if variance > 0 else 0.0
    return max(-1.0, tau - half), min(1.0, tau + half)


def _deletions(pairs: NDArray[np.float32]) -> tuple[Floats, Floats, Floats, Floats]:
    """Sum over pairs of cells (row × row × column × column), without those of a row, a column, and both."""
    total = np.asarray(pairs.sum(dtype=np.float64))
    of_cell = pairs.sum(axis=(1, 3), dtype=np.float64)
    in_row, in_column = (np.einsum(which, pairs, dtype=np.float64) for which in ("ggts->g", "ghtt->t"))
    row, column = of_cell.sum(axis=1), of_cell.sum(axis=0)
    across = np.einsum("ghts->gs", pairs, dtype=np.float64)
    crossing = np.einsum("ggts->gt", pairs, dtype=np.float64) + np.einsum("ghtt->gt", pairs, dtype=np.float64)
    outside = total - 2 * (row[:, None] + column - of_cell)
    inside = in_row[:, None] + in_column + 2 * (across - crossing)  # pairs of two cells that are left out
    return total, total - 2 * row + in_row, total - 2 * column + in_column, outside + inside


def orders_within(blocks: Sequence[str], count: int, rng: np.random.Generator) -> Integers:
    """Draw orders that exchange items of the same block alone (Winkler et al. 2014)."""
    orders = np.tile(np.arange(len(blocks)), (count, 1))
    names = np.array(blocks)
    for block in dict.fromkeys(blocks):
        at = np.flatnonzero(names == block)
        if len(at) > 1:
            orders[:, at] = rng.permuted(np.tile(at, (count, 1)), axis=1)
    return orders


def exchanged_taus(x: Floats, y: Floats, orders: Integers) -> Floats:
    """Compute τ-b over all cells of complete tables for each of several orders of the rows of ``y``."""
    rows = len(x)
    if rows > _TABLE:
        return np.array([kendall(x.ravel(), y[order].ravel())[0] for order in orders])
    sx, sy = _pair_signs(x), _pair_signs(y)
    table = sx @ sy.T  # integers below 2²⁴, which float32 adds exactly
    pairs = rows * rows
    scale = float(np.sqrt((sx != 0).sum(dtype=np.float64) * (sy != 0).sum(dtype=np.float64)))
    at = np.arange(pairs)
    taus = np.empty(len(orders))
    step = max(1, _CELLS // pairs)
    for start in range(0, len(orders), step):
        part = orders[start : start + step]
        there = (part[:, :, None] * rows + part[:, None, :]).reshape(len(part), pairs)
        taus[start : start + step] = table[at, there].sum(axis=1, dtype=np.float64)
    return taus / scale if scale else np.full(len(orders), np.nan)


def exchange(x: Floats, y: Floats, orders: Integers) -> dict[str, Any] | None:
    """The p-value of τ-b among several orders of the rows of ``y``, of which the first is that observed."""
    observed, *others = taus = exchanged_taus(x, y, orders).tolist()
    if np.isnan(taus).any():
        return None
    p, mean = two_sided(observed, np.array(others)), float(np.mean(others))
    return {"pvalue": p, "tau": observed, "expected_tau": mean, "draws": len(others)}


def top_shares(scores: Floats, k: int) -> Floats:
    """Find the share of each column among the k largest of its row: 0 or 1, or between where values tie.

    Columns tied for the last places share these, as if the tie were broken at random. NaN cells are never
    among them; a row with fewer than k numbers is NaN throughout.
    """
    filled = np.where(np.isnan(scores), -np.inf, scores)
    last = -np.sort(-filled, axis=1)[:, k - 1 : k]
    above, level = filled > last, filled == last
    left = k - above.sum(axis=1, keepdims=True)
    shares = above + level * (left / np.maximum(level.sum(axis=1, keepdims=True), 1))
    enough = (~np.isnan(scores)).sum(axis=1, keepdims=True) >= k
    return np.where(enough, shares, np.nan)


def two_sided(observed: float, exchanged: Floats) -> float:
    """Twice the smaller tail, with the observed arrangement counted as one of them; at most 1."""
    margin = _TOLERANCE * max(1.0, abs(observed))
    tails = ((exchanged >= observed - margin).sum(), (exchanged <= observed + margin).sum())
    return min(1.0, 2 * (int(min(tails)) + 1) / (len(exchanged) + 1))
