"""Agreement of two tables of numbers: Kendall's τ-b in matrix form, and precision at the top.

A table has one row a group and one column a trait. Comparing every cell with every other gives a matrix of
signs; all that τ-b needs are sums over products of two such matrices. Sums by pairs of rows make the
bootstrap over rows a quadratic form and the exchange of rows a table look-up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crossroads.inference.scores import Floats

Integers = NDArray[np.int64]
_TABLE = 64
"""Rows up to which the sums for every pair of pairs of rows are kept: 67 MB."""
_CELLS = 1 << 22
_IN_CACHE = 1 << 17
_TOLERANCE = 1e-9


def kendall(x: Floats, y: Floats) -> tuple[float, float]:
    """Kendall's τ-b and its two-sided p-value as scipy finds it; not a number where a side is constant.

    Pairs in which either is not a number are left out.
    """
    from scipy.stats import kendalltau  # scipy.stats is slow to import

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan"), float("nan")
    found = kendalltau(x, y)
    return float(found.statistic), float(found.pvalue)


def kendall_many(x: Floats, y: Floats) -> Floats:
    """Kendall's τ-b of each row of one table with the same row, or the only one, of another.

    Cells that are not a number on either side are left out.

    Examples
    --------
    >>> kendall_many(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]), np.array([[1.0, 5.0, 9.0]])).tolist()
    [1.0, -1.0]
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
    """Sign of a difference; 0 where either is not a number."""
    return (first > second).astype(np.float32) - (first < second)


def _ratio(agreement: Floats, x_pairs: Floats, y_pairs: Floats) -> Floats:
    scale = np.sqrt(np.asarray(x_pairs, dtype=np.float64) * y_pairs)
    return np.where(scale > 0, agreement / np.where(scale > 0, scale, 1.0), np.nan)


def _pair_signs(table: Floats) -> NDArray[np.float32]:
    """Signs of all pairs of cells: one row a pair of rows, one column a pair of columns."""
    rows, columns = table.shape
    flat = table.reshape(-1)
    signs = _sign(flat[:, None], flat[None, :]).reshape(rows, columns, rows, columns)
    return signs.transpose(0, 2, 1, 3).reshape(rows * rows, columns * columns)


def row_pair_sums(x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Sums over pairs of cells, by pair of rows: of the products of signs, and of untied pairs on each side.

    Cells that are not a number on either side are left out of all three.
    """
    gone = np.isnan(x) | np.isnan(y)
    sx, sy = (_pair_signs(np.where(gone, np.nan, v)) for v in (x, y))
    rows = len(x)
    found = [np.einsum("ij,ij->i", p, q).astype(np.float64) for p, q in ((sx, sy), (sx, sx), (sy, sy))]
    agreement, x_pairs, y_pairs = (sums.reshape(rows, rows) for sums in found)
    return agreement, x_pairs, y_pairs


def weighted_taus(sums: tuple[Floats, Floats, Floats], weights: Floats) -> Floats:
    """τ-b over all cells with each row taken as often as its weight says; one line of weights a resample."""
    parts = [np.einsum("bi,ij,bj->b", weights, table, weights, optimize=True) for table in sums]
    return _ratio(*parts)


def exchanged_taus(x: Floats, y: Floats, orders: Integers) -> Floats:
    """τ-b over all cells after the rows of ``y`` were put in each of several orders.

    Parameters
    ----------
    x, y
        Complete tables of one shape.
    orders
        One line an order: which row of ``y`` stands at each place.
    """
    rows = len(x)
    if rows > _TABLE:
        return np.array([kendall(x.ravel(), y[order].ravel())[0] for order in orders])
    sx, sy = _pair_signs(x), _pair_signs(y)
    table = sx @ sy.T  # whole numbers below 2²⁴, which single precision adds exactly
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


def exchanged_sums(table: Floats, orders: Integers) -> Floats:
    """Sum over places i of ``table[i, order[i]]``, for each of several orders."""
    return np.asarray(table[np.arange(len(table)), orders].sum(axis=1))


def top_shares(scores: Floats, k: int) -> Floats:
    """How surely each column is among the k largest of its row: 0 or 1, and a share where values tie.

    Columns tied for the last places share these, as if the tie were broken at random. Cells that are not a
    number are never among them; a row with fewer than k numbers is not a number throughout.

    Examples
    --------
    >>> top_shares(np.array([[5.0, 3.0, 3.0, 1.0]]), 2).tolist()
    [[1.0, 0.5, 0.5, 0.0]]
    """
    filled = np.where(np.isnan(scores), -np.inf, scores)
    last = -np.sort(-filled, axis=1)[:, k - 1 : k]
    above, level = filled > last, filled == last
    left = k - above.sum(axis=1, keepdims=True)
    shares = above + level * (left / np.maximum(level.sum(axis=1, keepdims=True), 1))
    enough = (~np.isnan(scores)).sum(axis=1, keepdims=True) >= k
    return np.where(enough, shares, np.nan)


def two_sided(observed: float, exchanged: Floats) -> float:
    """Twice the smaller tail, with the observed arrangement counted among the others; at most 1."""
    margin = _TOLERANCE * max(1.0, abs(observed))
    tails = ((exchanged >= observed - margin).sum(), (exchanged <= observed + margin).sum())
    return min(1.0, 2 * (int(min(tails)) + 1) / (len(exchanged) + 1))
