"""Robustness checks of a test: questions, each with its number, its method and an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from crossroads.core.inference.crossed import Crossed
from crossroads.core.inference.planning import pilot_of
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.wording.numbers import Mark, P

THESE, OTHER, FREQUENCY, TOPICS = "these words", "other words", "beyond frequency", "among arbitrary topics"
QUESTIONS: Mapping[str, str] = {
    THESE: "Do the groups differ more than chance divisions of just these words?",
    OTHER: "Do the groups differ beyond just these words?",
    FREQUENCY: "Is it more than words being rare or common?",
    TOPICS: "How does it compare with words that have nothing to do with the question?",
}
"""The checks, from the narrowest question."""
YES, NO, CANNOT_TELL, NOT_ASKED = "yes", "no", "cannot tell", "not asked"
NO_FREQUENCY = "frequencies of its words were not given or found (cr.frequency, or --frequencies)"
LEAST = 10
"""Effective words per set (harmonic mean) from which a difference is said to be less than ordinary."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question about a test, with its number and its answer."""

    asks: str
    """Which question: a key of ``QUESTIONS``."""
    answer: str | None
    """``yes``, ``no`` or ``cannot tell``; ``not asked`` where it was not measured; None for the last
    question, whose number is a description."""
    chance: float | None = None
    """Chance that other words would point the same way, for the question about these."""
    value: float | None
    """The p-value, or for the last question the share of placebo tests that are weaker."""
    sign: Mark
    """``≤`` or ``≈`` where the number is a bound or an estimate; empty elsewhere."""
    method: str
    """How the number was found."""
    reason: str | None = None
    """Why it cannot be told or was not asked, or what the answer rests on."""
    called: str = ""
    """What the question is called where it is not about words, such as ``other sentences``."""
    low: float | None = None
    """Lower end of the interval of the difference that agrees with an adjusted p-value."""
    high: float | None = None
    """Upper end."""
    level: float | None = None
    """Its level."""
    ordinary: float | None = None
    """The difference in ordinary associations of the model, where these are known."""
    words: int | None = None
    """About how many words per set, no near copies, would tell; None where that is not known."""

    @property
    def said(self) -> str:
        """The question in a few words, as readers see it."""
        return self.called or self.asks

    @property
    def known(self) -> str | None:
        """The answer, if the question was asked."""
        return None if self.answer == NOT_ASKED else self.answer

    @property
    def p(self) -> P | None:
        """The number with its mark."""
        return None if self.value is None else P(self.value, self.sign)

    @property
    def equality(self) -> str:
        """The sign, or ``=`` without one."""
        return self.sign or "="


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A test, with what its checks are answered from."""

    name: str
    family: str
    """Tests of one family that are in no battery are adjusted together."""
    these: P | None
    """The p-value with just these words; None where it cannot be told."""
    exchanged: str
    """How that was found."""
    crossed: Crossed | None = None
    """How sure the difference is for other words; None where that was not measured by these means."""
    other: float | None
    """The p-value for other words."""
    drawn: str = "targets and attributes drawn, t"
    """How that was found."""
    reason: str | None = None
    """Why it cannot be told, or what it rests on."""
    unchecked: Mapping[str, str]
    """Why the other questions were not asked, where they were not."""
    question: str = ""
    noun: str = "association"
    """What the test is called in a sentence."""
    items: str = "words"
    """What the questions are about."""
    adjusted: bool = False
    """Whether ``other`` is adjusted for the number of tests."""
    level: float | None = None
    """Level of the interval that agrees with ``other``."""
    most: float = inf
    """The largest difference that there can be."""
    comparable: bool = False
    """Whether its difference can be measured in ordinary associations of the model."""

    @property
    def sides(self) -> int:
        """How many tails its p-value has."""
        return 1 if self.crossed is not None and self.crossed.alternative in ("greater", "less") else 2

    def checks(self, ordinary: float | None = None) -> tuple[Check, Check]:
        """The first two questions; ``ordinary``: the ordinary association of the model."""
        these = self._check(THESE, self.these, self.exchanged, self.reason if self.these is None else None)
        other = None if self.other is None else P(self.other)
        asked = self._check(OTHER, other, self.drawn, self.reason)
        return these, self._beyond(asked, ordinary if self.comparable else None)

    def _beyond(self, check: Check, ordinary: float | None) -> Check:
        """The second answer: *no* where the difference is less than ordinary, else it cannot be told yet."""
        found = self.crossed
        if check.answer != YES:
            check = replace(check, answer=CANNOT_TELL)
        if found is None or found.se is None:
            return check
        low, high = (max(-self.most, min(self.most, end)) for end in found.ends(self.level or found.level))
        check = replace(check, chance=found.agreement, low=low, high=high, level=self.level or found.level)
        if ordinary is None:
            return check
        check = replace(check, ordinary=found.difference / ordinary)
        if check.answer == YES:
            return check
        words, pilot = len(found.effective) / sum(1 / n for n in found.effective.values()), pilot_of(found)
        if max(map(abs, found.ends(1 - 2 * ALPHA))) <= ordinary and words >= LEAST:
            return replace(check, answer=NO)
        needed = pilot.needed(ordinary)
        if needed is not None and needed <= words:  # enough for an ordinary one, and this one is smaller
            needed = pilot.needed(abs(found.difference))
        return replace(check, words=needed)

    def _check(self, asks: str, p: P | None, method: str, reason: str | None) -> Check:
        return Check(
            asks=asks,
            answer=CANNOT_TELL if p is None else YES if p.value < ALPHA else NO,
            value=None if p is None else p.value,
            sign="" if p is None else p.mark,
            method=method,
            reason=reason,
            called="" if self.items == "words" else asks.replace("words", self.items),
        )
