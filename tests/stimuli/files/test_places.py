from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.stimuli.files.documents import Path
from crossroads.stimuli.files.places import JsonPlaces, TomlPlaces

TEXT = st.text(max_size=6)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def paths(document: Any, path: Path = ()) -> dict[Path, Any]:
    """Every way into a document with what is there."""
    if not isinstance(document, dict | list):
        return {}
    found: dict[Path, Any] = {}
    for key, value in document.items() if isinstance(document, dict) else enumerate(document):
        found[(*path, key)] = value
        found |= paths(value, (*path, key))
    return found


@pytest.mark.slow
@given(document=DOCUMENTS, indent=st.none() | st.integers(0, 2), ascii_only=st.booleans())
def test_every_place_of_a_json_text_is_found_on_its_line(
    document: Any, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only)
    places = JsonPlaces(text)
    assert set(places.lines) == set(paths(document))
    assert not places.repeated
    lines = text.split("\n")
    for path, value in paths(document).items():
        line = lines[places.lines[path] - 1]
        if isinstance(path[-1], str):
            assert json.dumps(path[-1], ensure_ascii=ascii_only) in line
        if not isinstance(value, dict | list):
            assert json.dumps(value, ensure_ascii=ascii_only) in line


def test_a_key_that_stands_twice_in_an_object_is_noticed() -> None:
    places = JsonPlaces('{"x": 1,\n "y": {"x": 2},\n "x": 3}')
    assert places.repeated == [("x",)]
    assert places.line(("x",)) == 3


TOML = '''\
# comment with [brackets] and "quotes"
name = "one"
x = ["rose", # a comment ]
  'daisy', """tri
ple""", "li\\"ly"]
y = { name = "in = sects", items = ["wasp",
  "flea"] }
"a key" = 1979-05-27
count = 3
dotted.key.here = true

[[design]]
name = "first"
[design.x]
items = ["a",
  "b"]

[[design]] # the second
name = \'\'\'sec
ond\'\'\'
[ design . "x" ]
items = [
  ["nested", "here"],
]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("x",), 3),
        (("x", 0), 3),
        (("x", 1), 4),
        (("x", 2), 4),
        (("x", 3), 5),
        (("y", "name"), 6),
        (("y", "items", 0), 6),
        (("y", "items", 1), 7),
        (("a key",), 8),
        (("count",), 9),
        (("dotted", "key", "here"), 10),
        (("design", 0), 12),
        (("design", 0, "name"), 13),
        (("design", 0, "x"), 14),
        (("design", 0, "x", "items", 1), 16),
        (("design", 1), 18),
        (("design", 1, "name"), 19),
        (("design", 1, "x"), 21),
        (("design", 1, "x", "items", 0, 1), 23),
        (("design", 1, "absent"), 18),
        (("absent",), None),
    ],
)
def test_places_of_a_toml_text_are_found_on_their_lines(path: Path, line: int | None) -> None:
    assert TomlPlaces(TOML).line(path) == line
