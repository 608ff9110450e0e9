"""ML-EAT, the multilevel embedding association test (Wolfe, Hiniker & Howe 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from crossroads.errors import DesignError
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, cosines
from crossroads.inference.bootstrap import generator, resampled_weights, weighted_effects
from crossroads.inference.options import whole
from crossroads.inference.permutation import MAX_WORK
from crossroads.measures.gathering import Gathered, check_inputs, gather
from crossroads.measures.overlaps import warn_about_sharing
from crossroads.measures.patterns import ALPHA, LEAST_EFFECT, PATTERNS, check_rule, lean, pattern_of
from crossroads.measures.weat import WeatResult, check_ddof, run_test
from crossroads.results import Result
from crossroads.stimuli import Design

_RESAMPLES_AT_A_TIME = 250


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """Level 3: how similar a target and an attribute are, whatever the other two sets do."""

    mean: float
    """Mean cosine over all pairs of a target and an attribute stimulus."""
    sd: float
    """Standard deviation of those cosines."""
    pairs: int
    """Number of pairs."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MleatResult(Result):
    """Three levels of association, from the differential test down to plain similarities."""

    design: str
    """Name of the design."""
    level1: WeatResult
    """The differential test: the WEAT."""
    level2: Mapping[str, WeatResult]
    """Each target alone against the two attributes; keys ``x`` and ``y``."""
    level3: Mapping[str, Similarity]
    """Each target with each attribute; keys ``ax``, ``bx``, ``ay``, ``by``."""
    pattern: str
    """Which of the nine outcomes it is."""
    pattern_shares: Mapping[str, float]
    """Share of bootstrap resamples of the stimuli that show each outcome: how settled the pattern is."""
    titles: Mapping[str, str]
    """What the four sets stand for."""

    def rows(self) -> list[dict[str, Any]]:
        """One row: all three levels and the pattern."""
        row: dict[str, Any] = {
            "design": self.design,
            "effect_size": self.level1.effect_size,
            "pvalue": self.level1.pvalue,
            "method": self.level1.method,
        }
        for key, level in self.level2.items():
            row[f"effect_size_{key}"] = level.effect_size
            row[f"pvalue_{key}"] = level.pvalue
        for key, cell in self.level3.items():
            row[f"mean_{key}"] = cell.mean
            row[f"sd_{key}"] = cell.sd
        row["pattern"] = self.pattern
        row["pattern_share"] = self.pattern_shares.get(self.pattern)
        return [row]


