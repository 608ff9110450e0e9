"""Robustness checks: their answers, and the sentence that says first what was found."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import crossroads as cr
from crossroads.core.errors import InputError
from crossroads.core.report.audit import conclusions_of
from crossroads.core.results import Result
from crossroads.core.results.checks import QUESTIONS
from crossroads.sentences.evidence import ScoredItem, SentenceScores
from crossroads.sentences.material import SentenceItem


def world(lean: float, seed: int = 0, name: str = "made up") -> tuple[cr.Embeddings, cr.Design]:
    rng = np.random.default_rng(seed)
    sets: dict[str, Any] = {key: [f"{key}{i}" for i in range(8)] for key in "xyab"}
    rows = rng.normal(size=(32, 20))
    rows[:, 0] += 3 * np.repeat([lean, -lean, lean, -lean], 8)
    design = cr.Design(name=name, **sets)
    return cr.Embeddings(design.words, rows), design


def over_contexts(emb: cr.Embeddings, design: cr.Design) -> cr.Contexts:
    rng = np.random.default_rng(1)
    return cr.Contexts.from_dict({word: rng.normal(emb[word], 0.1, (3, 20)) for word in design.words})


@pytest.mark.parametrize(
    ("lean", "answer", "counts"), [(1.0, "yes", "1 yes"), (0.0, "cannot tell", "0 yes, 1 cannot tell yet")]
)
def test_a_difference_is_shown_or_it_cannot_be_told(lean: float, answer: str, counts: str) -> None:
    battery = cr.battery(*world(lean))
    sure = cr.checks(battery)
    other, crossed = sure.tests["made up"][1], battery.tests[0].level1.crossed
    assert (other.answer, other.chance) == (answer, crossed.agreement)
    assert (other.low, other.high, other.level) == pytest.approx((crossed.low, crossed.high, 0.95))
    assert (other.ordinary, other.words) == (None, None)
    assert sure._headline() == f"beyond just these words: of 1 association {counts}."


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Unit(Result):
    """A model with a known ordinary association."""

    margin: float

    @property
    def _ordinary(self) -> float:
        return self.margin


def test_no_takes_an_interval_within_one_ordinary_association_and_ten_words() -> None:
    found = {}
    for n in (9, 10):
        rng = np.random.default_rng(4)
        sets: dict[str, Any] = {key: [f"{key}{i}" for i in range(n)] for key in "xyab"}
        design = cr.Design(name="none", **sets)
        test = cr.weat(cr.Embeddings(design.words, rng.normal(size=(4 * n, 50))), design, words="independent")
        low, high = test.crossed.ends(0.9)
        largest = max(abs(low), abs(high))
        assert test.crossed.pvalue is not None and test.crossed.pvalue > 0.05
        for margin in (largest * 1.001, largest * 0.999):
            other = cr.checks([test, _Unit(margin=margin, conventions={})]).tests["none"][1]
            assert other.ordinary == test.crossed.difference / margin
            found[n, margin > largest] = other
    assert {key: one.answer for key, one in found.items()} == {
        (9, True): "cannot tell",
        (9, False): "cannot tell",
        (10, True): "no",
        (10, False): "cannot tell",
    }
    assert found[10, True].words is None
    assert (found[10, False].words or 0) > 10 > 9 < (found[9, True].words or 0)


def test_a_test_with_words_enough_for_an_ordinary_association_needs_more_for_its_own() -> None:
    test = cr.weat(*world(0.3, 2))
    detectable, difference = test.crossed.detectable or 0.0, abs(test.crossed.difference)
    assert difference < detectable
    larger, own = (
        cr.checks([test, _Unit(margin=margin, conventions={})]).tests["made up"][1].words
        for margin in (detectable * 1.05, difference)
    )
    assert larger == own is not None and own > 8


def test_intervals_and_adjusted_p_agree() -> None:
    tests = [cr.weat(*world(0.12 * seed, seed, f"world {seed}")) for seed in range(6)]
    known: list[Any] = [checks[1] for checks in cr.checks(tests).tests.values()]
    assert len(known) == 6
    found = sum(one.value < 0.05 for one in known)
    assert 0 < found < 6
    for one, test in zip(known, tests, strict=True):
        assert one.level == pytest.approx(1 - 0.05 * found / 6)
        assert (one.value < 0.05) == (one.low > 0 or one.high < 0)
        half = stats.t.ppf((1 + one.level) / 2, test.crossed.df) * (test.crossed.se or 0.0)
        assert one.high - test.crossed.difference == pytest.approx(half)


def test_placebo_tests_that_contradict_a_yes_leave_it_open() -> None:
    emb, design = world(1.0)
    letters = ["".join(some) for some in itertools.product("bcdfghjklm", repeat=3)]
    others = cr.Embeddings(letters, np.random.default_rng(2).normal(size=(len(letters), 20)))
    placebo = cr.placebo(emb.with_pool(others), design, draws=200)
    test = cr.weat(emb, design)
    assert cr.checks([test, placebo]).tests["made up"][1].answer == "yes"
    against = replace(placebo, agrees=False, pvalue=0.12)
    other = cr.checks([test, against]).tests["made up"][1]
    assert other.answer == "cannot tell"
    assert other.reason is not None and other.reason.startswith("12\N{NO-BREAK SPACE}% of placebo tests")
    (said,) = conclusions_of({"sure": cr.checks([test, against]), "test": test})
    assert said.found.status == "unknown" and other.reason in said.found.sentence


def test_each_kind_of_test_is_counted_by_itself_and_frequency_only_where_it_was_asked() -> None:
    emb, design = world(1.0)
    fit = cr.rsa(emb, design.x, design.y or (), design.a, n=5, samples=5, draws=99)
    counts = {word: 10.0 + i % 5 for i, word in enumerate(design.words)}
    explained = cr.frequency(emb, design, frequencies=counts)
    sure = cr.checks([cr.battery(emb, design), fit, explained])
    assert fit.crossed.pvalue is not None
    more = 1 if explained.answer == "yes" else 0
    geometry = "1 yes" if fit.crossed.pvalue < 0.05 else "0 yes, 1 cannot tell yet"
    assert sure._headline() == (
        f"beyond just these words: of 1 association 1 yes; of 1 comparison of geometry {geometry}; of 1 "
        f"association with a yes, {more} {'is' if more else 'are'} more than words being rare or common."
    )


def test_a_question_that_was_not_asked_says_so_and_why() -> None:
    emb, design = world(1.0)
    fit = cr.rsa(emb, design.x, design.y or (), design.a, n=5, samples=5, draws=99)
    over = cr.ceat(over_contexts(emb, design), design, samples=20)
    one = cr.weat(emb, cr.Design(name="alone", x=design.x, a=design.a, b=design.b))
    sure = cr.checks([cr.weat(emb, design), one, fit, over])
    for checks in sure.tests.values():
        assert [check.asks for check in checks] == list(QUESTIONS)
        for check in checks[2:]:
            assert (check.answer, check.value) == ("not asked", None)
            assert check.reason
    assert sure.tests["alone"][2].reason == "frequencies of two targets are compared"
    assert all(values["beyond_frequency"] is None for _, _, values in sure._readings("how sure"))
    assert "with a yes" not in sure._headline()
    assert type(sure).from_json(sure.to_json()) == sure


def test_frequency_is_asked_of_tests_over_contexts_where_it_is_given() -> None:
    emb, design = world(1.0)
    contexts = over_contexts(emb, design)
    over = cr.ceat(contexts, design, samples=20)
    counts = {word: 10.0 + i % 5 for i, word in enumerate(design.words)}
    explained = cr.frequency(contexts, design, frequencies=counts)
    assert explained.difference == pytest.approx(over.crossed.difference, abs=1e-15)
    assert explained.effect_size == pytest.approx(over.stimulus_effect_size, abs=1e-12)
    check = cr.checks([over, explained]).tests["made up CEAT"][2]
    assert (check.answer, check.value) == (explained.answer, explained.adjusted.pvalue)
    assert check.method == "equal frequency, given as a table"
    with pytest.raises(InputError, match="given as arrays are not known"):
        cr.frequency(contexts, design)


def test_tests_that_are_given_one_by_one_are_adjusted_for_their_number() -> None:
    tests = [cr.weat(*world(0.3, seed, f"world {seed}")) for seed in range(4)]
    drawn = [test.crossed.pvalue for test in tests if test.crossed.pvalue is not None]
    assert len(drawn) == 4
    sure = cr.checks(tests)
    told = [checks[1].value for checks in sure.tests.values()]
    assert told == pytest.approx(list(cr.stats.benjamini_hochberg(drawn)))
    assert told != pytest.approx(drawn)


def test_checks_are_of_results_each_once() -> None:
    emb, design = world(1.0)
    test = cr.weat(emb, design)
    with pytest.raises(InputError, match="'made up' is there twice"):
        cr.checks([test, cr.mleat(emb, design)])
    wrong: Any = [test, "made up"]
    with pytest.raises(InputError, match="one of the results is 'made up'"):
        cr.checks(wrong)


def test_questions_about_sentences_are_not_called_after_words() -> None:
    pairs = [(f"Women are {word}.", f"Men are {word}.") for word in ("warm", "kind", "weak", "shy", "loud")]
    items = tuple(
        ScoredItem(item=SentenceItem(sentences=pair), totals=(-1.0, -2.0), tokens=(3, 3)) for pair in pairs
    )
    scores = SentenceScores(name="mine", kind="pairs", score="pll", items=items)
    alone = cr.checks(cr.sentence_test(scores))
    assert alone._headline() == "beyond just these sentences: of 1 preference 0 yes, 1 cannot tell yet."
    assert [one.asks for one in alone.tests["mine pll"]][:2] == ["these words", "other words"]  # as in rules
    both = cr.checks([cr.battery(*world(0.0)), cr.sentence_test(scores)])
    assert both._headline() == (
        "beyond just these words: of 1 association 0 yes, 1 cannot tell yet, and "
        "beyond just these sentences: of 1 preference 0 yes, 1 cannot tell yet."
    )
    assert "other words or other sentences" in [column.head for column in both._table().columns]
