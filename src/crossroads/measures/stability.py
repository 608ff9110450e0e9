"""How far an effect size depends on the stimuli that happened to be chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import DesignError, EvidenceError
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, cosines, effect_size, rounding_error
from crossroads.inference.bootstrap import generator, percentile_interval, resampled_weights, weighted_effects
from crossroads.inference.options import share, whole
from crossroads.measures.gathering import Gathered, check_inputs, gather
from crossroads.measures.weat import check_ddof
from crossroads.results import Result, read_only
from crossroads.stimuli import Design

_AT_A_TIME = 500


@dataclass(frozen=True, kw_only=True, eq=False)
class BootstrapResult(Result):
    """Confidence interval of an effect size over the choice of stimuli."""

    design: str
    """Name of the design."""
    effect_size: float
    """The effect size of the stimuli as given."""
    low: float
    """Lower end of the interval."""
    high: float
    """Upper end of the interval."""
    level: float
    """Share of resamples inside the interval."""
    resamples: int
    """Number of resamples."""
    undefined: int
    """Resamples without an effect size, because every stimulus drawn had the same association."""
    effect_sizes: NDArray[np.float64]
    """Effect size of each resample that has one."""

    def rows(self) -> list[dict[str, Any]]:
        """One row: the effect size and its interval."""
        keys = ("design", "effect_size", "low", "high", "level", "resamples", "undefined")
        return [{key: getattr(self, key) for key in keys}]


@dataclass(frozen=True, kw_only=True, eq=False)
class InfluenceResult(Result):
    """Effect size without each stimulus in turn."""

    design: str
    """Name of the design."""
    effect_size: float
    """The effect size of all stimuli."""
    without: Mapping[str, Mapping[str, float]]
    """The effect size that is left when a stimulus is taken out, by set and stimulus."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What each set stands for; empty in results that were saved before this was kept."""

    @property
    def span(self) -> tuple[float, float]:
        """Smallest and largest effect size that taking out one stimulus can give."""
        values = [d for words in self.without.values() for d in words.values()]
        return min(values), max(values)

    def rows(self) -> list[dict[str, Any]]:
        """One row a stimulus, the most influential first."""
        rows = [
            {"set": name, "word": word, "without": d, "change": d - self.effect_size}
            for name, words in self.without.items()
            for word, d in words.items()
        ]
        return sorted(rows, key=lambda row: -abs(float(str(row["change"]))))


def bootstrap(
    emb: Embeddings,
    design: Design,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    ddof: int = 1,
    seed: int = 0,
    missing: str = "raise",
) -> BootstrapResult:
    """Confidence interval of the WEAT effect size, from drawing the stimuli of all four sets anew.

    The p-value of the test takes the attributes as given and asks about the labels of the targets. The
    interval asks another question: how much would the effect size vary if other words had been chosen for
    all four sets? It is a percentile interval, and narrow sets make it a rough one.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.measures.weat.weat`.
    resamples
        How often to draw.
    level
        Share of resamples inside the interval.
    seed
        Of the draws.
    """
    check_ddof(ddof)
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    found = _gathered(emb, design, missing)
    table = _table(found)
    n_x, n_a = len(found.words["x"]), len(found.words["a"])
    observed = _effect(table, n_x, n_a, ddof, emb.dim, f"of the design {design.name!r}")
    rng = generator(seed)
    drawn = []
    for start in range(0, resamples, _AT_A_TIME):
        size = min(_AT_A_TIME, resamples - start)
        weights = {name: resampled_weights(len(words), size, rng) for name, words in found.words.items()}
        s = weights["a"] @ table[:, :n_a].T - weights["b"] @ table[:, n_a:].T
        drawn.append(weighted_effects(s[:, :n_x], s[:, n_x:], weights["x"], weights["y"], ddof=ddof))
    effects = np.concatenate(drawn)
    defined = effects[np.isfinite(effects)]
    if defined.size == 0:
        raise EvidenceError(
            f"none of {resamples} resamples of the design {design.name!r} has an effect size.",
            hint="draw more resamples.",
        )
    low, high = percentile_interval(defined, level)
    return BootstrapResult(
        design=design.name,
        effect_size=observed,
        low=low,
        high=high,
        level=level,
        resamples=resamples,
        undefined=int(effects.size - defined.size),
        effect_sizes=read_only(defined),
        coverage=found.coverage,
        conventions={
            "measure": "bootstrap",
            "ddof": ddof,
            "interval": "percentile",
            "seed": seed,
            "missing": missing,
            "fallback": ", ".join(emb.fallback) or "none",
        },
        provenance=(emb.provenance,),
    )


def influence(emb: Embeddings, design: Design, *, ddof: int = 1, missing: str = "raise") -> InfluenceResult:
    """Effect size of the WEAT without each stimulus of each set in turn.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.measures.weat.weat`. A set must keep at least one stimulus.
    """
    check_ddof(ddof)
    found = _gathered(emb, design, missing)
    table = _table(found)
    sizes = {name: len(words) for name, words in found.words.items()}
    whole = _effect(table, sizes["x"], sizes["a"], ddof, emb.dim, f"of the design {design.name!r}")
    without: dict[str, dict[str, float]] = {}
    for name, words in found.words.items():
        axis, offset = (
            (0, 0 if name == "x" else sizes["x"]) if name in "xy" else (1, 0 if name == "a" else sizes["a"])
        )
        n_x, n_a = sizes["x"] - (name == "x"), sizes["a"] - (name == "a")
        without[name] = {
            word: _effect(
                np.delete(table, offset + i, axis=axis), n_x, n_a, ddof, emb.dim, f"without {word!r}"
            )
            for i, word in enumerate(words)
        }
    return InfluenceResult(
        design=design.name,
        effect_size=whole,
        without=without,
        titles={name: words.name for name, words in design.sets.items()},
        coverage=found.coverage,
        conventions={
            "measure": "influence",
            "ddof": ddof,
            "missing": missing,
            "fallback": ", ".join(emb.fallback) or "none",
        },
        provenance=(emb.provenance,),
    )


def _gathered(emb: Embeddings, design: Design, missing: str) -> Gathered:
    check_inputs(design, emb)
    if design.y is None:
        raise DesignError(f"the design {design.name!r} has a single target.", hint="give y as well.")
    return gather(emb, design.sets, missing=missing, least=dict.fromkeys("xyab", 2), design=design.name)


def _table(found: Gathered) -> Floats:
    """Cosines of all targets with all attributes."""
    v = found.vectors
    return cosines(np.concatenate([v["x"], v["y"]]), np.concatenate([v["a"], v["b"]]))


def _effect(table: Floats, n_x: int, n_a: int, ddof: int, dim: int, where: str) -> float:
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    if float(s.max() - s.min()) <= 2 * rounding_error(dim):
        raise EvidenceError(
            f"every association {where} equals {float(s[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return effect_size(s[:n_x], s[n_x:], ddof=ddof)
