"""Dissimilarities of items, and classes of equal ones."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.ranks import dense_ranks, doubled_midranks

Dissimilarity = Literal["spearman", "correlation", "cosine", "euclidean"]


_SMALL = 1 << 23


PAIRS_AT_A_TIME = 1 << 14  # fits in the cache of a core


_EQUAL = 1e-12
"""Dissimilarities closer than this, relative to their range, are treated as equal."""


_FLAT = 1e-12
"""A unit vector minus its mean that is shorter than this is rounding error."""


def dissimilarities(rows: Floats, kind: str) -> Floats:
    """Dissimilarity of every pair of items, as a square matrix, from their :func:`coordinates`."""
    if kind == "euclidean":  # from differences: cancellation of squared lengths would break ties
        squares = [np.einsum("id,id->i", d, d) for d in (rows - row for row in rows)]
        return np.asarray(np.sqrt(np.stack(squares)))
    gram = products(rows)
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


def products(rows: Floats) -> Floats:
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
