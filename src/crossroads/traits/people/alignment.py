"""Alignment: how far a model's associations of groups with traits agree with people's (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError
from crossroads.core.inference.bootstrap import generator, percentile_interval, resampled_weights
from crossroads.core.inference.options import number, seed_of, share, whole
from crossroads.core.stimuli import catalog
from crossroads.traits.measures.files import (
    Scores,
    SharedCells,
    judgements_of,
    shared_cells,
    trait_table,
)
from crossroads.traits.people.agreement import (
    Blocks,
    Integers,
    exchanges,
    kendall,
    kendall_many,
    named_blocks,
    tau_interval,
    top_shares,
    two_sided,
)
from crossroads.traits.people.alignment_result import AlignmentResult, Exchange, GroupAlignment, NoiseCeiling
from crossroads.traits.people.evidence import HIGH, LOW, Judgements, nested_cells
from crossroads.traits.people.files import TRAITS

Floats = NDArray[np.float64]


def align(
    scores: Scores | Mapping[str, Mapping[str, float]],
    human: Judgements | str | Path | Mapping[str, Mapping[str, float]],
    *,
    threshold: float = 50.0,
    k: int = 3,
    draws: int = 999,
    resamples: int = 1000,
    splits: int = 100,
    level: float = 0.95,
    seed: int = 0,
    groups: Iterable[str] | None = None,
    blocks: Blocks = "catalogue",
) -> AlignmentResult:
    """Compare a model's scores of groups on traits with human judgements.

    Parameters
    ----------
    scores
        A result with ``groups``, ``traits`` and ``scores`` (ILPS, SeT, group CEAT), or a mapping group →
        trait → score; higher is closer to the right end of a pair.
    human
        Judgements, a file of them, or a mapping group → trait → mean from 0 to 100.
    threshold, k
        Precision: threshold of human means, and number of traits at either end of the model's order. A mean
        equal to the threshold is on neither side; traits of equal score share the last places.
    draws, resamples, splits
        Numbers of exchanges of labels, of resamples for the interval of precision (0 for no intervals at
        all), and of divisions and simulated samples of the people for the noise ceiling; 0 for none.
    level, seed
        Level of the intervals, and seed of all random draws.
    groups
        Groups to compare, such as all but those of a pilot, by any name in the catalogue; all by default.
    blocks
        Which groups belong together, and which traits: ``"catalogue"``, groups of one domain and traits of
        one scale, where the catalogue knows those of all; a mapping from names of groups or traits to their
        block; or None. Labels are exchanged within blocks, within those of the catalogue where that leaves at
        least 1,000 arrangements; the interval leaves out whole blocks.

    Notes
    -----
    τ-b pools all cells, as published: scores are compared between groups as well as within. A random order of
    traits has a precision of one half.

    ``kendall_pvalue`` is the published one; it treats cells as independent. Exchanging ``groups`` gives each
    group the human profile of another: does the model distinguish groups as people do? Exchanging ``traits``
    renames the traits of one side, for all groups alike: does the order of the traits agree? Both keep
    profiles intact, use the groups that have every trait, and hold their level if the labels exchanged are
    alike but for what is tested, which is why there are blocks.

    The interval leaves out each group and each trait in turn, and each block where that gives the larger
    variance. Where groups or traits come in blocks that are not named, p and interval are too sure; the field
    ``blocks`` says how many are.

    *Departures:* the paper prints neither intervals nor a ceiling, and does not say how ties are treated.

    References
    ----------
    Cao, Y. T., et al. (2022). doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import crossroads as cr
    >>> people = {
    ...     "nurses": {"cold-warm": 90, "poor-wealthy": 40},
    ...     "bankers": {"cold-warm": 20, "poor-wealthy": 95},
    ... }
    >>> result = cr.align(people, people, k=1)
    >>> round(result.kendall_tau, 2), result.by_group["nurses"].precision_at_3
    (1.0, 1.0)
    """
    whole("k", k, least=1)
    for option, count in (("draws", draws), ("resamples", resamples), ("splits", splits)):
        whole(option, count)
    number("threshold", threshold, above=LOW, below=HIGH, hint="give a number between 0 and 100, such as 50.")
    share("level", level)
    seed_of(seed)
    judged = judgements_of(human)
    own = not set(judged.traits) <= {pair.name for pair in catalog().traits(TRAITS)}
    table = trait_table(scores, own_traits=own)  # scores may name traits that people were asked about
    both, coverage = shared_cells(table, judged, groups)
    if k > len(both.traits):
        raise InputError(f"k is {k}, and there are {len(both.traits)} traits.", hint="use a smaller k.")
    rng = generator(seed)
    tau, pvalue = kendall(both.model.ravel(), both.human.ravel())
    if np.isnan(tau):
        raise InputError("all scores of one side are equal.", hint="τ needs scores that differ.")
    noise = limit = None
    if splits and judged.annotators:
        noise = simulate_noise(both.judgements, max(splits, 2), rng)
        limit = noise_ceiling(both.judgements, noise, threshold=threshold, k=k, splits=splits, rng=rng)
    sides, rated = _sides(both.human, threshold), (~np.isnan(both.human)).sum(axis=1)
    precision = (_ends(both.model, k) * sides).sum(axis=2) / k
    if np.isnan(precision).all():
        raise InputError(f"no group has scores on {k} traits on both sides.", hint="use a smaller k.")
    named = named_blocks(both.groups, both.traits, blocks)
    known, precision_ends = precision.mean(axis=0)[~np.isnan(precision[0])], None
    if resamples and len(known) > 1:  # groups are resampled, with the traits as given
        precision_ends = percentile_interval(resampled_weights(len(known), resamples, rng) @ known, level)
    people = noise if limit and resamples else None
    exchanged = exchanges(both.model, both.human, named, blocks, draws, rng)
    return AlignmentResult(
        measure=table.measure,
        kendall_tau=tau,
        kendall_pvalue=pvalue,
        interval=tau_interval(both.model, both.human, level, named.values()) if resamples else None,
        blocks={kind: len(set(some)) for kind, some in named.items()},
        annotator_interval=people and _annotator_interval(both, people, tau, level),
        exchanges=_exchanges(both, exchanged, threshold=threshold, k=k),
        precision_at_3=float(np.nanmean(precision)),
        precision_interval=precision_ends,
        precision_chance=float(np.mean(sides.sum(axis=(0, 2)) / rated) / 2),  # of a random order of traits
        by_group=_by_group(both, precision, limit),
        ceiling=None if limit is None else limit.truth,
        noise=limit,
        k=k,
        model_scores=nested_cells(both.groups, both.traits, both.model),
        human_scores=nested_cells(both.groups, both.traits, both.human),
        coverage=coverage,
        conventions={
            "measure": "alignment",
            "tau": "b, over all cells",
            "threshold": threshold,
            "k": k,
            "ties at k": "share the last places",
            "at the threshold": "on neither side",
            "draws": draws,
            "exchange": "groups, traits",
            "blocks": blocks if blocks is None or isinstance(blocks, str) else "given",
            "alternative": "two-sided",
            "interval": "jackknife of artanh τ, groups and traits drawn, in blocks where wider",
            "resamples": resamples,
            "level": level,
            "splits": splits,
            "seed": seed,
        },
        provenance=(*table.provenance, judged.provenance),
    )


def _ends(scores: Floats, k: int) -> Floats:
    """The share of each trait among the k highest of its group, and among the k lowest."""
    return np.stack([top_shares(scores, k), top_shares(-scores, k)])


def _sides(human: Floats, threshold: float) -> Floats:
    """Whether people rate a cell above the threshold, and below it."""
    return np.stack([human > threshold, human < threshold]).astype(np.float64)


def _by_group(both: SharedCells, precision: Floats, limit: NoiseCeiling | None) -> dict[str, GroupAlignment]:
    found = {}
    raters = (~np.isnan(both.judgements.ratings)).any(axis=2).sum(axis=0)
    for g, group in enumerate(both.groups):
        tau, pvalue = kendall(both.model[g], both.human[g])
        found[group] = GroupAlignment(
            kendall_tau=_known(tau),
            kendall_pvalue=_known(pvalue),
            precision_at_3=_known(precision[:, g].mean()),
            precision_top=_known(precision[0, g]),
            precision_bottom=_known(precision[1, g]),
            traits=int((~np.isnan(both.model[g])).sum()),
            annotators=int(raters[g]),
            ceiling=None if limit is None else limit.by_group.get(group),
        )
    return found


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _annotator_interval(
    both: SharedCells, noise: Noise, tau: float, level: float
) -> tuple[float, float] | None:
    """Interval from resampling people, centred on τ-b because resampled means are noisier."""
    errors = np.where(np.isnan(noise.errors), 0.0, noise.errors)  # cells of which only the mean is known stay
    drawn = both.human[None] + errors
    taus = kendall_many(drawn.reshape(len(drawn), -1), both.model.reshape(1, -1))
    taus = taus[~np.isnan(taus)]  # undefined where all resampled means are equal
    if not len(taus):
        return None
    low, high = percentile_interval(tau + taus - taus.mean(), level)
    return max(-1.0, low), min(1.0, high)


def _exchanges(
    both: SharedCells, found: Mapping[str, tuple[Integers, dict[str, Any]]], *, threshold: float, k: int
) -> dict[str, Exchange]:
    """What exchanged labels say of τ-b, and of precision."""
    whole = ~np.isnan(both.model).any(axis=1)
    shares, sides = _ends(both.model[whole], k), _sides(both.human[whole], threshold)
    sums = {"groups": "egt,eht->gh", "traits": "egt,egs->ts"}
    result = {}
    for name, (orders, exchanged) in found.items():
        hits = np.einsum(sums[name], shares, sides)[orders[0], orders].sum(axis=1)
        precise = hits / (2 * k * int(whole.sum()))
        result[name] = Exchange(
            **exchanged,
            precision_pvalue=two_sided(float(precise[0]), precise[1:]),
            expected_precision=float(precise[1:].mean()),
        )
    return result


class Noise(NamedTuple):
    """Simulated errors of the means, and means without the variance that is due to error."""

    errors: Floats
    """Samples × groups × traits."""
    truth: Floats
    """Groups × traits."""


def simulate_noise(human: Judgements, samples: int, rng: np.random.Generator) -> Noise:
    """Simulate errors of the means by resampling people within groups, and shrink the means accordingly.

    Errors are scaled by √(n / (n − 1)), since resampled means of n people vary too little. Within each group
    the distances of means from their mean are shrunk until their variance is that of the means minus that of
    the errors.
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
    """Estimate the agreement of people with each other; None where too few single ratings are known."""
    if np.isnan(noise.truth).all():
        return None
    observed = noise.truth[None] + noise.errors
    cells = noise.truth.size
    samples = observed.reshape(len(observed), cells)
    truth = kendall_many(noise.truth.reshape(1, cells), samples)
    if np.isnan(truth).all():  # all variance is noise: there is no order to agree with
        return None
    same = kendall_many(samples, np.roll(samples, 1, axis=0))
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
    hits = (_ends(noise.truth, k)[:, None] * _sides(observed, threshold)).sum(axis=0).sum(axis=2)
    return NoiseCeiling(
        truth=float(np.nanmean(truth)),
        truth_precision=float(np.nanmean(hits[:, ~np.isnan(hits[0])]) / (2 * k)),
        same_size=float(np.nanmean(same)),
        split_half=float(np.nanmean(split)),
        split_half_interval=(float(low), float(high)),
        by_group=by_group,
        splits=splits,
    )
