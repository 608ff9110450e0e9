"""Names as they must be written, and numbers as they are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.report.escaping import (
    in_bibtex,
    in_latex,
    in_markdown,
    latex_number,
    latex_pvalue,
    number,
    pvalue,
)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a&b", r"a\&b"),
        ("100%", r"100\%"),
        ("a_b", r"a\_b"),
        ("#1", r"\#1"),
        ("$5", r"\$5"),
        ("a~b", r"a\textasciitilde{}b"),
        ("a^b", r"a\textasciicircum{}b"),
        ("a\\b", r"a\textbackslash{}b"),
        ("{x}", r"\{x\}"),
        ("<i>", r"\textless{}i\textgreater{}"),
        ("Zoë 猫", "Zoë 猫"),
        ("a--b", "a-{}-b"),
        ("[1]", "{[}1{]}"),  # after \\ this would be the space between two rows
        ("*", "{*}"),  # and this would forbid a page break
        ("a\n\tb\x00", "a b"),
    ],
)
def test_latex_prints_a_name_as_it_is(name: str, written: str) -> None:
    assert in_latex(name) == written


@given(st.text())
def test_braces_of_bibtex_balance_as_bibtex_counts_them(text: str) -> None:
    depth = 0
    for sign in in_bibtex(text):  # BibTeX counts every brace, escaped or not
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a|b", r"a\|b"),
        ("<script>", "&lt;script&gt;"),
        ("a*b_c`d", r"a\*b\_c\`d"),
        ("[x](y)", r"\[x\](y)"),
        ("&amp;", "&amp;amp;"),
        ("@all", r"\@all"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("# head", r"\# head"),
        ("a\nb", "a b"),
        ("high-status", "high-status"),
    ],
)
def test_markdown_shows_a_name_as_it_is(name: str, written: str) -> None:
    assert in_markdown(name) == written


@given(st.text())
def test_a_name_stays_in_its_cell(text: str) -> None:
    shown = in_markdown(text)
    assert "\n" not in shown
    assert "|" not in shown.replace("\\\\", "").replace(r"\|", "")
    assert "<" not in shown


def test_numbers_are_rounded_and_signed_for_print() -> None:
    assert number(-0.316) == "−0.32"
    assert number(-0.001) == "0.00"
    assert latex_number(-0.316) == "$-0.32$"
    assert pvalue(0.25) == "0.25"
    assert pvalue(0.0123) == "0.012"
    assert pvalue(4.13e-5) == "4.1e−5"
    assert pvalue(0.04, "bracket") == "≤ 0.040"
    assert latex_pvalue(4.13e-5, "saddlepoint") == r"$\approx 4.1 \times 10^{-5}$"
    assert latex_pvalue(0.0) == "$0$"


@pytest.mark.parametrize(
    ("p", "method", "expected"),
    [
        (0.0496, "exact", "0.0496"),  # not 0.050: it is below the level
        (0.04999999, "exact", "0.04999999"),
        (0.05, "exact", "0.050"),
        (0.0504, "exact", "0.050"),
        (0.00996, "exact", "0.00996"),
        (0.0124, "bracket", "≤ 0.013"),  # a bound is not rounded down
        (0.0124, "exact", "0.012"),
        (1.21e-5, "bracket", "≤ 1.3e−5"),
        (9.99e-5, "bracket", "≤ 1.0e−4"),
        (1.0, "bracket", "≤ 1.00"),
        (0.472, "monte-carlo", "≈ 0.47"),
        (0.0, "exact", "0"),
    ],
)
def test_no_bound_is_rounded_down_and_no_level_is_reached_by_rounding(
    p: float, method: str, expected: str
) -> None:
    assert pvalue(p, method) == expected


def test_rows_that_were_found_in_several_ways_are_marked_by_the_least_sure() -> None:
    assert pvalue(0.0121, "bracket, exact") == "≤ 0.013"
    assert latex_pvalue(0.0121, "bracket, exact") == r"$\le 0.013$"
    assert pvalue(0.0121, "bracket, saddlepoint") == "≈ 0.012"
    assert latex_pvalue(0.0121, "exact, monte-carlo, saddlepoint") == r"$\approx 0.012$"
