"""The CEAT of many designs on one set of contexts, and how much it depends on the words and the contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from crossroads.contexts.measures.ceat import CeatResult, ceat, context_name
from crossroads.contexts.measures.draws import (
    Stack,
    check_contexts,
    check_expected,
    design_contexts,
    expected_associations,
    shared_fields,
)
from crossroads.contexts.measures.levels import levels_name
from crossroads.core.errors import DesignError, EvidenceError, Missing, MissingStimuliError, one_of
from crossroads.core.evidence import Contexts, Provenance
from crossroads.core.inference.bootstrap import generator, percentile_interval
from crossroads.core.inference.geometry import Floats, effect_size
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.options import share, whole
from crossroads.core.results import (
    ADJUSTERS,
    TEST,
    Conclusion,
    Family,
    Member,
    Result,
    Row,
    Stat,
    adjusted,
    from_tests,
    long_row,
    named,
    read_only,
    stat,
)
from crossroads.core.results.checks import Checked
from crossroads.core.results.gaps import NO_CONTEXT, measured, require_stimuli
from crossroads.core.results.gathered import listed_designs, titles_of
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.vocabulary import interval_note
from crossroads.words.measures.weat import check_ddof

Drawn = Literal["both", "words", "contexts"]
_BLOCK_BYTES = 1 << 25


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CeatBootstrapResult(Result):
    """Confidence interval of the stimulus-level effect size of a CEAT."""

    _resampled: ClassVar[bool] = True
    _section: ClassVar[str] = "contexts"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting",)
    _label_format: ClassVar[str] = f"{phrases.tested('{design}', 'ceat')} interval"
    _table_name: ClassVar[str] = "context_intervals"
    _table_title: ClassVar[str] = "Intervals of effect sizes over contexts"
    _file_names: ClassVar[str] = "design effect_size low high level interval drawn resamples undefined"
    _columns: ClassVar[tuple[Stat, ...]] = (
        TEST,
        stat("d", note="effect size over all contexts of each word", of="effect_size"),
        stat("interval", of="low", kind="interval"),
        stat("level", kind="share", digits=0),
        stat("drawn", of="_drawn_text"),
        stat("resamples", kind="count", spare=1),
    )

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
    """Kind of interval: ``percentile``."""
    drawn: str
    """What was resampled: ``words``, ``contexts`` or ``both``."""
    resamples: int
    """Number of resamples."""
    undefined: int
    """Resamples without an effect size, because every stimulus drawn had the same association."""
    effect_sizes: NDArray[np.float64]
    """Effect size of each resample that has one."""

    @property
    def _drawn_text(self) -> str:
        return "words and contexts" if self.drawn == "both" else self.drawn

    def _long_rows(self, name: str) -> Iterator[Row]:
        ends = {"low": self.low, "high": self.high, "n": self.resamples, "method": self.interval}
        part = f"interval over {self._drawn_text}"
        yield long_row("ceat-bootstrap", self.design, part, "effect_size", self.effect_size, **ends)
        for statistic in ("resamples", "undefined", "level"):
            yield long_row("ceat-bootstrap", self.design, part, statistic, getattr(self, statistic))


def ceat_bootstrap(
    contexts: Contexts,
    design: Design,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    drawn: Drawn = "both",
    ddof: int = 1,
    seed: int = 0,
    missing: Missing = "raise",
) -> CeatBootstrapResult:
    r"""Compute a confidence interval of the stimulus-level effect size by resampling words and contexts.

    The effect size is the ``stimulus_effect_size`` of :func:`~crossroads.ceat`, that of the expected
    associations :math:`s_w = \bar w \cdot (\operatorname{mean}_a \bar a - \operatorname{mean}_b \bar b)`,
    where :math:`\bar w` is the mean unit vector of a word over its contexts. Each resample draws the words of
    all four sets with replacement and then, for every word drawn, as many of its contexts as it has.

    Parameters
    ----------
    contexts, design, missing
        As in :func:`~crossroads.ceat`; every set needs two words.
    level
        Nominal coverage.
    drawn
        ``"both"`` stages; ``"words"`` alone, with their contexts as they are; or ``"contexts"`` alone, for
        the variation over other sentences with the same words.

    Notes
    -----
    The variance of observed word means already includes the noise of their contexts, so that ``"both"``
    counts it twice: it is too wide where contexts are few, and equals ``"words"`` where they are many
    (Davison & Hinkley 1997, section 3.8). With sets of eight words, intervals of any kind are approximate.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap Methods and their Application.
    doi:10.1017/CBO9780511802843

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.stats.ceat_bootstrap(contexts, design, resamples=500)
    >>> result.low < result.effect_size < result.high
    True
    """
    one_of("drawn", drawn, Drawn)
    check_ddof(ddof)
    whole("resamples", resamples, least=1, hint="draw at least one; 2,000 is usual.")
    share("level", level)
    stacked, found = design_contexts(contexts, design, missing=missing, least=dict.fromkeys("xyab", 2))
    n_x = stacked.sizes[0]
    s = expected_associations(stacked)
    check_expected(s, contexts.dim, f"expected association of the design {design.name!r}")
    effects = _resampled(stacked, resamples, drawn, ddof, generator(seed))
    defined = effects[np.isfinite(effects)]
    if defined.size == 0:
        fault = f"none of {resamples} resamples of the design {design.name!r} has an effect size."
        raise EvidenceError(fault, hint="draw more resamples.")
    low, high = percentile_interval(defined, level)
    return CeatBootstrapResult(
        design=design.name,
        effect_size=effect_size(s[:n_x], s[n_x:], ddof=ddof),
        low=low,
        high=high,
        level=level,
        interval="percentile",
        drawn=drawn,
        resamples=resamples,
        undefined=int(effects.size - defined.size),
        effect_sizes=read_only(defined),
        **shared_fields(
            contexts, found, "ceat-bootstrap", ddof=ddof, interval="percentile", drawn=drawn, seed=seed
        ),
    )


def _resampled(stacked: Stack, resamples: int, drawn: str, ddof: int, rng: np.random.Generator) -> Floats:
    """Effect size of each resample, in blocks; NaN where it is undefined."""
    n_x = stacked.sizes[0]
    own = stacked.means.astype(stacked.rows.dtype)
    size = max(1, _BLOCK_BYTES // own.nbytes)
    found = []
    for start in range(0, resamples, size):
        words = _words(stacked.sizes, min(size, resamples - start), drawn, rng)
        vectors = own[words] if drawn == "words" else _resampled_means(stacked, words, rng)
        targets, a, b = np.split(vectors, stacked.edges, axis=1)
        difference = a.mean(axis=1) - b.mean(axis=1)
        s = np.einsum("rwd,rd->rw", targets, difference).astype(np.float64)
        spread = s.std(axis=1, ddof=ddof)
        # where every target drawn is the same word, only rounding error is left
        flat = spread <= 4 * np.finfo(stacked.rows.dtype).eps
        top = s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)
        found.append(np.where(flat, np.nan, top / np.where(flat, 1.0, spread)))
    return np.concatenate(found)


def _words(sizes: tuple[int, ...], resamples: int, drawn: str, rng: np.random.Generator) -> NDArray[np.int64]:
    if drawn == "contexts":
        return np.broadcast_to(np.arange(sum(sizes)), (resamples, sum(sizes)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.concatenate(
        [start + rng.integers(0, n, (resamples, n)) for start, n in zip(starts, sizes, strict=True)], axis=1
    )


def _resampled_means(stacked: Stack, words: NDArray[np.int64], rng: np.random.Generator) -> NDArray[Any]:
    """Mean unit vector of each word drawn, over contexts that are resampled for each of its draws.

    All resamples of a word are one product of matrices: shares of its contexts times these contexts.
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CeatBatteryResult(Family):
    """CEATs of several designs on one model."""

    _tests_on: ClassVar[str] = "contexts"
    _section: ClassVar[str] = "contexts"
    _cites: ClassVar[tuple[str, ...]] = ("guo2021detecting", *ADJUSTERS)
    _stem: ClassVar[str] = "contexts"
    _figure: ClassVar[str] = "context_forest"
    _member_type: ClassVar[type[Result]] = CeatResult
    _label_format: ClassVar[str] = "battery over contexts"
    _table_title: ClassVar[str] = "Association tests over contexts"
    _file_names: ClassVar[str] = (
        "exact_p_sign=test._p.sign *=values *=signs stimulus_effect_size_low=interval.low "
        "stimulus_effect_size_high=interval.high"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "context test": "stimulus_effect_size_low=interval.low stimulus_effect_size_high=interval.high "
        "*=values"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        *from_tests(CeatResult, "test"),
        stat("question", of="extra"),
        *from_tests(CeatResult, "ces published d"),
        stat(
            "ci", "CI(d)", interval_note(phrases.CONTEXTS_DRAWN), of="interval.low", kind="interval", spare=2
        ),
        *from_tests(CeatResult, "p"),
        adjusted(),
        *from_tests(CeatResult, "exact_p"),
    )

    tests: tuple[CeatResult, ...]
    """The tests, in the order asked for."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """p-values for other words (``crossed``) adjusted for the number of tests, by method (``holm``, ``bh``,
    ``by``); None for a test that has none. The published p-values are not adjusted: no number of tests
    explains why they are small."""
    intervals: Mapping[str, CeatBootstrapResult]
    """Bootstrap interval of each design, over words and contexts; empty where none was requested, and without
    designs that have a single word in a set, which cannot be resampled."""
    titles: Mapping[str, Mapping[str, str]]
    """What the four sets of each design stand for."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""

    @property
    def _question(self) -> str:
        return ""

    def asks(self, design: str) -> str:
        """What a test asks, where its sets have names."""
        return phrases.question(self.titles.get(design, {}))

    def _members(self) -> Iterator[Member]:
        yield from (replace(one, extra=self.asks(one.test.design)) for one in super()._members())

    def _checks(self) -> Iterator[Checked]:
        for member in self._members():
            yield from (replace(one, question=member.extra) for one in member.checks())

    def _long_rows(self, name: str) -> Iterator[Row]:
        for one in self._members():
            ends = {} if one.interval is None else named(one.interval, "low high")
            for row in one.long_rows(one.test._long_rows(one.test.design)):
                yield row | ends if row["part"] == "stimuli" else row
            yield from one.adjusted_rows("ceat", one.test.design, "other words")
        for interval in self.intervals.values():
            yield from interval._long_rows(interval._label)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for one in self._members():
            yield one.test._concluded(self.titles.get(one.test.design, {}), one.p, f"tests/{one.at}/")

    def _unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        for design, why in self.skipped.items():
            yield context_name(design), "context test", why
            yield levels_name(design), "context levels", why


