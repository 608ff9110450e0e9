"""Whole words, found by the automaton as by a regular expression."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossroads.contexts.corpus.matches import Matcher, Window, Words, parse_window
from crossroads.contexts.corpus.text import Text, plain
from crossroads.core.errors import InputError

pytest.importorskip("ahocorasick_rs", reason="searching a corpus needs the extra 'corpus'")

Hit = tuple[str, str, int, int]
Reference = Callable[..., list[Hit]]

FORMS = [
    "he", "He", "short-term", "term", "New York", "York", "José", "O'Brien", "C++", "C", "ß", "all-", ".he",
    "he'",
]  # fmt: skip
# texts made of the forms, of signs that may or may not divide words, and of letters that extend them
PIECES = [
    *FORMS, "short", "New", "New\u00a0York", "Jose\u0301", "O’Brien", "short\u2011term", "t", "é",
    "\u0301", "_", "7",
    "+", "-", "--", "‐", "'", "’", ",", ".", "—", "…", "/", "[", " ", "  ", "\n", "\t", "\u3000", "\u2028",
    "\0", "\x1f",
    "\ufeff", "\u200b", "漢", "😀", "\ufffd",
]  # fmt: skip
TEXTS = st.lists(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), max_size=5)


def found(documents: list[str], forms: list[str], window: Window, hyphens: str) -> list[Hit]:
    matcher = Matcher(forms, hyphens=hyphens)
    text = Text([plain(document) for document in documents])
    matches = matcher.find(text)
    rows = Words(text).contexts(matches, window, matcher.unspaced(matches))
    return [(forms[form], words, start, end) for form, words, start, end in rows]


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(
    documents=TEXTS,
    left=st.integers(0, 3),
    right=st.integers(0, 3),
    hyphens=st.sampled_from(["join", "split"]),
)
def test_what_is_found_is_what_a_regular_expression_finds(
    reference: Reference, documents: list[str], left: int, right: int, hyphens: str
) -> None:
    expected = reference(documents, FORMS, left, right, hyphens)
    assert sorted(found(documents, FORMS, Window(left, right), hyphens)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "form", "times"),
    [
        ("Anna, Anna's and Anna’s; (Anna) Annabel Joanna anna", "Anna", 4),
        ("the_term term2 2term term", "term", 1),
        ("short-term and short - term, long-term term-", "term", 2),
        ("short-term, short‐term, short term, short--term", "short-term", 2),
        ("café cafe\u0301 cafe", "café", 2),
        ("New York, New\tYork, New,York, New-York", "New York", 2),
        (".NET, (.NET) ..NET .NETs ASP.NET _.NET", ".NET", 3),
        ("C++, C++. (C++) C++-like C+++ C++x C++7", "C++", 4),
        ("Hawai’’ Hawai’ Hawai'’", "Hawai'", 1),
    ],
)
def test_words_are_whole(text: str, form: str, times: int) -> None:
    assert len(found([text], [form], Window(4, 4), "join")) == times


@pytest.mark.parametrize(
    ("given_", "window"),
    [(9, (4, 4)), ("9", (4, 4)), (8, (4, 3)), (1, (0, 0)), ("4+3", (4, 3)), ("0 + 2", (0, 2)),
     ("all", (None, None)), (None, (None, None))],
)  # fmt: skip
def test_windows_are_understood(given_: int | str | None, window: tuple[int | None, int | None]) -> None:
    assert parse_window(given_) == window


@pytest.mark.parametrize("wrong", [0, "nine", "4+", True, 4.5, "4+99999999999"])
def test_windows_that_mean_nothing_are_refused(wrong: int | str) -> None:
    with pytest.raises(InputError, match="the window is"):
        parse_window(wrong)
