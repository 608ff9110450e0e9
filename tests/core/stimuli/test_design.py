from __future__ import annotations

import copy
import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.core.errors import DesignError, UnknownNameError
from crossroads.core.stimuli import Citation, Design, StimulusSet

WORDS = st.lists(st.text("abcdeé-", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)


def bugs(**changes: Any) -> Design:
    fields: dict[str, Any] = {"name": "bugs", "x": ["rose", "daisy"], "y": ["wasp", "flea"]}
    fields |= {"a": ["love"], "b": ["filth"]}
    return Design(**(fields | changes))


def test_plain_lists_become_sets_named_by_their_role() -> None:
    design = bugs(x=StimulusSet("flowers", ("rose", "daisy")))
    assert list(design.x) == ["rose", "daisy"]
    assert [words.name for words in design.sets.values()] == ["flowers", "y", "a", "b"]


def test_without_y_the_test_has_a_single_target() -> None:
    design = bugs(y=None)
    assert design.y is None
    assert list(design.sets) == ["x", "a", "b"]
    assert design.words == ("rose", "daisy", "love", "filth")
    assert repr(design) == "<Design bugs: x (2), a (1) and b (1)>"


def test_shared_words_are_allowed() -> None:
    design = bugs(y=["rose", "wasp"], b=["love", "filth"])
    assert design.words == ("rose", "daisy", "wasp", "love", "filth")


def test_the_digest_is_that_of_the_word_lists_alone() -> None:
    # By hand: canonical JSON of the four lists, keys sorted, no spaces, UTF-8.
    text = '{"a":["love"],"b":["filth"],"x":["rose","daisy"],"y":["wasp","flea"]}'
    assert bugs().digest == hashlib.sha256(text.encode()).hexdigest()
    assert bugs(name="other", title="any", x=StimulusSet("f", ("rose", "daisy"))).digest == bugs().digest
    assert bugs(x=["daisy", "rose"]).digest != bugs().digest
    assert bugs(y=None).digest != bugs().digest


def test_designs_are_frozen_hashable_copied_and_pickled() -> None:
    source = Citation("Somebody (2020)", "10.1000/182")
    assert (source.url, Citation("Somebody (2020)").url) == ("https://doi.org/10.1000/182", None)
    design = bugs(source=source)
    assert pickle.loads(pickle.dumps(design)) == design
    assert copy.deepcopy(design) == design
    assert {design, bugs()} == {bugs(), design}
    with pytest.raises(AttributeError):
        design.name = "other"  # type: ignore[misc]


def test_replace_substitutes_in_every_set_and_says_so() -> None:
    design = bugs(b=["filth", "rose"]).replace({"rose": "tulip", "flea": None, "daisy": None})
    assert (list(design.x), list(design.y or ()), list(design.b)) == (["tulip"], ["wasp"], ["filth", "tulip"])
    assert design.departures == ("'rose' is replaced by 'tulip' and 'flea' and 'daisy' are left out.",)
    assert bugs().replace({}) == bugs()


def test_add_puts_words_at_the_end_and_says_so() -> None:
    design = bugs().add(x=["tulip"], y=["ant", "gnat"])
    assert design.x.items == ("rose", "daisy", "tulip")
    assert design.words[3:7] == ("wasp", "flea", "ant", "gnat")
    assert design.departures == ("'tulip' is added to x.", "'ant' and 'gnat' are added to y.")


@given(x=WORDS, y=st.none() | WORDS, a=WORDS, b=WORDS)
def test_plain_data_bring_back_the_same_design(
    x: list[str], y: list[str] | None, a: list[str], b: list[str]
) -> None:
    told = {"title": "A title", "departures": ["One thing."], "templates": ["{word}!"]}
    design = bugs(x=x, y=y, a=a, b=b, source=Citation("Somebody (2020)", "10.1000/182"), **told)
    assert Design.from_dict(design.to_dict()) == design


@pytest.mark.parametrize(
    ("make", "said"),
    [
        *((lambda role=role: bugs(**{role: None}), f"'{role}'") for role in "xab"),
        (lambda: bugs(name=" "), "name of a design"),
        (lambda: bugs(source=3), "the text of a citation is 3"),
        (lambda: bugs(language=3), "language is 3"),
        (lambda: bugs(departures=3), "departures is 3"),
        (lambda: bugs(templates=["This is."]), "no place for a word"),
        (lambda: bugs().replace({"roes": "tulip"}), r"word of the design 'bugs' 'roes'(.|\n)*'rose'"),
        (lambda: bugs().replace({"love": None}), "'a' is empty"),
        (lambda: bugs().replace({"rose": "daisy"}), "'daisy' occurs twice"),
        (lambda: bugs(y=None).add(y=["ant"]), "has no y"),
        (lambda: Design.from_dict(bugs().to_dict() | {"titel": "A"}), r"'titel'(.|\n)*did you mean 'title'"),
        (lambda: Citation(" "), "text of a citation"),
        *((lambda doi=doi: Citation("Somebody (2020)", doi), "is not a DOI")
          for doi in ("https://doi.org/10.1000/182", "11.1/2", 10.1)),
    ],
)  # fmt: skip
def test_what_cannot_be_a_design_is_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises((DesignError, UnknownNameError), match=said):
        make()
