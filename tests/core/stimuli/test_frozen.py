from __future__ import annotations

import copy
import pickle

import pytest

from crossroads.core.stimuli import catalog
from crossroads.core.stimuli.sets import FrozenDict


def test_a_frozen_mapping_keeps_order_compares_hashes_and_travels() -> None:
    colours = FrozenDict({"rose": "red", "lily": "white"})
    assert list(colours) == ["rose", "lily"]
    assert colours == {"lily": "white", "rose": "red"}
    assert hash(colours) == hash(FrozenDict({"lily": "white", "rose": "red"}))
    assert pickle.loads(pickle.dumps(colours)) == copy.deepcopy(colours) == colours
    assert repr(colours) == "{'rose': 'red', 'lily': 'white'}"
    with pytest.raises(TypeError):
        colours["rose"] = "blue"  # type: ignore[index]


def test_published_material_can_be_hashed_and_pickled() -> None:
    for entry in catalog().entries:
        material = catalog(entry.name)
        assert pickle.loads(pickle.dumps(material)) == material
        assert isinstance(hash(material), int)
