"""The levels of the ML-EAT under the random effects of the CEAT: which target carries an association."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import one_of
from crossroads.evidence import Contexts
from crossroads.geometry import Floats, effect_size, rounding_error
from crossroads.inference.bootstrap import generator, percentile_interval
from crossroads.inference.options import whole
from crossroads.inference.permutation import ALTERNATIVES, permutation_test
from crossroads.inference.random_effects import combine
from crossroads.measures.ceat import VARIANCES
from crossroads.measures.context_sets import counts_of, design_contexts, sample_cosines
from crossroads.measures.contextual import (
    Stack,
    check_expected,
    check_spread,
    draw_contexts,
    expected_cosines,
)
from crossroads.measures.patterns import ALPHA, LEAST_EFFECT, PATTERNS, check_rule, lean, pattern_of
from crossroads.measures.weat import check_ddof
from crossroads.results import Result, read_only
from crossroads.stimuli import Design

_STIMULUS_WORK = 2e6  # beyond this a p-value over stimuli is bracketed, to within one per cent
_LEANS = {1: "a", -1: "b", 0: None}


@dataclass(frozen=True, kw_only=True)
class CombinedLevel:
    """An effect size combined over samples of contexts, beside that of the stimuli themselves."""

    effect_size: float
    """Combined effect size under random effects."""
    se: float
    """Its standard error over samples, which shrinks with their number by construction."""
    pvalue: float
    """Two-sided p-value of the combined effect size, as published: about more samples of the same words."""
    log10_pvalue: float
    """The same as a power of ten."""
    tau2: float
    """Variance between samples, beyond that within them."""
    i2: float
    """Share of the variation that is between samples."""
    prediction_interval: tuple[float, float]
    """Where the random-effects model expects 95 % of further samples; too narrow where the variance that
    weighs a sample is larger than samples really differ by, which leaves ``tau2`` at 0."""
    sample_interval: tuple[float, float]
    """Where the middle 95 % of the samples lie."""
    share_positive: float
    """Share of samples with a positive effect size."""
    stimulus_effect_size: float
    """Effect size of the expected cosines over all contexts."""
    stimulus_pvalue: float
    """p-value of exchanging labels on the expected cosines: those of the targets at Level 1, those of the
    attributes at Level 2. It does not depend on the number of samples."""
    stimulus_method: str
    """How that p-value was found."""


@dataclass(frozen=True, kw_only=True)
class CombinedSimilarity:
    """Level 3 over samples of contexts: how similar a target and an attribute are."""

    mean: float
    """Mean cosine over all pairs of a target and an attribute stimulus, combined under random effects."""
    se: float
    """Its standard error over samples."""
    sd: float
    """Standard deviation of the cosines inside a sample: the root of its mean square over samples."""
    tau2: float
    """Variance of the mean between samples, beyond that within them."""
    i2: float
    """Share of the variation that is between samples."""
    prediction_interval: tuple[float, float]
    """Where the random-effects model expects the mean of 95 % of further samples."""
    sample_interval: tuple[float, float]
    """Where the means of the middle 95 % of the samples lie."""
    expected: float
    """Mean cosine over all pairs and all their contexts, which needs no samples."""
    pairs: int
    """Number of pairs of stimuli in a sample."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MultilevelCeatResult(Result):
    """Three levels of association over contexts, and the patterns that samples show."""

    design: str
    """Name of the design."""
    level1: CombinedLevel
    """The differential test: the CEAT."""
    level2: Mapping[str, CombinedLevel]
    """Each target alone against the two attributes; keys ``x`` and ``y``."""
    level3: Mapping[str, CombinedSimilarity]
    """Each target with each attribute; keys ``ax``, ``bx``, ``ay``, ``by``."""
    pattern: str
    """Which of the nine outcomes it is, by the combined effect sizes and the p-values over stimuli."""
    published_pattern: str
    """The same by the p-values of the combined effect sizes, which are sure of almost anything."""
    pattern_shares: Mapping[str, float]
    """Share of samples that show each outcome: whether the pattern holds context by context."""
    titles: Mapping[str, str]
    """What the four sets stand for."""
    sample_effect_sizes: NDArray[np.float64]
    """Level 1 effect size of each sample."""
    sample_effect_sizes_x: NDArray[np.float64]
    """Level 2 effect size of the first target in each sample."""
    sample_effect_sizes_y: NDArray[np.float64]
    """Level 2 effect size of the second target in each sample."""
    contexts: Mapping[str, int]
    """Number of contexts of each stimulus."""

    def rows(self) -> list[dict[str, Any]]:
        """One row: all three levels and the patterns."""
        row: dict[str, Any] = {"design": self.design}
        for key, level in {"": self.level1, "_x": self.level2["x"], "_y": self.level2["y"]}.items():
            for name in ("effect_size", "pvalue", "tau2", "i2", "stimulus_effect_size", "stimulus_pvalue"):
                row[f"{name}{key}"] = getattr(level, name)
            row[f"prediction_low{key}"], row[f"prediction_high{key}"] = level.prediction_interval
        for key, cell in self.level3.items():
            row[f"mean_{key}"], row[f"sd_{key}"] = cell.mean, cell.sd
        row["pattern"], row["published_pattern"] = self.pattern, self.published_pattern
        row["pattern_share"] = self.pattern_shares[self.pattern]
        return [{**row, "samples": self.sample_effect_sizes.size}]


