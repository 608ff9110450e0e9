"""Small results of every kind, and what is drawn in a figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads.evidence import Embeddings
from crossroads.measures import BatteryResult, MleatResult, SeriesResult, battery, mleat, series
from crossroads.measures.association.patterns import PATTERNS
from crossroads.stimuli import Design, StimulusSet

HEIGHTS = (-0.3, -0.1, 0.0, 0.15, 0.25)


class Toy:
    """Designs and vectors made to show a wanted pattern.

    A lies along the first axis and B along the second, with the same third coordinates. A target along
    one of these axes leans to that attribute; one along the third has the same cosines with A as with B.
    """

    def __init__(
        self, x: str | None = "a", y: str | None = "b", /, *, name: str = "toy", **words: Any
    ) -> None:
        lists = {key: words.get(key) or [f"{key}{i}" for i in range(5)] for key in "xyab"}
        titles = words.get("titles") or {"x": "flowers", "y": "insects", "a": "pleasant", "b": "unpleasant"}
        sets: dict[str, Any] = {key: StimulusSet(titles[key], tuple(lists[key])) for key in "xyab"}
        self.design = Design(name=name, **sets)
        vectors: dict[str, list[float]] = {}
        for key, lean in (("x", x), ("y", y)):
            for i, word in enumerate(lists[key]):
                small = 0.04 * (i - len(lists[key]) // 2)
                axis = {"a": [1.0, small, 0.2], "b": [small, 1.0, 0.2], None: [small, 0.0, 1.0]}[lean]
                vectors[word] = axis
        for key, axis in (("a", [1.0, 0.0]), ("b", [0.0, 1.0])):
            for i, word in enumerate(lists[key]):
                vectors[word] = [*axis, HEIGHTS[i % 5] + 0.01 * (i // 5)]
        self.embeddings = Embeddings.from_dict(vectors)

    def mleat(self, **options: Any) -> MleatResult:
        return mleat(self.embeddings, self.design, **{"resamples": 40, **options})


@pytest.fixture(scope="session")
def nine() -> BatteryResult:
    """A battery of nine tests, one of each pattern, on one model, and one that cannot be measured."""
    designs: list[Design] = []
    vectors: dict[str, Any] = {}
    for number, (x, y) in enumerate(PATTERNS.values()):
        words = {key: [f"{key}{i}n{number}" for i in range(5)] for key in "xyab"}
        made = Toy(x, y, name=f"test {number + 1}", **words)
        designs.append(made.design)
        vectors.update(zip(made.embeddings.labels, made.embeddings.vectors, strict=True))
    absent = Design(name="absent", x=["p", "q"], y=["r", "s"], a=["t", "u"], b=["v", "w"])
    return battery(Embeddings.from_dict(vectors), [*designs, absent], resamples=40)


@pytest.fixture(scope="session")
def years() -> SeriesResult:
    """Four decades, of which the second lacks the words, and a change of pattern."""
    rng = np.random.default_rng(1)
    models = {}
    for year, (x, y) in {1900: ("a", "b"), 1920: ("a", None), 1930: (None, None)}.items():
        clean = Toy(x, y).embeddings
        models[year] = Embeddings(clean.labels, clean.vectors + rng.normal(size=clean.vectors.shape) * 0.02)
    models[1910] = Embeddings.from_dict({"nothing": [1.0, 0.0, 0.0]})
    return series(models, Toy().design, resamples=0)


def _texts(drawn: Any) -> list[Any]:
    """The texts that a figure or axes show: what is written, the names of the axes, ticks in view."""
    figure = getattr(drawn, "figure", drawn)
    figure.canvas.draw()
    found = [text for ax in figure.axes for text in ax.texts]
    for axis in (axis for ax in figure.axes if ax.axison for axis in (ax.xaxis, ax.yaxis)):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        found += [axis.label, axis.offsetText, *ticks]
    return [text for text in found if text.get_text() and text.get_visible()]


def said(drawn: Any) -> list[str]:
    """What a figure says, line by line."""
    return [artist.get_text() for artist in _texts(drawn)]


def faults(drawn: Any) -> list[str]:
    """Texts that run over the edge of the figure or into each other."""
    boxes = [(artist.get_text(), artist.get_window_extent().padded(-1.5)) for artist in _texts(drawn)]
    page = getattr(drawn, "figure", drawn).bbox
    wrong = [
        f"{text!r} leaves the figure"
        for text, box in boxes
        if box.x0 < page.x0 or box.x1 > page.x1 or box.y0 < page.y0 or box.y1 > page.y1
    ]
    for i, (text, box) in enumerate(boxes):
        wrong += [f"{text!r} meets {other!r}" for other, rest in boxes[i + 1 :] if box.overlaps(rest)]
    return wrong


def colour_of(artist: Any) -> str:
    """The colour of a line or of the frame of a patch, as ``#RRGGBB``."""
    from matplotlib.colors import to_hex

    given = artist.get_edgecolor() if hasattr(artist, "get_edgecolor") else artist.get_color()
    return to_hex(given).upper()


def axes_of_the_caller(count: int) -> list[Any]:
    """Empty axes, one below the other, as who calls may have them."""
    from matplotlib.figure import Figure

    return list(Figure(figsize=(12, 6 * count)).subplots(count, squeeze=False)[:, 0])
