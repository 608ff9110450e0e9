from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from crossroads.core.errors import InputError, UnknownNameError
from crossroads.core.stimuli import batteries, catalog

ENTRIES = catalog().entries


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_every_entry_and_variant_can_be_read_under_its_name(name: str) -> None:
    entry = catalog().entry(name)
    for asked in (name, *(f"{name}:{variant}" for variant in entry.variants)):
        material: Any = catalog(asked)
        assert material is catalog(asked.upper())
        about = material if entry.kind == "design" else material.about
        assert about.source is not None
        if asked == name or entry.kind == "design":
            assert about.name == asked


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES if entry.kind == "design"])
def test_every_design_has_four_sets_without_shared_words(name: str) -> None:
    design = catalog().design(name)
    assert list(design.sets) == ["x", "y", "a", "b"]
    assert len(design.x) == len(design.sets["y"])
    assert len(design.a) == len(design.b)
    assert not {*design.x} & {*design.sets["y"]} and not {*design.a} & {*design.b}


def test_the_catalogue_maps_names_to_descriptions_and_prints_as_a_list() -> None:
    listing = catalog()
    assert listing["weat6"] == "Male and female names, career and family"
    assert "WEAT6" in listing
    assert "weat11" not in listing
    assert len(listing) == len(set(listing)) == len(listing.entries)
    assert listing.of_kind("traits") == ("abc-traits",)
    lines = repr(listing).splitlines()
    assert any(line.startswith("weat1 ") and "Flowers and insects" in line for line in lines)
    assert sum("ceat-pairs" in line for line in lines) == 1  # one line for sixty designs


def test_batteries_list_their_designs() -> None:
    found = batteries()
    assert found["weat"] == tuple(f"weat{n}" for n in range(1, 11))
    assert found["ceat"] == tuple(f"c{n}" for n in range(1, 11))
    assert found["ceat-intersectional"] == ("i1", "i2", "i3", "i4")
    printed = "EM/EF EM/AM EM/AF EM/MM EM/MF EF/AM EF/AF EF/MM EF/MF AM/AF AM/MM AM/MF AF/MM AF/MF MM/MF"
    rows = [pair.lower().replace("/", "-") for pair in printed.split()]
    asked = ("pleasant", "career", "math", "science")
    assert found["ceat-pairs"] == tuple(f"{row}-{about}" for row in rows for about in asked)


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda: catalog("waet6"), UnknownNameError, r"unknown catalogue entry 'waet6'(.|\n)*'weat6'"),
        (lambda: catalog("ceat"), UnknownNameError, "ceat is a battery of tests: c1, c2"),
        (lambda: catalog("weat2", variant="google"), UnknownNameError, "unknown variant of weat2 'google'"),
        (lambda: catalog("ceat-groups", variant="code"), UnknownNameError, "ceat-groups has no variants"),
        (lambda: catalog(["weat6"]), InputError, "not the name of a catalogue entry"),  # type: ignore[call-overload]
        (lambda: catalog(None, variant="code"), InputError, "no name before it"),  # type: ignore[call-overload]
        (lambda: catalog().design("ceat-groups"), InputError, "is of kind groups, not design"),
        (lambda: catalog().of_kind("designs"), UnknownNameError, "kind of catalogue entry"),
        (lambda: catalog().ratings("abc-annotators")["White males"], UnknownNameError, "'White male'"),
        (lambda: catalog().groups("abc-groups").table(), InputError, "not distinguished by domain"),
    ],
)
def test_what_is_not_there_is_answered_with_what_is(
    ask: Callable[[], Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        ask()


def test_word_lists_are_found_by_category_and_kind() -> None:
    lists = catalog().words("ceat-validation")
    assert lists["EF"]["emergent"].items == ("ditsy",)
    assert catalog().words("weat-sets")["flowers"]["words"] == catalog("weat1").x


def test_groups_are_found_by_name_and_by_category() -> None:
    groups = catalog().groups("ceat-groups")
    assert groups.categories["gender"] == ("female", "male")
    assert (groups.get("AF"), groups.get("XX")) == (groups["AF"], None)
    assert repr(groups) == "<Groups ceat-groups: AF, AM, EF, EM, MF, MM>"
    assert groups.table()["African American", "female"][0] == "Aisha"


def test_traits_are_a_sequence_of_pairs_by_scale() -> None:
    traits = catalog().traits("abc-traits")
    # as many on each scale as Table 1 of Cao et al. prints
    sizes = dict(Counter(pair.scale for pair in traits))
    assert sizes == {"Agency": 6, "Beliefs": 4, "Communion": 6}
    assert [pair.left for pair in traits[:2]] == ["powerless", "low status"]
    assert len(set(traits.adjectives)) == 2 * len(traits)
    assert traits[-1].human_key == "egoistic - altruistic"
    assert traits[-1].name == "egotistic-altruistic"
