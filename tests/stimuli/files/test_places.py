from __future__ import annotations

import pytest

from crossroads.stimuli.files.documents import Path
from crossroads.stimuli.files.places import JsonPlaces, TomlPlaces

JSON = '{"x": 1,\n "y": {"x": [2,\n  "a"]},\n "x": 3}'
TOML = '''\
x = ["rose", # a comment ]
  'daisy', """tri
ple""", "li\\"ly"]
y = { name = "in = sects", items = ["wasp",
  "flea"] }
[[design]]
[design.x]
items = ["a",
  "b"]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [(("x", 3), 3), (("y", "items", 1), 5), (("design", 0, "x", "items", 1), 9), (("absent",), None)],
)
def test_places_of_a_toml_text_are_found_on_their_lines(path: Path, line: int | None) -> None:
    assert TomlPlaces(TOML).line(path) == line


def test_places_of_a_json_text_are_found_on_their_lines_and_a_key_that_stands_twice() -> None:
    places = JsonPlaces(JSON)
    assert places.repeated == [("x",)]
    assert [places.line(path) for path in (("x",), ("y", "x", 1))] == [4, 3]
