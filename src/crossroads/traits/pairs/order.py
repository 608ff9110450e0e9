"""Sensitivity of scores to the order in which two identities are named."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, OnMissing
from crossroads.core.inference.bootstrap import generator, percentile_interval
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import seed_of, share, whole
from crossroads.core.results import Conclusion, Row, Stat, long_row, named, numbers, read_only, stat
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


@dataclass(frozen=True, kw_only=True)
class MeanTau:
    """A mean rank correlation over pairs of identities."""

    mean: float
    """The mean."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end of its interval."""
    pairs: int
    """Number of correlations averaged."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OrderSensitivityResult(PairsResult):
    """Rank correlations of paired identities with their components, and of the two orders with each other."""

    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory", "kendall1945treatment", "efron1979bootstrap")
    _stem: ClassVar[str] = "order"
    _table_title: ClassVar[str] = "Order of two identities"
    _file_names: ClassVar[str] = "with tau low high pairs"
    _columns: ClassVar[tuple[Stat, ...]] = (
        SCORES,
        stat("with", "τ of pairs with"),
        stat("tau", "mean", "of the rank correlations of pairs"),
        stat("interval", "CI", levels("groups resampled"), of="low", kind="interval"),
        stat("pairs", kind="count", spare=1),
    )

    highest: MeanTau
    """Correlation with the component that correlates more; over all pairs."""
    first: MeanTau | None
    """Correlation with the first component; over pairs named in both orders. None where there are none."""
    second: MeanTau | None
    """Correlation with the second component; over the same pairs."""
    difference: MeanTau | None
    """Second minus first."""
    reversed: MeanTau | None
    """Correlation between the two orders of a pair."""
    level: float
    """Share of resamples inside the intervals."""
    pairs: tuple[str, ...]
    """Every pair."""
    components: tuple[tuple[str, str], ...]
    """Its first and second component."""
    tau_first: NDArray[np.float64]
    """Correlation of each pair with its first component."""
    tau_second: NDArray[np.float64]
    """Correlation of each pair with its second component."""
    reversals: tuple[tuple[str, str], ...]
    """The pairs named in both orders."""
    tau_reversed: NDArray[np.float64]
    """Correlation between the two orders of each of them."""

    def _members(self) -> Iterator[Row]:
        for name in ("first", "second", "difference", "highest", "reversed"):
            if (mean := getattr(self, name)) is not None:
                yield {"with": name, **named(mean, "tau=mean low high pairs")}

    def by_pair(self) -> list[dict[str, Any]]:
        """One row per pair."""
        names = ("pair", "first", "second", "tau_first", "tau_second")
        components, taus = zip(*self.components, strict=True), (self.tau_first, self.tau_second)
        columns = (self.pairs, *components, *(tau.tolist() for tau in taus))
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        if self.difference is None:
            return
        mean, low, high = self.difference.mean, self.difference.low, self.difference.high
        later, earlier = ("second", "first") if mean > 0 else ("first", "second")
        said = f"score more like the identity named {later} than like the one named {earlier}"
        yield Conclusion(
            name=name,
            status="unknown" if low <= 0 <= high else "holds",
            statement=(f"pairs of identities {said}",),
            subject="order of two identities",
            poles=("like the first", "like the second"),
            scale="difference of τ",
            drawn="groups",
            numbers=numbers(
                value=("difference/mean", mean), low=("difference/low", low), high=("difference/high", high)
            ),
        )

    def _long_rows(self, name: str) -> Iterator[Row]:
        measure, test = "order_sensitivity", self._label
        for one in self._rows():
            ends = {"low": one["low"], "high": one["high"], "n": one["pairs"]}
            yield long_row(measure, test, one["with"], "kendall_tau", one["tau"], **ends)
        yield long_row(measure, test, "", "level", self.level)
        for one in self.by_pair():
            for which in ("first", "second"):
                yield long_row(measure, test, f"{one['pair']}, {which}", "kendall_tau", one[f"tau_{which}"])
        for (pair, _), tau in zip(self.reversals, self.tau_reversed.tolist(), strict=True):
            yield long_row(measure, test, f"{pair}, reversed", "kendall_tau", tau)


def order_sensitivity(
    scores: Scores,
    pairs: Pairs = None,
    *,
    components: Scores | None = None,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    missing: OnMissing = "raise",
) -> OrderSensitivityResult:
    """Correlate the trait scores of pairs with those of their components and with those of the other order.

    The correlations are Kendall's τ-b over the traits. Pairs share groups, so that they are not independent:
    the intervals resample the groups, and a pair counts as often as both its groups were drawn together.

    Parameters
    ----------
    scores, components
        Trait scores of the pairs, under their singular, and of their components; ``components`` where those
        are not among ``scores``.
    pairs
        Paired groups, or a mapping of each pair's name to its two groups; None for those of the catalogue
        that are among the scores.
    level, resamples, seed
        Share of resamples inside the intervals, their number, and the seed.
    missing
        ``"raise"``, or ``"drop"`` to leave out requested pairs that were not scored.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.2. doi:10.18653/v1/2022.naacl-main.92

    Snijders, T. A. B., & Borgatti, S. P. (1999). Non-parametric standard errors and tests for
    network statistics. Connections 22(2), 161-170.

    Examples
    --------
    >>> import crossroads as cr
    >>> pairs = {"Black woman": ("Black", "woman"), "woman who is Black": ("woman", "Black")}
    >>> traits = ("cold-warm", "poor-wealthy", "dishonest-sincere")
    >>> rows = [(0.1, -0.5, 0.3), (0.6, -0.1, 0.4), (0.5, -0.4, 0.2), (0.1, -0.6, 0.3)]
    >>> table = {name: dict(zip(traits, row)) for name, row in zip(["Black", "woman", *pairs], rows)}
    >>> scores = cr.traits.TraitScores.from_table(table)
    >>> result = cr.pairs.order_sensitivity(scores, pairs)
    >>> round(result.first.mean, 2), round(result.second.mean, 2), round(result.reversed.mean, 2)
    (0.33, 1.0, 0.33)
    """
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    seed_of(seed)
    table = pair_scores(scores, pairs, components, missing=missing)
    tau_first, tau_second = row_taus(table.whole, table.first), row_taus(table.whole, table.second)
    place = {pair.components: i for i, pair in enumerate(table.pairs) if pair.ordered}
    twice = [(i, place[b, a]) for (a, b), i in place.items() if i < place.get((b, a), -1)]
    here, there = np.array(twice, dtype=np.intp).reshape(-1, 2).T  # pairs that are named in both orders
    tau_reversed = row_taus(table.whole[here], table.whole[there])
    both = np.sort(np.concatenate([here, there])).astype(np.intp)
    weights = group_weights(table, resamples, seed)

    def mean(values: Floats, rows: NDArray[np.intp]) -> MeanTau:
        counted = weights[:, rows]
        counted = counted[counted.sum(axis=1) > 0]  # resamples in which a pair was drawn
        if not len(counted):
            what = "no resample of the groups contains a pair, so there is no interval."
            raise InputError(what, hint="draw more resamples, or score more pairs.")
        low, high = percentile_interval((counted @ values) / counted.sum(axis=1), level)
        return MeanTau(mean=float(values.mean()), low=low, high=high, pairs=int(values.size))

    some = both.size > 0
    return OrderSensitivityResult(
        highest=mean(np.maximum(tau_first, tau_second), np.arange(len(table.pairs))),
        first=mean(tau_first[both], both) if some else None,
        second=mean(tau_second[both], both) if some else None,
        difference=mean((tau_second - tau_first)[both], both) if some else None,
        reversed=mean(tau_reversed, here) if some else None,
        level=level,
        pairs=tuple(pair.name for pair in table.pairs),
        components=table.components,
        tau_first=read_only(tau_first),
        tau_second=read_only(tau_second),
        reversals=tuple((table.pairs[i].name, table.pairs[j].name) for i, j in zip(here, there, strict=True)),
        tau_reversed=read_only(tau_reversed),
        **table.record(
            "order_sensitivity",
            correlation="Kendall tau-b",
            interval="percentile, groups resampled",
            resamples=resamples,
            seed=seed,
            missing=missing,
        ),
    )


def group_weights(table: PairScores, resamples: int, seed: int) -> Floats:
    """How often each pair counts in each resample of the groups: the product of its groups' draws."""
    n, (first, second) = len(table.groups), table.places
    drawn = generator(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    return np.asarray(drawn[:, first] * drawn[:, second], dtype=np.float64)
