"""Numbers as figures print them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import crossroads as cr
from crossroads.plots.frame.wording import chance


@pytest.mark.parametrize(
    ("method", "low", "said"),
    [
        ("exact", 0.0221, "p = 0.022"),
        ("bracket", 0.02, "p ≤ 0.023"),  # a bound is not rounded down
        ("saddlepoint", 0.02, "p ≈ 0.022"),
        ("monte-carlo", 0.02, "p ≈ 0.022"),
    ],
)
def test_a_p_value_says_what_it_is(method: str, low: float, said: str) -> None:
    words = [f"{role}{i}" for role in "xyab" for i in range(2)]
    emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(8, 4)))
    design = cr.Design(name="d", x=words[:2], y=words[2:4], a=words[4:6], b=words[6:])
    test = cr.weat(emb, design)
    shown = dataclasses.replace(test, method=method, pvalue=0.0221, pvalue_low=low, pvalue_high=0.0221)
    assert chance(shown) == said
