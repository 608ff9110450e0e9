from __future__ import annotations

import pytest

from crossroads.errors import UnknownNameError
from crossroads.stimuli import catalog


def test_traits_are_a_sequence_of_pairs_by_scale() -> None:
    traits = catalog().traits("abc-traits")
    assert {scale: len(pairs) for scale, pairs in traits.scales.items()} == {
        "Agency": 6,
        "Beliefs": 4,
        "Communion": 6,
    }
    assert traits[-1].name == "egotistic-altruistic"
    assert [pair.left for pair in traits[:2]] == ["powerless", "low status"]
    assert len(set(traits.adjectives)) == 32
    assert traits.synonyms["dominant"] == ("commanding", "authoritative")


def test_the_human_data_call_one_pair_differently() -> None:
    traits = catalog().traits("abc-traits")
    assert traits.by_human_key("egoistic - altruistic") is traits[-1]
    assert traits.by_human_key("threatening - benevolent").right == "benevolent"
    with pytest.raises(UnknownNameError, match="egotistic"):
        traits.by_human_key("egotistic - altruistic")
