"""Traits that a paired identity has beyond both its components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import one_of
from crossroads.geometry import Floats
from crossroads.inference.multiplicity import benjamini_hochberg
from crossroads.inference.options import share
from crossroads.measures.ordinary_pairs import ordinary_pvalues
from crossroads.measures.paired_identities import Pairs, origin, pair_scores
from crossroads.measures.score_files import Scores
from crossroads.results import Result, read_only

Indices = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class EmergentResult(Result):
    """Traits on which pairs score above both components or below both, the furthest first."""

    pairs: tuple[str, ...]
    """The pairs that were looked at."""
    components: tuple[tuple[str, str], ...]
    """The two components of each."""
    traits: tuple[str, ...]
    """The traits that were looked at."""
    pair_index: Indices
    """For each association, the position of its pair."""
    trait_index: Indices
    """For each association, the position of its trait."""
    above: NDArray[np.bool_]
    """Whether the pair scores above both components; else it scores below both."""
    increase: NDArray[np.float64]
    """How far beyond the nearer component, always positive."""
    component_score: NDArray[np.float64]
    """Score of that component: the larger one above, the smaller one below."""
    pvalue: NDArray[np.float64]
    """Chance of a score as far out if the pair were an ordinary one; empty where no null was asked for."""
    qvalue: NDArray[np.float64]
    """The p-value adjusted for all pairs, traits and directions looked at (Benjamini & Hochberg)."""
    fdr: float
    """The false-discovery rate up to which an association counts as emergent."""
    tests: int
    """How many combinations of pair, trait and direction were looked at."""

    @property
    def emergent(self) -> NDArray[np.bool_]:
        """For each association, whether its q-value is up to the wanted rate."""
        if not self.qvalue.size:
            return np.zeros(self.increase.size, dtype=bool)
        return np.asarray(self.qvalue <= self.fdr)

    def rows(self) -> list[dict[str, Any]]:
        """One row an association, the largest increase first."""
        return [self._row(i) for i in range(self.increase.size)]

    def top(self, n: int = 50, *, direction: str | None = None) -> list[dict[str, Any]]:
        """The rows of the largest increases.

        Parameters
        ----------
        n
            How many.
        direction
            ``"above"`` or ``"below"`` both components; None for either.
        """
        if direction is not None:
            one_of("direction", direction, ("above", "below"))
        wanted = (
            np.ones(self.increase.size, bool) if direction is None else self.above == (direction == "above")
        )
        return [self._row(int(i)) for i in np.flatnonzero(wanted)[:n]]

    def discoveries(self) -> list[dict[str, Any]]:
        """The rows that count as emergent."""
        return [self._row(int(i)) for i in np.flatnonzero(self.emergent)]

    def _row(self, i: int) -> dict[str, Any]:
        pair, up = int(self.pair_index[i]), bool(self.above[i])
        step, nearer = float(self.increase[i]), float(self.component_score[i])
        tested = self.pvalue.size > 0
        return {
            "pair": self.pairs[pair],
            "first": self.components[pair][0],
            "second": self.components[pair][1],
            "trait": self.traits[int(self.trait_index[i])],
            "direction": "above" if up else "below",
            "increase": step,
            "component_score": nearer,
            "score": nearer + step if up else nearer - step,
            "pvalue": float(self.pvalue[i]) if tested else None,
            "qvalue": float(self.qvalue[i]) if tested else None,
            "emergent": bool(self.qvalue[i] <= self.fdr) if tested else None,
        }


def emergent(
    scores: Scores,
    pairs: Pairs = None,
    *,
    components: Scores | None = None,
    on: str = "adjectives",
    direction: str = "both",
    null: str = "pooled",
    fit: str = "identities",
    fdr: float = 0.05,
    missing: str = "raise",
) -> EmergentResult:
    """Find the traits on which a pair of identities scores beyond both of its components.

    The increase is S(g, t) − max(S(g₁, t), S(g₂, t)) above, and min(S(g₁, t), S(g₂, t)) − S(g, t) below.
    Among thousands of combinations many are positive whatever the model learned, so that each comes with the
    chance that an *ordinary* pair is as far out. An ordinary pair scores what its components contribute to
    pairs, plus a deviation like those of all other pairs; see
    :func:`~crossroads.measures.ordinary_pairs.ordinary_pvalues` for what exactly is tested, and why
    deviations alone, exchanged between pairs, could never single one out.

    Parameters
    ----------
    scores, pairs, components, missing
        As in :func:`~crossroads.measures.order_sensitivity.order_sensitivity`.
    on
        ``"adjectives"``, as published, or ``"traits"`` for the scores of opposite pairs of adjectives.
    direction
        ``"above"``, ``"below"`` or ``"both"``.
    null
        How deviations are distributed: ``"pooled"`` as those of all pairs and traits together, with an
        extrapolated tail; ``"normal"``; ``"none"`` for increases alone, as published.
    fit
        What the components contribute: ``"identities"``, an effect of each group on all its pairs, or
        ``"scores"``, a linear function of the components' own scores.
    fdr
        The rate up to which associations count as emergent.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.2 and Table A10. doi:10.18653/v1/2022.naacl-main.92
    """
    one_of("on", on, ("adjectives", "traits"))
    one_of("direction", direction, ("above", "below", "both"))
    one_of("null", null, ("pooled", "normal", "none"))
    one_of("fit", fit, ("identities", "scores"))
    share("fdr", fdr, hint="give a rate between 0 and 1.")
    table = pair_scores(scores, pairs, components, missing=missing, adjectives=on == "adjectives")
    high, low = np.maximum(table.first, table.second), np.minimum(table.first, table.second)
    sides = {"above": (True,), "below": (False,), "both": (True, False)}[direction]
    increases = np.stack([table.whole - high if up else low - table.whole for up in sides])
    p = np.ones(increases.shape)
    if null != "none":
        tails = ordinary_pvalues(table, fit=fit, null=null)
        p = np.stack([tails[0 if up else 1] for up in sides])
        p[increases <= 0] = 1.0  # not beyond the components, whatever the deviation
    q = benjamini_hochberg(p.ravel()).reshape(p.shape)
    side, pair, trait = np.nonzero(increases > 0)
    order = np.argsort(-increases[side, pair, trait], kind="stable")
    side, pair, trait = side[order], pair[order], trait[order]
    nearer = np.stack([high if up else low for up in sides])
    tested = null != "none"
    from_scores = origin(scores)
    return EmergentResult(
        pairs=tuple(one.name for one in table.pairs),
        components=tuple(one.components for one in table.pairs),
        traits=table.traits,
        pair_index=read_only(pair.astype(np.int64)),
        trait_index=read_only(trait.astype(np.int64)),
        above=read_only(np.array(sides, dtype=bool)[side]),
        increase=read_only(increases[side, pair, trait]),
        component_score=read_only(nearer[side, pair, trait]),
        pvalue=read_only(_kept(p, side, pair, trait, tested)),
        qvalue=read_only(_kept(q, side, pair, trait, tested)),
        fdr=fdr,
        tests=int(increases.size),
        coverage=table.coverage,
        conventions={
            "measure": "emergent",
            "scores": from_scores["scores"],
            "on": on,
            "direction": direction,
            "null": null,
            "fit": fit,
            "missing": missing,
        },
        provenance=from_scores["provenance"],
    )


def _kept(values: Floats, side: Indices, pair: Indices, trait: Indices, tested: bool) -> Floats:
    return np.asarray(values[side, pair, trait] if tested else np.empty(0))
