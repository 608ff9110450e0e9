from __future__ import annotations

from dataclasses import dataclass

import pytest

from crossroads.errors import InputError
from crossroads.stimuli import Template, catalog
from crossroads.stimuli.frozen import FrozenDict
from crossroads.stimuli.grammar import article, check_agreement, corrected, disagreements, number_of


@dataclass(frozen=True)
class Noun:
    name: str
    forms: FrozenDict[str, str]


def noun(singular: str, plural: str, capitalised: str | None = None) -> Noun:
    capital = plural[:1].upper() + plural[1:] if capitalised is None else capitalised
    forms = {"singular": singular, "plural": plural, "capitalised": capital}
    return Noun(singular, FrozenDict(forms))


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("elderly person", "an"), ("Asian woman", "an"), ("unemployed man", "an"), ("uninsured person", "an"),
        ("unidentified person", "an"), ("American", "an"), ("honest man", "an"), ("hourly worker", "an"),
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


@pytest.mark.parametrize(
    "sentence", ["An FBI agent.", "A NASA engineer.", "An NASA engineer.", "A US citizen."]
)
def test_what_is_doubtful_is_left_alone(sentence: str) -> None:
    assert corrected(sentence) == sentence


def test_articles_are_corrected_in_either_direction_and_case() -> None:
    assert corrected("A elderly man saw an Hispanic person and a owl.") == (
        "An elderly man saw a Hispanic person and an owl."
    )
    assert corrected("Banana and panda.") == "Banana and panda."


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


def test_templates_with_the_wrong_number_are_found_with_the_right_one() -> None:
    doctor = [noun("doctor", "doctors")]
    (fault,) = disagreements(["Most {singular} are {trait}."], doctor)
    assert fault.correction == "Most {plural} are {trait}."
    assert fault.fault == "asks for a plural and has the place 'singular'"
    (fault,) = disagreements([Template("A {plural} is {trait}.")], doctor)
    assert fault.correction == "A {singular} is {trait}."
    (fault,) = disagreements(["Why are {singular} {trait}?"], doctor)
    assert fault.correction == "Why are {plural} {trait}?"
    assert (
        disagreements(["We believe that {plural} are {trait}.", "The {trait} people are {plural}."], doctor)
        == ()
    )


def test_forms_of_the_wrong_number_are_found() -> None:
    faults = [one.fault for one in disagreements([], [noun("old person", "old man")])]
    assert faults == ["is the plural form of 'old person' and reads as singular",
                      "is the capitalised form of 'old person' and reads as singular"]  # fmt: skip
    (fault,) = disagreements([], [noun("doctor", "doctors", capitalised="doctors")])
    assert fault.correction == "Doctors"
    (fault,) = disagreements([], [noun("doctors", "doctors")])
    assert "is the singular form" in fault.fault


def test_a_plural_like_the_singular_is_no_fault() -> None:
    assert disagreements([], [noun("Roma", "Roma"), noun("Frenchman", "Frenchman")]) == ()


@pytest.mark.parametrize(
    "template",
    [
        "A group of {plural} was {trait}.",
        "One of the {plural} is {trait}.",
        "Someone with {plural} is {trait}.",
    ],
)
def test_the_verb_behind_a_preposition_belongs_to_another_noun(template: str) -> None:
    assert disagreements([template], [noun("doctor", "doctors")]) == ()


def test_a_disagreement_names_template_and_group() -> None:
    (fault,) = disagreements(["A {singular} is {trait}."], [noun("engineer", "engineers")])
    assert (fault.template, fault.group) == ("A {singular} is {trait}.", "engineer")


def test_traits_are_checked_after_an_article() -> None:
    doctor = [noun("doctor", "doctors")]
    found = disagreements(["The {singular} is a {trait} person."], doctor, ["warm", "honest", "altruistic"])
    assert [one.correction for one in found] == [
        "The doctor is an honest person.",
        "The doctor is an altruistic person.",
    ]


def test_places_for_a_word_use_the_number_that_the_sentence_asks_for() -> None:
    templates = ["This is {article} {word}.", "{word} are people.", "A {word} is here."]
    assert disagreements(templates, [noun("hour", "hours")])[0].correction == "An hour is here."
    assert len(disagreements(templates, [noun("hour", "hours")])) == 1
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