def unmeasured(name: str, why: str, *, others: int) -> MissingStimuliError:
    """The error for a store on which a test, and maybe all others, cannot be measured."""
    more = f" (and {others} other tests)" if others else ""
    hint = "collect contexts of its words with crossroads contexts and crossroads embed."
    return MissingStimuliError(f"{name}{more} cannot be measured on this store: {why}", hint=hint)


def ceat_battery(
    contexts: Contexts,
    designs: Design | Iterable[Design],
    *,
    resamples: int = 0,
    level: float = 0.95,
    missing: Missing = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CeatBatteryResult:
    """Run the CEAT on several designs and adjust their p-values for other words for the number of tests.

    Parameters
    ----------
    resamples, level
        Number of resamples and level of the bootstrap over words and contexts; 0 resamples for none.
    missing
        As in :func:`~crossroads.ceat`. A design that has too few stimuli left is listed in ``skipped``.
    progress
        Called with the name of each design before it is measured.
    options
        Passed on to :func:`~crossroads.ceat`.

    Examples
    --------
    >>> import numpy as np
    >>> import crossroads as cr
    >>> design, rng = cr.catalog("c7"), np.random.default_rng(1)
    >>> contexts = cr.Contexts.from_dict({word: rng.normal(size=(5, 9)) for word in design.words})
    >>> result = cr.battery(contexts, [design], samples=1000)
    >>> [(test.design, round(test.effect_size, 1)) for test in result.tests]
    [('c7', 0.0)]
    """
    designs = listed_designs(designs)
    if missing == "raise":
        check_contexts(contexts)
        require_stimuli(contexts.index, designs, absent=NO_CONTEXT)
    whole("resamples", resamples, hint="give 0 for none; 2,000 is usual.")
    share("level", level)
    about: dict[str, Any] = {"missing": missing, "resamples": resamples, "level": level}
    same = about | {key: options[key] for key in ("ddof", "seed") if key in options}
    intervals: dict[str, CeatBootstrapResult] = {}

    def measure(design: Design) -> CeatResult:
        test = ceat(contexts, design, missing=missing, **options)
        if resamples:
            with suppress(MissingStimuliError, DesignError):  # too few words to be resampled
                intervals[design.name] = ceat_bootstrap(contexts, design, **same)
        return test

    by_name = ((design.name, design) for design in designs)
    tests, skipped = measured(by_name, measure, missing=missing, progress=progress)
    return assemble_ceat_battery(
        [test for _, test in tests],
        designs=designs,
        intervals=intervals,
        skipped=skipped,
        options=about | options,
        provenance=(contexts.provenance,),
    )


def assemble_ceat_battery(
    tests: Sequence[CeatResult],
    *,
    designs: Iterable[Design],
    intervals: Mapping[str, CeatBootstrapResult],
    skipped: Mapping[str, str],
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> CeatBatteryResult:
    """Combine CEATs that were measured one by one into a battery with adjusted p-values."""
    about = {"measure": "ceat-battery", "missing": options["missing"]}
    return CeatBatteryResult(
        tests=tuple(tests),
        adjusted=adjust_known([test.crossed.pvalue for test in tests]),
        intervals=intervals,
        titles={design.name: titles_of(design.sets) for design in designs if design.name not in skipped},
        skipped=skipped,
        conventions={**about, "adjusted": "other words, two-sided", **options},
        provenance=provenance,
    )
