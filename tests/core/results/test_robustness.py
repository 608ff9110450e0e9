"""Robustness checks: their answers, and the sentence that says first what was found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.core.errors import InputError
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


@pytest.mark.parametrize(("lean", "answer", "count"), [(1.0, "yes", 1), (0.0, "no", 0)])
def test_an_association_that_other_words_would_show_is_told_from_one_that_they_would_not(
    lean: float, answer: str, count: int
) -> None:
    sure = cr.checks(cr.battery(*world(lean), resamples=0))
    assert sure.tests["made up"][1].answer == answer
    assert (
        sure._headline() == f"{count} of 1 association would be found with other words for the same things."
    )


def test_each_kind_of_test_is_counted_by_itself_and_frequency_only_where_it_was_asked() -> None:
    emb, design = world(1.0)
    fit = cr.rsa(emb, design.x, design.y or (), design.a, n=5, samples=5, draws=99)
    counts = {word: 10.0 + i % 5 for i, word in enumerate(design.words)}
    explained = cr.frequency(emb, design, frequencies=counts)
    sure = cr.checks([cr.battery(emb, design, resamples=0), fit, explained])
    assert fit.crossed.pvalue is not None
    more = 1 if explained.answer == "yes" else 0
    assert sure._headline() == (
        f"1 of 1 association and {int(fit.crossed.pvalue < 0.05)} of 1 comparison of geometry would be found "
        f"with other words for the same things; of 1 association among them, {more} "
        f"{'is' if more else 'are'} more than words being rare or common."
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
    assert "among them" not in sure._headline()
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
        cr.checks([test, cr.mleat(emb, design, resamples=0)])
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
    assert alone._headline() == "0 of 1 preference would be found with other sentences."
    assert [one.asks for one in alone.tests["mine pll"]][:2] == ["these words", "other words"]  # as in rules
    both = cr.checks([cr.battery(*world(0.0), resamples=0), cr.sentence_test(scores)])
    assert both._headline() == (
        "0 of 1 association would be found with other words for the same things, and 0 of 1 preference would "
        "be found with other sentences."
    )
    assert "other words or other sentences" in [column.head for column in both._table().columns]
