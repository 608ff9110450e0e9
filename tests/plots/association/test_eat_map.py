from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from crossroads.errors import InputError
from crossroads.measures import BatteryResult
from crossroads.measures.association.patterns import PATTERNS, cells
from crossroads.plots import eat_map, eat_maps, taxonomy
from crossroads.plots.frame.style import INK
from crossroads.wording.numbers import p_equals, percent
from tests.plots.conftest import axes_of_the_caller, colour_of

Says = Callable[[Any], list[str]]
SETS = {"x": "male names", "y": "female names", "a": "career", "b": "family"}


def _kind(patch: Any) -> str:
    return type(patch).__name__


def shown(ax: Any) -> dict[str, Any]:
    """The four cells of a map by where they stand: columns X, Y; A above B."""
    found = [patch for patch in ax.patches if _kind(patch) == "Rectangle" and patch.get_width() > 0.9]
    return {"ba"[int(patch.get_y())] + "xy"[int(patch.get_x())]: patch for patch in found}


def framed(ax: Any) -> dict[str, bool]:
    """Which cells have the border of a leaning that is found."""
    return {key: colour_of(patch) == INK for key, patch in shown(ax).items()}


def contrast(one: Any, other: Any) -> float:
    """Contrast of two colours, as WCAG 2 defines it."""

    from matplotlib.colors import to_rgb

    def luminance(colour: Any) -> float:
        parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_cells_of_the_pattern_are_framed_and_starred_and_every_text_can_be_read(
    pattern: str, toy: Any, said: Says
) -> None:
    result = toy(*PATTERNS[pattern]).mleat()
    assert result.crossed_pattern == pattern
    ax, wanted = eat_map(result), cells(pattern)
    assert framed(ax) == wanted
    borders = {key: patch.get_linewidth() for key, patch in shown(ax).items()}
    if any(wanted.values()):  # by more than colour
        assert min(borders[k] for k, on in wanted.items() if on) > min(borders.values())
    assert sum(text.endswith(" *") for text in said(ax)) == sum(wanted.values())
    boxes = list(shown(ax).values())
    seen = 0
    for text in ax.texts:
        at = text.get_window_extent()
        for box in boxes:
            if box.get_window_extent().contains((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2):
                assert contrast(text.get_color(), box.get_facecolor()) >= 4.5
                seen += 1
    assert seen >= 8  # a word and a cosine in each


def test_no_number_of_a_cell_has_a_sign_and_words_say_where_it_leads(toy: Any, said: Says) -> None:
    result = toy(None, "b", titles=SETS).mleat()
    d = result.level2["y"].effect_size
    assert d < 0
    texts = said(eat_map(result))
    assert "towards family" in texts and f"{-d:.2f} *" in texts
    assert "only female names towards family" in " ".join(texts).replace("  ", " ")
    assert any("(BY-Singular)" in text for text in texts)
    assert not {"X", "Y", "A", "B"} & set(texts)


def test_groups_that_differ_without_leaning_are_marked(toy: Any, said: Says) -> None:
    result = toy(None, None).mleat()
    apart = dataclasses.replace(result.level1, pvalue=0.001, crossed=None)
    differing = dataclasses.replace(result, level1=apart)
    texts = said(eat_map(differing))
    assert "≠" in texts
    assert "though neither is found to lean" in " ".join(texts)
    alike = dataclasses.replace(result, level1=dataclasses.replace(apart, pvalue=0.5))
    assert "≠" not in said(eat_map(alike))
    # in a full circle only if other words would show it too
    assert result.level1.crossed is not None
    others = dataclasses.replace(apart, crossed=dataclasses.replace(result.level1.crossed, pvalue=0.01))
    lines = []
    for level1 in (apart, others):
        drawn = eat_map(dataclasses.replace(result, level1=level1))
        lines += [patch.get_linestyle() for patch in drawn.patches if _kind(patch) in ("Ellipse", "Circle")]
    assert lines[0] != lines[1] == "-"


def test_a_map_names_its_sets_its_pattern_and_all_three_levels(toy: Any, said: Says) -> None:
    result = toy(name="bugs").mleat()
    texts = said(eat_map(result))
    assert {"bugs", "flowers", "insects", "towards pleasant", "towards unpleasant"} <= set(texts)
    assert any("(AB-Divergent)" in text for text in texts)
    assert result.level1.crossed is not None and result.level1.crossed.pvalue is not None
    p = p_equals(result.level1.crossed.pvalue, "figure")
    assert f"Level 1: d = {result.level1.effect_size:.2f}, {p}" in texts
    assert f"{result.level2['x'].effect_size:.2f} *" in texts
    assert f"cos {result.level3['ax'].mean:.2f}" in texts
    share = percent(result.pattern_shares["AB-Divergent"])
    assert f"paper's pattern: AB-Divergent, in {share} of resamples" in texts
    assert any("|d| > 0.2 and p < .05" in text for text in texts)


def test_a_map_without_resamples_says_nothing_of_them(toy: Any, said: Says) -> None:
    assert not any("resamples" in text for text in said(eat_map(toy().mleat(resamples=0))))


def test_a_map_may_be_drawn_on_axes_of_the_caller(toy: Any) -> None:
    (ax,) = axes_of_the_caller(1)
    assert eat_map(toy().mleat(), ax=ax) is ax
    assert sum(framed(ax).values()) == 2


@pytest.mark.slow
def test_a_battery_has_a_map_a_test_with_its_own_cells(nine: BatteryResult, said: Says) -> None:
    figure = eat_maps(nine, columns=5)
    maps = [ax for ax in figure.axes if len(shown(ax)) == 4]
    assert [framed(ax) for ax in maps] == [cells(pattern) for pattern in PATTERNS]
    texts = said(figure)
    assert all(any(f"({pattern})" in text for text in texts) for pattern in PATTERNS)
    assert {"test 1", "test 9"} <= set(texts)
    assert "not measured: absent" in " ".join(texts)


def test_long_names_of_attributes_stand_in_their_cells(
    nine: BatteryResult, faults: Callable[[Any], list[str]], said: Says
) -> None:
    titles = {**nine.tests[0].titles, "a": "African American female (emergent)"}
    long = dataclasses.replace(nine.tests[0], titles=titles)
    figure = eat_maps(dataclasses.replace(nine, tests=(long, *nine.tests[1:])))
    assert said(figure).count("(emergent)") == 2  # in both cells of the row
    assert faults(figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("columns", [1, 3, 40])
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
    assert [framed(ax) for ax in maps] == [cells(pattern) for pattern in PATTERNS]
    texts = said(figure)
    assert set(PATTERNS) <= set(texts)
    stars = sum(text.endswith(" *") for text in texts)
    assert stars == sum(sum(cells(pattern).values()) for pattern in PATTERNS)
    assert faults(figure) == []
