"""CEAT, the contextualized embedding association test (Guo & Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.measures.draws import (
    check_expected,
    check_spread,
    counts_of,
    design_contexts,
    draw_contexts,
    expected_associations,
    expected_cosines,
    near_means,
    sample_associations,
    shared_fields,
    stimulus_test,
)
from crossroads.core.errors import Missing, one_of
from crossroads.core.evidence import Contexts
from crossroads.core.inference.bootstrap import generator
from crossroads.core.inference.copies import Words
from crossroads.core.inference.crossed import Crossed
from crossroads.core.inference.geometry import Floats, effect_size, effect_sizes
from crossroads.core.inference.options import whole
from crossroads.core.inference.permutation.test import PermutationResult
from crossroads.core.inference.random_effects import combine
from crossroads.core.results import (
    AGREEMENT,
    TEST,
    Conclusion,
    Result,
    Row,
    Stat,
    association,
    crossed_names,
    long_row,
    named,
    numbers,
    read_only,
    stat,
    status_of,
)
from crossroads.core.results.checks import FREQUENCY, NO_FREQUENCY, TOPICS, Checked
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P
from crossroads.words.measures.weat import check_ddof, copies_said, crossed_rows, difference_numbers

Variance = Literal["paper", "hedges"]
COMBINED = "effect_size se pvalue log10_pvalue tau2 i2 prediction_interval"  # what combining samples gives
_SAMPLED = "se tau2 i2 share_positive published_p=pvalue log10_published_p=log10_pvalue"
"""Statistics over samples of contexts in files."""


def context_name(design: str) -> str:
    """What a test over contexts is called, such as ``weat6 CEAT``."""
    return phrases.tested(design, "ceat")


@dataclass(frozen=True, kw_only=True)
class CombinedEffect:
    """An effect size combined over samples of contexts, and that of the stimuli themselves."""

    effect_size: float
    """Combined effect size under random effects."""
    se: float
    """Its standard error over samples, which shrinks with their number by construction."""
    pvalue: float
    """Published two-sided p-value of the combined effect size. It tests whether more samples from the *same*
    stimuli and contexts would also have a mean other than 0, and says nothing about other stimuli."""
    log10_pvalue: float
    """The same as a power of ten."""
    tau2: float
    """Variance between samples, beyond that within them."""
    i2: float
    """Share of the variation that is between samples."""
    prediction_interval: tuple[float, float]
    """Interval in which the random-effects model expects 95 % of further samples; too narrow where ``tau2``
    is 0, that is where the variances within samples exceed the variance between them."""
    share_positive: float
    """Share of samples with a positive effect size."""
    stimulus_effect_size: float
    """Effect size of the expected associations, or cosines, of the stimuli over all their contexts."""
    stimulus_pvalue: float
    """p-value of exchanging labels on these: those of the targets, or of the attributes at Level 2. It does
    not depend on the number of samples, and has the stimuli as its units."""
    stimulus_method: str
    """How that p-value was found."""
    crossed: Crossed
    """The difference of expected mean cosines, and how sure it is for other words for the same things."""

    def _effect_rows(self, measure: str, test: str, n: int, prefix: str = "") -> Iterator[Row]:
        samples, (low, high) = f"{prefix}samples", self.prediction_interval
        yield long_row(measure, test, samples, "effect_size", self.effect_size, low=low, high=high, n=n)
        for statistic, value in named(self, _SAMPLED).items():
            yield long_row(measure, test, samples, statistic, value, n=n)
        if (interval := getattr(self, "sample_interval", None)) is not None:  # of a level
            ends = dict(zip(("low", "high"), interval, strict=True))
            yield long_row(measure, test, samples, "sample_interval", None, n=n, **ends)
        p = {"p": self.crossed.pvalue, "exact_p": self.stimulus_pvalue, "method": self.stimulus_method}
        size = self.stimulus_effect_size
        yield long_row(measure, test, f"{prefix}stimuli", "effect_size", size, **p)
        yield from crossed_rows(measure, test, f"{prefix}other words", self.crossed, self.stimulus_pvalue)

    @property
    def _p(self) -> P:
        return P.of(self.stimulus_pvalue, self.stimulus_method)

    @property
    def _answer(self) -> P | None:
        return None if self.crossed.pvalue is None else P(self.crossed.pvalue)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CeatResult(Result, CombinedEffect):
    """A WEAT over contexts: one effect size for each random choice of a context per word, and their mean."""

    _section: ClassVar[str] = "contexts"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", "dersimonian1986meta", "higgins2009reevaluation")
    _stem: ClassVar[str] = "ceat"
    _unchecked: ClassVar[Mapping[str, str]] = {
        FREQUENCY: NO_FREQUENCY,
        TOPICS: "placebo tests would take contexts of a thousand other words",
    }
    _label_format: ClassVar[str] = context_name("{design}")
    _table_title: ClassVar[str] = "Association tests over contexts"
    _file_names: ClassVar[str] = (
        f"design {crossed_names()} effect_size {_SAMPLED} stimulus_effect_size exact_p=stimulus_pvalue "
        "prediction_low=prediction_interval.0 prediction_high=prediction_interval.1 "
        "samples=sample_effect_sizes.size"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "context test": f"{crossed_names(ends='difference_')} effect_size published_p=pvalue "
        "stimulus_effect_size exact_p=stimulus_pvalue tau2 i2 share_positive "
        "left_out=_left_out"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        AGREEMENT,
        stat("ces", "CES", "combined over samples of one context per word, as published", of="effect_size"),
        stat(
            "published", "published p", "about further samples of the same words", of="_published_p", spare=3
        ),
        stat("d", note="effect size over all contexts of each word", of="stimulus_effect_size"),
        stat("difference", of="crossed.difference", spare=2),
        stat("difference_ci", of="crossed.low", spare=2),
        stat("p", note=f"{phrases.OTHER_WORDS}, two-sided", of="crossed.pvalue"),
        stat("exact_p", note="labels of the targets exchanged, two-sided", of="_p"),
    )

    design: str
    """Name of the design."""
    sample_effect_sizes: NDArray[np.float64]
    """Effect size of each sample."""
    _sample_variances: NDArray[np.float64]
    """Variance used to weight each sample."""
    contexts: Mapping[str, int]
    """Number of contexts of each stimulus."""
    _cosines: NDArray[np.float64]
    """Expected cosine of each target (rows: x, then y) with each attribute (columns: a, then b) over all
    contexts, in the order of ``coverage.used``: what a paired test of two models compares."""

    def _pvalue_methods(self) -> Iterator[tuple[str, str]]:
        yield "", self.stimulus_method

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        yield from copies_said(results)

    @property
    def _associations(self) -> dict[str, float]:
        """Expected association of each target over all contexts."""
        if self.coverage is None:
            return {}
        used, n_a = self.coverage.used, len(self.coverage.used["a"])
        s = self._cosines[:, :n_a].mean(axis=1) - self._cosines[:, n_a:].mean(axis=1)
        return dict(zip((*used["x"], *used["y"]), s.tolist(), strict=True))

    @property
    def _published_p(self) -> P | str:
        return P(self.pvalue) if self.pvalue >= 1e-300 else "< 1e−300"

    def _long_rows(self, name: str) -> Iterator[Row]:
        n = int(self.sample_effect_sizes.size)
        yield from self._effect_rows("ceat", self.design, n)
        for word, s in self._associations.items():
            yield long_row("ceat", self.design, word, "association", s)
        for word, count in self.contexts.items():
            yield long_row("ceat", self.design, word, "contexts", count)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        if self.coverage is not None:
            yield self._concluded({}, self.crossed.pvalue)

    def _concluded(self, titles: Mapping[str, str], other: P | float | None, at: str = "") -> Conclusion:
        size = numbers(size=(f"{at}stimulus_effect_size", self.stimulus_effect_size))
        return association(
            name=self._label,
            titles=titles,
            sets={} if self.coverage is None else self.coverage.used,
            status=status_of(other),
            found={**difference_numbers(self.crossed, at), **size},
            reason=self.crossed.reason,
        )

    def _checks(self) -> Iterator[Checked]:
        yield Checked(
            name=self._label,
            question=self._question,
            family="contexts",
            these=self._p,
            exchanged=f"targets exchanged, {self.stimulus_method}",
            crossed=self.crossed,
            other=self.crossed.two_sided,
            reason=self.crossed.reason,
            unchecked=self._unchecked,
        )


def ceat(
    contexts: Contexts,
    design: Design,
    *,
    samples: int = 10_000,
    seed: int = 0,
    ddof: int = 1,
    variance: Variance = "paper",
    missing: Missing = "raise",
    words: Words = "effective",
) -> CeatResult:
    r"""Test an association in contextual vectors.

    Each sample draws one context for every stimulus and measures the WEAT effect size; samples are combined
    under random effects, :math:`CES = \sum v_i ES_i / \sum v_i` with :math:`v_i = 1 / (V_i + \tau^2)`.

    Parameters
    ----------
    samples
        Number of samples; the paper uses 10,000, its appendix 1,000.
    variance
        ``"paper"``: :math:`V_i` is the variance of the associations of the targets, which is not the
        sampling variance of an effect size. ``"hedges"``: the sampling variance.
    missing
        ``"raise"``, ``"drop"`` or ``"balance"`` stimuli without contexts.
    words
        As in :func:`~crossroads.weat`; near copies are found by the mean vectors of words.

    Notes
    -----
    *Departures:* the released code reports a one-sided p-value, the paper a two-sided one, as here.
    ``stimulus_pvalue`` is not published: on pure noise the published p-value is nearly always below .05.

    References
    ----------
    Guo, W., & Caliskan, A. (2021). Section 8.3. doi:10.1145/3461702.3462536

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.ceat(contexts, design, samples=1000)
    >>> round(result.effect_size, 1), result.stimulus_pvalue > 0.05
    (0.0, True)
    """
    one_of("variance", variance, Variance)
    check_ddof(ddof)
    whole("samples", samples, least=3, hint="draw at least three; 10,000 is usual.")
    stacked, found = design_contexts(
        contexts, design, missing=missing, least={"x": 2, "y": 2, "a": 1, "b": 1}
    )
    n_x = stacked.sizes[0]
    drawn = sample_associations(stacked, draw_contexts(stacked.counts, samples, generator(seed)))
    effects, spreads = effect_sizes(drawn, n_x, ddof=ddof)
    check_spread(spreads, stacked)
    variances = spreads if variance == "paper" else hedges(effects, stacked.sizes)
    s = expected_associations(stacked)
    check_expected(s, contexts.dim, f"expected association of the design {design.name!r}")
    table = expected_cosines(stacked)
    tests = stimulus_test(contexts, stacked, s, table, near_means(stacked, found, words))
    options = {"samples": samples, "seed": seed, "ddof": ddof, "variance": variance, "words": words}
    return CeatResult(
        design=design.name,
        **effect_fields(effects, variances, s, n_x, ddof, tests),
        sample_effect_sizes=read_only(effects),
        _sample_variances=read_only(variances),
        contexts=counts_of(stacked, found),
        _cosines=read_only(table),
        **shared_fields(contexts, found, "ceat", **options),
    )


def effect_fields(
    effects: Floats,
    variances: Floats,
    scores: Floats,
    n_first: int,
    ddof: int,
    tests: tuple[PermutationResult, Crossed],
) -> dict[str, Any]:
    """Fields of an effect size: from samples, from the scores that are permuted, and from their tests."""
    exchanged, drawn = tests
    return {
        **named(combine(effects, variances), COMBINED),
        "share_positive": float((effects > 0).mean()),
        "stimulus_effect_size": effect_size(scores[:n_first], scores[n_first:], ddof=ddof),
        "stimulus_pvalue": exchanged.pvalue,
        "stimulus_method": exchanged.method,
        "crossed": drawn,
    }


def hedges(effects: Floats, sizes: tuple[int, ...]) -> Floats:
    """Sampling variance of a standardised difference between two groups."""
    n_x, n_y = sizes[:2]
    return np.asarray((n_x + n_y) / (n_x * n_y) + effects**2 / (2 * (n_x + n_y)))
