"""Adjustment of p-values for the number of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from crossroads.core.errors import InputError
from crossroads.core.inference.permutation.scores import Floats, as_numbers


def holm(pvalues: ArrayLike) -> Floats:
    """Adjust p-values so that the probability of any false rejection stays below the level (Holm 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _checked(pvalues)
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


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
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


def benjamini_yekutieli(pvalues: ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false rejections stays below the level in any case.

    Benjamini & Yekutieli (2001): valid under any dependence of the tests; the adjustment of Benjamini and
    Hochberg times 1 + 1/2 + ... + 1/m.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(4).tolist()
    [0.055, 0.0733, 0.0733]
    """
    adjusted = benjamini_hochberg(pvalues)
    harmonic = float((1.0 / np.arange(1, adjusted.size + 1)).sum())
    return np.minimum(adjusted * harmonic, 1.0)


ADJUSTMENTS: Mapping[str, Callable[[ArrayLike], Floats]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "by": benjamini_yekutieli,
}
"""Every adjustment by its short name, as in ``adjusted`` of results."""
ADJUSTED_P = tuple(f"p_{name}" for name in ADJUSTMENTS)
"""Names of adjusted p-values for other words in frames, in files and in rules."""


def adjust(pvalues: ArrayLike) -> dict[str, tuple[float, ...]]:
    """Adjust the p-values of one family by every method.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03])["holm"]
    (0.03, 0.06, 0.06)
    """
    return {name: tuple(how(pvalues).tolist()) for name, how in ADJUSTMENTS.items()}


def adjust_known(pvalues: Sequence[float | None]) -> dict[str, tuple[float | None, ...]]:
    """The same where some tests have no p-value: they have no adjusted one, and do not count.

    Examples
    --------
    >>> adjust_known([0.01, None, 0.03])["holm"]
    (0.02, None, 0.03)
    """
    found = adjust([p for p in pvalues if p is not None])
    known = {name: iter(values) for name, values in found.items()}
    return {name: tuple(None if p is None else next(some) for p in pvalues) for name, some in known.items()}


def interval_level(adjusted: Sequence[float | None], *, alpha: float = 0.05, sides: int = 2) -> float:
    r"""Level of intervals that agree with p-values adjusted by Benjamini and Hochberg.

    .. math:: 1 - \max(R, 1)\,\alpha / m

    with R of m adjusted p-values below :math:`\alpha`: such an interval leaves out zero where the adjusted
    p-value is below :math:`\alpha`, and nowhere else. Of the intervals of these R tests, a share of
    :math:`\alpha` or less is expected to miss (Benjamini & Yekutieli 2005, doi:10.1198/016214504000001907).
    Of p-values of one side it is :math:`1 - 2\max(R, 1)\,\alpha / m`.

    Examples
    --------
    >>> interval_level([0.01, 0.04, 0.2, 0.5])
    0.975
    """
    known = [p for p in adjusted if p is not None]
    found = sum(p < alpha for p in known)
    return 1 - (3 - sides) * alpha * max(found, 1) / max(len(known), 1)


def _checked(pvalues: ArrayLike) -> Floats:
    p = as_numbers("a list of p-values", pvalues)
    if p.ndim != 1:
        raise InputError(f"p-values have shape {p.shape}.", hint="give a one-dimensional list.")
    if not ((p >= 0) & (p <= 1)).all():
        bad = p[~((p >= 0) & (p <= 1))][0]
        raise InputError(f"{bad} is not a p-value.", hint="p-values are between 0 and 1.")
    return p
