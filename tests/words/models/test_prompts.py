"""Words in prompts: what a model reads, and where the word stands in it."""

from __future__ import annotations

from typing import Any

import pytest

from crossroads import Design, catalog
from crossroads.core.errors import InputError
from crossroads.words.models.prompts import prompted_words, prompts_for


@pytest.mark.parametrize(
    ("prompt", "word", "text"),
    [
        ("This is {article} {word}", "axe", "This is an axe"),
        ("This is {article} {word}", "hour", "This is an hour"),  # by sound, not by letter
        ("This is {article} {word}", "European American", "This is a European American"),
        ("This is {article} {word}", "éclair", "This is an éclair"),
        ("This is {article} old {word}", "rose", "This is an old rose"),  # of what follows it
        ("This is {article} big {word} in {article} urn", "axe", "This is a big axe in an urn"),
        ("{article} {word} is here", "axe", "An axe is here"),
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


def test_a_mapping_gives_each_word_its_own_prompt_or_text() -> None:
    rose, wasp, bee = prompted_words({"rose": "the {word}", "wasp": "Wasp!", "bee": "an insect"}, "{word}")
    assert (rose.text, rose.span) == ("the rose", (4, 8))
    assert (wasp.text, wasp.span) == ("Wasp!", (0, 4))
    assert (bee.text, bee.span) == ("an insect", None)


@pytest.mark.parametrize(
    ("words", "prompt", "said"),
    [
        (["rose"], "This is it", "no place for the word"),
        (["rose"], "{word} and {word}", "2 places for the word"),
        (["rose"], "This is {word:>9}", "that nothing fills: 'word'"),
        (["rose"], "This is {word.__class__}", "that nothing fills"),
        (["rose"], "This is {word", "cannot be read"),
        (["rose"], None, "of type NoneType"),
        ([], "{word}", "no words"),
        ("rose", "{word}", "one string"),
        ([" rose"], "{word}", "spaces around"),
        ([3], "{word}", "not a word"),
        (["ro\ud800se"], "{word}", "half of a character"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: Any, prompt: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prompted_words(words, prompt)


class TestPublishedPrompts:
    def test_things_that_can_be_counted_have_an_article(self) -> None:
        for name in ("weat1", "weat2", "c1", "weat2:google-news"):
            design = catalog(name)
            prompts = prompts_for(design)
            assert set(prompts) == set(design.words)
            asked = {role: {prompts[word] for word in words} for role, words in design.sets.items()}
            assert asked["x"] == asked["y"] == {"This is {article} {word}"}
            assert asked["a"] == asked["b"] == {"This is {word}"}
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
        several = Design(name="own", x=["rose"], a=["love"], b=["filth"], templates=["{word}!", "{word}?"])
        with pytest.raises(InputError, match="has 2 templates"):
            prompts_for(several)
