"""How sure: four questions about every test, each with its number, its method and an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from crossroads.errors import InputError, in_short
from crossroads.inference.crossed import Crossed
from crossroads.inference.multiplicity import adjust_known
from crossroads.measures.association.battery import BatteryResult
from crossroads.measures.association.frequency import FrequencyResult
from crossroads.measures.association.mleat import MleatResult
from crossroads.measures.association.placebo import PlaceboResult
from crossroads.measures.association.weat import WeatResult
from crossroads.measures.chat.result import ChatResult
from crossroads.measures.contextual.battery import CeatBatteryResult
from crossroads.measures.contextual.ceat import CeatResult
from crossroads.measures.geometry.rsa import RsaGridResult, RsaResult
from crossroads.measures.sentences.pairs import SentencePairsResult
from crossroads.measures.sentences.triples import SentenceTriplesResult
from crossroads.results import Result, Row, Status, Values, long_row
from crossroads.wording import phrases
from crossroads.wording.numbers import Mark, P, counted
from crossroads.wording.table import Column, Table

ALPHA = 0.05
"""Level at which questions are answered."""
THESE, OTHER, FREQUENCY, TOPICS = "these words", "other words", "beyond frequency", "among arbitrary topics"
QUESTIONS: Mapping[str, str] = {
    THESE: "Do the groups differ, with just these words?",
    OTHER: "Would other words for the same things say so too?",
    FREQUENCY: "Is it more than words being rare or common?",
    TOPICS: "How does it compare with words that have nothing to do with the question?",
}
"""The rungs of the ladder, from the narrowest question."""
_ASSOCIATION, _COMPARISON, _PREFERENCE = "association", "comparison of geometry", "preference"
_PLURALS = {_COMPARISON: "comparisons of geometry"}
_OTHERS = {OTHER: f"{OTHER} for the same things"}
_SENTENCES = (SentencePairsResult, SentenceTriplesResult)
YES, NO, CANNOT_TELL, NOT_ASKED = "yes", "no", "cannot tell", "not asked"
_NO_FREQUENCY = "frequencies of its words were not given or found (cr.frequency, or --frequencies)"
_NO_PLACEBO = "no placebo tests were drawn (cr.placebo, or -C placebo)"
_NO_OTHERS = "placebo tests would take contexts of a thousand other words"
_NO_GEOMETRY = "it is asked of associations, not of comparisons of geometry"
_NO_VECTORS = "it is asked of vectors, and a chat model gives answers"
_NO_WORDS = "it is asked of vectors, and these are scores of sentences"


@dataclass(frozen=True, kw_only=True)
class Rung:
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LadderResult(Result):
    """What can be said of every test: with these words, with others, beyond frequency, among topics."""

    section: ClassVar[str] = "sure"
    stem: ClassVar[str] = "ladder"
    cites: ClassVar[tuple[str, ...]] = (
        *("clark1973language", "judd2012treating", "cameron2011robust", "satterthwaite1946approximate"),
        "benjamini1995controlling",
    )
    asked: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "ladder": (
            *("these_words", "these_words_pvalue", "other_words", "other_words_pvalue"),
            *("beyond_frequency", "beyond_frequency_pvalue", "topic_percentile"),
        )
    }

    tests: Mapping[str, tuple[Rung, ...]]
    """The answers for each test, by its name."""
    questions: Mapping[str, str]
    """What each test asks, by its name."""
    kinds: Mapping[str, str]
    """What each test is called in a sentence, where it is not an association: such as a comparison of
    geometry."""

    @property
    def label(self) -> str:
        """What it is."""
        return "how sure"

    def rows(self) -> list[Row]:
        """One row per test and question."""
        return [
            {
                "test": name,
                "rung": one.asks,
                "answer": one.answer,
                "value": one.value,
                "sign": one.sign or "=",
                "method": one.method,
                "reason": one.reason,
            }
            for name, rungs in self.tests.items()
            for one in rungs
        ]

    @classmethod
    def tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test: an answer to each question, with its number."""
        rows: list[Row] = []
        reasons: dict[str, list[str]] = {}
        for result in results.values():
            for name, rungs in result.tests.items():
                found = {one.asks: one for one in rungs}
                rows.append(_cells(name, result.questions.get(name, ""), found))
                for one in rungs:
                    if one.reason and one.answer in (CANNOT_TELL, NOT_ASKED, None):
                        was = " was not asked" if one.answer == NOT_ASKED else ""
                        reasons.setdefault(f"{one.said}{was}: {one.reason}", []).append(name)
        heads = _heads(results.values())
        short = phrases.ADJUSTMENTS[phrases.ADJUSTMENT][0]
        columns = (
            Column(key="test", head="test"),
            Column(key="question", head="question", spare=1),
            Column(key="other", head=heads[OTHER], note=_said(OTHER, heads)),
            Column(key="other_p", head=f"p ({short})", note="adjusted for the number of tests of its kind"),
            Column(key="frequency", head=FREQUENCY, note=_said(FREQUENCY)),
            Column(key="topics", head="topics", note=_topics_note(), kind="share", spare=3),
            Column(key="these", head=heads[THESE], note=_said(THESE, heads)),
            Column(key="these_p", head="exact p", note="not adjusted", spare=4),
        )
        notes = tuple(
            f"{', '.join(names) if len(names) < len(rows) else 'all tests'}: {said}."
            for said, names in reasons.items()
        )
        said = " ".join(result.headline() for result in results.values())
        title = f"How sure: {said.removesuffix('.')}"
        return Table(name="ladder", title=title, columns=columns, rows=tuple(rows), notes=notes)

    def long_rows(self, name: str) -> Iterator[Row]:
        """Every number, its answer in the column of parts."""
        for test, rungs in self.tests.items():
            for one in rungs:
                part = one.asks if one.answer is None else f"{one.asks}: {one.answer}"
                statistic = "percentile" if one.asks == TOPICS else f"{one.asks.replace(' ', '_')}_pvalue"
                yield long_row("ladder", test, part, statistic, one.value, method=one.method)

    def readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        """The answers and numbers of every test, for rules."""
        for test, rungs in self.tests.items():
            found = {one.asks: one for one in rungs}
            values: Values = {}
            for asks in (THESE, OTHER, FREQUENCY):
                key, one = asks.replace(" ", "_"), found.get(asks)
                values[key] = None if one is None or one.answer == NOT_ASKED else one.answer
                values[f"{key}_pvalue"] = None if one is None else one.value
            values["topic_percentile"] = found[TOPICS].value if TOPICS in found else None
            yield ladder_name(test), "ladder", values

    def headline(self) -> str:
        """The finding in a sentence: in how many tests of each kind other words would say so too."""
        found = {test: {one.asks: one.answer for one in rungs} for test, rungs in self.tests.items()}
        said: dict[str, list[str]] = {}
        untold: dict[str, int] = {}
        for noun in dict.fromkeys(map(self._noun, found)):
            mine = {test: answers for test, answers in found.items() if self._noun(test) == noun}
            asked = [one[OTHER] for one in mine.values() if one.get(OTHER, NOT_ASKED) != NOT_ASKED]
            if asked:
                others = self._called(OTHER, mine)
                told_of = counted(len(asked), noun, _PLURALS.get(noun))
                said.setdefault(others, []).append(f"{asked.count(YES)} of {told_of}")
                untold[others] = untold.get(others, 0) + asked.count(CANNOT_TELL)
        parts = [
            f"{' and '.join(some)} would be found with {_OTHERS.get(others, others)}"
            f"{phrases.cannot_be_told(untold[others])}"
            for others, some in said.items()
        ]
        text = ", and ".join(parts)
        told = [
            answers
            for answers in found.values()
            if answers.get(FREQUENCY, NOT_ASKED) != NOT_ASKED and answers.get(OTHER) == YES
        ]
        more = sum(answers[FREQUENCY] == YES for answers in told)
        if told:
            among, verb = counted(len(told), "association"), "is" if more == 1 else "are"
            text += f"; of {among} among them, {more} {verb} more than words being rare or common"
        return f"{text}."

    def _noun(self, test: str) -> str:
        """What kind of test it is."""
        return self.kinds.get(test, _ASSOCIATION)

    def _called(self, asks: str, tests: Iterable[str]) -> str:
        """What a question is called in tests of one kind."""
        return next((one.said for test in tests for one in self.tests[test] if one.asks == asks), asks)


