"""Numbers as figures print them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import crossroads as cr
from crossroads.plots.frame.wording import chance


@pytest.mark.parametrize(("p", "said"), [(0.0221, "p = 0.022"), (None, "no p for other words")])
def test_the_p_value_of_a_test_is_the_one_for_other_words(p: float | None, said: str) -> None:
    words = [f"{role}{i}" for role in "xyab" for i in range(2)]
    emb = cr.Embeddings(words, np.random.default_rng(1).normal(size=(8, 4)))
    design = cr.Design(name="d", x=words[:2], y=words[2:4], a=words[4:6], b=words[6:])
    test = cr.weat(emb, design)
    assert test.crossed is not None
    shown = dataclasses.replace(test, pvalue=0.5, crossed=dataclasses.replace(test.crossed, pvalue=p))
    assert chance(shown) == said
