"""Dependence of an effect size on the choice of stimuli."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import (
    generator,
    percentile_interval,
    resampled_weights,
    weighted_effects,
)
from crossroads.core.inference.geometry import Floats, associations, effect_size, rounding_error, standardised
from crossroads.core.inference.options import share, whole
from crossroads.core.results import TEST, Result, Row, Stat, long_row, read_only, stat
from crossroads.core.results.gathered import Gathered, Missing, check_inputs, gather, require_two_targets
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.table import Table
from crossroads.words.measures.weat import check_ddof

_AT_A_TIME = 500


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BootstrapResult(Result):
    """Confidence interval of an effect size over the choice of stimuli."""

    _resampled: ClassVar[bool] = True
    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = ("efron1979bootstrap",)
    _label_format: ClassVar[str] = "{design} interval"
    _table_name: ClassVar[str] = "intervals"
    _table_title: ClassVar[str] = "Intervals of effect sizes"
    _file_names: ClassVar[str] = "design effect_size low high level resamples undefined same_sign"
    # the ends are next to the effect size of the test
    _long_table: ClassVar[tuple[str, str, str]] = ("bootstrap", "", "interval")
    _long_names: ClassVar[str] = "resamples undefined level same_sign"
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("d", of="effect_size"),
        stat("interval", note=phrases.WORDS_DRAWN, of="low", kind="interval"),
        stat("level", kind="share", digits=0),
        stat("resamples", kind="count", spare=1),
    )

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
    same_sign: float
    """Share of resamples whose effect size has the sign of the measured one."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InfluenceResult(Result):
    """Effect size without each stimulus in turn."""

    _section: ClassVar[str] = "tests"
    _stem: ClassVar[str] = "influence"
    _printed: ClassVar[bool] = False
    _about_test: ClassVar[bool] = True
    _figure: ClassVar[str] = "influence_plot"
    _label_format: ClassVar[str] = "{design} influence"
    _table_title: ClassVar[str] = "Effect sizes without single words"
    _most_rows: ClassVar[int] = 8
    _file_names: ClassVar[str] = "set word without change"
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("set"),
        stat("word"),
        stat("without", "d without", "effect size without the word"),
        stat("change"),
    )

    design: str
    """Name of the design."""
    effect_size: float
    """The effect size of all stimuli."""
    without: Mapping[str, Mapping[str, float]]
    """The effect size without each stimulus, by set and stimulus."""
    titles: Mapping[str, str]
    """What each set stands for."""

    @property
    def span(self) -> tuple[float, float]:
        """Smallest and largest effect size without a single stimulus."""
        values = [d for words in self.without.values() for d in words.values()]
        return min(values), max(values)

    def _members(self) -> list[Row]:
        """Every stimulus, the most influential first."""
        rows: list[Row] = [
            {"design": self.design, "set": name, "word": word, "without": d, "change": d - self.effect_size}
            for name, words in self.without.items()
            for word, d in words.items()
        ]
        return sorted(rows, key=lambda row: -abs(row["change"]))

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per word, the most influential of all tests first."""
        table = super()._tabulate(results)
        return replace(table, rows=tuple(sorted(table.rows, key=lambda row: -abs(row["change"]))))

    def _long_rows(self, name: str) -> Iterator[Row]:
        """The effect size without each word."""
        for key, words in self.without.items():
            for word, effect in words.items():
                yield long_row("influence", self.design, f"{key} {word}", "effect_size_without", effect)


def bootstrap(
    emb: Embeddings,
    design: Design,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    ddof: int = 1,
    seed: int = 0,
    missing: Missing = "raise",
) -> BootstrapResult:
    """Compute a confidence interval of the WEAT effect size by resampling the stimuli of all four sets.

    The p-value of the test takes the attributes as given and concerns the labels of the targets. The interval
    answers another question: how much would the effect size vary if other words had been chosen for all four
    sets? It is a percentile interval, and only approximate for small sets.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.weat`.
    level
        Share of resamples inside the interval.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> result = cr.stats.bootstrap(emb, design)
    >>> round(result.effect_size, 2), round(result.low, 1), round(result.high, 1)
    (0.57, -0.8, 1.3)
    """
    check_ddof(ddof)
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    found = _gathered(emb, design, missing)
    table = found.cosines()
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
        same_sign=float(np.mean(np.sign(defined) == np.sign(observed))),
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


def influence(
    emb: Embeddings, design: Design, *, ddof: int = 1, missing: Missing = "raise"
) -> InfluenceResult:
    """Compute the WEAT effect size without each stimulus in turn.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.weat`. A set must keep at least one stimulus.

    Notes
    -----
    The work grows with the number of stimuli, not with its square. Leaving out a target changes two sums;
    leaving out an attribute changes the vector d that targets are multiplied by, and the standard deviation
    of the associations of centred targets T is the length of T d, or of R d with T = Q R.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.Embeddings(design.words, np.random.default_rng(1).normal(size=(32, 9)))
    >>> result = cr.stats.influence(emb, design)
    >>> min(result.without["x"], key=result.without["x"].get)  # without this word, d is smallest
    'computation'
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
    require_two_targets(design)
    return gather(emb, design.sets, missing=missing, least=dict.fromkeys("xyab", 2), design=design.name)


def _without_targets(
    s: Floats, n_x: int, ddof: int, least: float, words: Mapping[str, tuple[str, ...]]
) -> dict[str, Floats]:
    """Effect sizes without each target in turn, from the sums over all targets."""
    n, means = len(s), np.array([s[:n_x].mean(), s[n_x:].mean()])
    sizes = np.array([n_x, n - n_x])
    of = np.repeat([0, 1], sizes)  # the set of each target
    left = means[of] + (means[of] - s) / (sizes[of] - 1)  # mean of its set without it
    difference = np.where(of == 0, left - means[1], means[0] - left)
    centred = s - s.mean()
    squares = float(centred @ centred)
    rest = squares - centred**2 * (n / (n - 1))
    # where a target has half of the sum of squares (at most two do), the difference would lose digits
    again = (rest <= squares / 2) | (rest <= least**2 * n)
    effects = standardised(difference, rest / (n - 1 - ddof), flat=again)
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
        again = length <= least * np.sqrt(n)  # all associations may be equal
        effects[name] = standardised(directions @ between, length**2 / (n - ddof), flat=again)
        for i in np.flatnonzero(again):
            word = found.words[name][i]
            effects[name][i] = _defined(targets @ directions[i], n_x, ddof, least, f"without {word!r}")
    return effects


def _effect(table: Floats, n_x: int, n_a: int, ddof: int, dim: int, where: str) -> float:
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    return _defined(s, n_x, ddof, 2 * rounding_error(dim), where)


def _defined(s: Floats, n_x: int, ddof: int, least: float, where: str) -> float:
    """Effect size of associations; an error where they differ by rounding error only."""
    if float(s.max() - s.min()) <= least:
        raise EvidenceError(
            f"every association {where} equals {float(s[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return effect_size(s[:n_x], s[n_x:], ddof=ddof)
