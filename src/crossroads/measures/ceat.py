"""CEAT, the contextualized embedding association test (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import DesignError, EvidenceError, InputError, one_of
from crossroads.evidence import Contexts
from crossroads.geometry import Floats, effect_size
from crossroads.inference.bootstrap import generator
from crossroads.inference.random_effects import combine
from crossroads.measures.contextual import (
    Stack,
    draw_contexts,
    expected_associations,
    sample_associations,
    stack,
    stimulus_test,
)
from crossroads.measures.gathering import check_inputs, gather, warn_about_sharing
from crossroads.measures.weat import check_ddof
from crossroads.results import Result, read_only
from crossroads.stimuli import Design

VARIANCES = ("paper", "hedges")

_BLOCK = 256
_WORTH_COMPILING = 50_000_000
_STIMULUS_WORK = 2e6  # beyond this the p-value over stimuli is bracketed, to within one per cent


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
    """Where 95 % of further samples are expected."""
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
    if not isinstance(contexts, Contexts):
        raise InputError(
            f"the contexts are of type {type(contexts).__name__}.",
            hint="build them with cr.Contexts.from_dict({word: array, ...}).",
        )
    check_inputs(design)
    one_of("variance", variance, VARIANCES)
    check_ddof(ddof)
    if samples < 3:
        raise InputError(f"samples is {samples}.", hint="draw at least three; 10,000 is usual.")
    if design.y is None:
        raise DesignError(f"the design {design.name!r} has a single target.", hint="give y as well.")
    warn_about_sharing(design)
    # contexts are looked up by word, as vectors are: the same spelling rules, policies and errors
    found = gather(contexts.index, design.sets, missing=missing, least={"x": 2, "y": 2, "a": 1, "b": 1})
    stacked = stack(contexts, found.words)
    effects, spreads = _samples(stacked, samples, ddof, generator(seed))
    variances = spreads if variance == "paper" else _hedges(effects, stacked.sizes)
    combined = combine(effects, variances)
    s = expected_associations(stacked)
    n_x = stacked.sizes[0]
    tested = stimulus_test(contexts, stacked, s)
    words = [word for part in found.words.values() for word in part]
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
        contexts=dict(zip(words, stacked.counts.tolist(), strict=True)),
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


def _unit_rows(
    contexts: Contexts, found: Mapping[str, tuple[str, ...]]
) -> tuple[NDArray[Any], NDArray[np.int64], tuple[int, int, int, int]]:
    """Unit context vectors of the stimuli, stacked in the order x, y, a, b, and where each word begins."""
    kind: type[Any] = np.float64 if contexts.vectors.dtype == np.float64 else np.float32
    parts, counts = [], []
    for name in ("x", "y", "a", "b"):
        for word in found[name]:
            rows: NDArray[Any] = np.asarray(contexts[word], dtype=kind)
            lengths: NDArray[Any] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            if not (np.isfinite(lengths) & (lengths > 0)).all():
                raise EvidenceError(
                    f"a context of {word!r} is a zero vector or not finite.", hint="leave this context out."
                )
            parts.append(rows / lengths[:, None])
            counts.append(len(rows))
    sizes = (len(found["x"]), len(found["y"]), len(found["a"]), len(found["b"]))
    return np.concatenate(parts), np.concatenate([[0], np.cumsum(counts)]), sizes


def _samples(stacked: Stack, samples: int, ddof: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Effect size of each sample, and the variance of its associations."""
    s = sample_associations(stacked, draw_contexts(stacked.counts, samples, rng))
    n_x = stacked.sizes[0]
    spread = s.var(axis=1, ddof=ddof)
    if not (spread > 0).all():
        raise EvidenceError("a sample has equal associations throughout, so it has no effect size.")
    return (s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)) / np.sqrt(spread), spread


def contextual_associations(
    rows: NDArray[Any],
    drawn: NDArray[np.int64],
    n_targets: int,
    n_a: int,
    *,
    compiled: bool | None = None,
) -> Floats:
    """Association of each target in each sample.

    Parameters
    ----------
    rows
        Unit context vectors.
    drawn
        The row of each word, targets first, then A, then B; one row a sample.
    n_targets, n_a
        How many words are targets, and how many belong to A.
    compiled
        Whether to use the compiled kernel; by default where it is installed and worth loading.
    """
    s = np.empty((len(drawn), n_targets))
    for start in range(0, len(drawn), _BLOCK):
        block = drawn[start : start + _BLOCK]
        difference = _mean(rows, block[:, n_targets : n_targets + n_a])
        difference -= _mean(rows, block[:, n_targets + n_a :])
        for word in range(n_targets):
            s[start : start + len(block), word] = np.einsum("nd,nd->n", rows[block[:, word]], difference)
    return s


def draw(offsets: NDArray[np.int64], samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One row for every word in each sample, all contexts of a word alike."""
    counts = np.diff(offsets)
    return np.asarray(offsets[:-1] + (rng.random((samples, counts.size)) * counts).astype(np.int64))


def _mean(rows: NDArray[Any], picked: NDArray[np.int64]) -> NDArray[Any]:
    """Mean of the picked vectors of each sample, one word at a time."""
    total = rows[picked[:, 0]]
    for word in range(1, picked.shape[1]):
        total += rows[picked[:, word]]
    total /= picked.shape[1]
    return np.asarray(total)


def _expected(rows: NDArray[Any], offsets: NDArray[np.int64], sizes: tuple[int, int, int, int]) -> Floats:
    """Expected association of each target over all choices of contexts.

    Contexts are drawn independently, so the expected cosine of two words is the product of their mean unit
    vectors.
    """
    means = np.stack([rows[a:b].mean(axis=0, dtype=np.float64) for a, b in pairwise(offsets)])
    n_x, n_y, n_a, _ = sizes
    targets = n_x + n_y
    difference = means[targets : targets + n_a].mean(axis=0) - means[targets + n_a :].mean(axis=0)
    return np.asarray(means[:targets] @ difference)


def _hedges(effects: Floats, sizes: tuple[int, ...]) -> Floats:
    """Sampling variance of a standardised difference between two groups."""
    n_x, n_y = sizes[:2]
    return np.asarray((n_x + n_y) / (n_x * n_y) + effects**2 / (2 * (n_x + n_y)))
