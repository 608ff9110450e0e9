"""Which of two domains the scores of a paired identity follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from crossroads.core.errors import InputError, OnMissing
from crossroads.core.inference.crossed import half_width, tail_probability
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.multiplicity import benjamini_hochberg
from crossroads.core.inference.options import number, share
from crossroads.core.inference.unbalanced import sparse_mean
from crossroads.core.results import Conclusion, Row, Stat, Values, long_row, named, stat, under
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted
from crossroads.traits.measures.files import Scores
from crossroads.traits.pairs.identities import (
    SCORES,
    Pairs,
    PairScores,
    PairsResult,
    levels,
    pair_scores,
    row_taus,
)
from crossroads.traits.pairs.material import PairedGroup

_TIE = 1e-12
_PAIR = under(
    "pair", "domain1 domain2 correlation1 correlation2 difference low high p=pvalue p_bh=qvalue pairs"
)


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
    low: float | None
    """Lower end of the interval of the difference, had other groups of both domains been drawn; None where a
    domain has a single group, which cannot be resampled."""
    high: float | None
    """Upper end of the interval of the difference."""
    pvalue: float | None
    """How often domains of which neither dominates would differ at least as much, had other groups been
    drawn, two-sided; None where there is no interval."""
    qvalue: float | None
    """The p-value adjusted for the number of domain pairs (Benjamini & Hochberg)."""
    pairs: int
    """Paired groups, both orders counted."""

    @property
    def difference(self) -> float:
        """First correlation minus second."""
        return self.correlation1 - self.correlation2


_DIFFERENCE = (
    "mean rank correlation of pairs with their component in the first domain, minus that in the second"
)


def _tested(results: Sequence[Any]) -> str:
    tests = sum(pair.pvalue is not None for one in results for pair in one.domain_pairs)
    return f"{phrases.ADJUSTMENTS['bh'][1]} for {counted(tests, 'pair of domains', 'pairs of domains')}"


def dominance_name(measure: str, first: str, second: str) -> str:
    """Name of two domains in the scores of one measure, such as ``ilps age / race``."""
    return f"{measure} {first} / {second}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DominanceResult(PairsResult):
    """Which domains dominate which in the scores of paired identities."""

    _cites: ClassVar[tuple[str, ...]] = (
        *("cao2022theory", "kendall1945treatment", "judd2012treating", "cameron2011robust"),
        *("satterthwaite1946approximate", "benjamini1995controlling"),
    )
    _stem: ClassVar[str] = "dominance"
    _figure: ClassVar[str] = "dominance_matrix"
    _table_title: ClassVar[str] = "Dominance between domains"
    _file_names: ClassVar[str] = f"{_PAIR} dominant"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "dominance": under("pair", "difference low high p=pvalue p_bh=qvalue correlation1 correlation2")
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        SCORES,
        stat("domains"),
        Stat("difference", "pair.difference", {"head": "difference", "note": _DIFFERENCE}),
        stat("interval", "CI", levels("for other groups of both domains"), of="pair.low", kind="interval"),
        stat("p", note="groups of both domains drawn, two-sided", of="pair.pvalue"),
        stat("p_bh", "p (BH)", _tested, of="pair.qvalue", kind="p"),
    )

    domains: tuple[str, ...]
    """The domains."""
    domain_pairs: tuple[DomainPair, ...]
    """Every pair of domains that has paired groups."""
    least: float
    """Smallest difference at which a domain dominates another."""
    level: float
    """Level of the intervals."""

    @property
    def matrix(self) -> Floats:
        """Differences by domain, positive where pairs follow the domain of the row; NaN if unknown."""
        out = np.full((len(self.domains), len(self.domains)), np.nan)
        for row in self.domain_pairs:
            i, j = map(self.domains.index, (row.domain1, row.domain2))
            out[i, j], out[j, i] = row.difference, -row.difference
        return out

    @property
    def relations(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """For each domain, the domains that it dominates and those that dominate it.

        The difference is at least ``least``, and its interval leaves out 0.
        """
        return _related({(row.domain1, row.domain2): _dominant(row, self.least) for row in self.domain_pairs})

    @property
    def published_relations(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """The same by the published rule, which asks for the size of the difference alone."""
        differences = {(row.domain1, row.domain2): row.difference for row in self.domain_pairs}
        return dominance_relations(differences, least=self.least)

    def _members(self) -> Iterator[Mapping[str, Any]]:
        for pair in self.domain_pairs:
            domains, dominant = f"{pair.domain1} / {pair.domain2}", _dominant(pair, self.least)
            yield {"pair": pair, "domains": domains, "dominant": dominant}

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for row in self.domain_pairs:
            first, second = row.domain1, row.domain2
            if (strong := _dominant(row, self.least)) is not None:
                weak = second if strong == first else first
                like = "pairs of identities score like their part in "
                yield Conclusion(
                    name=f"{name}, {first} / {second}",
                    status="holds",
                    statement=(like, strong, " more than in ", weak, ""),
                    subject=first,
                    rival=second,
                    poles=(second, first),
                    drawn="groups",
                )

    def _long_rows(self, name: str) -> Iterator[Row]:
        for pair in self.domain_pairs:
            test = self._pair_name(pair)
            ends = {"low": pair.low, "high": pair.high, "p": pair.pvalue, "p_bh": pair.qvalue}
            yield long_row("domain_dominance", test, "", "difference", pair.difference, n=pair.pairs, **ends)
            for domain, value in ((pair.domain1, pair.correlation1), (pair.domain2, pair.correlation2)):
                yield long_row("domain_dominance", test, domain, "correlation", value, n=pair.pairs)

    def _pair_name(self, pair: DomainPair) -> str:
        return dominance_name(self._measured, pair.domain1, pair.domain2)

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        for row in self._members():
            for kind, names in self._rule_names.items():
                yield self._pair_name(row["pair"]), kind, named(row, names)


def dominance_relations(
    differences: Mapping[tuple[str, str], float], *, least: float = 0.1
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Find which domain dominates which by the published rule, from the differences of mean correlations."""
    return _related({pair: _larger(*pair, value, least) for pair, value in differences.items()})


