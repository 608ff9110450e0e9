"""The quality rules of the ABC survey, for surveys of your own (Cao et al. 2022, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np

from crossroads.core.errors import InputError, in_short, join_words, one_of
from crossroads.core.results import Result, Row, Stat, stat
from crossroads.core.results.stats import NAME
from crossroads.core.stimuli import catalog
from crossroads.core.wording.numbers import counted, percent
from crossroads.core.wording.table import Table
from crossroads.traits.people.files import group_name, own_trait

AttentionTest = Literal["group", "traits", "repeat"]
Agreement = Literal["side", "near", "order"]
MIDDLE = 50.0
_AGREEMENTS: Mapping[Any, str] = {
    "side": "share of traits of the repeated group that were rated on the same side of 50 both times",
    "near": "share of traits of the repeated group with ratings at most {tolerance:g} points apart",
    "order": "share of pairs of traits of the repeated group in the same order both times",
}


@dataclass(frozen=True, kw_only=True)
class Answers:
    """Answers of one annotator."""

    annotator: str
    """Who."""
    ratings: Mapping[str, Mapping[str, float]]
    """Group → pair of traits → rating from 0 to 100, in the order in which the groups were shown."""
    named_group: str = ""
    """The group that the annotator named after the first page."""
    named_high: str = ""
    """The trait that the annotator reports having marked high on the second page: a pair, or an end of it."""
    named_low: str = ""
    """The trait that the annotator reports having marked low there."""
    repeated: str = ""
    """The group that was shown again at the end."""
    repetition: Mapping[str, float] | None = None
    """The second ratings of that group."""


def _agreements(results: Sequence[Any]) -> str:
    options = [one.conventions for one in results]
    how = dict.fromkeys(_AGREEMENTS[some["agreement"]].format(**some) for some in options)
    least = dict.fromkeys(percent(some["self_agreement"]) for some in options)
    return f"{' or '.join(how)}; at least {' or '.join(least)} is asked for"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ScreenResult(Result):
    """Annotators who pass the attention tests of a survey."""

    _cites: ClassVar[tuple[str, ...]] = ("cao2022theory",)
    _label_format: ClassVar[str] = "survey"
    _table_name: ClassVar[str] = "survey"
    _file_names: ClassVar[str] = "annotator passed agreement reasons"
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("survey", of=NAME, several=True),
        stat("annotator", "person"),
        stat("passed", "kept"),
        stat("agreement", note=_agreements, kind="share"),
        stat("reasons", "why not", "every test question that was failed", of="failed"),
    )

    passed: tuple[str, ...]
    """Annotators whose answers are kept."""
    failed: Mapping[str, tuple[str, ...]]
    """The others, with every reason."""
    agreement: Mapping[str, float]
    """Agreement of each annotator with themselves on the repeated group, from 0 to 1, where it was tested."""

    def _members(self) -> Iterator[Row]:
        for who in (*self.passed, *self.failed):
            reasons = "; ".join(self.failed.get(who, ()))
            row: Row = {"annotator": who, "passed": who not in self.failed}
            yield row | {"agreement": self.agreement.get(who), "reasons": reasons, "failed": reasons or None}

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        table = super()._tabulate(results)
        kept = sum(len(one.passed) for one in results.values())
        people = counted(len(table.rows), "person", "people")
        return replace(table, title=f"Answers kept: {kept:,} of {people}")


def screen(
    answers: Iterable[Answers],
    *,
    self_agreement: float = 0.8,
    tests: Iterable[AttentionTest] = get_args(AttentionTest),
    agreement: Agreement = "side",
    tolerance: float = 20.0,
) -> ScreenResult:
    """Screen out inattentive annotators by the three test questions of the ABC survey.

    Parameters
    ----------
    self_agreement
        Smallest self-agreement on the group that is shown twice.
    tests
        Which tests to apply. ``"group"``: after the first page, the annotator names its group. ``"traits"``:
        after the second, a trait that was marked high (above 50) and one marked low (below 50); the left end
        of a pair, named as high, is high where the rating is below 50. ``"repeat"``: the last group repeats
        another, and the ratings agree.
    agreement, tolerance
        Definition of self-agreement. ``"side"``: share of traits rated on the same side of 50 both times; a
        rating of exactly 50 agrees with another of 50 only. ``"near"``: share of traits with ratings no
        further apart than ``tolerance``. ``"order"``: share of pairs of traits in the same order both times.

    Notes
    -----
    *Departures:* the paper asks for an "accuracy-to-self" of 80 % and does not define it; it divides ratings
    at 50 where it needs two classes.

    Examples
    --------
    >>> ratings = {"nurses": {"cold-warm": 90.0}, "bankers": {"cold-warm": 20.0}}
    >>> careful = Answers(annotator="ann", ratings=ratings, named_group="nurses")
    >>> hasty = Answers(annotator="ben", ratings=ratings, named_group="bankers")
    >>> result = screen([careful, hasty], tests=["group"])
    >>> result.passed, list(result.failed)
    (('ann',), ['ben'])
    """
    chosen = tuple(one_of("test", test, AttentionTest) for test in tests)
    one_of("agreement", agreement, Agreement)
    if not 0 <= self_agreement <= 1:
        raise InputError(
            f"self_agreement is {in_short(self_agreement)}.", hint="give a share from 0 to 1, such as 0.8."
        )
    screened = tuple(answers)
    names = [one.annotator for one in screened]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice or not screened:
        fault = f"the annotator {in_short(twice[0])} is given twice." if twice else "there are no answers."
        raise InputError(fault, hint="give the answers of each annotator once.")
    shares: dict[str, float] = {}
    failed: dict[str, tuple[str, ...]] = {}
    for one in screened:
        reasons = [*_name_faults(one, chosen)]
        if "repeat" in chosen:
            share = _self_agreement(one, agreement, tolerance)
            if share is None:
                reasons.append("no group was rated twice")
            else:
                shares[one.annotator] = share
                if share < self_agreement - 1e-12:
                    reasons.append(f"self-agreement is {share:.0%}, below {self_agreement:.0%}")
        if reasons:
            failed[one.annotator] = tuple(reasons)
    return ScreenResult(
        passed=tuple(name for name in names if name not in failed),
        failed=failed,
        agreement=shares,
        conventions={
            "measure": "screen",
            "tests": ", ".join(chosen),
            "self_agreement": self_agreement,
            "agreement": agreement,
            "tolerance": tolerance,
        },
    )


def _name_faults(one: Answers, tests: tuple[str, ...]) -> list[str]:
    """What is wrong with the answers to the first two test questions."""
    shown = list(one.ratings)
    faults = []
    if "group" in tests:
        if not shown:
            faults.append("no group was rated")
        elif group_name(one.named_group) != group_name(shown[0]):
            faults.append(f"named {one.named_group or 'nothing'!r} for the first group, {shown[0]!r}")
    if "traits" in tests and len(shown) < 2:
        faults.append("fewer than two groups were rated")
    elif "traits" in tests:
        wrong = [
            f"{named or 'nothing'!r} was not marked {side}"
            for named, side in ((one.named_high, "high"), (one.named_low, "low"))
            if not _was_marked(named, side, one.ratings[shown[1]])
        ]
        faults += [join_words(wrong)] if wrong else []
    return faults


def _was_marked(named: str, side: str, page: Mapping[str, float]) -> bool:
    """Whether a trait was marked high or low; it is named by its pair or by one of its ends."""
    wanted = " ".join(named.casefold().split())
    ends = {p.name: (p.left.casefold(), p.right.casefold()) for p in catalog().traits("abc-traits")}
    for written, rating in page.items():
        name, turned = own_trait(written)
        left, right = ends.get(name, ("", ""))
        score = 100 - rating if turned else rating
        if wanted and wanted == left:
            return score < MIDDLE  # "powerless" is high, or the slider low: both on its side
        named_so = wanted in (right, written.casefold(), name.casefold())
        if named_so or (wanted and own_trait(named).name == name):
            return score > MIDDLE if side == "high" else score < MIDDLE
    return False


def _self_agreement(one: Answers, agreement: str, tolerance: float) -> float | None:
    """Agreement of the two ratings of the repeated group; None where there are none."""
    shown = {group_name(group): row for group, row in one.ratings.items()}
    first, second = shown.get(group_name(one.repeated), {}), one.repetition or {}
    both = [(first[trait], second[trait]) for trait in first if trait in second]
    if not both:
        return None
    if agreement == "near":
        return sum(abs(p - q) <= tolerance for p, q in both) / len(both)
    if agreement == "side":
        return float(np.mean([np.sign(p - MIDDLE) == np.sign(q - MIDDLE) for p, q in both]))
    alike = [np.sign(a[0] - b[0]) == np.sign(a[1] - b[1]) for a, b in combinations(both, 2)]
    return float(np.mean(alike)) if alike else None
