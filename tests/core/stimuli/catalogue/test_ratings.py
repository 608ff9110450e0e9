"""Published ratings by people, against the tables as printed."""

from __future__ import annotations

import csv

from crossroads.core.stimuli import catalog
from tests.fixtures.stimuli import Reference

SPELLED = {
    "religious-science oriented": "religious-science-oriented",
    "egoistic-altruistic": "egotistic-altruistic",
}
HEADS = {"Women": "woman", "Men": "man", "White": "White", "Black": "Black"}


def test_ratings_by_annotators_are_as_printed(reference: Reference) -> None:
    ratings = catalog().ratings("abc-annotators")
    printed: dict[str, dict[str, dict[str, float]]] = {}
    for row in csv.DictReader(reference("cao_annotators.csv").splitlines()):
        annotators, trait = row["annotators"], SPELLED.get(row["trait"], row["trait"])
        assert ratings.tables[annotators] == row["table"]
        for head, group in HEADS.items():
            printed.setdefault(annotators, {}).setdefault(group, {})[trait] = float(row[head])
    assert dict(ratings) == printed
    assert "4 groups on 16 traits by White, Black, White male" in repr(ratings)


def test_groups_and_traits_have_the_names_of_the_catalogue() -> None:
    ratings = catalog().ratings("abc-annotators")
    assert ratings.traits == tuple(pair.name for pair in catalog().traits("abc-traits"))
    groups = catalog().groups("abc-groups")
    assert all(groups[name].human_label for name in ratings.groups)
