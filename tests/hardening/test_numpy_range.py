"""How numbers of two versions are compared, on documents of a few lines."""

from __future__ import annotations

import math

import pytest

from tests.hardening import numpy_range
from tests.hardening.numpy_range import compared, minors, runs

LISTED = """numpy (2.4.6)
Available versions: 2.4.6, 2.4.0, 2.4.0rc1, 2.3.5, 2.3.0, 2.2.6, 2.2.1, 2.2.0, 2.1.3, 1.26.4
  INSTALLED: 2.4.6
"""


def test_versions_are_the_lowest_and_the_newest_of_every_minor_one() -> None:
    assert minors(LISTED, "2.2") == ["2.2.0", "2.2.6", "2.3.5", "2.4.6"]
    assert minors(LISTED, "2.3.5") == ["2.3.5", "2.4.6"]


def test_the_newest_version_is_what_others_are_compared_with() -> None:
    planned = runs(["2.2.0", "2.4.6"], ["numpy==2.3.0", "scipy==1.17.1"])
    assert [run.name.partition(",")[0] for run in planned] == [*["numpy 2.4.6"] * 3, *["numpy 2.2.0"] * 2]
    assert planned[0].constraints == ["scipy==1.17.1", "numpy==2.4.6"]
    assert "numpy==2.2" in planned[-1].constraints


def test_rounding_is_told_from_other_draws() -> None:
    one = {"versions": {"numpy": "2.4"}, "d": [1.5, math.nan, None, "text", 3]}
    found = compared(one, {**one, "versions": {"numpy": "2.2"}})
    assert (found.said(), found.count) == ("identical", 5)
    # 1 + 2**-52 is the next number after 1; 1e-17 and 3e-17 are both zero but for rounding.
    found = compared({"d": [1.0, 1e-17, 0.25]}, {"d": [1 + 2**-52, 3e-17, 0.25]})
    assert found.said() == "2 of 3 rounded, by 2e-16 at most"
    assert compared({"p": 0.04}, {"p": 0.041}).changed == ["p"]
    # numbers in single precision are known by their place
    found = compared({"matched": {"both_d": 1.0}}, {"matched": {"both_d": 1 + 2e-7}})
    assert found.said() == "1 of 1 rounded, by 2e-07 in single precision"
    assert compared({"matched": {"d": 1.0}}, {"matched": {"d": 1 + 2e-7}}).changed == ["matched / d"]


@pytest.mark.parametrize("other", [{"n": 2}, {"n": 1.0}, {"n": "1"}, {"m": 1}, {"n": 1, "m": 1}])
def test_other_whole_numbers_texts_and_names_are_changes(other: dict[str, object]) -> None:
    found = compared({"n": 1}, other)
    assert "changed" in found.said()
    (note,) = numpy_range.noted({"numpy 2.2": {"audit": found}})
    assert note.startswith("numpy 2.2, the audit of the default vectors: changed are `")
