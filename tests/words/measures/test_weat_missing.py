"""Stimuli of a WEAT without a vector, or with one under another spelling: never passed over in silence."""

from __future__ import annotations

import numpy as np
import pytest

from crossroads import Embeddings, weat
from crossroads.core.errors import MissingStimuliError
from tests.words.measures.plain import design_of, space

SMALL = (4, 4, 3, 3)


def without(emb: Embeddings, *gone: str) -> Embeddings:
    return emb.select([label for label in emb.labels if label not in gone])


def test_missing_stimuli_are_an_error_that_carries_them() -> None:
    emb, words = space(SMALL, 6, 1)
    with pytest.raises(MissingStimuliError, match="2 stimuli have no usable vector") as caught:
        weat(without(emb, "x1", "b0"), design_of(words))
    assert caught.value.missing == {"x1": "not in the vocabulary", "b0": "not in the vocabulary"}
    assert "missing='drop'" in str(caught.value.hint)
    # where another spelling is there, the hint names the rules that find it
    with pytest.raises(MissingStimuliError, match=r"fallback=\['accents', 'lower'\]"):
        weat(emb.with_fallback("accents"), design_of({**words, "x": ["X0", "x1", "x2", "x3"]}))


def test_dropped_words_are_listed_with_their_reason() -> None:
    emb, words = space(SMALL, 6, 1)
    vectors = np.array(emb.vectors)
    vectors[emb.labels.index("y2")] = 0
    holed = without(Embeddings(emb.labels, vectors), "x1")
    result = weat(holed, design_of(words), missing="drop")
    assert result.coverage is not None
    assert result.coverage.dropped == {
        "x": {"x1": "not in the vocabulary"}, "y": {"y2": "zero vector"}, "a": {}, "b": {},
    }  # fmt: skip
    assert (result.coverage.policy, result.coverage.complete) == ("drop", False)
    assert result.sets["x"] == ("x0", "x2", "x3") == result.coverage.used["x"]
    assert result.sets["y"] == ("y0", "y1", "y3")
    assert set(result.associations) == {"x0", "x2", "x3", "y0", "y1", "y3"}
    asked = design_of({**words, "x": ["x0", "x2", "x3"], "y": ["y0", "y1", "y3"]})
    same = weat(emb, asked)
    assert (result.effect_size, result.pvalue) == (same.effect_size, same.pvalue)


def test_balance_keeps_the_sets_of_a_pair_equal() -> None:
    emb, words = space((5, 5, 4, 4), 6, 1)
    result = weat(without(emb, "x1", "x2", "b3"), design_of(words), missing="balance")
    assert result.coverage is not None
    assert {name: len(group) for name, group in result.sets.items()} == {"x": 3, "y": 3, "a": 3, "b": 3}
    assert result.sets["y"] == ("y0", "y1", "y2")  # shortened from the end
    assert result.coverage.dropped["y"] == dict.fromkeys(("y3", "y4"), "left out to balance the sets")
    assert result.coverage.dropped["a"] == {"a3": "left out to balance the sets"}
    assert result.coverage.dropped["x"] == dict.fromkeys(("x1", "x2"), "not in the vocabulary")
    drop = weat(without(emb, "x1", "x2", "b3"), design_of(words), missing="drop")
    assert {name: len(group) for name, group in drop.sets.items()} == {"x": 3, "y": 5, "a": 4, "b": 3}


def test_words_found_under_another_spelling_are_recorded() -> None:
    emb, words = space(SMALL, 6, 1)
    stored = ["jose" if label == "x0" else label for label in emb.labels]
    renamed = Embeddings(stored, emb.vectors, fallback=("lower", "accents"))
    result = weat(renamed, design_of({**words, "x": ["José", *words["x"][1:]]}))
    assert result.coverage is not None
    assert result.coverage.respelled == {"José": "jose (lower+accents)"}
    assert result.coverage.complete
    assert "José" in result.associations
    assert result.effect_size == weat(emb, design_of(words)).effect_size
    assert result.conventions["fallback"] == "lower, accents"
