"""Families: several tests in one result, with p-values adjusted for their number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from crossroads.core.inference.crossed import Crossed
from crossroads.core.inference.multiplicity import adjust_known, interval_level
from crossroads.core.inference.permutation.test import Tail
from crossroads.core.results.checks import Checked
from crossroads.core.results.conclusion import Conclusion
from crossroads.core.results.result import Result, Row, Values, long_row
from crossroads.core.results.stats import Stat, named, stat
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, percent
from crossroads.core.wording.vocabulary import Note, adjusted_note

ADJUSTERS = ("holm1979simple", "benjamini1995controlling", "benjamini2001control")
"""Publications of the adjustments for the number of tests."""
_HEAD = f"p ({phrases.ADJUSTMENTS[phrases.ADJUSTMENT][0]})"
SHOWN = f"p_{phrases.ADJUSTMENT}"
"""Name of the adjusted p-value that outputs show."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A test in its family: columns, file names and rule names of a family begin here."""

    test: Any
    """The test."""
    at: int
    """Its place."""
    family: Any
    """The family."""
    extra: Any = None
    """What else the family knows of the test."""

    @cached_property
    def values(self) -> Mapping[str, float | None]:
        """Its adjusted p-values: ``p_holm`` and so on."""
        return {f"p_{how}": some[self.at] for how, some in self.family.adjusted.items()}

    @property
    def signs(self) -> Mapping[str, str | None]:
        """The sign of each adjusted p-value."""
        return {f"{name}_sign": None if value is None else "=" for name, value in self.values.items()}

    @property
    def p(self) -> P | None:
        """The adjusted p-value that outputs show."""
        value = self.values[SHOWN]
        return None if value is None else P(value)

    @property
    def ends(self) -> tuple[float, float] | None:
        """The interval of its difference that agrees with the adjusted p-value that outputs show."""
        found: tuple[float, float] | None = self.family.adjusted_intervals[self.at]
        return found

    def concluded(self, said: Conclusion) -> Conclusion:
        """Its conclusion, with the interval that agrees with its adjusted p-value."""
        if self.ends is None:
            return said
        at = f"adjusted_intervals/{self.at}/"
        ends = {"low": (f"{at}0", self.ends[0]), "high": (f"{at}1", self.ends[1])}
        return replace(said, numbers={**said.numbers, **ends})

    def checks(self) -> Iterator[Checked]:
        """Its robustness checks, with its adjusted p-value."""
        other, level = None if self.p is None else self.p.value, self.family.adjusted_level
        yield from (replace(one, other=other, adjusted=True, level=level) for one in self.test._checks())

    def long_rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Long rows of the test, with its adjusted p-value next to the one that it adjusts."""
        for row in rows:
            adjusts = "p" in row and not row["part"].startswith("level 2")
            yield {**row, SHOWN: self.values[SHOWN]} if adjusts else row

    def adjusted_rows(self, measure: str, test: str, part: str) -> Iterator[Row]:
        """Its adjusted p-values as long rows, and the interval that agrees with the one that is shown."""
        if self.ends is not None:
            ends = dict(zip(("low", "high"), self.ends, strict=True))
            yield long_row(measure, test, part, "adjusted_level", self.family.adjusted_level, **ends)
        for statistic, value in self.values.items():
            yield long_row(measure, test, part, statistic, value, method="crossed")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Family(Result):
    """Several tests of one type, and their adjusted p-values.

    A subclass says of which type its tests are and which columns it has. It may have ``skipped``: tests that
    could not be measured, and why. Its file names are those that it has beyond the rows of its tests; so are
    its rule names.
    """

    _member_type: ClassVar[type[Result]] = Result
    _file_names: ClassVar[str] = "*=values"

    tests: tuple[Any, ...]
    """The tests, in the order requested."""
    adjusted: Mapping[str, tuple[float | None, ...]]
    """Their p-values adjusted for the number of tests, by method (``holm``, ``bh``, ``by``)."""
    adjusted_intervals: tuple[tuple[float, float] | None, ...] = ()
    """Intervals of the differences that agree with the p-values adjusted by Benjamini and Hochberg; None for
    a test that has no p-value."""
    adjusted_level: float | None = None
    """Level of these intervals."""

    @classmethod
    def _known_names(cls) -> dict[str, tuple[str, ...]]:
        tests, own = cls._member_type._asked, super()._known_names()
        return {kind: (*tests[kind], *names) for kind, names in own.items()}

    def _members(self) -> Iterator[Member]:
        yield from (Member(test=test, at=at, family=self) for at, test in enumerate(self.tests))

    def _adjusted_marks(self) -> Mapping[str, Mapping[Any, P]]:
        return marked(self.adjusted)

    def _adjusted_p(self) -> list[P | None]:
        return [one.p for one in self._members()]

    def _parts(self, name: str) -> Iterator[tuple[str, Result]]:
        yield from ((one._label, one) for one in self.tests)

    def _rows(self) -> list[Row]:
        """One row per test: its own row, and what the family adds."""
        return [{**one.test._rows()[0], **named(one, self._file_names)} for one in self._members()]

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        for member in self._members():
            for label, kind, values in member.test._readings(member.test._label):
                if kind in self._rule_names:
                    yield label, kind, {**values, **named(member, self._rule_names[kind])}

    def _checks(self) -> Iterator[Checked]:
        for member in self._members():
            yield from member.checks()

    def _unmeasured(self, name: str) -> Iterator[tuple[str, str, str]]:
        kind = next(iter(self._asked), "")
        yield from ((design, kind, why) for design, why in getattr(self, "skipped", {}).items())


def marked(adjusted: Mapping[str, Sequence[float | None]]) -> Mapping[str, Mapping[Any, P]]:
    """Adjusted p-values with their marks, by method and number of the test."""
    return {how: {i: P(p) for i, p in enumerate(some) if p is not None} for how, some in adjusted.items()}


def adjusted_together(found: Sequence[Crossed], tail: Tail = "two-sided") -> dict[str, Any]:
    """Fields of a family: p-values for other words adjusted for their number, and intervals that agree."""
    pvalues = adjust_known([one.tail(tail) for one in found])
    level = interval_level(pvalues[phrases.ADJUSTMENT], sides=2 if tail == "two-sided" else 1)
    ends = tuple(None if one.se is None else one.ends(level) for one in found)
    return {"adjusted": pvalues, "adjusted_intervals": ends, "adjusted_level": level}


def from_tests(kind: type[Result], keys: str) -> tuple[Stat, ...]:
    """Columns of the tests of a family, by key."""
    columns = {one.key: one for one in kind._columns}
    return tuple(columns[key].under("test") for key in keys.split())


def adjusted(noun: str = "test", plural: str | None = None, note: Note = "") -> Stat:
    """The column of adjusted p-values; by default its note counts the tests of all families."""
    return stat(SHOWN, _HEAD, note or adjusted_note(noun, plural), of="p")


def _levels(results: Sequence[Any]) -> str:
    """Levels of intervals that agree with adjusted p-values, and what the plain ones are."""
    levels = dict.fromkeys(
        percent(one.adjusted_level, 1) for one in results if one.adjusted_level is not None
    )
    return f"of Δ, {', '.join(levels)}, which agrees with {_HEAD}: {phrases.LEVELS}" if levels else ""


ENDS = stat("difference_ci", "CI", _levels, of="ends", kind="interval", digits=3, spare=5)
"""The column of intervals of differences that agree with adjusted p-values."""
