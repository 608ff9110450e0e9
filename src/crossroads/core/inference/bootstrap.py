"""Resampling stimuli with replacement."""

from __future__ import annotations

import numpy as np

from crossroads.core.inference.geometry import standardised
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


def weighted_effects(
    first: Floats, second: Floats, first_weights: Floats, second_weights: Floats, *, ddof: int
) -> Floats:
    """Compute the effect size of each resample, from shares of scores; NaN where all drawn are equal."""
    n_x, n_y = first_weights.shape[1], second_weights.shape[1]
    n = n_x + n_y
    mean_x = (first_weights * first).sum(axis=1)
    mean_y = (second_weights * second).sum(axis=1)
    grand = (n_x * mean_x + n_y * mean_y) / n
    squares = n_x * (first_weights * (first - grand[:, None]) ** 2).sum(axis=1)
    squares += n_y * (second_weights * (second - grand[:, None]) ** 2).sum(axis=1)
    variance = squares / (n - ddof)
    scale = np.maximum(np.abs(first).max(), np.abs(second).max())
    flat = np.sqrt(variance) <= 1e-12 * scale
    return np.asarray(standardised(mean_x - mean_y, variance, flat=flat))
