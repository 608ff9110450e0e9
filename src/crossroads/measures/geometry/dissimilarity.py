"""Dissimilarity of each pair of items, and the agreement of halves of the dimensions."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError
from crossroads.geometry import Floats
from crossroads.inference.ranks import dense_ranks, doubled_midranks

Dissimilarity = Literal["spearman", "correlation", "cosine", "euclidean"]

_SMALL = 1 << 23
_EQUAL = 1e-12
"""Dissimilarities closer than this, relative to their range, are treated as equal."""
_FLAT = 1e-12
"""A unit vector less its mean that is shorter than this is rounding error."""


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


def classes_of(distances: Floats, *, error: float) -> NDArray[np.int64]:
    """Dense rank of every dissimilarity of the pool, as a square matrix, up to a rounding ``error``."""
    upper = np.triu_indices(len(distances))
    values = distances[upper]
    ranks = dense_ranks(values, tolerance=max(1e-300, error, _EQUAL * float(values.max() - values.min())))
    table = np.empty(distances.shape, dtype=np.int64)
    table[upper] = ranks
    table.T[upper] = ranks
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
