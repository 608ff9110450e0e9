"""The result of a test of a chat model, and the inference that both tests share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from crossroads.errors import InputError
from crossroads.evidence.chat import ChatAnswer, ChatAnswers, Task
from crossroads.inference.crossed import (
    ASKED,
    LEVEL,
    Crossed,
    Spread,
    crossed_numbers,
    half_width,
    tail_probability,
)
from crossroads.measures.association.weat import crossed_rows, difference_numbers, too_small
from crossroads.measures.chat.parse import LANGUAGES, Parsed, Status
from crossroads.results import (
    Conclusion,
    Coverage,
    Result,
    Row,
    Values,
    association,
    long_row,
    status_of,
)
from crossroads.results.checks import FREQUENCY, TOPICS, Checked
from crossroads.stimuli import Design
from crossroads.wording import phrases
from crossroads.wording.numbers import P, counted
from crossroads.wording.table import Column, Interval, Table

ASSOCIATION: Final = "association"
DECISION: Final = "decision"
_CHANCE = {ASSOCIATION: 0.0, DECISION: 0.5}
_SCORES = {
    ASSOCIATION: "mean over answers of the share of A given to X plus that of B given to Y, less 1",
    DECISION: "share of decisions that give the word of A to X and that of B to Y",
}
_CELLS = 1e-24
"""Variances below this are rounding."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChatResult(Result):
    """What a chat model's answers say of two labels and two sets of words."""

    section: ClassVar[str] = "chat"
    stem: ClassVar[str] = "chat"
    figure: ClassVar[str] = "chat:chat_plot"
    _unchecked: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (FREQUENCY, TOPICS), "it is asked of vectors, and a chat model gives answers"
    )
    cites: ClassVar[tuple[str, ...]] = (
        *("bai2025explicitly", "clark1973language", "cameron2011robust"),
        "satterthwaite1946approximate",
    )
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "chat": (
            "score",
            *ASKED,
            "exact_p",
            "answered",
            "refused",
            "unparsed",
            "refusal_rate",
            "unparsed_rate",
        )
    }

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
    def label(self) -> str:
        """The design, and the test where it is that of decisions."""
        return phrases.tested(self.design, "chat decision" if self.task == DECISION else "chat")

    @property
    def p(self) -> P | None:
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

    def rows(self) -> list[Row]:
        """One row."""
        counts = ("answers", "answered", "refused", "unparsed", "partial", "other", "first_share", "drawn")
        row: Row = {"design": self.design, "task": self.task, "score": self.score}
        row |= {**crossed_numbers(self.crossed), "exact_p": self.pvalue, "method": self.method}
        row |= {"alternative": self.alternative, "min_exact_p": self.min_pvalue}
        row |= {"response_pvalue": self.response_pvalue}
        return [row | {name: getattr(self, name) for name in counts}]

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test."""
        rows = [
            {
                "test": name,
                "question": one.question,
                "answers": one.answers,
                "refused": one.refusal_rate,
                "unparsed": one.unparsed_rate,
                "score": one.score,
                "ci": one._interval(),
                "p": None if one.crossed is None or one.crossed.pvalue is None else P(one.crossed.pvalue),
                "exact_p": one.p,
            }
            for name, one in results.items()
        ]
        tails = ", ".join(dict.fromkeys(phrases.tail(one.alternative) for one in results.values()))
        drawn = " or ".join(dict.fromkeys(one.drawn for one in results.values()))
        columns = (
            Column(key="test", head="test"),
            Column(key="question", head="question", spare=1),
            Column(key="answers", head="answers", kind="count"),
            Column(key="refused", head="refused", kind="share"),
            Column(key="unparsed", head="unread", note="answers that cannot be read", kind="share"),
            Column(key="score", head="score", note=_score_note(results.values())),
            Column(key="ci", head="95 % CI", note=f"over the choice of {drawn}", spare=3),
            Column(key="p", head="p", note=f"{drawn} drawn again, {tails}"),
            Column(key="exact_p", head="exact p", note=f"words exchanged, {tails}", spare=4),
        )
        reasons = {one.crossed.reason: None for one in results.values() if one.crossed and one.crossed.reason}
        notes = tuple(f"{reason[0].upper()}{reason[1:]}." for reason in reasons)
        notes += tuple(said for name, one in results.items() for said in too_small(name, one.min_pvalue))
        return Table(
            name="chat", title="Tests of chat models", columns=columns, rows=tuple(rows), notes=notes
        )

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number."""
        measure = f"chat {self.task}"
        other = None if self.crossed is None else self.crossed.pvalue
        p = {"p": other, "exact_p": self.pvalue, "method": self.method}
        yield long_row(measure, name, "", "score", self.score, **p)
        if self.pvalue is not None:
            yield long_row(measure, name, "", "exact_p", self.pvalue, method=self.method)
        for statistic in ("released_score", "response_pvalue", "first_share"):
            if (value := getattr(self, statistic)) is not None:
                yield long_row(measure, name, "", statistic, value)
        for statistic in ("answers", "answered", "refused", "unparsed", "partial", "other"):
            yield long_row(measure, name, "", statistic, getattr(self, statistic))
        if self.crossed is not None:
            yield from crossed_rows(measure, name, "other words", self.crossed, self.pvalue)
        for word, share in self.words.items():
            yield long_row(measure, name, word, "share", share)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """Its statistics, for rules."""
        own = ("score", "answered", "refused", "unparsed", "refusal_rate", "unparsed_rate")
        values: Values = {**{one: getattr(self, one) for one in own}, "exact_p": self.pvalue}
        yield self.label, "chat", {**values, **crossed_numbers(self.crossed, ASKED)}

    def _checks(self) -> Iterator[Checked]:
        crossed = self.crossed
        yield Checked(
            name=self.label,
            question=self.question,
            family="chat",
            these=None if crossed is None else self.p,
            exchanged="words exchanged" if crossed is None else f"words exchanged, {self.method}",
            other=None if crossed is None else crossed.two_sided,
            drawn=f"{self.drawn} drawn, t",
            reason=self.unread if crossed is None else crossed.reason,
            unchecked=self._unchecked,
        )

    def conclusions(self, name: str) -> Iterator[Conclusion]:
        """Which label is given more of which words."""
        if self.score is not None and self.crossed is not None:
            said = association(
                name=self.label,
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

    def _interval(self) -> Interval | None:
        found = self.crossed
        if found is None or found.low is None or found.high is None:
            return None
        return Interval(self.chance + found.low, self.chance + found.high)


def _score_note(results: Any) -> str:
    said = {
        ASSOCIATION: "share of A's words given to X and of B's to Y, less 1: from -1 to 1",
        DECISION: "share of decisions that give A's word to X and B's to Y; .5 by chance",
    }
    return "; ".join(dict.fromkeys(said[one.task] for one in results))


def given_answers(answers: object) -> ChatAnswers:
    """Answers as evidence; there has to be one."""
    found = answers if isinstance(answers, ChatAnswers) else ChatAnswers(answers)  # type: ignore[arg-type]
    if not len(found):
        raise InputError("there are no answers.", hint="ask the model first, as with cr.ask_chat.")
    return found


def offered(answers: Sequence[ChatAnswer], parsed: Sequence[Parsed], design: Design) -> dict[str, list[str]]:
    """The label of each group that each answer chose from: as asked, or else the one that it uses."""
    found: dict[str, list[str]] = {"x": [], "y": []}
    for answer, read in zip(answers, parsed, strict=True):
        for group, labels in found.items():
            used = read.labels.get(group, frozenset())
            own = getattr(answer, group) or (next(iter(used)) if len(used) == 1 else "")
            labels.append(own)
    return {group: labels for group, labels in found.items() if len(design.sets[group]) > 1}


def clusters_of(labels: Mapping[str, list[str]]) -> list[NDArray[np.int64]]:
    """Answers that share a label, by group; only groups of which several labels occur."""
    numbered = [np.unique(some, return_inverse=True)[1].astype(np.int64) for some in labels.values()]
    return [one for one in numbered if one.max() > 0]


def _counts(parsed: Sequence[Parsed], statuses: Sequence[Status], asked: Sequence[int]) -> dict[str, Any]:
    """How many answers were given, and what became of them."""
    partial = sum(
        status == "answered" and len(one.given) < n
        for one, status, n in zip(parsed, statuses, asked, strict=True)
    )
    return {
        "answers": len(parsed),
        **{name: statuses.count(name) for name in ("answered", "refused", "unparsed")},
        "partial": partial,
        "other": sum(len(one.other) for one in parsed),
        "statuses": tuple(statuses),
    }


def _first_share(answers: Sequence[ChatAnswer], parsed: Sequence[Parsed]) -> float | None:
    """Share of words given to the label that stood first."""
    votes = [
        group == answer.first
        for answer, one in zip(answers, parsed, strict=True)
        if answer.first is not None
        for group in one.given.values()
    ]
    return sum(votes) / len(votes) if votes else None


def _response_test(scores: Sequence[float], chance: float) -> float | None:
    """The t test over answers; None where they do not differ."""
    some = np.array(scores, dtype=np.float64) - chance
    if len(some) < 2 or (spread := float(some.std(ddof=1))) <= 1e-12:
        return None
    return float(tail_probability(float(some.mean()) / spread * len(some) ** 0.5, len(some) - 1, "two-sided"))


def chat_result(
    design: Design,
    task: Task,
    given: ChatAnswers,
    parsed: Sequence[Parsed],
    *,
    statuses: Sequence[Status],
    asked: Sequence[int],
    scores: Sequence[float | None],
    words: Mapping[str, float],
    inference: Mapping[str, Any],
    released: float | None = None,
    **conventions: Any,
) -> ChatResult:
    """The result of a test.

    Parameters
    ----------
    design, task
        What was asked.
    given, parsed
        The answers, and what they say.
    statuses, scores
        What became of each answer, and its score.
    asked
        Number of words that each was asked for.
    words
        Share of answers that gave a word to X.
    inference
        The p-values, and what was drawn.
    released
        The score of the released code.
    conventions
        Conventions beyond those that both tests have.
    """
    some = [score for score in scores if score is not None]
    chance = _CHANCE[task]
    return ChatResult(
        design=design.name,
        digest=design.digest,
        task=task,
        score=float(np.mean(some)) if some else None,
        chance=chance,
        released_score=released,
        **inference,
        response_pvalue=_response_test(some, chance),
        **_counts(parsed, statuses, asked),
        scores=tuple(scores),
        words=words,
        first_share=_first_share(given, parsed),
        sets={role: tuple(one) for role, one in design.sets.items()},
        titles={role: one.name for role, one in design.sets.items()},
        coverage=_coverage(design, words),
        conventions={
            "measure": f"chat {task}",
            "score": _SCORES[task],
            "drawn": inference["drawn"],
            "alternative": "two-sided",
            "refusals": f"phrases of {LANGUAGES} languages, or by the word of the service",
            **conventions,
        },
        provenance=(given.provenance,),
    )


def _coverage(design: Design, words: Mapping[str, float]) -> Coverage:
    """Words that no answer gave to a label."""
    sets = design.sets
    left = {
        role: {one: "given to no label in any answer" for one in sets[role] if one not in words}
        for role in ("a", "b")
    }
    used = {role: tuple(one for one in sets[role] if role in "xy" or one in words) for role in sets}
    return Coverage(policy="drop", used=used, dropped={k: v for k, v in left.items() if v}, respelled={})


def crossed_with(
    found: Spread | None,
    difference: float,
    *,
    most: float,
    exchanged: float,
    method: str,
    clusters: int,
    facet: str,
    targets: int,
    reason: str | None,
) -> Crossed:
    """How sure a score is, with words and answers drawn again.

    The p-value is the larger of that of t and that of exchanging words: shares of a few words near 0 and 1
    can leave t too little spread, and what holds for other words holds for these. Where nothing varies there
    is no t, and exchanging words and the signs of answers take its place.

    Parameters
    ----------
    found
        The variance; None where there is none.
    difference
        The score less what chance gives.
    most
        The largest that it can be; the smallest is its negative, and no interval goes beyond.
    exchanged, method
        The p-value of exchanging words, and how it was found.
    clusters
        Number of answers, or of the fewest labels, that are drawn.
    facet
        What is drawn beside the words.
    targets
        How many parts of the variance are of that.
    reason
        Why there is no p-value.
    """
    settled: dict[str, Any] = {
        "difference": difference,
        "level": LEVEL,
        "alternative": "two-sided",
        "attribute_pvalue": exchanged,
        "attribute_method": method,
    }
    none: dict[str, Any] = dict.fromkeys(("low", "high", "pvalue", "statistic", "se", "df"))
    if reason is not None or found is None:
        return Crossed(**settled, **none, shares={}, reason=reason)
    if float(found.total) <= _CELLS:
        p = max(exchanged, min(1.0, 2.0 ** (1 - clusters)))
        why = f"words and {facet} do not differ, so there is no interval, and p is by exchanging them"
        return Crossed(**settled | none | {"pvalue": p}, shares={}, reason=why)
    se, df = float(np.sqrt(found.total)), float(found.df)
    half = float(half_width(se, df, LEVEL))
    cells = float(found.cells)
    facets = [max(0.0, float(some.sum()) - cells) for some in (found.parts[:targets], found.parts[targets:])]
    whole = sum(facets) + cells
    return Crossed(
        **settled,
        low=max(-most, difference - half),
        high=min(most, difference + half),
        pvalue=max(exchanged, float(tail_probability(difference / se, df, "two-sided"))),
        statistic=difference / se,
        se=se,
        df=df,
        shares={facet: facets[0] / whole, "words": facets[1] / whole, "cells": cells / whole},
        reason=None,
    )
