"""Long names, large sets, other scripts, and letters that mean something to a typesetter."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from crossroads.core.figures.style import own_style
from crossroads.plots import association_plot, eat_map, ranking
from crossroads.words.measures.sc_weat import sc_weat
from tests.fixtures.figures import Toy, faults, said

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


@pytest.mark.slow
def test_nothing_is_clipped_or_overprinted() -> None:
    """Figures of large sets with names at their worst are laid out, and the places of all texts compared."""
    made: Any = Toy("a", "b", name=NAME, x=LONG, y=[word + "." for word in LONG], titles=TITLES)
    emb, design, result = made.embeddings, made.design, made.mleat()
    ranked = sc_weat(emb, [*design.x, *design.y], list(design.a), list(design.b))
    with own_style():  # letters without a glyph are drawn as boxes
        figures: dict[str, Any] = {
            "eat_map": eat_map(result),
            "association_plot": association_plot(result),
            "ranking": ranking(ranked, n=40),
        }
        assert [(name, fault) for name, drawn in figures.items() for fault in faults(drawn)] == []
        # 32 words a set fit a page, with both ends of labels that are too long
        assert figures["association_plot"].figure.get_size_inches()[1] < 9.5
        texts = said(figures["association_plot"])
    shortened = [text for text in texts if text.startswith("this is") and "…" in text]
    assert len(shortened) == 32
    assert all(text.rstrip(".").endswith("label") for text in shortened)
    # dollars and backslashes are letters
    assert {"$5 & $6", "a_b^c", "\\frac{1}{2}"} <= set(texts)


def test_the_settings_and_the_filters_of_the_caller_are_left_alone() -> None:
    mpl = pytest.importorskip("matplotlib")
    filters = list(warnings.filters)
    with mpl.rc_context({"font.family": ["serif"], "figure.facecolor": "black", "axes.grid": True}):
        before = dict(mpl.rcParams)
        ax = association_plot(Toy().mleat())
        assert dict(mpl.rcParams) == before
    assert list(warnings.filters) == filters
    assert ax.figure.get_facecolor() == (1, 1, 1, 1)
    assert {text.get_fontfamily()[0] for text in ax.texts} == {"DejaVu Sans"}
