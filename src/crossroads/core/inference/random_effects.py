"""Random-effects combination of effect sizes (DerSimonian & Laird 1986)."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, log, log10, sqrt

import numpy as np
from numpy.typing import ArrayLike

from crossroads.core.errors import InputError
from crossroads.core.inference.crossed import half_width
from crossroads.core.inference.options import share
from crossroads.core.inference.permutation.scores import as_numbers


@dataclass(frozen=True, kw_only=True)
class Combined:
    """Effect sizes combined under random effects."""

    effect_size: float
    """Mean of the effect sizes, weighted by the inverse of their total variance."""
    se: float
    """Its standard error; it shrinks with the number of effect sizes that are combined."""
    pvalue: float
    """Two-sided p-value of the mean being 0; 0.0 where it is below the smallest float."""
    log10_pvalue: float
    """The same as a power of ten, which does not underflow."""
    tau2: float
    """Variance between effect sizes, beyond their own."""
    i2: float
    """Share of the variation that is between effect sizes."""
    q: float
    """Cochran's Q."""
    prediction_interval: tuple[float, float]
    """Interval in which 95 % of further effect sizes are expected."""


def combine(effect_sizes: ArrayLike, variances: ArrayLike, *, level: float = 0.95) -> Combined:
    """Combine effect sizes with known variances under random effects.

    Parameters
    ----------
    effect_sizes, variances
        One of each for every effect size.
    level
        Level of the prediction interval, which is that of Higgins, Thompson and Spiegelhalter (2009).

    Examples
    --------
    >>> found = combine([0.2, 0.5, 0.8], [0.01, 0.01, 0.01])
    >>> round(found.effect_size, 3), round(found.tau2, 3), round(found.i2, 3)
    (0.5, 0.08, 0.889)
    """
    es, v = as_numbers("a list of effect sizes", effect_sizes), as_numbers("a list of variances", variances)
    share("level", level)
    _check(es, v)
    n = es.size
    w = 1 / v
    total = float(w.sum())
    q = float((w * (es - (w * es).sum() / total) ** 2).sum())  # from deviations, to avoid cancellation
    others = total - w
    others[w.argmax()] = np.delete(w, w.argmax()).sum()  # no cancellation where one weight dominates
    c = float((w * others).sum() / total)  # total − Σw² / total
    tau2 = max(0.0, (q - (n - 1)) / c) if n > 1 else 0.0
    u = 1 / (v + tau2)
    mean = float((u * es).sum() / u.sum())
    se = sqrt(1 / float(u.sum()))
    z = abs(mean / se)
    reach = float(half_width(sqrt(tau2 + se * se), n - 2, level)) if n > 2 else float("inf")
    return Combined(
        effect_size=mean,
        se=se,
        pvalue=erfc(z / sqrt(2)),
        log10_pvalue=_log10_two_sided(z),
        tau2=tau2,
        i2=max(0.0, (q - (n - 1)) / q) if q > 0 else 0.0,
        q=q,
        prediction_interval=(mean - reach, mean + reach),
    )


def _log10_two_sided(z: float) -> float:
    """Base-ten logarithm of the two-sided normal p-value, also where the p-value underflows."""
    p = erfc(z / sqrt(2))
    if p > 1e-290:
        return log10(p)
    from scipy.special import log_ndtr  # scipy is slow to import

    return float((log_ndtr(-z) + log(2)) / log(10))


def _check(es: np.ndarray, v: np.ndarray) -> None:
    if es.ndim != 1 or es.shape != v.shape or es.size == 0:
        raise InputError(
            f"effect sizes have shape {es.shape}, variances {v.shape}.",
            hint="give two lists of the same length.",
        )
    if not (np.isfinite(es).all() and np.isfinite(v).all()):
        raise InputError("effect sizes or variances are not finite.", hint="leave these out.")
    if not (v > 0).all():
        raise InputError(f"a variance is {float(v.min())}.", hint="variances must be above 0.")
