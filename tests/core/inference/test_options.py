"""Options: what numbers and switches may be, and what is said of those that may not."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from crossroads.core.errors import InputError
from crossroads.core.inference.options import is_number, number, seed_of, share, switch, whole, work

NO_NUMBERS: list[Any] = ["1", "", b"1", None, [], {}, object(), np.array([1, 2]), np.array(1), True, np.True_]
GIVE = r" is .*\n\nhint: give a "
NAN, INF, HUGE = float("nan"), float("inf"), 10**400  # more than a float can say


def test_values_that_are_allowed_are_given_back_as_plain_numbers() -> None:
    assert whole("samples", np.int32(7), least=3) == 7
    assert whole("samples", 3, least=3) == 3
    assert seed_of(0) == 0
    assert share("level", np.float32(0.5)) == 0.5
    assert number("threshold", -2) == -2.0
    assert number("threshold", Fraction(1, 4), least=0.25) == 0.25
    assert (work(INF), work(HUGE), work(0)) == (INF, INF, 0.0)
    assert switch("bias", np.True_) is True
    for value in (whole("n", np.int64(2)), share("level", np.float64(0.1)), switch("bias", np.False_)):
        assert type(value) in (int, float, bool)
    assert is_number(1)
    assert not is_number(1j)


@pytest.mark.parametrize(
    ("check", "values", "message"),
    [
        (
            partial(whole, "samples", least=3),
            [*NO_NUMBERS, 1.0, 2, -1, NAN, INF],
            rf"samples{GIVE}whole number that is at least 3\.",
        ),
        (partial(whole, "samples", least=3, hint="draw more."), [2], r"samples is 2\.?\n\nhint: draw more\."),
        (seed_of, [*NO_NUMBERS, -1, 1.5, NAN], rf"seed{GIVE}whole number that is not negative"),
        (
            partial(share, "alpha"),
            [*NO_NUMBERS, 0, 1, 0.0, 1.0, 2, -0.5, NAN, INF, HUGE],
            f"alpha{GIVE}share",
        ),
        (
            partial(number, "gamma", least=0.0, below=3.0, hint="give a margin."),
            [*NO_NUMBERS, -0.1, 3.0, 4, NAN, INF, -INF],
            f"gamma{GIVE}margin",
        ),
        (work, [*NO_NUMBERS, -1, -HUGE, NAN, -INF], "max_work is "),
        (partial(switch, "bias"), ["no", "", 0, 1, None, [], NAN], r"bias is .*\n\nhint: use True or False"),
    ],
)
def test_other_values_are_refused(check: Callable[[Any], Any], values: list[Any], message: str) -> None:
    for value in values:
        with pytest.raises(InputError, match=message):
            check(value)
