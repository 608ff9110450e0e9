"""Influence of single words: by definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossroads import Design, Embeddings, weat
from crossroads.core.errors import DesignError, EvidenceError
from crossroads.stats import influence
from tests.words.measures.plain import designed


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000), ddof=st.sampled_from([0, 1]))
def test_influence_is_the_effect_size_of_a_design_without_the_word(seed: int, ddof: int) -> None:
    emb, design = designed((3, 4, 3, 2), 8, seed)
    result = influence(emb, design, ddof=ddof)
    assert result.effect_size == pytest.approx(weat(emb, design, ddof=ddof).effect_size, rel=1e-10)
    assert {name: list(words) for name, words in result.without.items()} == {
        name: list(words) for name, words in design.sets.items()
    }
    for words in result.without.values():
        for word, d in words.items():
            smaller = weat(emb, design.replace({word: None}), ddof=ddof)
            assert d == pytest.approx(smaller.effect_size, rel=1e-9, abs=1e-10)


def test_the_most_influential_words_come_first() -> None:
    emb, design = designed((4, 4, 4, 4), 8, 3)
    result = influence(emb, design)
    changes = [abs(row["change"]) for row in result._rows()]
    assert changes == sorted(changes, reverse=True)
    assert len(result._rows()) == 16


def flat(x1: list[float]) -> tuple[Embeddings, Design]:
    """Targets that all point the same way, but perhaps the first."""
    others = {"x2": [1, 0], "y1": [2, 0], "y2": [3, 0]}
    emb = Embeddings.from_dict({"x1": x1, **others, "a1": [1, 0], "a2": [1, 1], "b1": [0, 1], "b2": [1, 2]})
    return emb, Design(name="flat", x=["x1", "x2"], y=["y1", "y2"], a=["a1", "a2"], b=["b1", "b2"])


def test_equal_associations_have_no_influence() -> None:
    with pytest.raises(EvidenceError, match="every association of the design 'flat' equals"):
        influence(*flat([1, 0]))
    # x1 alone differs: without it nothing is left to compare
    with pytest.raises(EvidenceError, match="every association without 'x1' equals"):
        influence(*flat([0, 1]))


def test_words_without_a_vector_and_single_targets() -> None:
    emb, design = designed((4, 4, 4, 4), 8, 3)
    short = emb.select([label for label in emb.labels if label != "y3"])
    single = Design(name="single", x=design.x, a=design.a, b=design.b)
    result = influence(short, design, missing="drop")
    assert result.coverage is not None
    assert result.coverage.missing == {"y3": "not in the vocabulary"}
    assert result.effect_size == pytest.approx(weat(short, design, missing="drop").effect_size, rel=1e-12)
    with pytest.raises(DesignError, match="single target"):
        influence(emb, single)


@pytest.mark.parametrize("ddof", [0, 1])
def test_influence_of_many_words_equals_its_definition(ddof: int) -> None:
    emb, design = designed((30, 25, 20, 15), 6, 4)
    result = influence(emb, design, ddof=ddof)
    for name, words in result.without.items():
        for word in list(words)[::7]:
            smaller = weat(emb, design.replace({word: None}), ddof=ddof, method="normal").effect_size
            assert result.without[name][word] == pytest.approx(smaller, rel=1e-11, abs=1e-13)


def test_influence_of_a_word_with_nearly_all_of_the_variance() -> None:
    # without x0 the deviations are a millionth of what they were: a difference of sums would lose digits
    rng = np.random.default_rng(2)
    sets = {name: [f"{name}{i}" for i in range(5)] for name in "xyab"}
    rows = {word: [1, 0.0, 0] for word in sets["a"]} | {word: [0, 1.0, 0] for word in sets["b"]}
    rows |= {word: [0.5, 0.5 + 1e-7 * rng.normal(), 0.7] for name in "xy" for word in sets[name]}
    rows["x0"] = [1, 0, 0.1]
    emb, design = Embeddings.from_dict(rows), Design(name="d", **sets)  # type: ignore[arg-type]
    found = influence(emb, design).without["x"]["x0"]
    assert found == pytest.approx(weat(emb, design.replace({"x0": None})).effect_size, rel=1e-9)
