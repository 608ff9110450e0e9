from __future__ import annotations

import copy
import hashlib
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossroads.errors import DesignError, UnknownNameError
from crossroads.stimuli import Citation, Design, StimulusSet

WORDS = st.lists(st.text("abcdeé-", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)


def bugs(**changes: Any) -> Design:
    fields: dict[str, Any] = {
        "name": "bugs",
        "x": ["rose", "daisy"],
        "y": ["wasp", "flea"],
        "a": ["love"],
        "b": ["filth"],
    }
    return Design(**(fields | changes))


def test_plain_lists_become_sets_named_by_their_role() -> None:
    design = bugs(x=StimulusSet("flowers", ("rose", "daisy")))
    assert list(design.x) == ["rose", "daisy"]
    assert {role: words.name for role, words in design.sets.items()} == {
        "x": "flowers",
        "y": "y",
        "a": "a",
        "b": "b",
    }


def test_without_y_the_test_has_a_single_target() -> None:
    design = bugs(y=None)
    assert design.y is None
    assert list(design.sets) == ["x", "a", "b"]
    assert design.words == ("rose", "daisy", "love", "filth")
    assert design.shared_targets == ()


def test_words_lists_every_stimulus_once_in_order() -> None:
    assert bugs(b=["rose", "filth"]).words == ("rose", "daisy", "wasp", "flea", "love", "filth")


def test_shared_words_are_allowed_and_exposed() -> None:
    design = bugs(y=["rose", "wasp"], b=["love", "filth"])
    assert design.shared_targets == ("rose",)
    assert design.shared_attributes == ("love",)
    assert bugs().shared_targets == bugs().shared_attributes == ()


@pytest.mark.parametrize("role", ["x", "a", "b"])
@pytest.mark.parametrize("value", [None, "rose", [], ["rose", "rose"]])
def test_every_set_is_checked(role: str, value: Any) -> None:
    with pytest.raises(DesignError, match=f"'{role}'"):
        bugs(**{role: value})


@pytest.mark.parametrize("name", ["", " ", None])
def test_a_design_needs_a_name(name: Any) -> None:
    with pytest.raises(DesignError, match="name of a design"):
        bugs(name=name)


def test_text_fields_must_be_text() -> None:
    with pytest.raises(DesignError, match="language is 3"):
        bugs(language=3)


def test_a_template_needs_a_place_for_the_word() -> None:
    assert bugs(templates=["This is {word}."]).templates == ("This is {word}.",)
    with pytest.raises(DesignError, match="no place for a word"):
        bugs(templates=["This is."])


def test_the_digest_is_that_of_the_word_lists_alone() -> None:
    # By hand: canonical JSON of the four lists, keys sorted, no spaces, UTF-8.
    text = '{"a":["love"],"b":["filth"],"x":["rose","daisy"],"y":["wasp","flea"]}'
    assert bugs().digest == hashlib.sha256(text.encode()).hexdigest()
    assert (
        bugs(name="other", title="something", x=StimulusSet("f", ("rose", "daisy"))).digest == bugs().digest
    )
    assert bugs(x=["daisy", "rose"]).digest != bugs().digest
    assert bugs(y=None).digest != bugs().digest


def test_designs_are_frozen_hashable_copied_and_pickled() -> None:
    design = bugs(source=Citation("Somebody (2020)", "10.1000/182"))
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


def test_replace_refuses_words_the_design_lacks() -> None:
    with pytest.raises(UnknownNameError, match="unknown word of the design 'bugs' 'roes'") as caught:
        bugs().replace({"roes": "tulip"})
    assert "rose" in caught.value.nearest


def test_replace_cannot_empty_a_set_or_repeat_a_word() -> None:
    with pytest.raises(DesignError, match="'a' is empty"):
        bugs().replace({"love": None})
    with pytest.raises(DesignError, match="'daisy' occurs twice"):
        bugs().replace({"rose": "daisy"})


def test_add_puts_words_at_the_end_and_says_so() -> None:
    design = bugs().add(x=["tulip"], y=["ant", "gnat"])
    assert (design.x.items, design.y and design.y.items) == (
        ("rose", "daisy", "tulip"),
        ("wasp", "flea", "ant", "gnat"),
    )
    assert design.departures == ("'tulip' is added to x.", "'ant' and 'gnat' are added to y.")
    with pytest.raises(DesignError, match="has no y"):
        bugs(y=None).add(y=["ant"])


@given(x=WORDS, y=st.none() | WORDS, a=WORDS, b=WORDS)
def test_plain_data_bring_back_the_same_design(
    x: list[str], y: list[str] | None, a: list[str], b: list[str]
) -> None:
    design = Design(
        name="any",
        x=x,
        y=y,
        a=a,
        b=b,
        title="A title",
        source=Citation("Somebody (2020)", "10.1000/182"),
        departures=["One thing."],
        templates=["{word}!"],
    )
    assert Design.from_dict(design.to_dict()) == design


def test_plain_data_with_an_unknown_key_name_the_nearest() -> None:
    with pytest.raises(DesignError, match=r"unknown key 'titel'(.|\n)*did you mean 'title'"):
        Design.from_dict(bugs().to_dict() | {"titel": "A title"})


def test_the_representation_names_the_sets_and_their_sizes() -> None:
    assert repr(bugs(y=None)) == "<Design bugs: x (2), a (1) and b (1)>"


@pytest.mark.parametrize("source", [3, ["Caliskan 2017"], b"Caliskan 2017"])
def test_a_source_is_a_citation_or_its_text(source: Any) -> None:
    with pytest.raises(DesignError, match="source is "):
        Design(name="bugs", x=["rose"], a=["love"], b=["hate"], source=source)


@pytest.mark.parametrize("field", ["departures", "templates"])
def test_sentences_that_are_no_list_are_refused(field: str) -> None:
    more: dict[str, Any] = {field: 3}
    with pytest.raises(DesignError, match=f"{field} is 3"):
        Design(name="bugs", x=["rose"], a=["love"], b=["hate"], **more)
