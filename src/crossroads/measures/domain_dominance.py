"""Which of two domains the scores of a paired identity follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError
from crossroads.geometry import Floats
from crossroads.inference.bootstrap import generator, percentile_interval
from crossroads.inference.multiplicity import benjamini_hochberg
from crossroads.inference.options import number, seed_of, share, whole
from crossroads.measures.paired_identities import Pairs, PairScores, origin, pair_scores, row_taus
from crossroads.measures.score_files import Scores
from crossroads.results import Result

_TIE = 1e-12


@dataclass(frozen=True, kw_only=True)
class DomainPair:
    """Two domains, and which of them the scores of their paired groups follow."""

    domain1: str
    """One domain."""
    domain2: str
    """The other domain."""
    correlation1: float
    """Mean rank correlation of the pairs with their component in the first domain."""
    correlation2: float
    """Mean rank correlation of the pairs with their component in the second domain."""
    low: float
    """Lower end of the interval of the difference, from drawing the groups of both domains anew."""
    high: float
    """Upper end of the interval of the difference."""
    pvalue: float
    """Share of exchanges of the two components within pairs that give a difference as large, two-sided."""
    qvalue: float
    """The p-value adjusted for the number of domain pairs (Benjamini & Hochberg)."""
    pairs: int
    """Paired groups, both orders counted."""

    @property
    def difference(self) -> float:
        """First correlation less second."""
        return self.correlation1 - self.correlation2


@dataclass(frozen=True, kw_only=True, eq=False)
class DominanceResult(Result):
    """Which domains dominate which in the scores of paired identities."""

    domains: tuple[str, ...]
    """The domains."""
    table: tuple[DomainPair, ...]
    """Every pair of domains that has paired groups."""
    least: float
    """The difference from which on a domain dominates."""
    level: float
    """Share of resamples inside the intervals."""

    @property
    def matrix(self) -> Floats:
        """Differences by domain, positive where that of the row is followed; not a number if unknown."""
        place = {name: i for i, name in enumerate(self.domains)}
        out = np.full((len(place), len(place)), np.nan)
        for row in self.table:
            i, j = place[row.domain1], place[row.domain2]
            out[i, j], out[j, i] = row.difference, -row.difference
        return out

    @property
    def relations(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """For each domain those that it dominates, and those that it is dominated by."""
        differences = {(row.domain1, row.domain2): row.difference for row in self.table}
        return dominance_relations(differences, least=self.least)

    def rows(self) -> list[dict[str, Any]]:
        """One row a pair of domains."""
        return [
            {
                "domain1": row.domain1,
                "domain2": row.domain2,
                "correlation1": row.correlation1,
                "correlation2": row.correlation2,
                "difference": row.difference,
                "low": row.low,
                "high": row.high,
                "pvalue": row.pvalue,
                "qvalue": row.qvalue,
                "pairs": row.pairs,
                "dominant": _dominant(row.domain1, row.domain2, row.difference, self.least),
            }
            for row in self.table
        ]


def dominance_relations(
    differences: Mapping[tuple[str, str], float], *, least: float = 0.1
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Which domain dominates which, from the differences of mean correlations.

    Examples
    --------
    >>> dominance_relations({("age", "race"): 0.125, ("race", "religion"): 0.06})["race"]
    {'dominates': (), 'dominated by': ('age',)}
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {
        name: {"dominates": (), "dominated by": ()} for pair in differences for name in pair
    }
    for (one, two), difference in differences.items():
        winner = _dominant(one, two, difference, least)
        if winner is not None:
            loser = two if winner == one else one
            found[winner]["dominates"] += (loser,)
            found[loser]["dominated by"] += (winner,)
    return found


def _dominant(one: str, two: str, difference: float, least: float) -> str | None:
    if abs(difference) < least - _TIE:
        return None
    return one if difference > 0 else two


def domain_dominance(
    scores: Scores,
    pairs: Pairs = None,
    *,
    components: Scores | None = None,
    least: float = 0.1,
    level: float = 0.95,
    permutations: int = 9999,
    resamples: int = 2000,
    seed: int = 0,
    missing: str = "raise",
) -> DominanceResult:
    """Compare, for every two domains, how closely paired groups follow the component in either.

    A domain dominates another if the mean Kendall τ-b of the pairs with its component is larger by ``least``.
    Two further numbers say how sure that is, and answer different questions. The p-value exchanges the two
    components within pairs, both orders of a pair together: it asks whether *these pairs* lean to one side
    more than chance would have it, and takes pairs as independent although they share groups. The interval
    draws the groups of both domains anew: it asks whether *other groups* of the domains would lean the same
    way, and is rough where a domain has few (age and politics have two).

    Parameters
    ----------
    scores, pairs, components, level, resamples, seed, missing
        As in :func:`~crossroads.measures.order_sensitivity.order_sensitivity`. Pairs within a domain are not
        used.
    least
        The difference from which on a domain dominates.
    permutations
        How often to exchange; all exchanges are made where there are no more than this.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.2, Tables A8 and A9. doi:10.18653/v1/2022.naacl-main.92
    """
    number("least", least, least=0.0, hint="give a number that is not negative, such as 0.1.")
    for name, value in (("permutations", permutations), ("resamples", resamples)):
        whole(name, value, least=1, hint="draw at least one.")
    share("level", level)
    seed_of(seed)
    table = pair_scores(scores, pairs, components, missing=missing)
    cells = _cells(table)
    rng = generator(seed)
    rows = [_measured(cell, names, level, permutations, resamples, rng) for names, cell in cells.items()]
    adjusted = benjamini_hochberg([row["pvalue"] for row in rows])
    from_scores = origin(scores)
    return DominanceResult(
        domains=tuple(
            dict.fromkeys(d for pair in table.pairs for d in pair.domains if _crossing(pair.domains))
        ),
        table=tuple(DomainPair(**row, qvalue=float(q)) for row, q in zip(rows, adjusted, strict=True)),
        least=float(least),
        level=level,
        coverage=table.coverage,
        conventions={
            "measure": "domain_dominance",
            "scores": from_scores["scores"],
            "correlation": "Kendall tau-b",
            "exchange": "components within pairs, both orders together",
            "permutations": permutations,
            "interval": "percentile, groups of both domains drawn anew",
            "resamples": resamples,
            "seed": seed,
            "missing": missing,
        },
        provenance=from_scores["provenance"],
    )


@dataclass(frozen=True)
class _Cell:
    """The paired groups of two domains: correlations with either component, and which groups they are."""

    tau1: Floats
    tau2: Floats
    group1: tuple[str, ...]
    group2: tuple[str, ...]


def _crossing(domains: tuple[str, str]) -> bool:
    return domains[0] != domains[1]


def _cells(table: PairScores) -> dict[tuple[str, str], _Cell]:
    """The pairs by their two domains, with the component of the first domain first."""
    order = {name: i for i, name in enumerate(dict.fromkeys(d for pair in table.pairs for d in pair.domains))}
    if "" in order or len(order) < 2:
        raise InputError(
            "the pairs do not lie in two or more domains.",
            hint="give paired_groups(...), which knows the domain of every group.",
        )
    taus = row_taus(table.whole, table.first), row_taus(table.whole, table.second)
    found: dict[tuple[str, str], list[tuple[float, float, str, str]]] = {}
    for i, pair in enumerate(table.pairs):
        if not _crossing(pair.domains):
            continue
        a, b = (0, 1) if order[pair.domains[0]] < order[pair.domains[1]] else (1, 0)
        key = (pair.domains[a], pair.domains[b])
        row = (float(taus[a][i]), float(taus[b][i]), pair.components[a], pair.components[b])
        found.setdefault(key, []).append(row)
    if not found:
        raise InputError("every pair lies within one domain.", hint="give pairs of different domains.")
    return {
        key: _Cell(np.array([r[0] for r in rows]), np.array([r[1] for r in rows]),
                   tuple(r[2] for r in rows), tuple(r[3] for r in rows))
        for key, rows in sorted(found.items(), key=lambda item: [order[name] for name in item[0]])
    }  # fmt: skip


def _measured(
    cell: _Cell,
    names: tuple[str, str],
    level: float,
    permutations: int,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Any]:
    difference = cell.tau1 - cell.tau2
    low, high = percentile_interval(_resampled(cell, difference, resamples, rng), level)
    return {
        "domain1": names[0],
        "domain2": names[1],
        "correlation1": float(cell.tau1.mean()),
        "correlation2": float(cell.tau2.mean()),
        "low": low,
        "high": high,
        "pvalue": _exchanged(cell, difference, permutations, rng),
        "pairs": int(difference.size),
    }


def _resampled(cell: _Cell, values: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """The mean in each resample of the groups of either domain."""
    weights = np.ones((resamples, values.size))
    for members in (cell.group1, cell.group2):
        place = {name: i for i, name in enumerate(dict.fromkeys(members))}
        drawn = rng.multinomial(len(place), np.full(len(place), 1 / len(place)), size=resamples)
        weights *= drawn[:, [place[name] for name in members]]
    total = weights.sum(axis=1)
    kept = total > 0
    return np.asarray((weights[kept] @ values) / total[kept]) if kept.any() else values


def _exchanged(cell: _Cell, difference: Floats, permutations: int, rng: np.random.Generator) -> float:
    """Two-sided p-value of the sum of differences when the components of each pair are exchanged."""
    units = {two: i for i, two in enumerate(dict.fromkeys(zip(cell.group1, cell.group2, strict=True)))}
    sums = np.zeros(len(units))
    np.add.at(sums, [units[two] for two in zip(cell.group1, cell.group2, strict=True)], difference)
    reach = abs(float(sums.sum())) - _TIE * max(1, sums.size)
    if sums.size < 24 and 2**sums.size <= permutations:
        signs = 1.0 - 2.0 * ((np.arange(2**sums.size)[:, None] >> np.arange(sums.size)) & 1)
        return float((np.abs(signs @ sums) >= reach).mean())
    extreme = 0
    for start in range(0, permutations, 1000):
        size = min(1000, permutations - start)
        signs = _signs(rng, size, sums.size)
        extreme += int((np.abs(signs @ sums) >= reach).sum())
    return (extreme + 1) / (permutations + 1)


def _signs(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    return np.asarray(1.0 - 2.0 * rng.integers(0, 2, size=(rows, columns)), dtype=np.float64)
