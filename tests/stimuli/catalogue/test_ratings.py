"""Published ratings by people, against the tables as printed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import pytest

from crossroads.errors import UnknownNameError
from crossroads.stimuli import catalog

Shared = Callable[[str], Any]
SPELLED = {
    "religious-science oriented": "religious-science-oriented",
    "egoistic-altruistic": "egotistic-altruistic",
}
HEADS = {"Women": "woman", "Men": "man", "White": "White", "Black": "Black"}


@pytest.mark.reference
@pytest.mark.parametrize(
    ("annotators", "table", "file"),
    [
        ("White", "Table A14", "cao_tableA14_white_annotators.csv"),
        ("Black", "Table A15", "cao_tableA15_black_annotators.csv"),
        ("White male", "Table A16", "cao_tableA16_white_male_annotators.csv"),
        ("White female", "Table A17", "cao_tableA17_white_female_annotators.csv"),
    ],
)
def test_ratings_by_annotators_are_as_printed(shared: Shared, annotators: str, table: str, file: str) -> None:
    ratings = catalog().ratings("abc-annotators")
    assert ratings.tables[annotators] == table
    rows = list(csv.DictReader(shared(f"data/paper-tables/{file}").splitlines()))
    printed = {
        name: {SPELLED.get(row["trait"], row["trait"]): float(row[head]) for row in rows}
        for head, name in HEADS.items()
    }
    assert ratings[annotators] == printed


@pytest.mark.parametrize("name", catalog().of_kind("ratings"))
def test_every_group_of_annotators_rated_every_group_on_every_trait_from_0_to_100(name: str) -> None:
    ratings = catalog().ratings(name)
    assert set(ratings) == set(ratings.tables)
    for means in ratings.values():
        assert tuple(means) == ratings.groups
        for row in means.values():
            assert tuple(row) == ratings.traits
            assert all(0 <= mean <= 100 for mean in row.values())


def test_groups_and_traits_have_the_names_of_the_catalogue() -> None:
    ratings = catalog().ratings("abc-annotators")
    assert ratings.traits == tuple(pair.name for pair in catalog().traits("abc-traits"))
    groups = catalog().groups("abc-groups")
    assert all(groups[name].in_human_study for name in ratings.groups)


def test_only_the_means_of_men_by_black_annotators_are_all_whole() -> None:
    ratings = catalog().ratings("abc-annotators")
    whole = [
        (annotators, group)
        for annotators, means in ratings.items()
        for group, row in means.items()
        if all(float(mean).is_integer() for mean in row.values())
    ]
    assert whole == [("Black", "man")]  # as a departure says


def test_unknown_annotators_are_answered_with_the_nearest() -> None:
    ratings = catalog().ratings("abc-annotators")
    assert repr(ratings) == (
        "<Ratings abc-annotators: 4 groups on 16 traits by White, Black, White male, White female annotators>"
    )
    with pytest.raises(UnknownNameError, match="unknown group of annotators 'White males'") as caught:
        ratings["White males"]
    assert "White male" in caught.value.nearest
