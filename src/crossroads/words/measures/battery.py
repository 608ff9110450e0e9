"""Many designs on one model, adjusted for the number of tests, and what such tests can detect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import combinations
from math import comb, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from crossroads.core.errors import InputError, Missing, one_of
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.inference.geometry import Floats
from crossroads.core.inference.options import share, whole
from crossroads.core.inference.permutation.test import Alternative, Tail, Ties
from crossroads.core.results import (
    ADJUSTERS,
    ENDS,
    QUESTION,
    TEST,
    Conclusion,
    Family,
    Member,
    Result,
    Row,
    Stat,
    adjusted,
    adjusted_together,
    from_tests,
    long_row,
    named,
    numbers,
    pointer_part,
    stat,
)
from crossroads.core.results.extended import extended
from crossroads.core.results.gaps import measured, require_stimuli
from crossroads.core.results.gathered import check_vectors, listed_designs
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import percent
from crossroads.core.wording.vocabulary import interval_levels
from crossroads.words.measures.mleat import MleatResult, mleat
from crossroads.words.measures.stability import BootstrapResult
from crossroads.words.measures.weat import check_ddof, recorded_work

if TYPE_CHECKING:
    from crossroads.contexts.measures.battery import ceat_battery

PowerMethod = Literal["auto", "exact", "t", "normal"]
"""How power is computed: from the divisions, from the limiting t test, or from a fitted normal curve."""
COUNTED = 5_000
"""Divisions up to which power is computed from the divisions; beyond, the t test is within .01."""
COUNTED_AT_LOW_LEVELS = 200_000
"""The same where the level of a tail is below .02, at which the t test converges more slowly."""
_LOW_LEVEL = 0.02
_SHAPES = (200, 4_000)
_SUMS = 4_000_000
_COUNTABLE = 2**50
_NODES = 400
_SEED = 0


def _interval_note(results: Sequence[BatteryResult]) -> str:
    shares = interval_levels(results)
    return f"{shares}, {phrases.WORDS_DRAWN}; not adjusted" if shares else ""


def _detectable_note(results: Sequence[BatteryResult]) -> str:
    for could in [could for one in results for could in one.detectable][:1]:
        side = "two-sided" if could.alternative == "two-sided" else "one-sided"
        cases = f"{percent(could.power)} of cases (p < {could.alpha:g}, {side}, not adjusted)"
        return f"true effect size that sets of these sizes detect in {cases}"
    return ""


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """Effect sizes that sets of given sizes can detect."""

    n_x: int
    """Size of the first set."""
    n_y: int
    """Size of the second set."""
    alpha: float
    """Level of the test: a p-value below it is significant."""
    power: float
    """Requested probability of rejection."""
    alternative: str
    """``greater`` (also for ``less``) or ``two-sided``."""
    critical: float | None
    """Observed effect size above which the test is significant; None if no effect can be. It depends on the
    distribution of scores within the sets: this is the median over normal scores."""
    critical_range: tuple[float, float] | None
    """Range of that effect size in nine of ten sets of normal scores; None where divisions were not
    counted."""
    detectable: float | None
    """True effect size that is detected with the requested probability; None if none can be."""
    largest: float
    """The largest possible effect size of sets of these sizes."""
    method: str
    """How power was computed: ``exact``, by counting divisions; ``t``, from the limiting t test; or
    ``normal``, from a normal curve fitted to the divisions."""
    reason: str | None
    """Why nothing can be detected; None otherwise."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BatteryResult(Family):
    """ML-EATs of several designs on one model."""

    _tests_on: ClassVar[str] = "words"
    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = ADJUSTERS
    _stem: ClassVar[str] = "tests"
    _figure: ClassVar[str] = "forest"
    _member_type: ClassVar[type[Result]] = MleatResult
    _label_format: ClassVar[str] = "battery"
    _table_title: ClassVar[str] = "Association tests"
    _file_names: ClassVar[str] = (
        "exact_p_sign=test.level1._p.sign *=values *=signs critical_effect_size=extra.critical "
        "detectable_effect_size=extra.detectable effect_size_low=interval.low effect_size_high=interval.high "
        "min_exact_p=test.level1.min_pvalue"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "test": "effect_size_low=interval.low effect_size_high=interval.high *=values"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        *(TEST.under("test"), QUESTION.under("test")),
        *from_tests(MleatResult, "agreement d"),
        stat("ci", "CI(d)", _interval_note, of="interval.low", kind="interval", spare=2),
        *from_tests(MleatResult, "difference"),
        ENDS,
        *from_tests(MleatResult, "p"),
        adjusted(),
        *from_tests(MleatResult, "exact_p"),
        stat("detectable", "detectable d", _detectable_note, of="extra.detectable", spare=2),
        stat("pattern", of="test.crossed_pattern", spare=4),
    )

    tests: tuple[MleatResult, ...]
    """The tests, in the order requested."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Level 1 p-values for other words (``crossed``) adjusted for the number of tests, by method (``holm``,
    ``bh``, ``by``); two-sided if the tail was chosen after the fact; None for a test that has none."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""
    detectable: tuple[Detectable, ...]
    """Effect sizes that Level 1 of each test can detect with sets of its sizes, before any adjustment;
    two-sided if the tail was chosen after the fact."""
    intervals: Mapping[str, BootstrapResult]
    """Bootstrap interval of each test that has one, by name of the design."""

    def _members(self) -> Iterator[Member]:
        for one, could in zip(super()._members(), self.detectable, strict=True):
            yield replace(one, extra=could)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """Tests that cannot find anything, and why."""
        for test in (member for result in results.values() for member in result._members()):
            if (reason := test.extra.reason) is not None:
                yield f"{test.test.design}: nothing could be found with just these words: {reason}."

    @classmethod
    def _warnings(cls, results: Mapping[str, Self]) -> list[str]:
        return list(cls._table_notes(results))

    def _other_files(self) -> dict[str, list[Row]]:
        rows = []
        for test in self.tests:
            levels = {"1": test.level1, "2 x": test.level2["x"], "2 y": test.level2["y"]}
            for level, one in levels.items():
                for name in ("x", "y") if level == "1" else ("a", "b"):
                    place = {"design": test.design, "level": level, "set": name}
                    words = ((word, one.associations[word]) for word in one.sets[name])
                    rows += [{**place, "word": word, "association": value} for word, value in words]
        return {"associations": rows}

    def _long_rows(self, name: str) -> Iterator[Row]:
        for one in self._members():
            test = one.test.design
            ends = {} if one.interval is None else named(one.interval, "low high")
            for row in one.long_rows(one.test._long_rows(test)):
                of_d = row["statistic"] == "effect_size" and row["part"] == "level 1"
                yield row | ends if of_d else row
            yield from one.adjusted_rows("mleat", test, "level 1")
        for test, could in zip(self.tests, self.detectable, strict=True):
            sizes = could.n_x + could.n_y
            row = partial(long_row, "battery", test.design, "detectable", method=could.method, n=sizes)
            low, high = could.critical_range or (None, None)
            for statistic in ("critical", "detectable", "largest", "alpha", "power", "n_x", "n_y"):
                value, ends = getattr(could, statistic), {"low": low, "high": high}
                if value is not None:
                    yield row(statistic, value, **(ends if statistic == "critical" else {}))
        for interval in self.intervals.values():
            yield from interval._long_rows(interval._label)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for one in self._members():
            more, test, drawn = {}, one.test, one.interval
            if drawn is not None:
                at = f"intervals/{pointer_part(test.design)}/"
                ends = {"size_low": (f"{at}low", drawn.low), "size_high": (f"{at}high", drawn.high)}
                more = numbers(**ends)
            yield one.concluded(test.level1._concluded(test.design, one.p, f"tests/{one.at}/level1/", more))


def recorded(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as conventions record them."""
    return {key: recorded_work(value) if key == "max_work" else value for key, value in options.items()}


