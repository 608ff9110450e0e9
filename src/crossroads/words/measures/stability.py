"""Dependence of an effect size on the choice of stimuli, and how consistent these are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.core.errors import EvidenceError, Missing
from crossroads.core.evidence import Embeddings
from crossroads.core.inference.bootstrap import (
    generator,
    percentile_interval,
    resampled_weights,
    weighted_effects,
)
from crossroads.core.inference.geometry import Floats, associations, effect_size, rounding_error
from crossroads.core.inference.options import share, whole
from crossroads.core.results import QUESTION, TEST, Result, Row, Stat, long_row, read_only, stat
from crossroads.core.results.gathered import titles_of
from crossroads.core.stimuli import Design
from crossroads.core.wording.table import Table
from crossroads.words.measures.weat import CheckOfTest, check_ddof, gather_two, origin

_AT_A_TIME = 500
_NAMES = ("first target", "second target", "first attribute", "second attribute")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BootstrapResult(Result):
    """Confidence interval of an effect size over the choice of stimuli."""

    _resampled: ClassVar[bool] = True
    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = ("efron1979bootstrap",)
    _label_format: ClassVar[str] = "{design} interval"
    _table_name: ClassVar[str] = "intervals"
    _table_title: ClassVar[str] = "Intervals of effect sizes"
    _file_names: ClassVar[str] = "design effect_size low high level resamples undefined"
    # the ends are next to the effect size of the test
    _long_table: ClassVar[tuple[str, str, str]] = ("bootstrap", "", "interval")
    _long_names: ClassVar[str] = "resamples undefined level"
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("d", of="effect_size"),
        stat("interval", note="over the choice of words in all four sets", of="low", kind="interval"),
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InfluenceResult(CheckOfTest):
    """Effect size without each stimulus in turn."""

    _stem: ClassVar[str] = "influence"
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

    effect_size: float
    """The effect size of all stimuli."""
    without: Mapping[str, Mapping[str, float]]
    """The effect size without each stimulus, by set and stimulus."""

    def _members(self) -> list[Row]:
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

    How much would the effect size vary if other words had been chosen for all four sets? The p-value of the
    test, in contrast, takes the attributes as they are and concerns the labels of the targets. Percentile
    intervals are only approximate for small sets.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.weat`.
    level
        Share of resamples inside the interval.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> result = cr.stats.bootstrap(emb, design)
    >>> round(result.effect_size, 2), round(result.low, 1), round(result.high, 1)
    (1.5, -0.6, 1.8)
    """
    check_ddof(ddof)
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    found = gather_two(emb, design, missing, least=2)
    table, n_x, n_a = found.cosines(), len(found.words["x"]), len(found.words["a"])
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    observed = _defined(s, n_x, ddof, 2 * rounding_error(emb.dim), f"of the design {design.name!r}")
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
        message = f"none of {resamples} resamples of the design {design.name!r} has an effect size."
        raise EvidenceError(message, hint="draw more resamples.")
    low, high = percentile_interval(defined, level)
    conventions = {"measure": "bootstrap", "ddof": ddof, "interval": "percentile", "seed": seed}
    return BootstrapResult(
        design=design.name,
        effect_size=observed,
        low=low,
        high=high,
        level=level,
        resamples=resamples,
        undefined=int(effects.size - defined.size),
        effect_sizes=read_only(defined),
        **origin(emb, found.coverage, {**conventions, "missing": missing}),
    )


def influence(
    emb: Embeddings, design: Design, *, ddof: int = 1, missing: Missing = "raise"
) -> InfluenceResult:
    """Compute the WEAT effect size without each stimulus in turn.

    Parameters
    ----------
    emb, design, ddof, missing
        As in :func:`~crossroads.weat`. A set must keep at least one stimulus.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> emb = cr.load("default", words=design.words)
    >>> result = cr.stats.influence(emb, design)
    >>> min(result.without["x"], key=result.without["x"].get)  # without this word, d is smallest
    'numbers'
    """
    check_ddof(ddof)
    found = gather_two(emb, design, missing, least=2)
    targets = np.concatenate([found.vectors["x"], found.vectors["y"]])
    n_x = len(found.words["x"])
    s = associations(targets, found.vectors["a"], found.vectors["b"])
    least = 2 * rounding_error(emb.dim)
    whole = _defined(s, n_x, ddof, least, f"of the design {design.name!r}")
    without = {}
    for name, words in found.words.items():
        if name in "xy":
            first = n_x * (name == "y")
            left = [np.delete(s, first + i) for i in range(len(words))]
        else:  # without one of its words, the mean of a set moves away from that word
            table = targets @ found.vectors[name].T
            moved = (table.mean(axis=1, keepdims=True) - table) / (len(words) - 1)
            left = [*(s + (moved if name == "a" else -moved).T)]
        size = n_x - (name == "x")
        without[name] = {
            word: _defined(some, size, ddof, least, f"without {word!r}")
            for word, some in zip(words, left, strict=True)
        }
    return InfluenceResult(
        design=design.name,
        effect_size=whole,
        without=without,
        titles=titles_of(design.sets),
        **origin(emb, found.coverage, {"measure": "influence", "ddof": ddof, "missing": missing}),
    )


