"""What an association test of given set sizes can detect at all."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from crossroads.errors import one_of
from crossroads.inference.options import share, whole


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """Effect sizes that sets of given sizes can show."""

    n_x: int
    """Size of the first set."""
    n_y: int
    """Size of the second set."""
    alpha: float
    """Level of the test."""
    power: float
    """Wanted chance of rejection."""
    alternative: str
    """``greater`` (also for ``less``) or ``two-sided``."""
    critical: float | None
    """Smallest observed effect size that is significant at the level; None if no effect can be."""
    detectable: float | None
    """True effect size that is found with the wanted chance; None if none can be."""
    largest: float
    """The largest effect size that sets of these sizes can have at all."""


def minimum_detectable(
    n_x: int, n_y: int, *, alpha: float = 0.05, power: float = 0.8, alternative: str = "greater"
) -> Detectable:
    """Smallest effect size that a test can detect.

    The permutation test is judged by the t test that it tends to. Effect sizes are on the scale of the
    WEAT, which divides by the standard deviation of *all* scores, so they cannot exceed about 2; the
    normal model behind the figure is that scores vary equally around two means. Where even the smallest
    p-value of the design exceeds the level, nothing can be detected and the figures are None.

    Parameters
    ----------
    n_x, n_y
        Sizes of the two sets that are permuted.
    alpha
        Level of the test.
    power
        Wanted chance of rejecting at that level.
    alternative
        ``"greater"`` or ``"two-sided"``.

    Examples
    --------
    >>> found = minimum_detectable(8, 8)
    >>> round(found.critical, 2), round(found.detectable, 2)
    (0.82, 1.11)
    """
    from scipy.optimize import brentq  # slow to import, and needed here only
    from scipy.stats import nct, t

    one_of("alternative", alternative, ("greater", "less", "two-sided"))
    for name, n in (("n_x", n_x), ("n_y", n_y)):
        whole(name, n, least=2, hint="give at least two stimuli a set.")
    for name, value in (("alpha", alpha), ("power", power)):
        share(name, value, hint="give a share between 0 and 1.")
    df = n_x + n_y - 2
    width = sqrt(1 / n_x + 1 / n_y)
    quantile = float(t.ppf(1 - (alpha / 2 if alternative == "two-sided" else alpha), df))

    def missed(shift: float) -> float:
        reached = float(nct.sf(quantile, df, shift / width))
        if alternative == "two-sided":
            # the far tail, at most Φ(−shift / width); scipy has no number for it once it is below 1e-8
            reached += float(np.nan_to_num(nct.cdf(-quantile, df, shift / width)))
        return reached - power

    smallest = (2 if alternative == "two-sided" else 1) / comb(n_x + n_y, n_x)
    possible = smallest <= alpha
    top = 1.0
    while missed(top) < 0:
        top *= 2
    shift = float(brentq(missed, 0.0, top)) if missed(0.0) < 0 else 0.0
    return Detectable(
        n_x=n_x,
        n_y=n_y,
        alpha=alpha,
        power=power,
        alternative=alternative,
        critical=_on_weat_scale(quantile * width, n_x, n_y) if possible else None,
        detectable=_on_weat_scale(shift, n_x, n_y) if possible else None,
        largest=sqrt((n_x + n_y - 1) * (n_x + n_y) / (n_x * n_y)),
    )


def _on_weat_scale(shift: float, n_x: int, n_y: int) -> float:
    """Difference of means in units of the spread within sets, to units of the spread of all scores."""
    n = n_x + n_y
    return shift / sqrt((n - 2 + shift**2 * n_x * n_y / n) / (n - 1))
