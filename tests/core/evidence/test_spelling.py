"""Fallback rules: which forms of a word are tried, and in which order."""

from __future__ import annotations

import unicodedata
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.evidence.spelling import RULES, check_fallback, is_cased, spellings, strip_accents

ORDERS = [order for n in range(4) for order in permutations(RULES, n)]


@pytest.mark.slow
@given(st.text(max_size=12), st.sampled_from(ORDERS))
def test_the_word_itself_comes_first_and_nothing_twice(word: str, rules: tuple[str, ...]) -> None:
    tried = list(spellings(word, rules))
    assert tried[0] == (word, "exact")
    forms = [form for form, _ in tried]
    assert len(set(forms)) == len(forms)
    for _, rule in tried[1:]:
        assert set(rule.split("+")) <= {*rules, "phrase", "unicode"}
    if not rules and word.isascii() and not {" ", "_"} & set(word):
        assert len(tried) == 1


@given(st.text(max_size=12), st.sampled_from(ORDERS))
def test_every_rule_and_both_ways_to_write_accents_are_tried(word: str, rules: tuple[str, ...]) -> None:
    forms = {form for form, _ in spellings(word, rules)}
    apply = {"lower": str.lower, "title": str.title, "accents": strip_accents}
    assert {apply[rule](word) for rule in rules} <= forms
    assert {unicodedata.normalize("NFC", word), unicodedata.normalize("NFD", word)} <= forms


@pytest.mark.parametrize(
    ("word", "rules", "tried"),
    [
        ("José", (), ["José"]),
        ("josé", ("lower",), ["josé"]),
        ("josé", ("title", "lower"), ["josé", "José"]),
        ("JOSÉ", ("title", "lower"), ["JOSÉ", "José", "josé"]),
        ("José", ("accents", "lower"), ["José", "Jose", "josé"]),
        ("José", ("lower", "accents"), ["José", "josé", "Jose", "jose"]),
    ],
)
def test_forms_come_in_the_order_of_the_rules(word: str, rules: tuple[str, ...], tried: list[str]) -> None:
    assert [form for form, rule in spellings(word, rules) if "unicode" not in rule] == tried


@given(st.text(max_size=20))
def test_stripping_accents_leaves_none_and_is_stable(word: str) -> None:
    stripped = strip_accents(word)
    assert strip_accents(stripped) == stripped
    assert not any(unicodedata.combining(c) for c in unicodedata.normalize("NFKD", stripped))


@pytest.mark.parametrize(
    ("word", "plain"),
    [("José", "Jose"), ("Zoë", "Zoe"), ("naïve", "naive"), ("Ångström", "Angstrom"), ("rose", "rose")],
)
def test_accents_are_removed(word: str, plain: str) -> None:
    assert strip_accents(word) == plain
    assert strip_accents(unicodedata.normalize("NFD", word)) == plain


@pytest.mark.parametrize(
    ("given_", "rules"),
    [
        ("none", ()),
        ("exact", ()),
        ("", ()),
        ("lower, title", ("lower", "title")),
        (["accents", "lower"], ("accents", "lower")),
    ],
)
def test_fallbacks_may_be_written_in_several_ways(given_: str | list[str], rules: tuple[str, ...]) -> None:
    assert check_fallback(given_) == rules


def test_unknown_and_repeated_rules_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'accents'"):
        check_fallback("accent")
    with pytest.raises(InputError, match="names a rule twice"):
        check_fallback("lower,lower")


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("chief executive", ["chief executive", "chief_executive", "chief-executive"]),
        ("chief_executive", ["chief_executive", "chief executive", "chief-executive"]),
        ("short-term", ["short-term"]),  # a hyphen alone does not make a phrase
        ("__label__", ["__label__"]),
        ("two  spaces", ["two  spaces"]),
    ],
)
def test_only_whole_phrases_are_joined_otherwise(word: str, forms: list[str]) -> None:
    assert [form for form, _ in spellings(word, ())] == forms


def test_the_case_of_a_vocabulary_is_decided_by_share() -> None:
    # GloVe 840B in lower case, with "at Amazon.com"; Google News as Bolukbasi et al. cut it; a small file
    assert not is_cased(1, 33_860)
    assert is_cased(38, 26_423)
    assert is_cased(1, 10)
    assert [is_cased(n, 2000) for n in (0, 1, 2)] == [False, False, True]
