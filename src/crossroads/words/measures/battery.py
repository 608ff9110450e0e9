"""Many designs on one model, with the number of tests taken into account."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.inference.multiplicity import adjust_known
from crossroads.core.inference.permutation.test import Alternative, Tail
from crossroads.core.results import (
    QUESTION,
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
    numbers,
    pointer_part,
    stat,
)
from crossroads.core.results.gaps import measured, require_stimuli
from crossroads.core.results.gathered import Missing, check_vectors, listed_designs
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import percent
from crossroads.core.wording.vocabulary import interval_levels
from crossroads.words.measures.mleat import MleatResult, mleat
from crossroads.words.measures.power import Detectable, minimum_detectable
from crossroads.words.measures.stability import BootstrapResult
from crossroads.words.measures.weat import recorded_work


def _interval_note(results: Sequence[BatteryResult]) -> str:
    shares = interval_levels(results)
    return f"{shares}, {phrases.WORDS_DRAWN}; not adjusted" if shares else ""


def _detectable_note(results: Sequence[BatteryResult]) -> str:
    """Explanation of the detectable effect size; empty without a test."""
    for could in [could for one in results for could in one.detectable][:1]:
        side = "two-sided" if could.alternative == "two-sided" else "one-sided"
        return (
            f"true effect size that sets of these sizes detect in {percent(could.power)} of cases "
            f"(p < {could.alpha:g}, {side}, not adjusted)"
        )
    return ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BatteryResult(Family):
    """ML-EATs of several designs on one model."""

    _tests_on: ClassVar[str] = "words"
    _section: ClassVar[str] = "tests"
    _cites: ClassVar[tuple[str, ...]] = ("holm1979simple", "benjamini1995controlling")
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
        *from_tests(MleatResult, "d"),
        stat("ci", "CI(d)", _interval_note, of="interval.low", kind="interval", spare=2),
        *from_tests(MleatResult, "difference difference_ci p"),
        adjusted(),
        *from_tests(MleatResult, "exact_p"),
        stat("detectable", "detectable d", _detectable_note, of="extra.detectable", spare=2),
        stat("pattern", of="test.crossed_pattern", spare=4),
    )

    tests: tuple[MleatResult, ...]
    """The tests, in the order asked for."""
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
        """Every test with the effect sizes that it can detect."""
        for one, could in zip(super()._members(), self.detectable, strict=True):
            yield replace(one, extra=could)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        """Tests that cannot find anything, and why."""
        for one in (member for result in results.values() for member in result._members()):
            if one.extra.reason is not None:
                yield (
                    f"{one.test.design}: nothing could be found with just these words: {one.extra.reason}."
                )

    @classmethod
    def _warnings(cls, results: Mapping[str, Self]) -> list[str]:
        return list(cls._table_notes(results))

    def _other_files(self) -> dict[str, list[Row]]:
        """The associations of every effect size, by level."""
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
        """Every number of every test, with its interval, adjusted p-values and detectable effect sizes."""
        for one in self._members():
            test = one.test.design
            first, *others = one.long_rows(one.test._long_rows(test))
            yield first if one.interval is None else {**first, **named(one.interval, "low high")}
            yield from one.adjusted_rows("mleat", test, "level 1")
            yield from others
        for test, could in zip(self.tests, self.detectable, strict=True):
            yield from _size_rows(test.design, could)
        for interval in self.intervals.values():
            yield from interval._long_rows(interval._label)

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which target is closer to which attribute, relative to the others, by test."""
        for one in self._members():
            more, test, drawn = {}, one.test, one.interval
            if drawn is not None:
                at = f"intervals/{pointer_part(test.design)}/"
                more = numbers(
                    size_low=(f"{at}low", drawn.low),
                    size_high=(f"{at}high", drawn.high),
                    agree=(f"{at}same_sign", drawn.same_sign),
                )
            yield test.level1._concluded(test.design, one.p, f"tests/{one.at}/level1/", more, test.level2)


def _size_rows(name: str, could: Detectable) -> Iterator[Row]:
    """Effect sizes that a test with sets of its sizes can detect."""
    low, high = could.critical_range or (None, None)
    ends = {"critical": {"low": low, "high": high}}
    for statistic in ("critical", "detectable", "largest", "alpha", "power", "n_x", "n_y"):
        value = getattr(could, statistic)
        if value is not None:
            more = {"method": could.method, "n": could.n_x + could.n_y, **ends.get(statistic, {})}
            yield long_row("battery", name, "detectable", statistic, value, **more)


def recorded(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as conventions record them."""
    return {key: recorded_work(value) if key == "max_work" else value for key, value in options.items()}


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
    the expected share of false rejections. What sets of these sizes could have shown at all stands beside
    each test (:func:`~crossroads.stats.minimum_detectable`). With ``alternative="observed"`` both
    are two-sided, because the tail on the observed side has not the level it claims.

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
    >>> import numpy as np
    >>> import crossroads as cr
    >>> designs = [cr.catalog("weat7"), cr.catalog("weat8")]
    >>> words = list({word: None for design in designs for word in design.words})
    >>> emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(len(words), 9)))
    >>> result = cr.battery(emb, designs, alternative="two-sided")
    >>> [(test.design, round(test.level1.effect_size, 2)) for test in result.tests]
    [('weat7', 0.57), ('weat8', 0.17)]
    """
    designs = listed_designs(designs)
    if missing == "raise":
        check_vectors(emb)
        require_stimuli(emb, designs)
    tests, skipped = measured(
        ((design.name, design) for design in designs),
        lambda design: mleat(emb, design, missing=missing, **options),
        missing=missing,
        progress=progress,
    )
    return assemble_battery(
        [test for _, test in tests],
        skipped=skipped,
        missing=missing,
        options=options,
        provenance=(emb.provenance,),
    )


def assemble_battery(
    tests: Sequence[MleatResult],
    *,
    skipped: Mapping[str, str],
    missing: str,
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
    intervals: Mapping[str, BootstrapResult] | None = None,
    detect: Callable[..., Detectable] = minimum_detectable,
) -> BatteryResult:
    """Combine ML-EATs that were measured one by one into a battery with adjusted p-values."""
    adjusted = adjusted_tail(options)
    return BatteryResult(
        tests=tuple(tests),
        adjusted=adjust_known([test.level1.crossed.tail(adjusted) for test in tests]),
        skipped=skipped,
        detectable=tuple(_detectable(test, adjusted, detect) for test in tests),
        intervals=intervals or {},
        conventions={
            "measure": "battery",
            "missing": missing,
            "adjusted": f"Level 1, other words, {adjusted}",
            **recorded(options),
        },
        provenance=provenance,
    )


def adjusted_tail(options: Mapping[str, Any]) -> Tail:
    """The tail that is adjusted: one chosen after the fact is no p-value to adjust."""
    tail: Alternative = options.get("alternative", "two-sided")
    return "two-sided" if tail == "observed" else tail


def _detectable(test: MleatResult, alternative: Tail, detect: Callable[..., Detectable]) -> Detectable:
    """Effect sizes that Level 1 of a test can detect, under its own conventions."""
    given, sets = test.conventions, test.level1.sets
    return detect(
        len(sets["x"]),
        len(sets["y"]),
        alpha=given["alpha"],
        alternative=alternative,
        ties=given["ties"],
        ddof=given["ddof"],
        method="normal" if given["method"] == "normal" else "auto",
    )
