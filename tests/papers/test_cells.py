"""How a printed number is compared: rounding, cutting off, other conventions, marks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.papers.cells import (
    VERDICTS,
    Attempt,
    Cell,
    Reproduction,
    counts,
    credible,
    decimals,
    is_rounded,
    is_truncated,
    judge,
    judge_mark,
)

# method notes: Level 1 of Table 1 of ML-EAT, computed on GloVe 840B, and as printed
CUT_OFF = [(1.5043, "1.50"), (1.5340, "1.53"), (1.4052, "1.40"), (1.4986, "1.49")]


@pytest.mark.parametrize(("value", "text"), CUT_OFF)
def test_table_1_of_ml_eat_cuts_level_1_off(value: float, text: str) -> None:
    assert is_truncated(value, text)
    assert judge(text, value, truncated=True) == ("equal", "cut off to 2 decimals")
    assert judge("1.49", 1.4986) == ("convention", "cut off to 2 decimals instead of rounded")
    assert judge("1.50", 1.4986, truncated=True) == ("convention", "rounded to 2 decimals instead of cut off")


@given(st.floats(-3, 3), st.integers(1, 4))
def test_what_python_prints_is_rounded(value: float, digits: int) -> None:
    text = f"{value:.{digits}f}"
    assert decimals(text) == digits
    assert is_rounded(value, text)
    assert not is_rounded(value + 1.01 * 10.0**-digits, text)


@given(st.integers(-300, 300), st.floats(0, 0.0099))
def test_cutting_off_goes_towards_zero(hundredths: int, rest: float) -> None:
    text = f"{hundredths / 100:.2f}"
    value = (abs(hundredths) / 100 + rest) * (-1 if hundredths < 0 else 1)
    assert is_truncated(value, text)
    if abs(hundredths) > 1:
        assert not is_truncated(-value, text)


def test_conventions_are_tried_in_turn_and_named() -> None:
    def never() -> float:
        raise AssertionError("this is not tried")

    attempts: list[Attempt] = [("one", lambda: 0.5), ("none", lambda: None)]
    assert judge("0.70", 0.9, [*attempts, ("two", lambda: 0.701), ("three", never)]) == ("convention", "two")
    verdict, reason = judge("0.70", 0.9, attempts)
    assert (verdict, "one; none" in reason) == ("differs", True)
    assert judge("0.70", 0.9) == ("differs", "no other convention is known")
    assert judge("0.70", 0.699, [("one", never)])[0] == "equal"


def test_a_mark_is_there_or_not() -> None:
    assert judge_mark(True, True)[0] == "equal"
    assert judge_mark(False, False)[0] == "equal"
    assert judge_mark(True, False, [("two-sided", lambda: 0.0), ("greater", lambda: 1.0)]) == (
        "convention", "greater",
    )  # fmt: skip
    assert judge_mark(False, True, [("two-sided", lambda: 1.0)])[0] == "differs"


def test_a_convention_is_not_believed_where_most_of_the_table_differs() -> None:
    def cells(table: str, *verdicts: str) -> list[Cell]:
        one = Cell(row="r", column="c", table=table, published=1.0, ours=1.0, verdict="")
        return [replace(one, verdict=verdict, reason=verdict) for verdict in verdicts]

    chance = cells("Table 1", "convention", "differs", "differs", "model absent")
    real = cells("Table 2", "convention", "convention", "equal", "differs")
    found = credible([*chance, *real])
    assert [cell.verdict for cell in found[:4]] == ["differs", "differs", "differs", "model absent"]
    assert found[0].reason == "convention gives it, and most of the table differs"
    assert found[4:] == real


def test_a_single_cell_that_is_cut_off_in_a_rounded_column_is_a_misprint() -> None:
    def column(*numbers: tuple[float, str]) -> list[Cell]:
        one, found = Cell(row="r", column="d", table="Table 4", published=1.0, ours=None, verdict=""), []
        for ours, text in numbers:
            verdict, reason = judge(text, ours)
            found.append(replace(one, printed=text, ours=ours, verdict=verdict, reason=reason))
        return found

    rounded = column((0.598, "0.60"), (0.417, "0.42"), (0.731, "0.73"), (1.266, "1.26"))
    assert [cell.verdict for cell in rounded] == ["equal", "equal", "equal", "convention"]
    *others, misprint = credible(rounded)
    assert others == rounded[:3]
    assert misprint.verdict == "differs"
    assert misprint.reason.endswith("gives it, and the rest of the column is printed differently")
    cut = column((0.598, "0.59"), (0.417, "0.41"), (0.731, "0.73"), (1.266, "1.26"))
    assert credible(cut) == cut  # 0.731 is 0.73 either way
    # another column of the same table says nothing about this one
    assert credible([*cut, *(replace(cell, column="sd") for cell in rounded[:3])])[:4] == cut


def test_verdicts_are_counted_and_a_reproduction_shows_marks_in_words() -> None:
    cell = Cell(row="weat6", column="d", table="Table 1", published=1.5, ours=1.5043, verdict="equal")
    star = replace(cell, column="d star", published=1, ours=0.0, verdict="differs")
    cells = (cell, star, replace(cell, published=-0.2, ours=None, verdict="model absent"))
    about: Any = dict.fromkeys(("citation", "doi", "published_vectors", "vectors"), "")
    made = Reproduction(paper="ml-eat", title="ML-EAT", same_vectors=True, cells=cells, notes=(), **about)
    assert list(counts(cells).items()) == [("equal", 1), ("differs", 1), ("model absent", 1)]
    shown = made._table()
    assert shown.title == "ML-EAT: 3 cells, 1 equal, 1 differs, 1 model absent"
    assert [row[2:] for row in shown.cells()] == [
        ["1.500", "1.504", "0.004", "equal"],
        ["yes", "no", "–", "differs"],
        ["−0.200", "–", "–", "model absent"],
    ]
    assert f"differs: {VERDICTS['differs']}." in shown.reading()
    two = replace(made, cells=(*cells, replace(cells[0], table="Table 2")))._table()
    assert [row[0] for row in two.cells()] == ["Table 1", "Table 1", "Table 1", "Table 2"]
