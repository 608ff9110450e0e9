"""Alignment: how far a model's associations of groups with traits agree with people's (Cao et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError
from crossroads.evidence.judgements import HIGH, LOW, Judgements
from crossroads.inference.agreement import (
    exchanged_sums,
    exchanged_taus,
    kendall,
    kendall_many,
    row_pair_sums,
    top_shares,
    two_sided,
    weighted_taus,
)
from crossroads.inference.bootstrap import generator, percentile_interval, resampled_weights
from crossroads.inference.options import number, seed_of, share, whole
from crossroads.measures.noise_ceiling import Noise, NoiseCeiling, noise_ceiling, simulate_noise
from crossroads.measures.score_files import Scores, TraitTable, trait_table
from crossroads.measures.shared_cells import SharedCells, has_own_traits, judgements_of, shared_cells
from crossroads.results import Result

Floats = NDArray[np.float64]
EXCHANGES = ("groups", "traits")


@dataclass(frozen=True, kw_only=True)
class GroupAlignment:
    """Agreement on one group."""

    kendall_tau: float | None
    """Kendall's τ-b over its traits; None where all scores of a side are equal."""
    kendall_pvalue: float | None
    """Two-sided p-value of the same, for traits that could have come in any order."""
    precision_at_3: float | None
    """Mean of the two shares below; None with fewer than k traits."""
    precision_top: float | None
    """Share of the model's k highest traits that people rate above the threshold."""
    precision_bottom: float | None
    """Share of the model's k lowest traits that people rate below it."""
    traits: int
    """Traits with a score on both sides."""
    annotators: int
    """People who rated the group; 0 where only means are known."""
    ceiling: float | None
    """The τ-b that the average of all people would have with the means of those asked."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What is left of the agreement when one side's labels are exchanged."""

    pvalue: float
    """Two-sided p-value of the observed τ-b among those with exchanged labels."""
    tau: float
    """The observed τ-b, on the groups that have every trait."""
    expected_tau: float
    """Mean τ-b with exchanged labels."""
    precision_pvalue: float
    """Two-sided p-value of the observed precision."""
    expected_precision: float
    """Mean precision with exchanged labels."""
    permutations: int
    """How often labels were exchanged."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AlignmentResult(Result):
    """Agreement of a model's scores with human judgements."""

    measure: str
    """What measured the model."""
    kendall_tau: float
    """Kendall's τ-b over all cells of groups and traits together."""
    kendall_pvalue: float
    """Its two-sided p-value as published: as if all cells were independent, which they are not."""
    interval: tuple[float, float] | None
    """Interval of τ-b from drawing groups anew; None without resamples."""
    annotator_interval: tuple[float, float] | None
    """Interval of τ-b from drawing people anew, centred on τ-b; None where only means are known."""
    exchanges: Mapping[str, Exchange]
    """``groups``: human profiles go to other groups; ``traits``: the names of traits are exchanged, for all
    groups alike. Empty where fewer than three groups have every trait, or nothing is exchanged."""
    precision_at_3: float
    """Mean over groups of the precision at k, half of it at the top and half at the bottom."""
    precision_interval: tuple[float, float] | None
    """Interval of the same from drawing groups anew."""
    precision_chance: float
    """What a random order of the traits would give: a half, less what people rate at the threshold."""
    by_group: Mapping[str, GroupAlignment]
    """Agreement on each group."""
    ceiling: float | None
    """Noise ceiling: the τ-b that the average of all people would have with the means of those asked; None
    where only means are known."""
    noise: NoiseCeiling | None
    """How well people agree with each other."""
    k: int
    """How many traits at either end precision looks at; the published number is 3."""
    model_scores: Mapping[str, Mapping[str, float]]
    """The model's scores compared: group → trait → score."""
    human_scores: Mapping[str, Mapping[str, float]]
    """The human means compared: group → trait → mean."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups compared."""
        return tuple(self.by_group)

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits compared."""
        return tuple(dict.fromkeys(trait for row in self.human_scores.values() for trait in row))

    @property
    def permutation_pvalue(self) -> float | None:
        """The p-value of exchanging groups: whether the model tells groups apart as people do."""
        found = self.exchanges.get("groups")
        return None if found is None else found.pvalue

    def rows(self) -> list[dict[str, Any]]:
        """One row a group, and one for all."""
        names = ("kendall_tau", "kendall_pvalue", "precision_at_3", "precision_top", "precision_bottom")
        more = ("traits", "annotators", "ceiling")
        overall = {"group": "all groups", **{name: getattr(self, name, None) for name in names}}
        return [
            *({"group": g, **{n: getattr(a, n) for n in (*names, *more)}} for g, a in self.by_group.items()),
            {**overall, "traits": len(self.traits), "annotators": None, "ceiling": self.ceiling},
        ]


def align(
    scores: Scores | Mapping[str, Mapping[str, float]] | TraitTable,
    human: Judgements | str | Path | Mapping[str, Mapping[str, float]],
    *,
    threshold: float = 50.0,
    k: int = 3,
    permutations: int = 999,
    bootstrap: int = 1000,
    splits: int = 100,
    level: float = 0.95,
    seed: int = 0,
    groups: Iterable[str] | None = None,
) -> AlignmentResult:
    """Compare a model's scores of groups on traits with human judgements.

    Parameters
    ----------
    scores
        A result with ``groups``, ``traits`` and ``scores`` (ILPS, SeT, group CEAT), or a mapping group →
        trait → score; higher is closer to the right end of a pair.
    human
        Judgements, a file of them, or a mapping group → trait → mean from 0 to 100.
    threshold
        Where human means are cut for precision. A mean at the threshold lies on neither side.
    k
        How many traits at either end of the model's order precision looks at. Traits of equal score share
        the last places.
    permutations
        How often labels are exchanged; 0 for not at all.
    bootstrap
        Resamples behind the intervals; 0 for none.
    splits
        Divisions of the people, and simulated samples of people, behind the noise ceiling; 0 for none.
    level
        Of the intervals.
    seed
        Of everything random.
    groups
        Compare these only, such as all but those of a pilot; by any name that the catalogue knows.

    Notes
    -----
    τ-b pools all cells, as published: scores are compared between groups as well as within. Precision is
    averaged over the groups that have scores. A random order of traits has a precision of one half, whatever
    people think: the share of traits above the threshold at the top and the share below at the bottom add up
    to 1.

    Three p-values answer three questions. ``kendall_pvalue`` is the published one; it takes cells for
    independent. Exchanging ``groups`` gives each group the human profile of another: it asks whether the
    model tells groups apart as people do, beyond what all groups have in common. Exchanging ``traits``
    renames the traits of one side, for all groups alike: it asks whether the order of the traits, common to
    groups or not, agrees. Both keep profiles whole, so that cells of one group or one trait may go
    together. They use the groups that have every trait.

    *Departures:* the paper prints neither intervals nor a ceiling, and does not say what becomes of ties.

    References
    ----------
    Cao, Y. T., Sotnikova, A., Daumé III, H., Rudinger, R. and Zou, L. (2022).
    doi:10.18653/v1/2022.naacl-main.92
    """
    _check_counts(k=k, permutations=permutations, bootstrap=bootstrap, splits=splits)
    number("threshold", threshold, above=LOW, below=HIGH, hint="give a number between 0 and 100, such as 50.")
    share("level", level)
    seed_of(seed)
    judged = judgements_of(human)
    table = trait_table(scores, own_traits=has_own_traits(judged))
    both, coverage = shared_cells(table, judged, groups)
    if k > len(both.traits):
        raise InputError(f"k is {k}, and there are {len(both.traits)} traits.", hint="use a smaller k.")
    rng = generator(seed)
    tau, pvalue = kendall(both.model.ravel(), both.human.ravel())
    if np.isnan(tau):
        raise InputError("all scores of one side are equal.", hint="τ needs scores that differ.")
    noise = simulate_noise(both.judgements, max(splits, 2), rng) if splits and judged.annotators else None
    limit = None
    if noise is not None:
        limit = noise_ceiling(both.judgements, noise, threshold=threshold, k=k, splits=splits, rng=rng)
    precision = _precision(both, threshold=threshold, k=k)
    if np.isnan(precision).all():
        raise InputError(f"no group has scores on {k} traits on both sides.", hint="use a smaller k.")
    intervals = _intervals(both, precision.mean(axis=0), bootstrap, level, rng)
    people = (
        None
        if noise is None or limit is None or not bootstrap
        else _annotator_interval(both, noise, tau, level)
    )
    return AlignmentResult(
        measure=table.measure,
        kendall_tau=tau,
        kendall_pvalue=pvalue,
        interval=intervals[0],
        annotator_interval=people,
        exchanges=_exchanges(both, permutations, rng, threshold=threshold, k=k),
        precision_at_3=float(np.nanmean(precision)),
        precision_interval=intervals[1],
        precision_chance=_chance(both, threshold),
        by_group=_by_group(both, precision, limit),
        ceiling=None if limit is None else limit.truth,
        noise=limit,
        k=k,
        model_scores=_nested(both, both.model),
        human_scores=_nested(both, both.human),
        coverage=coverage,
        conventions={
            "measure": "alignment",
            "tau": "b, over all cells",
            "threshold": threshold,
            "k": k,
            "ties at k": "share the last places",
            "at the threshold": "on neither side",
            "permutations": permutations,
            "exchange": ", ".join(EXCHANGES),
            "alternative": "two-sided",
            "bootstrap": bootstrap,
            "level": level,
            "splits": splits,
            "seed": seed,
        },
        provenance=(*table.provenance, judged.provenance),
    )


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        whole(name, value, least=1 if name == "k" else 0)


def _precision(both: SharedCells, *, threshold: float, k: int) -> Floats:
    """Precision at the top and at the bottom, by group: two rows; not a number with fewer than k traits."""
    top, bottom = top_shares(both.model, k), top_shares(-both.model, k)
    human = np.where(np.isnan(both.human), threshold, both.human)
    return np.stack([(top * (human > threshold)).sum(axis=1), (bottom * (human < threshold)).sum(axis=1)]) / k


def _chance(both: SharedCells, threshold: float) -> float:
    """Precision of a random order of traits."""
    sides = (both.human > threshold).sum(axis=1) + (both.human < threshold).sum(axis=1)
    return float(np.mean(sides / (~np.isnan(both.human)).sum(axis=1)) / 2)


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


def _intervals(
    both: SharedCells, precision: Floats, resamples: int, level: float, rng: np.random.Generator
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Intervals of τ-b and of precision from drawing groups anew."""
    n = len(both.groups)
    if not resamples or n < 2:
        return None, None
    weights = resampled_weights(n, resamples, rng)
    taus = weighted_taus(row_pair_sums(both.model, both.human), weights)
    there = ~np.isnan(precision)
    shares = weights[:, there]
    totals = shares.sum(axis=1)
    precise = (shares @ precision[there])[totals > 0] / totals[totals > 0]
    taus = taus[~np.isnan(taus)]
    return (
        percentile_interval(taus, level) if len(taus) else None,
        percentile_interval(precise, level) if len(precise) else None,
    )


