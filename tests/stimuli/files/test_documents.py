from __future__ import annotations

from typing import Any

import pytest

from crossroads.stimuli.files.documents import Path, PlacedError, design_from

PLAIN: dict[str, Any] = {"name": "bugs", "x": ["rose"], "y": ["wasp"], "a": ["love"], "b": ["filth"]}


@pytest.mark.parametrize(
    ("change", "path", "key"),
    [
        ({"x": ["rose", "rose"]}, ("file", 2, "x", 1), "file.x"),
        ({"a": {"name": "good", "items": [3]}}, ("file", 2, "a", "items", 0), "file.a.items"),
        ({"b": {"name": "bad"}}, ("file", 2, "b"), "file.b"),
        ({"b": None}, ("file", 2), "file"),
        ({"source": 3}, ("file", 2, "source"), "file.source"),
        ({"source": {"doi": "10.1000/182"}}, ("file", 2, "source"), "file.source"),
        ({"templates": ["{word}", 3]}, ("file", 2, "templates", 1), "file.templates"),
    ],
)
def test_faults_carry_the_way_to_their_place(change: dict[str, Any], path: Path, key: str) -> None:
    with pytest.raises(PlacedError) as caught:
        design_from(PLAIN | change, path=("file", 2))
    assert (caught.value.path, caught.value.key) == (path, key)


def test_a_null_y_means_a_single_target() -> None:
    assert design_from(PLAIN | {"y": None}).y is None


def test_a_design_needs_a_name_unless_a_default_is_given() -> None:
    unnamed = {key: value for key, value in PLAIN.items() if key != "name"}
    assert design_from(unnamed, default="some").name == "some"
    with pytest.raises(PlacedError, match="'name' is missing"):
        design_from(unnamed)


def test_a_row_of_weathub_is_named_by_test_and_language() -> None:
    row = {
        "weat": "WEAT6",
        "language": "el",
        "targ1.examples": ["Νίκος"],
        "attr1.examples": ["μισθός"],
        "attr2.examples": ["γάμος", "γάμος"],
    }
    design = design_from(row, duplicates="drop")
    assert (design.name, design.y, design.x.name, list(design.b)) == ("WEAT6-el", None, "targ1", ["γάμος"])
    assert design.departures == ("'γάμος', given more than once in b, is kept once.",)
