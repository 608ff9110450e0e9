"""A figure that is given the result of another measure says what it draws, and what draws the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from crossroads import plots
from crossroads.errors import CrossroadsError, WrongKindError
from crossroads.measures import BatteryResult, SeriesResult, bootstrap, influence, weat

DRAWERS = [
    name for name, _ in inspect.getmembers(plots, inspect.isfunction) if name not in ("save", "taxonomy")
]
"""Figures of results; the others show no result."""


@pytest.mark.parametrize("name", DRAWERS)
@pytest.mark.parametrize("given", [None, 3, "weat6", {}.keys(), object()])
def test_what_is_no_result_is_refused_by_every_figure(name: str, given: Any) -> None:
    draw = getattr(plots, name)
    more = ["women"] if name == "profile" else []
    with pytest.raises(CrossroadsError) as refused:
        draw(given, *more)
    assert isinstance(refused.value, TypeError) or "no" in refused.value.message
    if given.__class__.__name__ != "dict_keys":  # nothing at all, which has its own sentence
        assert refused.value.message.startswith(f"{name} draws ")
        assert f"and was given {type(given).__name__}." in refused.value.message


@pytest.mark.parametrize("name", DRAWERS)
def test_a_result_of_another_measure_is_refused_by_every_figure(name: str, toy: Any) -> None:
    draw = getattr(plots, name)
    result = influence(toy().embeddings, toy().design)
    if name == "influence_plot":
        result = toy().mleat()
    more = ["women"] if name == "profile" else []
    with pytest.raises(WrongKindError) as refused:
        draw(result, *more)
    kind = type(result).__name__
    assert refused.value.message.endswith(f", and was given {kind}.")
    drawn = {"InfluenceResult": "influence_plot", "MleatResult": "association_plot or eat_map"}[kind]
    assert refused.value.hint == f"{kind} is drawn by {drawn}."


def test_the_figure_that_draws_it_is_named(toy: Any, nine: BatteryResult, years: SeriesResult) -> None:
    made = toy()
    test = weat(made.embeddings, made.design)
    for draw, given, kind, other in (
        (plots.eat_map, test, "WeatResult", "association_plot"),
        (plots.forest, years, "SeriesResult", "decades"),
        (plots.ranking, nine, "BatteryResult", "eat_maps or forest"),
        (plots.roc, {"one": test}, "a dictionary of WeatResult", ""),
        (plots.fit_plot, [test, years], "a list of WeatResult and SeriesResult", ""),
    ):
        call: Callable[..., Any] = draw
        with pytest.raises(
            WrongKindError, match=f"{call.__name__} draws .*, and was given {kind}"
        ) as refused:
            call(given)
        assert refused.value.hint is not None
        assert refused.value.hint.startswith(f"{kind} is drawn by {other}." if other else "give ")


def test_a_wrong_second_result_is_named_by_its_parameter(nine: BatteryResult, toy: Any) -> None:
    with pytest.raises(
        WrongKindError, match=r"intervals of forest takes a dictionary of BootstrapResult, and was given Boot"
    ):
        plots.forest(nine, bootstrap(toy().embeddings, toy().design, resamples=10))  # type: ignore[arg-type]


def test_signatures_and_docstrings_of_figures_are_kept() -> None:
    for name in DRAWERS:
        draw = getattr(plots, name)
        assert draw.__doc__
        assert "args" not in inspect.signature(draw).parameters