def _annotator_interval(
    both: SharedCells, noise: Noise, tau: float, level: float
) -> tuple[float, float] | None:
    """Interval from drawing people anew; drawn means are noisier than the means, hence centred on τ-b."""
    errors = np.where(np.isnan(noise.errors), 0.0, noise.errors)  # cells that are known as means only stay
    drawn = both.human[None] + errors
    taus = kendall_many(drawn.reshape(len(drawn), -1), both.model.reshape(1, -1))
    taus = taus[~np.isnan(taus)]  # where all drawn means are equal there is none
    if not len(taus):
        return None
    low, high = percentile_interval(tau + taus - taus.mean(), level)
    return max(-1.0, low), min(1.0, high)


def _exchanges(
    both: SharedCells, permutations: int, rng: np.random.Generator, *, threshold: float, k: int
) -> dict[str, Exchange]:
    whole = ~np.isnan(both.model).any(axis=1)
    if not permutations or whole.sum() < 3 or len(both.traits) < 3:
        return {}
    model, human = both.model[whole], both.human[whole]
    shares = np.stack([top_shares(model, k), top_shares(-model, k)])
    sides = np.stack([human > threshold, human < threshold]).astype(np.float64)
    scale = 2 * k * len(model)
    found = {}
    tables = {"groups": "egt,eht->gh", "traits": "egt,egs->ts"}
    for name, sums in tables.items():
        x, y = (model, human) if name == "groups" else (model.T, human.T)
        orders = np.array([rng.permutation(len(x)) for _ in range(permutations)])
        same = np.arange(len(x))[None]
        taus = exchanged_taus(x, y, np.concatenate([same, orders]))
        precise = exchanged_sums(np.einsum(sums, shares, sides), np.concatenate([same, orders])) / scale
        if np.isnan(taus).any():
            return {}
        found[name] = Exchange(
            pvalue=two_sided(float(taus[0]), taus[1:]),
            tau=float(taus[0]),
            expected_tau=float(taus[1:].mean()),
            precision_pvalue=two_sided(float(precise[0]), precise[1:]),
            expected_precision=float(precise[1:].mean()),
            permutations=permutations,
        )
    return found


def _nested(both: SharedCells, values: Floats) -> dict[str, dict[str, float]]:
    return {
        group: {trait: float(v) for trait, v in zip(both.traits, row, strict=True) if not np.isnan(v)}
        for group, row in zip(both.groups, values, strict=True)
    }
