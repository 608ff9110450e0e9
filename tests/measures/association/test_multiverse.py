"""The specification curve: every combination is the test it says, and shares count what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crossroads as cr
from tests.measures.plain import designed


def world(seed: int = 0) -> tuple[cr.Embeddings, cr.Design]:
    emb, design = designed((8, 8, 8, 8), 12, seed)
    vectors = np.array(emb.vectors)
    vectors[:, 0] += 2 * np.repeat([1, -1, 1, -1], 8)
    return cr.Embeddings(emb.labels, vectors), design


def test_every_combination_is_there_once_and_the_first_is_the_test_as_weat_measures_it() -> None:
    emb, design = world()
    swapped = cr.Design(name="swapped", x=design.y or (), y=design.x, a=design.a, b=design.b)
    found = cr.multiverse({"one": emb, "two": emb}, {"as it is": design, "swapped": swapped})
    assert len({tuple(one.choices.values()) for one in found.specifications}) == 2 * 2 * 3 * 2
    assert (found.agreement, found.same_sign, found.below) == (0.5, 0.5, 1.0)
    assert set(found.by_choice()["model"]) == {"one", "two"}
    for ddof, one in zip((1, 0), found.specifications, strict=False):
        test = cr.weat(emb, design, ddof=ddof)
        assert (one.choices["similarity"], one.choices["ddof"]) == ("cosine", str(ddof))
        assert test.crossed is not None
        assert one.effect_size == pytest.approx(test.effect_size, rel=1e-12)
        assert (one.difference, one.pvalue) == pytest.approx((test.crossed.difference, test.crossed.pvalue))


def test_words_are_looked_up_in_each_case() -> None:
    emb, design = world()
    upper = cr.Embeddings([label.capitalize() for label in emb.labels], emb.vectors)
    found = cr.multiverse({"upper": upper, "as it is": emb}, design, casing=("capitalised", "as given"))
    assert set(found.skipped) == {"upper, as given", "as it is, capitalised"}
    assert len({one.effect_size for one in found.specifications if one.choices["ddof"] == "1"}) == 3


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