def _defined(s: Floats, n_x: int, ddof: int, least: float, where: str) -> float:
    """Effect size of associations; an error where they differ by rounding error only."""
    if float(s.max() - s.min()) <= least:
        raise EvidenceError(
            f"every association {where} equals {float(s[0]):.6g}, so there is no effect size.",
            hint="check that the vectors differ and that the two attributes are not the same words.",
        )
    return effect_size(s[:n_x], s[n_x:], ddof=ddof)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReliabilityResult(CheckOfTest):
    """Reliability of the associations of one test."""

    _stem: ClassVar[str] = "reliability"
    _cites: ClassVar[tuple[str, ...]] = (
        "spearman1910correlation",
        "brown1910some",
        "cronbach1951coefficient",
    )
    _label_format: ClassVar[str] = "{design} reliability"
    _table_title: ClassVar[str] = "Reliability of the word lists"
    _long_table: ClassVar[tuple[str, str, str]] = ("reliability", "splits", "")
    _file_names: ClassVar[str] = "design attributes targets alpha"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("design", "test"),
        QUESTION,
        stat("attributes", note="reliability of associations, attributes split"),
        stat("targets", note="the same with the targets split"),
        *(
            stat(f"alpha_{key}", f"α({key.upper()})", f"Cronbach's α, {name}", of=f"alpha.{key}", spare=2)
            for key, name in zip("xyab", _NAMES, strict=True)
        ),
    )

    attributes: float | None
    """Split-half reliability of the associations of the targets, attributes split; None where a set of
    attributes has fewer than two words, there are fewer than three targets, or all associations are equal."""
    targets: float | None
    """The same for the associations of the attributes, targets split."""
    alpha: Mapping[str, float | None]
    """Cronbach's α of each set: its words are the items, the words of the other facet the cases. None where
    it has fewer than two words, or their sum does not vary."""
    splits: int
    """Number of random splits."""

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """What a negative α means, where there is one."""
        if any((value or 0) < 0 for one in results.values() for value in one.alpha.values()):
            yield "α below 0: words of the set vary against each other, not together."


def reliability(
    emb: Embeddings, design: Design, *, splits: int = 1000, seed: int = 0, missing: Missing = "raise"
) -> ReliabilityResult:
    r"""Estimate how consistently the words of a test measure the associations it compares.

    Attributes are split into random halves, :math:`s(w, A, B)` is computed from each half, and :math:`r`, the
    mean correlation of the two over all targets, is stepped up to the full length, :math:`2r/(1+|r|)`
    (Spearman and Brown; Krus and Helmstadter for negative :math:`r`). The same is done with the targets
    split. Cronbach's α of a set takes its words as items and the words of the other facet as cases.

    References
    ----------
    Spearman, C. (1910). doi:10.1111/j.2044-8295.1910.tb00206.x; Brown, W. (1910).
    doi:10.1111/j.2044-8295.1910.tb00207.x; Cronbach, L. J. (1951). doi:10.1007/BF02310555; Krus, D. J., &
    Helmstadter, G. C. (1993). Educational and Psychological Measurement, 53, 643–650.

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat6")
    >>> emb = cr.load("default", words=design.words)
    >>> round(cr.stats.reliability(emb, design).attributes, 2)
    0.97
    """
    whole("splits", splits, least=1, hint="split at least once; 1,000 is usual.")
    found = gather_two(emb, design, missing, least=1)
    table, n_x, n_a = found.cosines(), len(found.words["x"]), len(found.words["a"])
    rng, error = generator(seed), rounding_error(emb.dim)
    parts = {"x": table[:n_x], "y": table[n_x:], "a": table[:, :n_a].T, "b": table[:, n_a:].T}
    conventions = {"measure": "reliability", "random halves": splits, "seed": seed}
    return ReliabilityResult(
        design=design.name,
        attributes=_split_half(table, n_a, splits, rng, error),
        targets=_split_half(table.T, n_x, splits, rng, error),
        alpha={key: _alpha(part, error) for key, part in parts.items()},
        splits=splits,
        titles=titles_of(design.sets),
        **origin(emb, found.coverage, {**conventions, "missing": missing}),
    )


def _split_half(
    table: Floats, first: int, splits: int, rng: np.random.Generator, error: float
) -> float | None:
    """Mean correlation, stepped up, of contrasts of the columns; None for rounding errors alone."""
    sizes = (first, table.shape[1] - first)
    if min(sizes) < 2 or len(table) < 3:
        return None
    contrast = []
    masks = [np.argsort(rng.random((splits, n)), axis=1).argsort(axis=1) < n // 2 for n in sizes]
    for one in (True, False):
        weights = [(mask == one) / (mask == one).sum(axis=1, keepdims=True) for mask in masks]
        contrast.append(table[:, :first] @ weights[0].T - table[:, first:] @ weights[1].T)
    centred = [part - part.mean(axis=0) for part in contrast]
    spread = np.sqrt((centred[0] ** 2).sum(axis=0) * (centred[1] ** 2).sum(axis=0))
    varies = spread > len(table) * (2 * error) ** 2
    if not varies.any():
        return None
    r = np.where(varies, (centred[0] * centred[1]).sum(axis=0) / np.where(varies, spread, 1.0), 0.0)
    mean = float(r.mean())
    return 2 * mean / (1 + abs(mean))  # the formula has no lower bound


def _alpha(items: Floats, error: float) -> float | None:
    k = len(items)
    total = float(items.sum(axis=0).var(ddof=1)) if items.shape[1] > 1 else 0.0
    if k < 2 or total <= (2 * k * error) ** 2:
        return None
    return k / (k - 1) * (1 - float(items.var(axis=1, ddof=1).sum()) / total)
