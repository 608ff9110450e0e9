"""Stimuli of a WEAT without a vector, or with one under another spelling: never passed over in silence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossroads import Design, Embeddings, weat
from crossroads.errors import CrossroadsWarning, MissingStimuliError
from tests.measures.plain import design_of, space

SMALL = (4, 4, 3, 3)


def without(emb: Embeddings, *gone: str) -> Embeddings:
    return emb.select([label for label in emb.labels if label not in gone])


def test_missing_stimuli_are_an_error_that_carries_them() -> None:
    emb, words = space(SMALL, 6, 1)
    with pytest.raises(
        MissingStimuliError, match=r"2 stimuli have no usable vector \(x: x1; b: b0\)"
    ) as caught:
        weat(without(emb, "x1", "b0"), design_of(words))
    assert caught.value.missing == {"x1": "not in the vocabulary", "b0": "not in the vocabulary"}
    assert caught.value.hint is not None
    assert "missing='drop'" in caught.value.hint
    assert "another spelling" not in caught.value.hint


def test_the_error_says_when_another_spelling_is_there() -> None:
    emb, words = space(SMALL, 6, 1)
    capital = {**words, "x": ["X0", "x1", "x2", "x3"]}
    with pytest.raises(MissingStimuliError, match=r"1 stimulus has .*\n\nhint: 1 of them is there") as caught:
        weat(emb, design_of(capital))
    assert caught.value.missing == {"X0": "not in the vocabulary"}
    # the rules that the hint proposes find the word, and keep those that were in force
    for rules in ("lower", ["accents", "lower"]):
        strict = emb.with_fallback("accents" if rules != "lower" else ())
        with pytest.raises(MissingStimuliError) as caught:
            weat(strict, design_of(capital))
        assert f"fallback={rules!r}" in str(caught.value)
        assert "X0" in strict.with_fallback(rules)


def test_dropped_words_are_listed_with_their_reason() -> None:
    emb, words = space((4, 4, 3, 3), 6, 1)
    vectors = np.array(emb.vectors)
    vectors[emb.labels.index("y2")] = 0
    holed = without(Embeddings(emb.labels, vectors), "x1")
    result = weat(holed, design_of(words), missing="drop")
    assert result.coverage is not None
    assert result.coverage.dropped == {
        "x": {"x1": "not in the vocabulary"}, "y": {"y2": "zero vector"}, "a": {}, "b": {},
    }  # fmt: skip
    assert result.coverage.missing == {"x1": "not in the vocabulary", "y2": "zero vector"}
    assert (result.coverage.policy, result.coverage.complete) == ("drop", False)
    assert result.conventions["missing"] == "drop"
    assert result.sets["x"] == ("x0", "x2", "x3") == result.coverage.used["x"]
    assert result.sets["y"] == ("y0", "y1", "y3")
    assert set(result.associations) == {"x0", "x2", "x3", "y0", "y1", "y3"}
    asked = design_of({**words, "x": ["x0", "x2", "x3"], "y": ["y0", "y1", "y3"]})
    same = weat(emb, asked)
    assert (result.effect_size, result.pvalue) == (same.effect_size, same.pvalue)
    assert same.coverage is not None
    assert same.coverage.complete


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


@pytest.mark.parametrize("missing", ["drop", "balance"])
def test_too_few_stimuli_left_are_an_error(missing: Any) -> None:
    emb, words = space(SMALL, 6, 1)
    with pytest.raises(MissingStimuliError, match="x has 1 of 4 stimuli left, and needs 2") as caught:
        weat(without(emb, "x1", "x2", "x3"), design_of(words), missing=missing)
    assert set(caught.value.missing) == {"x1", "x2", "x3"}


@pytest.mark.parametrize(
    ("asked", "stored", "rule", "how"),
    [
        ("John", "john", "lower", "john (lower)"),
        ("paris", "Paris", "title", "Paris (title)"),
        ("José", "Jose", "accents", "Jose (accents)"),
        ("José", "jose", ("lower", "accents"), "jose (lower+accents)"),
    ],
)
def test_words_found_under_another_spelling_are_recorded(
    asked: str, stored: str, rule: str | tuple[str, ...], how: str
) -> None:
    emb, words = space(SMALL, 6, 1)
    renamed = Embeddings(
        [stored if label == "x0" else label for label in emb.labels], emb.vectors, fallback=rule
    )
    spelled = {**words, "x": [asked, *words["x"][1:]]}
    result = weat(renamed, design_of(spelled))
    assert result.coverage is not None
    assert result.coverage.respelled == {asked: how}
    assert result.coverage.complete
    assert asked in result.associations
    assert result.effect_size == weat(emb, design_of(words)).effect_size
    rules = (rule,) if isinstance(rule, str) else rule
    assert result.conventions["fallback"] == ", ".join(rules)


def test_two_spellings_of_one_vector_are_pointed_out() -> None:
    rng = np.random.default_rng(0)
    emb = Embeddings(
        ["rose", "lily", "wasp", "gnat", "a", "b", "c", "d"], rng.normal(size=(8, 4)), fallback="lower"
    )
    twice = Design(name="t", x=["Rose", "rose", "lily"], y=["wasp", "gnat"], a=["a", "b"], b=["c", "d"])
    with pytest.warns(CrossroadsWarning, match="found as 'rose'"):
        weat(emb, twice)
    across = Design(name="t", x=["Rose", "lily"], y=["ROSE", "gnat"], a=["a", "b"], b=["c", "d"])
    with pytest.warns(CrossroadsWarning, match="found as 'rose'"):
        weat(emb, across)
