"""Long names, large sets, other scripts, and letters that mean something to a typesetter."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from crossroads.measures import battery, bootstrap, influence, sc_weat, series
from crossroads.plots import association_plot, decades, eat_map, eat_maps, forest, influence_plot, ranking
from crossroads.plots.frame.style import house

LONG = [
    *(f"this is a sentence about number {i}, longer than any label" for i in range(16)),
    *(f"Rindfleischetikettierungsüberwachung{i}" for i in range(8)),
    *("花", "昆虫", "שלום", "مرحبا", "नमस्ते", "$5 & $6", "a_b^c", "\\frac{1}{2}"),
]
TITLES = {
    "x": "European American first names of the nineteen-nineties",
    "y": "Donaudampfschifffahrtsgesellschaftskapitäne",
    "a": "pleasant/agreeable/likeable and otherwise positive",
    "b": "花と昆虫 $x_1$ unangenehm",
}
NAME = "a design whose name says everything about it, and then says it once more, to be sure"


@pytest.fixture
def awkward(toy: Any) -> Any:
    return toy("a", "b", name=NAME, x=LONG, y=[word + "." for word in LONG], titles=TITLES)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Letters without a glyph are drawn as boxes; matplotlib warns when the caller draws them."""
    with house():
        yield


@pytest.fixture
def figures(awkward: Any) -> dict[str, Any]:
    emb, design = awkward.embeddings, awkward.design
    result = awkward.mleat()
    several = battery(emb, [design], resamples=5)
    words = [*design.x, *design.y]
    return {
        "eat_map": eat_map(result),
        "eat_maps": eat_maps(several),
        "association_plot": association_plot(result),
        "ranking": ranking(sc_weat(emb, words, list(design.a), list(design.b)), n=40),
        "decades": decades(series({1900: emb, 1910: emb}, design, resamples=0)),
        "forest": forest(several, {NAME: bootstrap(emb, design, resamples=20)}),
        "influence_plot": influence_plot(influence(emb, design), n=68),
    }


@pytest.mark.slow
def test_nothing_is_clipped_or_overprinted(
    figures: dict[str, Any],
    faults: Callable[[Any], list[str]],
    said: Callable[[Any], list[str]],
    quiet: None,
) -> None:
    """Every figure of a test with names at their worst is laid out, and the places of all texts compared."""
    assert [(name, fault) for name, drawn in figures.items() for fault in faults(drawn)] == []
    # 32 words a set fit a page, with both ends of labels that are too long
    assert figures["association_plot"].figure.get_size_inches()[1] < 9.5
    texts = said(figures["association_plot"])
    shortened = [text for text in texts if text.startswith("this is") and "…" in text]
    assert len(shortened) == 32
    assert all(text.rstrip(".").endswith("label") for text in shortened)
    # dollars and backslashes are letters
    assert {"$5 & $6", "a_b^c", "\\frac{1}{2}"} <= set(texts)


def test_the_settings_and_the_filters_of_the_caller_are_left_alone(toy: Any) -> None:
    mpl = pytest.importorskip("matplotlib")
    filters = list(warnings.filters)
    with mpl.rc_context({"font.family": ["serif"], "figure.facecolor": "black", "axes.grid": True}):
        before = dict(mpl.rcParams)
        ax = association_plot(toy().mleat())
        assert dict(mpl.rcParams) == before
    assert list(warnings.filters) == filters
    assert ax.figure.get_facecolor() == (1, 1, 1, 1)
    assert {text.get_fontfamily()[0] for text in ax.texts} == {"DejaVu Sans"}
