"""Looking up contexts of sets of words, and their cosines sample by sample."""

from __future__ import annotations

import numpy as np
import pytest

from crossroads import Contexts, Design
from crossroads.measures.contextual import words as module
from crossroads.measures.contextual.draws import draw_contexts
from crossroads.measures.contextual.words import counts_of, design_contexts, sample_cosines

DESIGN = Design(name="t", x=["x0", "x1"], y=["y0", "y1"], a=["a0"], b=["b0", "b1"])
LEAST = {"x": 2, "y": 2, "a": 1, "b": 1}


@pytest.mark.parametrize("block", [1, 1 << 24], ids=["one sample at a time", "all at once"])
def test_cosines_are_those_of_the_contexts_drawn(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK_BYTES", block)
    rng = np.random.default_rng(1)
    # other words lie between those of the design, and the order is another
    made = {word: rng.normal(size=(i + 2, 5)) for i, word in enumerate(["b1", "z", *DESIGN.words[:-1]])}
    stacked, found = design_contexts(Contexts.from_dict(made), DESIGN, missing="raise", least=LEAST)
    assert counts_of(stacked, found) == {word: len(made[word]) for word in DESIGN.words}
    drawn = draw_contexts(stacked.counts, 9, rng)
    tables = np.concatenate([table for _, table in sample_cosines(stacked, drawn, 4)])
    blocks = [where for where, _ in sample_cosines(stacked, drawn, 4)]
    assert np.concatenate([np.arange(9)[where] for where in blocks]).tolist() == list(range(9))
    for sample, table in enumerate(tables):
        for i, target in enumerate(DESIGN.words[:4]):
            for j, attribute in enumerate(DESIGN.words[4:]):
                one, other = made[target][drawn[i, sample]], made[attribute][drawn[4 + j, sample]]
                cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
                assert table[i, j] == pytest.approx(cosine)
