"""The result of a test of a chat model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from crossroads.core.inference.crossed import Crossed
from crossroads.core.results import (
    NAMED,
    QUESTION,
    Conclusion,
    Result,
    Row,
    Stat,
    association,
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
_COUNTS = "answers answered refused unparsed partial other"
_NOTES = {
    ASSOCIATION: "share of A's words given to X and of B's to Y, less 1: from -1 to 1",
    DECISION: "share of decisions that give A's word to X and B's to Y; .5 by chance",
}


def _score_note(results: Sequence[Any]) -> str:
    return "; ".join(dict.fromkeys(_NOTES[one.task] for one in results))


def _drawn(results: Sequence[Any]) -> str:
    return " or ".join(dict.fromkeys(one.drawn for one in results))


def _tails(results: Sequence[Any]) -> str:
    return ", ".join(dict.fromkeys(phrases.tail(one.alternative) for one in results))


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
        f"design task score {crossed_names()} exact_p=pvalue method alternative min_exact_p=min_pvalue "
        f"response_pvalue {_COUNTS} first_share drawn"
    )
    _rule_names: ClassVar[Mapping[str, str]] = {
        "chat": f"score {crossed_names(ends='difference_')} exact_p=pvalue answered refused unparsed "
        "refusal_rate unparsed_rate"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        NAMED,
        QUESTION,
        stat("answers", kind="count"),
        stat("refused", of="refusal_rate", kind="share"),
        stat("unparsed", "unread", "answers that cannot be read", of="unparsed_rate", kind="share"),
        stat("score", note=_score_note),
        stat("ci", "95 % CI", lambda some: f"over the choice of {_drawn(some)}", of="_interval", spare=3),
        stat("p", note=lambda some: f"{_drawn(some)} drawn again, {_tails(some)}", of="crossed.pvalue"),
        stat("exact_p", note=lambda some: f"words exchanged, {_tails(some)}", of="_p"),
    )

    design: str
    """Name of the design."""
    digest: str
    """Checksum of its labels and words."""
    task: str
    """What was asked: ``association`` or ``decision``."""
    score: float | None
    """Mean of the published score over the answers that have one: from -1 to 1 for associations, 0 where
    words say nothing of the label; for decisions the share that gives the word of A to X and that of B to Y.
    None where no answer could be read."""
    chance: float
    """The score without an association: 0, or .5 for decisions."""
    released_score: float | None
    """The same by the code that the authors released, which takes shares among the words that a label was
    given; None for decisions."""
    pvalue: float | None
    """Share of exchanges of the words between A and B that are at least as extreme, answers as given."""
    pvalue_low: float | None
    """Lower bound of the p-value."""
    pvalue_high: float | None
    """Upper bound."""
    method: str
    """How the p-value was found."""
    alternative: str
    """Tail of the p-values."""
    min_pvalue: float | None
    """The smallest p-value that sets of these sizes can give."""
    response_pvalue: float | None
    """The t test over answers, as published, two-sided: it takes these words as the whole world and answers
    as independent of them, and rejects most true nulls."""
    crossed: Crossed | None
    """The score less what chance gives, and how sure it is with all that is ``drawn`` drawn again."""
    drawn: str
    """What counts as drawn in ``crossed``: the words, and the labels or the answers."""
    answers: int
    """Number of answers given."""
    answered: int
    """Answers with a score."""
    refused: int
    """Answers that refuse."""
    unparsed: int
    """Other answers that have no score."""
    partial: int
    """Answers with a score that leave out words they were asked for."""
    other: int
    """Words that were given to another label, or to both."""
    statuses: tuple[str, ...]
    """What became of each answer, in their order."""
    scores: tuple[float | None, ...]
    """The score of each answer, in their order."""
    words: Mapping[str, float]
    """Share of answers that gave a word to a label of X, by word."""
    first_share: float | None
    """Share of words that were given to the label that stood first in the question; None where that is not
    known. Orders are balanced, so this is a habit of the model and no part of the score."""
    sets: Mapping[str, tuple[str, ...]]
    """Labels (x, y) and words (a, b)."""
    titles: Mapping[str, str]
    """What each set stands for."""

    @property
    def _label(self) -> str:
        """The design, and the test where it is that of decisions."""
        return phrases.tested(self.design, "chat decision" if self.task == DECISION else "chat")

    @property
    def _p(self) -> P | None:
        """The p-value of exchanging words, with its mark."""
        return None if self.pvalue is None else P.of(self.pvalue, self.method)

    @property
    def refusal_rate(self) -> float:
        """Share of answers that refuse."""
        return self.refused / self.answers

    @property
    def unparsed_rate(self) -> float:
        """Share of answers that cannot be read."""
        return self.unparsed / self.answers

    @property
    def unread(self) -> str:
        """What became of answers without a score, in words."""
        return (
            f"of {counted(self.answers, 'answer')}, {self.refused} refused and {self.unparsed} cannot be read"
        )

    @property
    def _interval(self) -> Interval | None:
        found = self.crossed
        if found is None or found.low is None or found.high is None:
            return None
        return Interval(self.chance + found.low, self.chance + found.high)

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        reasons = {one.crossed.reason: None for one in results.values() if one.crossed and one.crossed.reason}
        yield from (f"{reason[0].upper()}{reason[1:]}." for reason in reasons)
        yield from (said for name, one in results.items() for said in too_small(name, one.min_pvalue))

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number."""
        measure = f"chat {self.task}"
        other = None if self.crossed is None else self.crossed.pvalue
        p = {"p": other, "exact_p": self.pvalue, "method": self.method}
        yield long_row(measure, name, "", "score", self.score, **p)
        if self.pvalue is not None:
            yield long_row(measure, name, "", "exact_p", self.pvalue, method=self.method)
        optional = named(self, "released_score response_pvalue first_share")
        values = {key: value for key, value in optional.items() if value is not None}
        for statistic, value in {**values, **named(self, _COUNTS)}.items():
            yield long_row(measure, name, "", statistic, value)
        if self.crossed is not None:
            yield from crossed_rows(measure, name, "other words", self.crossed, self.pvalue)
        for word, share in self.words.items():
            yield long_row(measure, name, word, "share", share)

    def _checks(self) -> Iterator[Checked]:
        crossed = self.crossed
        yield Checked(
            name=self._label,
            question=self._question,
            family="chat",
            these=None if crossed is None else self._p,
            exchanged="words exchanged" if crossed is None else f"words exchanged, {self.method}",
            other=None if crossed is None else crossed.two_sided,
            drawn=f"{self.drawn} drawn, t",
            reason=self.unread if crossed is None else crossed.reason,
            unchecked=self._unchecked,
        )

    def _conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which label is given more of which words."""
        if self.score is not None and self.crossed is not None:
            said = association(
                name=self._label,
                titles=self.titles,
                sets=self.sets,
                status=status_of(self.crossed.pvalue, self.pvalue),
                found=difference_numbers(self.crossed, ""),
                scale="score − .5" if self.task == DECISION else "score",
                reason=self.crossed.reason,
            )
            (far, near), x = said.poles if self.crossed.difference >= 0 else said.poles[::-1], said.subject
            gives = ("the model gives ", x, " a larger share of the words for ")
            more = (*gives, near, " than of those for ", far, "")
            yield replace(
                said,
                wordings={
                    "holds": more,
                    "depends": (f"with these words, {more[0]}", *more[1:]),
                    "absent": (
                        f"it was not found that {gives[0]}",
                        x,
                        f"{gives[2]}one of ",
                        near,
                        " and ",
                        far,
                        " than of those for the other",
                    ),
                },
            )
