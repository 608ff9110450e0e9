"""Adjusting p-values for the number of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from crossroads.errors import InputError
from crossroads.inference.scores import Floats, as_numbers


def holm(pvalues: ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false rejection stays below the level (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _checked(pvalues)
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _unsorted(np.minimum(adjusted, 1.0), order)


def benjamini_hochberg(pvalues: ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false rejections stays below the level.

    Benjamini & Hochberg (1995): valid for independent tests and for positively dependent ones, as tests
    that share attribute words usually are.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _checked(pvalues)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * (p.size / np.arange(1, p.size + 1))  # a factor of at least 1, so never below p
    adjusted = np.minimum.accumulate(scaled[::-1])[::-1]
    return _unsorted(np.minimum(adjusted, 1.0), order)


def _unsorted(values: Floats, order: np.ndarray) -> Floats:
    out = np.empty_like(values)
    out[order] = values
    return out


def _checked(pvalues: ArrayLike) -> Floats:
    p = as_numbers("a list of p-values", pvalues)
    if p.ndim != 1:
        raise InputError(f"p-values have shape {p.shape}.", hint="give a one-dimensional list.")
    if not ((p >= 0) & (p <= 1)).all():
        bad = p[~((p >= 0) & (p <= 1))][0]
        raise InputError(f"{bad} is not a p-value.", hint="p-values lie between 0 and 1.")
    return p
