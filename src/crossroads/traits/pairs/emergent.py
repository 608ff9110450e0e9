"""Traits that a paired identity has beyond both its components, also compared with those that people name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import InputError, OnMissing, one_of
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.multiplicity import benjamini_hochberg
from crossroads.core.inference.options import share
from crossroads.core.results import Conclusion, Row, Stat, long_row, read_only, stat
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted
from crossroads.traits.measures.files import Scores
from crossroads.traits.pairs.identities import SCORES, Pairs, PairScores, PairsResult, pair_scores

Side = Literal["above", "below"]
Direction = Literal[Side, "both"]
On = Literal["adjectives", "traits"]
Null = Literal["pooled", "none"]
Fit = Literal["identities", "scores"]


def _tested(results: Sequence[Any]) -> str:
    tests = sum(one.tests for one in results if one.qvalue.size)
    traits = counted(tests, "trait of a pair", "traits of pairs")
    return f"{phrases.ADJUSTMENTS['bh'][1]} for {traits}" if tests else ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EmergentResult(PairsResult):
    """Traits on which pairs score above both components or below both, the furthest first."""

    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory",)
    _stem: ClassVar[str] = "emergent"
    _figure: ClassVar[str] = "emergent_traits"
    _table_title: ClassVar[str] = "Traits of pairs beyond their components"
    _most_rows: ClassVar[int] = 10
    _file_names: ClassVar[str] = (
        "pair first second trait direction increase component_score score p qvalue emergent"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "emergent": "found=_found largest=_largest left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        SCORES,
        stat("pair"),
        stat("trait"),
        stat("side", of="direction"),
        stat("increase", note="beyond the closer of the two components"),
        stat("p_bh", "p (BH)", _tested, of="qvalue", kind="p"),
    )

    pairs: tuple[str, ...]
    """The pairs examined."""
    components: tuple[tuple[str, str], ...]
    """The two components of each."""
    traits: tuple[str, ...]
    """The traits examined."""
    pair_index: NDArray[np.int64]
    """For each association, the position of its pair."""
    trait_index: NDArray[np.int64]
    """For each association, the position of its trait."""
    above: NDArray[np.bool_]
    """Whether the pair scores above both components; else it scores below both."""
    increase: NDArray[np.float64]
    """How far beyond the closer component, always positive."""
    component_score: NDArray[np.float64]
    """Score of that component: the larger one above, the smaller one below."""
    pvalue: NDArray[np.float64]
    """Probability of a score as extreme if the pair were an ordinary one; empty with ``null="none"``."""
    qvalue: NDArray[np.float64]
    """The p-value adjusted for all pairs, traits and directions examined (Benjamini & Hochberg)."""
    fdr: float
    """The false-discovery rate up to which an association counts as emergent."""
    tests: int
    """Number of combinations of pair, trait and direction examined."""

    @property
    def emergent(self) -> NDArray[np.bool_]:
        """For each association, whether its q-value is at most the requested rate."""
        if not self.qvalue.size:
            return np.zeros(self.increase.size, dtype=bool)
        return np.asarray(self.qvalue <= self.fdr)

    @property
    def _found(self) -> float | None:
        return float(self.emergent.sum()) if self.qvalue.size else None

    @property
    def _largest(self) -> float | None:
        return float(self.increase.max()) if self.increase.size else None

    def _members(self) -> Iterator[Row]:
        yield from map(self._row, range(self.increase.size))

    def top(self, n: int = 50, *, direction: Side | None = None) -> list[dict[str, Any]]:
        """The rows of the ``n`` largest increases: above both components, below both, or either."""
        wanted = np.ones(self.increase.size, bool)
        if direction is not None:
            wanted = self.above == (one_of("direction", direction, Side) == "above")
        return list(map(self._row, np.flatnonzero(wanted)[:n].tolist()))

    def discoveries(self) -> list[dict[str, Any]]:
        """The rows that count as emergent."""
        return list(map(self._row, np.flatnonzero(self.emergent).tolist()))

    def _row(self, i: int) -> dict[str, Any]:
        pair, up, tested = int(self.pair_index[i]), bool(self.above[i]), self.pvalue.size > 0
        step, nearer = float(self.increase[i]), float(self.component_score[i])
        return {
            "pair": self.pairs[pair],
            **dict(zip(("first", "second"), self.components[pair], strict=True)),
            "trait": self.traits[int(self.trait_index[i])],
            "direction": "above" if up else "below",
            "increase": step,
            "component_score": nearer,
            "score": nearer + step if up else nearer - step,
            "p": float(self.pvalue[i]) if tested else None,
            "qvalue": float(self.qvalue[i]) if tested else None,
            "emergent": bool(self.qvalue[i] <= self.fdr) if tested else None,
        }

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        if not self.qvalue.size:
            return
        status: Literal["holds", "unknown"] = "unknown"
        said: tuple[str, ...]
        said = ("no trait was found on which a pair of identities goes beyond both its parts",)
        places = np.flatnonzero(self.emergent)
        if places.size:
            row = self._row(int(places[np.argmin(self.qvalue[places])]))
            many = f"; such traits: {places.size:,}" if places.size > 1 else ""
            score = f" score {row['direction']} both of their parts on "
            status, said = "holds", ("", row["pair"], score, row["trait"], many)
        subject = "traits that emerge in pairs"
        yield Conclusion(name=name, status=status, statement=said, subject=subject)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        for name, one in results.items():
            if one.qvalue.size:
                found = f"{int(one.emergent.sum())} of {one.tests:,} have an adjusted p-value of at most"
                yield f"{name.removesuffix(' emergent')}: {found} {one.fdr:g}."

    def _long_rows(self, name: str) -> Iterator[Row]:
        test = self._label
        for statistic in ("tests", "fdr"):
            yield long_row("emergent", test, "", statistic, getattr(self, statistic))
        if self.qvalue.size:
            yield long_row("emergent", test, "", "found", int(self.emergent.sum()), n=self.tests)
        for one in self._rows():
            part = f"{one['pair']}, {one['trait']}, {one['direction']}"
            p = {"p": one["p"], "p_bh": one["qvalue"]}
            yield long_row("emergent", test, part, "increase", one["increase"], **p)
            yield long_row("emergent", test, part, "component_score", one["component_score"])


def emergent(
    scores: Scores,
    pairs: Pairs = None,
    *,
    components: Scores | None = None,
    on: On = "adjectives",
    direction: Direction = "both",
    null: Null = "pooled",
    fit: Fit = "identities",
    fdr: float = 0.05,
    missing: OnMissing = "raise",
) -> EmergentResult:
    """Find the traits on which a pair of identities scores beyond both of its components.

    The increase is S(g, t) − max(S(g₁, t), S(g₂, t)) above, and min(S(g₁, t), S(g₂, t)) − S(g, t) below.
    Among thousands of combinations many are positive whatever the model learned, so that each comes with the
    probability that an *ordinary* pair is as extreme. An ordinary pair scores what its components contribute
    to pairs, plus a deviation like those of all other pairs
    (:func:`~crossroads.traits.pairs.emergent.ordinary_pvalues`).

    Parameters
    ----------
    scores, pairs, components, missing
        As in :func:`~crossroads.pairs.order_sensitivity`.
    on
        ``"adjectives"``, as published, or ``"traits"`` for the scores of opposite pairs of adjectives.
    direction
        ``"above"``, ``"below"`` or ``"both"``.
    null
        How deviations are distributed: ``"pooled"`` as those of all pairs and traits together, with an
        extrapolated tail; ``"none"`` for increases alone, as published.
    fit
        What the components contribute: ``"identities"``, an effect of each group on all its pairs, or
        ``"scores"``, a linear function of the components' own scores.
    fdr
        The rate up to which associations count as emergent.

    References
    ----------
    Cao, Y. T., et al. (2022), section 5.2 and Table A10. doi:10.18653/v1/2022.naacl-main.92

    Examples
    --------
    >>> import crossroads as cr
    >>> rows = {"blind": (0.1, -0.3), "woman": (0.3, -0.1), "blind woman": (0.9, -0.2)}
    >>> table = {name: dict(zip(("cold-warm", "poor-wealthy"), row)) for name, row in rows.items()}
    >>> scores = cr.traits.TraitScores.from_table(table)
    >>> found = cr.pairs.emergent(scores, {"blind woman": ("blind", "woman")}, on="traits", null="none")
    >>> [(row["pair"], row["trait"], round(row["increase"], 2)) for row in found.top(1)]
    [('blind woman', 'cold-warm', 0.6)]
    """
    one_of("on", on, On)
    one_of("direction", direction, Direction)
    if str(null) == "normal":
        raise InputError(
            "null is 'normal', which finds emergent traits where there are none if tails are heavy.",
            hint="use null='pooled', which takes the tails from the scores, or null='none'.",
        )
    one_of("null", null, Null)
    one_of("fit", fit, Fit)
    share("fdr", fdr, hint="give a rate between 0 and 1.")
    table = pair_scores(scores, pairs, components, missing=missing, adjectives=on == "adjectives")
    high, low = np.maximum(table.first, table.second), np.minimum(table.first, table.second)
    sides = {"above": (True,), "below": (False,), "both": (True, False)}[direction]
    increases = np.stack([table.whole - high if up else low - table.whole for up in sides])
    tested = null != "none"
    p = np.ones(increases.shape)
    if tested:
        tails = ordinary_pvalues(table, fit=fit)
        p = np.stack([tails[0 if up else 1] for up in sides])
        p[increases <= 0] = 1.0  # not beyond the components, whatever the deviation
    q = benjamini_hochberg(p.ravel()).reshape(p.shape)
    nearer = np.stack([high if up else low for up in sides])
    at = np.nonzero(increases > 0)
    side, pair, trait = at = tuple(one[np.argsort(-increases[at], kind="stable")] for one in at)
    return EmergentResult(
        pairs=tuple(one.name for one in table.pairs),
        components=table.components,
        traits=table.traits,
        pair_index=read_only(pair.astype(np.int64)),
        trait_index=read_only(trait.astype(np.int64)),
        above=read_only(np.array(sides, dtype=bool)[side]),
        increase=read_only(increases[at]),
        component_score=read_only(nearer[at]),
        pvalue=read_only(p[at] if tested else np.empty(0)),
        qvalue=read_only(q[at] if tested else np.empty(0)),
        fdr=fdr,
        tests=int(increases.size),
        **table.record("emergent", on=on, direction=direction, null=null, fit=fit, missing=missing),
    )


_TAIL, _SHARE, _FEWEST = 250, 0.1, 20
_RANK = 1e-9
_LEAST_FREEDOM = 3


def ordinary_pvalues(table: PairScores, *, fit: str) -> tuple[Floats, Floats]:
    """Compute the probability that an ordinary pair scores as high, and as low, for each pair and trait.

    With the fit ``"identities"``, each group has an effect on all its pairs, whatever it scores alone. With
    ``"scores"``, the larger and the smaller of the two components' own scores each have a slope.

    References
    ----------
    Hosking & Wallis (1987), for the fit of the tail, doi:10.1080/00401706.1987.10488243; Knijnenburg et al.
    (2009), for p-values below the reach of a permutation test, doi:10.1093/bioinformatics/btp211
    """
    deviations, _, usable = studentised(table, fit)
    upper, lower = (_pooled(side * deviations, usable) for side in (1.0, -1.0))
    return np.where(usable, upper, 1.0), np.where(usable, lower, 1.0)


def studentised(table: PairScores, fit: str) -> tuple[Floats, int, np.ndarray]:
    """Externally studentised residuals of each trait, their degrees of freedom, and which are defined."""
    n, traits = table.whole.shape
    if fit == "identities":
        member = np.zeros((n, len(table.groups)))
        member[np.arange(n)[:, None], np.stack(table.places, axis=1)] = 1.0
        basis = _basis(member)
        rank, (residuals, room) = basis.shape[1], _left_over(basis, table.whole)
        room = np.repeat(room[:, None], traits, axis=1)
    else:
        high, low = np.maximum(table.first, table.second), np.minimum(table.first, table.second)
        bases = [_basis(np.column_stack([np.ones(n), high[:, t], low[:, t]])) for t in range(traits)]
        parts = [_left_over(basis, table.whole[:, t]) for t, basis in enumerate(bases)]
        rank, (residuals, room) = min(3, n), (np.column_stack(one) for one in zip(*parts, strict=True))
    freedom = n - rank
    if freedom < _LEAST_FREEDOM:
        other = "fit='scores', " if fit == "identities" else ""
        raise InputError(
            f"{n} pairs leave {max(freedom, 0)} degrees of freedom next to {rank} effects of components.",
            hint=f"so few pairs cannot show what is ordinary; use {other}more pairs, or null='none'.",
        )
    usable = room > _RANK**0.5
    size = np.abs(table.whole).max(axis=0, keepdims=True)
    residuals = np.where(usable & (np.abs(residuals) > _RANK * size), residuals, 0.0)
    total = (residuals**2).sum(axis=0, keepdims=True)
    own = residuals**2 / np.where(usable, room, 1.0)
    rest = np.maximum(total - own, _RANK * total)  # of the other pairs
    scale = np.sqrt(rest * np.where(usable, room, 1.0) / (freedom - 1))
    return residuals / np.where(scale > 0, scale, 1.0), freedom - 1, usable


def _basis(columns: Floats) -> Floats:
    """Orthonormal directions that span the columns."""
    left, sizes, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(left[:, sizes > _RANK * sizes.max(initial=0.0)])


def _left_over(basis: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Residuals of values, and the share of each value that a fit leaves free."""
    return values - basis @ (basis.T @ values), 1.0 - (basis**2).sum(axis=1)


