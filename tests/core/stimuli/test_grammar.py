from __future__ import annotations

from typing import NamedTuple

import pytest

from crossroads.core.errors import InputError
from crossroads.core.stimuli import Template, catalog
from crossroads.core.stimuli.grammar import article, check_agreement, corrected, disagreements, number_of
from crossroads.core.stimuli.sets import FrozenDict


class Noun(NamedTuple):
    name: str
    forms: FrozenDict[str, str]


def noun(singular: str, plural: str, capitalised: str | None = None) -> Noun:
    capital = plural[:1].upper() + plural[1:] if capitalised is None else capitalised
    return Noun(singular, FrozenDict({"singular": singular, "plural": plural, "capitalised": capital}))


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("elderly person", "an"), ("Asian woman", "an"), ("unemployed man", "an"), ("uninsured person", "an"),
        ("unidentified person", "an"), ("honest man", "an"), ("hourly worker", "an"),
        ("heir", "an"), ("8-year-old", "an"), ("18-year-old", "an"), ("X-ray", "an"), ("Émigré", "an"),
        ("European", "a"), ("university student", "a"), ("union member", "a"), ("US citizen", "a"),
        ("Ukrainian", "a"), ("one-armed man", "a"), ("Hispanic person", "a"), ("human", "a"), ("user", "a"),
        ("70-year-old", "a"), ("1-eyed man", "a"), ("Utah farmer", "a"), ("U-boat captain", "a"),
        ("LGBTQ+ person", "an"), ("LGBTQIA person", "an"), ("x-ray technician", "an"), ("uniracial", "a"),
        ("unipolar", "a"), ("Uyghur", "a"), ("EUROPEAN", "a"),
    ],
)  # fmt: skip
def test_the_article_follows_the_sound(phrase: str, expected: str) -> None:
    assert article(phrase) == expected


def test_articles_are_corrected_in_either_direction_and_left_alone_where_doubtful() -> None:
    assert corrected("A elderly man saw an Hispanic person.") == "An elderly man saw a Hispanic person."
    for sentence in ("Banana and panda.", "An FBI agent.", "A NASA engineer.", "An NASA engineer."):
        assert corrected(sentence) == sentence


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("elderly people", "plural"), ("gay men", "plural"), ("people with disabilities", "plural"),
        ("person with disabilities", "singular"), ("woman", "singular"), ("Chinese", "either"),
        ("British", "either"), ("boss", "either"), ("lesbians", "plural"), ("mechanic", "either"),
        ("policemen", "plural"), ("gentlemen", "plural"), ("chairwomen", "plural"), ("alumni", "either"),
        ("grandchildren", "plural"), ("salespeople", "plural"), ("Roma", "either"), ("Inuit", "either"),
        ("Navajo", "either"), ("people on welfare", "plural"), ("people living with HIV", "plural"),
        ("men on parole", "plural"), ("mothers-in-law", "plural"), ("stay-at-home moms", "plural"),
        ("person on benefits", "singular"), ("person using drugs", "singular"),
        ("nurse using drugs", "either"), ("older working people", "plural"),
        ("grandchild", "singular"), ("specimen", "either"),
    ],
)  # fmt: skip
def test_number_is_that_of_the_head_noun(phrase: str, expected: str) -> None:
    assert number_of(phrase) == expected


@pytest.mark.slow
def test_the_published_templates_agree_but_for_the_article_they_declare() -> None:
    groups = list(catalog().groups("abc-groups").values())
    templates = catalog().templates("abc-templates").templates
    found = disagreements(templates, groups, catalog().traits("abc-traits").adjectives)
    assert {one.text.partition(" is ")[0] for one in found} == {
        f"A {group.forms['singular']}" for group in groups if article(group.forms["singular"]) == "an"
    }
    assert all(one.correction == f"An{one.text[1:]}" for one in found)


DOCTOR = [noun("doctor", "doctors")]


@pytest.mark.parametrize(
    ("template", "correction"),
    [
        ("Most {singular} are {trait}.", "Most {plural} are {trait}."),
        ("A {plural} is {trait}.", "A {singular} is {trait}."),
        ("Why are {singular} {trait}?", "Why are {plural} {trait}?"),
    ],
)
def test_templates_with_the_wrong_number_are_found_with_the_right_one(template: str, correction: str) -> None:
    (fault,) = disagreements([Template(template)], DOCTOR)
    assert (fault.template, fault.correction) == (template, correction)


@pytest.mark.parametrize(
    "template",
    [
        "We believe that {plural} are {trait}.",
        "The {trait} people are {plural}.",
        # the verb behind a preposition belongs to another noun
        "A group of {plural} was {trait}.",
        "One of the {plural} is {trait}.",
        "Someone with {plural} is {trait}.",
    ],
)
def test_templates_with_the_right_number_are_left_alone(template: str) -> None:
    assert disagreements([template], DOCTOR) == ()


def test_forms_of_the_wrong_number_are_found() -> None:
    faults = [one.fault for one in disagreements([], [noun("old person", "old man")])]
    assert faults == ["is the plural form of 'old person' and reads as singular",
                      "is the capitalised form of 'old person' and reads as singular"]  # fmt: skip
    (fault,) = disagreements([], [noun("doctor", "doctors", capitalised="doctors")])
    assert fault.correction == "Doctors"
    (fault,) = disagreements([], [noun("doctors", "doctors")])
    assert "is the singular form" in fault.fault
    assert disagreements([], [noun("Roma", "Roma"), noun("Frenchman", "Frenchman")]) == ()


def test_traits_are_checked_after_an_article() -> None:
    found = disagreements(["The {singular} is a {trait} person."], DOCTOR, ["warm", "honest", "altruistic"])
    assert [one.correction for one in found] == [
        "The doctor is an honest person.",
        "The doctor is an altruistic person.",
    ]


def test_places_for_a_word_use_the_number_that_the_sentence_asks_for() -> None:
    templates = ["This is {article} {word}.", "{word} are people.", "A {word} is here."]
    (fault,) = disagreements(templates, [noun("hour", "hours")])
    assert (fault.correction, fault.group) == ("An hour is here.", "hour")
    only = Noun("folk", FrozenDict({"plural": "folk"}))
    assert "does not have" in disagreements(["A {word} is here."], [only])[0].fault


def test_a_check_names_the_first_disagreement_and_counts_the_rest() -> None:
    two = [noun("elderly person", "elderly people"), noun("owl", "owls"), noun("doctor", "doctors")]
    with pytest.raises(
        InputError, match=r"'A elderly person is ….' has the wrong article(.|\n)*1 more"
    ) as caught:
        check_agreement(["A {singular} is {trait}."], two)
    assert caught.value.hint == "it should be 'An elderly person is ….'."
    check_agreement(["The {singular} is {trait}."], two)
