"""Robustness checks of a test: questions, each with its number, its method and an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crossroads.core.results.conclusion import ALPHA
from crossroads.core.wording.numbers import Mark, P

THESE, OTHER, FREQUENCY, TOPICS = "these words", "other words", "beyond frequency", "among arbitrary topics"
QUESTIONS: Mapping[str, str] = {
    THESE: "Do the groups differ, with just these words?",
    OTHER: "Would other words for the same things say so too?",
    FREQUENCY: "Is it more than words being rare or common?",
    TOPICS: "How does it compare with words that have nothing to do with the question?",
}
"""The checks, from the narrowest question."""
YES, NO, CANNOT_TELL, NOT_ASKED = "yes", "no", "cannot tell", "not asked"
NO_FREQUENCY = "frequencies of its words were not given or found (cr.frequency, or --frequencies)"


@dataclass(frozen=True, kw_only=True)
class Check:
    """One question about a test, with its number and its answer."""

    asks: str
    """Which question: a key of ``QUESTIONS``."""
    answer: str | None
    """``yes``, ``no`` or ``cannot tell``; ``not asked`` where it was not measured; None for the last
    question, whose number is a description."""
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

    def checks(self) -> tuple[Check, Check]:
        """The first two questions."""
        these = self._check(THESE, self.these, self.exchanged, self.reason if self.these is None else None)
        other = None if self.other is None else P(self.other)
        return these, self._check(OTHER, other, self.drawn, self.reason)

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
