"""Dissimilarities of items, and how well they fit two rival hypotheses."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError
from crossroads.core.inference.copies import Near
from crossroads.core.inference.crossed import Crossed, Spread, settled, spread
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.ranks import dense_ranks, doubled_midranks, rank_correlations

Dissimilarity = Literal["spearman", "correlation", "cosine", "euclidean"]
Sizes = tuple[int, int, int]
"""Number of items in group 1, group 2 and the concept."""
_SMALL = 1 << 23
_PAIRS_AT_A_TIME = 1 << 14  # fits in the cache of a core
_EQUAL = 1e-12
"""Dissimilarities closer than this, relative to their range, are treated as equal."""
_FLAT = 1e-12
"""A unit vector minus its mean that is shorter than this is rounding error."""


def dissimilarities(rows: Floats, kind: str) -> Floats:
    """Dissimilarity of every pair of items, as a square matrix, from their :func:`coordinates`."""
    if kind == "euclidean":  # from differences: cancellation of squared lengths would break ties
        squares = [np.einsum("id,id->i", d, d) for d in (rows - row for row in rows)]
        return np.asarray(np.sqrt(np.stack(squares)))
    gram = _products(rows)
    lengths = np.sqrt(np.diag(gram))
    if (lengths < _FLAT).any():
        raise EvidenceError(
            "an item has the same value in every dimension, so it correlates with nothing.",
            hint="leave it out, or use dissimilarity='euclidean'.",
            option="dissimilarity",
        )
    distances = np.asarray(1 - gram / lengths[:, None] / lengths[None, :])
    np.fill_diagonal(distances, 0.0)
    return distances


def _products(rows: Floats) -> Floats:
    """Products of all pairs of rows; small ones without BLAS, whose threads cost more than they save."""
    if rows.shape[0] ** 2 * rows.shape[1] < _SMALL:
        return np.asarray(np.einsum("id,jd->ij", rows, rows))
    return np.asarray(rows @ rows.T)


def coordinates(vectors: Floats, kind: str) -> Floats:
    """Values to correlate: centred ranks (integers, so that products are exact), or centred values."""
    if kind == "spearman":
        return np.asarray(doubled_midranks(vectors) - (vectors.shape[1] + 1.0))
    return np.asarray(vectors - vectors.mean(axis=1, keepdims=True)) if kind == "correlation" else vectors


def equal_classes(distances: Floats, *, error: float) -> NDArray[np.int64]:
    """Dense rank of every dissimilarity of the pool, as a square matrix, up to a rounding ``error``."""
    upper = np.triu_indices(len(distances))
    values = distances[upper]
    ranks = dense_ranks(values, tolerance=max(1e-300, error, _EQUAL * float(values.max() - values.min())))
    table = np.empty(distances.shape, dtype=np.int64)
    table[upper] = table.T[upper] = ranks
    return table


def agreement_of_halves(
    rows: Floats, kind: str, distances: Floats, splits: int, rng: np.random.Generator
) -> float | None:
    """Agreement of the geometries of two halves of the dimensions, corrected to the full length."""
    dim = rows.shape[1]
    if splits < 1 or dim < 4:
        return None
    upper = np.triu_indices(len(rows), 1)
    if kind != "euclidean":
        rows = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]

    def parts(columns: NDArray[np.intp]) -> Floats:
        """Contribution of these dimensions to the correlation or the squared distance of each pair."""
        products = _products(rows[:, columns])
        if kind != "euclidean":
            return -products[upper]
        squares = np.diag(products)
        return np.asarray((squares[:, None] + squares[None, :] - 2 * products)[upper])

    whole = distances[upper] ** 2 if kind == "euclidean" else distances[upper] - 1
    half = np.stack([parts(rng.permutation(dim)[: dim // 2]) for _ in range(splits)])
    halves = np.stack([half, whole - half])
    ranks = doubled_midranks(halves.reshape(2 * splits, -1)).astype(np.float64).reshape(2, splits, -1)
    ranks -= ranks.mean(axis=2, keepdims=True)
    spread = np.sqrt((ranks**2).sum(axis=2))
    r = (ranks[0] * ranks[1]).sum(axis=1) / np.maximum(spread[0] * spread[1], 1e-300)
    return float(np.mean(2 * r / np.maximum(1 + r, 1e-12)))


def sampled_fits(
    classes: NDArray[np.int64], sizes: Sizes, n: int, samples: int, again: bool, rng: np.random.Generator
) -> Floats:
    """Both fits in each sample of n items from each set; ``again``: of the concept with replacement."""
    i, j = np.triu_indices(3 * n, 1)
    label = np.repeat([1, 2, 0], n)
    hypotheses = np.array([(label[i] == apart) != (label[j] == apart) for apart in (2, 1)], dtype=np.float64)
    chunk = max(1, _PAIRS_AT_A_TIME // len(i))
    count = int(classes.max()) + 1
    fits = []
    for start in range(0, samples, chunk):
        drawn = _draw(sizes, n, min(chunk, samples - start), again, rng)
        pairs = drawn[:, i] * len(classes) + drawn[:, j]
        fits.append(rank_correlations(classes.ravel().take(pairs), count, hypotheses))
    return np.concatenate(fits)


def _draw(sizes: Sizes, n: int, samples: int, again: bool, rng: np.random.Generator) -> NDArray[np.int64]:
    """Rows of the pool drawn for each sample: n of each set."""
    parts = [np.argsort(rng.random((samples, size)), axis=1)[:, :n] for size in sizes[: 2 if again else 3]]
    if again:
        parts.append(rng.integers(0, sizes[2], (samples, n)))
    return np.asarray(np.concatenate(parts, axis=1) + np.repeat(np.cumsum([0, *sizes[:2]]), n))


def centred_ranks(classes: NDArray[np.int64]) -> Floats:
    """Centred ranks of the dissimilarities of all pairs, twice their size so that they are whole numbers."""
    upper = np.triu_indices(len(classes), 1)
    table = np.zeros(classes.shape)
    table[upper] = doubled_midranks(classes[upper][None])[0] - (len(upper[0]) + 1.0)
    return table + table.T


def items_drawn(table: Floats, sizes: Sizes, near: Near | None = None) -> Crossed:
    """The difference of the fits with the items of all sets drawn, from ranks of dissimilarities.

    It is the test of one target, the concept, with two attributes, the groups, in which closeness is minus
    the rank. The unit is that of a fit with groups of the same size.
    """
    grouped, size = sizes[0] + sizes[1], (sizes[0] + sizes[1]) / 2
    closeness = -size * sizes[2] / _scale(size, table) * table[grouped:, :grouped]
    found = _evened(spread(closeness, sizes[2], sizes[0], None if near is None else near.copies))
    reason = "the concept has a single item" if found.effective[0] <= 1 else None
    result = settled(found, targets=1, alternative="two-sided", reason=reason, near=near)
    swapped = {"targets": "attributes", "attributes": "targets", "cells": "cells"}
    effective = dict(zip(("concept", "group1", "group2"), result.effective.values(), strict=True))
    # groups are what is compared, as targets are elsewhere
    shares = {name: result.shares[swapped[name]] for name in result.shares}
    return replace(result, shares=shares, effective=effective)


def _evened(found: Spread) -> Spread:
    r"""The variance, at least that of groups that vary alike: few items often have equal ranks by chance.

    .. math::
        V_1 + V_2 \ge \left(\frac1{n_1} + \frac1{n_2}\right)
        \frac{(n_1 - 1)\,n_1 V_1 + (n_2 - 1)\,n_2 V_2}{n_1 + n_2 - 2}

    The degrees of freedom are still those of the variances found.
    """
    concept, *groups = found.parts
    free = [n - 1 for n in found.effective[1:]]
    if not sum(free) or not found.total:
        return found
    squares = sum(n * (n + 1) * part for n, part in zip(free, groups, strict=True))
    even = squares / sum(free) * sum(1 / (n + 1) for n in free)
    total = max(found.total, even, concept + even - found.cells)
    df = found.df * (total / found.total) ** 2
    return found._replace(total=total, df=min(df, 1.0) if found.df <= 1 else df)


def exchanged(table: Floats, sizes: Sizes, draws: int, rng: np.random.Generator) -> tuple[float, float]:
    """Difference of the fits over all items, and its p-value under exchange of the group labels.

    With ranks r of the dissimilarities, a hypothesis that sets the items x apart scores Σ r over pairs
    with one item in x: the quadratic form xᵀR(1 − x), for all draws in one product.
    """
    grouped = sizes[0] + sizes[1]
    second = np.zeros((draws + 1, sum(sizes)))  # which items are labelled group 2: first as observed
    second[0, sizes[0] : grouped] = 1
    shuffled = np.argsort(rng.random((draws, grouped)), axis=1)
    second[1:, :grouped] = second[0, :grouped][shuffled]
    first = -second
    first[:, :grouped] += 1
    products = np.einsum("pi,ij->pj", second, table)
    rest = table[:grouped].sum(axis=0) - products  # the same for group 1, the other grouped items
    fits = [
        np.einsum("pj,pj->p", product, 1 - x) / _scale(size, table)
        for x, product, size in ((second, products, sizes[1]), (first, rest, sizes[0]))
    ]
    differences = fits[0] - fits[1]
    reached = np.abs(differences[1:]) >= abs(differences[0]) - 1e-12
    return float(differences[0]), (1 + int(reached.sum())) / (1 + draws)


def _scale(size: float, table: Floats) -> float:
    """Factor from a sum of ranks to a correlation, when ``size`` of the items are set apart."""
    pairs = len(table) * (len(table) - 1) / 2
    share = size * (len(table) - size) / pairs
    squares = float(np.einsum("ij,ij->", table, table)) / 2
    return sqrt(pairs * share * (1 - share)) * sqrt(squares) or 1.0


def attainable(n: int) -> float:
    """Spearman correlation when every pair set apart is less similar than every other pair.

    Of N pairs a share p is set apart. Their ranks exceed the others' by N / 2 on average, so that the
    correlation is N / 2 · √(p (1 − p)) over the standard deviation of N ranks, √((N² − 1) / 12).
    """
    pairs = 3 * n * (3 * n - 1) // 2
    share = 2 * n * n / pairs
    return pairs * sqrt(3 * share * (1 - share) / (pairs * pairs - 1))