@extended("ceat_battery", lambda: ceat_battery)
def battery(
    emb: Embeddings,
    designs: Design | Iterable[Design],
    *,
    missing: Missing = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> BatteryResult:
    """Run the ML-EAT on several designs and adjust their p-values for other words for the number of tests.

    Holm's adjustment keeps the chance of any false rejection at the level, that of Benjamini and Hochberg
    the expected share of false rejections. Each test comes with what sets of its sizes could have shown at
    all (:func:`~crossroads.stats.minimum_detectable`). With ``alternative="observed"`` both
    are two-sided, because the tail on the observed side has not the level it claims. Of
    :class:`~crossroads.Contexts` it runs the CEAT on each design: ``crossroads.contexts.measures.battery``.

    Parameters
    ----------
    missing
        As in :func:`~crossroads.weat`. A design that has too few stimuli left is listed in ``skipped``.
    progress
        Called with the name of each design before it is measured.
    options
        Passed on to :func:`~crossroads.mleat`.

    Examples
    --------
    >>> import crossroads as cr
    >>> designs = [cr.catalog("weat7"), cr.catalog("weat8")]
    >>> emb = cr.load("default", words=designs)
    >>> result = cr.battery(emb, designs, alternative="two-sided")
    >>> [(test.design, round(test.level1.effect_size, 2)) for test in result.tests]
    [('weat7', 1.5), ('weat8', 1.48)]
    """
    designs = listed_designs(designs)
    if missing == "raise":
        check_vectors(emb)
        require_stimuli(emb, designs)
    measure = partial(mleat, emb, missing=missing, **options)
    named_designs = [(design.name, design) for design in designs]
    tests, skipped = measured(named_designs, measure, missing=missing, progress=progress)
    about: dict[str, Any] = {"missing": missing, "options": options, "provenance": (emb.provenance,)}
    return assemble_battery([test for _, test in tests], skipped=skipped, **about)


def assemble_battery(
    tests: Sequence[MleatResult],
    *,
    skipped: Mapping[str, str],
    missing: str,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
    intervals: Mapping[str, BootstrapResult] | None = None,
    detect: Callable[..., Detectable] | None = None,
) -> BatteryResult:
    """Combine ML-EATs that were measured one by one into a battery with adjusted p-values."""
    detectable = []
    for test in tests:  # under its own conventions
        sets, method = test.level1.sets, "normal" if test.conventions["method"] == "normal" else "auto"
        same = {name: test.conventions[name] for name in ("alpha", "ties", "ddof")}
        same |= {"alternative": adjusted_tail(options), "method": method}
        detectable.append((detect or minimum_detectable)(len(sets["x"]), len(sets["y"]), **same))
    return BatteryResult(
        tests=tuple(tests),
        skipped=skipped,
        detectable=tuple(detectable),
        intervals=intervals or {},
        **adjusted_levels("battery", tests, missing, options),
        provenance=provenance,
    )


def adjusted_levels(
    measure: str, tests: Sequence[MleatResult], missing: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Adjusted p-values for other words of Level 1 of several tests, and their conventions."""
    tail = adjusted_tail(options)
    adjusted = f"Level 1, other words, {tail}"
    return {
        **adjusted_together([test.level1.crossed for test in tests], tail),
        "conventions": {"measure": measure, "missing": missing, "adjusted": adjusted, **recorded(options)},
    }


def adjusted_tail(options: Mapping[str, Any]) -> Tail:
    """The tail that is adjusted: one chosen after the fact is no p-value to adjust."""
    tail: Alternative = options.get("alternative", "two-sided")
    return "two-sided" if tail == "observed" else tail


def minimum_detectable(
    n_x: int,
    n_y: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Tail = "two-sided",
    ties: Ties = "weak",
    ddof: int = 1,
    method: PowerMethod = "auto",
) -> Detectable:
    r"""Find the smallest effect size that a permutation test can detect.

    Scores are assumed to be normal with equal variance around two means, :math:`\delta` standard deviations
    apart. Effect sizes are on the scale of the WEAT, which divides by the standard deviation of *all* scores,
    so they cannot exceed about 2: ``detectable`` is the effect size of scores whose means differ by exactly
    :math:`\delta` and whose variance within sets is exactly that of the model. Where even the smallest
    p-value of the design is not below the level, the effect sizes are None, and ``reason`` says why.

    Parameters
    ----------
    n_x, n_y
        Sizes of the two sets that are permuted.
    alpha, power
        Level of the test, and requested probability of rejection at that level.
    alternative, ties, ddof
        As in :func:`~crossroads.weat`.
    method
        ``"exact"`` counts divisions, ``"t"`` uses the t test in place of the permutation test, and ``"auto"``
        counts up to 5,000 divisions (200,000 where the level of a tail is below .02). ``"normal"`` is for
        tests with ``method="normal"``, whose p-value is that of a normal curve.

    Notes
    -----
    The exact test rejects beyond a threshold that depends on the shape of the scores within sets only: its
    power is the mean, over shapes drawn with a fixed seed, of that of the t test with that threshold. The t
    test is used at the level that the divisions can attain.

    Examples
    --------
    >>> found = minimum_detectable(8, 8)
    >>> round(found.critical, 2), round(found.detectable, 2), found.method
    (0.96, 1.21, 't')
    >>> minimum_detectable(3, 3).reason
    'the smallest p-value of sets of 3 and 3 is 0.1, which is not below 0.05'
    """
    one_of("alternative", alternative, Tail)
    one_of("ties", ties, Ties)
    one_of("method", method, PowerMethod)
    for name, n in (("n_x", n_x), ("n_y", n_y)):
        whole(name, n, least=2, hint="give at least two stimuli per set.")
    for name, value in (("alpha", alpha), ("power", power)):
        share(name, value, hint="give a share between 0 and 1.")
    check_ddof(ddof)
    if method == "exact" and comb(n_x + n_y, n_x) > COUNTED_AT_LOW_LEVELS:
        message = f"sets of {n_x} and {n_y} have too many divisions to count."
        raise InputError(message, hint="use method='auto'.")
    return _detectable(
        int(n_x), int(n_y), float(alpha), float(power), alternative, ties == "strict", int(ddof), method
    )


@lru_cache(maxsize=1024)
def _detectable(
    n_x: int, n_y: int, alpha: float, power: float, alternative: str, strict: bool, ddof: int, method: str
) -> Detectable:
    n, sides = n_x + n_y, 2 if alternative == "two-sided" else 1
    divisions = comb(n, n_x)
    count, level = divisions, alpha / sides
    if divisions <= _COUNTABLE:  # how many, the observed one included, may be as extreme
        count = int(level * divisions) + 1
        while count > 0 and not sides * (count / divisions) < alpha:  # the comparison that users make
            count -= 1
        count += strict
        level = count / divisions
    if method == "auto":
        few = COUNTED if level >= _LOW_LEVEL else COUNTED_AT_LOW_LEVELS
        method = "exact" if divisions <= few else "t"
    scale = sqrt((n - ddof) / (n - 1))
    largest = sqrt((n - 1) * n / (n_x * n_y))
    reason: str | None = None
    critical = detectable = spread = None
    if method == "normal":
        bar = -NormalDist().inv_cdf(alpha / sides) * sqrt(n / (n_x * n_y))
        if bar >= largest:
            reason = f"sets of {n_x} and {n_y} cannot have an effect size that is significant at {alpha:g}"
        else:
            bars = np.array([bar * sqrt((n - 2) / (n - 1 - bar**2 * n_x * n_y / n))])
    elif count == 0:
        smallest = f"the smallest p-value of sets of {n_x} and {n_y} is {sides / divisions:.4g}"
        reason = f"{smallest}, which is not below {alpha:g}"
    elif method == "exact":
        bars = _bars(n_x, n_y, count)
    else:
        from scipy.special import stdtrit  # scipy is slow to import

        bars = np.array([-float(stdtrit(n - 2, level)) * sqrt(1 / n_x + 1 / n_y)])
    if reason is None:
        low, middle, high = np.quantile(_on_weat_scale(bars, n_x, n_y) * scale, [0.05, 0.5, 0.95]).tolist()
        critical, spread = middle, (low, high) if method == "exact" else None
        shift = np.array([_needed(bars, n_x, n_y, sides, power)])
        detectable = float(_on_weat_scale(shift, n_x, n_y)[0]) * scale
    return Detectable(
        n_x=n_x,
        n_y=n_y,
        alpha=alpha,
        power=power,
        alternative=alternative,
        critical=critical,
        critical_range=spread,
        detectable=detectable,
        largest=largest * scale,
        method=method,
        reason=reason,
    )


def _bars(n_x: int, n_y: int, count: int) -> Floats:
    """Observed shifts, in standard deviations within sets, above which the exact test is significant.

    With u and v the means of k residuals of the first and the second set, the division that exchanges them is
    at least as extreme as an observed shift unless the shift exceeds v − u.
    """
    n_x, n_y = sorted((n_x, n_y))  # a test of Y against X is the same
    divisions = comb(n_x + n_y, n_x)
    shapes = min(max(_SUMS // divisions, _SHAPES[0]), _SHAPES[1])
    rng = np.random.default_rng(_SEED)
    x, y = (z - z.mean(axis=1, keepdims=True) for z in (rng.normal(size=(shapes, n)) for n in (n_x, n_y)))
    sizes = [(_means(n_x, k), _means(n_y, k)) for k in range(1, n_x + 1)]
    bars = []
    step = max(1, _SUMS // divisions)
    for start in range(0, shapes, step):
        some = slice(start, start + step)
        lost = [((y[some] @ v)[:, :, None] - (x[some] @ u)[:, None, :]) for u, v in sizes]
        table = np.concatenate([one.reshape(len(one), -1) for one in lost], axis=1)
        place = table.shape[1] - count
        bars.append(np.partition(table, place, axis=1)[:, place])
    spread = np.sqrt(((x**2).sum(axis=1) + (y**2).sum(axis=1)) / (n_x + n_y - 2))
    return np.asarray(np.concatenate(bars) / spread)


def _means(n: int, size: int) -> Floats:
    """One column for each subset of a size, whose product with values is their mean."""
    chosen = np.array(list(combinations(range(n), size)))
    weights = np.zeros((n, len(chosen)))
    weights[chosen.T, np.arange(len(chosen))] = 1 / size
    return weights


def _needed(bars: Floats, n_x: int, n_y: int, sides: int, power: float) -> float:
    """The true shift at which a test with these bars rejects with the requested probability."""
    from scipy.optimize import brentq  # slow to import, and needed here only
    from scipy.special import nctdtr  # scipy.stats, which has it too, is slower still

    df, width = n_x + n_y - 2, sqrt(1 / n_x + 1 / n_y)
    alike = np.array_split(np.sort(bars) / width, min(bars.size, _NODES))  # the power is smooth in the bar
    nodes, weights = np.array([(some.mean(), some.size / bars.size) for some in alike]).T

    def missed(shift: float) -> float:
        reached = float((1 - nctdtr(df, shift / width, nodes)) @ weights)
        if sides == 2:  # the far tail, which scipy cannot compute below 1e-8
            reached += float(np.nan_to_num(nctdtr(df, shift / width, -nodes)) @ weights)
        return reached - power

    if missed(0.0) >= 0:
        return 0.0
    top = 1.0
    while missed(top) < 0:
        top *= 2
    return float(brentq(missed, 0.0, top, xtol=1e-9))


def _on_weat_scale(shift: Floats, n_x: int, n_y: int) -> Floats:
    n = n_x + n_y
    return np.asarray(shift / np.sqrt((n - 2 + shift**2 * n_x * n_y / n) / (n - 1)))
