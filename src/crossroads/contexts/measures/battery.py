"""The CEAT of many designs on one set of contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

from crossroads.contexts.measures.ceat import CeatResult, ceat, context_name
from crossroads.contexts.measures.draws import check_contexts
from crossroads.contexts.measures.levels import levels_name
from crossroads.core.errors import Missing, MissingStimuliError
from crossroads.core.evidence import Contexts, Provenance
from crossroads.core.results import (
    ADJUSTERS,
    ENDS,
    Conclusion,
    Family,
    Member,
    Result,
    Row,
    Stat,
    adjusted,
    adjusted_together,
    from_tests,
    stat,
)
from crossroads.core.results.checks import Checked
from crossroads.core.results.gaps import NO_CONTEXT, measured, require_stimuli
from crossroads.core.results.gathered import listed_designs, titles_of
from crossroads.core.stimuli import Design
from crossroads.core.wording import phrases


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
    _file_names: ClassVar[str] = "exact_p_sign=test._p.sign *=values *=signs"
    _rule_names: ClassVar[Mapping[str, str]] = {"context test": "*=values"}
    _columns: ClassVar[tuple[Stat, ...]] = (
        *from_tests(CeatResult, "test"),
        stat("question", of="extra"),
        *from_tests(CeatResult, "agreement ces published d difference"),
        replace(ENDS, look={**ENDS.look, "spare": 2}),
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

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        tests = {test.design: test for result in results.values() for test in result.tests}
        yield from CeatResult._table_notes(tests)

    @classmethod
    def _warnings(cls, results: Mapping[str, Self]) -> list[str]:
        return list(cls._table_notes(results))

    def _members(self) -> Iterator[Member]:
        yield from (replace(one, extra=self.asks(one.test.design)) for one in super()._members())

    def _checks(self) -> Iterator[Checked]:
        for member in self._members():
            yield from (replace(one, question=member.extra) for one in member.checks())

    def _long_rows(self, name: str) -> Iterator[Row]:
        for one in self._members():
            yield from one.long_rows(one.test._long_rows(one.test.design))
            yield from one.adjusted_rows("ceat", one.test.design, "other words")

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        for one in self._members():
            titles = self.titles.get(one.test.design, {})
            yield one.concluded(one.test._concluded(titles, one.p, f"tests/{one.at}/"))

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
    missing: Missing = "drop",
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> CeatBatteryResult:
    """Run the CEAT on several designs and adjust their p-values for other words for the number of tests.

    Parameters
    ----------
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
    measure = partial(ceat, contexts, missing=missing, **options)
    by_name = ((design.name, design) for design in designs)
    tests, skipped = measured(by_name, measure, missing=missing, progress=progress)
    return assemble_ceat_battery(
        [test for _, test in tests],
        designs=designs,
        skipped=skipped,
        options={"missing": missing, **options},
        provenance=(contexts.provenance,),
    )


def assemble_ceat_battery(
    tests: Sequence[CeatResult],
    *,
    designs: Iterable[Design],
    skipped: Mapping[str, str],
    options: Mapping[str, Any],
    provenance: tuple[Provenance, ...],
) -> CeatBatteryResult:
    """Combine CEATs that were measured one by one into a battery with adjusted p-values."""
    about = {"measure": "ceat-battery", "missing": options["missing"]}
    return CeatBatteryResult(
        tests=tuple(tests),
        **adjusted_together([test.crossed for test in tests]),
        titles={design.name: titles_of(design.sets) for design in designs if design.name not in skipped},
        skipped=skipped,
        conventions={**about, "adjusted": "other words, two-sided", **options},
        provenance=provenance,
    )
