"""Agreement of people with each other: an upper limit for the agreement of a model with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.evidence.judgements import Judgements
from crossroads.inference.agreement import kendall_many, top_shares

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class NoiseCeiling:
    """Agreement of people with each other, on the cells that single people rated."""

    truth: float
    """Expected τ-b between the unknown population means and the means of the annotators."""
    truth_precision: float
    """Expected precision at k of the same."""
    same_size: float
    """Expected τ-b between the means of two samples of people, each as large as the given one."""
    split_half: float
    """Mean τ-b between the means of two random halves of the people."""
    split_half_interval: tuple[float, float]
    """The middle 95 % of the same over divisions."""
    by_group: Mapping[str, float]
    """``truth`` within each group; groups rated by fewer than two people are left out."""
    splits: int
    """Number of divisions, and of simulated samples."""


class Noise(NamedTuple):
    """Simulated errors of the means, and means without the variance that is due to error."""

    errors: Floats
    """Samples × groups × traits."""
    truth: Floats
    """Groups × traits."""


def simulate_noise(human: Judgements, samples: int, rng: np.random.Generator) -> Noise:
    """Simulate errors of the means by resampling people within groups, and shrink the means accordingly.

    Whole people are drawn, so that errors of one group are correlated over traits as they are in the data;
    they are scaled by √(n / (n − 1)), since resampled means of n people vary too little by that factor. Means
    vary more than what they estimate: within each group their distances from the mean of the group are shrunk
    until their variance is that of the means less that of the errors.
    """
    ratings = np.where(np.isnan(human.given)[None], human.ratings, np.nan)
    shape = ratings.shape[1:]
    errors, truth = np.full((samples, *shape), np.nan), np.full(shape, np.nan)
    for g in range(shape[0]):
        rows = ratings[:, g][~np.isnan(ratings[:, g]).all(axis=1)]
        n = len(rows)
        if n < 2:
            continue
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=samples).astype(np.float64)
        means = weighted_means(np.ones((1, n)), rows)[0]
        errors[:, g] = (weighted_means(drawn, rows) - means) * np.sqrt(n / (n - 1))
        centre = np.nanmean(means)
        here = errors[:, g] - np.nanmean(errors[:, g], axis=1, keepdims=True)
        spread = float(np.nanvar(means, ddof=1)) if (~np.isnan(means)).sum() > 1 else 0.0
        kept = max(0.0, 1 - float(np.nanmean(here**2)) / spread) if spread > 0 else 0.0
        truth[g] = centre + np.sqrt(kept) * (means - centre)
    return Noise(errors, truth)


def weighted_means(weights: Floats, rows: Floats) -> Floats:
    """Means of the columns with each row weighted; one row of weights per mean."""
    rated = ~np.isnan(rows)
    totals, counts = weights @ np.where(rated, rows, 0.0), weights @ rated.astype(np.float64)
    return np.where(counts > 0, totals / np.where(counts > 0, counts, 1.0), np.nan)


def noise_ceiling(
    human: Judgements, noise: Noise, *, threshold: float, k: int, splits: int, rng: np.random.Generator
) -> NoiseCeiling | None:
    """Estimate the agreement of people with each other; None where too few single ratings are known.

    Parameters
    ----------
    human
        Ratings of single people.
    noise
        Simulated errors of the means.
    threshold, k
        As in :func:`~crossroads.align`.
    splits
        Number of divisions into halves.
    rng
        Random generator of the divisions.

    Notes
    -----
    Halves are half as many people, and less reliable than all. For correlations, Spearman and Brown's
    formula predicts what all would give; τ is not linear in the scores and follows no such formula, so that
    ``truth`` and ``same_size`` are simulated instead. Samples and halves in which all means are equal have no
    τ, and do not count.
    """
    if not human.annotators or np.isnan(noise.truth).all():
        return None
    observed = noise.truth[None] + noise.errors
    count, cells = len(observed), noise.truth.size
    truth = kendall_many(noise.truth.reshape(1, cells), observed.reshape(count, cells))
    if np.isnan(truth).all():  # all variance is noise: there is no order to agree with
        return None
    pairs = observed.reshape(count, cells)
    same = kendall_many(pairs, np.roll(pairs, 1, axis=0))
    single = human.subgroup(human.annotators)
    halves = np.array([single.halves(rng) for _ in range(splits)]).reshape(splits, 2, cells)
    split = kendall_many(halves[:, 0], halves[:, 1])
    if np.isnan(same).all() or np.isnan(split).all():
        return None
    low, high = np.nanquantile(split, [0.025, 0.975])
    by_group = {
        group: float(np.nanmean(kendall_many(noise.truth[g][None], observed[:, g])))
        for g, group in enumerate(human.groups)
        if np.nanmax(noise.truth[g], initial=-np.inf) > np.nanmin(noise.truth[g], initial=np.inf)
    }
    return NoiseCeiling(
        truth=float(np.nanmean(truth)),
        truth_precision=_precision(noise.truth, observed, threshold, k),
        same_size=float(np.nanmean(same)),
        split_half=float(np.nanmean(split)),
        split_half_interval=(float(low), float(high)),
        by_group=by_group,
        splits=splits,
    )


def _precision(truth: Floats, observed: Floats, threshold: float, k: int) -> float:
    """Mean precision of the truth against the means that people would give."""
    top, bottom = top_shares(truth, k), top_shares(-truth, k)
    hits = np.where(np.isnan(observed), 0.0, top * (observed > threshold) + bottom * (observed < threshold))
    return float(np.nanmean(hits.sum(axis=2)[:, ~np.isnan(top[:, 0])]) / (2 * k))
