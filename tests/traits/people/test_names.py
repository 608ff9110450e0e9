"""Names of groups and traits as people write them."""

from __future__ import annotations

import pytest

from crossroads.core.errors import UnknownNameError
from crossroads.core.stimuli import catalog
from crossroads.traits.people.files import group_name, own_trait, trait_name


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Blacks/African Americans", "Black"),
        ("transgender people", "trans"),
        ("Nonbinary people", "non-binary"),
        ("Christian people", "Christian"),
        ("  average   people ", "average people"),
        ("花屋", "花屋"),
    ],
)
def test_groups_are_known_in_all_their_forms(written: str, name: str) -> None:
    assert group_name(written) == name


def test_every_form_of_every_group_means_that_group() -> None:
    for group in catalog().groups("abc-groups").members:
        for form in (group.name, group.human_label or group.name, *group.forms.values()):
            assert group_name(form) == group.name


@pytest.mark.parametrize("joint", [" - ", "-", " – ", " ↔ ", " to ", "/", " vs. "])
def test_pairs_are_known_however_they_are_joined(joint: str) -> None:
    for pair in catalog().traits("abc-traits"):
        assert trait_name(f"{pair.left}{joint}{pair.right}") == (pair.name, False)
        assert trait_name(f"{pair.right}{joint}{pair.left}") == (pair.name, True)


def test_the_spellings_of_the_paper_and_of_its_data_are_known_and_others_are_kept() -> None:
    assert own_trait("slow  - fast") == ("slow - fast", False)
    assert own_trait("powerful - powerless") == ("powerless-powerful", True)
    assert trait_name("egoistic - altruistic").name == "egotistic-altruistic"
    assert trait_name("religious-science oriented").name == "religious-science-oriented"
    assert trait_name("dominated ↔ dominating").name == "dominated-dominant"


def test_an_unknown_trait_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'poor-wealthy'"):
        trait_name("poor-welthy")
    with pytest.raises(UnknownNameError, match="give both ends"):
        trait_name("花")
