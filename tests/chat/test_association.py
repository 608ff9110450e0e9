"""The word-association test: the published score, its p-values, and what becomes of every answer."""

from __future__ import annotations

import json
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from crossroads import Design, InputError, chat_test, checks
from crossroads.chat.evidence import ChatAnswer, ChatAnswers
from crossroads.core.inference.crossed import spread

AGE = Design(name="age", x=["young"], y=["old"], a=["joy", "peace", "love"], b=["agony", "evil", "hurt"])


def said(**labels: str) -> str:
    return "\n".join(f"{word} - {label}" for word, label in labels.items())


ALL = said(joy="young", peace="young", love="young", agony="old", evil="old", hurt="old")


def test_the_score_is_the_published_formula() -> None:
    # 2 of 3 of A to X, 1 of 2 of B to Y; then 0 of 1 and 1 of 1: 2/3 + 1/2 - 1 = 1/6, and 0
    first = said(joy="young", peace="young", love="old", agony="old", evil="young")
    second = said(joy="old", hurt="old")
    result = chat_test([first, second], AGE)
    assert np.array(result.scores, dtype=float) == pytest.approx([1 / 6, 0.0])
    assert result.score == pytest.approx(1 / 12)
    assert result.words == {"joy": 0.5, "peace": 1.0, "love": 0.0, "agony": 0.0, "evil": 1.0, "hurt": 0.0}
    assert (result.answered, result.reading.partial) == (2, 2)
    # by the released code: X got 2 of A and 1 of B, Y 1 of A and 1 of B; then nothing, and 1 and 1
    released = [2 / 3.01 + 1 / 2.01 - 1, 0 + 1 / 2.01 - 1]
    assert result.published.score == pytest.approx(np.mean(released))


def test_refusals_and_what_cannot_be_read_have_their_own_rates() -> None:
    answers = [ALL.replace("hurt - old", "hurt - ancient"), "I'm sorry, I can't.", "alegría - joven", ""]
    result = chat_test(answers, AGE)
    assert (result.reading.answers, result.answered, result.refused, result.unparsed) == (4, 1, 1, 2)
    assert result.reading.statuses == ("answered", "refused", "unparsed", "unparsed")
    assert result.scores == (1.0, None, None, None)
    assert (result._refusal_rate, result._unparsed_rate) == (0.25, 0.5)
    assert result.crossed is not None
    assert result.crossed.reason == "there is a single answer"
    assert result.coverage is not None
    assert result.coverage.missing == {"hurt": "given to no label in any answer"}
    assert "hurt" not in result.words


def test_a_model_that_only_refuses_has_rates_and_no_score() -> None:
    result = chat_test(["I cannot do that."] * 3, AGE)
    assert (result.score, result.pvalue, result.crossed, result._refusal_rate) == (None, None, None, 1.0)
    found = checks(result).tests["age chat"]
    assert [check.answer for check in found] == ["cannot tell", "cannot tell", "not asked", "not asked"]


def test_an_interval_stays_within_the_scale() -> None:
    nearly = said(joy="young", peace="old", love="young", agony="old", evil="old", hurt="old")
    result = chat_test([ALL, nearly, ALL, ALL], AGE)
    assert result.crossed is not None
    assert result.crossed.high == 1  # 0.92 plus half a width of more than that


def test_words_are_exchanged_exactly() -> None:
    result = chat_test([ALL] * 4, AGE)
    assert result.score == 1.0
    assert result.exchange.method == "exact"
    assert result.pvalue == 2 / comb(6, 3)  # the observed division and its mirror image
    assert result.crossed is not None
    # four answers that all agree: 2 of 16 choices of signs are as extreme, more than 2 of 20 divisions
    assert result.crossed.pvalue == 2 / 16


def test_labels_are_drawn_where_answers_use_several() -> None:
    design = Design(name="n", x=["Ben", "Paul"], y=["Ann", "Eva"], a=["joy", "peace"], b=["evil", "hurt"])
    text = "joy - {0}\npeace - {1}\nevil - {1}\nhurt - {1}"
    pairs = [("Ben", "Ann"), ("Paul", "Eva"), ("Ben", "Eva"), ("Paul", "Ann")]
    bare = chat_test([text.format(*pair) for pair in pairs], design)
    assert bare.conventions["drawn"] == "words and labels"
    asked = [ChatAnswer(text=text.format(*pair), x=pair[0], y=pair[1], first="x") for pair in pairs]
    known = chat_test(ChatAnswers(asked, provenance="m"), design)
    assert known.crossed == bare.crossed
    assert known.reading.first_share == 4 / 16  # one word of four


def test_other_words_and_answers_are_a_table_of_answers_by_words() -> None:
    rng = np.random.default_rng(7)
    table = (rng.random((12, 6)) < [0.9, 0.8, 0.6, 0.4, 0.2, 0.3]).astype(float)
    words = [*AGE.a, *AGE.b]
    texts = [said(**{w: "young" if c else "old" for w, c in zip(words, row, strict=True)}) for row in table]
    result = chat_test(texts, AGE)
    drawn = spread(table, 12, 3)
    found, se = result.crossed, sqrt(drawn.total)
    assert found is not None
    half = student.ppf(0.975, drawn.df) * se
    ends = (float(drawn.difference - half), min(1.0, float(drawn.difference + half)))
    assert result.score == pytest.approx(drawn.difference)
    assert (found.se, found.df) == pytest.approx((se, float(drawn.df)))
    assert (found.low, found.high) == pytest.approx(ends)
    means = table.mean(axis=0)
    splits = [means[list(some)].mean() for some in combinations(range(6), 3)]
    far = abs(means[:3].mean() - means.mean())
    exchanged = np.mean([abs(one - means.mean()) >= far - 1e-12 for one in splits])
    assert result.pvalue == pytest.approx(exchanged)
    t = 2 * student.sf(abs(drawn.difference) / se, drawn.df)
    assert found.pvalue == pytest.approx(max(exchanged, t))
    scores = table[:, :3].mean(axis=1) - table[:, 3:].mean(axis=1)
    assert result.published.pvalue == pytest.approx(ttest_1samp(scores, 0).pvalue)


def test_answers_are_saved_and_read_back_unless_a_bit_was_flipped(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    kept = ChatAnswers([ChatAnswer(text=ALL, x="young", y="old", first="y", words=("joy",))], provenance="m")
    kept.save(file)
    assert ChatAnswers.open(file) == kept
    data = file.read_bytes()
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        file.write_bytes(flipped)
        with pytest.raises(InputError):
            ChatAnswers.open(file)
    file.write_bytes(data.replace(b"young", b"Young", 1))
    with pytest.raises(InputError, match="the answers are damaged: their checksum is not"):
        ChatAnswers.open(file)
    file.write_text(json.dumps([ALL, ""]), encoding="utf-8")
    assert [one.text for one in ChatAnswers.open(file)] == [ALL, ""]


def test_what_is_no_answer_is_an_error(tmp_path: Path) -> None:
    bad: dict[str, Any] = {"no answers": [], "answer 2 is 3": ["", 3], "a list of texts": "joy - young"}
    for why, answers in bad.items():
        with pytest.raises(InputError, match=why):
            chat_test(answers, AGE)
    file = tmp_path / "other.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InputError, match="holds no answers"):
        ChatAnswers.open(file)
