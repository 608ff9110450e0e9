"""Figures as notebooks show them: one picture each, whichever way pictures are shown."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, cast

import pytest

from crossroads.plots import association_plot, taxonomy
from tests.fixtures.figures import Toy, axes_of_the_caller


@pytest.fixture
def displayed() -> Any:
    """What IPython makes of the last value of a cell."""
    formatters = pytest.importorskip("IPython.core.formatters", reason="extra 'test'")
    return formatters.DisplayFormatter().format


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def test_what_ends_a_cell_is_shown(displayed: Any) -> None:
    for drawn in (association_plot(Toy().mleat()), taxonomy()):
        data, about = displayed(drawn)
        wide, tall = cast(Any, getattr(drawn, "figure", drawn)).get_size_inches()
        shown = about["image/png"]
        # twice the pixels of the place on the page, for fine screens
        assert size(data["image/png"]) == pytest.approx((2 * shown["width"], 2 * shown["height"]), abs=1)
        assert (shown["width"], shown["height"]) == (round(120 * wide), round(120 * tall))


def test_axes_of_the_caller_are_left_to_the_caller(displayed: Any) -> None:
    drawn = association_plot(Toy().mleat(), ax=axes_of_the_caller(1)[0])
    assert "image/png" not in displayed(drawn)[0]  # pyplot shows it, and would show it again


def test_figures_load_matplotlib_when_they_are_drawn_and_no_notebook_and_no_window() -> None:
    """A process of its own, since what is loaded is asked for."""
    code = (
        "import sys, crossroads.plots as p; print('matplotlib' in sys.modules); p.taxonomy()._repr_png_(); "
        "print(*{'IPython', 'matplotlib.pyplot'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n\n"
