"""Agreement of two tables of numbers: Kendall's τ-b in matrix form, and precision at the top.

A table has one row per group and one column per trait. Comparing every cell with every other gives a matrix
of signs; all that τ-b needs are sums over products of two such matrices. Sums by pairs of rows make the
exchange of rows a table look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import lgamma, log
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, in_short, one_of
from crossroads.core.inference.crossed import combined, half_width
from crossroads.core.inference.permutation.scores import Floats
from crossroads.core.stimuli import catalog
from crossroads.traits.people.files import GROUPS, TRAITS, group_name, own_trait

Integers = NDArray[np.int64]
Blocks = Mapping[str, str] | Literal["catalogue"] | None
"""Blocks of groups and of traits by name, those of the catalogue, or none."""
_ENOUGH = 1000
"""Arrangements within blocks of the catalogue from which labels are exchanged within these alone."""
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


def tau_interval(
    x: Floats, y: Floats, level: float, blocks: Iterable[Sequence[str]] = ((), ())
) -> tuple[float, float] | None:
    """Interval of τ-b over all cells, had other rows and other columns been drawn.

    A jackknife: rows, columns and both are left out in turn. The variance over rows, Σ(τ₋ᵢ − τ)²(n − 1)/n,
    and that over columns are added, and that of single cells is subtracted, but never below either; the
    interval is that of artanh τ, of a t with Satterthwaite's degrees of freedom. ``blocks`` name the block of
    each row and of each column: blocks are left out as wholes where that gives the larger part (Cameron,
    Gelbach & Miller 2011). None for fewer than three rows or columns, or where τ-b is undefined without some.
    """
    rows, columns = x.shape
    if min(rows, columns) < 3:
        return None
    gone = np.isnan(x) | np.isnan(y)
    signs = [_pair_signs(np.where(gone, np.nan, v)).reshape(rows, rows, columns, columns) for v in (x, y)]
    products = [signs[0] * signs[1], signs[0] * signs[0], signs[1] * signs[1]]
    single = [np.arange(rows), np.arange(columns)]
    named = [
        np.unique(names, return_inverse=True)[1] if len(set(names)) > 1 else each
        for names, each in zip(blocks, single, strict=True)
    ]
    tried = [_left_out(products, *at)[1] for at in (single, named)]
    chosen = [one if a >= b else block for one, block, a, b in zip(single, named, *tried, strict=True)]
    tau, parts, cells = _left_out(products, *chosen)
    if np.isnan([*tried[0], *tried[1], cells]).any():
        return None
    variance, df = combined(parts, [int(at.max()) + 1 for at in chosen], 1, cells)
    if variance <= 0:
        return tau, tau
    z, half = np.arctanh(tau), half_width(np.sqrt(variance) / (1 - tau * tau), df, level)
    return float(np.tanh(z - half)), float(np.tanh(z + half))


def _left_out(
    products: Sequence[NDArray[np.float32]], rows: Integers, columns: Integers
) -> tuple[float, Floats, float]:
    """τ-b, its variance over blocks of rows and over those of columns, and what is in both of these."""
    kept = [
        np.vstack([at >= 0, at != np.arange(at.max() + 1)[:, None]]).astype(float) for at in (rows, columns)
    ]
    sums = (np.einsum("ghst,cs,ct->ghc", pairs, kept[1], kept[1], optimize=True) for pairs in products)
    taus = _ratio(*(np.einsum("ghc,bg,bh->bc", one, kept[0], kept[0], optimize=True) for one in sums))
    tau, by_both = float(taus[0, 0]), taus[1:, 1:]  # nothing is left out first
    n, m = by_both.shape
    parts = np.array([(len(left) - 1) * ((left - tau) ** 2).mean() for left in (taus[1:, 0], taus[0, 1:])])
    rest = by_both - by_both.mean(axis=0) - by_both.mean(axis=1)[:, None] + by_both.mean()
    return tau, parts, (n - 1) * (m - 1) * float((rest**2).mean())


def named_blocks(groups: Sequence[str], traits: Sequence[str], blocks: object) -> dict[str, tuple[str, ...]]:
    """The block of each of the ``groups`` and of the ``traits``; empty names where these have none."""
    known: dict[str, str] = {}
    if blocks == "catalogue":
        known = {g.name: g.categories.get("domain", "") for g in catalog().groups(GROUPS).members}
        known |= {pair.name: pair.scale for pair in catalog().traits(TRAITS)}
    elif isinstance(blocks, Mapping):
        for name, block in blocks.items():
            forms = (name, group_name(name), own_trait(name).name)
            here = next((one for one in forms if one in (*groups, *traits)), name)
            known[one_of("group or trait", here, (*groups, *traits))] = block
    elif blocks is not None:
        hint = "use 'catalogue', None, or a mapping from groups or traits to their blocks."
        raise InputError(f"blocks is {in_short(blocks)}.", hint=hint)
    found = {}
    for kind, items in (("groups", groups), ("traits", traits)):
        named = tuple(str(known.get(item, "")) for item in items)
        lost = [item for item in items if item not in known]
        if blocks == "catalogue" and not all(named):
            named = ("",) * len(items)
        elif blocks != "catalogue" and 0 < len(lost) < len(items):
            here = next(item for item in items if item in known)
            what = f"blocks has {here!r} and not {lost[0]!r}."
            raise InputError(what, hint=f"give the block of all {kind}, or of none.")
        found[kind] = named
    return found


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


def exchanges(
    x: Floats,
    y: Floats,
    named: Mapping[str, Sequence[str]],
    blocks: Blocks,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, tuple[Integers, dict[str, Any]]]:
    """Exchange rows, and columns, within blocks: the orders drawn, and what they say of τ-b.

    Rows without all cells are left out. Blocks of the catalogue count where they leave enough arrangements.
    """
    whole, found = ~np.isnan(x).any(axis=1), {}
    if not draws or whole.sum() < 3 or x.shape[1] < 3:
        return {}
    x, y = x[whole], y[whole]
    rows = np.array(named["groups"])[whole].tolist()
    for kind, one, two, within in (("groups", x, y, rows), ("traits", x.T, y.T, list(named["traits"]))):
        if blocks == "catalogue" and _arrangements(within) < log(_ENOUGH):
            within = [""] * len(one)
        if not _arrangements(within):
            continue  # every block has one member: nothing can be exchanged
        orders = np.concatenate([np.arange(len(one))[None], orders_within(within, draws, rng)])
        tau, *others = exchanged_taus(one, two, orders).tolist()
        if np.isnan([tau, *others]).any():
            return {}
        about = {"expected_tau": float(np.mean(others)), "draws": draws, "blocks": len(set(within))}
        found[kind] = orders, {"tau": tau, "pvalue": two_sided(tau, np.array(others)), **about}
    return found


def _arrangements(blocks: Sequence[str]) -> float:
    """Logarithm of the number of orders that keep items in their blocks; 0 where there is only one."""
    return sum(lgamma(blocks.count(block) + 1) for block in set(blocks))


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
