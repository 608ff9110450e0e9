"""How far the effect size of a CEAT depends on the words chosen and the contexts found."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import EvidenceError, one_of
from crossroads.evidence import Contexts
from crossroads.geometry import Floats, effect_size
from crossroads.inference.bootstrap import generator, percentile_interval
from crossroads.inference.options import share, whole
from crossroads.measures.context_sets import design_contexts
from crossroads.measures.contextual import Stack, check_expected, expected_associations
from crossroads.measures.weat import check_ddof
from crossroads.results import Result, read_only
from crossroads.stimuli import Design

DRAWN = ("both", "words", "contexts")
INTERVALS = ("percentile", "bca")

_BLOCK_BYTES = 1 << 25


@dataclass(frozen=True, kw_only=True, eq=False)
class CeatBootstrapResult(Result):
    """Confidence interval of the stimulus-level effect size of a CEAT."""

    design: str
    """Name of the design."""
    effect_size: float
    """Effect size of the expected associations of the stimuli over all their contexts."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    level: float
    """Nominal coverage of the interval."""
    interval: str
    """Kind of interval: ``percentile`` or ``bca``."""
    drawn: str
    """What was drawn anew: ``words``, ``contexts`` or ``both``."""
    resamples: int
    """Number of resamples."""
    undefined: int
    """Resamples without an effect size, because every stimulus drawn had the same association."""
    effect_sizes: NDArray[np.float64]
    """Effect size of each resample that has one."""

    def rows(self) -> list[dict[str, Any]]:
        """One row: the effect size and its interval."""
        keys = (
            "design", "effect_size", "low", "high", "level", "interval", "drawn", "resamples", "undefined",
        )  # fmt: skip
        return [{key: getattr(self, key) for key in keys}]


def ceat_bootstrap(
    contexts: Contexts,
    design: Design,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    drawn: str = "both",
    interval: str = "percentile",
    ddof: int = 1,
    seed: int = 0,
    missing: str = "raise",
) -> CeatBootstrapResult:
    r"""Confidence interval of the stimulus-level effect size, from drawing words and contexts anew.

    The effect size is that of the expected associations :math:`s_w = \bar w \cdot (\operatorname{mean}_a
    \bar a - \operatorname{mean}_b \bar b)`, where :math:`\bar w` is the mean unit vector of a word over its
    contexts: the ``stimulus_effect_size`` of :func:`~crossroads.measures.ceat.ceat`. Each resample draws, in
    two stages, the words of all four sets with replacement and then, for every word drawn, as many of its
    contexts as it has.

    Parameters
    ----------
    contexts, design, missing
        As in :func:`~crossroads.measures.ceat.ceat`; every set needs two words.
    resamples
        How often to draw.
    level
        Nominal coverage.
    drawn
        ``"both"`` stages; ``"words"`` alone, with their contexts as they are; or ``"contexts"`` alone, which
        asks what other sentences with the same words would give.
    interval
        ``"percentile"``, or ``"bca"``: corrected for bias and for acceleration, the latter by leaving out
        one word at a time.
    ddof
        As in :func:`~crossroads.measures.weat.weat`.
    seed
        Of the draws.

    Notes
    -----
    The spread of observed word means already holds the noise of their contexts, so that ``"both"`` counts it
    twice: it errs on the wide side where contexts are few, and equals ``"words"`` where they are many
    (Davison & Hinkley 1997, section 3.8). Sets of eight words make a rough interval of any kind.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap Methods and their Application.
    doi:10.1017/CBO9780511802843
    """
    one_of("drawn", drawn, DRAWN)
    one_of("interval", interval, INTERVALS)
    check_ddof(ddof)
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    stacked, found = design_contexts(contexts, design, missing=missing, least=dict.fromkeys("xyab", 2))
    n_x = stacked.sizes[0]
    s = expected_associations(stacked)
    check_expected(s, contexts.dim, f"expected association of the design {design.name!r}")
    observed = effect_size(s[:n_x], s[n_x:], ddof=ddof)
    effects = _resampled(stacked, resamples, drawn, ddof, generator(seed))
    defined = effects[np.isfinite(effects)]
    if defined.size == 0:
        raise EvidenceError(
            f"none of {resamples} resamples of the design {design.name!r} has an effect size.",
            hint="draw more resamples.",
        )
    if interval == "bca":
        acceleration = 0.0 if drawn == "contexts" else _acceleration(stacked.means, stacked.sizes, ddof)
        low, high = bca_interval(defined, observed, acceleration, level)
    else:
        low, high = percentile_interval(defined, level)
    return CeatBootstrapResult(
        design=design.name,
        effect_size=observed,
        low=low,
        high=high,
        level=level,
        interval=interval,
        drawn=drawn,
        resamples=resamples,
        undefined=int(effects.size - defined.size),
        effect_sizes=read_only(defined),
        coverage=found.coverage,
        conventions={
            "measure": "ceat-bootstrap",
            "ddof": ddof,
            "interval": interval,
            "drawn": drawn,
            "seed": seed,
            "missing": missing,
            "fallback": ", ".join(contexts.fallback) or "none",
        },
        provenance=(contexts.provenance,),
    )


