from __future__ import annotations

import pickle
from typing import Any

import pytest

from crossroads.core.errors import DesignError
from crossroads.core.stimuli import StimulusSet


def test_a_set_is_a_sequence_of_its_words() -> None:
    flowers = StimulusSet("flowers", ("rose", "daisy", "lily"))
    assert list(flowers) == ["rose", "daisy", "lily"]
    assert (flowers[0], flowers[1:], len(flowers)) == ("rose", ("daisy", "lily"), 3)
    assert pickle.loads(pickle.dumps(flowers)) == flowers
    assert {flowers: 1}[StimulusSet("flowers", ("rose", "daisy", "lily"))] == 1


def test_any_iterable_of_words_makes_a_set_and_a_python_set_is_sorted() -> None:
    flowers = StimulusSet("flowers", ("rose",))
    assert StimulusSet.of(flowers, "x") is flowers
    assert StimulusSet.of((word for word in ["b", "a"]), "x") == StimulusSet("x", ("b", "a"))
    assert StimulusSet.of({"b", "a", "c"}, "x").items == ("a", "b", "c")


@pytest.mark.parametrize("word", ["New York", "fried-chicken", "José", "می‌خواهم", "it's", "花"])
def test_words_may_hold_spaces_hyphens_and_any_script(word: str) -> None:
    assert StimulusSet.of([word], "x").items == (word,)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("rose", "give a list of words, not one string"),
        ([], "'x' is empty"),
        (["rose", ""], "'' in the set 'x' is empty"),
        (["rose", " wasp"], "' wasp' in the set 'x' has spaces around it"),
        (["ro\nse"], "control character"),
        (["ro\ud800se"], "half of a character"),
        (["rose", 3], "3 in the set 'x' is of type int"),
        (["rose", "daisy", "rose"], "'rose' occurs twice in the set 'x'"),
        (7, "'x' is of type int"),
    ],
)
def test_what_cannot_be_a_set_is_refused_with_the_value(value: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message.replace("(", r"\(")):
        StimulusSet.of(value, "x")
    with pytest.raises(DesignError, match="name of a set"):
        StimulusSet(" ", ("rose",))
