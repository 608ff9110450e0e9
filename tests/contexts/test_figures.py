"""The figures of associations over contexts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crossroads import Contexts, Design, mleat
from crossroads.contexts.measures.battery import CeatBatteryResult, ceat_battery
from crossroads.core.errors import InputError
from crossroads.core.stimuli import StimulusSet
from crossroads.plots import context_forest, context_levels
from tests.fixtures.figures import colour_of, faults, said

TITLES = {"x": "flowers", "y": "insects", "a": "pleasant", "b": "unpleasant"}


def designs(names: list[str]) -> list[Design]:
    found = []
    for i, name in enumerate(names):
        sets: dict[str, Any] = {
            k: StimulusSet(TITLES[k], tuple(f"{k}{i}{j}" for j in range(6))) for k in "xyab"
        }
        found.append(Design(name=name, **sets))
    return found


def contexts_of(made: list[Design], *, dim: int = 30) -> Contexts:
    rng = np.random.default_rng(0)
    rows = {}
    for i, design in enumerate(made):
        for k, words in design.sets.items():
            for word in words:
                place = rng.normal(size=dim) + (2 * (i % 3) if k in "xa" else 0) * np.eye(dim)[0]
                rows[word] = place + 0.3 * rng.normal(size=(5, dim))
    return Contexts.from_dict(rows, provenance="folder/some-model")


@pytest.fixture(scope="module")
def battery() -> CeatBatteryResult:
    made = designs([f"test {i}" for i in range(5)])
    absent = Design(name="absent", x=["p", "q"], y=["r", "s"], a=["t", "u"], b=["v", "w"])
    return ceat_battery(contexts_of(made), [*made, absent], samples=200)


def bar_heights(ax: Any) -> float:
    return float(sum(patch.get_height() for patch in ax.patches))


def first_x(line: Any) -> float:
    return float(line.get_xdata()[0])


def lines(ax: Any) -> list[tuple[list[float], list[float], str, str]]:
    """Every line: x, y, marker and colour."""
    return [
        (
            [float(x) for x in line.get_xdata()],
            [float(y) for y in line.get_ydata()],
            str(line.get_marker()),
            colour_of(line),
        )
        for line in ax.lines
    ]


@pytest.mark.slow
def test_the_forest_shows_both_effect_sizes_and_the_spread_of_samples(battery: CeatBatteryResult) -> None:
    ax = context_forest(battery, {"test 0": 0.4, "absent": 1.0})
    drawn = lines(ax)
    assert [xs[0] for xs, _, marker, _ in drawn if marker == "o"] == [t.effect_size for t in battery.tests]
    squares = [line for line in ax.lines if line.get_marker() == "s"]
    assert [first_x(line) for line in squares] == [t.stimulus_effect_size for t in battery.tests]
    assert [line.get_markerfacecolor() != "white" for line in squares] == [
        p is not None and p < 0.05 for p in battery.adjusted["bh"]
    ]
    assert {p is not None and p < 0.05 for p in battery.adjusted["bh"]} == {True, False}
    assert [xs for xs, _, marker, _ in drawn if marker == "x"] == [[0.4]]
    ends = [xs for xs, ys, marker, _ in drawn if marker == "None" and len(set(ys)) == 1]
    for test in battery.tests:
        assert list(test.prediction_interval) in ends
        middle = np.quantile(test.sample_effect_sizes, [0.025, 0.975])
        assert any(np.allclose(middle, one, rtol=1e-12) for one in ends)
    assert {"CES", "paper", "0.40", "flowers / insects"} <= set(said(ax))


def test_what_cannot_be_drawn_is_refused_in_words(battery: CeatBatteryResult) -> None:
    refused: list[tuple[Callable[[], Any], str]] = [
        (lambda: context_forest(battery, {"tset 0": 0.4}), "did you mean 'test 0'"),
        (lambda: context_forest(replace(battery, tests=(), adjusted={})), "no test to draw"),
        (lambda: context_levels([]), "no test to draw"),
    ]
    for draw, message in refused:
        with pytest.raises(InputError, match=message):
            draw()


@pytest.mark.slow
def test_sixty_tests_fit_without_the_names_of_their_sets(battery: CeatBatteryResult) -> None:
    many = replace(
        battery,
        tests=tuple(replace(battery.tests[i % 5], design=f"em-ef-{i}") for i in range(60)),
        adjusted=dict.fromkeys(("holm", "bh", "by"), (0.5,) * 60),
        titles={},
    )
    ax: Any = context_forest(many)
    assert faults(ax) == []
    assert ax.figure.get_size_inches()[1] < 18


def test_levels_have_a_mark_for_each_target_filled_where_significant() -> None:
    made = designs(["first", "second"])
    results = [mleat(contexts_of(made), design, samples=60) for design in made]
    ax = context_levels(results)
    for marker, target in {"o": None, "^": "x", "v": "y"}.items():
        drawn = [line for line in ax.lines if line.get_marker() == marker]
        levels = [one.level2[target] if target else one.level1 for one in results]
        assert [first_x(line) for line in drawn] == [level.effect_size for level in levels]
        for line, level in zip(drawn, levels, strict=True):
            p = level.crossed.pvalue
            assert (line.get_markerfacecolor() != "white") == (p is not None and p < 0.05)