def _pooled(deviations: Floats, usable: np.ndarray) -> Floats:
    """Upper tail of each deviation among all: its rank, and beyond the largest of them a fitted tail."""
    values = deviations[usable]
    n = values.size
    ascending = np.sort(values)
    chance = (n - np.searchsorted(ascending, values, side="left")) / n
    k = min(_TAIL, int(n * _SHARE))
    if k >= _FEWEST:
        edge = ascending[n - k - 1]
        beyond = ascending[n - k :] - edge
        far = (values > edge) & (chance <= k / n)
        if beyond[-1] > 0:
            (shape, scale), over = _pareto(beyond), values[far] - edge
            light = shape < _RANK
            tail = np.exp(-over / scale) if light else (1 + shape * over / scale) ** (-1 / shape)
            chance[far] = k / n * tail
    out = np.ones(deviations.shape)
    out[usable] = chance
    return out


def _pareto(beyond: Floats) -> tuple[float, float]:
    """Shape and scale of a generalised Pareto tail, no lighter than exponential, by weighted moments."""
    k = beyond.size
    mean = float(beyond.mean())
    weighted = float((np.sort(beyond) * (k - np.arange(1, k + 1)) / (k - 1)).mean())
    spread = mean - 2 * weighted
    if spread <= 0:
        return 0.0, mean
    return max(0.0, 2 - mean / spread), 2 * mean * weighted / spread
