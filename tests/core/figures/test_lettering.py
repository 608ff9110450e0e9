from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads.core.errors import MissingExtraError
from crossroads.core.figures.lettering import fitted, width, wrapped
from crossroads.core.figures.style import LEAST
from crossroads.core.figures.wording import probability
from crossroads.core.wording.numbers import number
from crossroads.plots import taxonomy


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="abcMW -/_.", max_size=60), st.floats(0.3, 2), st.integers(1, 4))
def test_wrapped_lines_fit_and_are_no_more_than_asked_for(text: str, room: float, lines: int) -> None:
    broken = wrapped(text, room, 7.0, lines=lines).split("\n")
    assert len(broken) <= lines
    assert all(width(line, 7.0) <= room for line in broken)


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="abcMW -/_.", max_size=60))
def test_wrapping_keeps_every_letter_where_there_are_lines_enough(text: str) -> None:
    broken = wrapped(text, 0.5, 7.0, lines=99)
    assert "".join(broken.split()) == "".join(text.split())


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="abcMW -", min_size=1, max_size=60), st.floats(0.3, 2))
def test_fitted_text_fits_in_a_size_that_can_be_read(text: str, room: float) -> None:
    line, size = fitted(text, room, 7.5)
    assert LEAST <= size <= 7.5
    assert width(line, size) <= room
    assert "\n" not in line


def test_lines_break_at_spaces_and_at_hyphens_only_of_words_too_long() -> None:
    assert wrapped("one-two three-four", 0.6, 7.0, lines=9) == "one-two\nthree-four"
    assert wrapped("European-American", 0.6, 7.0, lines=9) == "European-\nAmerican"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.00"), (-0.004, "0.00"), (-1.5, "−1.50"), (0.005, "0.01"), (12.0, "12.00")]
)
def test_numbers_have_two_places_and_a_proper_minus(value: float, text: str) -> None:
    assert number(value + 1e-12) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1.00"),
        (0.9996, "1.00"),
        (0.05, "0.050"),
        (0.0499, "0.0499"),  # not rounded up to a level
        (0.001, "0.001"),
        (0.00099, "9.9×10⁻⁴"),
        (1e-300, "1.0×10⁻³⁰⁰"),
    ],
)
def test_p_values_have_the_digits_of_tables_or_become_powers_of_ten(p: float, text: str) -> None:
    assert probability(p) == text


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(MissingExtraError, match=r"pip install \"crossroads-audit\[plots\]\""):
        taxonomy()
