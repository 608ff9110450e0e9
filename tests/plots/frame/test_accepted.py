"""A figure that is given the result of another measure says what it draws, and what draws the other."""

from __future__ import annotations

import inspect

import pytest

from crossroads import plots
from crossroads.errors import WrongKindError
from crossroads.measures import BatteryResult, bootstrap, influence
from tests.plots.conftest import Toy

DRAWERS = [
    name for name, _ in inspect.getmembers(plots, inspect.isfunction) if name not in ("save", "taxonomy")
]
"""Figures of results; the others show no result."""


@pytest.mark.parametrize("name", DRAWERS)
def test_what_it_does_not_draw_is_refused_by_every_figure(name: str) -> None:
    draw = getattr(plots, name)
    more = ["women"] if name == "profile" else []
    with pytest.raises(WrongKindError, match=f"^{name} draws .*, and was given str"):
        draw("weat6", *more)
    result = Toy().mleat() if name == "influence_plot" else influence(Toy().embeddings, Toy().design)
    with pytest.raises(WrongKindError) as refused:
        draw(result, *more)
    drawn = {"InfluenceResult": "influence_plot", "MleatResult": "association_plot or eat_map"}
    kind = type(result).__name__
    assert refused.value.hint == f"{kind} is drawn by {drawn[kind]}."


def test_a_wrong_second_result_is_named_by_its_parameter(nine: BatteryResult) -> None:
    with pytest.raises(
        WrongKindError, match=r"intervals of forest takes a dictionary of BootstrapResult, and was given Boot"
    ):
        plots.forest(nine, bootstrap(Toy().embeddings, Toy().design, resamples=10))  # type: ignore[arg-type]
