"""Numbers as people read them: one way to round, and p-values that keep what they promise."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.wording.numbers import (
    LEVELS,
    Mark,
    P,
    Style,
    between,
    counted,
    level,
    mark_of,
    number,
    p_equals,
    percent,
    pvalue,
)

STYLES: tuple[Style, ...] = get_args(Style)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def read(text: str) -> tuple[Decimal, str]:
    """A printed p-value of any style as the number it says, and its mark."""
    bare = text.strip("$").replace(r"\le", "≤").replace(r"\approx", "≈")
    mark = bare[0] if bare[0] in "≤≈" else ""
    digits = bare.removeprefix(mark).strip()
    found = re.fullmatch(r"([\d.]+)(?:(?:e−|×10⁻| \\times 10\^\{-)([\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)\}?)?", digits)
    assert found is not None, text
    return Decimal(found[1]).scaleb(-int((found[2] or "0").translate(_RAISED))), mark


def test_numbers_are_rounded_and_signed_for_print() -> None:
    assert number(-0.316) == "−0.32"
    assert number(-0.001) == "0.00"
    assert number(-0.316, style="latex") == "$-0.32$"
    assert number(0.2, sign=True) == "+0.20"
    assert number(0.0, sign=True) == "0.00"
    assert between(-1.0, 0.25) == "−1.00 to 0.25"
    assert between(-1.0, 0.25, style="latex") == "$-1.00$ to $0.25$"
    assert pvalue(0.25) == "0.25"
    assert pvalue(0.0123) == "0.012"
    assert pvalue(4.13e-5) == "4.1e−5"
    assert pvalue(P.of(0.04, "bracket")) == "≤ 0.040"
    assert pvalue(P.of(4.13e-5, "saddlepoint"), "latex") == r"$\approx 4.1 \times 10^{-5}$"
    assert pvalue(P.of(1.342e-14, "bracket"), "figure") == "≤ 1.4×10⁻¹⁴"
    assert pvalue(0.0, "latex") == "$0$"
    assert (level(0.05), level(0.01)) == (".05", ".01")


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
    assert pvalue(P.of(p, method)) == str(P.of(p, method)) == expected


@given(st.floats(1e-300, 1), st.sampled_from(["", "≤", "≈"]))
def test_every_style_says_the_same_digits_with_the_same_mark(p: float, mark: Mark) -> None:
    said = {read(pvalue(P(p, mark), style)) for style in STYLES}
    assert len(said) == 1
    ((value, shown),) = said
    exact = Decimal(repr(p))
    assert shown == mark
    assert abs(value - exact) <= max(exact / 10, Decimal("0.001"))  # two digits, or three decimals
    if mark == "≤":
        assert value >= exact
    assert not any(exact < one <= value for one in LEVELS)
    assert p_equals(P(p, mark)) == (f"p {pvalue(P(p, mark))}" if mark else f"p = {pvalue(p)}")


def test_rows_that_were_found_in_several_ways_are_marked_by_the_least_sure() -> None:
    assert pvalue(P.of(0.0121, "bracket, exact")) == "≤ 0.013"
    assert pvalue(P.of(0.0121, "bracket, saddlepoint")) == "≈ 0.012"
    assert [mark_of(one) for one in ("exact", "bracket", "saddlepoint", "monte-carlo", "normal")] == [
        "", "≤", "≈", "≈", "≈",
    ]  # fmt: skip


def test_a_family_is_marked_where_what_is_adjusted_is_not_sure() -> None:
    values, ends = [0.02, 0.5], [(0.01, 0.02), (0.5, 0.5)]
    assert P.family(values, ends, ["bracket", "exact"]) == [P(0.02, "≤"), P(0.5)]
    assert P.family(values, ends, ["bracket", "saddlepoint"]) == [P(0.02, "≈"), P(0.5)]
    # the normal approximation does not know its ends
    assert P.family(values, [(0.02, 0.02), (0.5, 0.5)], ["normal", "exact"]) == [P(0.02, "≈"), P(0.5, "≈")]
    assert P.family([0.02], [(0.02, 0.02)], ["exact"]) == [P(0.02)]


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.0, "0 %"), (1.0, "100 %"), (0.5, "50 %"), (0.815, "82 %"), (0.95, "95 %"),
        (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.0004, "0.04 %"), (0.004, "0.4 %"), (1e-12, "0.000000 %"),
        # toFixed of JavaScript rounds 40.5 to 41, a format of Python to 40
        (0.405, "41 %"), (0.425, "43 %"), (0.005, "1 %"), (0.4049, "40 %"),
    ],
)  # fmt: skip
def test_a_share_is_neither_rounded_to_none_nor_to_all(share: float, said: str) -> None:
    assert percent(share) == said.replace(" ", "\N{NO-BREAK SPACE}")


def test_counts_have_their_noun() -> None:
    assert [counted(n, "test") for n in (1, 1200)] == ["1 test", "1,200 tests"]
    assert counted(3, "stimulus", "stimuli") == "3 stimuli"


@pytest.mark.parametrize(
    ("value", "said"), [(0.125, "0.13"), (-0.125, "−0.13"), (0.375, "0.38"), (2.5e20, f"{2.5e20:.2f}")]
)
def test_a_number_halfway_between_two_is_rounded_away_from_zero_as_pages_do(value: float, said: str) -> None:
    assert number(value) == said
