"""What the study of docs/validity.md counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.validity import study
from benchmarks.validity.pieces import HELD, OURS, PLAIN
from benchmarks.validity.procedures import FAMILIES, run
from benchmarks.validity.structured import STRUCTURED
from benchmarks.validity.tally import Tally, binomial_interval
from scipy import stats


@pytest.mark.parametrize(("count", "n"), [(0, 20), (3, 50), (50, 50), (113, 2000)])
def test_binomial_intervals_are_exact(count: int, n: int) -> None:
    expected = stats.binomtest(count, n).proportion_ci(0.95, "exact")
    assert binomial_interval(count, n) == pytest.approx((expected.low, expected.high))


def test_tallies_count_and_add_up() -> None:
    one = Tally.of([0.001, 0.03, 0.2], [True, False, True])
    assert one == Tally(3, 2, 1, 2)
    assert one + one == Tally(6, 4, 2, 4)
    assert one + Tally.flagged([True, False]) == Tally(5, 3, None, None)


def test_the_study_finds_the_code_behind_its_numbers() -> None:
    assert len(study.code_digest()) == 16


@pytest.mark.parametrize(
    "name",
    [
        "cells over 3 templates, templates in twos",
        "cells over 8 templates and 3 words",
        "RSA, 4 and 12 items with 12, spreads 1.0 and 1.0",
    ],
)
def test_pieces_with_a_structure_give_what_is_counted(name: str) -> None:
    noted = dict(STRUCTURED[name](np.random.default_rng(1)))
    assert {PLAIN, OURS, HELD} <= set(noted)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_worlds_can_be_run(family: str) -> None:
    cell = next(one for one in study.cells(0.0) if one.family == family)
    tallies = run(replace(cell, worlds=5, single=min(cell.single, 1)), seed=1)
    assert tallies
    assert all(tally.worlds > 0 for tally in tallies.values())