def bca_interval(effects: Floats, observed: float, acceleration: float, level: float) -> tuple[float, float]:
    """Interval of bootstrap values corrected for their bias and for acceleration (Efron 1987).

    Parameters
    ----------
    effects
        The value in each resample.
    observed
        The value in the sample itself.
    acceleration
        How fast the standard error changes with the value.
    level
        Nominal coverage.

    Examples
    --------
    >>> values = np.arange(1.0, 1000.0)
    >>> low, high = bca_interval(values, 500.0, 0.0, 0.9)  # no bias, no acceleration: percentiles
    >>> round(low, 1), round(high, 1)
    (50.9, 949.1)
    """
    normal = NormalDist()
    # half of the ties lie below; the share is kept off 0 and 1, where the correction would be infinite
    below = float((effects < observed).sum() + (effects == observed).sum() / 2) / effects.size
    shift = normal.inv_cdf(min(max(below, 0.5 / effects.size), 1 - 0.5 / effects.size))
    shares = []
    for z in (normal.inv_cdf((1 - level) / 2), normal.inv_cdf((1 + level) / 2)):
        moved = shift + z
        shares.append(normal.cdf(shift + moved / (1 - acceleration * moved)))
    low, high = np.quantile(effects, shares)
    return float(low), float(high)


def _associations(means: Floats, sizes: tuple[int, ...]) -> Floats:
    """Expected association of each target."""
    n_x, n_y, n_a, _ = sizes
    targets = n_x + n_y
    difference = means[targets : targets + n_a].mean(axis=0) - means[targets + n_a :].mean(axis=0)
    return np.asarray(means[:targets] @ difference)


def _resampled(stacked: Stack, resamples: int, drawn: str, ddof: int, rng: np.random.Generator) -> Floats:
    """Effect size of each resample, some at a time; not a number where it has none."""
    n_x, n_y, n_a, _ = stacked.sizes
    targets = n_x + n_y
    own = stacked.means.astype(stacked.rows.dtype)
    size = max(1, _BLOCK_BYTES // own.nbytes)
    found = []
    for start in range(0, resamples, size):
        words = _words(stacked.sizes, min(size, resamples - start), drawn, rng)
        vectors = own[words] if drawn == "words" else _resampled_means(stacked, words, rng)
        difference = vectors[:, targets : targets + n_a].mean(axis=1)
        difference -= vectors[:, targets + n_a :].mean(axis=1)
        s = np.einsum("rwd,rd->rw", vectors[:, :targets], difference).astype(np.float64)
        spread = s.std(axis=1, ddof=ddof)
        # where every target drawn is the same word, rounding is all that is left
        flat = spread <= 4 * np.finfo(stacked.rows.dtype).eps
        top = s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)
        found.append(np.where(flat, np.nan, top / np.where(flat, 1.0, spread)))
    return np.concatenate(found)


def _words(sizes: tuple[int, ...], resamples: int, drawn: str, rng: np.random.Generator) -> NDArray[np.int64]:
    """Which word stands at each place of each resample, set by set."""
    if drawn == "contexts":
        return np.broadcast_to(np.arange(sum(sizes)), (resamples, sum(sizes)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.concatenate(
        [start + rng.integers(0, n, (resamples, n)) for start, n in zip(starts, sizes, strict=True)], axis=1
    )


def _resampled_means(stacked: Stack, words: NDArray[np.int64], rng: np.random.Generator) -> NDArray[Any]:
    """Mean unit vector of each word drawn, over contexts that are drawn anew for each time it is drawn.

    A mean over drawn contexts is a row of shares times the contexts of the word, so that all resamples of a
    word are one product of matrices.
    """
    rows = stacked.rows
    vectors: NDArray[Any] = np.empty((*words.shape, rows.shape[1]), dtype=rows.dtype)
    for word, (start, n) in enumerate(zip(stacked.starts, stacked.counts, strict=True)):
        places = np.nonzero(words == word)
        times = places[0].size
        if times == 0:
            continue
        picks = rng.integers(0, n, (times, n)) + n * np.arange(times)[:, None]
        drawn = np.bincount(picks.ravel(), minlength=times * n).reshape(times, n)
        here = slice(start, start + n)
        vectors[places] = (drawn * (stacked.scale[here] / rows.dtype.type(n))).astype(rows.dtype) @ rows[here]
    return vectors


def _acceleration(means: Floats, sizes: tuple[int, ...], ddof: int) -> float:
    """Acceleration of an effect size over four samples of words, from leaving out each word in turn.

    With influence values l = (n - 1)(d - d without the word), weighted by the size n of the set:
    sum(l³ / n³) / 6 sum(l² / n²)^1.5 (Davison & Hinkley 1997, section 5.3).
    """
    cubes = squares = 0.0
    start = 0
    for place, n in enumerate(sizes):
        without = []
        for i in range(start, start + n):
            left = tuple(size - (k == place) for k, size in enumerate(sizes))
            s = _associations(np.delete(means, i, axis=0), left)
            without.append(effect_size(s[: left[0]], s[left[0] :], ddof=ddof))
        influence = (n - 1) * (np.mean(without) - np.array(without)) / n
        cubes += float((influence**3).sum())
        squares += float((influence**2).sum())
        start += n
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0
