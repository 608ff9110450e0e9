from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from crossroads.core.errors import InputError
from crossroads.core.figures.style import INK
from crossroads.core.wording.numbers import p_equals
from crossroads.plots import eat_map, eat_maps, taxonomy
from crossroads.words.measures.battery import BatteryResult
from crossroads.words.measures.mleat import PATTERNS, cells
from tests.fixtures.figures import Toy, colour_of, faults, said


def shown(ax: Any) -> dict[str, Any]:
    """The four cells of a map by where they stand: columns X, Y; A above B."""
    found = [patch for patch in ax.patches if type(patch).__name__ == "Rectangle" and patch.get_width() > 0.9]
    return {"ba"[int(patch.get_y())] + "xy"[int(patch.get_x())]: patch for patch in found}


def framed(ax: Any) -> dict[str, bool]:
    """Which cells have the border of a leaning that is found."""
    return {key: colour_of(patch) == INK for key, patch in shown(ax).items()}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_cells_of_the_pattern_are_framed_and_starred(pattern: str) -> None:
    result = Toy(*PATTERNS[pattern]).mleat()
    assert result.crossed_pattern == pattern
    ax, wanted = eat_map(result), cells(pattern)
    assert framed(ax) == wanted
    borders = {key: patch.get_linewidth() for key, patch in shown(ax).items()}
    if any(wanted.values()):  # by more than colour
        assert min(borders[k] for k, on in wanted.items() if on) > min(borders.values())
    assert sum(text.endswith(" *") for text in said(ax)) == sum(wanted.values())


def test_groups_that_differ_without_leaning_are_marked() -> None:
    result = Toy(None, None).mleat()
    crossed = dataclasses.replace(result.level1.crossed, pvalue=None)
    for p, marked in ((0.001, True), (0.5, False)):
        level1 = dataclasses.replace(result.level1, pvalue=p, crossed=crossed)
        texts = said(eat_map(dataclasses.replace(result, level1=level1)))
        assert ("≠" in texts) is marked
        assert ("though neither is found to be associated" in " ".join(texts)) is marked


def test_a_map_names_its_sets_its_pattern_and_all_three_levels() -> None:
    single = Toy(None, "b").mleat()
    d = single.level2["y"].effect_size
    assert d < 0
    texts = said(eat_map(single))  # no number has a sign, and words say where it leads
    assert {"towards unpleasant", f"{-d:.2f} *"} <= set(texts)
    assert any("(BY-Singular)" in text for text in texts)
    result = Toy(name="bugs").mleat()
    texts = said(eat_map(result))
    assert {"bugs", "flowers", "insects", "towards pleasant", "towards unpleasant"} <= set(texts)
    assert any("(AB-Divergent)" in text for text in texts)
    assert result.level1.crossed.pvalue is not None
    p = p_equals(result.level1.crossed.pvalue, "figure")
    agree = min(99, round(100 * (result.level1.crossed.agreement or 0.0)))
    assert f"Level 1: agree {agree}\N{NO-BREAK SPACE}%, d = {result.level1.effect_size:.2f}, {p}" in texts
    assert f"{result.level2['x'].effect_size:.2f} *" in texts
    assert f"cos {result.level3['ax'].mean:.2f}" in texts
    assert "paper's pattern: AB-Divergent" in texts
    assert any("|d| > 0.2 and p < .05" in text for text in texts)


@pytest.mark.slow
def test_a_battery_has_a_map_a_test_with_its_own_cells(nine: BatteryResult) -> None:
    figure = eat_maps(nine, columns=5)
    maps = [ax for ax in figure.axes if len(shown(ax)) == 4]
    assert [framed(ax) for ax in maps] == [cells(pattern) for pattern in PATTERNS]
    texts = said(figure)
    assert all(any(f"({pattern})" in text for text in texts) for pattern in PATTERNS)
    assert {"test 1", "test 9"} <= set(texts)
    assert "not measured: absent" in " ".join(texts)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 40])
def test_any_number_of_columns_fits(columns: int, nine: BatteryResult) -> None:
    assert faults(eat_maps(nine, columns=columns)) == []


def test_a_battery_needs_a_column_and_a_test(nine: BatteryResult) -> None:
    with pytest.raises(InputError, match="columns is 0"):
        eat_maps(nine, columns=0)
    empty = dataclasses.replace(nine, tests=())
    with pytest.raises(InputError, match="no test to draw"):
        eat_maps(empty)


@pytest.mark.slow
def test_the_taxonomy_shows_the_nine_patterns() -> None:
    figure = taxonomy()
    maps = [ax for ax in figure.axes if len(shown(ax)) == 4]
    assert [framed(ax) for ax in maps] == [cells(pattern) for pattern in PATTERNS]
    texts = said(figure)
    assert set(PATTERNS) <= set(texts)
    assert faults(figure) == []
