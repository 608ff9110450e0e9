"""How sure: robustness checks of every test, four questions with a number, a method and an answer each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from crossroads.core.errors import InputError, in_short
from crossroads.core.inference.multiplicity import adjust_known, interval_level
from crossroads.core.results import Result, Row, Stat, Status, Values, long_row, named, stat
from crossroads.core.results.checks import (
    CANNOT_TELL,
    FREQUENCY,
    LEAST,
    NO,
    NOT_ASKED,
    OTHER,
    QUESTIONS,
    THESE,
    TOPICS,
    YES,
    Check,
    Checked,
)
from crossroads.core.results.conclusion import ALPHA
from crossroads.core.wording import phrases
from crossroads.core.wording.numbers import counted, number
from crossroads.core.wording.table import Table
from crossroads.core.wording.vocabulary import Note

_ASSOCIATION = "association"
_ANSWERS = {YES: "yes", NO: "no", CANNOT_TELL: "cannot tell yet"}
_PLURALS = {"comparison of geometry": "comparisons of geometry"}
_NEEDED = "about how many per set, no near copies, show an ordinary association in 80 % of cases"
_TOPICS = "share of associations between arbitrary topics in this model that are weaker: a description"


_NAMES = "chance answer value sign=equality low high level ordinary words method reason"
_ADJUSTED = f"p ({phrases.ADJUSTMENTS[phrases.ADJUSTMENT][0]})"
_KEYS = {THESE: "these", OTHER: "other", FREQUENCY: "frequency", TOPICS: "topics"}


def _called(asks: str, results: Iterable[ChecksResult]) -> str:
    """What a question is called over all tests: ``other words``, or ``other words or other sentences``."""
    checks = [check for result in results for some in result.tests.values() for check in some]
    return " or ".join(dict.fromkeys(check.said for check in checks if check.asks == asks)) or asks


def _head(asks: str) -> Note:
    return lambda results: _called(asks, results)


def _note(asks: str) -> Callable[[Sequence[Any]], str]:
    """A question as the end of a sentence; that of words in full."""

    def note(results: Sequence[Any]) -> str:
        called = _called(asks, results)
        if called != asks:
            return f"is it so beyond just these {called.removeprefix('other ')}" if asks == OTHER else called
        text = QUESTIONS[asks]
        return f"{text[0].lower()}{text[1:-1]}"

    return note


def _answers(results: Sequence[Any]) -> str:
    """What the answers to the second question mean."""
    margins = [one.ordinary for one in results if one.ordinary is not None]
    said = f"{_note(OTHER)(results)}; yes where p (BH) is below .05"
    if margins:
        said += f", no where the 90 % interval of Δ is within ± one ordinary association and sets of {LEAST} "
        said += "effective words and more were compared"
    return said


def _unit(results: Sequence[Any]) -> str:
    """What Δ is divided by."""
    margins = dict.fromkeys(number(one.ordinary, 3) for one in results if one.ordinary is not None)
    return (
        f"Δ divided by an ordinary association, the {phrases.ORDINARY}: {', '.join(margins)}"
        if margins
        else ""
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChecksResult(Result):
    """What can be said of every test: with these words, with others, beyond frequency, among topics."""

    _words_for_rules: ClassVar[Iterable[str]] = (YES, NO, CANNOT_TELL)
    _section: ClassVar[str] = "sure"
    _stem: ClassVar[str] = "checks"
    _cites: ClassVar[tuple[str, ...]] = (
        *("clark1973language", "judd2012treating", "cameron2011robust", "satterthwaite1946approximate"),
        *("benjamini1995controlling", "benjamini2005false"),
    )
    _label_format: ClassVar[str] = "how sure"
    _rule_names: ClassVar[Mapping[str, str]] = {
        "checks": "other_words=other.known agreement=other.chance other_words_pvalue=other.value "
        "other_words_low=other.low other_words_high=other.high ordinary=other.ordinary "
        "words_needed=other.words beyond_frequency=frequency.known "
        "beyond_frequency_pvalue=frequency.value topic_percentile=topics.value "
        "these_words=these.known these_words_pvalue=these.value"
    }
    _columns: ClassVar[tuple[Stat, ...]] = (
        stat("test"),
        stat("question"),
        stat("agreement", of="other.chance"),
        stat("other", _head(OTHER), _answers, of="other.answer"),
        stat("other_p", _ADJUSTED, "adjusted for the number of tests of its kind", of="other.p"),
        stat("ordinary", "× ordinary", _unit, of="other.ordinary", digits=1, spare=5),
        stat("words", "words needed", _NEEDED, of="other.words", kind="count"),
        stat("frequency", FREQUENCY, _note(FREQUENCY), of="frequency.answer"),
        stat("topics", note=_TOPICS, of="topics.value", kind="share", spare=3),
        stat("these", _head(THESE), _note(THESE), of="these.answer", spare=4),
        stat("these_p", "exact p", "not adjusted", of="these.p", spare=4),
    )

    tests: Mapping[str, tuple[Check, ...]]
    """The answers for each test, by its name."""
    questions: Mapping[str, str]
    """What each test asks, by its name."""
    kinds: Mapping[str, str]
    """What each test is called in a sentence, where it is not an association: such as a comparison of
    geometry."""
    ordinary: float | None = None
    """The ordinary association of the model, where it was measured: :func:`~crossroads.stats.ordinary`."""

    def _rows(self) -> list[Row]:
        return [
            {"test": name, "check": check.asks, **named(check, _NAMES)}
            for name, checks in self.tests.items()
            for check in checks
        ]

    def _members(self) -> Iterator[Mapping[str, Any]]:
        """One row per test: an answer to each question, with its number."""
        for name, checks in self.tests.items():
            keyed = {_KEYS[check.asks]: check for check in checks}
            yield {"test": name, "question": self.questions.get(name, ""), **keyed}

    @classmethod
    def _tabulate(cls, results: Mapping[str, Self]) -> Table:
        """One row per test; the title is the finding."""
        found = " ".join(result._headline() for result in results.values())
        return replace(super()._tabulate(results), title=f"How sure: {found.removesuffix('.')}")

    @classmethod
    def _table_notes(cls, results: Mapping[str, Self]) -> Iterator[str]:
        tests = [item for result in results.values() for item in result.tests.items()]
        reasons: dict[str, list[str]] = {}
        for name, checks in tests:
            for check in checks:
                if check.reason and check.answer in (CANNOT_TELL, NOT_ASKED, None):
                    was = " was not asked" if check.answer == NOT_ASKED else ""
                    reasons.setdefault(f"{check.said}{was}: {check.reason}", []).append(name)
        for text, names in reasons.items():
            yield f"{', '.join(names) if len(names) < len(tests) else 'all tests'}: {text}."

    def _long_rows(self, name: str) -> Iterator[Row]:
        """Every number, its answer in the column of parts."""
        for test, checks in self.tests.items():
            for check in checks:
                part = check.asks if check.answer is None else f"{check.asks}: {check.answer}"
                statistic = "percentile" if check.asks == TOPICS else f"{check.asks.replace(' ', '_')}_pvalue"
                if check.chance is not None:
                    yield long_row("checks", test, part, "agreement", check.chance, method="crossed")
                yield long_row("checks", test, part, statistic, check.value, method=check.method)
                for more in ("ordinary", "words"):
                    if (value := getattr(check, more)) is not None:
                        yield long_row("checks", test, part, more, value)

    def _readings(self, name: str) -> Iterator[tuple[str, str, Values]]:
        for row in self._members():
            yield checks_name(row["test"]), "checks", named(row, self._rule_names["checks"])

    def headline(self) -> str:
        """The finding: how many tests of each kind have which answer for other words."""
        text = self._headline()
        return f"{text[:1].upper()}{text[1:]}"

    def _headline(self) -> str:
        kinds: dict[str, list[str]] = {}
        sure: list[str] = []
        for noun in dict.fromkeys(self.kinds.get(test, _ASSOCIATION) for test in self.tests):
            tests = [test for test in self.tests if self.kinds.get(test, _ASSOCIATION) == noun]
            asked = [{check.asks: check for check in self.tests[test]} for test in tests]
            answers = [some[OTHER].answer for some in asked if some[OTHER].answer != NOT_ASKED]
            sure += [
                some[FREQUENCY].answer or ""
                for some in asked
                if some[OTHER].answer == YES and FREQUENCY in some and some[FREQUENCY].answer != NOT_ASKED
            ]
            if answers:
                counts = _counted(answers)
                said = asked[0][OTHER].said.removeprefix("other ")
                total = counted(len(answers), noun, _PLURALS.get(noun))
                kinds.setdefault(said, []).append(f"of {total} {counts}")
        text = ", and ".join(f"beyond just these {said}: {'; '.join(some)}" for said, some in kinds.items())
        if sure:
            more = sure.count(YES)
            text += f"; of {counted(len(sure), _ASSOCIATION)} with a yes, {more} "
            text += f"{'is' if more == 1 else 'are'} more than words being rare or common"
        return f"{text}."


def _counted(answers: Sequence[str | None]) -> str:
    """How many tests have which answer; those that none has but a *yes* are left out."""
    counts = {said: answers.count(one) for one, said in _ANSWERS.items()}
    return ", ".join(f"{count} {said}" for said, count in counts.items() if count or said == YES)


_STATUS: Mapping[str | None, Status] = {YES: "holds", NO: "absent", CANNOT_TELL: "unknown"}


def status_on(checks: Iterable[Check], status: Status) -> Status:
    """Whether a finding holds by the checks of its test; as it is where these were not asked."""
    return next((_STATUS.get(check.answer, status) for check in checks if check.asks == OTHER), status)


def checks_name(test: str) -> str:
    """What the checks of a test are called in rules, such as ``weat6 checks``."""
    return f"{test} checks"


def checks(results: Result | Iterable[Result]) -> ChecksResult:
    """Ask four questions of every test: what holds for these words, and what beyond them.

    *Other words* has first the chance that another set of words would point the same way, and one of three
    answers. *Yes*: the crossed p-value, with targets and attributes drawn, is below .05 when adjusted for
    the number of tests (Benjamini and Hochberg): those of a battery, and all others of a kind together; and
    placebo tests, where they were drawn, do not contradict it. *No*: the 90 % interval of Δ lies within ± one
    ordinary association of the model (:func:`~crossroads.stats.ordinary`), and sets count as ten words and
    more. Else it *cannot tell* yet, with about how many words per set would. *Beyond frequency* is answered
    by :func:`~crossroads.frequency`; *among arbitrary topics* is a description, from
    :func:`~crossroads.placebo`, and has no answer; *these words* is answered by the exact p-value, with
    attribute words as given. A question that was not asked says so, and why.

    Parameters
    ----------
    results
        Tests or batteries of one model, with its ordinary association, and the frequencies and placebos of
        their designs, where these were measured.

    References
    ----------
    Clark, H. H. (1973). doi:10.1016/S0022-5371(73)80014-3; Judd, C. M., Westfall, J., & Kenny, D. A. (2012).
    doi:10.1037/a0028347

    Examples
    --------
    >>> import crossroads as cr
    >>> design = cr.catalog("weat7")
    >>> battery = cr.battery(cr.load("default", words=design.words), design, missing="drop")
    >>> [check.answer for check in cr.checks(battery).tests["weat7"]]
    ['yes', 'cannot tell', 'not asked', 'not asked']
    """
    measured = [results] if isinstance(results, Result) else list(results)
    for result in measured:
        if not isinstance(result, Result):
            raise InputError(
                f"one of the results is {in_short(result)}.", hint="give what measures returned."
            )
    tests = _adjusted([test for result in measured for test in result._checks()])
    names = [test.name for test in tests]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name!r} is there twice.", hint="give the tests of one model, each once.")
    if not tests:
        raise InputError(
            "none of the results is a test of two targets.",
            hint="give what weat, mleat, battery, ceat, rsa, chat_test or sentence_test returned.",
        )
    further: dict[tuple[str, str], Check] = {}
    for result in measured:
        if check := result._check():
            further.setdefault((getattr(result, "design", ""), check.asks), check)
    ordinary = next((one._ordinary for one in measured if one._ordinary is not None), None)
    return ChecksResult(
        tests={test.name: _asked(test, ordinary, further) for test in tests},
        questions={test.name: test.question for test in tests},
        kinds={test.name: test.noun for test in tests if test.noun != _ASSOCIATION},
        conventions={
            "measure": "checks",
            "alpha": ALPHA,
            "other words": phrases.ADJUSTMENTS[phrases.ADJUSTMENT][1],
            "these words": "no adjustment",
            "intervals": "of adjusted level (Benjamini and Yekutieli 2005)",
            "least words": LEAST,
        },
        ordinary=ordinary,
        provenance=tuple({one.source: one for result in measured for one in result.provenance}.values()),
    )


def _adjusted(tests: list[Checked]) -> list[Checked]:
    """The tests, those that are in no battery adjusted for the number of tests of their family."""
    found = list(tests)
    for family in dict.fromkeys(test.family for test in tests):
        places = [i for i, test in enumerate(tests) if test.family == family and not test.adjusted]
        if places:
            pvalues = adjust_known([tests[i].other for i in places])[phrases.ADJUSTMENT]
            for i, p in zip(places, pvalues, strict=True):
                level = interval_level(pvalues, sides=tests[i].sides)
                found[i] = replace(tests[i], other=p, adjusted=True, level=level)
    return found


def _asked(
    test: Checked, ordinary: float | None, measured: Mapping[tuple[str, str], Check]
) -> tuple[Check, ...]:
    """The answers to all questions; where placebo tests contradict a *yes*, it cannot be told."""
    (these, other), further = test.checks(ordinary), tuple(_further(test, measured))
    against = next((check.reason for check in further if check.asks == TOPICS and check.answer is None), None)
    if other.answer == YES and against is not None:
        other = replace(other, answer=CANNOT_TELL, reason=against)
    return these, other, *further


def _further(test: Checked, measured: Mapping[tuple[str, str], Check]) -> Iterator[Check]:
    """The other questions, or why they were not asked."""
    for asks, reason in test.unchecked.items():
        missing = Check(asks=asks, answer=NOT_ASKED, value=None, sign="", method="none", reason=reason)
        yield measured.get((test.name, asks), missing)
