from __future__ import annotations

import pytest

from crossroads.errors import InputError, UnknownNameError
from crossroads.stimuli import catalog


def test_groups_are_found_by_name_and_by_category() -> None:
    groups = catalog().groups("ceat-groups")
    assert groups.categories == {
        "race": ("African American", "European American", "Mexican American"),
        "gender": ("female", "male"),
    }
    assert [group.name for group in groups.where(race="Mexican American", gender="male")] == ["MM"]
    assert repr(groups) == "<Groups ceat-groups: AF, AM, EF, EM, MF, MM>"


def test_a_table_has_one_group_for_each_combination_of_categories() -> None:
    table = catalog().groups("ceat-groups").table()
    assert len(table) == 6
    assert table["African American", "female"][0] == "Aisha"
    with pytest.raises(InputError, match="not distinguished by domain"):
        catalog().groups("abc-groups").table()


def test_constituents_pool_the_names_of_a_category() -> None:
    gender = catalog().groups("ceat-groups").constituents("gender")
    assert {value: len(names) for value, names in gender.items()} == {"female": 36, "male": 36}
    race = catalog().groups("ceat-groups").constituents("race")
    assert [len(names) for names in race.values()] == [24, 24, 24]


@pytest.mark.parametrize("categories", [{"age": "old"}, {"race": "Martian"}])
def test_unknown_categories_are_refused(categories: dict[str, str]) -> None:
    with pytest.raises(UnknownNameError):
        catalog().groups("ceat-groups").where(**categories)
