"""Unit vectors, cosines and associations: the geometry that every association test shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError

Floats = NDArray[np.float64]


def unit(vectors: NDArray[Any]) -> Floats:
    """Scale each row to length 1, in float64. Rows of length 0 must be removed before."""
    rows = np.array(vectors, dtype=np.float64)
    # keeps squares of tiny or huge values in range
    rows /= np.maximum(rows.max(axis=1, keepdims=True), -rows.min(axis=1, keepdims=True))
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def cosines(rows: Floats, columns: Floats) -> Floats:
    """Cosine of every unit row with every unit column vector."""
    return np.asarray(rows @ columns.T)


def associations(targets: Floats, a: Floats, b: Floats) -> Floats:
    """Compute the association s(w, A, B) of each unit target with unit attributes.

    The mean cosine with A less the mean cosine with B, which on unit vectors is one product with the
    difference of two mean vectors.
    """
    return np.asarray(targets @ (a.mean(axis=0) - b.mean(axis=0)))


def affinities(target: Floats, attributes: Floats) -> Floats:
    """Association u(T, a) of each unit attribute with a group of unit targets: its mean cosine."""
    return np.asarray(attributes @ target.mean(axis=0))


def standardised(difference: Any, variance: Any, *, flat: Any = None) -> Any:
    """Compute the effect size d: a difference of two means in standard deviations of all scores together.

    Every measure uses this function; they differ in how they compute the two arguments for many tests.

    Parameters
    ----------
    difference
        Mean of the first scores minus that of the second; a number or an array.
    variance
        Variance of both together, not around their own means.
    flat
        Where scores are equal up to rounding, and d is NaN; by default where the variance is 0.
    """
    none = np.asarray(variance) <= 0 if flat is None else flat
    return np.where(none, np.nan, difference / np.sqrt(np.where(none, 1.0, variance)))


def effect_sizes(scores: Floats, first: int, *, ddof: int) -> tuple[Floats, Floats]:
    """The effect size of each row, whose first scores belong to one group, and the variance of the row."""
    variance = scores.var(axis=1, ddof=ddof)
    difference = scores[:, :first].mean(axis=1) - scores[:, first:].mean(axis=1)
    return standardised(difference, variance), variance


def effect_size(x: Floats, y: Floats, *, ddof: int) -> float:
    """Difference of two means in units of the standard deviation of all scores; see :func:`standardised`."""
    (found,), _ = effect_sizes(np.concatenate([x, y])[None], len(x), ddof=ddof)
    if np.isnan(found):
        raise EvidenceError(
            f"all scores equal {float(x[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return float(found)


def rounding_error(dim: int) -> float:
    """Largest rounding error of a cosine or a mean of cosines of ``dim`` dimensions."""
    return 2.0 * (dim + 8) * float(np.finfo(np.float64).eps)
