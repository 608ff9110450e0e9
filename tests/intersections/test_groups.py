"""Tables of groups: every shape in which they may be given says the same thing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import catalog
from crossroads.core.errors import DesignError, InputError
from crossroads.intersections.wefat import group_table

PLAIN = ("category 1", "category 2")
TUPLES: dict[tuple[str, str], list[str]] = {
    ("Black", "female"): ["Aisha", "Keisha"],
    ("Black", "male"): ["Jamal"],
    ("White", "female"): ["Emily"],
    ("White", "male"): ["Brad", "Josh"],
}
NESTED = {
    "Black": {"female": ["Aisha", "Keisha"], "male": ["Jamal"]},
    "White": {"female": ["Emily"], "male": ["Brad", "Josh"]},
}
CROSSED = {
    "race": {"Black": ["Aisha", "Keisha", "Jamal"], "White": ["Emily", "Brad", "Josh"]},
    "gender": {"female": ["Aisha", "Keisha", "Emily"], "male": ["Jamal", "Brad", "Josh"]},
}


@pytest.mark.parametrize(
    ("shape", "categories"),
    [(TUPLES, PLAIN), (NESTED, PLAIN), (CROSSED, ("race", "gender"))],
    ids=["tuples", "nested", "crossed"],
)
def test_every_shape_gives_the_same_groups(shape: Any, categories: tuple[str, str]) -> None:
    table = group_table(shape)
    assert {key: list(names) for key, names in table.names.items()} == TUPLES
    assert table.labels[("Black", "female")] == "Black / female"
    assert table.categories == categories


def test_groups_of_the_catalogue_are_a_table_where_they_cross_categories() -> None:
    table = group_table(catalog("ceat-groups"))
    assert table.categories == ("race", "gender")
    assert table.find("af") == table.find("african american / FEMALE") == ("African American", "female")
    with pytest.raises(InputError, match="not distinguished"):
        group_table(catalog("abc-groups"))


def test_three_levels_are_three_categories_whatever_names_come_from() -> None:
    nested = {"a": {"b": {"c": iter(["p"]), "d": ["q"]}}, "e": {"b": {"c": {"z", "r"}, "d": ["s"]}}}
    table = group_table(nested)
    assert table.names["e", "b", "c"] == ("r", "z")
    c, d = ((("a", "b", one), ("e", "b", one)) for one in "cd")
    assert table.constituents(("a", "b", "c")) == {"a vs e": ((c[0], d[0]), (c[1], d[1])), "c vs d": (c, d)}


@settings(deadline=None, max_examples=40)
@given(sizes=st.lists(st.integers(2, 4), min_size=1, max_size=3), data=st.data())
def test_crossing_categories_undoes_taking_unions(sizes: list[int], data: st.DataObject) -> None:
    # Every name gets one subcategory of every category; the crossed table must give it back.
    names = [f"n{i}" for i in range(12)]
    places = {
        name: tuple(f"c{c}v{data.draw(st.integers(0, size - 1))}" for c, size in enumerate(sizes))
        for name in names
    }
    if len(sizes) < 2 or len(set(places.values())) < 2:
        return
    crossed: dict[str, dict[str, list[str]]] = {}
    for name, place in places.items():
        for c, value in enumerate(place):
            crossed.setdefault(f"category {c}", {}).setdefault(value, []).append(name)
    table = group_table(crossed)
    assert {name: key for key, members in table.names.items() for name in members} == places


@pytest.mark.parametrize(
    "target", ["Black / female", "black/FEMALE", ("Black", "female"), ["black", "Female"]]
)
def test_a_group_is_found_by_label_or_subcategories_in_any_case(target: Any) -> None:
    assert group_table(TUPLES).find(target) == ("Black", "female")


@pytest.mark.parametrize(
    ("groups", "says"),
    [
        ({("a", "b"): ["p", "q"], ("a", "c"): ["q"]}, r"'a / b' and 'a / c' share the name 'q'"),
        ({("a", "b"): ["p"], "c": ["q"]}, "same number of categories: a / b and c"),
        ({("a", "b"): ["p", "q"]}, "there is one group, 'a / b'"),
        ({("a", "b"): [], ("a", "c"): ["q"]}, "'a / b' is empty"),
        ({"a": {"b": None}, "c": {"b": ["q"]}}, "'a / b' is missing"),
        ({"a": {}, "c": {}}, "contain no names"),
        ({"words": ["p", "q"], "b": ["r", "s"]}, "'words' is reserved for the candidates"),
        ({("a / b", "c"): ["p"], ("a", "b / c"): ["q"]}, "its own name"),
        ({"race": {"a": ["p"], "b": ["p"]}, "sex": {"c": ["p"]}}, "'p' is listed under two subcategories"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(groups: Any, says: str) -> None:
    with pytest.raises(DesignError, match=says) as error:
        group_table(groups)
    assert error.value.hint
