from __future__ import annotations

import re
from typing import Any

import pytest

from crossroads.errors import InputError, UnknownNameError
from crossroads.stimuli import (
    Catalogue,
    Design,
    Groups,
    Ratings,
    Sentences,
    Templates,
    Traits,
    WordLists,
    batteries,
    catalog,
)

TYPES: dict[str, Any] = {
    "design": Design,
    "groups": Groups,
    "traits": Traits,
    "templates": Templates,
    "words": WordLists,
    "sentences": Sentences,
    "ratings": Ratings,
}
ENTRIES = catalog().entries
VARIANTS = [(entry.name, variant) for entry in ENTRIES for variant in entry.variants]


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES])
def test_every_entry_can_be_read_and_says_where_it_comes_from(name: str) -> None:
    entry = catalog().entry(name)
    material: Any = catalog(name)
    assert type(material) is TYPES[entry.kind]
    about = material if entry.kind == "design" else material.about
    assert (about.name, about.title) == (entry.name, entry.title)
    assert re.fullmatch(r"10\.\d{4,9}/\S+", about.source.doi)
    assert all((about.licence, about.language, about.table))
    assert all(re.fullmatch(r"[A-Z'].*\.", sentence) for sentence in about.departures)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_every_variant_can_be_read(name: str, variant: str) -> None:
    material = catalog(name, variant=variant)
    assert material is catalog(f"{name.upper()}:{variant.upper()}")
    if isinstance(material, Design):
        assert material.name == f"{name}:{variant}"


@pytest.mark.parametrize("name", [entry.name for entry in ENTRIES if entry.kind == "design"])
def test_every_design_has_four_sets_without_shared_words(name: str) -> None:
    design = catalog().design(name)
    assert list(design.sets) == ["x", "y", "a", "b"]
    assert len(design.x) == len(design.sets["y"])
    assert len(design.a) == len(design.b)
    assert design.shared_targets == design.shared_attributes == ()


def test_the_catalogue_maps_names_to_descriptions() -> None:
    listing = catalog()
    assert isinstance(listing, Catalogue)
    assert list(listing)[:2] == ["weat1", "weat2"]
    assert listing["weat6"] == "Male and female names, career and family"
    assert dict(listing)["abc-traits"] == "Sixteen trait pairs of the ABC model, with synonyms"
    assert "WEAT6" in listing
    assert "weat11" not in listing
    assert len(listing) == len(set(listing)) == 10 + 10 + 4 + 60 + 13
    assert listing.of_kind("traits") == ("abc-traits",)


def test_the_catalogue_prints_as_a_list_without_all_sixty_pairs() -> None:
    lines = repr(catalog()).splitlines()
    assert any(line.startswith("weat1 ") and "Flowers and insects" in line for line in lines)
    assert sum("ceat-pairs" in line for line in lines) == 1
    assert len(lines) < 45


def test_names_are_found_in_any_case() -> None:
    assert catalog("WEAT6") is catalog(" weat6 ")
    assert catalog("EM-EF-Career").name == "em-ef-career"


def test_batteries_list_their_designs() -> None:
    found = batteries()
    assert found["weat"] == tuple(f"weat{n}" for n in range(1, 11))
    assert found["ceat"] == tuple(f"c{n}" for n in range(1, 11))
    assert found["ceat-intersectional"] == ("i1", "i2", "i3", "i4")
    assert len(found["ceat-pairs"]) == 60
    assert found["ceat-pairs"][:5] == (
        "em-ef-pleasant",
        "em-ef-career",
        "em-ef-math",
        "em-ef-science",
        "em-am-pleasant",
    )
    rows = dict.fromkeys(name.rpartition("-")[0].upper().replace("-", "/") for name in found["ceat-pairs"])
    printed = "EM/EF EM/AM EM/AF EM/MM EM/MF EF/AM EF/AF EF/MM EF/MF AM/AF AM/MM AM/MF AF/MM AF/MF MM/MF"
    assert " ".join(rows) == printed


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="unknown catalogue entry 'waet6'") as caught:
        catalog("waet6")
    assert "weat6" in caught.value.nearest


def test_the_name_of_a_battery_is_explained() -> None:
    with pytest.raises(UnknownNameError, match="ceat is a battery of tests: c1, c2"):
        catalog("ceat")


def test_an_unknown_variant_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown variant of weat2 'google'(.|\n)*google-news"):
        catalog("weat2", variant="google")
    with pytest.raises(UnknownNameError, match="unknown variant of weat1 'histwords'"):
        catalog("weat1", variant="histwords")
    with pytest.raises(UnknownNameError, match="ceat-groups has no variants"):
        catalog("ceat-groups", variant="code")


@pytest.mark.parametrize("name", [3, ["weat6"], b"weat6"])
def test_a_name_must_be_text(name: Any) -> None:
    with pytest.raises(InputError, match="not the name of a catalogue entry"):
        catalog(name)


def test_a_variant_without_a_name_is_refused() -> None:
    with pytest.raises(InputError, match="no name before it"):
        catalog(None, variant="google-news")  # type: ignore[call-overload]


def test_methods_give_an_entry_with_its_type_and_refuse_others() -> None:
    listing = catalog()
    assert isinstance(listing.sentences("rsa-sentences"), Sentences)
    assert isinstance(listing.ratings("abc-annotators"), Ratings)
    with pytest.raises(InputError, match=r"is of kind traits, not ratings(.|\n)*abc-annotators"):
        listing.ratings("abc-traits")
    with pytest.raises(InputError, match="is of kind groups, not design"):
        listing.design("ceat-groups")
    with pytest.raises(InputError, match=r"is of kind design, not traits(.|\n)*abc-traits"):
        listing.traits("weat2:google-news")
    with pytest.raises(UnknownNameError, match="kind of catalogue entry"):
        listing.of_kind("designs")
