from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from crossroads.errors import InputError
from crossroads.measures import BatteryResult
from crossroads.measures.association.patterns import PATTERNS, cells
from crossroads.plots import eat_map, eat_maps, taxonomy
from crossroads.plots.frame.style import CELL, RED

Says = Callable[[Any], list[str]]


def shown(ax: Any) -> dict[str, Any]:
    """The four cells of a map by where they stand: columns X, Y; A above B."""
    return {
        "ba"[round(patch.get_y())] + "xy"[round(patch.get_x())]: patch
        for patch in ax.patches
        if patch.get_width() == 1
    }


def reds(ax: Any) -> dict[str, bool]:
    found = shown(ax)
    colours = {key: to_hex(patch.get_facecolor()).upper() for key, patch in found.items()}
    assert set(colours.values()) <= {RED, CELL}
    return {key: colour == RED for key, colour in colours.items()}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_red_cells_are_those_of_the_pattern(pattern: str, toy: Any) -> None:
    result = toy(*PATTERNS[pattern]).mleat()
    assert result.pattern == pattern
    assert reds(eat_map(result)) == cells(pattern)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", PATTERNS)
def test_associated_cells_differ_in_more_than_colour(pattern: str, toy: Any, said: Says) -> None:
    ax = eat_map(toy(*PATTERNS[pattern]).mleat())
    wanted = cells(pattern)
    borders = {key: patch.get_linewidth() for key, patch in shown(ax).items()}
    if any(wanted.values()):
        assert (
            min(borders[k] for k, on in wanted.items() if on)
            > borders[next(k for k, on in wanted.items() if not on)]
        )
    assert sum(text.endswith(" *") for text in said(ax)) == sum(wanted.values())


def test_a_map_names_its_sets_its_pattern_and_all_three_levels(toy: Any, said: Says) -> None:
    result = toy(name="bugs").mleat()
    texts = said(eat_map(result))
    assert {"bugs", "X", "Y", "A", "B", "flowers", "insects", "pleasant", "unpleasant"} <= set(texts)
    assert "AB-Divergent" in texts
    # 5 words per set, and the observed division is the most extreme one: p = 2 / C(10, 5) = 1 / 126
    assert result.level1.pvalue == 1 / 126
    assert f"Level 1: d = {result.level1.effect_size:.2f}, p = 0.008" in texts
    assert f"d = {result.level2['x'].effect_size:.2f} *" in texts
    assert f"cos {result.level3['ax'].mean:.2f}" in texts
    assert f"in {result.pattern_shares['AB-Divergent']:.0%} of resamples".replace("%", " %") in texts
    assert any("|d| > 0.2 and p < .05" in text for text in texts)


def test_a_map_without_resamples_says_nothing_of_them(toy: Any, said: Says) -> None:
    assert not any("resamples" in text for text in said(eat_map(toy().mleat(resamples=0))))


def test_sets_without_names_are_called_by_their_letters_once(toy: Any, said: Says) -> None:
    texts = said(eat_map(toy(titles=dict(zip("xyab", "xyab", strict=True))).mleat()))
    assert [texts.count(letter) for letter in ("X", "x")] == [1, 0]


def test_a_map_may_be_drawn_on_axes_of_the_caller(toy: Any) -> None:
    ax = Figure().add_subplot()
    assert eat_map(toy().mleat(), ax=ax) is ax
    assert sum(reds(ax).values()) == 2


@pytest.mark.slow
def test_a_battery_has_a_map_a_test_with_its_own_cells(nine: BatteryResult, said: Says) -> None:
    figure = eat_maps(nine, columns=5)
    maps = [ax for ax in figure.axes if len(shown(ax)) == 4]
    assert [reds(ax) for ax in maps] == [cells(pattern) for pattern in PATTERNS]
    texts = said(figure)
    assert set(PATTERNS) <= set(texts)
    assert {"no leaning found", "test 1", "test 9"} <= set(texts)
    assert any("not measured: absent" in text for text in texts)


def test_long_names_of_attributes_are_centred_on_their_rows(nine: BatteryResult) -> None:
    titles = {**nine.tests[0].titles, "a": "African American female (emergent)"}
    long = dataclasses.replace(nine.tests[0], titles=titles)
    figure = eat_maps(dataclasses.replace(nine, tests=(long, *nine.tests[1:])))
    (side,) = [one for ax in figure.axes for one in ax.texts if "(emergent)" in one.get_text()]
    assert "\n" in side.get_text() and side.get_rotation() == 90
    assert vars(side)["_multialignment"] == "center"  # matplotlib sets it and does not tell it


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 2, 3, 9, 40])
def test_any_number_of_columns_fits(
    columns: int, nine: BatteryResult, faults: Callable[[Any], list[str]]
) -> None:
    assert faults(eat_maps(nine, columns=columns)) == []


def test_a_battery_needs_a_column_and_a_test(nine: BatteryResult) -> None:
    with pytest.raises(InputError, match="columns is 0"):
        eat_maps(nine, columns=0)
    empty = BatteryResult(tests=(), adjusted={}, skipped={"absent": "no words"})
    with pytest.raises(InputError, match="no test to draw"):
        eat_maps(empty)


@pytest.mark.slow
def test_the_taxonomy_shows_the_nine_patterns(said: Says, faults: Callable[[Any], list[str]]) -> None:
    figure = taxonomy()
    maps = [ax for ax in figure.axes if len(shown(ax)) == 4]
    assert [reds(ax) for ax in maps] == [cells(pattern) for pattern in PATTERNS]
    texts = said(figure)
    assert set(PATTERNS) <= set(texts)
    # one star a red cell, and one in the legend
    assert texts.count("*") == sum(sum(cells(pattern).values()) for pattern in PATTERNS) + 1
    assert faults(figure) == []
