"""The specification curve: every combination is the test it says, and shares count what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crossroads as cr


def world(lean: float = 0.8, seed: int = 0, dim: int = 12) -> tuple[cr.Embeddings, cr.Design]:
    rng = np.random.default_rng(seed)
    sets: dict[str, Any] = {key: [f"{key}word{i}" for i in range(8)] for key in "xyab"}
    middle = {"x": lean, "y": -lean, "a": lean, "b": -lean}
    rows = {
        word: rng.normal(size=dim) * rng.uniform(0.5, 2) + middle[key] * np.eye(dim)[0] * 2
        for key, words in sets.items()
        for word in words
    }
    return cr.Embeddings.from_dict(rows), cr.Design(name="made up", **sets)


def test_the_first_specification_is_the_test_as_weat_measures_it() -> None:
    emb, design = world()
    found, test = cr.multiverse(emb, design), cr.weat(emb, design)
    first = found.specifications[0]
    assert first.choices == {"similarity": "cosine", "ddof": "1"}
    assert test.crossed is not None
    assert first.effect_size == pytest.approx(test.effect_size, rel=1e-12)
    assert (first.difference, first.pvalue) == pytest.approx((test.crossed.difference, test.crossed.pvalue))
    population = found.specifications[1]
    assert population.choices == {"similarity": "cosine", "ddof": "0"}
    assert population.effect_size == pytest.approx(cr.weat(emb, design, ddof=0).effect_size, rel=1e-12)


def test_other_similarities_are_plain_products_and_distances() -> None:
    emb, design = world(seed=3)
    found = {one.choices["similarity"]: one for one in cr.multiverse(emb, design, ddof=(1,)).specifications}
    ways: dict[str, Callable[[Any, Any], float]] = {
        "dot": lambda u, v: float(u @ v),
        "euclidean": lambda u, v: -float(np.linalg.norm(u - v)),
    }
    for name, alike in ways.items():
        s = {
            word: np.mean([alike(emb[word], emb[a]) for a in design.a])
            - np.mean([alike(emb[word], emb[b]) for b in design.b])
            for word in (*design.x, *(design.y or ()))
        }
        difference = np.mean([s[w] for w in design.x]) - np.mean([s[w] for w in design.y or ()])
        assert found[name].difference == pytest.approx(difference, rel=1e-10)
        assert found[name].effect_size == pytest.approx(
            difference / np.std(list(s.values()), ddof=1), rel=1e-10
        )


def test_every_combination_is_there_once_and_named() -> None:
    emb, design = world()
    other, _ = world(seed=1)
    half = cr.Design(name="half", **{key: list(words)[:5] for key, words in design.sets.items()})  # type: ignore[arg-type]
    found = cr.multiverse({"one": emb, "two": other}, {"all": design, "half": half}, ddof=(1,))
    combinations = {tuple(one.choices.values()) for one in found.specifications}
    assert len(found.specifications) == len(combinations) == 2 * 2 * 3
    assert found.specifications[0].choices["model"] == "one"
    assert {one.words for one in found.specifications if one.choices["words"] == "half"} == {20}
    assert set(found.by_choice()["model"]) == {"one", "two"}


def test_shares_count_signs_and_answers() -> None:
    emb, design = world()
    swapped = cr.Design(name="swapped", x=design.y or (), y=design.x, a=design.a, b=design.b)
    found = cr.multiverse(emb, {"as it is": design, "swapped": swapped}, similarity=("cosine",))
    assert (found.agreement, found.same_sign, found.below) == (0.5, 0.5, 1.0)
    nothing, _ = world(lean=0.0, seed=4)
    both = cr.multiverse({"with": emb, "without": nothing}, design, similarity=("cosine",))
    assert both.below == 0.5
    assert both.agreement == 0.5