def status_on(rungs: Iterable[Rung], status: Status) -> Status:
    """Whether a finding holds by the answers about its test; as it is where these were not asked."""
    answers = {one.asks: one.answer for one in rungs}
    if answers.get(OTHER) == YES:
        return "holds"
    if answers.get(OTHER, NOT_ASKED) == NOT_ASKED or THESE not in answers:
        return status
    return "depends" if answers[THESE] == YES else "unknown" if answers[OTHER] == CANNOT_TELL else "absent"


def ladder_name(test: str) -> str:
    """What the answers about a test are called in rules, such as ``weat6 ladder``."""
    return f"{test} ladder"


def ladder(results: Result | Iterable[Result]) -> LadderResult:
    """Ask four questions of every test: what holds for these words, and what beyond them.

    *These words* is answered by the exact p-value, with attribute words as given; *other words* by the
    crossed one, with targets and attributes drawn, adjusted for the number of tests (Benjamini and
    Hochberg): those of a battery, and all others of a kind together. *Beyond frequency* is answered by
    :func:`~crossroads.frequency`; *among arbitrary topics* is a description, from
    :func:`~crossroads.placebo`, and has no answer. A question that was not asked says so, and why. There is
    no composite score.

    Parameters
    ----------
    results
        Tests or batteries of one model, with the frequencies and placebos of their designs where they were
        measured.

    References
    ----------
    Clark, H. H. (1973). doi:10.1016/S0022-5371(73)80014-3; Judd, C. M., Westfall, J., & Kenny, D. A. (2012).
    doi:10.1037/a0028347

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> battery = cr.battery(cr.load("default", words=design.words), design, missing="drop")
    >>> [rung.answer for rung in cr.ladder(battery).tests["weat7"]]
    ['yes', 'no', 'not asked', 'not asked']
    """
    given = [results] if isinstance(results, Result) else list(results)
    for one in given:
        if not isinstance(one, Result):
            raise InputError(f"one of the results is {in_short(one)}.", hint="give what measures returned.")
    tests: dict[str, tuple[Rung, ...]] = {}
    questions: dict[str, str] = {}
    for name, question, rungs in _tests(given):
        if name in tests:
            raise InputError(f"{name!r} is there twice.", hint="give the tests of one model, each once.")
        tests[name] = rungs
        questions[name] = question
    if not tests:
        raise InputError(
            "none of the results is a test of two targets.",
            hint="give what weat, mleat, battery, ceat, ceat_battery, rsa, rsa_grid, chat_association or "
            "sentence_pairs returned.",
        )
    sources = {one.source: one for result in given for one in result.provenance}
    grids = [one for result in given if isinstance(result, RsaGridResult) for one in result.tests]
    fits = [*grids, *(one for one in given if isinstance(one, RsaResult))]
    return LadderResult(
        tests=tests,
        questions=questions,
        kinds={
            **{one.label: _COMPARISON for one in fits},
            **{one.label: _PREFERENCE for one in given if isinstance(one, _SENTENCES)},
        },
        conventions={
            "measure": "ladder",
            "alpha": ALPHA,
            "other words": phrases.ADJUSTMENTS[phrases.ADJUSTMENT][1],
            "these words": "no adjustment",
        },
        provenance=tuple(sources.values()),
    )


