"""Badges of fidelity: measures exist, and options are real and not the default."""

from __future__ import annotations

import inspect
import typing
from typing import Any

import pytest

import crossroads as cr
from crossroads.contexts.measures import levels
from crossroads.papers.published import BADGES, fidelity
from crossroads.traits.measures import templates

OPTIONS = [(one["measure"], *choice.values()) for one in fidelity() for choice in one["options"]]


def function(measure: str) -> Any:
    """A public function, of the top or of a group, or what one of them calls."""
    places = (cr, cr.stats, cr.traits, cr.pairs, levels, templates)
    return next(getattr(one, measure) for one in places if measure in dir(one))


def taken(hint: Any) -> tuple[list[Any], list[type]]:
    """The values and the types that a parameter is declared to take."""
    if typing.get_origin(hint) is typing.Literal:
        return list(typing.get_args(hint)), []
    parts = [taken(one) for one in typing.get_args(hint)]
    return [v for values, _ in parts for v in values], [t for _, types in parts for t in types] or [hint]


@pytest.mark.parametrize("one", fidelity(), ids=lambda one: f"{one['measure']} {one['part']}")
def test_every_measure_exists_and_says_where_it_comes_from(one: dict[str, Any]) -> None:
    assert callable(function(one["measure"]))
    assert one["badge"] in BADGES
    assert one["paper"] and one["doi"].startswith("10.") and one["choice"]
    assert bool(one["equation"]) or one["badge"] == "ours"


@pytest.mark.parametrize(("measure", "name", "value", "gives"), OPTIONS)
def test_every_option_is_a_parameter_that_takes_the_value_and_is_not_the_default(
    measure: str, name: str, value: Any, gives: str
) -> None:
    asked = function(measure)
    assert gives
    assert inspect.signature(asked).parameters[name].default != value
    values, types = taken(typing.get_type_hints(asked)[name])
    assert value in values or type(value) in types