def _larger(one: str, two: str, difference: float, least: float) -> str | None:
    return None if abs(difference) < least - _TIE else one if difference > 0 else two


def _related(winners: Mapping[tuple[str, str], str | None]) -> dict[str, dict[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {
        name: {"dominates": (), "dominated by": ()} for pair in winners for name in pair
    }
    for pair, winner in winners.items():
        for loser in pair:
            if winner is not None and loser != winner:
                found[winner]["dominates"] += (loser,)
                found[loser]["dominated by"] += (winner,)
    return found


def _dominant(pair: DomainPair, least: float) -> str | None:
    """The domain that the pairs follow; None where the difference is small or its interval holds 0."""
    sure = pair.low is not None and pair.high is not None and (pair.low > 0 or pair.high < 0)
    return _larger(pair.domain1, pair.domain2, pair.difference, least) if sure else None


def domain_dominance(
    scores: Scores,
    pairs: Pairs = None,
    *,
    components: Scores | None = None,
    least: float = 0.1,
    level: float = 0.95,
    missing: OnMissing = "raise",
) -> DominanceResult:
    """Compare, for every two domains, how closely paired groups follow their component in each.

    A domain dominates another if the mean Kendall τ-b of the pairs with its component is larger by ``least``,
    as published, and if other groups of the two domains would show it too: the interval of the difference
    leaves out 0. The groups of both domains count as drawn: the variance of the mean is that over the groups
    of either, minus that of single pairs, which is in both; p and interval are of a t with Satterthwaite's
    degrees of freedom, and with one where a domain has two groups.

    Parameters
    ----------
    scores, pairs, components, missing
        As in :func:`~crossroads.pairs.order_sensitivity`. Pairs within a domain are not used.
    least, level
        Smallest difference at which a domain dominates another, and level of the intervals.

    Notes
    -----
    It holds for other groups of these domains, not for other domains; with two groups it is conservative.
    *Departures:* the published rule (``published_relations``) asks for the size of the difference alone.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.2, Tables A8 and A9. doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> pairs = cr.pairs.paired_groups(["woman", "man", "Black", "White"])
    >>> rng, traits = np.random.default_rng(1), [trait.name for trait in cr.catalog("abc-traits")]
    >>> names = ["woman", "man", "Black", "White", *(pair.name for pair in pairs)]
    >>> table = {name: dict(zip(traits, rng.normal(size=16), strict=True)) for name in names}
    >>> result = cr.pairs.domain_dominance(cr.traits.TraitScores.from_table(table), pairs)
    >>> [(row["domain1"], row["domain2"], round(row["difference"], 2)) for row in result._rows()]
    [('gender/sexuality', 'race/ethnicity', -0.12)]
    """
    number("least", least, least=0.0, hint="give a number that is not negative, such as 0.1.")
    share("level", level)
    table = pair_scores(scores, pairs, components, missing=missing)
    rows = [_measured(some, names, level) for names, some in _cells(table).items()]
    known = [row.pvalue for row in rows if row.pvalue is not None]
    adjusted = iter(benjamini_hochberg(known).tolist() if known else ())
    return DominanceResult(
        domains=tuple(dict.fromkeys(d for pair in _crossing(table) for d in pair.domains)),
        domain_pairs=tuple(
            row if row.pvalue is None else replace(row, qvalue=next(adjusted)) for row in rows
        ),
        least=float(least),
        level=level,
        **table.record(
            "domain_dominance",
            correlation="Kendall tau-b",
            interval="t, groups of both domains drawn",
            alternative="two-sided",
            missing=missing,
        ),
    )


_Row = tuple[float, float, str, str]
"""A paired group: correlations with either component, and which groups these are."""


def _crossing(table: PairScores) -> list[PairedGroup]:
    return [pair for pair in table.pairs if pair.domains[0] != pair.domains[1]]


def _cells(table: PairScores) -> dict[tuple[str, str], list[_Row]]:
    """The pairs by their two domains, with the component of the first domain first."""
    order = list(dict.fromkeys(domain for pair in table.pairs for domain in pair.domains))
    if "" in order or len(order) < 2:
        hint = "give cr.pairs.paired_groups(...), which knows the domain of every group."
        raise InputError("the pairs are not in two or more domains.", hint=hint)
    if not _crossing(table):
        raise InputError("every pair is within one domain.", hint="give pairs of different domains.")
    taus = row_taus(table.whole, table.first), row_taus(table.whole, table.second)
    cells: dict[tuple[str, str], list[_Row]] = {}
    for i, pair in enumerate(table.pairs):
        a, b = sorted((0, 1), key=lambda side: order.index(pair.domains[side]))
        if pair.domains[a] != pair.domains[b]:
            row = (float(taus[a][i]), float(taus[b][i]), pair.components[a], pair.components[b])
            cells.setdefault((pair.domains[a], pair.domains[b]), []).append(row)
    return dict(sorted(cells.items(), key=lambda item: [order.index(name) for name in item[0]]))


def _measured(rows: list[_Row], names: tuple[str, str], level: float) -> DomainPair:
    tau1, tau2, *groups = zip(*rows, strict=True)
    numbered = (np.array([list(dict.fromkeys(some)).index(name) for name in some]) for some in groups)
    found = sparse_mean(np.array(tau1) - np.array(tau2), *numbered)
    low = high = pvalue = None
    if found is not None and found.se > 0:
        half = float(half_width(found.se, found.df, level))
        low, high = found.mean - half, found.mean + half
        pvalue = float(tail_probability(found.mean / found.se, found.df, "two-sided"))
    return DomainPair(
        domain1=names[0],
        domain2=names[1],
        correlation1=float(np.mean(tau1)),
        correlation2=float(np.mean(tau2)),
        low=low,
        high=high,
        pvalue=pvalue,
        qvalue=None,
        pairs=len(rows),
    )
