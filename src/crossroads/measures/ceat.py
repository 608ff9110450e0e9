"""CEAT, the contextualized embedding association test (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import one_of
from crossroads.evidence import Contexts
from crossroads.geometry import Floats, effect_size
from crossroads.inference.bootstrap import generator
from crossroads.inference.options import whole
from crossroads.inference.random_effects import combine
from crossroads.measures.context_sets import counts_of, design_contexts
from crossroads.measures.contextual import (
    Stack,
    check_expected,
    check_spread,
    draw_contexts,
    expected_associations,
    expected_cosines,
    sample_associations,
    stimulus_test,
)
from crossroads.measures.weat import check_ddof
from crossroads.results import Result, read_only
from crossroads.stimuli import Design

VARIANCES = ("paper", "hedges")


@dataclass(frozen=True, kw_only=True, eq=False)
class CeatResult(Result):
    """A WEAT over contexts: one effect size for each random choice of a context a word, and their mean."""

    design: str
    """Name of the design."""
    effect_size: float
    """Combined effect size under random effects."""
    se: float
    """Its standard error over samples, which shrinks with their number by construction."""
    pvalue: float
    """Published two-sided p-value of the combined effect size. It asks whether more samples from the *same*
    stimuli and contexts would again have a mean other than 0, and says nothing about other stimuli."""
    log10_pvalue: float
    """The same as a power of ten."""
    tau2: float
    """Variance between samples, beyond that within them."""
    i2: float
    """Share of the variation that is between samples."""
    prediction_interval: tuple[float, float]
    """Where the random-effects model expects 95 % of further samples; too narrow where ``tau2`` is 0, that is
    where the variances within samples exceed all that lies between them."""
    share_positive: float
    """Share of samples with a positive effect size."""
    stimulus_effect_size: float
    """Effect size of the expected associations of the stimuli over all their contexts."""
    stimulus_pvalue: float
    """Two-sided p-value of exchanging the labels of the targets on these expected associations: does not
    depend on the number of samples, and is the one that speaks about the stimuli."""
    stimulus_method: str
    """How that p-value was found."""
    sample_effect_sizes: NDArray[np.float64]
    """Effect size of each sample."""
    sample_variances: NDArray[np.float64]
    """Variance that weighted each sample."""
    contexts: Mapping[str, int]
    """Number of contexts of each stimulus."""
    cosines: NDArray[np.float64] | None = None
    """Expected cosine of each target (rows: x, then y) with each attribute (columns: a, then b) over all
    contexts, in the order of ``coverage.used``: what a paired test of two models compares. None in files
    that were written before it was kept."""

    @property
    def associations(self) -> dict[str, float]:
        """Expected association of each target over all contexts; empty where cosines were not kept."""
        if self.cosines is None or self.coverage is None:
            return {}
        used, n_a = self.coverage.used, len(self.coverage.used["a"])
        s = self.cosines[:, :n_a].mean(axis=1) - self.cosines[:, n_a:].mean(axis=1)
        return dict(zip((*used["x"], *used["y"]), s.tolist(), strict=True))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`, also one that was written without cosines."""
        return super().from_dict({"cosines": None, **data})

    def rows(self) -> list[dict[str, Any]]:
        """One row: the combined effect size and both p-values."""
        keys = (
            "design", "effect_size", "se", "pvalue", "log10_pvalue", "tau2", "i2", "share_positive",
            "stimulus_effect_size", "stimulus_pvalue",
        )  # fmt: skip
        row = {key: getattr(self, key) for key in keys}
        row["prediction_low"], row["prediction_high"] = self.prediction_interval
        return [{**row, "samples": self.sample_effect_sizes.size}]


def ceat(
    contexts: Contexts,
    design: Design,
    *,
    samples: int = 10_000,
    seed: int = 0,
    ddof: int = 1,
    variance: str = "paper",
    missing: str = "raise",
) -> CeatResult:
    r"""Test an association in contextual vectors.

    Each sample draws one context for every stimulus and measures the WEAT effect size; samples are combined
    under random effects, :math:`CES = \sum v_i ES_i / \sum v_i` with :math:`v_i = 1 / (V_i + \tau^2)`.

    Parameters
    ----------
    contexts
        Context vectors of the stimuli.
    design
        Two targets and two attributes.
    samples
        How often to draw; the paper uses 10,000, its appendix 1,000.
    seed
        Of the draws.
    ddof
        As in :func:`~crossroads.measures.weat.weat`.
    variance
        ``"paper"``: :math:`V_i` is the variance of the associations of the targets, which is not the
        sampling variance of an effect size. ``"hedges"``: the textbook one.
    missing
        ``"raise"``, ``"drop"`` or ``"balance"`` stimuli without contexts.

    Notes
    -----
    *Departures:* the released code reports a one-sided p-value, the paper a two-sided one, as we do.
    ``stimulus_pvalue`` is ours, because on pure noise the published p is below .05 nearly always.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). Section 8.3. doi:10.1145/3461702.3462536
    """
    one_of("variance", variance, VARIANCES)
    check_ddof(ddof)
    whole("samples", samples, least=3, hint="draw at least three; 10,000 is usual.")
    stacked, found = design_contexts(
        contexts, design, missing=missing, least={"x": 2, "y": 2, "a": 1, "b": 1}
    )
    effects, spreads = _samples(stacked, samples, ddof, generator(seed))
    variances = spreads if variance == "paper" else _hedges(effects, stacked.sizes)
    combined = combine(effects, variances)
    s = expected_associations(stacked)
    check_expected(s, contexts.dim, f"expected association of the design {design.name!r}")
    n_x = stacked.sizes[0]
    tested = stimulus_test(contexts, stacked, s)
    return CeatResult(
        design=design.name,
        effect_size=combined.effect_size,
        se=combined.se,
        pvalue=combined.pvalue,
        log10_pvalue=combined.log10_pvalue,
        tau2=combined.tau2,
        i2=combined.i2,
        prediction_interval=combined.prediction_interval,
        share_positive=float((effects > 0).mean()),
        stimulus_effect_size=effect_size(s[:n_x], s[n_x:], ddof=ddof),
        stimulus_pvalue=tested.pvalue,
        stimulus_method=tested.method,
        sample_effect_sizes=read_only(effects),
        sample_variances=read_only(variances),
        contexts=counts_of(stacked, found),
        cosines=read_only(expected_cosines(stacked)),
        coverage=found.coverage,
        conventions={
            "measure": "ceat",
            "samples": samples,
            "seed": seed,
            "ddof": ddof,
            "variance": variance,
            "missing": missing,
            "fallback": ", ".join(contexts.fallback) or "none",
        },
        provenance=(contexts.provenance,),
    )


def _samples(stacked: Stack, samples: int, ddof: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Effect size of each sample, and the variance of its associations."""
    s = sample_associations(stacked, draw_contexts(stacked.counts, samples, rng))
    n_x = stacked.sizes[0]
    spread = s.var(axis=1, ddof=ddof)
    check_spread(spread, stacked)
    return (s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)) / np.sqrt(spread), spread


def _hedges(effects: Floats, sizes: tuple[int, ...]) -> Floats:
    """Sampling variance of a standardised difference between two groups."""
    n_x, n_y = sizes[:2]
    return np.asarray((n_x + n_y) / (n_x * n_y) + effects**2 / (2 * (n_x + n_y)))
