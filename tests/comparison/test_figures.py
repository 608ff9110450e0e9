"""The figure of a comparison: every number of the result, and nothing else."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings
from crossroads.comparison.battery import CompareBatteryResult, SavedDifference, compare_battery
from crossroads.core.errors import InputError

pytest.importorskip("matplotlib", reason="figures need the extra 'plots'")

from crossroads import plots
from crossroads.core.figures import wording

SETS = {role: [f"{role}{i}" for i in range(6)] for role in "xyab"}
DESIGN = Design(name="$planted$", **SETS)  # type: ignore[arg-type]
OTHER = Design(name="other", **{**SETS, "x": SETS["a"], "a": SETS["x"]})  # type: ignore[arg-type]


def model(seed: int, lean: float) -> Embeddings:
    vectors = np.random.default_rng(seed).normal(size=(24, 60)) * 0.15
    for start, side in ((0, lean), (6, -lean), (12, 2), (18, -2)):
        vectors[start : start + 6, 0] += side
    return Embeddings([word for words in SETS.values() for word in words], vectors)


def compared(*, saved: bool = False) -> CompareBatteryResult:
    models = {"one": model(1, 1.5), "two": model(2, -1.5), "three": model(3, -1.4)}
    result = compare_battery(models, [DESIGN, OTHER])
    one = SavedDifference(
        design="weat6",
        measure="ceat",
        models=("one", "two"),
        effect_sizes=(0.5, 0.25),
        difference=0.25,
        reason="no contexts.",
    )
    return dataclasses.replace(result, unpaired=(one,)) if saved else result


def marks(ax: Any) -> list[tuple[float, float, bool]]:
    """Place of every mark of an effect size, and whether it is filled."""
    inside = [line for line in ax.lines if line.get_linestyle() == "None" and line.get_clip_on()]
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]), line.get_markerfacecolor() != "white")
        for line in inside
    ]


def texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_every_effect_size_is_drawn_in_the_row_of_its_comparison() -> None:
    result = compared(saved=True)
    expected = []
    for y, (test, p) in enumerate(zip(result.tests, result.adjusted["bh"], strict=True)):
        expected += [(d, float(y), p < 0.05) for d in test.effect_sizes]
    expected += [(0.5, 6.0, False), (0.25, 6.0, False)]
    ax = plots.comparison_plot(result)
    assert marks(ax) == expected
    assert {filled for _, _, filled in marks(ax)} == {True, False}
    written = texts(ax)
    for test, adjusted in zip(result.tests, result.adjusted["bh"], strict=True):
        assert wording.number(test.difference, sign=True) in written
        assert wording.probability(adjusted) in written
    ends = [f"{wording.number(one.low)} to {wording.number(one.high)}" for one in result.intervals if one]
    assert {"weat6 CEAT", "one / two", "$planted$", *ends} <= set(written)
    alone = plots.comparison_plot(compared(), ("one", "three"))
    assert len(marks(alone)) == 4
    assert {"Effect sizes of one / three", "x / y: a / b", "three"} <= set(texts(alone))


def test_nothing_to_draw_is_refused() -> None:
    empty = dataclasses.replace(compared(), tests=(), pairs=(), intervals=(), adjusted={})
    for given, pair in ((empty, None), (compared(), ("one", "nobody"))):
        with pytest.raises(InputError, match="no comparison to draw"):
            plots.comparison_plot(given, pair)
