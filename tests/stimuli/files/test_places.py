from __future__ import annotations

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


def test_places_of_a_toml_text_are_found_on_their_lines() -> None:
    paths = (("x", 3), ("y", "items", 1), ("design", 0, "x", "items", 1), ("absent",))
    assert [TomlPlaces(TOML).line(path) for path in paths] == [3, 5, 9, None]


def test_places_of_a_json_text_are_found_on_their_lines_and_a_key_that_stands_twice() -> None:
    places = JsonPlaces(JSON)
    assert places.repeated == [("x",)]
    assert [places.line(path) for path in (("x",), ("y", "x", 1))] == [4, 3]
