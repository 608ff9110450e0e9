from __future__ import annotations

import pytest

from crossroads.errors import UnknownNameError
from crossroads.stimuli import catalog


def test_word_lists_are_found_by_category_and_kind() -> None:
    lists = catalog().words("ceat-validation")
    assert lists.kinds == ("biases", "intersectional", "emergent", "random")
    assert list(lists.of_kind("emergent")) == ["AF", "AM", "EF", "EM", "MF", "MM"]
    assert lists["EF"]["emergent"].items == ("ditsy",)
    with pytest.raises(UnknownNameError, match="unknown kind of word list 'emerging'"):
        lists.of_kind("emerging")
    with pytest.raises(UnknownNameError, match="unknown category of words 'FA'"):
        lists["FA"]


def test_the_sets_of_the_weat_are_there_by_name() -> None:
    sets = catalog().words("weat-sets")
    assert sets["flowers"]["words"] == catalog("weat1").x
    assert len(sets) == 31