def _tests(results: list[Result]) -> Iterator[tuple[str, str, tuple[Rung, ...]]]:
    """Every test of two targets, by name, with what it asks and its rungs."""
    alone = _adjusted_alone(results)
    for i, one in enumerate(results):
        if isinstance(one, WeatResult):
            yield one.design, one.question, _on_words(one, alone[i], results)
        elif isinstance(one, MleatResult):
            yield one.design, one.question, _on_words(one.level1, alone[i], results)
        elif isinstance(one, BatteryResult):
            for test, p in zip(one.tests, one.adjusted_p(), strict=True):
                yield test.design, test.question, _on_words(test.level1, p, results)
        elif isinstance(one, CeatResult):
            yield one.label, one.question, _over_contexts(one, alone[i], results)
        elif isinstance(one, CeatBatteryResult):
            for context, p in zip(one.tests, one.adjusted_p(), strict=True):
                yield context.label, one.asks(context.design), _over_contexts(context, p, results)
        elif isinstance(one, RsaGridResult):
            marks = one.adjusted_marks()[phrases.ADJUSTMENT]
            for number, test_of_items in enumerate(one.tests):
                yield test_of_items.label, "", _of_geometry(test_of_items, marks.get(number))
        elif isinstance(one, RsaResult):
            yield one.label, "", _of_geometry(one, alone[i])
        elif isinstance(one, ChatResult):
            yield one.label, one.question, _of_chat(one, alone[i])
        elif isinstance(one, _SENTENCES):
            yield one.label, one.question, _of_sentences(one, alone[i])


