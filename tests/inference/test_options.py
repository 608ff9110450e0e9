"""Options: what numbers and switches may be, and what is said of those that may not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from crossroads.errors import InputError
from crossroads.inference.options import is_number, number, seed_of, share, switch, whole, work

NO_NUMBERS: list[Any] = ["1", "", b"1", None, [], {}, object(), np.array([1, 2]), np.array(1), True, np.True_]

HUGE = pytest.param(10**400, id="huge")  # more than a float can say


def test_values_that_are_allowed_are_given_back_as_plain_numbers() -> None:
    assert whole("samples", np.int32(7), least=3) == 7
    assert seed_of(0) == 0
    assert share("level", np.float32(0.5)) == 0.5
    assert number("threshold", -2) == -2.0
    assert number("threshold", Fraction(1, 4), least=0.25) == 0.25
    assert work(float("inf")) == float("inf")
    assert work(10**400) == float("inf")
    assert work(0) == 0.0
    assert switch("bias", np.True_) is True
    for value in (whole("n", np.int64(2)), share("level", np.float64(0.1)), switch("bias", np.False_)):
        assert type(value) in (int, float, bool)


@pytest.mark.parametrize("value", [*NO_NUMBERS, 1.0, 2, -1, float("nan"), float("inf")])
def test_a_number_of_draws_is_whole_and_large_enough(value: Any) -> None:
    with pytest.raises(InputError, match="samples is ") as error:
        whole("samples", value, least=3)
    assert error.value.hint == "give a whole number that is at least 3."
    with pytest.raises(InputError, match="hint: draw more"):
        whole("samples", value, least=3, hint="draw more.")


@pytest.mark.parametrize("value", [*NO_NUMBERS, -1, 1.5, float("nan")])
def test_a_seed_is_whole_and_not_negative(value: Any) -> None:
    with pytest.raises(InputError, match=r"seed is .*\n\nhint: give a whole number that is not negative"):
        seed_of(value)


@pytest.mark.parametrize("value", [*NO_NUMBERS, 0, 1, 0.0, 1.0, 2, -0.5, float("nan"), float("inf"), HUGE])
def test_a_share_lies_between_0_and_1(value: Any) -> None:
    with pytest.raises(InputError, match=r"alpha is .*\n\nhint: give a share"):
        share("alpha", value)


@pytest.mark.parametrize("value", [*NO_NUMBERS, -0.1, 3.0, 4, float("nan"), float("inf"), float("-inf")])
def test_a_number_is_finite_and_within_its_bounds(value: Any) -> None:
    with pytest.raises(InputError, match=r"gamma is .*\n\nhint: give a margin"):
        number("gamma", value, least=0.0, below=3.0, hint="give a margin.")


@pytest.mark.parametrize(
    "value", [*NO_NUMBERS, -1, pytest.param(-(10**400), id="-huge"), float("nan"), float("-inf")]
)
def test_a_budget_is_not_negative(value: Any) -> None:
    with pytest.raises(InputError, match="max_work is "):
        work(value)


@pytest.mark.parametrize("value", ["no", "", 0, 1, None, [], float("nan")])
def test_a_switch_is_not_something_that_counts_as_one(value: Any) -> None:
    with pytest.raises(InputError, match=r"bias is .*\n\nhint: use True or False"):
        switch("bias", value)


def test_complex_numbers_are_no_real_ones() -> None:
    assert is_number(1)
    assert not is_number(1j)
