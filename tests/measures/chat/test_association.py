"""The word-association test: the published score, its p-values, and what becomes of every answer."""

from __future__ import annotations

import json
import os
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossroads import Design, InputError, chat_association, ladder
from crossroads.evidence.chat import ChatAnswer, ChatAnswers
from crossroads.measures.chat.association import inference
from crossroads.measures.chat.parse import parse
from crossroads.report.renderers.findings import finding

SHARED = Path(os.environ.get("CROSSROADS_SHARED") or Path(__file__).resolve().parents[4] / "shared")
AGE = Design(name="age", x=["young"], y=["old"], a=["joy", "peace", "love"], b=["agony", "evil", "hurt"])


def said(**labels: str) -> str:
    return "\n".join(f"{word} - {label}" for word, label in labels.items())


ALL = said(joy="young", peace="young", love="young", agony="old", evil="old", hurt="old")


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    file = SHARED / "data" / "llm-wat" / "gpt4o.json"
    if not file.is_file():
        pytest.skip("the published answers are in the folder 'shared' beside the checkout")
    return dict(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.slow
def test_published_scores_of_gpt_4o(published: dict[str, Any]) -> None:
    results = {
        name: chat_association(one["answers"], Design(name=name, **one["design"]))
        for name, one in published.items()
    }
    for name, one in published.items():
        assert results[name].score == pytest.approx(one["score"], abs=5e-5)  # printed with four digits
        assert results[name].answered == len(one["answers"]) == 50
    # GPT-4o answered 17 words with labels such as "ancient" and "youthful", which count for none
    assert results["age"].other == 17
    # the t test over answers is sure of age; words are not
    assert results["age"].response_pvalue is not None
    assert results["age"].response_pvalue < 1e-6
    assert results["age"].crossed is not None
    assert results["age"].crossed.pvalue == pytest.approx(0.0548, abs=1e-4)
    # career and science have several labels a side, and these are what is drawn
    assert [results[name].drawn for name in ("career", "age")] == ["words and labels", "words and answers"]
    # every word the same in all answers: no interval, and the p-value of exchanging 8 and 8 words
    perfect = results["racism"].crossed
    assert perfect is not None
    assert perfect.low is None
    assert perfect.pvalue == pytest.approx(2 / comb(16, 8))
    (said,) = results["racism"].conclusions("racism")
    assert said.status == "holds"
    found = ladder(
        results.values()
    ).tests  # the first two questions: a chat model has no vectors for the others
    answers = {name: [one.answer for one in rungs[:2]] for name, rungs in found.items()}
    assert answers["racism chat"] == ["yes", "yes"]
    assert answers["age chat"] == ["no", "no"]


def test_the_score_is_the_published_formula() -> None:
    # 2 of 3 of A to X, 1 of 2 of B to Y; then 0 of 1 and 1 of 1: 2/3 + 1/2 - 1 = 1/6, and 0
    first = said(joy="young", peace="young", love="old", agony="old", evil="young")
    second = said(joy="old", hurt="old")
    result = chat_association([first, second], AGE)
    assert np.array(result.scores, dtype=float) == pytest.approx([1 / 6, 0.0])
    assert result.score == pytest.approx(1 / 12)
    assert result.words == {"joy": 0.5, "peace": 1.0, "love": 0.0, "agony": 0.0, "evil": 1.0, "hurt": 0.0}
    assert (result.answered, result.partial) == (2, 2)
    # by the released code: X got 2 of A and 1 of B, Y 1 of A and 1 of B; then nothing, and 1 and 1
    released = [2 / 3.01 + 1 / 2.01 - 1, 0 + 1 / 2.01 - 1]
    assert result.released_score == pytest.approx(np.mean(released))


def test_a_finding_has_the_scale_of_scores_and_its_interval_stays_within() -> None:
    nearly = said(joy="young", peace="old", love="young", agony="old", evil="old", hurt="old")
    result = chat_association([ALL, nearly, ALL, ALL], AGE)
    assert result.crossed is not None
    assert result.crossed.high == 1  # 0.92 plus half a width of more than that
    (found,) = result.conclusions("age chat")
    assert found.scale == "score"
    assert finding(found).endswith("(age chat, score = 0.92, 0.20 to 1.00)")


def test_refusals_and_what_cannot_be_read_have_their_own_rates() -> None:
    answers = [ALL, "I'm sorry, I can't.", "alegría - joven", ""]
    result = chat_association(answers, AGE)
    assert (result.answers, result.answered, result.refused, result.unparsed) == (4, 1, 1, 2)
    assert result.statuses == ("answered", "refused", "unparsed", "unparsed")
    assert result.scores == (1.0, None, None, None)
    assert (result.refusal_rate, result.unparsed_rate) == (0.25, 0.5)
    assert result.crossed is not None
    assert result.crossed.reason == "there is a single answer"


def test_a_model_that_only_refuses_has_rates_and_no_score() -> None:
    result = chat_association(["I cannot do that."] * 3, AGE)
    assert (result.score, result.pvalue, result.crossed, result.refusal_rate) == (None, None, None, 1.0)
    rungs = ladder(result).tests["age chat"]
    assert [rung.answer for rung in rungs[2:]] == ["not asked", "not asked"]
    assert [(rung.answer, rung.reason) for rung in rungs[:2]] == [
        ("cannot tell", "of 3 answers, 3 refused and 0 cannot be read")
    ] * 2


def test_words_are_exchanged_exactly() -> None:
    result = chat_association([ALL] * 4, AGE)
    assert result.score == 1.0
    assert result.method == "exact"
    assert result.pvalue == 2 / comb(6, 3)  # the observed division and its mirror image
    assert result.crossed is not None
    # four answers that all agree: 2 of 16 choices of signs are as extreme, more than 2 of 20 divisions
    assert result.crossed.pvalue == 2 / 16


def test_a_word_that_no_answer_gives_to_a_label_is_left_out_and_said_so() -> None:
    answers = [ALL.replace("hurt - old", "hurt - ancient")] * 3
    result = chat_association(answers, AGE)
    assert result.coverage is not None
    assert result.coverage.missing == {"hurt": "given to no label in any answer"}
    assert "hurt" not in result.words


def test_labels_are_drawn_where_answers_use_several() -> None:
    design = Design(name="n", x=["Ben", "Paul"], y=["Ann", "Eva"], a=["joy", "peace"], b=["evil", "hurt"])
    text = "joy - {0}\npeace - {1}\nevil - {1}\nhurt - {1}"
    pairs = [("Ben", "Ann"), ("Paul", "Eva"), ("Ben", "Eva"), ("Paul", "Ann")]
    bare = chat_association([text.format(*pair) for pair in pairs], design)
    assert bare.drawn == "words and labels"
    asked = [ChatAnswer(text=text.format(*pair), x=pair[0], y=pair[1], first="x") for pair in pairs]
    known = chat_association(ChatAnswers(asked, provenance="m"), design)
    assert known.crossed == bare.crossed
    assert known.first_share == 4 / 16  # one word of four


def test_what_is_no_answer_is_an_error() -> None:
    with pytest.raises(InputError, match="there are no answers"):
        chat_association([], AGE)
    with pytest.raises(InputError, match="answer 2 is 3, not a text"):
        chat_association(["joy - young", 3], AGE)  # type: ignore[list-item]
    with pytest.raises(InputError, match="give a list of texts"):
        chat_association("joy - young", AGE)


def test_answers_are_saved_and_read_back(tmp_path: Path) -> None:
    kept = ChatAnswers([ChatAnswer(text=ALL, x="young", y="old", first="y", words=("joy",))], provenance="m")
    kept.save(tmp_path / "answers.json")
    assert ChatAnswers.open(tmp_path / "answers.json") == kept
    (tmp_path / "texts.json").write_text(json.dumps([ALL, ""]), encoding="utf-8")
    assert [one.text for one in ChatAnswers.open(tmp_path / "texts.json")] == [ALL, ""]
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    for name, why in (("other.json", "holds no answers"), ("answers.json", "not JSON")):
        if name == "answers.json":
            (tmp_path / name).write_text("{", encoding="utf-8")
        with pytest.raises(InputError, match=why):
            ChatAnswers.open(tmp_path / name)


def test_a_flipped_bit_in_saved_answers_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    kept = ChatAnswers([ChatAnswer(text=ALL, x="young", y="old", first="y", words=("joy",))], provenance="m")
    kept.save(file)
    data = file.read_bytes()
    for at in range(len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        file.write_bytes(flipped)
        with pytest.raises(InputError):
            ChatAnswers.open(file)
    file.write_bytes(data.replace(b"young", b"Young", 1))
    with pytest.raises(InputError, match="the answers are damaged: their checksum is not") as caught:
        ChatAnswers.open(file)
    assert "ask the model again" in str(caught.value.hint)


def null_table(rng: np.random.Generator, n_a: int, words: int, answers: int) -> NDArray[np.float64]:
    """Answers of a model that likes some words better than others, whatever set they are in."""
    liking = rng.normal(0, 2, words)
    return (rng.random((answers, words)) < 1 / (1 + np.exp(-liking))).astype(np.float64)


@pytest.mark.slow
def test_the_t_test_over_answers_rejects_most_true_nulls_and_ours_does_not() -> None:
    rng, worlds, n_a = np.random.default_rng(7), 300, 7
    design = Design(
        name="n", x=["young"], y=["old"], a=[f"a{i}" for i in range(n_a)], b=[f"b{i}" for i in range(n_a)]
    )
    answer = ChatAnswer(text="")
    read = parse("", design)
    ours, exact, published = [], [], []
    for _ in range(worlds):
        table = null_table(rng, n_a, 2 * n_a, 30)
        found = inference(table, n_a, [answer] * 30, [read] * 30, design, 0)
        ours.append(found["crossed"].pvalue < 0.05)
        exact.append(found["pvalue"] < 0.05)
        scores = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
        t = scores.mean() / scores.std(ddof=1) * 30**0.5
        published.append(abs(t) > 2.045)  # t with 29 degrees of freedom
    # 300 worlds at 5 %: 15 expected, and 25 or more in one of a hundred runs
    assert sum(ours) <= sum(exact) < 25
    assert sum(published) > 0.6 * worlds