def _adjusted_alone(results: list[Result]) -> dict[int, P | None]:
    """The p-values for other words of tests that are in no battery, adjusted for their number, by place.

    A tail chosen after the fact is no p-value to adjust, so that such tests are two-sided.
    """
    found: dict[int, P | None] = {}
    chosen = [i for i, one in enumerate(results) if isinstance(one, _SENTENCES)]
    flipped = [one.overall.pvalue for one in results if isinstance(one, _SENTENCES)]
    if chosen:
        adjusted = adjust_known(flipped)[phrases.ADJUSTMENT]
        found |= {i: P(p) for i, p in zip(chosen, adjusted, strict=True) if p is not None}
    for kinds in ((WeatResult, MleatResult), (CeatResult,), (RsaResult,), (ChatResult,)):
        places = [i for i, one in enumerate(results) if isinstance(one, kinds)]
        drawn = [_crossed(results[i]) for i in places]
        pvalues = [
            None if one is None else one.tail("two-sided") if one.alternative == "observed" else one.pvalue
            for one in drawn
        ]
        adjusted = adjust_known(pvalues)[phrases.ADJUSTMENT] if places else ()
        found |= {i: None if p is None else P(p) for i, p in zip(places, adjusted, strict=True)}
    return found


def _crossed(one: Result) -> Crossed | None:
    if isinstance(one, MleatResult):
        return one.level1.crossed
    return one.crossed if isinstance(one, WeatResult | CeatResult | RsaResult | ChatResult) else None


def _on_words(test: WeatResult, answer: P | None, results: list[Result]) -> tuple[Rung, ...]:
    lacking = _NO_FREQUENCY if "y" in test.sets else "frequencies of two targets are compared"
    beyond = _beyond(test.design, results, {FREQUENCY: lacking, TOPICS: _NO_PLACEBO})
    return (*_first(test.p, test.method, test.crossed.reason, answer), *beyond)


def _over_contexts(test: CeatResult, answer: P | None, results: list[Result]) -> tuple[Rung, ...]:
    beyond = _beyond(test.label, results, {FREQUENCY: _NO_FREQUENCY, TOPICS: _NO_OTHERS})
    return (*_first(test.p, test.stimulus_method, test.crossed.reason, answer), *beyond)


def _of_geometry(test: RsaResult, answer: P | None) -> tuple[Rung, ...]:
    beyond = _beyond(test.label, [], dict.fromkeys((FREQUENCY, TOPICS), _NO_GEOMETRY))
    return (*_first(test.p, "monte-carlo", test.crossed.reason, answer), *beyond)


def _of_chat(one: ChatResult, answer: P | None) -> tuple[Rung, ...]:
    beyond = _beyond(one.label, [], dict.fromkeys((FREQUENCY, TOPICS), _NO_VECTORS))
    drawn = f"{one.drawn} drawn, t"
    if one.p is None or one.crossed is None:
        silent = (
            Rung(asks=asks, answer=CANNOT_TELL, value=None, sign="", method=method, reason=one.unread)
            for asks, method in ((THESE, "words exchanged"), (OTHER, drawn))
        )
        return (*silent, *beyond)
    return (*_first(one.p, one.method, one.crossed.reason, answer, exchanged="words", drawn=drawn), *beyond)


