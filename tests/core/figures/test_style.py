"""A figure that is given the result of another measure says what it draws."""

from __future__ import annotations

import inspect

import pytest

from crossroads import plots
from crossroads.core.errors import WrongKindError
from crossroads.words.measures.stability import influence
from tests.fixtures.figures import Toy

DRAWERS = [
    name for name, _ in inspect.getmembers(plots, inspect.isfunction) if name not in ("save", "taxonomy")
]
"""Figures of results; the others show no result."""


@pytest.mark.parametrize("name", DRAWERS)
def test_what_it_does_not_draw_is_refused_by_every_figure(name: str) -> None:
    draw = getattr(plots, name)
    more = ["women"] if name == "profile" else []
    result = influence(Toy().embeddings, Toy().design)
    kind = type(result).__name__
    for wrong, said in (("weat6", "str"), (result, kind), ([result], f"({kind}|list)"), (5, "int")):
        with pytest.raises(WrongKindError, match=f"^{name} draws .*, and was given {said}"):
            draw(wrong, *more)


def test_a_result_may_be_given_by_name() -> None:
    assert plots.eat_map(result=Toy().mleat()).figure is not None
