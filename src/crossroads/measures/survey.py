"""The quality rules of the ABC survey, for people who ask their own (Cao et al. 2022, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from crossroads.errors import InputError, in_short, join_words, one_of
from crossroads.evidence.abc_names import group_name, own_trait
from crossroads.results import Result
from crossroads.stimuli import catalog

TESTS = ("group", "traits", "repeat")
AGREEMENTS = ("side", "near", "order")
MIDDLE = 50.0


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What one person answered."""

    annotator: str
    """Who."""
    ratings: Mapping[str, Mapping[str, float]]
    """Group → pair of traits → rating from 0 to 100, in the order in which the groups were shown."""
    named_group: str = ""
    """The group that the person named after the first page."""
    named_high: str = ""
    """The trait that the person says to have marked high on the second page: a pair, or one end of it."""
    named_low: str = ""
    """The trait that the person says to have marked low there."""
    repeated: str = ""
    """The group that was shown again at the end."""
    repetition: Mapping[str, float] | None = None
    """The second ratings of that group."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ScreenResult(Result):
    """Who passes the tests of a survey."""

    passed: tuple[str, ...]
    """Annotators whose answers are kept."""
    failed: Mapping[str, tuple[str, ...]]
    """The others, with every reason."""
    agreement: Mapping[str, float]
    """Agreement of each annotator with themselves on the repeated group, from 0 to 1; where it was tested."""

    def rows(self) -> list[dict[str, Any]]:
        """One row an annotator."""
        return [
            {
                "annotator": who,
                "passed": who not in self.failed,
                "agreement": self.agreement.get(who),
                "reasons": "; ".join(self.failed.get(who, ())),
            }
            for who in (*self.passed, *self.failed)
        ]


def screen(
    answers: Iterable[Answers],
    *,
    self_agreement: float = 0.8,
    tests: Iterable[str] = TESTS,
    agreement: str = "side",
    tolerance: float = 20.0,
) -> ScreenResult:
    """Sort out people who did not attend, by the three test questions of the ABC survey.

    Parameters
    ----------
    answers
        What everybody answered.
    self_agreement
        The least agreement with oneself on the group that is shown twice.
    tests
        Which tests to apply. ``"group"``: after the first page, the person names its group. ``"traits"``:
        after the second, a trait that was marked high (above 50) and one marked low (below 50); the left end
        of a pair, named as high, is high where the rating is below 50. ``"repeat"``: the last group repeats
        another, and the ratings agree.
    agreement
        What agreement with oneself is. ``"side"``: share of traits rated on the same side of 50 both times;
        a rating of exactly 50 agrees with another of 50 only. ``"near"``: share of traits with ratings no
        further apart than ``tolerance``. ``"order"``: share of pairs of traits in the same order both times.
    tolerance
        For ``"near"``, in points of the scale.

    Notes
    -----
    *Departures:* the paper asks for an "accuracy-to-self" of 80 % and does not define it. ``"side"`` is the
    default as the paper cuts ratings at 50 where it needs two classes. In the paper, 133 of 247 people
    passed.
    """
    chosen = tuple(one_of("test", test, TESTS) for test in tests)
    one_of("agreement", agreement, AGREEMENTS)
    if not 0 <= self_agreement <= 1:
        raise InputError(
            f"self_agreement is {in_short(self_agreement)}.", hint="give a share from 0 to 1, such as 0.8."
        )
    everybody = tuple(answers)
    names = [one.annotator for one in everybody]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice or not everybody:
        raise InputError(
            f"the annotator {in_short(twice[0])} is there twice." if twice else "there are no answers.",
            hint="give the answers of each person once.",
        )
    shares: dict[str, float] = {}
    failed: dict[str, tuple[str, ...]] = {}
    for one in everybody:
        reasons = [*_name_faults(one, chosen)]
        if "repeat" in chosen:
            share = _self_agreement(one, agreement, tolerance)
            if share is None:
                reasons.append("no group was rated twice")
            else:
                shares[one.annotator] = share
                if share < self_agreement - 1e-12:
                    reasons.append(f"agreement with oneself is {share:.0%}, below {self_agreement:.0%}")
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
    if "traits" in tests:
        if len(shown) < 2:
            faults.append("fewer than two groups were rated")
        else:
            page = one.ratings[shown[1]]
            wrong = [
                f"{named or 'nothing'!r} was not marked {side}"
                for named, side in ((one.named_high, "high"), (one.named_low, "low"))
                if not _was_marked(named, side, page)
            ]
            faults += [join_words(wrong)] if wrong else []
    return faults


def _was_marked(named: str, side: str, page: Mapping[str, float]) -> bool:
    """Whether a trait was marked high or low; it is named by its pair or by one of its ends."""
    wanted = " ".join(named.casefold().split())
    left_ends = {pair.name: pair.left for pair in catalog().traits("abc-traits")}
    right_ends = {pair.name: pair.right for pair in catalog().traits("abc-traits")}
    for written, rating in page.items():
        name, turned = own_trait(written)
        score = 100 - rating if turned else rating
        if wanted == left_ends.get(name, "").casefold() and wanted:
            return score < MIDDLE  # "powerless" is high, or the slider low: both on its side
        if wanted in (right_ends.get(name, "").casefold(), written.casefold(), name.casefold()) or (
            wanted and own_trait(named).name == name
        ):
            return score > MIDDLE if side == "high" else score < MIDDLE
    return False


def _self_agreement(one: Answers, agreement: str, tolerance: float) -> float | None:
    """Agreement of the two ratings of the repeated group; None where there are none."""
    shown = {group_name(group): row for group, row in one.ratings.items()}
    first = shown.get(group_name(one.repeated), {})
    second = one.repetition or {}
    both = [(first[trait], second[trait]) for trait in first if trait in second]
    if not both:
        return None
    if agreement == "near":
        return sum(abs(p - q) <= tolerance for p, q in both) / len(both)
    if agreement == "side":
        return sum(_sign(p - MIDDLE) == _sign(q - MIDDLE) for p, q in both) / len(both)
    pairs = [(_sign(a[0] - b[0]), _sign(a[1] - b[1])) for a, b in combinations(both, 2)]
    return sum(p == q for p, q in pairs) / len(pairs) if pairs else None


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