def mleat(
    emb: Embeddings,
    design: Design,
    *,
    alternative: str = "observed",
    ddof: int = 1,
    ties: str = "weak",
    method: str = "auto",
    seed: int = 0,
    missing: str = "raise",
    max_work: float = MAX_WORK,
    alpha: float = ALPHA,
    least_effect: float = LEAST_EFFECT,
    resamples: int = 1000,
) -> MleatResult:
    r"""Measure an association at three levels and name its pattern.

    Level 1 is the WEAT. Level 2 asks of each target T alone whether it is closer to A or to B,

    .. math::
        d_T = \frac{\operatorname{mean}_{a \in A} u(T, a) - \operatorname{mean}_{b \in B} u(T, b)}
                   {\operatorname{sd}_{c \in A \cup B} u(T, c)}, \qquad
        u(T, c) = \operatorname{mean}_{t \in T} \cos(t, c),

    permuting the attributes. Level 3 gives the mean and standard deviation of the cosines of each target
    with each attribute. The two Level 2 tests decide which of nine patterns it is.

    Parameters
    ----------
    emb, design, ddof, ties, method, seed, missing, max_work
        As in :func:`~crossroads.measures.weat.weat`; ``ddof`` holds for all three levels.
    alternative
        ``"observed"``, the tail on the observed side, is what the paper's tables star; it is chosen after
        the fact, so its true level is twice the nominal one. ``"two-sided"`` is the calibrated choice.
    alpha, least_effect
        What a Level 2 test must show for its target to lean to an attribute.
    resamples
        Bootstrap resamples of all four sets behind ``pattern_shares``; 0 for none. Inside a resample the
        Level 2 p-value is that of the fitted normal curve, the rule behind the paper's own stars.

    Notes
    -----
    *Departures:* the paper stars by a normal curve fitted to the permutation distribution
    (``method="normal"``); we count divisions. Its text prints the p-value rule the wrong way round.

    References
    ----------
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966
    """
    check_inputs(design, emb)
    if design.y is None:
        raise DesignError(
            f"the design {design.name!r} has a single target.",
            hint="the ML-EAT compares two; give y, or use weat() for a single-target test.",
        )
    check_ddof(ddof)
    check_rule(alpha, least_effect)
    whole("resamples", resamples, hint="give 0 for none; 1,000 is usual.")
    warn_about_sharing(design)
    found = gather(emb, design.sets, missing=missing, least=dict.fromkeys("xyab", 2), design=design.name)
    options: dict[str, Any] = {
        "alternative": alternative,
        "ddof": ddof,
        "ties": ties,
        "method": method,
        "seed": seed,
        "max_work": max_work,
    }
    titles = {name: words.name for name, words in design.sets.items()}
    level1 = run_test(found, emb, design=design.name, digest=design.digest, titles=titles, **options)
    level2 = {
        name: run_test(
            _single(found, name),
            emb,
            design=f"{design.name} ({name})",
            digest=design.digest,
            titles={**titles, "x": titles[name]},
            **options,
        )
        for name in ("x", "y")
    }
    table = {
        f"{attribute}{target}": cosines(found.vectors[target], found.vectors[attribute])
        for target in ("x", "y")
        for attribute in ("a", "b")
    }
    leanings = {
        name: lean(level.effect_size, level.pvalue, least_effect=least_effect, alpha=alpha)
        for name, level in level2.items()
    }
    return MleatResult(
        design=design.name,
        level1=level1,
        level2=level2,
        level3={
            key: Similarity(mean=float(c.mean()), sd=float(c.std(ddof=ddof)), pairs=c.size)
            for key, c in table.items()
        },
        pattern=pattern_of(leanings["x"], leanings["y"]),
        pattern_shares=_shares(table, resamples, seed, ddof, alternative, least_effect, alpha),
        titles=titles,
        coverage=found.coverage,
        conventions={
            **level1.conventions,
            "measure": "mleat",
            "association": "Level 1: difference of mean cosines; Level 2: mean cosine; Level 3: cosine",
            "alpha": alpha,
            "least_effect": least_effect,
            "resamples": resamples,
        },
        provenance=(emb.provenance,),
    )


def _single(found: Gathered, target: str) -> Gathered:
    """One target with both attributes, as a single-target test takes it."""
    names = {"x": target, "a": "a", "b": "b"}
    return Gathered(
        vectors={name: found.vectors[source] for name, source in names.items()},
        words={name: found.words[source] for name, source in names.items()},
        coverage=found.coverage,
    )


def _shares(
    table: Mapping[str, Floats],
    resamples: int,
    seed: int,
    ddof: int,
    alternative: str,
    least_effect: float,
    alpha: float,
) -> dict[str, float]:
    """How often each pattern comes out when the stimuli of all four sets are drawn anew."""
    if resamples == 0:
        return {}
    rng = generator(seed)
    counts = dict.fromkeys(PATTERNS, 0)
    n_a, n_b = table["ax"].shape[1], table["bx"].shape[1]
    # the smallest |z| that the fitted normal curve calls significant, as an effect size
    tail = alpha / 2 if alternative == "two-sided" else alpha
    scale = np.sqrt((1 / n_a + 1 / n_b) * ((n_a + n_b - ddof) / (n_a + n_b - 1)))
    critical = max(-NormalDist().inv_cdf(tail) * float(scale), least_effect)
    for start in range(0, resamples, _RESAMPLES_AT_A_TIME):
        size = min(_RESAMPLES_AT_A_TIME, resamples - start)
        weights = {name: resampled_weights(n, size, rng) for name, n in _sizes(table).items()}
        leaning = {}
        for target in ("x", "y"):
            first, second = (weights[target] @ table[f"{c}{target}"] for c in ("a", "b"))
            d = weighted_effects(first, second, weights["a"], weights["b"], ddof=ddof)
            up = d > critical if alternative != "less" else np.zeros(size, bool)
            down = d < -critical if alternative != "greater" else np.zeros(size, bool)
            leaning[target] = np.where(up, "a", np.where(down, "b", ""))
        for x, y in zip(leaning["x"], leaning["y"], strict=True):
            counts[pattern_of(str(x) or None, str(y) or None)] += 1
    return {name: count / resamples for name, count in counts.items()}


def _sizes(table: Mapping[str, Floats]) -> dict[str, int]:
    (n_x, n_a), (n_y, n_b) = table["ax"].shape, table["by"].shape
    return {"x": n_x, "y": n_y, "a": n_a, "b": n_b}
