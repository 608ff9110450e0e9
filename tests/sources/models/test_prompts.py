"""Words in prompts: what a model reads, and where the word stands in it."""

from __future__ import annotations

from typing import Any

import pytest

from crossroads import Design, catalog
from crossroads.errors import InputError
from crossroads.sources.models.prompts import prompted_words, prompts_for, said_prompts


@pytest.mark.parametrize(
    ("prompt", "word", "text"),
    [
        ("This is {word}", "rose", "This is rose"),
        ("This is {article} {word}", "axe", "This is an axe"),
        ("This is {article} {word}", "rose", "This is a rose"),
        ("This is {article} {word}", "hour", "This is an hour"),  # by sound, not by letter
        ("This is {article} {word}", "university", "This is a university"),
        ("This is {article} {word}", "European American", "This is a European American"),
        ("This is {article} {word}", "éclair", "This is an éclair"),
        ("This is {article} old {word}", "rose", "This is an old rose"),  # of what follows it
        ("This is {article} big {word} in {article} urn", "axe", "This is a big axe in an urn"),
        ("{article} {word} is here", "axe", "An axe is here"),
        ("{word}", "rose", "rose"),
        ("{word} is here.", "rose", "Rose is here."),
        ("{word} is here.", "ßeta", "SSeta is here."),  # one letter becomes two
        ("The {{word}} is {word}, {article} thing", "New York", "The {word} is New York, a thing"),
    ],
)
def test_the_word_is_found_where_it_was_put(prompt: str, word: str, text: str) -> None:
    (found,) = prompted_words([word], prompt)
    assert found.text == text
    assert found.span is not None
    start, end = found.span
    assert text[start:end].casefold() == word.casefold()


def test_words_are_taken_once_and_in_order() -> None:
    assert [one.word for one in prompted_words(["b", "a", "b"], "{word}")] == ["b", "a"]


def test_a_mapping_gives_each_word_its_own_prompt_or_text() -> None:
    rose, wasp, bee = prompted_words({"rose": "the {word}", "wasp": "Wasp!", "bee": "an insect"}, "{word}")
    assert (rose.text, rose.span) == ("the rose", (4, 8))
    assert (wasp.text, wasp.span) == ("Wasp!", (0, 4))
    assert (bee.text, bee.span) == ("an insect", None)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("This is it", "no place for the word"),
        ("{word} and {word}", "2 places for the word"),
        ("This is {noun}", "that nothing fills: 'noun'"),
        ("This is {word!r}", "that nothing fills: 'word'"),
        ("This is {word:>9}", "that nothing fills: 'word'"),
        ("This is {word.__class__}", "that nothing fills"),
        ("This is {word", "cannot be read"),
        (None, "of type NoneType"),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_refused(prompt: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prompted_words(["rose"], prompt)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no words"),
        ("rose", "one string"),
        ([" rose"], "spaces around"),
        (["ro\nse"], "line break"),
        ([""], "is empty"),
        ([3], "not a word"),
        (["ro\ud800se"], "half of a character"),
    ],
)
def test_words_that_cannot_be_asked_for_are_refused(words: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prompted_words(words, "{word}")


class TestPublishedPrompts:
    def test_things_that_can_be_counted_have_an_article(self) -> None:
        for name in ("weat1", "weat2", "c1", "weat2:google-news"):
            design = catalog(name)
            prompts = prompts_for(design)
            assert set(prompts) == set(design.words)
            asked = {role: {prompts[word] for word in words} for role, words in design.sets.items()}
            assert asked["x"] == asked["y"] == {"This is {article} {word}"}
            assert asked["a"] == asked["b"] == {"This is {word}"}

    def test_everything_else_has_none(self) -> None:
        for number in range(3, 11):
            assert set(prompts_for(catalog(f"weat{number}")).values()) == {"This is {word}"}

    def test_a_word_in_both_roles_has_the_article_whatever_the_order(self) -> None:
        # 'bomb' is a weapon in weat2 and unpleasant in weat3
        second, third = catalog("weat2"), catalog("weat3")
        assert "bomb" in second.sets["y"] and "bomb" in third.b
        assert prompts_for(third)["bomb"] == "This is {word}"
        assert prompts_for(second, third)["bomb"] == "This is {article} {word}"
        assert prompts_for(third, second)["bomb"] == "This is {article} {word}"

    def test_a_design_is_asked_in_its_own_template(self) -> None:
        own = Design(name="own", x=["rose"], a=["love"], b=["filth"], templates=["See the {word}."])
        assert prompts_for(own) == dict.fromkeys(("rose", "love", "filth"), "See the {word}.")

    def test_several_templates_cannot_make_one_vector(self) -> None:
        own = Design(name="own", x=["rose"], a=["love"], b=["filth"], templates=["{word}!", "{word}?"])
        with pytest.raises(InputError, match="has 2 templates"):
            prompts_for(own)


def test_many_prompts_are_counted_and_few_are_named() -> None:
    assert said_prompts(["b", "b"]) == "b"
    assert said_prompts(["b", "a"]) == ["a", "b"]
    assert said_prompts(map(str, range(9))) == "9 different ones"
