"""How far an effect size depends on the stimuli that happened to be chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import DesignError, EvidenceError
from crossroads.evidence import Embeddings
from crossroads.geometry import Floats, associations, cosines, effect_size, rounding_error
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

    Notes
    -----
    The work grows with the number of stimuli, not with its square. To take out a target changes two sums;
    to take out an attribute changes the vector d that every association is the product with, and the
    deviation of the associations of centred targets T is the length of T d, or of R d with T = Q R.
    """
    check_ddof(ddof)
    found = _gathered(emb, design, missing)
    targets = np.concatenate([found.vectors["x"], found.vectors["y"]])
    n_x = len(found.words["x"])
    s = associations(targets, found.vectors["a"], found.vectors["b"])
    least = 2 * rounding_error(emb.dim)
    whole = _defined(s, n_x, ddof, least, f"of the design {design.name!r}")
    effects = {
        **_without_targets(s, n_x, ddof, least, found.words),
        **_without_attributes(targets, n_x, ddof, least, found),
    }
    without = {
        name: dict(zip(words, effects[name].tolist(), strict=True)) for name, words in found.words.items()
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


def _without_targets(
    s: Floats, n_x: int, ddof: int, least: float, words: Mapping[str, tuple[str, ...]]
) -> dict[str, Floats]:
    """Effect sizes without each target in turn, out of the sums over all."""
    n, means = len(s), np.array([s[:n_x].mean(), s[n_x:].mean()])
    sizes = np.array([n_x, n - n_x])
    of = np.repeat([0, 1], sizes)  # the set of each target
    left = means[of] + (means[of] - s) / (sizes[of] - 1)  # mean of its set without it
    difference = np.where(of == 0, left - means[1], means[0] - left)
    centred = s - s.mean()
    squares = float(centred @ centred)
    rest = squares - centred**2 * (n / (n - 1))
    # a target with half of all squares, of which there are at most two, would cost the difference its digits
    again = (rest <= squares / 2) | (rest <= least**2 * n)
    effects = difference / np.sqrt(np.where(again, 1, rest) / (n - 1 - ddof))
    names = [*words["x"], *words["y"]]
    for i in np.flatnonzero(again):
        kept = np.delete(s, i)
        effects[i] = _defined(kept, n_x - int(i < n_x), ddof, least, f"without {names[i]!r}")
    return {"x": effects[:n_x], "y": effects[n_x:]}


def _without_attributes(
    targets: Floats, n_x: int, ddof: int, least: float, found: Gathered
) -> dict[str, Floats]:
    """Effect sizes without each attribute in turn."""
    n = len(targets)
    centred = targets - targets.mean(axis=0)
    factor: Floats = centred if n <= targets.shape[1] else np.linalg.qr(centred, mode="r")  # type: ignore[assignment]
    between = targets[:n_x].mean(axis=0) - targets[n_x:].mean(axis=0)
    means = {name: found.vectors[name].mean(axis=0) for name in "ab"}
    effects = {}
    for name, sign in (("a", 1), ("b", -1)):
        vectors = found.vectors[name]
        left = means[name] + (means[name] - vectors) / (len(vectors) - 1)  # mean of the set without each
        directions = sign * (left - means["b" if name == "a" else "a"])
        length = np.linalg.norm(directions @ factor.T, axis=1)
        again = length <= least * np.sqrt(n)  # perhaps all associations are equal
        effects[name] = directions @ between / (np.where(again, 1, length) / np.sqrt(n - ddof))
        for i in np.flatnonzero(again):
            word = found.words[name][i]
            effects[name][i] = _defined(targets @ directions[i], n_x, ddof, least, f"without {word!r}")
    return effects


def _effect(table: Floats, n_x: int, n_a: int, ddof: int, dim: int, where: str) -> float:
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    return _defined(s, n_x, ddof, 2 * rounding_error(dim), where)


def _defined(s: Floats, n_x: int, ddof: int, least: float, where: str) -> float:
    """Effect size of associations, refused where they differ by no more than rounding leaves."""
    if float(s.max() - s.min()) <= least:
        raise EvidenceError(
            f"every association {where} equals {float(s[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return effect_size(s[:n_x], s[n_x:], ddof=ddof)
