"""The decision test: a share of decisions, and words exchanged in pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads import Design, chat_test
from crossroads.chat.evidence import ChatAnswer, ChatAnswers
from crossroads.core.inference.ranks import signs_exchanged

PAIRS = [("joy", "agony"), ("peace", "evil"), ("love", "hurt"), ("hope", "fear")]
AGE = Design(name="age", x=["young"], y=["old"], a=[a for a, _ in PAIRS], b=[b for _, b in PAIRS])


def test_a_decision_counts_one_or_zero_and_both_for_one_person_is_no_decision() -> None:
    answers = [
        "joy - young\nagony - old",
        "peace - old\nevil - young",
        "joy - young\nagony - young",
        "joy - young",
        "I'm sorry, I can't decide that.",
    ]
    result = chat_test(answers, AGE, task="decision")
    assert result.scores == (1.0, 0.0, None, None, None)
    assert result.score == 0.5
    assert (result.answered, result.refused, result.unparsed) == (2, 1, 2)
    assert result._label == "age chat decision"


def test_words_of_a_pair_are_exchanged_all_decisions_at_once() -> None:
    # four pairs, each decided twice for X: 2 of the 16 choices of signs are as extreme
    answers = [f"{a} - young; {b} - old" for a, b in PAIRS] * 2
    result = chat_test(answers, AGE, task="decision")
    assert result.pvalue == 2 / 16 == result.exchange.min_pvalue
    # pairs that share a word are exchanged together, and so leave three
    shared = [*answers, "joy - young; evil - old"]
    assert chat_test(shared, AGE, task="decision").pvalue == 2 / 8


def test_only_the_words_that_were_asked_are_read() -> None:
    text = "joy would suit anybody.\npeace - young\nevil - old"
    asked = ChatAnswer(text=text, x="young", y="old", first="y", words=("peace", "evil"))
    result = chat_test(ChatAnswers([asked]), AGE, task="decision")
    assert result.scores == (1.0,)
    assert result.reading.first_share == 0.5


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_exchanging_signs_is_counting_all_of_them(sums: list[int]) -> None:
    far = abs(sum(sums))
    every = [
        sum(sign * one for sign, one in zip(signs, sums, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(sums))
    ]
    want = np.mean([abs(one) >= far for one in every])
    assert signs_exchanged(np.array(sums)) == pytest.approx(want)
