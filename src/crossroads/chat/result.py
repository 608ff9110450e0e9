"""What a chat model's answers show: the result of both tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from crossroads.core.inference.crossed import Crossed
from crossroads.core.results import (
    AGREEMENT,
    NAMED,
    QUESTION,
    Conclusion,
    Result,
    Row,
    Stat,
    association,
    because,
    crossed_names,
    long_row,
    named,
    stat,
    status_of,
)
from crossroads.core.results.checks import FREQUENCY, TOPICS, Checked
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import P, counted
from crossroads.core.wording.table import Interval
from crossroads.words.measures.weat import crossed_rows, difference_numbers, too_small

ASSOCIATION: Final = "association"
DECISION: Final = "decision"
CHANCE = {ASSOCIATION: 0.0, DECISION: 0.5}
SCORES = {
    ASSOCIATION: "mean over answers of the share of A given to X plus that of B given to Y, minus 1",
    DECISION: "share of decisions that give the word of A to X and that of B to Y",
}
_NOTES = {
    ASSOCIATION: "share of A's words given to X and of B's to Y, minus 1: from -1 to 1",
    DECISION: "share of decisions that give A's word to X and B's to Y; .5 by chance",
}
_COUNTS = "answers=reading.answers answered refused unparsed partial=reading.partial other=reading.other"
_OPTIONAL = (
    "exact_p=pvalue released_score=published.score response_pvalue=published.pvalue "
    "first_share=reading.first_share"
)
_RATES = "refusal_rate=_refusal_rate unparsed_rate=_unparsed_rate"
_TAIL = phrases.tail("two-sided")


def _drawn(results: Sequence[Any]) -> str:
    return " or ".join(dict.fromkeys(one._drawn for one in results))


@dataclass(frozen=True, kw_only=True)
class ChatExchange:
    """How the p-value of exchanging words was found, its bounds, and what the score would be by chance."""

    chance: float
    """The score without an association: 0, or .5 for decisions."""
    pvalue_low: float | None = None
    """Lower bound of the p-value."""
    pvalue_high: float | None = None
    """Upper bound."""
    min_pvalue: float | None = None
    """The smallest p-value that sets of these sizes can give."""
    method: str = "none"
    """How the p-value was found."""
    alternative: str = "two-sided"
    """Tail of the p-values."""


@dataclass(frozen=True, kw_only=True)
class ChatPublished:
    """The numbers of the publication, as its authors compute them."""

    score: float | None
    """The score by the code that the authors released, which takes shares among the words that a label was
    given; None for decisions."""
    pvalue: float | None
    """The t test over answers, two-sided: it takes these words as the whole world and answers as independent
    of them, and rejects most true nulls."""


@dataclass(frozen=True, kw_only=True)
class ChatReading:
    """What was read of the answers."""

    answers: int
    """Number of answers."""
    partial: int
    """Answers with a score that leave out words they were asked for."""
    other: int
    """Words that were given to another label, or to both."""
    statuses: tuple[str, ...]
    """What became of each answer, in their order."""
    first_share: float | None
    """Share of words that were given to the label that was first in the question; None where that is not
    known. Orders are balanced, so this is a habit of the model and no part of the score."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChatResult(Result):
    """What a chat model's answers say of two labels and two sets of words."""

    _section: ClassVar[str] = "chat"
    _stem: ClassVar[str] = "chat"
    _figure: ClassVar[str] = "chat_plot"
    _unchecked: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (FREQUENCY, TOPICS), "it is asked of vectors, and a chat model gives answers"
    )
    _cites: ClassVar[tuple[str, ...]] = (
        *("bai2025explicitly", "clark1973language", "cameron2011robust"),
        "satterthwaite1946approximate",
    )
    _table_title: ClassVar[str] = "Tests of chat models"
    _file_names: ClassVar[str] = (
        f"design task {crossed_names()} score exact_p=pvalue method=exchange.method "
        "alternative=exchange.alternative min_exact_p=exchange.min_pvalue "
        f"response_pvalue=published.pvalue {_COUNTS} first_share=reading.first_share drawn=_drawn"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "chat": f"{crossed_names(ends='difference_')} score exact_p=pvalue answered refused unparsed {_RATES}"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        NAMED,
        QUESTION,
        AGREEMENT,
        stat("answers", of="reading.answers", kind="count"),
        stat("refused", of="_refusal_rate", kind="share"),
        stat("unparsed", "unread", "answers that cannot be read", of="_unparsed_rate", kind="share"),
        stat("score", note=lambda some: "; ".join(dict.fromkeys(_NOTES[one.task] for one in some))),
        stat("ci", "95 % CI", lambda some: f"over the choice of {_drawn(some)}", of="_interval", spare=3),
        stat("p", note=lambda some: f"{_drawn(some)} resampled, {_TAIL}", of="crossed.pvalue"),
        stat("exact_p", note=f"words exchanged, {_TAIL}", of="_p"),
    )

    design: str
    """Name of the design."""
    task: str
    """What was asked: ``association`` or ``decision``."""
    score: float | None
    """Mean of the published score over the answers that have one: from -1 to 1 for associations, 0 where
    words say nothing of the label; for decisions the share that gives the word of A to X and that of B to Y.
    None where no answer could be read."""
    pvalue: float | None
    """Share of exchanges of the words between A and B that are at least as extreme, answers as given."""
    exchange: ChatExchange
    """How that p-value was found, and what the score would be by chance."""
    crossed: Crossed | None
    """The score minus what chance gives, and how sure it is with words, and labels or answers, resampled;
    ``conventions["drawn"]`` says which."""
    published: ChatPublished
    """The numbers of the publication."""
    answered: int
    """Answers with a score."""
    refused: int
    """Answers that refuse."""
    unparsed: int
    """Other answers that have no score."""
    scores: tuple[float | None, ...]
    """The score of each answer, in their order."""
    reading: ChatReading
    """What was read of the answers."""
    words: Mapping[str, float]
    """Share of answers that gave a word to a label of X, by word."""
    sets: Mapping[str, tuple[str, ...]]
    """Labels (x, y) and words (a, b)."""
    titles: Mapping[str, str]
    """What each set stands for."""

    @property
    def _label(self) -> str:
        return phrases.tested(self.design, "chat decision" if self.task == DECISION else "chat")

    @property
    def _drawn(self) -> str:
        return str(self.conventions.get("drawn", "words and answers"))

    @property
    def _p(self) -> P | None:
        return None if self.pvalue is None else P.of(self.pvalue, self.exchange.method)

    @property
    def _refusal_rate(self) -> float:
        return self.refused / self.reading.answers

    @property
    def _unparsed_rate(self) -> float:
        return self.unparsed / self.reading.answers

    @property
    def _unread(self) -> str:
        """What became of answers without a score, in words."""
        answers = counted(self.reading.answers, "answer")
        return f"of {answers}, {self.refused} refused and {self.unparsed} cannot be read"

    @property
    def _interval(self) -> Interval | None:
        crossed, chance = self.crossed, self.exchange.chance
        if crossed is None or crossed.low is None or crossed.high is None:
            return None
        return Interval(chance + crossed.low, chance + crossed.high)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        reasons = {one.crossed.reason: None for one in results.values() if one.crossed and one.crossed.reason}
        yield from (f"{reason[0].upper()}{reason[1:]}." for reason in reasons)
        yield from (
            said for name, one in results.items() for said in too_small(name, one.exchange.min_pvalue)
        )

    def _long_rows(self, name: str) -> Iterator[Row]:
        measure, method, crossed = f"chat {self.task}", self.exchange.method, self.crossed
        p = {"p": None if crossed is None else crossed.pvalue, "exact_p": self.pvalue, "method": method}
        if crossed is not None:
            yield from crossed_rows(measure, name, "other words", crossed, self.pvalue)
        yield long_row(measure, name, "", "score", self.score, **p)
        known = {key: value for key, value in named(self, _OPTIONAL).items() if value is not None}
        if "exact_p" in known:
            yield long_row(measure, name, "", "exact_p", known.pop("exact_p"), method=method)
        for statistic, value in (known | named(self, _COUNTS)).items():
            yield long_row(measure, name, "", statistic, value)
        for word, share in self.words.items():
            yield long_row(measure, name, word, "share", share)

    def _checks(self) -> Iterator[Checked]:
        crossed = self.crossed
        yield Checked(
            name=self._label,
            question=self._question,
            family="chat",
            these=None if crossed is None else self._p,
            exchanged="words exchanged" if crossed is None else f"words exchanged, {self.exchange.method}",
            crossed=crossed,
            other=None if crossed is None else crossed.two_sided,
            most=1 - self.exchange.chance,
            drawn=f"{self._drawn} drawn, t",
            reason=self._unread if crossed is None else crossed.reason,
            unchecked=self._unchecked,
        )

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        if self.score is None or self.crossed is None:
            return
        said = association(
            name=self._label,
            titles=self.titles,
            sets=self.sets,
            status=status_of(self.crossed.pvalue),
            found=difference_numbers(self.crossed, ""),
            scale="score − .5" if self.task == DECISION else "score",
        )
        (far, near), x = said.poles if self.crossed.difference >= 0 else said.poles[::-1], said.subject
        gives = ("the model gives ", x, " a larger share of the words for ", near, " than of those for ", far)
        reason = self.crossed.reason if self.crossed.pvalue is None else None
        yield replace(said, statement=because((*gives, ""), reason))