def multilevel_ceat(
    contexts: Contexts,
    design: Design,
    *,
    samples: int = 10_000,
    seed: int = 0,
    ddof: int = 1,
    variance: str = "paper",
    alternative: str = "two-sided",
    missing: str = "raise",
    alpha: float = ALPHA,
    least_effect: float = LEAST_EFFECT,
) -> MultilevelCeatResult:
    r"""Measure an association over contexts at the three levels of the ML-EAT.

    Each sample draws one context for every stimulus, and from their cosines come all levels at once: the
    effect size of the CEAT; for each target T alone

    .. math::
        d_T = \frac{\operatorname{mean}_{a \in A} u(T, a) - \operatorname{mean}_{b \in B} u(T, b)}
                   {\operatorname{sd}_{c \in A \cup B} u(T, c)}, \qquad
        u(T, c) = \operatorname{mean}_{t \in T} \cos(t, c);

    and mean and standard deviation of the cosines of each target with each attribute. Each is combined over
    samples under random effects, with its own variance between samples.

    Parameters
    ----------
    contexts, design, samples, seed, missing
        As in :func:`~crossroads.measures.ceat.ceat`, with which Level 1 shares its draws.
    ddof
        As in :func:`~crossroads.measures.weat.weat`; it holds for all three levels.
    variance
        Of Levels 1 and 2. ``"paper"``: :math:`V_i` is the square of the standard deviation in the
        denominator. ``"hedges"``: the sampling variance of an effect size. A mean of Level 3 has the variance
        of its cosines over the number of pairs.
    alternative
        Tail of the p-values over stimuli and of those inside a sample. The published-style p-values are
        two-sided throughout.
    alpha, least_effect
        What a Level 2 test must show for its target to lean to an attribute.

    Notes
    -----
    Wolfe, Hiniker and Howe (2024) name this extension of the ML-EAT as future work; no numbers are
    published. Inside a sample the Level 2 p-value is that of a normal curve fitted to the divisions of the
    attributes, the rule behind the stars of their tables. The pairs of Level 3 share words, so that its
    means vary more than pairs of their own would; the excess is part of ``tau2``.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). doi:10.1145/3461702.3462536
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966
    """
    one_of("variance", variance, VARIANCES)
    one_of("alternative", alternative, ALTERNATIVES)
    check_ddof(ddof)
    check_rule(alpha, least_effect)
    whole("samples", samples, least=3, hint="draw at least three; 10,000 is usual.")
    stacked, found = design_contexts(contexts, design, missing=missing, least=dict.fromkeys("xyab", 2))
    levels, cells = _sampled(stacked, draw_contexts(stacked.counts, samples, generator(seed)), ddof)
    expected = _expected(stacked)
    check_expected(expected["1"], contexts.dim, f"expected association of the design {design.name!r}")
    for key in "xy":
        check_expected(
            expected[key], contexts.dim, f"expected cosine with {key} of the design {design.name!r}"
        )
    settings: dict[str, Any] = {
        "ddof": ddof,
        "alternative": alternative,
        "error": rounding_error(contexts.dim),
    }
    n_x, n_y, n_a, n_b = stacked.sizes
    groups = {"1": (n_x, n_y), "x": (n_a, n_b), "y": (n_a, n_b)}
    combined = {
        key: _level(*levels[key], expected[key], sizes, variance, **settings) for key, sizes in groups.items()
    }
    similarities = {
        key: _similarity(*cells[key], float(expected[key].mean()), pairs)
        for key, pairs in zip(cells, (n_x * n_a, n_x * n_b, n_y * n_a, n_y * n_b), strict=True)
    }
    rule = {"least_effect": least_effect, "alpha": alpha}
    critical = _critical(n_a, n_b, ddof=ddof, alternative=alternative, **rule)
    return MultilevelCeatResult(
        design=design.name,
        level1=combined["1"],
        level2={key: combined[key] for key in "xy"},
        level3=similarities,
        pattern=_pattern(combined, "stimulus_pvalue", **rule),
        published_pattern=_pattern(combined, "pvalue", **rule),
        pattern_shares=_shares(levels["x"][0], levels["y"][0], critical, alternative),
        titles={name: words.name for name, words in design.sets.items()},
        sample_effect_sizes=read_only(levels["1"][0]),
        sample_effect_sizes_x=read_only(levels["x"][0]),
        sample_effect_sizes_y=read_only(levels["y"][0]),
        contexts=counts_of(stacked, found),
        coverage=found.coverage,
        conventions={
            "measure": "multilevel-ceat",
            "samples": samples,
            "seed": seed,
            "ddof": ddof,
            "variance": variance,
            "alternative": alternative,
            "alpha": alpha,
            "least_effect": least_effect,
            "missing": missing,
            "fallback": ", ".join(contexts.fallback) or "none",
        },
        provenance=(contexts.provenance,),
    )