def _of_sentences(one: SentencePairsResult | SentenceTriplesResult, answer: P | None) -> tuple[Rung, ...]:
    beyond = _beyond(one.label, [], dict.fromkeys((FREQUENCY, TOPICS), _NO_WORDS))
    ways = {
        THESE: (P(one.overall.sign_pvalue), "sign test over single items, exact"),
        OTHER: (answer, "signs flipped by what items share"),
    }
    first = (
        Rung(
            asks=asks,
            answer=CANNOT_TELL if p is None else YES if p.value < ALPHA else NO,
            value=None if p is None else p.value,
            sign="",
            method=method,
            called=asks.replace("words", "sentences"),
        )
        for asks, (p, method) in ways.items()
    )
    return (*first, *beyond)


def _first(
    exact: P,
    method: str,
    reason: str | None,
    answer: P | None,
    *,
    exchanged: str = "targets",
    drawn: str = "targets and attributes drawn, t",
) -> tuple[Rung, Rung]:
    """The first two questions."""
    these = Rung(
        asks=THESE,
        answer=YES if exact.value < ALPHA else NO,
        value=exact.value,
        sign=exact.mark,
        method=f"{exchanged} exchanged, {method}",
    )
    other = Rung(
        asks=OTHER,
        answer=CANNOT_TELL if answer is None else YES if answer.value < ALPHA else NO,
        value=None if answer is None else answer.value,
        sign="",
        method=drawn,
        reason=reason,
    )
    return these, other


def _not_asked(asks: str, reason: str) -> Rung:
    return Rung(asks=asks, answer=NOT_ASKED, value=None, sign="", method="none", reason=reason)


def _beyond(test: str, results: list[Result], lacking: Mapping[str, str]) -> Iterator[Rung]:
    """The other questions, from frequencies and placebos of the test, or why they were not asked."""
    explained = [one for one in results if isinstance(one, FrequencyResult) and one.design == test]
    for one in explained[:1]:
        drawn = one.matched_pvalue is not None
        yield Rung(
            asks=FREQUENCY,
            answer=one.answer,
            value=one.matched_pvalue if drawn else one.adjusted.pvalue,
            sign="≈" if drawn else "",
            method=f"{'words of like frequency' if drawn else 'equal frequency'}, {one.source}",
            reason=one.reason,
        )
    if not explained:
        yield _not_asked(FREQUENCY, lacking[FREQUENCY])
    placebos = [one for one in results if isinstance(one, PlaceboResult) and one.design == test]
    for found in placebos[:1]:
        yield Rung(
            asks=TOPICS,
            answer=None,
            value=found.topic_percentile,
            sign="≈",
            method=counted(found.topic_statistics.size, "placebo test"),
        )
    if not placebos:
        yield _not_asked(TOPICS, lacking[TOPICS])


def _cells(name: str, question: str, found: Mapping[str, Rung]) -> Row:
    def answer(asks: str) -> str | None:
        return found[asks].answer if asks in found else None

    def number(asks: str) -> P | None:
        one = found.get(asks)
        return None if one is None or one.value is None else P(one.value, one.sign)

    return {
        "test": name,
        "question": question,
        "other": answer(OTHER),
        "other_p": number(OTHER),
        "frequency": answer(FREQUENCY),
        "topics": found[TOPICS].value if TOPICS in found else None,
        "these": answer(THESE),
        "these_p": number(THESE),
    }


def _heads(results: Iterable[LadderResult]) -> dict[str, str]:
    """What each question is called over all tests: ``other words``, or ``other words or other sentences``."""
    rungs = [one for result in results for some in result.tests.values() for one in some]
    return {
        asks: " or ".join(dict.fromkeys(one.said for one in rungs if one.asks == asks)) or asks
        for asks in QUESTIONS
    }


def _said(asks: str, heads: Mapping[str, str] | None = None) -> str:
    """A question as the end of a sentence; that of words is told in full."""
    called = asks if heads is None else heads[asks]
    if called != asks:
        return f"would {called} say so too" if asks == OTHER else f"does it show with just {called}"
    text = QUESTIONS[asks]
    return f"{text[0].lower()}{text[1:-1]}"


def _topics_note() -> str:
    return "share of associations between arbitrary topics in this model that are weaker: a description"
