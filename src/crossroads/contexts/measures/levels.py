"""The levels of the ML-EAT under the random effects of the CEAT: which target an association comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.measures.ceat import CombinedEffect, Variance, context_name, effect_fields, hedges
from crossroads.contexts.measures.draws import (
    Stack,
    check_expected,
    check_spread,
    counts_of,
    design_contexts,
    draw_contexts,
    exchange_options,
    expected_cosines,
    near_means,
    sample_cosines,
    shared_fields,
)
from crossroads.core.errors import Missing, one_of
from crossroads.core.evidence import Contexts
from crossroads.core.inference.bootstrap import generator, percentile_interval
from crossroads.core.inference.copies import Words
from crossroads.core.inference.crossed import crossed, mean_cosine
from crossroads.core.inference.geometry import Floats, effect_sizes
from crossroads.core.inference.options import whole
from crossroads.core.inference.permutation.test import Alternative, permutation_test
from crossroads.core.inference.random_effects import combine
from crossroads.core.results import (
    QUESTION,
    TEST,
    Result,
    Row,
    Stat,
    crossed_names,
    label_for,
    long_row,
    named,
    read_only,
    stat,
)
from crossroads.core.results.gathered import titles_of
from crossroads.core.results.stats import pairs
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.words.measures.mleat import (
    ALPHA,
    CELLS,
    LEAST_EFFECT,
    LEVELS,
    PATTERNS,
    check_rule,
    critical_effect,
    lean,
    pattern_of,
)
from crossroads.words.measures.weat import check_ddof

_LEANS = {"a": 1, "b": -1, None: 0}
_SHOWN = "share of samples that show the paper's pattern"


@dataclass(frozen=True, kw_only=True)
class CombinedLevel(CombinedEffect):
    """A level of the ML-EAT, combined over samples of contexts."""

    sample_interval: tuple[float, float]
    """Interval of the middle 95 % of the samples."""


@dataclass(frozen=True, kw_only=True)
class CombinedSimilarity:
    """Level 3 over samples of contexts: similarity of a target and an attribute."""

    mean: float
    """Mean cosine over all pairs of a target and an attribute stimulus, combined under random effects."""
    se: float
    """Its standard error over samples."""
    sd: float
    """Standard deviation of the cosines within a sample: root mean square over samples."""
    tau2: float
    """Variance of the mean between samples, beyond that within them."""
    i2: float
    """Share of the variation that is between samples."""
    prediction_interval: tuple[float, float]
    """Interval in which the random-effects model expects the mean of 95 % of further samples."""
    sample_interval: tuple[float, float]
    """Interval of the means of the middle 95 % of the samples."""
    expected: float
    """Mean cosine over all pairs and all their contexts, which needs no samples."""
    pairs: int
    """Number of pairs of stimuli in a sample."""
    low: float
    """Lower end of the 95 % interval of ``expected`` over the choice of words."""
    high: float
    """Upper end."""


def _level_names(path: str, end: str = "") -> str:
    names = (
        "effect_size published_p=pvalue tau2 i2 stimulus_effect_size prediction_low=prediction_interval.0 "
        f"prediction_high=prediction_interval.1 {crossed_names()} exact_p=stimulus_pvalue"
    )
    return " ".join(f"{name}{end}={path}.{inner}" for name, inner in pairs(names))


def _combined_note(results: Sequence[MultilevelCeatResult]) -> str:
    samples = ", ".join(dict.fromkeys(f"{one.conventions['samples']:,}" for one in results))
    return f"first target alone, combined over {samples} samples"


def _tails(results: Sequence[MultilevelCeatResult]) -> str:
    return ", ".join(dict.fromkeys(phrases.tail(one.conventions["alternative"]) for one in results))


def _exchanged_note(results: Sequence[MultilevelCeatResult]) -> str:
    return f"labels of the attributes exchanged on expected cosines, {_tails(results)}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MultilevelCeatResult(Result):
    """Three levels of association over contexts, and the patterns that samples show."""

    _section: ClassVar[str] = "contexts"
    _cites: ClassVar[tuple[str, ...]] = (
        "guo2021detecting",
        "wolfe2024mleat",
        "dersimonian1986meta",
        "higgins2009reevaluation",
        "cohen1988statistical",
    )
    _stem: ClassVar[str] = "context_levels"
    _figure: ClassVar[str] = "context_levels"
    _label_format: ClassVar[str] = f"{context_name('{design}')} levels"
    _table_title: ClassVar[str] = "Levels of association over contexts"
    _file_names: ClassVar[str] = " ".join(
        (
            f"design {_level_names('level1')}",
            *(_level_names(f"level2.{key}", f"_{key}") for key in "xy"),
            *(f"mean_{key}=level3.{key}.mean sd_{key}=level3.{key}.sd" for key in CELLS),
            "pattern published_pattern crossed_pattern pattern_share samples=sample_effect_sizes.size",
        )
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "context levels": f"{crossed_names('level1.', ends='difference_')} "
        "effect_size=level1.effect_size published_p=level1.pvalue "
        "stimulus_effect_size=level1.stimulus_effect_size "
        f"exact_p=level1.stimulus_pvalue {LEVELS} exact_p_x=level2.x.stimulus_pvalue "
        "exact_p_y=level2.y.stimulus_pvalue left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        QUESTION,
        stat("agree_x", "agree X", phrases.AGREEMENT, of="level2.x.crossed.agreement", kind="chance"),
        stat("d_x", "d(X)", _combined_note, of="level2.x.effect_size"),
        stat("p_x", "p(X)", lambda some: f"{phrases.OTHER_WORDS}, {_tails(some)}", of="level2.x._answer"),
        stat("exact_p_x", "exact p(X)", _exchanged_note, of="level2.x._p", spare=3),
        stat("agree_y", "agree Y", of="level2.y.crossed.agreement", kind="chance"),
        stat("d_y", "d(Y)", "the same for the second target", of="level2.y.effect_size"),
        stat("p_y", "p(Y)", of="level2.y._answer"),
        stat("exact_p_y", "exact p(Y)", of="level2.y._p", spare=3),
        stat("pattern", of="crossed_pattern"),
        stat("published", "paper's pattern", phrases.PAPER_PATTERN, of="pattern", spare=2),
        stat(
            "shown",
            note="share of samples that show the paper's pattern",
            of="pattern_share",
            kind="share",
            digits=0,
            spare=2,
        ),
    )

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
    """The same by the p-values of the combined effect sizes, which are nearly always significant."""
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
    crossed_pattern: str
    """The pattern by the p-values for other words, which outputs show."""

    def _pvalue_methods(self) -> Iterator[tuple[str, str]]:
        yield " 1", self.level1.stimulus_method
        yield from ((f" 2 {key}", one.stimulus_method) for key, one in self.level2.items())

    @property
    def pattern_share(self) -> float:
        """Share of samples that show the pattern by the p-values over stimuli."""
        return self.pattern_shares[self.pattern]

    def _long_rows(self, name: str) -> Iterator[Row]:
        n, measure, test = int(self.sample_effect_sizes.size), "multilevel-ceat", self.design
        row = partial(long_row, measure, test)
        yield from self.level1._effect_rows(measure, test, n, "level 1 ")
        for key, level in self.level2.items():
            yield from level._effect_rows(measure, test, n, f"level 2 {key} ")
        for key, cell in self.level3.items():
            part, (low, high) = f"level 3 {key}", cell.prediction_interval
            yield row(part, "mean", cell.mean, low=low, high=high, n=n)
            for statistic in ("se", "sd", "tau2", "i2", "pairs"):
                yield row(part, statistic, getattr(cell, statistic), n=n)
            yield row(part, "expected", cell.expected, n=n, low=cell.low, high=cell.high)
            low, high = cell.sample_interval
            yield row(part, "sample_interval", None, low=low, high=high, n=n)
        yield row(self.pattern, "pattern", self.pattern_share, n=n)
        yield row(self.published_pattern, "published_pattern", None)
        yield row(self.crossed_pattern, "crossed_pattern", None)
        for pattern, share in self.pattern_shares.items():
            yield row(pattern, "pattern_share", share, n=n)


levels_name = partial(label_for, MultilevelCeatResult)
"""Name of the levels of a test over contexts, such as ``weat6 CEAT levels``."""


def multilevel_ceat(
    contexts: Contexts,
    design: Design,
    *,
    samples: int = 10_000,
    seed: int = 0,
    ddof: int = 1,
    variance: Variance = "paper",
    alternative: Alternative = "two-sided",
    missing: Missing = "raise",
    alpha: float = ALPHA,
    least_effect: float = LEAST_EFFECT,
    words: Words = "effective",
) -> MultilevelCeatResult:
    r"""Measure an association over contexts at the three levels of the ML-EAT: :func:`~crossroads.mleat`.

    Each sample draws one context for every stimulus, and all levels are computed from their cosines. Each
    is combined over samples under random effects, with its own variance between samples.

    Parameters
    ----------
    contexts, design, samples, seed, ddof, missing, words
        As in :func:`~crossroads.ceat`, with which Level 1 shares its draws.
    variance
        Variance of a sample at Levels 1 and 2. ``"paper"``: :math:`V_i` is the square of the standard
        deviation in the denominator. ``"hedges"``: the sampling variance of an effect size. A mean of Level 3
        has the variance of its cosines over the number of pairs.
    alternative
        Tail of the p-values over stimuli and of those inside a sample. The published-style p-values are
        two-sided throughout.
    alpha, least_effect
        Level and effect size that a Level 2 test must reach for its target to be closer to an attribute.

    Notes
    -----
    Wolfe, Hiniker and Howe (2024) name this extension of the ML-EAT as future work; no numbers are
    published. Inside a sample the Level 2 p-value is that of a normal curve fitted to the divisions of the
    attributes, the rule behind the stars of their tables.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). doi:10.1145/3461702.3462536
    Wolfe, R., Hiniker, A., & Howe, B. (2024). doi:10.48550/arXiv.2408.01966

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.mleat(contexts, design, samples=1000)
    >>> round(result.level2["x"].effect_size, 1), result.pattern
    (0.2, 'Non-Directional')
    """
    one_of("variance", variance, Variance)
    one_of("alternative", alternative, Alternative)
    check_ddof(ddof)
    check_rule(alpha, least_effect)
    whole("samples", samples, least=3, hint="draw at least three; 10,000 is usual.")
    stacked, found = design_contexts(contexts, design, missing=missing, least=dict.fromkeys("xyab", 2))
    n_x, _, n_a, n_b = stacked.sizes
    levels, cells = _sampled(stacked, draw_contexts(stacked.counts, samples, generator(seed)), ddof)
    table, exchange = expected_cosines(stacked), exchange_options(contexts, alternative)
    tables = {"1": table, "x": table[:n_x], "y": table[n_x:]}
    near = near_means(stacked, found, words)
    combined: dict[str, CombinedLevel] = {}
    similarities: dict[str, CombinedSimilarity] = {}
    for key, (effects, spreads) in levels.items():
        # targets are exchanged at Level 1, attributes at Level 2
        part, sizes = tables[key], stacked.sizes[:2] if key == "1" else (n_a, n_b)
        a, b = np.split(part, [n_a], axis=1)
        scores = a.mean(axis=1) - b.mean(axis=1) if key == "1" else part.mean(axis=0)
        what = "expected association" if key == "1" else f"expected cosine with {key}"
        check_expected(scores, contexts.dim, f"{what} of the design {design.name!r}")
        variances = spreads if variance == "paper" else hedges(effects, sizes)
        exchanged = permutation_test(*np.split(scores, sizes[:1]), **exchange)
        copies = near if near is None or key == "1" else near.alone("xy".index(key))
        drawn = crossed(part, n_x if key == "1" else len(part), n_a, near=copies, **exchange)
        combined[key] = CombinedLevel(
            **effect_fields(effects, variances, scores, sizes[0], ddof, (exchanged, drawn)),
            sample_interval=percentile_interval(effects, 0.95),
        )
        if key != "1":
            for name, cosines in ((f"a{key}", a), (f"b{key}", b)):
                similarities[name] = _similarity(cells[name], cosines)
    rule = {"alpha": alpha, "least_effect": least_effect}
    alone = (combined["x"], combined["y"])
    critical = critical_effect(n_a, n_b, ddof=ddof, alternative=alternative, **rule)
    return MultilevelCeatResult(
        design=design.name,
        level1=combined["1"],
        level2={key: combined[key] for key in "xy"},
        level3=similarities,
        pattern=pattern_of(*(lean(level.effect_size, level.stimulus_pvalue, **rule) for level in alone)),
        published_pattern=pattern_of(*(lean(level.effect_size, level.pvalue, **rule) for level in alone)),
        crossed_pattern=pattern_of(
            *(lean(level.stimulus_effect_size, level.crossed.pvalue, **rule) for level in alone)
        ),
        pattern_shares=_shares(levels["x"][0], levels["y"][0], critical, alternative),
        titles=titles_of(design.sets),
        sample_effect_sizes=read_only(levels["1"][0]),
        sample_effect_sizes_x=read_only(levels["x"][0]),
        sample_effect_sizes_y=read_only(levels["y"][0]),
        contexts=counts_of(stacked, found),
        **shared_fields(
            contexts,
            found,
            "multilevel-ceat",
            samples=samples,
            seed=seed,
            ddof=ddof,
            variance=variance,
            alternative=alternative,
            words=words,
            **rule,
        ),
    )


def _sampled(
    stacked: Stack, drawn: NDArray[np.int32], ddof: int
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Effect sizes of Levels 1 and 2, means of Level 3, and the variances behind them, sample by sample."""
    n_x, n_y, n_a, _ = stacked.sizes
    samples = drawn.shape[1]
    levels = {key: np.empty((2, samples)) for key in ("1", "x", "y")}
    cells = {key: np.empty((2, samples)) for key in CELLS}
    for block, table in sample_cosines(stacked, drawn, n_x + n_y):
        s = table[:, :, :n_a].mean(axis=2) - table[:, :, n_a:].mean(axis=2)
        levels["1"][:, block] = effect_sizes(s, n_x, ddof=ddof)
        for key, part in (("x", table[:, :n_x]), ("y", table[:, n_x:])):
            levels[key][:, block] = effect_sizes(part.mean(axis=1), n_a, ddof=ddof)
            for name, cosines in ((f"a{key}", part[:, :, :n_a]), (f"b{key}", part[:, :, n_a:])):
                cells[name][:, block] = cosines.mean(axis=(1, 2)), cosines.var(axis=(1, 2), ddof=ddof)
    for _, spread in (*levels.values(), *cells.values()):
        check_spread(spread, stacked)
    return levels, cells


def _similarity(sampled: Floats, expected: Floats) -> CombinedSimilarity:
    means, spreads = sampled
    return CombinedSimilarity(
        **named(combine(means, spreads / expected.size), "mean=effect_size se tau2 i2 prediction_interval"),
        sd=float(np.sqrt(spreads.mean())),
        sample_interval=percentile_interval(means, 0.95),
        expected=float(expected.mean()),
        pairs=expected.size,
        **named(mean_cosine(expected), "low high"),  # of two words or more in both sets
    )


def _shares(x: Floats, y: Floats, critical: float, alternative: str) -> dict[str, float]:
    up, down = alternative != "less", alternative != "greater"
    one, two = ((d > critical) * int(up) - (d < -critical) * int(down) for d in (x, y))
    leans = {name: (_LEANS[of_x], _LEANS[of_y]) for name, (of_x, of_y) in PATTERNS.items()}
    return {name: float(((one == of_x) & (two == of_y)).mean()) for name, (of_x, of_y) in leans.items()}