Sampled = tuple[Floats, Floats]
"""An effect size and a variance for each sample."""


def _sampled(
    stacked: Stack, drawn: NDArray[np.int32], ddof: int
) -> tuple[dict[str, Sampled], dict[str, Sampled]]:
    """Effect sizes of Levels 1 and 2, means of Level 3, and the variances behind them, sample by sample."""
    n_x, n_y, n_a, _ = stacked.sizes
    samples = drawn.shape[1]
    levels = {key: (np.empty(samples), np.empty(samples)) for key in ("1", "x", "y")}
    cells = {key: (np.empty(samples), np.empty(samples)) for key in ("ax", "bx", "ay", "by")}
    for block, table in sample_cosines(stacked, drawn, n_x + n_y):
        s = table[:, :, :n_a].mean(axis=2) - table[:, :, n_a:].mean(axis=2)
        _effects(levels["1"], block, s, n_x, ddof)
        for key, part in (("x", table[:, :n_x]), ("y", table[:, n_x:])):
            _effects(levels[key], block, part.mean(axis=1), n_a, ddof)
            for name, cosines in ((f"a{key}", part[:, :, :n_a]), (f"b{key}", part[:, :, n_a:])):
                cells[name][0][block] = cosines.mean(axis=(1, 2))
                cells[name][1][block] = cosines.var(axis=(1, 2), ddof=ddof)
    for _, spread in (*levels.values(), *cells.values()):
        check_spread(spread, stacked)
    return levels, cells


