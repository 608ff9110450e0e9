"""Short names of models out of paths, no two alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.evidence import Provenance
from crossroads.core.evidence.model_names import distinct_names, model_name, numbered, recorded_path


def at(source: str, format: str = "glove-text") -> Provenance:  # noqa: A002 - the name that it has
    return Provenance(source=source, format=format)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/home/me/glove.6B.300d.txt", "glove.6B.300d"), ("glove.txt.gz", "glove"), ("a/b.vec", "b"),
        ("C:\\Users\\me\\GoogleNews.BIN", "GoogleNews"), ("~/x.npz", "x"), ("./bert", "bert"),
        ("/models/bert-base/", "bert-base"), ("/runs/mine/checkpoint", "mine/checkpoint"),
        ("org/model", "org/model"), ("default", "default"), ("https://host:1/v1", "https://host:1/v1"),
        ("/data/.txt", ".txt"), ("/", "/"), ("../../x/y.txt", "y"), ("a/b/c", "c"),
    ],
)  # fmt: skip
def test_a_model_is_called_by_the_stem_of_its_file(source: str, name: str) -> None:
    assert model_name(at(source)) == name


def test_what_was_given_in_memory_is_called_as_it_is_unless_it_discloses_a_place() -> None:
    assert model_name(at("my vectors.txt", "in memory")) == "my vectors.txt"
    assert model_name(at("/home/me/vectors.txt", "in memory")) == "vectors"


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["/a/one/g.txt", "/a/two/g.txt"], ["one/g", "two/g"]),
        (["/a/g.txt", "/a/g.bin"], ["g.txt", "g.bin"]),
        (["/a/one/x/g.txt", "/a/two/x/g.txt", "h.txt"], ["one/x/g", "two/x/g", "h"]),
        (["/a/g.txt", "/a/g.txt"], ["g", "g (2)"]),
        (["org/model", "org/model"], ["org/model", "org/model (2)"]),
        (["g", "/a/g.txt"], ["g", "g.txt"]),
    ],
)
def test_names_that_would_be_alike_are_told_apart(sources: list[str], names: list[str]) -> None:
    assert distinct_names([at(one) for one in sources]) == names


@given(st.lists(st.text(alphabet="ab/.\\~txgz ()2", min_size=1, max_size=12), min_size=1, max_size=6))
def test_no_two_names_are_alike(sources: list[str]) -> None:
    names = distinct_names([at(one) for one in sources])
    assert len(set(names)) == len(sources)
    assert all(names)


def test_a_number_does_not_make_a_name_that_is_taken() -> None:
    assert numbered(["a", "a", "a (2)"]) == ["a", "a (3)", "a (2)"]


def test_a_path_is_recorded_relative_to_the_current_folder_where_it_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert recorded_path(tmp_path / "a" / "b.txt") == "a/b.txt"
    assert recorded_path("../b.txt") == "../b.txt"  # as it was given
    assert recorded_path(tmp_path.parent / "b.txt") == str(tmp_path.parent / "b.txt")
