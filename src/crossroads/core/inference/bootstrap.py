"""Resampling stimuli with replacement."""

from __future__ import annotations

import numpy as np

from crossroads.core.inference.options import seed_of, share, whole
from crossroads.core.inference.permutation.scores import Floats


def generator(seed: int) -> np.random.Generator:
    """A random generator for a seed, which must be a whole number that is not negative."""
    return np.random.default_rng(seed_of(seed))


def resampled_weights(n: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Draw samples of size n with replacement; return how often each item is drawn, as shares of n."""
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    return np.asarray(rng.multinomial(n, np.full(n, 1 / n), size=resamples) / n)


def percentile_interval(values: Floats, level: float) -> tuple[float, float]:
    """The central interval that contains the given share of the values."""
    level = share("level", level)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
