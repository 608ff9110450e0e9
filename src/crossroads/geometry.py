"""Unit vectors, cosines and associations: the geometry that every association test shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError

Floats = NDArray[np.float64]


def unit(vectors: NDArray[Any]) -> Floats:
    """Scale each row to length 1, in float64. Rows of length 0 must have been removed before."""
    rows = np.array(vectors, dtype=np.float64)
    # keeps squares of tiny or huge values in range
    rows /= np.maximum(rows.max(axis=1, keepdims=True), -rows.min(axis=1, keepdims=True))
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def cosines(rows: Floats, columns: Floats) -> Floats:
    """Cosine of every unit row with every unit column vector."""
    return np.asarray(rows @ columns.T)


def associations(targets: Floats, a: Floats, b: Floats) -> Floats:
    """Association s(w, A, B) of each unit target with unit attributes.

    The mean cosine with A less the mean cosine with B, which on unit vectors is one product with the
    difference of two mean vectors.
    """
    return np.asarray(targets @ (a.mean(axis=0) - b.mean(axis=0)))


def affinities(target: Floats, attributes: Floats) -> Floats:
    """Association u(T, a) of each unit attribute with a group of unit targets: its mean cosine."""
    return np.asarray(attributes @ target.mean(axis=0))


def effect_size(x: Floats, y: Floats, *, ddof: int) -> float:
    """Difference of two means in units of the pooled standard deviation of all scores."""
    spread = float(np.concatenate([x, y]).std(ddof=ddof))
    if spread == 0.0:
        raise EvidenceError(
            f"all scores equal {float(x[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return float(x.mean() - y.mean()) / spread


def rounding_error(dim: int) -> float:
    """Largest error that rounding can leave in a cosine or a mean of cosines of ``dim`` dimensions."""
    return 2.0 * (dim + 8) * float(np.finfo(np.float64).eps)
