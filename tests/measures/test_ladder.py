"""The ladder: its answers, and the sentence that says first what was found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crossroads as cr
from crossroads.errors import InputError
from crossroads.evidence.sentences import SentenceScores, scored
from crossroads.measures.rungs import QUESTIONS
from crossroads.stimuli.files.sentences import SentenceItem


def world(lean: float, seed: int = 0) -> tuple[cr.Embeddings, cr.Design]:
    rng, sets = np.random.default_rng(seed), {key: [f"{key}{i}" for i in range(8)] for key in "xyab"}
    middle = {"x": lean, "y": -lean, "a": lean, "b": -lean}
    rows = {
        w: rng.normal(size=20) + 3 * middle[k] * np.eye(20)[0] for k, words in sets.items() for w in words
    }
    given: dict[str, Any] = dict(sets)
    return cr.Embeddings.from_dict(rows), cr.Design(name="made up", **given)


def test_an_association_that_other_words_would_show_is_told_from_one_that_they_would_not() -> None:
    for lean, answer in ((1.0, "yes"), (0.0, "no")):
        emb, design = world(lean)
        sure = cr.ladder(cr.battery(emb, design, resamples=0))
        assert [one.answer for one in sure.tests["made up"]][1] == answer
        count = 1 if answer == "yes" else 0
        said = f"{count} of 1 association would be found with other words for the same things."
        assert sure.headline() == said


def test_each_kind_of_test_is_counted_by_itself_and_frequency_only_where_it_was_asked() -> None:
    emb, design = world(1.0)
    battery = cr.battery(emb, design, resamples=0)
    fit = cr.rsa(emb, design.x, design.y or (), design.a, n=5, samples=5, permutations=99)
    counts = {word: 10.0 + i % 5 for i, word in enumerate(design.words)}
    explained = cr.frequency(emb, design, frequencies=counts)
    sure = cr.ladder([battery, fit, explained])
    assert fit.crossed is not None and fit.crossed.pvalue is not None
    more = 1 if explained.answer == "yes" else 0
    assert sure.headline() == (
        f"1 of 1 association and {int(fit.crossed.pvalue < 0.05)} of 1 comparison of geometry would be found "
        f"with other words for the same things; of 1 association among them, {more} "
        f"{'is' if more else 'are'} more than words being rare or common."
    )
    assert type(sure).from_json(sure.to_json()) == sure


def test_a_question_that_was_not_asked_says_so_and_why() -> None:
    emb, design = world(1.0)
    test = cr.weat(emb, design)
    fit = cr.rsa(emb, design.x, design.y or (), design.a, n=5, samples=5, permutations=99)
    rng = np.random.default_rng(1)
    contexts = cr.Contexts.from_dict({word: rng.normal(emb[word], 0.1, (3, 20)) for word in design.words})
    over = cr.ceat(contexts, design, samples=20)
    one = cr.weat(emb, cr.Design(name="alone", x=design.x, a=design.a, b=design.b))
    sure = cr.ladder([test, one, fit, over])
    for rungs in sure.tests.values():
        assert [rung.asks for rung in rungs] == list(QUESTIONS)
        for rung in rungs[2:]:
            assert (rung.answer, rung.value) == ("not asked", None)
            assert rung.reason
    reasons = {name: rungs[2].reason or "" for name, rungs in sure.tests.items()}
    assert reasons["alone"] == "frequencies of two targets are compared"
    assert "--frequencies" in reasons["made up"]
    assert "--frequencies" in reasons["made up CEAT"]
    assert all(
        values["beyond_frequency"] is None and values["topic_percentile"] is None
        for _, _, values in sure.readings("how sure")
    )
    told = sure.tabulate({"how sure": sure})
    assert [row["frequency"] for row in told.rows] == ["not asked"] * 4
    assert any("made up CEAT: among arbitrary topics was not asked: " in note for note in told.notes)
    assert "among them" not in sure.headline()
    assert type(sure).from_json(sure.to_json()) == sure


def test_frequency_is_asked_of_tests_over_contexts_where_it_is_given() -> None:
    emb, design = world(1.0)
    rng = np.random.default_rng(1)
    contexts = cr.Contexts.from_dict({word: rng.normal(emb[word], 0.1, (3, 20)) for word in design.words})
    over = cr.ceat(contexts, design, samples=20)
    counts = {word: 10.0 + i % 5 for i, word in enumerate(design.words)}
    explained = cr.frequency(contexts, design, frequencies=counts)
    assert over.crossed is not None
    assert explained.difference == pytest.approx(over.crossed.difference, abs=1e-15)
    assert explained.effect_size == pytest.approx(over.stimulus_effect_size, abs=1e-12)
    rung = cr.ladder([over, explained]).tests["made up CEAT"][2]
    assert (rung.answer, rung.value) == (explained.answer, explained.adjusted.pvalue)
    assert rung.method == "equal frequency, given as a table"
    with pytest.raises(InputError, match="given as arrays are not known"):
        cr.frequency(contexts, design)


def test_tests_that_are_given_one_by_one_are_adjusted_for_their_number() -> None:
    tests = []
    for seed in range(4):
        emb, design = world(0.3, seed)
        given: dict[str, Any] = {key: tuple(words) for key, words in design.sets.items()}
        tests.append(cr.weat(emb, cr.Design(name=f"world {seed}", **given)))
    drawn = [test.crossed.pvalue for test in tests if test.crossed and test.crossed.pvalue is not None]
    assert len(drawn) == 4
    sure = cr.ladder(tests)
    told = [rungs[1].value for rungs in sure.tests.values()]
    assert told == pytest.approx(list(cr.stats.benjamini_hochberg(drawn)))
    assert told != pytest.approx(drawn)


def test_a_ladder_is_of_results_each_once() -> None:
    emb, design = world(1.0)
    test = cr.weat(emb, design)
    with pytest.raises(InputError, match="'made up' is there twice"):
        cr.ladder([test, cr.mleat(emb, design, resamples=0)])
    wrong: Any = [test, "made up"]
    with pytest.raises(InputError, match="one of the results is 'made up'"):
        cr.ladder(wrong)


def test_questions_about_sentences_are_not_called_after_words() -> None:
    pairs = [(f"Women are {word}.", f"Men are {word}.") for word in ("warm", "kind", "weak", "shy", "loud")]
    items = scored([SentenceItem(sentences=pair) for pair in pairs], [(-1.0, -2.0)] * 5, [(3, 3)] * 5)
    scores = SentenceScores(name="mine", kind="pairs", score="pll", items=items)
    alone = cr.ladder(cr.sentence_pairs(scores))
    assert alone.headline() == "0 of 1 preference would be found with other sentences."
    heads = [column.head for column in alone.table().columns]
    assert {"other sentences", "these sentences"} <= set(heads)
    assert [one.asks for one in alone.tests["mine pll"]][:2] == ["these words", "other words"]  # as in rules
    design = cr.catalog("weat7")
    battery = cr.battery(cr.load("default", words=design.words), design, missing="drop")
    both = cr.ladder([battery, cr.sentence_pairs(scores)])
    assert both.headline() == (
        "0 of 1 association would be found with other words for the same things, and 0 of 1 preference would "
        "be found with other sentences."
    )
    assert "other words or other sentences" in [column.head for column in both.table().columns]
