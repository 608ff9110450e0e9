from __future__ import annotations

from pickle import UnpicklingError
from typing import Any

import numpy as np
import pytest

from crossroads.sources.vectors.pickles.arrays import (
    ArrayRecord,
    DtypeRecord,
    as_array,
    buffer_array,
    raw_bytes,
)

NUMBERS = np.arange(4, dtype="<f4")
STATE = (3, "<", None, None, None, -1, -1, 0)


def float32() -> DtypeRecord:
    record = DtypeRecord("f4", False, True)
    record.accept(STATE)
    return record


def test_an_array_is_built_from_its_parts() -> None:
    record = ArrayRecord()
    record.accept((1, (2, 2), float32(), True, NUMBERS.tobytes()))
    np.testing.assert_array_equal(as_array(record), NUMBERS.reshape(2, 2, order="F"))
    assert as_array("something else") is None


@pytest.mark.parametrize(
    "data", [NUMBERS.tobytes(), bytearray(NUMBERS.tobytes()), NUMBERS.tobytes().decode("latin-1")]
)
def test_the_bytes_may_be_spelled_in_three_ways(data: Any) -> None:
    assert raw_bytes(data) == NUMBERS.tobytes()


@pytest.mark.parametrize(
    "state",
    [
        None,
        (1, (2, 2)),
        (1, [2, 2], float32(), False, NUMBERS.tobytes()),
        (1, (2, -2), float32(), False, NUMBERS.tobytes()),
        (1, (2, True), float32(), False, NUMBERS.tobytes()),
        (1, (1,) * 9, float32(), False, NUMBERS.tobytes()),
        (1, (1 << 60,), float32(), False, NUMBERS.tobytes()),
        (1, (2, 2), "f4", False, NUMBERS.tobytes()),
        (1, (2, 2), float32(), False, 16),
        (1, (2, 2), DtypeRecord("O8"), False, NUMBERS.tobytes()),
        (1, (2, 2), DtypeRecord("O8"), False, [1, 2, 3]),
        (1, (0,), DtypeRecord("S0"), False, b""),
        (1, (4,), DtypeRecord("f3"), False, NUMBERS.tobytes()),
    ],
)
def test_parts_that_do_not_fit_are_refused(state: Any) -> None:
    with pytest.raises(UnpicklingError):
        ArrayRecord().accept(state)


@pytest.mark.parametrize(
    "state", [None, (3, "<"), (3, "?", None, None, None), (3, "<", None, ("a",), {"a": 1})]
)
def test_types_that_are_not_simple_are_refused(state: Any) -> None:
    with pytest.raises(UnpicklingError):
        DtypeRecord("f4").accept(state)


def test_permuted_axes_are_refused() -> None:
    with pytest.raises(UnpicklingError, match="axes"):
        buffer_array(NUMBERS.tobytes(), float32(), (2, 2), "C", (1, 0))