def _effects(into: Sampled, block: slice, scores: Floats, n_first: int, ddof: int) -> None:
    spread = scores.var(axis=1, ddof=ddof)
    difference = scores[:, :n_first].mean(axis=1) - scores[:, n_first:].mean(axis=1)
    into[0][block] = difference / np.sqrt(np.where(spread > 0, spread, 1.0))
    into[1][block] = spread


def _expected(stacked: Stack) -> dict[str, Floats]:
    """What is permuted at each level, from expected cosines; and the expected cosines of each cell."""
    n_x, _, n_a, _ = stacked.sizes
    table = expected_cosines(stacked)
    found = {"1": table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)}
    for key, part in (("x", table[:n_x]), ("y", table[n_x:])):
        found[key] = part.mean(axis=0)
        found[f"a{key}"], found[f"b{key}"] = part[:, :n_a], part[:, n_a:]
    return found


def _level(
    effects: Floats,
    spreads: Floats,
    scores: Floats,
    sizes: tuple[int, int],
    variance: str,
    *,
    ddof: int,
    alternative: str,
    error: float,
) -> CombinedLevel:
    n, m = sizes
    textbook = (n + m) / (n * m) + effects**2 / (2 * (n + m))
    found = combine(effects, spreads if variance == "paper" else textbook)
    first, second = scores[:n], scores[n:]
    tested = permutation_test(
        first, second, alternative=alternative, score_error=error, max_work=_STIMULUS_WORK
    )
    return CombinedLevel(
        effect_size=found.effect_size,
        se=found.se,
        pvalue=found.pvalue,
        log10_pvalue=found.log10_pvalue,
        tau2=found.tau2,
        i2=found.i2,
        prediction_interval=found.prediction_interval,
        sample_interval=percentile_interval(effects, 0.95),
        share_positive=float((effects > 0).mean()),
        stimulus_effect_size=effect_size(first, second, ddof=ddof),
        stimulus_pvalue=tested.pvalue,
        stimulus_method=tested.method,
    )


def _similarity(means: Floats, spreads: Floats, expected: float, pairs: int) -> CombinedSimilarity:
    found = combine(means, spreads / pairs)
    return CombinedSimilarity(
        mean=found.effect_size,
        se=found.se,
        sd=float(np.sqrt(spreads.mean())),
        tau2=found.tau2,
        i2=found.i2,
        prediction_interval=found.prediction_interval,
        sample_interval=percentile_interval(means, 0.95),
        expected=expected,
        pairs=pairs,
    )


def _pattern(levels: Mapping[str, CombinedLevel], pvalue: str, *, least_effect: float, alpha: float) -> str:
    """The pattern of the combined effect sizes, by one of the two p-values."""
    x, y = (
        lean(levels[key].effect_size, getattr(levels[key], pvalue), least_effect=least_effect, alpha=alpha)
        for key in "xy"
    )
    return pattern_of(x, y)


def _critical(n_a: int, n_b: int, *, ddof: int, alternative: str, least_effect: float, alpha: float) -> float:
    """The smallest effect size that the normal curve fitted to the divisions calls significant."""
    tail = alpha / 2 if alternative == "two-sided" else alpha
    n = n_a + n_b
    scale = float(np.sqrt((1 / n_a + 1 / n_b) * ((n - ddof) / (n - 1))))
    return max(-NormalDist().inv_cdf(tail) * scale, least_effect)


def _shares(x: Floats, y: Floats, critical: float, alternative: str) -> dict[str, float]:
    """Share of samples that show each pattern."""
    up, down = alternative != "less", alternative != "greater"
    leanings = [(d > critical) * int(up) - (d < -critical) * int(down) for d in (x, y)]
    counts = dict.fromkeys(PATTERNS, 0.0)
    for first, one in _LEANS.items():
        for second, other in _LEANS.items():
            counts[pattern_of(one, other)] = float(((leanings[0] == first) & (leanings[1] == second)).mean())
    return counts
