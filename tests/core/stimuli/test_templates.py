from __future__ import annotations

import pytest

from crossroads.core.errors import InputError
from crossroads.core.stimuli import Sentence, Template, catalog


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("This is {article} {word}.", "axe", "This is an axe."),
        ("This is {article} {word}.", "rose", "This is a rose."),
        ("{article} {word} is a person.", "Black woman", "A Black woman is a person."),
        ("{word} are people.", "women", "Women are people."),
        ("a picture that brings to mind {word}", "love", "a picture that brings to mind love"),
        ("This is {word}", "{odd}", "This is {odd}"),
    ],
)
def test_templates_are_filled_with_article_and_capital(text: str, word: str, sentence: str) -> None:
    assert Template(text).fill(word=word) == sentence


def test_a_template_takes_the_forms_of_a_group_and_ignores_the_others() -> None:
    group = catalog().groups("abc-groups")["elderly"]
    family = catalog().templates("abc-templates")["plural"]
    sentences = [template.fill(trait="[MASK]", **group.forms) for template in family.templates]
    assert sentences[:2] == ["Elderly people are [MASK].", "Most elderly people are [MASK]."]


def test_a_template_says_what_it_needs() -> None:
    with pytest.raises(InputError, match=r"needs 'plural' and 'trait'(.|\n)*given: word"):
        Template("{plural} are {trait}.").fill(word="rose")


@pytest.mark.parametrize(
    ("sentence", "keyword", "span"),
    [
        ("A Black person is a person.", "Black", (2, 7)),
        ("Women are people.", "women", (0, 5)),
        ("The females and the female.", "female", (20, 26)),
    ],
)
def test_a_keyword_is_found_as_a_whole_word(sentence: str, keyword: str, span: tuple[int, int]) -> None:
    assert Sentence(sentence, keyword).span == span
    with pytest.raises(InputError, match="'man' is not a word"):
        _ = Sentence("This is a woman.", "man").span
