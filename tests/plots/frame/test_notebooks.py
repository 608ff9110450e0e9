"""Figures as notebooks show them: one picture each, whichever way pictures are shown."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any, cast

import pytest

from crossroads.plots import association_plot, eat_maps, taxonomy


@pytest.fixture
def displayed() -> Any:
    """What IPython makes of the last value of a cell."""
    formatters = pytest.importorskip("IPython.core.formatters", reason="extra 'test'")
    return formatters.DisplayFormatter().format


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def test_axes_that_end_a_cell_show_their_figure(toy: Any, displayed: Any) -> None:
    for drawn in (toy().mleat().plot(), association_plot(toy().mleat())):
        data, about = displayed(drawn)
        wide, tall = cast(Any, drawn.figure).get_size_inches()
        shown = about["image/png"]
        # twice the pixels of the place on the page, for fine screens
        assert size(data["image/png"]) == pytest.approx((2 * shown["width"], 2 * shown["height"]), abs=1)
        assert (shown["width"], shown["height"]) == (round(120 * wide), round(120 * tall))
        assert 300 < shown["width"] < 1000


def test_figures_that_end_a_cell_are_shown(nine: Any, displayed: Any) -> None:
    for drawn in (taxonomy(), eat_maps(nine)):
        data, about = displayed(drawn)
        assert size(data["image/png"])[0] == 2 * about["image/png"]["width"]


def test_axes_of_the_caller_are_left_to_the_caller(toy: Any, displayed: Any) -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    drawn = association_plot(toy().mleat(), ax=figure.add_subplot())
    assert "image/png" not in displayed(drawn)[0]  # pyplot shows it, and would show it again


CELLS = """
import sys
import numpy as np
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
import crossroads as cr

shown = []

class Value(DisplayHook):
    def write_format_data(self, format_dict, md_dict=None):
        shown.append(format_dict)

class Beside(DisplayPublisher):
    def publish(self, data, *args, **kwargs):
        shown.append(data)

class Notebook(InteractiveShell):  # as ipykernel has it, without the messages
    displayhook_class = Value
    display_pub_class = Beside
    def enable_gui(self, gui=None):
        pass

shell = Notebook.instance()
if sys.argv[1] == "inline":
    shell.run_line_magic("matplotlib", "inline")
rng = np.random.default_rng(0)
sets = {key: [f"{key}{i}" for i in range(4)] for key in "xyab"}
vectors = cr.Embeddings.from_dict({word: rng.normal(size=5) for words in sets.values() for word in words})
shell.user_ns["result"] = cr.weat(vectors, cr.Design(name="mine", **sets))
for cell in (
    "result.plot()",
    "drawn = result.plot()",
    "import crossroads.plots; crossroads.plots.taxonomy()",
    "import matplotlib.pyplot as plt; result.plot(ax=plt.subplots()[1])",
):
    shown.clear()
    shell.run_cell(cell).raise_error()
    print("pictures:", sum("image/png" in one for one in shown))
"""


@pytest.mark.parametrize(
    ("way", "expected"), [pytest.param("plain", "1 0 1 0", marks=pytest.mark.full), ("inline", "1 0 1 1")]
)
def test_a_cell_shows_exactly_one_picture(way: str, expected: str) -> None:
    """A shell of IPython is started, as a notebook has it."""
    # the last cell draws on axes of pyplot, which are shown at its end where pyplot shows in the notebook
    pytest.importorskip("IPython", reason="extra 'test'")
    pytest.importorskip("matplotlib_inline", reason="comes with IPython")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CELLS, way], capture_output=True, text=True, check=False
    )
    assert re.findall(r"pictures: (\d)", done.stdout) == expected.split(), done.stderr


def test_figures_load_matplotlib_when_they_are_drawn_and_no_notebook_and_no_window() -> None:
    """A process of its own, since what is loaded is asked for."""
    code = (
        "import sys, crossroads.plots as p; print('matplotlib' in sys.modules); p.taxonomy()._repr_png_(); "
        "print(*{'IPython', 'matplotlib.pyplot'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n\n"
