"""How far two models score groups on traits alike, and where they differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError, in_short, join_words
from crossroads.evidence.model_names import model_name
from crossroads.geometry import Floats
from crossroads.inference.agreement import exchanged_taus, kendall, row_pair_sums, two_sided, weighted_taus
from crossroads.inference.bootstrap import generator, percentile_interval, resampled_weights
from crossroads.inference.options import seed_of, share, whole
from crossroads.measures.trait_scores import TraitScores
from crossroads.results import Coverage, Result, read_only


@dataclass(frozen=True, kw_only=True)
class TraitExchange:
    """What is left of the agreement of two models when the labels of one are exchanged."""

    pvalue: float
    """Two-sided p-value of the observed τ-b among those with exchanged labels."""
    tau: float
    """The observed τ-b, on the groups that have every trait."""
    expected_tau: float
    """Mean τ-b with exchanged labels."""
    permutations: int
    """How often labels were exchanged."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareTraitsResult(Result):
    """Scores of the same groups on the same traits by two models."""

    models: tuple[str, str]
    """The two models."""
    measures: tuple[str, str]
    """What measured each of them."""
    groups: tuple[str, ...]
    """Groups that both have: rows of the differences."""
    traits: tuple[str, ...]
    """Traits that both have: columns of the differences."""
    kendall_tau: float
    """Kendall's τ-b over all cells of groups and traits together."""
    interval: tuple[float, float] | None
    """Interval of τ-b from drawing groups anew; None without resamples or with one group."""
    exchanges: Mapping[str, TraitExchange]
    """``groups``: profiles of the second model go to other groups; ``traits``: its traits are renamed, for
    all groups alike. Empty where fewer than three groups have every trait, or nothing is exchanged."""
    first_scores: NDArray[np.float64]
    """Scores of the first model in standard deviations of all its cells; 0 where ``known`` is false."""
    second_scores: NDArray[np.float64]
    """The same for the second model."""
    known: NDArray[np.bool_]
    """Which cells have a score on both sides."""
    holm: Mapping[str, float] = field(default_factory=dict)
    """p-value of each exchange adjusted by Holm over all exchanges that were made along with it, with other
    scores and pairs of models. Empty where these scores were compared alone."""
    bh: Mapping[str, float] = field(default_factory=dict)
    """The same, adjusted by Benjamini and Hochberg."""

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`, also one that was written without adjusted p-values."""
        return super().from_dict({"holm": {}, "bh": {}, **data})

    @property
    def differences(self) -> Floats:
        """First score less second, each in standard deviations of its model."""
        return np.asarray(self.first_scores - self.second_scores)

    def largest(self, n: int = 10) -> list[dict[str, Any]]:
        """The rows of the largest differences, of either sign."""
        rows = [row for row in self.rows() if row["difference"] is not None]
        return sorted(rows, key=lambda row: -abs(float(row["difference"])))[:n]

    def rows(self) -> list[dict[str, Any]]:
        """One row a group and trait."""
        rows = []
        for g, group in enumerate(self.groups):
            for t, trait in enumerate(self.traits):
                there = bool(self.known[g, t])
                one, two = float(self.first_scores[g, t]), float(self.second_scores[g, t])
                cells = {"score_1": one, "score_2": two, "difference": one - two}
                row = {key: value if there else None for key, value in cells.items()}
                rows.append({"group": group, "trait": trait, **row})
        return rows


def compare_traits(
    first: TraitScores,
    second: TraitScores,
    *,
    names: tuple[str, str] | None = None,
    permutations: int = 999,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> CompareTraitsResult:
    """Compare how two models score groups on traits.

    Agreement is Kendall's τ-b over the cells that both have, as between a model and people in
    :func:`~crossroads.measures.alignment.align`, with the same restricted exchanges: profiles of the second
    model go to other groups whole (do the models tell groups apart alike?), or its traits are renamed in all
    groups alike (do they order traits alike?). Differences are between scores in standard deviations of each
    model's own cells, as models and measures have scales of their own; they have no test.

    Parameters
    ----------
    first, second
        Scores of the two models.
    names
        What to call them; by default as their provenance does.
    permutations
        How often labels are exchanged; 0 for not at all.
    resamples, level
        Of the interval; 0 resamples for none.
    seed
        Of everything random.
    """
    for given in (first, second):
        if not isinstance(given, TraitScores):
            raise InputError(
                f"scores are of type {type(given).__name__}.", hint="give TraitScores, or read_scores(path)."
            )
    whole("permutations", permutations)
    whole("resamples", resamples)
    share("level", level)
    seed_of(seed)
    groups, traits, coverage = _shared(first, second)
    x, y = (_cells(one, groups, traits) for one in (first, second))
    gone = np.isnan(x) | np.isnan(y)
    x, y = (np.where(gone, np.nan, one) for one in (x, y))
    tau, _ = kendall(x.ravel(), y.ravel())
    if np.isnan(tau):
        raise InputError("all scores of one model are equal.", hint="τ needs scores that differ.")
    rng = generator(seed)
    return CompareTraitsResult(
        models=_names(names) or (_name(first, "first"), _name(second, "second")),
        measures=(first.measure, second.measure),
        groups=groups,
        traits=traits,
        kendall_tau=tau,
        interval=_interval(x, y, resamples, level, rng),
        exchanges=_exchanges(x, y, permutations, rng),
        first_scores=_standardised(x),
        second_scores=_standardised(y),
        known=read_only(~gone),
        coverage=coverage,
        conventions={
            "measure": "compare traits",
            "tau": "b, over all cells",
            "difference": "in standard deviations of the cells of each model",
            "permutations": permutations,
            "alternative": "two-sided",
            "resamples": resamples,
            "level": level,
            "seed": seed,
        },
        provenance=(*first.provenance, *second.provenance),
    )


def _names(given: Any) -> tuple[str, str] | None:
    """Two names, if any were given."""
    if given is None:
        return None
    if isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(name, str) for name in given):
        return given[0], given[1]
    raise InputError(f"names is {in_short(given)}.", hint='give two names, such as ("BERT", "RoBERTa").')


def _name(scores: TraitScores, default: str) -> str:
    return model_name(scores.provenance[0]) if scores.provenance else default


def _shared(first: TraitScores, second: TraitScores) -> tuple[tuple[str, ...], tuple[str, ...], Coverage]:
    """The groups and traits that both have, in the order of the first."""
    used: dict[str, tuple[str, ...]] = {}
    dropped: dict[str, dict[str, str]] = {}
    for kind in ("groups", "traits"):
        one, two = getattr(first, kind), getattr(second, kind)
        used[kind] = tuple(name for name in one if name in two)
        if not used[kind]:
            raise InputError(
                f"the two models have no {kind} in common: {join_words(one, most=4)}; "
                f"{join_words(two, most=4)}.",
                hint="compare scores of the same groups and traits.",
            )
        dropped[kind] = {name: "not scored by the second model" for name in one if name not in two}
        dropped[kind] |= {name: "not scored by the first model" for name in two if name not in one}
    coverage = Coverage(policy="drop", used=used, dropped=dropped, respelled={})
    return used["groups"], used["traits"], coverage


def _cells(scores: TraitScores, groups: tuple[str, ...], traits: tuple[str, ...]) -> Floats:
    rows = [scores.groups.index(group) for group in groups]
    columns = [scores.traits.index(trait) for trait in traits]
    return np.asarray(scores.scores[np.ix_(rows, columns)], dtype=np.float64)


def _standardised(cells: Floats) -> Any:
    """Scores in standard deviations of all cells, 0 where there is none."""
    z = (cells - np.nanmean(cells)) / np.nanstd(cells, ddof=1)
    return read_only(np.where(np.isnan(z), 0.0, z))


def _interval(
    x: Floats, y: Floats, resamples: int, level: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    if not resamples or len(x) < 2:
        return None
    taus = weighted_taus(row_pair_sums(x, y), resampled_weights(len(x), resamples, rng))
    taus = taus[~np.isnan(taus)]
    return percentile_interval(taus, level) if taus.size else None


def _exchanges(x: Floats, y: Floats, permutations: int, rng: np.random.Generator) -> dict[str, TraitExchange]:
    whole = ~np.isnan(x).any(axis=1)
    if not permutations or whole.sum() < 3 or x.shape[1] < 3:
        return {}
    found = {}
    for name, one, two in (("groups", x[whole], y[whole]), ("traits", x[whole].T, y[whole].T)):
        orders = np.array([np.arange(len(one)), *(rng.permutation(len(one)) for _ in range(permutations))])
        taus = exchanged_taus(one, two, orders)
        if np.isnan(taus).any():
            return {}
        found[name] = TraitExchange(
            pvalue=two_sided(float(taus[0]), taus[1:]),
            tau=float(taus[0]),
            expected_tau=float(taus[1:].mean()),
            permutations=permutations,
        )
    return found
