"""Questions to chat models: every order as often as its reverse, every label as often as the others."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from crossroads import Design
from crossroads.chat.ask import chat_prompts
from crossroads.chat.evidence import ChatAnswer

DESIGN = Design(
    name="d", x=["Ben", "Paul", "{words}"], y=["Ann", "Eva"], a=["joy", "peace", "love"], b=["evil", "hurt"]
)


def asked(task: str = "association", prompts: int = 24, **more: int) -> list[ChatAnswer]:
    options = {"repetitions": 1, "seed": 0} | more
    return chat_prompts(DESIGN, task=task, prompts=prompts, prompt=None, **options)


@given(st.integers(0, 50), st.sampled_from([4, 8, 24, 48]))
def test_orders_are_balanced(seed: int, prompts: int) -> None:
    found = asked(prompts=prompts, seed=seed)
    assert Counter(one.first for one in found) == {"x": prompts / 2, "y": prompts / 2}
    places: Counter[str] = Counter()
    for one in found:
        assert sorted(one.words) == sorted([*DESIGN.a, *DESIGN.b])
        places.update({word: at for at, word in enumerate(one.words)})
    assert len(set(places.values())) == 1  # every word stands at the same place on average
    both = Counter((one.words, one.first) for one in found)
    assert all(both[tuple(reversed(words)), first] == n for (words, first), n in both.items())


def test_labels_are_used_in_turn() -> None:
    found = asked(prompts=24)
    assert Counter(one.x for one in found) == dict.fromkeys(DESIGN.x, 8)
    assert Counter(one.y for one in found) == dict.fromkeys(DESIGN.y or (), 12)
    assert len({(one.x, one.y) for one in found}) == 6


def test_the_question_names_labels_and_words_in_their_order() -> None:
    for one in asked(prompts=12):
        labels = (one.x, one.y) if one.first == "x" else (one.y, one.x)
        assert f"{labels[0]} or {labels[1]}," in one.prompt  # also a label that looks like a place
        assert one.prompt.endswith("\n".join(one.words))


def test_decisions_have_pairs_that_share_no_word() -> None:
    found = asked(task="decision", prompts=16)
    pairs = {tuple(sorted(one.words)) for one in found}
    assert len(pairs) == 2  # the shorter set has two words
    assert len({word for pair in pairs for word in pair}) == 4
    assert Counter(one.first for one in found) == {"x": 8, "y": 8}
    assert Counter(one.words[0] in DESIGN.a for one in found) == {True: 8, False: 8}
    assert len({(one.words, one.first) for one in found}) == 8  # orders of labels and words are crossed


def test_repetitions_ask_the_same_again_and_seeds_ask_otherwise() -> None:
    found = asked(prompts=4, repetitions=3)
    assert [one.repetition for one in found] == [0, 1, 2] * 4
    assert len({one.prompt for one in found}) == 4
    assert asked(seed=1) == asked(seed=1) != asked(seed=2)
