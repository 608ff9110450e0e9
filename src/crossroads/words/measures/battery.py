"""Many designs on one model, adjusted for the number of tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from crossroads.core.errors import Missing
from crossroads.core.evidence import Embeddings, Provenance
from crossroads.core.inference.permutation.test import Alternative, Tail
from crossroads.core.results import (
    ADJUSTERS,
    ENDS,
    QUESTION,
    TEST,
    Conclusion,
    Family,
    Result,
    Row,
    Stat,
    adjusted,
    adjusted_together,
    from_tests,
    stat,
)
from crossroads.core.results.extended import extended
from crossroads.core.results.gaps import measured, require_stimuli
from crossroads.core.results.gathered import check_vectors, listed_designs
from crossroads.core.stimuli import Design
from crossroads.words.measures.mleat import MleatResult, mleat
from crossroads.words.measures.weat import recorded_work

if TYPE_CHECKING:
    from crossroads.contexts.measures.battery import ceat_battery


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
        "exact_p_sign=test.level1._p.sign *=values *=signs min_exact_p=test.level1.min_pvalue"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {"test": "*=values"}
    _columns: ClassVar[tuple[Stat, ...]] = (
        *(TEST.under("test"), QUESTION.under("test")),
        *from_tests(MleatResult, "agreement d"),
        *from_tests(MleatResult, "difference"),
        ENDS,
        *(replace(one, look={**one.look, "spare": 3}) for one in from_tests(MleatResult, "p")),
        adjusted(),
        *from_tests(MleatResult, "exact_p detectable"),
        stat("pattern", of="test.crossed_pattern", spare=4),
    )

    tests: tuple[MleatResult, ...]
    """The tests, in the order requested."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Level 1 p-values for other words (``crossed``) adjusted for the number of tests, by method (``holm``,
    ``bh``, ``by``); two-sided if the tail was chosen after the fact; None for a test that has none."""
    skipped: Mapping[str, str]
    """Designs that could not be measured, and why."""

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterable[str]:
        return MleatResult._table_notes({test.design: test for one in results.values() for test in one.tests})

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
            yield from one.long_rows(one.test._long_rows(test))
            yield from one.adjusted_rows("mleat", test, "level 1")

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for one in self._members():
            test = one.test
            yield one.concluded(test.level1._concluded(test.design, one.p, f"tests/{one.at}/level1/"))


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
    the expected share of false rejections. With ``alternative="observed"`` they are two-sided, because
    the tail on the observed side has not the level it claims. Of
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
) -> BatteryResult:
    """Combine ML-EATs that were measured one by one into a battery with adjusted p-values."""
    return BatteryResult(
        tests=tuple(tests),
        skipped=skipped,
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
